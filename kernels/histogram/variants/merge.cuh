// SPDX-License-Identifier: Apache-2.0
// The counters of blocks are added up.
#pragma once

// Stores the count that a block found for a bin. `to`: the counters of all blocks (atomic), or the block's
// row.
__device__ __forceinline__ void merge_count(unsigned* to, int bin, unsigned count) {
  if constexpr (merge == Merge::kernel) {
    to[bin] = count;
  } else {
    if (count != 0) atomicAdd(to + bin, count);
  }
}

// Adds the sums of `rows` rows of bins counters to `counts`: a thread a bin.
extern "C" __global__ void __launch_bounds__(256)
    histogram_sum(const unsigned* __restrict__ parts, unsigned* counts, int rows) {
  const int bin = static_cast<int>(blockIdx.x * 256 + threadIdx.x);
  if (bin >= bins) return;
  unsigned sum = 0;
  for (int row = 0; row < rows; ++row) sum += parts[static_cast<long long>(row) * bins + bin];
  counts[bin] += sum;
}
