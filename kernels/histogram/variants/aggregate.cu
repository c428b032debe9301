// SPDX-License-Identifier: Apache-2.0
// Equal samples are counted by one atomic: those of a warp, or neighbours that a thread has. For data in
// which few bins have most of the samples. Counters lie in shared memory.

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
#ifndef EQUAL
#define EQUAL Equal::warp  // equal samples that are counted together: of a warp, or a run of a thread
#endif
#ifndef MERGE
#define MERGE Merge::atomic  // how the counters of blocks are added up: atomic or kernel
#endif
// ---- end of defaults ----

using Sample = SAMPLE;
constexpr int bins = BINS, threads = BLOCK, loads = LOADS;
constexpr Path load_path = PATH;
constexpr Merge merge = MERGE;
constexpr Equal equal = EQUAL;

#include "counters.cuh"
#include "merge.cuh"
#include "samples.cuh"

extern "C" __global__ void __launch_bounds__(threads, MIN_BLOCKS)
    histogram_aggregate(const Sample* __restrict__ samples, unsigned* parts, unsigned* counts, int count) {
  extern __shared__ unsigned shared[];
  const int thread = static_cast<int>(threadIdx.x), block = static_cast<int>(blockIdx.x);
  const Counters<COUNTER, 1, bins> counters{shared, counts};
  counters.clear(thread, threads);
  __syncthreads();
  int last = -1;
  unsigned run = 0;  // samples of bin `last` that are not counted yet
  each_bin<threads, loads>(
      samples, count, block, static_cast<int>(gridDim.x),
      [&](int bin) {
        if constexpr (equal == Equal::warp) {
          const unsigned same = __match_any_sync(0xffffffffU, bin);
          if (bin >= 0 && (same & ((1U << thread % 32) - 1)) == 0)
            counters.add(bin, 0, static_cast<unsigned>(__popc(same)));
        } else {
          if (bin == last) {
            ++run;
          } else {
            if (run != 0 && last >= 0) counters.add(last, 0, run);
            last = bin;
            run = 1;
          }
        }
      },
      [&] {
        // A counter of 16 bits takes at most 32 at once.
        if constexpr (equal == Equal::run) {
          if (run != 0 && last >= 0) counters.add(last, 0, run);
          run = 0;
        }
      });
  __syncthreads();
  unsigned* const to = parts + (merge == Merge::kernel ? static_cast<long long>(block) * bins : 0);
  for (int bin = thread; bin < bins; bin += threads) merge_count(to, bin, counters.sum(bin, thread));
}
