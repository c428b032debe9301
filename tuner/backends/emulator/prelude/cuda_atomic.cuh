// SPDX-License-Identifier: Apache-2.0
// Atomics of libcu++. An order of memory is the fences that a device needs for it.
#pragma once

#include "atomics.cuh"
#include "collectives.cuh"
#include "standard_library.cuh"

namespace std {
enum memory_order {
  memory_order_relaxed,
  memory_order_consume,
  memory_order_acquire,
  memory_order_release,
  memory_order_acq_rel,
  memory_order_seq_cst
};
}

namespace cuda {

using std::memory_order, std::memory_order_relaxed, std::memory_order_consume, std::memory_order_acquire,
    std::memory_order_release, std::memory_order_acq_rel, std::memory_order_seq_cst;

// The operations of both kinds, which tell their place.
template<class Self, class T, thread_scope scope>
class tune_atomics {
  static TUNE_COLLECTIVE void fence(bool needed) {
    if (needed && scope < thread_scope_block) __threadfence();
    if (needed && scope == thread_scope_block) __threadfence_block();
  }
  template<class Change>
  TUNE_COLLECTIVE T change(const Change& made, memory_order order) const {
    fence(order >= memory_order_release);
    const T old = tune_atomic(static_cast<const Self*>(this)->place(), made);
    fence(order != memory_order_relaxed && order != memory_order_release);
    return old;
  }

 public:
  using value_type = T;
  TUNE_COLLECTIVE T load(memory_order order = memory_order_seq_cst) const {
    return change([](T old) { return old; }, order);
  }
  TUNE_COLLECTIVE operator T() const { return load(); }
  // Reads nothing.
  TUNE_COLLECTIVE void store(T value, memory_order order = memory_order_seq_cst) const {
    fence(order >= memory_order_release);
    *static_cast<volatile T*>(static_cast<const Self*>(this)->place()) = value;
    fence(order == memory_order_seq_cst);
  }
  TUNE_COLLECTIVE T operator=(T value) const {
    store(value);
    return value;
  }
  TUNE_COLLECTIVE T exchange(T value, memory_order order = memory_order_seq_cst) const {
    return change([=](T) { return value; }, order);
  }
  TUNE_COLLECTIVE bool compare_exchange_strong(T& expected, T value,
                                               memory_order order = memory_order_seq_cst,
                                               memory_order = memory_order_seq_cst) const {
    const T wanted = expected;
    expected = change([=](T old) { return old == wanted ? value : old; }, order);
    if (!(expected == wanted)) __nanosleep(0);  // who tries again waits for another thread
    return expected == wanted;
  }
  TUNE_COLLECTIVE bool compare_exchange_weak(T& expected, T value, memory_order order = memory_order_seq_cst,
                                             memory_order other = memory_order_seq_cst) const {
    return compare_exchange_strong(expected, value, order, other);
  }
#define TUNE_FETCH(name, expression)                                                         \
  TUNE_COLLECTIVE T fetch_##name(T value, memory_order order = memory_order_seq_cst) const { \
    return change([=](T old) { return static_cast<T>(expression); }, order);                 \
  }
  TUNE_FETCH(add, old + value)
  TUNE_FETCH(sub, old - value)
  TUNE_FETCH(min, value < old ? value : old)
  TUNE_FETCH(max, old < value ? value : old)
  TUNE_FETCH(and, old& value)
  TUNE_FETCH(or, old | value)
  TUNE_FETCH(xor, old ^ value)
#undef TUNE_FETCH
  TUNE_COLLECTIVE T operator++() const {
    return fetch_add(1) + 1;
  }
  TUNE_COLLECTIVE T operator++(int) const {
    return fetch_add(1);
  }
  TUNE_COLLECTIVE T operator--() const {
    return fetch_sub(1) - 1;
  }
  TUNE_COLLECTIVE T operator--(int) const {
    return fetch_sub(1);
  }
  TUNE_COLLECTIVE T operator+=(T value) const {
    return fetch_add(value) + value;
  }
  TUNE_COLLECTIVE T operator-=(T value) const {
    return fetch_sub(value) - value;
  }
};

template<class T, thread_scope scope = thread_scope_system>
class atomic_ref : public tune_atomics<atomic_ref<T, scope>, T, scope> {
  T* place_;

 public:
  TUNE_COLLECTIVE explicit atomic_ref(T& object) : place_(&object) {}
  TUNE_COLLECTIVE T* place() const { return place_; }
  using tune_atomics<atomic_ref, T, scope>::operator=;
};
template<class T>
atomic_ref(T&) -> atomic_ref<T>;

template<class T, thread_scope scope = thread_scope_system>
class atomic : public tune_atomics<atomic<T, scope>, T, scope> {
  T value_;

 public:
  atomic() = default;
  constexpr atomic(T value) : value_(value) {}
  TUNE_COLLECTIVE T* place() const { return const_cast<T*>(&value_); }
  using tune_atomics<atomic, T, scope>::operator=;
};

TUNE_COLLECTIVE void atomic_thread_fence(memory_order order, thread_scope scope = thread_scope_system) {
  if (order != memory_order_relaxed && scope < thread_scope_block) __threadfence();
}

}  // namespace cuda
