// SPDX-License-Identifier: Apache-2.0
// Mathematical and bit functions. Approximations of the device (__expf, rsqrtf) are exact here.
#pragma once

#include "memory.cuh"

// The C++ standard library computes in double with whole numbers, and with numbers of different types.
namespace tune_emulator {
template<class T>
struct Number {};
template<class T>
struct Whole {};
#define TUNE_WHOLE(T)    \
  template<>             \
  struct Number<T> {     \
    using type = double; \
  };                     \
  template<>             \
  struct Whole<T> {      \
    using type = double; \
  };
TUNE_WHOLE(bool)
TUNE_WHOLE(char)
TUNE_WHOLE(signed char)
TUNE_WHOLE(unsigned char)
TUNE_WHOLE(short)
TUNE_WHOLE(unsigned short)
TUNE_WHOLE(int)
TUNE_WHOLE(unsigned)
TUNE_WHOLE(long)
TUNE_WHOLE(unsigned long)
TUNE_WHOLE(long long)
TUNE_WHOLE(unsigned long long)
#undef TUNE_WHOLE
template<>
struct Number<float> {
  using type = float;
};
template<>
struct Number<double> {
  using type = double;
};
template<class X, class Y, class = typename Number<X>::type, class = typename Number<Y>::type>
struct Mixed {
  using type = double;
};
template<>
struct Mixed<float, float, float, float> {};
template<>
struct Mixed<double, double, double, double> {};
}  // namespace tune_emulator

#define TUNE_UNARY(name)                                        \
  TUNE_FUNCTION(double name(double x), __builtin_##name(x))     \
  TUNE_FUNCTION(float name(float x), __builtin_##name##f(x))    \
  TUNE_FUNCTION(float name##f(float x), __builtin_##name##f(x)) \
  template<class T>                                             \
  inline typename tune_emulator::Whole<T>::type name(T x) {     \
    return __builtin_##name(static_cast<double>(x));            \
  }                                                             \
  namespace std {                                               \
  using ::name, ::name##f;                                      \
  }
#define TUNE_BINARY(name)                                                    \
  TUNE_FUNCTION(double name(double x, double y), __builtin_##name(x, y))     \
  TUNE_FUNCTION(float name(float x, float y), __builtin_##name##f(x, y))     \
  TUNE_FUNCTION(float name##f(float x, float y), __builtin_##name##f(x, y))  \
  template<class X, class Y>                                                 \
  inline typename tune_emulator::Mixed<X, Y>::type name(X x, Y y) {          \
    return __builtin_##name(static_cast<double>(x), static_cast<double>(y)); \
  }                                                                          \
  namespace std {                                                            \
  using ::name, ::name##f;                                                   \
  }
#define TUNE_TO_WHOLE(name, T)                              \
  TUNE_FUNCTION(T name(double x), __builtin_##name(x))      \
  TUNE_FUNCTION(T name(float x), __builtin_##name##f(x))    \
  TUNE_FUNCTION(T name##f(float x), __builtin_##name##f(x)) \
  namespace std {                                           \
  using ::name;                                             \
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
TUNE_UNARY(asinh)
TUNE_UNARY(acosh)
TUNE_UNARY(atanh)
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
TUNE_BINARY(remainder)
TUNE_BINARY(nextafter)
TUNE_TO_WHOLE(lround, long)
TUNE_TO_WHOLE(llround, long long)
TUNE_TO_WHOLE(lrint, long)
TUNE_TO_WHOLE(llrint, long long)
#undef TUNE_UNARY
#undef TUNE_BINARY
#undef TUNE_TO_WHOLE
TUNE_FUNCTION(double ldexp(double x, int power), __builtin_ldexp(x, power))
TUNE_FUNCTION(float ldexp(float x, int power), __builtin_ldexpf(x, power))
TUNE_FUNCTION(float ldexpf(float x, int power), __builtin_ldexpf(x, power))

TUNE_FUNCTION(double fma(double x, double y, double z), __builtin_fma(x, y, z))
TUNE_FUNCTION(float fma(float x, float y, float z), __builtin_fmaf(x, y, z))
TUNE_FUNCTION(float fmaf(float x, float y, float z), __builtin_fmaf(x, y, z))
TUNE_FUNCTION(float rsqrtf(float x), 1.0f / __builtin_sqrtf(x))
TUNE_FUNCTION(double rsqrt(double x), 1.0 / __builtin_sqrt(x))
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
TUNE_FUNCTION(float __sinf(float x), __builtin_sinf(x))
TUNE_FUNCTION(float __cosf(float x), __builtin_cosf(x))
TUNE_FUNCTION(float __expf(float x), __builtin_expf(x))
TUNE_FUNCTION(float __logf(float x), __builtin_logf(x))
TUNE_FUNCTION(float __log2f(float x), __builtin_log2f(x))
TUNE_FUNCTION(float __powf(float x, float y), __builtin_powf(x, y))
TUNE_FUNCTION(float __fdividef(float x, float y), x / y)
TUNE_FUNCTION(float __saturatef(float x), x < 0 ? 0 : (x > 1 ? 1 : x))
// The rounding of a single operation; a sum or product of its own is never contracted here.
#define TUNE_ROUNDED(type, suffix, fused)                       \
  TUNE_FUNCTION(type __##suffix##add_rn(type x, type y), x + y) \
  TUNE_FUNCTION(type __##suffix##sub_rn(type x, type y), x - y) \
  TUNE_FUNCTION(type __##suffix##mul_rn(type x, type y), (x * y))
TUNE_ROUNDED(float, f, fmaf)
TUNE_ROUNDED(double, d, fma)
#undef TUNE_ROUNDED
TUNE_FUNCTION(float __fmaf_rn(float x, float y, float z), __builtin_fmaf(x, y, z))
TUNE_FUNCTION(double __fma_rn(double x, double y, double z), __builtin_fma(x, y, z))
TUNE_FUNCTION(float __fdiv_rn(float x, float y), x / y)
TUNE_FUNCTION(float __frcp_rn(float x), 1.0f / x)
TUNE_FUNCTION(float __fsqrt_rn(float x), __builtin_sqrtf(x))
TUNE_FUNCTION(double nan(const char*), __builtin_nan(""))
TUNE_FUNCTION(float nanf(const char*), __builtin_nanf(""))
TUNE_FUNCTION(bool isnan(double x), __builtin_isnan(x))
TUNE_FUNCTION(bool isinf(double x), __builtin_isinf(x))
TUNE_FUNCTION(bool isfinite(double x), __builtin_isfinite(x))
TUNE_FUNCTION(bool signbit(double x), __builtin_signbit(x))

template<class T, class U>
constexpr auto min(T x, U y) {
  return y < x ? y : x;
}
template<class T, class U>
constexpr auto max(T x, U y) {
  return x < y ? y : x;
}
TUNE_FUNCTION(unsigned umin(unsigned x, unsigned y), y < x ? y : x)
TUNE_FUNCTION(unsigned umax(unsigned x, unsigned y), x < y ? y : x)
TUNE_FUNCTION(long long llmin(long long x, long long y), y < x ? y : x)
TUNE_FUNCTION(long long llmax(long long x, long long y), x < y ? y : x)
TUNE_FUNCTION(unsigned long long ullmin(unsigned long long x, unsigned long long y), y < x ? y : x)
TUNE_FUNCTION(unsigned long long ullmax(unsigned long long x, unsigned long long y), x < y ? y : x)
constexpr int abs(int x) {
  return x < 0 ? -x : x;
}
constexpr long abs(long x) {
  return x < 0 ? -x : x;
}
constexpr long long abs(long long x) {
  return x < 0 ? -x : x;
}
TUNE_FUNCTION(float abs(float x), __builtin_fabsf(x))
TUNE_FUNCTION(double abs(double x), __builtin_fabs(x))
namespace std {
using ::abs, ::min, ::max, ::fma, ::fmaf, ::ldexp, ::isnan, ::isinf, ::isfinite, ::signbit, ::nan, ::nanf;
}

TUNE_FUNCTION(int __popc(unsigned x), __builtin_popcount(x))
TUNE_FUNCTION(int __popcll(unsigned long long x), __builtin_popcountll(x))
TUNE_FUNCTION(int __clz(int x), x == 0 ? 32 : __builtin_clz(static_cast<unsigned>(x)))
TUNE_FUNCTION(int __clzll(long long x), x == 0 ? 64 : __builtin_clzll(static_cast<unsigned long long>(x)))
TUNE_FUNCTION(int __ffs(int x), __builtin_ffs(x))
TUNE_FUNCTION(int __ffsll(long long x), __builtin_ffsll(x))
#define __builtin_assume(condition) static_cast<void>(0)
#define TUNE_DOT4(T, Byte)                                                                        \
  inline T __dp4a(T a, T b, T sum) {                                                              \
    for (int i = 0; i < 32; i += 8) sum += static_cast<Byte>(a >> i) * static_cast<Byte>(b >> i); \
    return sum;                                                                                   \
  }
TUNE_DOT4(int, signed char)
TUNE_DOT4(unsigned, unsigned char)
#undef TUNE_DOT4
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
TUNE_FUNCTION(int tune_low24(int x), static_cast<int>(static_cast<unsigned>(x) << 8) >> 8)
TUNE_FUNCTION(int __mul24(int x, int y),
              static_cast<int>(static_cast<unsigned>(tune_low24(x)) * static_cast<unsigned>(tune_low24(y))))
TUNE_FUNCTION(int __mulhi(int x, int y), static_cast<int>((static_cast<long long>(x) * y) >> 32))
inline unsigned __umulhi(unsigned x, unsigned y) {
  return static_cast<unsigned>((static_cast<unsigned long long>(x) * y) >> 32);
}

template<class To, class From>
inline To tune_bit_cast(From from) {
  static_assert(sizeof(To) == sizeof(From));
  return __builtin_bit_cast(To, from);
}
TUNE_FUNCTION(int __float_as_int(float x), tune_bit_cast<int>(x))
TUNE_FUNCTION(unsigned __float_as_uint(float x), tune_bit_cast<unsigned>(x))
TUNE_FUNCTION(float __int_as_float(int x), tune_bit_cast<float>(x))
TUNE_FUNCTION(float __uint_as_float(unsigned x), tune_bit_cast<float>(x))
TUNE_FUNCTION(long long __double_as_longlong(double x), tune_bit_cast<long long>(x))
TUNE_FUNCTION(double __longlong_as_double(long long x), tune_bit_cast<double>(x))
TUNE_FUNCTION(int __float2int_rn(float x), static_cast<int>(__builtin_rintf(x)))
TUNE_FUNCTION(int __float2int_rd(float x), static_cast<int>(__builtin_floorf(x)))
TUNE_FUNCTION(int __float2int_rz(float x), static_cast<int>(x))
TUNE_FUNCTION(float __int2float_rn(int x), static_cast<float>(x))
