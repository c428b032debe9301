// SPDX-License-Identifier: Apache-2.0
// The kernels before and after those that leave sums of blocks.
#pragma once

#include "sums.cuh"

// out[i] = sum of sums[k * pitch + i] over k < count. Grid: a block for each 32 elements.
extern "C" __global__ void __launch_bounds__(32 * REDUCE_PARTS)
    matvec_reduce(const Real* sums, Real* out, int count, long long pitch, int n) {
  reduce<REDUCE_PARTS>(sums, out, count, pitch, n, static_cast<int>(threadIdx.x),
                       static_cast<int>(blockIdx.x), static_cast<int>(gridDim.x));
}

// What atomics add to.
extern "C" __global__ void __launch_bounds__(256) matvec_clear(Real* out, int n) {
  const long long i = blockIdx.x * 256LL + threadIdx.x;
  if (i < n) out[i] = 0;
}
