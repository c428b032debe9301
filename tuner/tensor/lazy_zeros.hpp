// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdlib>
#include <memory>
#include <new>
#include <utility>

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

}  // namespace tune
