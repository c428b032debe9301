// SPDX-License-Identifier: Apache-2.0
// Counts in the shared memory of a cluster: the bins are dealt out to its blocks, and each block counts its
// samples where their bins lie.

#include <cooperative_groups.h>

#include "words.cuh"

// ---- defaults ----
#ifndef SAMPLE
#define SAMPLE unsigned char  // type of a sample: unsigned char, unsigned short, unsigned or float
#endif
#ifndef BINS
#define BINS 256  // bins
#endif
#ifndef BLOCK
#define BLOCK 256  // threads of a block
#endif
#ifndef LOADS
#define LOADS 2  // words of 16 bytes that a thread loads together
#endif
#ifndef PATH
#define PATH Path::readonly  // path of the loads: readonly or streaming
#endif
#ifndef MIN_BLOCKS
#define MIN_BLOCKS 1  // blocks that shall fit on a multiprocessor; limits the registers accordingly
#endif
#ifndef CLUSTER
#define CLUSTER 2  // blocks of a cluster
#endif
#ifndef MERGE
#define MERGE Merge::atomic  // how the counters of blocks are added up: atomic or kernel
#endif
// ---- end of defaults ----

using Sample = SAMPLE;
constexpr int bins = BINS, threads = BLOCK, loads = LOADS;
constexpr Path load_path = PATH;
constexpr Merge merge = MERGE;
constexpr int cluster_blocks = CLUSTER;
constexpr int block_bins = (bins + cluster_blocks - 1) / cluster_blocks;

#include "merge.cuh"
#include "samples.cuh"

extern "C" __global__ void __cluster_dims__(CLUSTER, 1, 1) __launch_bounds__(threads, MIN_BLOCKS)
    histogram_cluster(const Sample* __restrict__ samples, unsigned* parts, int count) {
  extern __shared__ unsigned shared[];
  const auto cluster = cooperative_groups::this_cluster();
  const int thread = static_cast<int>(threadIdx.x), block = static_cast<int>(blockIdx.x);
  for (int bin = thread; bin < block_bins; bin += threads) shared[bin] = 0;
  cluster.sync();
  each_bin<threads, loads>(
      samples, count, block, static_cast<int>(gridDim.x),
      [&](int bin) {
        if (bin >= 0) atomicAdd(cluster.map_shared_rank(shared, bin / block_bins) + bin % block_bins, 1U);
      },
      Nothing{});
  cluster.sync();
  const int first = static_cast<int>(cluster.block_rank()) * block_bins;
  unsigned* const to =
      parts + (merge == Merge::kernel ? static_cast<long long>(block / cluster_blocks) * bins : 0);
  for (int bin = thread; bin < block_bins && first + bin < bins; bin += threads)
    merge_count(to, first + bin, shared[bin]);
}
