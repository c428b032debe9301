// SPDX-License-Identifier: Apache-2.0
// Counts in shared memory, by atomics. Blocks that have the same samples share the bins: each counts those of
// its slice. With 32 copies each lane of a warp has a bank of its own, and no two lanes ever wait for each
// other.

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
#ifndef COUNTER
#define COUNTER 32  // bits of a counter in shared memory: 16 or 32
#endif
#ifndef COPIES
#define COPIES 1  // copies of the counters: lanes of a warp take them in turns
#endif
#ifndef SLICES
#define SLICES 1  // blocks that share the bins
#endif
#ifndef MERGE
#define MERGE Merge::atomic  // how the counters of blocks are added up: atomic or kernel
#endif
// ---- end of defaults ----

using Sample = SAMPLE;
constexpr int bins = BINS, threads = BLOCK, loads = LOADS;
constexpr Path load_path = PATH;
constexpr Merge merge = MERGE;
constexpr int copies = COPIES, slices = SLICES;
constexpr int slice_bins = (bins + slices - 1) / slices;

#include "counters.cuh"
#include "merge.cuh"
#include "samples.cuh"

// `parts`: the counters of all (atomic), or a row of bins for each group of blocks (kernel). `counts`: zeros.
extern "C" __global__ void __launch_bounds__(threads, MIN_BLOCKS)
    histogram_shared(const Sample* __restrict__ samples, unsigned* parts, unsigned* counts, int count) {
  extern __shared__ unsigned shared[];
  const int block = static_cast<int>(blockIdx.x), thread = static_cast<int>(threadIdx.x);
  const int slice = block % slices, group = block / slices, first = slice * slice_bins;
  const Counters<COUNTER, copies, slice_bins> counters{shared, counts + first};
  counters.clear(thread, threads);
  __syncthreads();
  const int copy = thread % copies;
  each_bin<threads, loads>(
      samples, count, group, static_cast<int>(gridDim.x) / slices,
      [&](int bin) {
        if constexpr (slices == 1) {
          if (bin >= 0) counters.add(bin, copy, 1);
        } else {
          const int own = bin - first;  // negative too for -1: the first slice begins at 0
          if (own >= 0 && own < slice_bins) counters.add(own, copy, 1);
        }
      },
      Nothing{});
  __syncthreads();
  unsigned* const to = parts + (merge == Merge::kernel ? static_cast<long long>(group) * bins : 0);
  for (int bin = thread; bin < slice_bins && first + bin < bins; bin += threads)
    merge_count(to, first + bin, counters.sum(bin, thread));
}
