// SPDX-License-Identifier: Apache-2.0
// For more bins than shared memory has counters: the bins are cut into `parts`. The first launch sorts each
// tile of samples by part and stores the place of each in its part as 16 bits; in the second one a block
// counts the samples of one part in a run of tiles, in shared memory.

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
#ifndef PARTS
#define PARTS 2  // parts of the bins
#endif
#ifndef RUNS
#define RUNS 8  // runs of tiles: blocks that count samples of the same part
#endif
#ifndef BLOCK_COUNT
#define BLOCK_COUNT 1024  // threads of a block that counts
#endif
// ---- end of defaults ----

using Sample = SAMPLE;
constexpr int bins = BINS, threads = BLOCK, loads = LOADS;
constexpr Path load_path = PATH;
constexpr int parts = PARTS, part_bins = (bins + parts - 1) / parts;
constexpr int count_threads = BLOCK_COUNT;
static_assert(part_bins <= 65536 && parts < threads);

#include "counters.cuh"
#include "samples.cuh"

constexpr int tile = threads * loads * word_samples;

// Grid: a block a tile. `places`: a tile of the sorted samples. `ends`: a row of `parts` for each tile, where
// the parts end in it.
extern "C" __global__ void __launch_bounds__(threads, MIN_BLOCKS)
    histogram_sort(const Sample* __restrict__ samples, unsigned short* places, int* ends, int count) {
  extern __shared__ __align__(16) unsigned char memory[];
  unsigned short* const sorted = reinterpret_cast<unsigned short*>(memory);
  int* const counts = reinterpret_cast<int*>(memory + 2 * tile);  // of parts, then their ends
  const int thread = static_cast<int>(threadIdx.x), block = static_cast<int>(blockIdx.x);
  if (thread < parts) counts[thread] = 0;
  __syncthreads();
  const long long first = static_cast<long long>(block) * tile;
  int bin[loads * word_samples], rank[loads * word_samples];
  const bool whole = first + tile <= count;
#pragma unroll
  for (int i = 0; i < loads; ++i) {
    SampleWord loaded;
    const long long at = first + static_cast<long long>(i * threads + thread) * word_samples;
    if (whole) loaded.word = load_word(reinterpret_cast<const uint4*>(samples + at));
#pragma unroll
    for (int k = 0; k < word_samples; ++k)
      bin[i * word_samples + k] = whole            ? bin_of(loaded.sample[k])
                                  : at + k < count ? bin_of(samples[at + k])
                                                   : -1;
  }
#pragma unroll
  for (int i = 0; i < loads * word_samples; ++i)
    rank[i] = bin[i] < 0 ? 0 : atomicAdd(counts + bin[i] / part_bins, 1);
  __syncthreads();
  // The first warp adds the counts up.
  if (thread < 32) {
    int before = 0;
    for (int from = 0; from < parts; from += 32) {
      const int part = from + thread;
      int sum = part < parts ? counts[part] : 0;
#pragma unroll
      for (int step = 1; step < 32; step *= 2) {
        const int other = __shfl_up_sync(0xffffffffU, sum, step);
        if (thread >= step) sum += other;
      }
      sum += before;
      before = __shfl_sync(0xffffffffU, sum, 31);
      if (part < parts) {
        counts[part] = sum;
        ends[static_cast<long long>(block) * parts + part] = sum;
      }
    }
  }
  __syncthreads();
#pragma unroll
  for (int i = 0; i < loads * word_samples; ++i) {
    if (bin[i] < 0) continue;
    const int part = bin[i] / part_bins;
    sorted[(part == 0 ? 0 : counts[part - 1]) + rank[i]] =
        static_cast<unsigned short>(bin[i] - part * part_bins);
  }
  // The places are stored in words of 16 bytes: zeros fill the last one.
  if (thread < 8 && counts[parts - 1] + thread < tile) sorted[counts[parts - 1] + thread] = 0;
  __syncthreads();
  const int words = (counts[parts - 1] + 7) / 8;
  const uint4* const from = reinterpret_cast<const uint4*>(memory);
  uint4* const to = reinterpret_cast<uint4*>(places + first);
  for (int i = thread; i < words; i += threads) to[i] = from[i];
}

// Grid: RUNS blocks for each part. `counts`: zeros.
extern "C" __global__ void __launch_bounds__(count_threads, 1)
    histogram_count(const unsigned short* __restrict__ places, const int* __restrict__ ends, unsigned* counts,
                    int tiles) {
  extern __shared__ unsigned shared[];
  const int thread = static_cast<int>(threadIdx.x), warp = thread / 32, lane = thread % 32;
  const int part = static_cast<int>(blockIdx.x) / RUNS, run = static_cast<int>(blockIdx.x) % RUNS;
  const Counters<16, 1, part_bins> counters{shared, counts + part * part_bins};
  counters.clear(thread, count_threads);
  __syncthreads();
  // A warp has the part of a tile.
  for (int at = run * (count_threads / 32) + warp; at < tiles; at += RUNS * (count_threads / 32)) {
    const int* const end = ends + static_cast<long long>(at) * parts + part;
    const int begin = part == 0 ? 0 : end[-1], stop = *end;
    const unsigned short* const own = places + static_cast<long long>(at) * tile;
    // Two places a lane and turn, aligned; the first and the last may be alone.
    for (int i = (begin & ~1) + 2 * lane; i < stop; i += 64) {
      const unsigned two = *reinterpret_cast<const unsigned*>(own + i);
      if (i >= begin) counters.add(static_cast<int>(two & 0xffffU), 0, 1);
      if (i + 1 < stop) counters.add(static_cast<int>(two >> 16), 0, 1);
    }
  }
  __syncthreads();
  for (int bin = thread; bin < part_bins && part * part_bins + bin < bins; bin += count_threads) {
    const unsigned count = counters.sum(bin, 0);
    if (count != 0) atomicAdd(counts + part * part_bins + bin, count);
  }
}
