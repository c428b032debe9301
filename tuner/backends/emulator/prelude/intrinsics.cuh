// SPDX-License-Identifier: Apache-2.0
// The rarer mathematical functions, roundings, conversions and operations on packed numbers, for kernels that
// call one: see VariantText::calls_intrinsics.
#pragma once

#include "arithmetic.cuh"
#include "roundings.cuh"

// ---- functions of float and double ----

#define TUNE_BOTH(name, expression)                                                             \
  TUNE_FUNCTION(double name(double x), expression)                                              \
  TUNE_FUNCTION(float name(float given), ([](double x) -> float { return expression; }(given))) \
  TUNE_FUNCTION(float name##f(float given), ([](double x) -> float { return expression; }(given)))
inline double tune_inverse_erf(double y) {
  if (!(y > -1 && y < 1)) return y == 1 ? __builtin_inf() : y == -1 ? -__builtin_inf() : __builtin_nan("");
  double low = -6, high = 6;
  for (int i = 0; i < 100; ++i) {
    const double middle = (low + high) / 2;
    (__builtin_erf(middle) < y ? low : high) = middle;
  }
  return (low + high) / 2;
}
TUNE_BOTH(sinpi, __builtin_sin(3.14159265358979323846 * __builtin_remainder(x, 2.0)))
TUNE_BOTH(cospi, __builtin_cos(3.14159265358979323846 * __builtin_remainder(x, 2.0)))
TUNE_BOTH(exp10, __builtin_pow(10.0, x))
TUNE_BOTH(rcbrt, 1 / __builtin_cbrt(x))
TUNE_BOTH(erfinv, tune_inverse_erf(x))
TUNE_BOTH(erfcinv, tune_inverse_erf(1 - x))
TUNE_BOTH(erfcx, __builtin_exp(x* x) * __builtin_erfc(x))
TUNE_BOTH(normcdf, __builtin_erfc(-x * 0.70710678118654752440) / 2)
TUNE_BOTH(normcdfinv, -1.41421356237309504880 * tune_inverse_erf(1 - 2 * x))
TUNE_BOTH(j0, __builtin_j0(x))
TUNE_BOTH(j1, __builtin_j1(x))
TUNE_BOTH(y0, __builtin_y0(x))
TUNE_BOTH(y1, __builtin_y1(x))
TUNE_BOTH(logb, __builtin_logb(x))
// By its power series, in which all terms have one sign.
inline double tune_bessel_i(int order, double x) {
  double term = order == 0 ? 1 : x / 2, sum = term;
  for (int k = 1; __builtin_fabs(term) > 1e-17 * __builtin_fabs(sum); ++k)
    sum += term *= x * x / (4.0 * k * (k + order));
  return sum;
}
TUNE_BOTH(cyl_bessel_i0, tune_bessel_i(0, x))
TUNE_BOTH(cyl_bessel_i1, tune_bessel_i(1, x))
#undef TUNE_BOTH
TUNE_FUNCTION(double jn(int order, double x), __builtin_jn(order, x))
TUNE_FUNCTION(float jnf(int order, float x), __builtin_jnf(order, x))
TUNE_FUNCTION(double yn(int order, double x), __builtin_yn(order, x))
TUNE_FUNCTION(float ynf(int order, float x), __builtin_ynf(order, x))
TUNE_FUNCTION(int ilogb(double x), __builtin_ilogb(x))
TUNE_FUNCTION(int ilogbf(float x), __builtin_ilogbf(x))
TUNE_FUNCTION(double scalbn(double x, int power), __builtin_ldexp(x, power))
TUNE_FUNCTION(float scalbnf(float x, int power), __builtin_ldexpf(x, power))
TUNE_FUNCTION(double frexp(double x, int* power), __builtin_frexp(x, power))
TUNE_FUNCTION(float frexpf(float x, int* power), __builtin_frexpf(x, power))
TUNE_FUNCTION(double modf(double x, double* whole), __builtin_modf(x, whole))
TUNE_FUNCTION(float modff(float x, float* whole), __builtin_modff(x, whole))
#define TUNE_NORMS(T, f)                                                                             \
  TUNE_FUNCTION(T norm3d##f(T x, T y, T z),                                                          \
                static_cast<T>(__builtin_sqrt(double(x) * x + double(y) * y + double(z) * z)))       \
  TUNE_FUNCTION(                                                                                     \
      T norm4d##f(T x, T y, T z, T w),                                                               \
      static_cast<T>(__builtin_sqrt(double(x) * x + double(y) * y + double(z) * z + double(w) * w))) \
  TUNE_FUNCTION(T rnorm3d##f(T x, T y, T z), 1 / norm3d##f(x, y, z))                                 \
  TUNE_FUNCTION(T rnorm4d##f(T x, T y, T z, T w), 1 / norm4d##f(x, y, z, w))                         \
  TUNE_FUNCTION(T rhypot##f(T x, T y), 1 / hypot##f(x, y))
TUNE_NORMS(float, f)
TUNE_NORMS(double, )
#undef TUNE_NORMS
namespace std {
using ::modf, ::frexp, ::logb, ::ilogb, ::scalbn;
}
TUNE_FUNCTION(float fdividef(float x, float y), x / y)
TUNE_FUNCTION(float __tanf(float x), __builtin_tanf(x))
TUNE_FUNCTION(float __log10f(float x), __builtin_log10f(x))
TUNE_FUNCTION(float __exp10f(float x), __builtin_powf(10.0f, x))
inline void __sincosf(float x, float* s, float* c) {
  sincosf(x, s, c);
}

// ---- directed roundings of conversions, by wider numbers ----

typedef long double tune_wide;
enum class tune_rounding { nearest, zero, down, up };
template<tune_rounding rounding, class T, class Wide>
inline T tune_rounded(Wide exact) {
  const T near = static_cast<T>(exact);
  const Wide wide = near;
  const bool down = rounding == tune_rounding::down || (rounding == tune_rounding::zero && exact > 0);
  if (rounding == tune_rounding::nearest || wide == exact || exact != exact) return near;
  if (down ? wide < exact : wide > exact) return near;
  const T end = down ? -__builtin_inff() : __builtin_inff();
  if constexpr (sizeof(T) == 4)
    return __builtin_nextafterf(near, end);
  else
    return __builtin_nextafter(near, end);
}

// ---- conversions: what does not fit becomes the nearest number that does ----

template<class T>
inline T tune_fitted(double x) {
  constexpr T least = T(-1) < T(0) ? T(1ULL << (8 * sizeof(T) - 1)) : T(0), most = T(~least);
  return x != x ? T(0) : x <= double(least) ? least : x >= double(most) ? most : static_cast<T>(x);
}
#define TUNE_CONVERSIONS(from, From, to, To)                                          \
  TUNE_FUNCTION(To __##from##2##to##_rn(From x), tune_fitted<To>(__builtin_rint(x)))  \
  TUNE_FUNCTION(To __##from##2##to##_rz(From x), tune_fitted<To>(__builtin_trunc(x))) \
  TUNE_FUNCTION(To __##from##2##to##_rd(From x), tune_fitted<To>(__builtin_floor(x))) \
  TUNE_FUNCTION(To __##from##2##to##_ru(From x), tune_fitted<To>(__builtin_ceil(x)))
TUNE_CONVERSIONS(float, float, uint, unsigned)
TUNE_CONVERSIONS(float, float, ll, long long)
TUNE_CONVERSIONS(float, float, ull, unsigned long long)
TUNE_CONVERSIONS(double, double, int, int)
TUNE_CONVERSIONS(double, double, uint, unsigned)
TUNE_CONVERSIONS(double, double, ll, long long)
TUNE_CONVERSIONS(double, double, ull, unsigned long long)
#undef TUNE_CONVERSIONS
#define TUNE_TO_REAL(from, From, to, To, Wide)                               \
  TUNE_FUNCTION(To __##from##2##to##_rn(From x), static_cast<To>(x))         \
  TUNE_FUNCTION(To __##from##2##to##_rz(From x),                             \
                tune_rounded<tune_rounding::zero, To>(static_cast<Wide>(x))) \
  TUNE_FUNCTION(To __##from##2##to##_rd(From x),                             \
                tune_rounded<tune_rounding::down, To>(static_cast<Wide>(x))) \
  TUNE_FUNCTION(To __##from##2##to##_ru(From x), tune_rounded<tune_rounding::up, To>(static_cast<Wide>(x)))
TUNE_TO_REAL(uint, unsigned, float, float, double)
TUNE_TO_REAL(ll, long long, float, float, tune_wide)
TUNE_TO_REAL(ull, unsigned long long, float, float, tune_wide)
TUNE_TO_REAL(ll, long long, double, double, tune_wide)
TUNE_TO_REAL(ull, unsigned long long, double, double, tune_wide)
TUNE_TO_REAL(double, double, float, float, double)
#undef TUNE_TO_REAL
TUNE_FUNCTION(int __float2int_ru(float x), tune_fitted<int>(__builtin_ceilf(x)))
TUNE_FUNCTION(float __int2float_rz(int x), tune_rounded<tune_rounding::zero, float>(static_cast<double>(x)))
TUNE_FUNCTION(float __int2float_rd(int x), tune_rounded<tune_rounding::down, float>(static_cast<double>(x)))
TUNE_FUNCTION(float __int2float_ru(int x), tune_rounded<tune_rounding::up, float>(static_cast<double>(x)))
TUNE_FUNCTION(double __int2double_rn(int x), x)
TUNE_FUNCTION(double __uint2double_rn(unsigned x), x)
TUNE_FUNCTION(int __double2hiint(double x), static_cast<int>(__double_as_longlong(x) >> 32))
TUNE_FUNCTION(int __double2loint(double x), static_cast<int>(__double_as_longlong(x)))
inline double __hiloint2double(int high, int low) {
  return __longlong_as_double(static_cast<long long>(
      static_cast<unsigned long long>(static_cast<unsigned>(high)) << 32 | static_cast<unsigned>(low)));
}

// The length of a vector of any dimension.
template<class T>
inline double tune_norm(int count, const T* values) {
  double sum = 0;
  for (int i = 0; i < count; ++i) sum += static_cast<double>(values[i]) * static_cast<double>(values[i]);
  return __builtin_sqrt(sum);
}
TUNE_FUNCTION(double norm(int count, const double* values), tune_norm(count, values))
TUNE_FUNCTION(double rnorm(int count, const double* values), 1 / tune_norm(count, values))
TUNE_FUNCTION(float normf(int count, const float* values), static_cast<float>(tune_norm(count, values)))
TUNE_FUNCTION(float rnormf(int count, const float* values), static_cast<float>(1 / tune_norm(count, values)))

// ---- whole numbers ----

inline unsigned long long __brevll(unsigned long long x) {
  return static_cast<unsigned long long>(__brev(static_cast<unsigned>(x))) << 32 |
         __brev(static_cast<unsigned>(x >> 32));
}
TUNE_FUNCTION(unsigned __umul24(unsigned x, unsigned y), ((x & 0xffffffu) * (y & 0xffffffu)))
TUNE_FUNCTION(long long __mul64hi(long long x, long long y),
              static_cast<long long>((static_cast<__int128>(x) * y) >> 64))
inline unsigned long long __umul64hi(unsigned long long x, unsigned long long y) {
  return static_cast<unsigned long long>((static_cast<unsigned __int128>(x) * y) >> 64);
}
TUNE_FUNCTION(unsigned __sad(int x, int y, unsigned z),
              (x < y ? unsigned(y) - unsigned(x) : unsigned(x) - unsigned(y)) + z)
TUNE_FUNCTION(unsigned __usad(unsigned x, unsigned y, unsigned z), (x < y ? y - x : x - y) + z)
TUNE_FUNCTION(int __hadd(int x, int y), static_cast<int>((static_cast<long long>(x) + y) >> 1))
TUNE_FUNCTION(int __rhadd(int x, int y), static_cast<int>((static_cast<long long>(x) + y + 1) >> 1))
TUNE_FUNCTION(unsigned __uhadd(unsigned x, unsigned y), static_cast<unsigned>((0ull + x + y) >> 1))
TUNE_FUNCTION(unsigned __urhadd(unsigned x, unsigned y), static_cast<unsigned>((1ull + x + y) >> 1))

// Of four bytes or two halves of a word.
template<class Part, class Operation>
inline unsigned tune_parts(unsigned x, unsigned y, Operation operation) {
  constexpr int bits = 8 * sizeof(Part);
  unsigned result = 0;
  for (int at = 0; at < 32; at += bits)
    result |=
        (static_cast<unsigned>(operation(int(static_cast<Part>(x >> at)), int(static_cast<Part>(y >> at)))) &
         ((1u << bits) - 1))
        << at;
  return result;
}
#define TUNE_PARTS(name, s, u, expression)                                                \
  TUNE_FUNCTION(unsigned __v##name##s##4(unsigned a, unsigned b),                         \
                tune_parts<signed char>(a, b, [](int x, int y) { return expression; }))   \
  TUNE_FUNCTION(unsigned __v##name##s##2(unsigned a, unsigned b),                         \
                tune_parts<short>(a, b, [](int x, int y) { return expression; }))         \
  TUNE_FUNCTION(unsigned __v##name##u##4(unsigned a, unsigned b),                         \
                tune_parts<unsigned char>(a, b, [](int x, int y) { return expression; })) \
  TUNE_FUNCTION(unsigned __v##name##u##2(unsigned a, unsigned b),                         \
                tune_parts<unsigned short>(a, b, [](int x, int y) { return expression; }))
TUNE_PARTS(max, s, u, x < y ? y : x)
TUNE_PARTS(min, s, u, y < x ? y : x)
TUNE_PARTS(absdiff, s, u, x < y ? y - x : x - y)
TUNE_PARTS(avg, s, u, (x + y + 1) >> 1)
TUNE_PARTS(cmpgt, s, u, x > y ? -1 : 0)
TUNE_PARTS(cmpge, s, u, x >= y ? -1 : 0)
TUNE_PARTS(cmplt, s, u, x < y ? -1 : 0)
TUNE_PARTS(cmple, s, u, x <= y ? -1 : 0)
#undef TUNE_PARTS
#define TUNE_PARTS(name, expression)                                                      \
  TUNE_FUNCTION(unsigned __v##name##4(unsigned a, unsigned b),                            \
                tune_parts<unsigned char>(a, b, [](int x, int y) { return expression; })) \
  TUNE_FUNCTION(unsigned __v##name##2(unsigned a, unsigned b),                            \
                tune_parts<unsigned short>(a, b, [](int x, int y) { return expression; }))
TUNE_PARTS(add, x + y)
TUNE_PARTS(sub, x - y)
TUNE_PARTS(cmpeq, x == y ? -1 : 0)
TUNE_PARTS(cmpne, x != y ? -1 : 0)
#undef TUNE_PARTS
template<class Part>
inline int tune_saturated(int x) {
  constexpr int bits = 8 * sizeof(Part), lowest = static_cast<Part>(-1) < 0 ? -(1 << (bits - 1)) : 0,
                highest = lowest + (1 << bits) - 1;
  return x < lowest ? lowest : x > highest ? highest : x;
}
template<class Part>
inline unsigned tune_differences(unsigned a, unsigned b) {
  unsigned sum = 0;
  tune_parts<Part>(a, b, [&](int x, int y) { return sum += static_cast<unsigned>(x < y ? y - x : x - y); });
  return sum;
}
#define TUNE_PARTS(name, Part, expression)             \
  TUNE_FUNCTION(unsigned name(unsigned a, unsigned b), \
                tune_parts<Part>(a, b, [](int x, int y) { return expression; }))
#define TUNE_PART(name, Part, expression) \
  TUNE_FUNCTION(unsigned name(unsigned a), tune_parts<Part>(a, 0, [](int x, int) { return expression; }))
#define TUNE_SETS(name, sign, Part, count) TUNE_PARTS(__vset##name##count, Part, x sign y)
#define TUNE_PARTS_OF(count, S, U)                                                          \
  TUNE_PARTS(__vaddss##count, S, tune_saturated<S>(x + y))                                  \
  TUNE_PARTS(__vaddus##count, U, tune_saturated<U>(x + y))                                  \
  TUNE_PARTS(__vsubss##count, S, tune_saturated<S>(x - y))                                  \
  TUNE_PARTS(__vsubus##count, U, tune_saturated<U>(x - y))                                  \
  TUNE_PARTS(__vhaddu##count, U, (x + y) >> 1)                                              \
  TUNE_PART(__vabs##count, S, x < 0 ? -x : x)                                               \
  TUNE_PART(__vabsss##count, S, tune_saturated<S>(x < 0 ? -x : x))                          \
  TUNE_PART(__vneg##count, S, -x)                                                           \
  TUNE_PART(__vnegss##count, S, tune_saturated<S>(-x))                                      \
  TUNE_SETS(eq, ==, U, count)                                                               \
  TUNE_SETS(ne, !=, U, count)                                                               \
  TUNE_SETS(gts, >, S, count)                                                               \
  TUNE_SETS(gtu, >, U, count)                                                               \
  TUNE_SETS(ges, >=, S, count)                                                              \
  TUNE_SETS(geu, >=, U, count)                                                              \
  TUNE_SETS(lts, <, S, count)                                                               \
  TUNE_SETS(ltu, <, U, count)                                                               \
  TUNE_SETS(les, <=, S, count)                                                              \
  TUNE_SETS(leu, <=, U, count)                                                              \
  TUNE_FUNCTION(unsigned __vsads##count(unsigned a, unsigned b), tune_differences<S>(a, b)) \
  TUNE_FUNCTION(unsigned __vsadu##count(unsigned a, unsigned b), tune_differences<U>(a, b))
TUNE_PARTS_OF(2, short, unsigned short)
TUNE_PARTS_OF(4, signed char, unsigned char)
#undef TUNE_PARTS_OF
#undef TUNE_SETS
#undef TUNE_PART
#undef TUNE_PARTS
#define TUNE_DOT2(T, Half, Byte)                                                           \
  inline T tune_dot2(T a, T b, T sum, int first) {                                         \
    for (int i = 0; i < 2; ++i)                                                            \
      sum += static_cast<Half>(a >> (16 * i)) * static_cast<Byte>(b >> (8 * (first + i))); \
    return sum;                                                                            \
  }                                                                                        \
  TUNE_FUNCTION(T __dp2a_lo(T a, T b, T sum), tune_dot2(a, b, sum, 0))                     \
  TUNE_FUNCTION(T __dp2a_hi(T a, T b, T sum), tune_dot2(a, b, sum, 2))
TUNE_DOT2(int, short, signed char)
TUNE_DOT2(unsigned, unsigned short, unsigned char)
#undef TUNE_DOT2
inline unsigned __funnelshift_lc(unsigned low, unsigned high, unsigned shift) {
  return shift >= 32 ? low : __funnelshift_l(low, high, shift);
}
inline unsigned __funnelshift_rc(unsigned low, unsigned high, unsigned shift) {
  return shift >= 32 ? high : __funnelshift_r(low, high, shift);
}
#define TUNE_OF_THREE(suffix, T)                                                     \
  TUNE_FUNCTION(T __vimax3_##suffix(T x, T y, T z), max(max(x, y), z))               \
  TUNE_FUNCTION(T __vimin3_##suffix(T x, T y, T z), min(min(x, y), z))               \
  TUNE_FUNCTION(T __viaddmax_##suffix(T x, T y, T z), max(static_cast<T>(x + y), z)) \
  TUNE_FUNCTION(T __viaddmin_##suffix(T x, T y, T z), min(static_cast<T>(x + y), z))
TUNE_OF_THREE(s32, int)
TUNE_OF_THREE(u32, unsigned)
#undef TUNE_OF_THREE
