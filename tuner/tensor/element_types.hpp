// SPDX-License-Identifier: Apache-2.0
// The host's types of elements: for code that goes through tensors of any type.
#pragma once

#include <stdexcept>
#include <type_traits>

#include "tuner/tensor/small_float.hpp"
#include "tuner/tensor/tensor.hpp"

namespace tune {

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
