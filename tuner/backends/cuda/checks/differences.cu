// SPDX-License-Identifier: Apache-2.0
// Tells whether memory is still what it was: beside a copy of it, or by sums where there is no room for one.
// Kernels of the program itself, like guards.cu.
#include "tuner/backends/cuda/checks/types.cuh"

namespace tune::checks {

/// Lowers *first to the place of the first 8 bytes that differ, counted in bytes (a multiple of 8), or leaves
/// it. Both begin at a multiple of 8 bytes. Equal means equal bits: a NaN is equal to itself.
__global__ void find_difference(const unsigned char* a, const unsigned char* b, Count bytes, Count* first) {
  const auto* const a_words = reinterpret_cast<const Count*>(a);
  const auto* const b_words = reinterpret_cast<const Count*>(b);
  const Count words = bytes / 8;
  const Count me = Count{blockIdx.x} * block_threads + threadIdx.x;
  Count mine = ~Count{0};
#pragma unroll 4
  for (Count i = me; i < words; i += Count{gridDim.x} * block_threads)
    if (a_words[i] != b_words[i] && mine == ~Count{0}) mine = 8 * i;
  if (me == 0)
    for (Count i = 8 * words; i < bytes; ++i)
      if (a[i] != b[i] && mine == ~Count{0}) mine = 8 * words;
  if (mine != ~Count{0}) atomicMin(first, mine);
}

/// Spreads every bit over the word (Stafford's variant 13 of the finalizer of MurmurHash3).
__device__ inline Count mix(Count word) {
  word = (word ^ (word >> 30)) * 0xbf58476d1ce4e5b9ull;
  word = (word ^ (word >> 27)) * 0x94d049bb133111ebull;
  return word ^ (word >> 31);
}

/// One block a tile of `tile_bytes`: a sum over its words, each mixed with its place, so that exchanging two
/// of them shows. Integers, so that the order does not matter. `data` begins at a multiple of 8 bytes.
__global__ void sum_tiles(const unsigned char* data, Count bytes, Count* sums) {
  constexpr Count golden = 0x9e3779b97f4a7c15ull;
  const Count begin = blockIdx.x * tile_bytes;
  const Count end = begin + tile_bytes < bytes ? begin + tile_bytes : bytes;
  const auto* const words = reinterpret_cast<const Count*>(data);
  Count sum = 0;
#pragma unroll 4
  for (Count i = begin / 8 + threadIdx.x; i < end / 8; i += block_threads)
    sum += mix(words[i] + (i + 1) * golden);
  if (threadIdx.x == 0)
    for (Count i = end - end % 8; i < end; ++i) sum += mix(data[i] + (i + 1) * golden);

  __shared__ Count sum_of[block_threads];
  const unsigned me = threadIdx.x;
  sum_of[me] = sum;
  __syncthreads();
  for (unsigned half = block_threads / 2; half > 0; half /= 2) {
    if (me < half) sum_of[me] += sum_of[me + half];
    __syncthreads();
  }
  if (me == 0) sums[blockIdx.x] = sum_of[0];
}

}  // namespace tune::checks
