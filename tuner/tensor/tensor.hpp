// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <memory>
#include <new>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace tune {

/// For vectors of trivial types whose elements begin as zeros: large ones get pages that the system clears
/// when they are first touched, by whoever touches them. A plain vector clears a gigabyte in half a second,
/// on one core, before all cores write something else there.
template<class T>
struct LazyZeros {
  using value_type = T;

  LazyZeros() = default;
  /// Containers ask their allocators to convert by themselves.
  template<class U>
  LazyZeros(const LazyZeros<U>&) {}  // NOLINT(google-explicit-constructor)

  T* allocate(std::size_t count) {
    void* memory = std::calloc(count, sizeof(T));
    if (memory == nullptr) throw std::bad_alloc();
    return static_cast<T*>(memory);
  }
  void deallocate(T* memory, std::size_t) { std::free(memory); }

  /// Zeros already, as long as a vector is not made shorter and longer again.
  template<class U>
  void construct(U*) noexcept {}
  template<class U, class... Arguments>
  void construct(U* at, Arguments&&... arguments) {
    std::construct_at(at, std::forward<Arguments>(arguments)...);
  }

  friend bool operator==(const LazyZeros&, const LazyZeros&) { return true; }
};

/// Types of elements that buffers hold.
enum class ElementType { f32, f64, i32, u32, u8, f16, bf16, i8, i16, u16, i64, u64 };

/// Whether they are floating-point numbers, of whatever size.
bool is_floating_point(ElementType type);

std::size_t element_size(ElementType type);
/// `float`, `double`, `int32`, `uint32`, `uint8`, `half`, `bfloat16`, `int8`, `int16`, `uint16`, `int64`,
/// `uint64`.
std::string_view to_string(ElementType type);

/// Numbers of elements along each dimension, the fastest one first: {nx, ny, nz}.
using Extents = std::vector<std::uint64_t>;

/// Product of the extents; throws std::overflow_error beyond 63 bits.
std::uint64_t element_count(const Extents& extents);

/// How a logical tensor lies in an allocation. Variants may pad rows or surround the tensor with ghost cells:
/// problem, reference and verifier see the logical tensor only, and everything outside it belongs to the
/// kernel.
struct Layout {
  Extents extents;
  Extents strides;               ///< in elements; the first one is 1
  std::uint64_t offset = 0;      ///< of element (0, 0, ...) from the start of the allocation, in elements
  std::uint64_t allocation = 0;  ///< elements to allocate

  /// Without gaps.
  static Layout dense(const Extents& extents);
  bool is_dense() const;
  /// Whether an element of the allocation belongs to the tensor.
  bool contains(std::uint64_t element) const;
  friend bool operator==(const Layout&, const Layout&) = default;
};

/// A dense logical tensor in host memory, zeros at first.
class HostTensor {
 public:
  HostTensor() = default;
  HostTensor(ElementType type, Extents extents);

  ElementType type() const { return type_; }
  const Extents& extents() const { return extents_; }
  std::uint64_t size() const { return element_count(extents_); }
  std::span<const std::byte> bytes() const { return data_; }
  std::span<std::byte> bytes() { return data_; }

  /// Typed view: 16-bit floating point as Float16 or BFloat16. Throws std::logic_error where T is not the
  /// element type, or has another size.
  template<class T>
  std::span<const T> as() const {
    check_type(sizeof(T), !std::is_integral_v<T>);
    return {reinterpret_cast<const T*>(data_.data()), data_.size() / sizeof(T)};
  }
  template<class T>
  std::span<T> as() {
    check_type(sizeof(T), !std::is_integral_v<T>);
    return {reinterpret_cast<T*>(data_.data()), data_.size() / sizeof(T)};
  }

 private:
  void check_type(std::size_t size, bool floating) const;

  ElementType type_ = ElementType::f32;
  Extents extents_;
  std::vector<std::byte, LazyZeros<std::byte>> data_;
};

/// Tensors by the name of the buffer they fill or are compared with.
using TensorSet = std::map<std::string, HostTensor, std::less<>>;

/// A dense logical tensor that somebody else owns: what a runner fetched from a device.
struct TensorView {
  ElementType type = ElementType::f32;
  Extents extents;
  std::span<const std::byte> bytes;

  std::uint64_t size() const { return element_count(extents); }
};

/// Tensors that somebody else owns, by the name of the buffer they fill or are compared with.
using TensorViews = std::map<std::string, TensorView, std::less<>>;

TensorView view_of(const HostTensor& tensor);
/// The same numbers as f64.
HostTensor in_double(const TensorView& tensor);
/// Valid as long as the set is neither changed nor gone.
TensorViews views_of(const TensorSet& tensors);

}  // namespace tune
