// SPDX-License-Identifier: Apache-2.0
// The targets of a row, as a table that tells whether a vertex is one of them.
#pragma once

#include "lists.cuh"
#include "settings.cuh"

// Numbers in slots of shared memory, a power of two; the next slot follows a taken one.
struct HashTable {
  int* slots;
  unsigned mask;

  static constexpr int empty = -1;
  __device__ __forceinline__ void add(int number) const {
    const unsigned first = static_cast<unsigned>(number) & mask;
    unsigned at = first;
    while (atomicCAS(slots + at, empty, number) != empty)
      if ((at = (at + 1) & mask) == first) return;
  }
  __device__ __forceinline__ bool has(int number) const {
    const unsigned first = static_cast<unsigned>(number) & mask;
    unsigned at = first;
    do {
      const int other = slots[at];
      if (other == number) return true;
      if (other == empty) return false;
      at = (at + 1) & mask;
    } while (at != first);
    return false;
  }
};

// Calls `look_up` with a hash table of the row, or of one part after the other, and adds its results up.
// `width` threads call it, `wait` is their barrier, `memory` has `capacity` slots.
template<int width, int capacity, class Wait, class LookUp>
__device__ __forceinline__ unsigned with_hash(const Graph& graph, List row, int thread, int* memory,
                                              const Wait& wait, const LookUp& look_up) {
  unsigned found = 0;
  for (int begin = 0; begin < row.size; begin += capacity / SPREAD) {
    const int part = min(row.size - begin, capacity / SPREAD);
    int size = 32;
    while (size < part * SPREAD) size *= 2;
    const HashTable table{memory, static_cast<unsigned>(size - 1)};
    for (int i = thread; i < size; i += width) memory[i] = HashTable::empty;
    wait();
    for (int i = thread; i < part; i += width) table.add(graph.target(row.from + begin + i));
    wait();
    found += look_up(table);
    wait();
  }
  return found;
}

// A bit or a byte for each of `window` vertices from `begin` on; others are not to be asked for.
template<Marks marks, int window>
struct WindowTable {
  static constexpr int words = marks == Marks::bytes ? window / 4 : window / 32;
  int* memory;
  int begin;

  __device__ __forceinline__ unsigned char* byte(int number) const {
    return reinterpret_cast<unsigned char*>(memory) + (number - begin);
  }
  __device__ __forceinline__ void add(int number) const {
    if constexpr (marks == Marks::bytes)
      *byte(number) = 1;
    else
      atomicOr(memory + (number - begin) / 32, static_cast<int>(1u << (number - begin) % 32));
  }
  __device__ __forceinline__ void remove(int number) const {
    if constexpr (marks == Marks::bytes)
      *byte(number) = 0;
    else
      atomicExch(memory + (number - begin) / 32, 0);
  }
  __device__ __forceinline__ bool has(int number) const {
    const auto at = static_cast<unsigned>(number - begin);
    if constexpr (marks == Marks::bytes)
      return *byte(number) != 0;
    else
      return (static_cast<unsigned>(memory[at / 32]) >> at % 32 & 1u) != 0;
  }
};
