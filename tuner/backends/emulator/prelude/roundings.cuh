// SPDX-License-Identifier: Apache-2.0
// Single operations rounded towards zero, down or up: the nearest result, corrected by the sign of what it
// lacks, which is computed without an error.
#pragma once

#include "arithmetic.cuh"

namespace tune_emulator {

enum class Rounding { zero, down, up };

struct Sum {
  double near, rest;
};
// The sum of two numbers, far from overflow, as the nearest number and what that lacks (Knuth's TwoSum).
TUNE_FUNCTION(Sum exact_sum(double a, double b),
              {a + b, (a - ((a + b) - ((a + b) - a))) + (b - ((a + b) - a))})
// A number with the sign of the exact sum: the parts of an expansion do not overlap (Shewchuk).
inline double sign_of_sum(double a, double b, double c, double d) {
  const Sum ab = exact_sum(a, b);
  const Sum c0 = exact_sum(c, ab.rest), c1 = exact_sum(c0.near, ab.near);
  const Sum d0 = exact_sum(d, c0.rest), d1 = exact_sum(d0.near, c1.rest), d2 = exact_sum(d1.near, c1.near);
  return d2.near != 0 ? d2.near : d2.rest != 0 ? d2.rest : d1.rest != 0 ? d1.rest : d0.rest;
}

// A finite number as a fraction of 0.5 to 1 and a power of two, so that products neither over- nor underflow.
struct Scaled {
  double fraction = 0;
  int power = 0;
};
TUNE_UNCHECKED inline Scaled scaled(double x) {
  Scaled parts;
  parts.fraction = __builtin_frexp(x, &parts.power);
  return parts;
}

// Numbers with the sign of the exact result less `near`, which is the nearest number to it.
inline double beyond_sum(double x, double y, double z, double near) {  // of x * y + z
  if (__builtin_isinf(near)) return -near;
  if (x == 0 || y == 0) return 0;
  const Scaled a = scaled(x), b = scaled(y), c = scaled(z);
  constexpr int far = 200;
  const int power = a.power + b.power;
  const double product = a.fraction * b.fraction, rest = __builtin_fma(a.fraction, b.fraction, -product);
  if (z != 0 && c.power - power > far) return product;  // z is the nearest number
  const double result = __builtin_ldexp(near, -power);
  if (z != 0 && c.power - power < -far) {
    const double without = (product - result) + rest;
    return without != 0 ? without : z;
  }
  return sign_of_sum(product, rest, __builtin_ldexp(z, -power), -result);
}
inline double beyond_quotient(double x, double y, double near) {
  if (__builtin_isinf(near)) return -near;
  const Scaled a = scaled(x), b = scaled(y);
  const double rest = __builtin_fma(-__builtin_ldexp(near, b.power - a.power), b.fraction, a.fraction);
  return y > 0 ? rest : -rest;
}
inline double beyond_root(double x, double near) {
  const Scaled a = scaled(x);
  const int odd = a.power & 1;
  const double root = __builtin_ldexp(near, -((a.power - odd) / 2));
  return __builtin_fma(-root, root, __builtin_ldexp(a.fraction, odd));
}

template<Rounding rounding, class T>
inline T directed(T near, double beyond) {
  const bool up = beyond > 0 && (rounding == Rounding::up || (rounding == Rounding::zero && near < 0));
  const bool down = beyond < 0 && (rounding == Rounding::down || (rounding == Rounding::zero && near > 0));
  if (!up && !down) return near;
  const T end = up ? __builtin_inff() : -__builtin_inff();
  if constexpr (sizeof(T) == 4)
    return __builtin_nextafterf(near, end);
  else
    return __builtin_nextafter(near, end);
}
template<Rounding rounding, class T>
inline T directed_sum(double x, double y, double z, T near) {
  if (!__builtin_isfinite(x) || !__builtin_isfinite(y) || !__builtin_isfinite(z)) return near;
  // What cancels to nothing is negative when it is rounded down.
  const bool opposite = __builtin_signbit(x) ^ __builtin_signbit(y) ^ __builtin_signbit(z);
  const double beyond = beyond_sum(x, y, z, near);
  if (rounding == Rounding::down && near == 0 && beyond == 0 && opposite) return T(-0.0);
  return directed<rounding>(near, beyond);
}
template<Rounding rounding, class T>
inline T directed_product(double x, double y, T near) {
  if (!__builtin_isfinite(x) || !__builtin_isfinite(y)) return near;
  return directed<rounding>(near, beyond_sum(x, y, 0, near));
}
template<Rounding rounding, class T>
inline T directed_quotient(double x, double y, T near) {
  if (!__builtin_isfinite(x) || !__builtin_isfinite(y) || y == 0) return near;
  return directed<rounding>(near, beyond_quotient(x, y, near));
}
template<Rounding rounding, class T>
inline T directed_root(double x, T near) {
  return __builtin_isfinite(x) && x > 0 ? directed<rounding>(near, beyond_root(x, near)) : near;
}

// The float nearest to 1 / sqrt(x): the quotient in double may lie on the wrong side of the middle of two.
inline float reciprocal_root(float x) {
  const double wide = 1 / __builtin_sqrt(double(x));
  const float near = static_cast<float>(wide);
  if (!(x > 0) || !__builtin_isfinite(x) || wide == near) return near;
  const float other = __builtin_nextafterf(near, wide > near ? __builtin_inff() : 0.0f);
  const double middle = (double(near) + other) / 2, beyond = __builtin_fma(-(middle * middle), x, 1.0);
  return (wide > near ? beyond > 0 : beyond < 0) ? other : near;
}

}  // namespace tune_emulator

#define TUNE_DIRECTED(suffix, rounding, T, f, fused, root, m)                                       \
  TUNE_FUNCTION(T __##f##add_##suffix(T x, T y),                                                    \
                tune_emulator::directed_sum<tune_emulator::Rounding::rounding>(x, 1, y, x + y))     \
  TUNE_FUNCTION(T __##f##sub_##suffix(T x, T y),                                                    \
                tune_emulator::directed_sum<tune_emulator::Rounding::rounding>(x, 1, -y, x - y))    \
  TUNE_FUNCTION(T __##f##mul_##suffix(T x, T y),                                                    \
                tune_emulator::directed_product<tune_emulator::Rounding::rounding>(x, y, T(x * y))) \
  TUNE_FUNCTION(T __##f##div_##suffix(T x, T y),                                                    \
                tune_emulator::directed_quotient<tune_emulator::Rounding::rounding>(x, y, x / y))   \
  TUNE_FUNCTION(T __##f##rcp_##suffix(T x),                                                         \
                tune_emulator::directed_quotient<tune_emulator::Rounding::rounding>(1, x, 1 / x))   \
  TUNE_FUNCTION(T __##f##sqrt_##suffix(T x),                                                        \
                tune_emulator::directed_root<tune_emulator::Rounding::rounding>(x, root(x)))        \
  TUNE_FUNCTION(T m##_##suffix(T x, T y, T z),                                                      \
                tune_emulator::directed_sum<tune_emulator::Rounding::rounding>(x, y, z, fused(x, y, z)))
#define TUNE_DIRECTIONS(T, f, fused, root, m)   \
  TUNE_DIRECTED(rz, zero, T, f, fused, root, m) \
  TUNE_DIRECTED(rd, down, T, f, fused, root, m) \
  TUNE_DIRECTED(ru, up, T, f, fused, root, m)
TUNE_DIRECTIONS(float, f, __builtin_fmaf, __builtin_sqrtf, __fmaf)
TUNE_DIRECTIONS(double, d, __builtin_fma, __builtin_sqrt, __fma)
#undef TUNE_DIRECTIONS
#undef TUNE_DIRECTED
TUNE_FUNCTION(float __frsqrt_rn(float x), tune_emulator::reciprocal_root(x))
TUNE_FUNCTION(double __drcp_rn(double x), 1 / x)
TUNE_FUNCTION(double __dsqrt_rn(double x), __builtin_sqrt(x))
TUNE_FUNCTION(double __ddiv_rn(double x, double y), x / y)
