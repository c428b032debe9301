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
  TUNE_FUNCTION(T2 __lowhigh2highlow(T2 a), {a.y, a.x})
TUNE_HALVES(__half, __half2)
TUNE_HALVES(__nv_bfloat16, __nv_bfloat162)
#undef TUNE_HALVES

#define TUNE_COMPARED(T, T2, name, sign)                                                         \
  TUNE_FUNCTION(T2 __h##name##2(T2 a, T2 b), {T(a.x sign b.x ? 1 : 0), T(a.y sign b.y ? 1 : 0)}) \
  TUNE_FUNCTION(bool __hb##name##2(T2 a, T2 b), (a.x sign b.x) && (a.y sign b.y))
#define TUNE_COMPARISONS(T, T2) \
  TUNE_COMPARED(T, T2, eq, ==)  \
  TUNE_COMPARED(T, T2, ne, !=)  \
  TUNE_COMPARED(T, T2, lt, <)   \
  TUNE_COMPARED(T, T2, le, <=)  \
  TUNE_COMPARED(T, T2, gt, >)   \
  TUNE_COMPARED(T, T2, ge, >=)
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
TUNE_OF_PAIR(floor)
TUNE_OF_PAIR(ceil)
TUNE_OF_PAIR(trunc)
TUNE_OF_PAIR(rint)
#undef TUNE_OF_PAIR

// ---- conversions ----

#define TUNE_WHOLE_HALVES(T, name, to, To)                                                 \
  TUNE_FUNCTION(To __##name##2##to##_rn(T x), static_cast<To>(__builtin_rintf(float(x))))  \
  TUNE_FUNCTION(To __##name##2##to##_rz(T x), static_cast<To>(__builtin_truncf(float(x)))) \
  TUNE_FUNCTION(To __##name##2##to##_rd(T x), static_cast<To>(__builtin_floorf(float(x)))) \
  TUNE_FUNCTION(To __##name##2##to##_ru(T x), static_cast<To>(__builtin_ceilf(float(x))))  \
  TUNE_FUNCTION(T __##to##2##name##_rn(To x), T(static_cast<double>(x)))
#define TUNE_CONVERTED(T, name)                      \
  TUNE_WHOLE_HALVES(T, name, int, int)               \
  TUNE_WHOLE_HALVES(T, name, uint, unsigned)         \
  TUNE_WHOLE_HALVES(T, name, short, short)           \
  TUNE_WHOLE_HALVES(T, name, ushort, unsigned short) \
  TUNE_WHOLE_HALVES(T, name, ll, long long)          \
  TUNE_WHOLE_HALVES(T, name, ull, unsigned long long)
TUNE_CONVERTED(__half, half)
TUNE_CONVERTED(__nv_bfloat16, bfloat16)
#undef TUNE_CONVERTED
#undef TUNE_WHOLE_HALVES
TUNE_FUNCTION(unsigned short __half_as_ushort(__half x), tune_bit_cast<unsigned short>(x.value))
TUNE_FUNCTION(short __half_as_short(__half x), tune_bit_cast<short>(x.value))
TUNE_FUNCTION(__half __ushort_as_half(unsigned short x), __half_raw{x})
TUNE_FUNCTION(__half __short_as_half(short x), __half_raw{static_cast<unsigned short>(x)})
TUNE_FUNCTION(unsigned short __bfloat16_as_ushort(__nv_bfloat16 x), x.bits)
TUNE_FUNCTION(short __bfloat16_as_short(__nv_bfloat16 x), static_cast<short>(x.bits))
TUNE_FUNCTION(__nv_bfloat16 __ushort_as_bfloat16(unsigned short x), __nv_bfloat16_raw{x})
TUNE_FUNCTION(__nv_bfloat16 __short_as_bfloat16(short x), __nv_bfloat16_raw{static_cast<unsigned short>(x)})
// Towards zero: a number that the nearest one is larger than loses a unit of the last place.
inline __half __float2half_rz(float x) {
  const __half near = x;
  if (!(fabsf(near) > fabsf(x))) return near;
  return __ushort_as_half(static_cast<unsigned short>(__half_as_ushort(near) - 1));
}
TUNE_FUNCTION(__nv_bfloat16 __float2bfloat16_rz(float x),
              __ushort_as_bfloat16(static_cast<unsigned short>(__float_as_uint(x) >> 16)))
TUNE_FUNCTION(__nv_bfloat16 __float2bfloat16_rn(float x), x)
TUNE_FUNCTION(__half __double2half(double x), x)
TUNE_FUNCTION(__nv_bfloat16 __double2bfloat16(double x), x)
TUNE_FUNCTION(__half2 __float22half2_rn(float2 x), {x.x, x.y})
TUNE_FUNCTION(__nv_bfloat162 __float22bfloat162_rn(float2 x), {x.x, x.y})
TUNE_FUNCTION(float2 __bfloat1622float2(__nv_bfloat162 a), {a.x, a.y})
TUNE_FUNCTION(__nv_bfloat162 __float2bfloat162_rn(float x), {x, x})
TUNE_FUNCTION(__nv_bfloat162 __bfloat162bfloat162(__nv_bfloat16 x), {x, x})
TUNE_FUNCTION(__nv_bfloat162 __halves2bfloat162(__nv_bfloat16 x, __nv_bfloat16 y), {x, y})
TUNE_FUNCTION(__nv_bfloat162 make_bfloat162(__nv_bfloat16 x, __nv_bfloat16 y), {x, y})
TUNE_FUNCTION(__nv_bfloat16 __low2bfloat16(__nv_bfloat162 a), a.x)
TUNE_FUNCTION(__nv_bfloat16 __high2bfloat16(__nv_bfloat162 a), a.y)
TUNE_FUNCTION(__nv_bfloat162 __low2bfloat162(__nv_bfloat162 a), {a.x, a.x})
TUNE_FUNCTION(__nv_bfloat162 __high2bfloat162(__nv_bfloat162 a), {a.y, a.y})
TUNE_FUNCTION(__nv_bfloat162 __lows2bfloat162(__nv_bfloat162 a, __nv_bfloat162 b), {a.x, b.x})
TUNE_FUNCTION(__nv_bfloat162 __highs2bfloat162(__nv_bfloat162 a, __nv_bfloat162 b), {a.y, b.y})
TUNE_FUNCTION(__half2 __low2half2(__half2 a), {a.x, a.x})
TUNE_FUNCTION(__half2 __high2half2(__half2 a), {a.y, a.y})
TUNE_FUNCTION(__half2 __lows2half2(__half2 a, __half2 b), {a.x, b.x})
TUNE_FUNCTION(__half2 __highs2half2(__half2 a, __half2 b), {a.y, b.y})
