// SPDX-License-Identifier: Apache-2.0
#include "tuner/tensor/tensor.hpp"

#include <array>
#include <cstring>
#include <limits>

#include "tuner/base/parallel.hpp"

namespace tune {
namespace {

struct TypeTraits {
  std::string_view name;
  std::size_t size;
  bool floating;
};

constexpr std::array<TypeTraits, 12> type_traits_table = {{{"float", 4, true},
                                                           {"double", 8, true},
                                                           {"int32", 4, false},
                                                           {"uint32", 4, false},
                                                           {"uint8", 1, false},
                                                           {"half", 2, true},
                                                           {"bfloat16", 2, true},
                                                           {"int8", 1, false},
                                                           {"int16", 2, false},
                                                           {"uint16", 2, false},
                                                           {"int64", 8, false},
                                                           {"uint64", 8, false}}};

const TypeTraits& traits(ElementType type) {
  return type_traits_table.at(static_cast<std::size_t>(type));
}

}  // namespace

std::size_t element_size(ElementType type) {
  return traits(type).size;
}

bool is_floating_point(ElementType type) {
  return traits(type).floating;
}

std::string_view to_string(ElementType type) {
  return traits(type).name;
}

std::uint64_t element_count(const Extents& extents) {
  constexpr auto max = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  std::uint64_t count = 1;
  for (const std::uint64_t extent : extents) {
    if (extent != 0 && count > max / extent) throw std::overflow_error("more than 2^63 elements");
    count *= extent;
  }
  return count;
}

Layout Layout::dense(const Extents& extents) {
  Layout layout;
  layout.extents = extents;
  std::uint64_t stride = 1;
  for (const std::uint64_t extent : extents) {
    layout.strides.push_back(stride);
    stride *= extent;
  }
  layout.allocation = element_count(extents);
  return layout;
}

bool Layout::contains(std::uint64_t element) const {
  if (element < offset) return false;
  std::uint64_t rest = element - offset;
  for (std::size_t axis = extents.size(); axis-- > 0;) {
    if (rest / strides[axis] >= extents[axis]) return false;
    rest %= strides[axis];
  }
  return rest == 0;
}

bool Layout::is_dense() const {
  return *this == dense(extents);
}

namespace {

void copy(std::span<std::byte> to, std::span<const std::byte> from) {
  parallel_for(from.size(), std::uint64_t{1} << 22, [&](std::uint64_t begin, std::uint64_t end) {
    std::copy(from.data() + begin, from.data() + end, to.data() + begin);
  });
}

}  // namespace

TensorMemory& TensorMemory::operator=(const TensorMemory& other) {
  if (this == &other) return *this;
  *this = TensorMemory(other.bytes().size());
  copy(heap_, other.bytes());
  return *this;
}

void TensorMemory::move_to(std::span<std::byte> memory, std::shared_ptr<void> owner) {
  if (memory.size() != bytes().size()) throw std::logic_error("a tensor is moved to memory of another size");
  copy(memory, bytes());
  elsewhere_ = memory;
  owner_ = std::move(owner);
  heap_ = decltype(heap_)();  // an empty list would leave the memory where it is
}

HostTensor::HostTensor(ElementType type, Extents extents)
    : type_(type), extents_(std::move(extents)), data_(element_count(extents_) * element_size(type)) {}

void HostTensor::check_type(std::size_t size, bool floating) const {
  if (size != element_size(type_) || floating != traits(type_).floating)
    throw std::logic_error("a tensor of " + std::string(to_string(type_)) + " is read as another type");
}

HostTensor in_double(const TensorView& tensor) {
  HostTensor all(ElementType::f64, tensor.extents);
  const std::span<double> to = all.as<double>();
  with_element(tensor.type, [&]<class T>(T) {
    parallel_for(to.size(), 1 << 16, [&](std::uint64_t begin, std::uint64_t end) {
      for (std::uint64_t i = begin; i < end; ++i) {
        T value;
        std::memcpy(&value, tensor.bytes.data() + i * sizeof(T), sizeof(T));
        to[i] = is_poison(value) ? poison() : static_cast<double>(value);
      }
    });
  });
  return all;
}

TensorView view_of(const HostTensor& tensor) {
  return {tensor.type(), tensor.extents(), tensor.bytes()};
}

TensorViews views_of(const TensorSet& tensors) {
  TensorViews views;
  for (const auto& [name, tensor] : tensors) views.emplace(name, view_of(tensor));
  return views;
}

}  // namespace tune
