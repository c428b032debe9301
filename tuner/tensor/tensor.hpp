// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <limits>
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

/// Allocator for vectors of trivial types whose elements begin as zeros. The system clears the pages of large
/// vectors when a thread first touches them; a plain vector clears a gigabyte in half a second on one core
/// before all cores write something else there.
template<class T>
struct LazyZeros {
  using value_type = T;

  LazyZeros() = default;
  /// Containers need the implicit conversion.
  template<class U>
  LazyZeros(const LazyZeros<U>&) {}  // NOLINT(google-explicit-constructor)

  T* allocate(std::size_t count) {
    void* memory = std::calloc(count, sizeof(T));
    if (memory == nullptr) throw std::bad_alloc();
    return static_cast<T*>(memory);
  }
  void deallocate(T* memory, std::size_t) { std::free(memory); }

  /// Does nothing: elements are zeros, unless a vector is made shorter and longer again.
  template<class U>
  void construct(U*) noexcept {}
  template<class U, class... Arguments>
  void construct(U* at, Arguments&&... arguments) {
    std::construct_at(at, std::forward<Arguments>(arguments)...);
  }

  friend bool operator==(const LazyZeros&, const LazyZeros&) { return true; }
};

/// The types of elements that buffers hold.
enum class ElementType { f32, f64, i32, u32, u8, f16, bf16, i8, i16, u16, i64, u64 };

bool is_floating_point(ElementType type);

std::size_t element_size(ElementType type);
/// `float`, `double`, `int32`, `uint32`, `uint8`, `half`, `bfloat16`, `int8`, `int16`, `uint16`, `int64`,
/// `uint64`.
std::string_view to_string(ElementType type);

/// The numbers of elements along each dimension, the fastest one first: {nx, ny, nz}.
using Extents = std::vector<std::uint64_t>;

/// Returns the product of the extents; throws std::overflow_error beyond 63 bits.
std::uint64_t element_count(const Extents& extents);

/// How a logical tensor lies in an allocation. Variants may pad rows or surround the tensor with ghost cells:
/// problem, reference and verifier see only the logical tensor; the rest belongs to the kernel.
struct Layout {
  Extents extents;
  Extents strides;               ///< in elements; the first one is 1
  std::uint64_t offset = 0;      ///< of element (0, 0, ...) from the start of the allocation, in elements
  std::uint64_t allocation = 0;  ///< elements to allocate

  /// Returns a layout without gaps.
  static Layout dense(const Extents& extents);
  bool is_dense() const;
  /// True for an element of the allocation that belongs to the tensor.
  bool contains(std::uint64_t element) const;
  friend bool operator==(const Layout&, const Layout&) = default;
};

/// The elements of a tensor: on the heap, or in memory that something else owns. A copy lies on the heap.
class TensorMemory {
 public:
  TensorMemory() = default;
  explicit TensorMemory(std::size_t size) : heap_(size) {}
  TensorMemory(const TensorMemory& other) { *this = other; }
  TensorMemory(TensorMemory&&) noexcept = default;
  TensorMemory& operator=(const TensorMemory& other);
  TensorMemory& operator=(TensorMemory&&) noexcept = default;
  ~TensorMemory() = default;

  std::span<std::byte> bytes() { return owner_ ? elsewhere_ : std::span<std::byte>(heap_); }
  std::span<const std::byte> bytes() const { return owner_ ? elsewhere_ : std::span<const std::byte>(heap_); }
  /// See HostTensor::move_to.
  void move_to(std::span<std::byte> memory, std::shared_ptr<void> owner);

 private:
  std::vector<std::byte, LazyZeros<std::byte>> heap_;
  std::span<std::byte> elsewhere_;
  std::shared_ptr<void> owner_;
};

/// A dense logical tensor in host memory, zeros at first.
class HostTensor {
 public:
  HostTensor() = default;
  HostTensor(ElementType type, Extents extents);

  ElementType type() const { return type_; }
  const Extents& extents() const { return extents_; }
  std::uint64_t size() const { return element_count(extents_); }
  std::span<const std::byte> bytes() const { return data_.bytes(); }
  std::span<std::byte> bytes() { return data_.bytes(); }
  /// Moves the elements into memory of the same size, which `owner` keeps. Throws std::logic_error for
  /// another size. Views of the tensor end.
  void move_to(std::span<std::byte> memory, std::shared_ptr<void> owner) {
    data_.move_to(memory, std::move(owner));
  }

  /// Returns a typed view: 16-bit floating point as Float16 or BFloat16. Throws std::logic_error where T is
  /// not the element type.
  template<class T>
  std::span<const T> as() const {
    check_type(sizeof(T), !std::is_integral_v<T>);
    return {reinterpret_cast<const T*>(bytes().data()), bytes().size() / sizeof(T)};
  }
  template<class T>
  std::span<T> as() {
    check_type(sizeof(T), !std::is_integral_v<T>);
    return {reinterpret_cast<T*>(bytes().data()), bytes().size() / sizeof(T)};
  }

 private:
  void check_type(std::size_t size, bool floating) const;

  ElementType type_ = ElementType::f32;
  Extents extents_;
  TensorMemory data_;
};

/// Tensors by the name of the buffer they fill or are compared with.
using TensorSet = std::map<std::string, HostTensor, std::less<>>;

/// A dense logical tensor without ownership, such as one that a runner fetched from a device.
struct TensorView {
  ElementType type = ElementType::f32;
  Extents extents;
  std::span<const std::byte> bytes;

  std::uint64_t size() const { return element_count(extents); }
};

/// Tensors without ownership, by the name of the buffer they fill or are compared with.
using TensorViews = std::map<std::string, TensorView, std::less<>>;

TensorView view_of(const HostTensor& tensor);
/// Returns the same numbers as f64; poison stays poison.
HostTensor in_double(const TensorView& tensor);
/// Valid as long as the set exists unchanged.
TensorViews views_of(const TensorSet& tensors);

/// A floating-point number of 16 bits on the host: `ExponentBits` and `MantissaBits` besides the sign. It is
/// converted, never computed with.
template<int ExponentBits, int MantissaBits>
struct SmallFloat {
  std::uint16_t bits = 0;

  static constexpr int max_exponent = (1 << (ExponentBits - 1)) - 1;
  static constexpr int min_exponent = 1 - max_exponent;

  SmallFloat() = default;
  /// Rounds to the nearest, ties to even, directly from double: rounding twice could give another number. A
  /// number that is too large becomes infinite.
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
    // In steps of the last place; a mantissa that rounds up to the next power of two carries over.
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

/// True where every bit is set, as outputs are poisoned before a run: no arithmetic makes such a NaN. Whole
/// numbers may be written like that.
template<class T>
bool is_poison(const T& value) {
  if constexpr (!is_floating<T>) return false;
  const auto bytes = std::as_bytes(std::span(&value, 1));
  return std::ranges::all_of(bytes, [](std::byte byte) { return byte == std::byte{0xff}; });
}
/// Poison of type f64.
inline double poison() {
  return std::bit_cast<double>(~std::uint64_t{0});
}

/// Calls `use` with a value of the host's type for these elements (use(float{}), use(Float16{}), ...) and
/// returns its result.
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
