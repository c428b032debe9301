// SPDX-License-Identifier: Apache-2.0
// Numbers of 8 and 16 bits made of exact ones: one rounding, in any direction.
#pragma once

#include "arithmetic.cuh"

namespace tune_emulator {

// The codes of the largest number and of what is beyond it.
struct SmallFormat {
  int fraction_bits, least_power, largest, overflow;
};
enum class SmallRounding { nearest, zero, down, up };

// A number `whole` times a power of two.
struct Exact {
  bool negative = false, is_nan = false, is_infinite = false;
  unsigned long long whole = 0;
  int power = 0;
};
TUNE_UNCHECKED inline Exact exact(double x) {
  Exact parts;
  parts.negative = __builtin_signbit(x) != 0;
  parts.is_nan = x != x;
  parts.is_infinite = __builtin_isinf(x) != 0;
  if (parts.is_nan || parts.is_infinite) return parts;
  parts.whole =
      static_cast<unsigned long long>(__builtin_ldexp(__builtin_frexp(__builtin_fabs(x), &parts.power), 53));
  parts.power -= 53;
  return parts;
}
inline Exact exact(float x) {
  return exact(static_cast<double>(x));
}
template<class T, class = typename Whole<T>::type>
inline Exact exact(T x) {
  const auto bits = static_cast<unsigned long long>(x);
  return {x < 0, false, false, x < 0 ? 0 - bits : bits, 0};
}

// The code without the sign; beyond the largest, `overflow` where the direction is that of infinity.
inline int magnitude(Exact x, SmallFormat format, SmallRounding rounding) {
  if (x.is_infinite) return format.overflow;
  if (x.whole == 0) return 0;
  const int top = 63 - __builtin_clzll(x.whole) + x.power;
  const int exponent = top < format.least_power ? format.least_power : top;
  int dropped = exponent - format.fraction_bits - x.power;
  unsigned long long units = 0, rest = 0;  // the rest in half units, and a bit for anything beyond
  if (dropped <= 0) {
    units = x.whole << -dropped;
  } else if (dropped > 64) {
    rest = 1;
  } else {
    units = dropped == 64 ? 0 : x.whole >> dropped;
    const unsigned long long half = 1ULL << (dropped - 1);
    rest = ((x.whole & half) != 0 ? 2 : 0) + ((x.whole & (half - 1)) != 0 ? 1 : 0);
  }
  const bool outwards =
      rounding == SmallRounding::up ? !x.negative : rounding == SmallRounding::down && x.negative;
  if (rounding == SmallRounding::nearest ? rest + (units & 1) > 2 : outwards && rest != 0) ++units;
  const long long code = (static_cast<long long>(exponent - format.least_power) << format.fraction_bits) +
                         static_cast<long long>(units);
  if (code <= format.largest) return static_cast<int>(code);
  return rounding == SmallRounding::nearest || outwards ? format.overflow : format.largest;
}
inline unsigned short code16(Exact x, SmallFormat format, SmallRounding rounding) {
  if (x.is_nan) return 0x7fff;
  return static_cast<unsigned short>((x.negative ? 0x8000 : 0) | magnitude(x, format, rounding));
}

// A whole number towards zero; what does not fit becomes the nearest that does. A NaN becomes 0, or the
// highest bit of one of 8 bytes.
template<class T>
inline T saturated(float x) {
  constexpr T least = T(-1) < T(0) ? T(1ULL << (8 * sizeof(T) - 1)) : T(0), most = T(~least);
  if (x != x) return sizeof(T) == 8 ? T(1ULL << 63) : T(0);
  return x <= float(least) ? least : x >= float(most) ? most : static_cast<T>(x);
}

}  // namespace tune_emulator
