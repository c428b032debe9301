// SPDX-License-Identifier: Apache-2.0
// The elements of many lists, looked up by the threads of a block in equal parts.
#pragma once

#include "lists.cuh"
#include "scan.cuh"

// The elements of the shorter of two lists are looked up in the other one.
struct Pair {
  List probes, table;
};

__device__ __forceinline__ Pair shorter_first(List a, List b) {
  return a.size <= b.size ? Pair{a, b} : Pair{b, a};
}

// In shared memory: `each` pairs of each thread; where their elements begin in the sequence of all.
template<int width, int each>
struct SpreadTile {
  unsigned begins[width * each], probes[width * each], sums[width / 32];
  List tables[width * each];

  // Returns the number of elements. Its barrier is also that behind the elements before; a barrier follows.
  __device__ __forceinline__ unsigned put(const Pair (&pairs)[each], int thread) {
    unsigned own = 0, all;
#pragma unroll
    for (int i = 0; i < each; ++i) own += static_cast<unsigned>(pairs[i].probes.size);
    unsigned before = sum_before<width>(own, sums, thread, all);
#pragma unroll
    for (int i = 0; i < each; ++i) {
      const int at = thread * each + i;
      begins[at] = before;
      probes[at] = pairs[i].probes.from;
      tables[at] = pairs[i].table;
      before += static_cast<unsigned>(pairs[i].probes.size);
    }
    return all;
  }

  __device__ __forceinline__ unsigned look_up(const Graph& graph, unsigned all, int thread) const {
    unsigned found = 0;
    int pair = 0;
    for (unsigned i = static_cast<unsigned>(thread); i < all; i += width) {
      // The last pair whose elements begin at or before this one.
      for (int size = width * each - pair; size > 1;) {
        const int half = size / 2;
        if (begins[pair + half] <= i) pair += half;
        size -= half;
      }
      if (graph.contains(tables[pair], graph.target(probes[pair] + (i - begins[pair])))) ++found;
    }
    return found;
  }
};
