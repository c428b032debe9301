// SPDX-License-Identifier: Apache-2.0
// What tells whether an edge leads from one vertex to another: bits. Of two core vertices, which have the
// most edges, exactly; of others, whether there may be an edge (a Bloom filter).
#pragma once

#include "lists.cuh"
#include "prepare.cuh"

constexpr int core = CORE, filter = FILTER;
constexpr int row_words = 4;  // of a vector
constexpr int row_bits = 32 * row_words;

// Places of vertices count from the last one, which has the most edges: 0, 1 and so on. The bits of a core
// vertex are those of the places before its own, in whole vectors.
struct Core {
  const uint4* bits;

  // The number of the row's first vector.
  static __device__ __forceinline__ unsigned row(unsigned place) {
    const unsigned block = place / row_bits;
    return (block + 1) * (block * (row_bits / 2) + place % row_bits);
  }
};

// A vertex has `filter` bits. Each target sets three of one word.
struct Filters {
  static constexpr int words = filter / 32;
  unsigned hash;

  __device__ __forceinline__ explicit Filters(int number)
      : hash(static_cast<unsigned>(number) * 0x9e3779b1u) {}
  __device__ __forceinline__ int word() const { return static_cast<int>(hash >> 19) & (words - 1); }
  __device__ __forceinline__ unsigned mask() const {
    return 1u << (hash >> 27) | 1u << (hash >> 14 & 31u) | 1u << (hash >> 9 & 31u);
  }
};

// Grid: a warp a core vertex.
extern "C" __global__ void __launch_bounds__(prepare_threads)
    triangle_core(const unsigned* __restrict__ starts, const int* __restrict__ targets, int vertices,
                  uint4* bits) {
  __shared__ uint4 rows[prepare_threads / 32][core / row_bits];
  const int lane = static_cast<int>(threadIdx.x) % 32, last = vertices - 1;
  const int place = static_cast<int>((blockIdx.x * prepare_threads + threadIdx.x) / 32);
  if (place >= min(core, vertices)) return;
  uint4* const row = rows[threadIdx.x / 32];
  auto* const words = reinterpret_cast<unsigned*>(row);
  const int vectors = place / row_bits + 1;
  for (int i = lane; i < vectors; i += 32) row[i] = uint4{0, 0, 0, 0};
  __syncwarp();
  const List list = Graph{starts, targets}.row(last - place);
  for (int i = lane; i < list.size; i += 32) {
    const int to = last - targets[list.from + i];
    atomicOr(words + to / 32, 1u << to % 32);
  }
  __syncwarp();
  uint4* const own = bits + Core::row(static_cast<unsigned>(place));
  for (int i = lane; i < vectors; i += 32) own[i] = row[i];
}

// Grid: a thread for each word.
extern "C" __global__ void __launch_bounds__(prepare_threads)
    triangle_filters(const unsigned* __restrict__ starts, const int* __restrict__ targets, int vertices,
                     unsigned* filters) {
  constexpr int words = filter == 0 ? 1 : Filters::words;
  __shared__ unsigned own[prepare_threads];
  const int thread = static_cast<int>(threadIdx.x);
  const long long word = static_cast<long long>(blockIdx.x) * prepare_threads + thread;
  const long long vertex = word / words;
  own[thread] = 0;
  __syncthreads();
  if (vertex < vertices) {
    const List list = Graph{starts, targets}.row(static_cast<int>(vertex));
    for (int i = thread % words; i < list.size; i += words) {
      const Filters bits(targets[list.from + i]);
      atomicOr(own + thread / words * words + bits.word(), bits.mask());
    }
  }
  __syncthreads();
  if (vertex < vertices) filters[word] = own[thread];
}
