// SPDX-License-Identifier: Apache-2.0
// Mathematical and bit functions. Approximations of the device (__expf, rsqrtf) are exact here.
#pragma once

#include "memory.cuh"

#define TUNE_UNARY(name)           \
  inline double name(double x) {   \
    return __builtin_##name(x);    \
  }                                \
  inline float name(float x) {     \
    return __builtin_##name##f(x); \
  }                                \
  inline float name##f(float x) {  \
    return __builtin_##name##f(x); \
  }
#define TUNE_BINARY(name)                  \
  inline double name(double x, double y) { \
    return __builtin_##name(x, y);         \
  }                                        \
  inline float name(float x, float y) {    \
    return __builtin_##name##f(x, y);      \
  }                                        \
  inline float name##f(float x, float y) { \
    return __builtin_##name##f(x, y);      \
  }
TUNE_UNARY(sqrt)
TUNE_UNARY(cbrt)
TUNE_UNARY(sin)
TUNE_UNARY(cos)
TUNE_UNARY(tan)
TUNE_UNARY(asin)
TUNE_UNARY(acos)
TUNE_UNARY(atan)
TUNE_UNARY(sinh)
TUNE_UNARY(cosh)
TUNE_UNARY(tanh)
TUNE_UNARY(exp)
TUNE_UNARY(exp2)
TUNE_UNARY(expm1)
TUNE_UNARY(log)
TUNE_UNARY(log2)
TUNE_UNARY(log10)
TUNE_UNARY(log1p)
TUNE_UNARY(erf)
TUNE_UNARY(erfc)
TUNE_UNARY(tgamma)
TUNE_UNARY(lgamma)
TUNE_UNARY(floor)
TUNE_UNARY(ceil)
TUNE_UNARY(trunc)
TUNE_UNARY(round)
TUNE_UNARY(rint)
TUNE_UNARY(nearbyint)
TUNE_UNARY(fabs)
TUNE_BINARY(fmin)
TUNE_BINARY(fmax)
TUNE_BINARY(pow)
TUNE_BINARY(fmod)
TUNE_BINARY(hypot)
TUNE_BINARY(atan2)
TUNE_BINARY(copysign)
TUNE_BINARY(fdim)
#undef TUNE_UNARY
#undef TUNE_BINARY

inline double fma(double x, double y, double z) {
  return __builtin_fma(x, y, z);
}
inline float fma(float x, float y, float z) {
  return __builtin_fmaf(x, y, z);
}
inline float fmaf(float x, float y, float z) {
  return __builtin_fmaf(x, y, z);
}
inline float rsqrtf(float x) {
  return 1.0f / __builtin_sqrtf(x);
}
inline double rsqrt(double x) {
  return 1.0 / __builtin_sqrt(x);
}
inline void sincosf(float x, float* s, float* c) {
  *s = __builtin_sinf(x), *c = __builtin_cosf(x);
}
inline void sincos(double x, double* s, double* c) {
  *s = __builtin_sin(x), *c = __builtin_cos(x);
}
inline void sincospif(float x, float* s, float* c) {
  const double angle = 3.141592653589793 * static_cast<double>(x);
  *s = static_cast<float>(__builtin_sin(angle)), *c = static_cast<float>(__builtin_cos(angle));
}
inline void sincospi(double x, double* s, double* c) {
  sincos(3.141592653589793 * x, s, c);
}
inline float __sinf(float x) {
  return __builtin_sinf(x);
}
inline float __cosf(float x) {
  return __builtin_cosf(x);
}
inline float __expf(float x) {
  return __builtin_expf(x);
}
inline float __logf(float x) {
  return __builtin_logf(x);
}
inline float __log2f(float x) {
  return __builtin_log2f(x);
}
inline float __powf(float x, float y) {
  return __builtin_powf(x, y);
}
inline float __fdividef(float x, float y) {
  return x / y;
}
inline float __saturatef(float x) {
  return x < 0 ? 0 : (x > 1 ? 1 : x);
}
// The rounding of a single operation; a sum or product of its own is never contracted here.
#define TUNE_ROUNDED(type, suffix, fused)          \
  inline type __##suffix##add_rn(type x, type y) { \
    return x + y;                                  \
  }                                                \
  inline type __##suffix##sub_rn(type x, type y) { \
    return x - y;                                  \
  }                                                \
  inline type __##suffix##mul_rn(type x, type y) { \
    return x * y;                                  \
  }
TUNE_ROUNDED(float, f, fmaf)
TUNE_ROUNDED(double, d, fma)
#undef TUNE_ROUNDED
inline float __fmaf_rn(float x, float y, float z) {
  return __builtin_fmaf(x, y, z);
}
inline double __fma_rn(double x, double y, double z) {
  return __builtin_fma(x, y, z);
}
inline float __fdiv_rn(float x, float y) {
  return x / y;
}
inline float __frcp_rn(float x) {
  return 1.0f / x;
}
inline float __fsqrt_rn(float x) {
  return __builtin_sqrtf(x);
}
inline bool isnan(double x) {
  return __builtin_isnan(x);
}
inline bool isinf(double x) {
  return __builtin_isinf(x);
}
inline bool isfinite(double x) {
  return __builtin_isfinite(x);
}
inline bool signbit(double x) {
  return __builtin_signbit(x);
}

template<class T, class U>
constexpr auto min(T x, U y) {
  return y < x ? y : x;
}
template<class T, class U>
constexpr auto max(T x, U y) {
  return x < y ? y : x;
}
constexpr int abs(int x) {
  return x < 0 ? -x : x;
}
constexpr long abs(long x) {
  return x < 0 ? -x : x;
}
constexpr long long abs(long long x) {
  return x < 0 ? -x : x;
}
inline float abs(float x) {
  return __builtin_fabsf(x);
}
inline double abs(double x) {
  return __builtin_fabs(x);
}

inline int __popc(unsigned x) {
  return __builtin_popcount(x);
}
inline int __popcll(unsigned long long x) {
  return __builtin_popcountll(x);
}
inline int __clz(int x) {
  return x == 0 ? 32 : __builtin_clz(static_cast<unsigned>(x));
}
inline int __clzll(long long x) {
  return x == 0 ? 64 : __builtin_clzll(static_cast<unsigned long long>(x));
}
inline int __ffs(int x) {
  return __builtin_ffs(x);
}
inline int __ffsll(long long x) {
  return __builtin_ffsll(x);
}
inline unsigned __brev(unsigned x) {
  unsigned y = 0;
  for (int i = 0; i < 32; ++i) y |= (x >> i & 1u) << (31 - i);
  return y;
}
inline unsigned __byte_perm(unsigned x, unsigned y, unsigned selector) {
  const unsigned long long bytes = static_cast<unsigned long long>(y) << 32 | x;
  unsigned result = 0;
  for (int i = 0; i < 4; ++i) {
    const unsigned pick = selector >> (4 * i) & 0xfu;
    unsigned byte = static_cast<unsigned>(bytes >> (8 * (pick & 7u))) & 0xffu;
    if (pick & 8u) byte = byte & 0x80u ? 0xffu : 0;
    result |= byte << (8 * i);
  }
  return result;
}
inline unsigned __funnelshift_l(unsigned low, unsigned high, unsigned shift) {
  return static_cast<unsigned>(((static_cast<unsigned long long>(high) << 32 | low) << (shift & 31u)) >> 32);
}
inline unsigned __funnelshift_r(unsigned low, unsigned high, unsigned shift) {
  return static_cast<unsigned>((static_cast<unsigned long long>(high) << 32 | low) >> (shift & 31u));
}
inline int __mul24(int x, int y) {
  return x * y;
}
inline int __mulhi(int x, int y) {
  return static_cast<int>((static_cast<long long>(x) * y) >> 32);
}
inline unsigned __umulhi(unsigned x, unsigned y) {
  return static_cast<unsigned>((static_cast<unsigned long long>(x) * y) >> 32);
}

template<class To, class From>
inline To tune_bit_cast(From from) {
  static_assert(sizeof(To) == sizeof(From));
  return __builtin_bit_cast(To, from);
}
inline int __float_as_int(float x) {
  return tune_bit_cast<int>(x);
}
inline unsigned __float_as_uint(float x) {
  return tune_bit_cast<unsigned>(x);
}
inline float __int_as_float(int x) {
  return tune_bit_cast<float>(x);
}
inline float __uint_as_float(unsigned x) {
  return tune_bit_cast<float>(x);
}
inline long long __double_as_longlong(double x) {
  return tune_bit_cast<long long>(x);
}
inline double __longlong_as_double(long long x) {
  return tune_bit_cast<double>(x);
}
inline int __float2int_rn(float x) {
  return static_cast<int>(__builtin_rintf(x));
}
inline int __float2int_rd(float x) {
  return static_cast<int>(__builtin_floorf(x));
}
inline int __float2int_rz(float x) {
  return static_cast<int>(x);
}
inline float __int2float_rn(int x) {
  return static_cast<float>(x);
}
