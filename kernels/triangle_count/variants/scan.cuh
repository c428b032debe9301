// SPDX-License-Identifier: Apache-2.0
// Sums of a block.
#pragma once

// Returns the sum of `own` over the threads before; `all`: over all `width` threads of the block, which call
// it together. `sums`: a word of shared memory for each warp. The caller has a barrier before the next call.
template<int width>
__device__ __forceinline__ unsigned sum_before(unsigned own, unsigned* sums, int thread, unsigned& all) {
  constexpr int warps = width / 32;
  const int lane = thread % 32;
  unsigned up = own;
#pragma unroll
  for (int step = 1; step < 32; step *= 2) {
    const unsigned other = __shfl_up_sync(0xffffffffu, up, step);
    if (lane >= step) up += other;
  }
  if (lane == 31) sums[thread / 32] = up;
  __syncthreads();
  unsigned before = 0;
  all = 0;
#pragma unroll
  for (int warp = 0; warp < warps; ++warp) {
    if (warp == thread / 32) before = all;
    all += sums[warp];
  }
  return before + up - own;
}
