// SPDX-License-Identifier: Apache-2.0
#include "tuner/tensor/reference_numbers.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>

#include "tuner/base/parallel.hpp"

namespace tune {
namespace {

/// True where a number is not below 2^53.
template<class T>
bool has_large(const TensorView& tensor) {
  constexpr auto limit = static_cast<T>(std::int64_t{1} << 53);
  std::atomic<bool> found = false;
  parallel_for(tensor.bytes.size() / sizeof(T), 1 << 16, [&](std::uint64_t begin, std::uint64_t end) {
    for (std::uint64_t i = begin; i < end && !found; ++i) {
      T value;
      std::memcpy(&value, tensor.bytes.data() + i * sizeof(T), sizeof(T));
      if (value >= limit) found = true;
      if constexpr (std::is_signed_v<T>)
        if (value <= -limit) found = true;
    }
  });
  return found;
}

}  // namespace

bool is_wide_whole(ElementType type) {
  return type == ElementType::i64 || type == ElementType::u64;
}

HostTensor as_reference(const TensorView& tensor) {
  const bool exact = tensor.type == ElementType::i64   ? has_large<std::int64_t>(tensor)
                     : tensor.type == ElementType::u64 ? has_large<std::uint64_t>(tensor)
                                                       : false;
  if (!exact) return in_double(tensor);
  HostTensor same(tensor.type, tensor.extents);
  std::ranges::copy(tensor.bytes, same.bytes().begin());
  return same;
}

HostTensor from_reference(const HostTensor& reference, ElementType type) {
  if (reference.type() == type) return reference;
  HostTensor converted(type, reference.extents());
  with_element(type, [&]<class T>(T) {
    std::ranges::transform(reference.as<double>(), converted.as<T>().begin(),
                           [](double value) { return static_cast<T>(value); });
  });
  return converted;
}

}  // namespace tune
