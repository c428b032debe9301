// SPDX-License-Identifier: Apache-2.0
// Atomic functions. Only one thread runs at a time, so that reading and writing suffices; the program is
// told.
#pragma once

#include "memory.cuh"

template<class T>
TUNE_UNCHECKED T tune_raw_load(const T* address) {
  return *address;
}
template<class T>
TUNE_UNCHECKED void tune_raw_store(T* address, T value) {
  *address = value;
}
// Stores what `change` makes of the old value, and gives the old value back.
template<class T, class Change>
TUNE_UNCHECKED T tune_atomic(T* address, const Change& change) {
  tune_host->access(tune_host->context, address, sizeof(T),
                    tune_emulator::access_atomic | tune_emulator::access_write, __builtin_return_address(0));
  const T old = tune_raw_load(address);
  tune_raw_store(address, change(old));
  return old;
}

template<class T>
struct tune_same {
  using type = T;
};
template<class T>
using tune_same_t = typename tune_same<T>::type;

#define TUNE_ATOMIC(name, expression)                                                       \
  template<class T>                                                                         \
  __attribute__((always_inline)) inline T name(T* address, tune_same_t<T> value) {          \
    return tune_atomic(address, [value](T old) { return static_cast<T>(expression); });     \
  }                                                                                         \
  template<class T>                                                                         \
  __attribute__((always_inline)) inline T name##_block(T* address, tune_same_t<T> value) {  \
    return name(address, value);                                                            \
  }                                                                                         \
  template<class T>                                                                         \
  __attribute__((always_inline)) inline T name##_system(T* address, tune_same_t<T> value) { \
    return name(address, value);                                                            \
  }
TUNE_ATOMIC(atomicAdd, old + value)
TUNE_ATOMIC(atomicSub, old - value)
TUNE_ATOMIC(atomicExch, ((void)old, value))
TUNE_ATOMIC(atomicMin, old < value ? old : value)
TUNE_ATOMIC(atomicMax, old > value ? old : value)
TUNE_ATOMIC(atomicAnd, old& value)
TUNE_ATOMIC(atomicOr, old | value)
TUNE_ATOMIC(atomicXor, old ^ value)
TUNE_ATOMIC(atomicInc, old >= value ? 0 : old + 1)
TUNE_ATOMIC(atomicDec, old == 0 || old > value ? value : old - 1)
#undef TUNE_ATOMIC

template<class T>
__attribute__((always_inline)) inline T atomicCAS(T* address, tune_same_t<T> expected, tune_same_t<T> value) {
  // A thread that tries again and again waits for another one, which has to get its turn.
  const T old = tune_atomic(address, [=](T found) { return found == expected ? value : found; });
  if (!(old == expected)) __nanosleep(0);
  return old;
}
template<class T>
__attribute__((always_inline)) inline T atomicCAS_block(T* address, tune_same_t<T> expected,
                                                        tune_same_t<T> value) {
  return atomicCAS(address, expected, value);
}
template<class T>
__attribute__((always_inline)) inline T atomicCAS_system(T* address, tune_same_t<T> expected,
                                                         tune_same_t<T> value) {
  return atomicCAS(address, expected, value);
}
