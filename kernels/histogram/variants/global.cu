// SPDX-License-Identifier: Apache-2.0
// Counts in global memory: a sample is an atomic of the L2 cache. Blocks share `copies` rows of counters.

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
#ifndef COPIES
#define COPIES 1  // rows of counters
#endif
// ---- end of defaults ----

using Sample = SAMPLE;
constexpr int bins = BINS, threads = BLOCK, loads = LOADS;
constexpr Path load_path = PATH;
constexpr int copies = COPIES;
constexpr Merge merge = copies == 1 ? Merge::atomic : Merge::kernel;

#include "merge.cuh"
#include "samples.cuh"

// `counts`: `copies` rows of zeros. Grid: any number of blocks.
extern "C" __global__ void __launch_bounds__(threads, MIN_BLOCKS)
    histogram_global(const Sample* __restrict__ samples, unsigned* counts, int count) {
  unsigned* const own = counts + static_cast<int>(blockIdx.x) % copies * bins;
  each_bin<threads, loads>(
      samples, count, static_cast<int>(blockIdx.x), static_cast<int>(gridDim.x),
      [&](int bin) {
        if (bin >= 0) atomicAdd(own + bin, 1U);
      },
      Nothing{});
}
