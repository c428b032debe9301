// SPDX-License-Identifier: Apache-2.0
// The sum of what all threads have counted.
#pragma once

#include "settings.cuh"

// `total`: the sum, the blocks that have ended and a queue of work; zeros before and after. The last block
// that ends writes `count`. All threads of the block call it.
__device__ __forceinline__ void add_total(Count own, Count* total, Count* count) {
  __shared__ Count sums[threads / 32];
  const int thread = static_cast<int>(threadIdx.x);
  for (int step = 16; step > 0; step /= 2) own += __shfl_xor_sync(0xffffffffu, own, step);
  if (thread % 32 == 0) sums[thread / 32] = own;
  __syncthreads();
  if (thread != 0) return;
  Count sum = 0;
  for (int warp = 0; warp < threads / 32; ++warp) sum += sums[warp];
  if (sum != 0) atomicAdd(total, sum);
  __threadfence();
  if (atomicAdd(total + 1, Count{1}) != gridDim.x - 1) return;
  __threadfence();
  *count = atomicExch(total, Count{0});
  atomicExch(total + 1, Count{0});
  atomicExch(total + 2, Count{0});
}
