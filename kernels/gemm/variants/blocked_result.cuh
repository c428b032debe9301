// SPDX-License-Identifier: Apache-2.0
// Where the sums of `register` and `async` go: to the result, or where several blocks share a sum (split), to
// a scratch array of their own, which a second kernel adds up, or by atomic additions to the result, which
// another kernel has scaled before.
#pragma once

#include "blocked_tile.cuh"

struct Result {
  Real* elements;
  int m, n;
  long long pitch;
  Real alpha, beta;
};

// `count` neighbouring elements of a row.
template<int count>
__device__ __forceinline__ void store_elements(const Result& result, Real* target, Real (&values)[count]) {
  if constexpr (split > 1 && !atomic) {
    store_vector<count, Store::plain>(target, values);
  } else if constexpr (split > 1) {
#pragma unroll
    for (int i = 0; i < count; ++i) atomicAdd(target + i, result.alpha * values[i]);
  } else {
    Real old[count];
    if constexpr (accumulate) load_vector<count, Load::ordinary>(old, target);
#pragma unroll
    for (int i = 0; i < count; ++i) {
      values[i] *= result.alpha;
      if constexpr (accumulate) values[i] += result.beta * old[i];
    }
    store_vector<count, Store::plain>(target, values);
  }
}

// The thread's sums; `tile` is the block's place in the result. Rows of the result begin at multiples of
// `vector` elements, so a vector that begins within the result ends within its pitch; atomic additions
// would touch what lies beside it.
template<bool whole>
__device__ __forceinline__ void store_sums(const Result& result, const TilePlace& tile, const Place& place,
                                           const Real (&sums)[thread_m][thread_n]) {
  constexpr int width = split > 1 && atomic ? 1 : vector < piece ? vector : piece;
  const int row = tile.row + place.row, column = tile.column + place.column;
  Real* elements = result.elements;
  if constexpr (split > 1 && !atomic) elements += blockIdx.y * (result.m * result.pitch);
#pragma unroll
  for (int i = 0; i < thread_m; ++i) {
    const int y = row + row_offset(i);
    if (!whole && y >= result.m) continue;
    Real* const target = elements + y * result.pitch;
#pragma unroll
    for (int j = 0; j < thread_n; j += width) {
      const int x = column + column_offset(j);
      if (!whole && x >= result.n) continue;
      Real values[width];
#pragma unroll
      for (int e = 0; e < width; ++e) values[e] = sums[i][j + e];
      store_elements(result, target + x, values);
    }
  }
}

// Adds the sums of all slices to those of the first one, two by two, through shared memory: from the stage on
// that was read last, which nobody needs any more once all threads are here.
__device__ __forceinline__ void add_slices(Real* stage, Real (&sums)[thread_m][thread_n]) {
  const int slice = slice_of_thread(), thread = static_cast<int>(threadIdx.x) % tile_threads;
#pragma unroll
  for (int half = slices / 2; half >= 1; half /= 2) {
    if (half < slices / 2 || reads_after_barrier) __syncthreads();
    // Piece after piece of all threads: neighbours write neighbouring pieces.
    Real* const place = stage + (slice % half * tile_threads + thread) * piece;
    const int step = half * tile_threads * piece;
    if (slice >= half && slice < 2 * half) {
#pragma unroll
      for (int p = 0; p < thread_m * thread_n / piece; ++p)
        store_vector<piece, Store::plain>(place + p * step,
                                          sums[p * piece / thread_n] + p * piece % thread_n);
    }
    __syncthreads();
    if (slice < half) {
#pragma unroll
      for (int p = 0; p < thread_m * thread_n / piece; ++p) {
        Real others[piece];
        load_vector<piece, Load::shared>(others, place + p * step);
#pragma unroll
        for (int e = 0; e < piece; ++e) sums[p * piece / thread_n][p * piece % thread_n + e] += others[e];
      }
    }
  }
}

__device__ __forceinline__ void store_tile(const Result& result, const TilePlace& tile, const Place& place,
                                           const Real (&sums)[thread_m][thread_n]) {
  if (slices > 1 && slice_of_thread() != 0) return;
  if (tile.row + block_m <= result.m && tile.column + block_n <= result.n)
    store_sums<true>(result, tile, place, sums);
  else
    store_sums<false>(result, tile, place, sums);
}

// The kernels that come with a split take vectors of the rows. Grid: any number of blocks along x, 256
// threads.
constexpr int sum_threads = 256;
constexpr int sum_vector = vector < piece ? vector : piece;

// Calls visit(element) for the first element of each vector of the result.
template<class Visit>
__device__ __forceinline__ void for_vectors(int m, int n, long long pitch, const Visit& visit) {
  const long long row_vectors = (n + sum_vector - 1) / sum_vector;
  const long long all = row_vectors * m, stride = static_cast<long long>(gridDim.x) * sum_threads;
  for (long long i = static_cast<long long>(blockIdx.x) * sum_threads + threadIdx.x; i < all; i += stride)
    visit(i / row_vectors * pitch + i % row_vectors * sum_vector);
}

// result = alpha * (the sum of the parts, in their order) + beta * result. Parts lie as the result does, m *
// pitch elements from each other.
extern "C" __global__ void __launch_bounds__(sum_threads)
    gemm_add_parts(const Real* __restrict__ parts, Real* __restrict__ result, int m, int n, long long pitch,
                   Real alpha, Real beta) {
  for_vectors(m, n, pitch, [&](long long element) {
    Real sums[sum_vector] = {};
#pragma unroll
    for (int part = 0; part < split; ++part) {
      Real values[sum_vector];
      load_vector<sum_vector, Load::readonly>(values, parts + part * (m * pitch) + element);
#pragma unroll
      for (int e = 0; e < sum_vector; ++e) sums[e] += values[e];
    }
    Real old[sum_vector];
    if constexpr (accumulate) load_vector<sum_vector, Load::ordinary>(old, result + element);
#pragma unroll
    for (int e = 0; e < sum_vector; ++e) {
      sums[e] *= alpha;
      if constexpr (accumulate) sums[e] += beta * old[e];
    }
    store_vector<sum_vector, Store::plain>(result + element, sums);
  });
}

// result = beta * result, before atomic additions.
extern "C" __global__ void __launch_bounds__(sum_threads)
    gemm_scale(Real* __restrict__ result, int m, int n, long long pitch, Real beta) {
  for_vectors(m, n, pitch, [&](long long element) {
    Real values[sum_vector] = {};
    if constexpr (accumulate) {
      load_vector<sum_vector, Load::ordinary>(values, result + element);
#pragma unroll
      for (int e = 0; e < sum_vector; ++e) values[e] *= beta;
    }
    store_vector<sum_vector, Store::plain>(result + element, values);
  });
}
