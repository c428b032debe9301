// SPDX-License-Identifier: Apache-2.0
// What collectives of libraries are made of: values of any type that travel between lanes, or lie in shared
// memory.
#pragma once

#include "warp.cuh"

// Inlined, so that a finding names the line of the kernel that calls.
#define TUNE_COLLECTIVE __attribute__((always_inline)) inline

// A storage of its own would be one for all variants.
#define TUNE_NEEDS_STORAGE(name)                                                                    \
  template<class Type = T>                                                                          \
  TUNE_COLLECTIVE name() {                                                                          \
    static_assert(sizeof(Type) == 0,                                                                \
                  "tune_cannot_emulate: the emulator has no cub::" #name " without a TempStorage"); \
  }

namespace tune_emulator {

// Bytes of an object: types with constructors are held in shared memory by it.
template<class T>
struct Cell {
  alignas(T) char bytes[sizeof(T)];
  TUNE_COLLECTIVE void set(const T& value) { *reinterpret_cast<T*>(bytes) = value; }
  TUNE_COLLECTIVE T get() const { return *reinterpret_cast<const T*>(bytes); }
};

// A value that a library leaves undefined.
template<class T>
TUNE_COLLECTIVE T undefined() {
  Cell<T> cell;
  __builtin_memset(cell.bytes, 0xff, sizeof(T));
  return cell.get();
}

// A shuffle of a value of any size.
template<class T>
TUNE_COLLECTIVE T shuffled(WarpOperation operation, unsigned mask, const T& value, int operand, int width,
                           const char* file, int line) {
  constexpr int words = (sizeof(T) + 7) / 8;
  unsigned long long bits[words] = {};
  __builtin_memcpy(bits, &value, sizeof(T));
  for (int i = 0; i < words; ++i) bits[i] = tune_warp(operation, mask, bits[i], operand, width, file, line);
  Cell<T> cell;
  __builtin_memcpy(cell.bytes, bits, sizeof(T));
  return cell.get();
}

TUNE_COLLECTIVE unsigned thread_of_block() {
  return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
}

// `threads` neighbouring lanes of a warp, a power of two.
template<int threads>
struct Lanes {
  TUNE_COLLECTIVE int rank() const { return static_cast<int>(thread_of_block() % threads); }
  TUNE_COLLECTIVE unsigned mask() const {
    return (threads == 32 ? ~0u : (1u << threads % 32) - 1) << (thread_of_block() % 32 / threads * threads);
  }
  template<class T>
  TUNE_COLLECTIVE T from(const T& value, int lane, const char* file, int line) const {
    return shuffled(WarpOperation::shuffle_from, mask(), value, lane, threads, file, line);
  }
  template<class T>
  TUNE_COLLECTIVE T up(const T& value, int distance, const char* file, int line) const {
    return shuffled(WarpOperation::shuffle_up, mask(), value, distance, threads, file, line);
  }
  // The sum of the first `valid` lanes, in the first lane.
  template<class T, class Operation>
  TUNE_COLLECTIVE T reduce(T value, Operation& operation, int valid, const char* file, int line) const {
    for (int distance = 1; distance < threads; distance *= 2) {
      const T other = shuffled(WarpOperation::shuffle_down, mask(), value, distance, threads, file, line);
      if (rank() + distance < valid) value = operation(value, other);
    }
    return value;
  }
  template<class T, class Operation>
  TUNE_COLLECTIVE T scan(T value, Operation& operation, const char* file, int line) const {
    for (int distance = 1; distance < threads; distance *= 2) {
      const T other = up(value, distance, file, line);
      if (rank() >= distance) value = operation(other, value);
    }
    return value;
  }
};

}  // namespace tune_emulator
