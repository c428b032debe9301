// SPDX-License-Identifier: Apache-2.0
// The host's types of elements: for code that goes through tensors of any type.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <type_traits>

#include "tuner/tensor/tensor.hpp"

namespace tune {

/// A floating-point number of 16 bits on the host: `ExponentBits` and `MantissaBits` besides the sign. Only
/// converted, never computed with.
template<int ExponentBits, int MantissaBits>
struct SmallFloat {
  std::uint16_t bits = 0;

  static constexpr int max_exponent = (1 << (ExponentBits - 1)) - 1;
  static constexpr int min_exponent = 1 - max_exponent;

  SmallFloat() = default;
  /// To the nearest, ties to even, straight from double: rounding twice could go astray. Too large a number
  /// is infinite.
  explicit SmallFloat(double value) : bits(std::signbit(value) ? 0x8000U : 0U) {
    constexpr unsigned all_ones = (1U << ExponentBits) - 1U;
    if (std::isnan(value)) {
      set(all_ones, 1U << (MantissaBits - 1));
      return;
    }
    value = std::abs(value);
    if (value == 0) return;
    const int exponent = std::isinf(value) ? max_exponent + 1 : std::max(std::ilogb(value), min_exponent);
    if (exponent > max_exponent) {
      set(all_ones, 0);
      return;
    }
    // Whole steps of the last place; a mantissa that rounds up to the next power of two carries over.
    const double steps = std::nearbyint(std::ldexp(value, MantissaBits - exponent));
    const auto whole = static_cast<unsigned>(steps);
    const bool normal = whole >= 1U << MantissaBits;
    const unsigned biased = normal ? static_cast<unsigned>(exponent - min_exponent + 1) : 0U;
    bits = static_cast<std::uint16_t>(
        bits + ((normal ? biased - 1U : 0U) << static_cast<unsigned>(MantissaBits)) + whole);
  }

  explicit operator double() const {
    const unsigned exponent = (bits >> MantissaBits) & ((1U << ExponentBits) - 1U);
    const unsigned mantissa = bits & ((1U << MantissaBits) - 1U);
    double value = 0;
    if (exponent == (1U << ExponentBits) - 1U)
      value =
          mantissa != 0 ? std::numeric_limits<double>::quiet_NaN() : std::numeric_limits<double>::infinity();
    else if (exponent == 0)
      value = std::ldexp(mantissa, min_exponent - MantissaBits);
    else
      value = std::ldexp(mantissa + (1U << MantissaBits),
                         static_cast<int>(exponent) - 1 + min_exponent - MantissaBits);
    return (bits & 0x8000U) != 0 ? -value : value;
  }

 private:
  void set(unsigned exponent, unsigned mantissa) {
    bits = static_cast<std::uint16_t>(bits | exponent << MantissaBits | mantissa);
  }
};

using Float16 = SmallFloat<5, 10>;  ///< CUDA's __half
using BFloat16 = SmallFloat<8, 7>;  ///< CUDA's __nv_bfloat16

template<class T>
inline constexpr bool is_floating =
    std::is_floating_point_v<T> || std::is_same_v<T, Float16> || std::is_same_v<T, BFloat16>;

/// What `use` gives for a value of the host's type for these elements: use(float{}), use(Float16{}), ...
template<class Use>
decltype(auto) with_element(ElementType type, Use use) {
  switch (type) {
    case ElementType::f32:
      return use(float{});
    case ElementType::f64:
      return use(double{});
    case ElementType::i32:
      return use(std::int32_t{});
    case ElementType::u32:
      return use(std::uint32_t{});
    case ElementType::u8:
      return use(std::uint8_t{});
    case ElementType::f16:
      return use(Float16{});
    case ElementType::bf16:
      return use(BFloat16{});
    case ElementType::i8:
      return use(std::int8_t{});
    case ElementType::i16:
      return use(std::int16_t{});
    case ElementType::u16:
      return use(std::uint16_t{});
    case ElementType::i64:
      return use(std::int64_t{});
    case ElementType::u64:
      return use(std::uint64_t{});
  }
  throw std::logic_error("unknown element type");
}

}  // namespace tune
