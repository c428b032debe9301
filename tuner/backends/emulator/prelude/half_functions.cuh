// SPDX-License-Identifier: Apache-2.0
// The rarer functions of half and bfloat16. Like the others, they compute in float and round once.
#pragma once

#include "half.cuh"

#define TUNE_HALVES(T, T2)                                                                                   \
  TUNE_FUNCTION(bool operator>=(T x, T y), float(x) >= float(y))                                             \
  TUNE_FUNCTION(bool operator<=(T x, T y), float(x) <= float(y))                                             \
  TUNE_FUNCTION(bool operator!=(T x, T y), float(x) != float(y))                                             \
  TUNE_FUNCTION(T& operator/=(T& x, T y), x = x / y)                                                         \
  TUNE_FUNCTION(T& operator++(T& x), x = x + T(1.0f))                                                        \
  TUNE_FUNCTION(T& operator--(T& x), x = x - T(1.0f))                                                        \
  TUNE_FUNCTION(T2 operator/(T2 a, T2 b), {a.x / b.x, a.y / b.y})                                            \
  TUNE_FUNCTION(T2 operator-(T2 a), {-a.x, -a.y})                                                            \
  TUNE_FUNCTION(T2& operator-=(T2& a, T2 b), a = a - b)                                                      \
  TUNE_FUNCTION(T2& operator/=(T2& a, T2 b), a = a / b)                                                      \
  TUNE_FUNCTION(T __habs(T x), T(fabsf(float(x))))                                                           \
  TUNE_FUNCTION(bool __hisnan(T x), isnan(double(float(x))))                                                 \
  TUNE_FUNCTION(int __hisinf(T x), !isinf(double(float(x))) ? 0 : float(x) < 0 ? -1 : 1)                     \
  TUNE_FUNCTION(T __hadd_rn(T x, T y), x + y)                                                                \
  TUNE_FUNCTION(T __hsub_rn(T x, T y), x - y)                                                                \
  TUNE_FUNCTION(T __hmul_rn(T x, T y), (x * y))                                                              \
  TUNE_FUNCTION(T __hadd_sat(T x, T y), T(__saturatef(float(x) + float(y))))                                 \
  TUNE_FUNCTION(T __hsub_sat(T x, T y), T(__saturatef(float(x) - float(y))))                                 \
  TUNE_FUNCTION(T __hmul_sat(T x, T y), T(__saturatef(float(x) * float(y))))                                 \
  TUNE_FUNCTION(T __hfma_sat(T x, T y, T z), T(__saturatef(float(__hfma(x, y, z)))))                         \
  TUNE_FUNCTION(T __hfma_relu(T x, T y, T z), __hmax(__hfma(x, y, z), T(0.0f)))                              \
  TUNE_FUNCTION(T hrcp(T x), T(1 / float(x)))                                                                \
  TUNE_FUNCTION(T htanh(T x), T(tanhf(float(x))))                                                            \
  TUNE_FUNCTION(T2 __habs2(T2 a), {__habs(a.x), __habs(a.y)})                                                \
  TUNE_FUNCTION(T2 __hneg2(T2 a), -a)                                                                        \
  TUNE_FUNCTION(T2 __h2div(T2 a, T2 b), a / b)                                                               \
  TUNE_FUNCTION(T2 __hmax2(T2 a, T2 b), {__hmax(a.x, b.x), __hmax(a.y, b.y)})                                \
  TUNE_FUNCTION(T2 __hmin2(T2 a, T2 b), {__hmin(a.x, b.x), __hmin(a.y, b.y)})                                \
  TUNE_FUNCTION(T2 __hadd2_rn(T2 a, T2 b), a + b)                                                            \
  TUNE_FUNCTION(T2 __hsub2_rn(T2 a, T2 b), a - b)                                                            \
  TUNE_FUNCTION(T2 __hmul2_rn(T2 a, T2 b), (a * b))                                                          \
  TUNE_FUNCTION(T2 __hfma2_relu(T2 a, T2 b, T2 c), {__hfma_relu(a.x, b.x, c.x), __hfma_relu(a.y, b.y, c.y)}) \
  TUNE_FUNCTION(T2 __hcmadd(T2 a, T2 b, T2 c),                                                               \
                {__hfma(-a.y, b.y, __hfma(a.x, b.x, c.x)), __hfma(a.y, b.x, __hfma(a.x, b.y, c.y))})         \
  TUNE_FUNCTION(T2 __hmax2_nan(T2 a, T2 b), {__hmax_nan(a.x, b.x), __hmax_nan(a.y, b.y)})                    \
  TUNE_FUNCTION(T2 __hmin2_nan(T2 a, T2 b), {__hmin_nan(a.x, b.x), __hmin_nan(a.y, b.y)})                    \
  TUNE_FUNCTION(T2 __hadd2_sat(T2 a, T2 b), {__hadd_sat(a.x, b.x), __hadd_sat(a.y, b.y)})                    \
  TUNE_FUNCTION(T2 __hsub2_sat(T2 a, T2 b), {__hsub_sat(a.x, b.x), __hsub_sat(a.y, b.y)})                    \
  TUNE_FUNCTION(T2 __hmul2_sat(T2 a, T2 b), {__hmul_sat(a.x, b.x), __hmul_sat(a.y, b.y)})                    \
  TUNE_FUNCTION(T2 __hfma2_sat(T2 a, T2 b, T2 c), {__hfma_sat(a.x, b.x, c.x), __hfma_sat(a.y, b.y, c.y)})    \
  TUNE_FUNCTION(T2 __hisnan2(T2 a), {T(__hisnan(a.x) ? 1 : 0), T(__hisnan(a.y) ? 1 : 0)})                    \
  TUNE_FUNCTION(T htanh_approx(T x), htanh(x))                                                               \
  TUNE_FUNCTION(T2 __lowhigh2highlow(T2 a), {a.y, a.x})
TUNE_HALVES(__half, __half2)
TUNE_HALVES(__nv_bfloat16, __nv_bfloat162)
#undef TUNE_HALVES

// Ordered comparisons are false where one is NaN, those with a u true.
#define TUNE_COMPARED(T, T2, name, unordered)                                                         \
  TUNE_FUNCTION(bool __h##name##u(T x, T y), unordered)                                               \
  TUNE_FUNCTION(T2 __h##name##2(T2 a, T2 b), {T(__h##name(a.x, b.x)), T(__h##name(a.y, b.y))})        \
  TUNE_FUNCTION(T2 __h##name##u2(T2 a, T2 b), {T(__h##name##u(a.x, b.x)), T(__h##name##u(a.y, b.y))}) \
  TUNE_FUNCTION(bool __hb##name##2(T2 a, T2 b), __h##name(a.x, b.x) && __h##name(a.y, b.y))           \
  TUNE_FUNCTION(bool __hb##name##u2(T2 a, T2 b), __h##name##u(a.x, b.x) && __h##name##u(a.y, b.y))    \
  TUNE_FUNCTION(unsigned __h##name##2_mask(T2 a, T2 b),                                               \
                (__h##name(a.x, b.x) ? 0xffffu : 0u) | (__h##name(a.y, b.y) ? 0xffff0000u : 0u))      \
  TUNE_FUNCTION(unsigned __h##name##u2_mask(T2 a, T2 b),                                              \
                (__h##name##u(a.x, b.x) ? 0xffffu : 0u) | (__h##name##u(a.y, b.y) ? 0xffff0000u : 0u))
#define TUNE_COMPARISONS(T, T2)                              \
  TUNE_COMPARED(T, T2, eq, !__hlt(x, y) && !__hgt(x, y))     \
  TUNE_COMPARED(T, T2, ne, !__heq(x, y))                     \
  TUNE_COMPARED(T, T2, lt, !__hge(x, y))                     \
  TUNE_COMPARED(T, T2, le, !__hgt(x, y))                     \
  TUNE_COMPARED(T, T2, gt, !__hle(x, y))                     \
  TUNE_COMPARED(T, T2, ge, !__hlt(x, y))                     \
  TUNE_FUNCTION(bool operator==(T2 a, T2 b), __hbeq2(a, b))  \
  TUNE_FUNCTION(bool operator!=(T2 a, T2 b), __hbneu2(a, b)) \
  TUNE_FUNCTION(bool operator<(T2 a, T2 b), __hblt2(a, b))   \
  TUNE_FUNCTION(bool operator<=(T2 a, T2 b), __hble2(a, b))  \
  TUNE_FUNCTION(bool operator>(T2 a, T2 b), __hbgt2(a, b))   \
  TUNE_FUNCTION(bool operator>=(T2 a, T2 b), __hbge2(a, b))
TUNE_COMPARISONS(__half, __half2)
TUNE_COMPARISONS(__nv_bfloat16, __nv_bfloat162)
#undef TUNE_COMPARISONS
#undef TUNE_COMPARED

#define TUNE_OF_PAIR(name)                                                 \
  TUNE_FUNCTION(__half2 h2##name(__half2 a), {h##name(a.x), h##name(a.y)}) \
  TUNE_FUNCTION(__nv_bfloat162 h2##name(__nv_bfloat162 a), {h##name(a.x), h##name(a.y)})
TUNE_OF_PAIR(exp)
TUNE_OF_PAIR(exp2)
TUNE_OF_PAIR(log)
TUNE_OF_PAIR(log2)
TUNE_OF_PAIR(sqrt)
TUNE_OF_PAIR(rsqrt)
TUNE_OF_PAIR(rcp)
TUNE_OF_PAIR(sin)
TUNE_OF_PAIR(cos)
TUNE_OF_PAIR(tanh)
TUNE_OF_PAIR(tanh_approx)
TUNE_OF_PAIR(exp10)
TUNE_OF_PAIR(log10)
TUNE_OF_PAIR(floor)
TUNE_OF_PAIR(ceil)
TUNE_OF_PAIR(trunc)
TUNE_OF_PAIR(rint)
#undef TUNE_OF_PAIR

#include "half_conversions.cuh"
