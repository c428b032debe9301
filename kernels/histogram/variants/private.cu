// SPDX-License-Identifier: Apache-2.0
// Counts of 8 bits that a thread alone owns, in the bank of its lane: no atomics. Before one of them could
// overflow, a warp adds its counters to sums in registers: each lane has those of eight bins.

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
#ifndef MERGE
#define MERGE Merge::atomic  // how the counters of blocks are added up: atomic or kernel
#endif
// ---- end of defaults ----

using Sample = SAMPLE;
constexpr int bins = BINS, threads = BLOCK, loads = LOADS;
constexpr Path load_path = PATH;
constexpr Merge merge = MERGE;
static_assert(bins <= 256);

#include "merge.cuh"
#include "samples.cuh"

// Rows of four bins: a word for each lane.
constexpr int rows = (bins + 3) / 4, lane_rows = (rows + 31) / 32;
constexpr int warps = threads / 32;

// The counters of a warp.
struct OwnCounters {
  unsigned* words;              // rows of 32
  unsigned sums[lane_rows][4];  // of the bins of row lane + 32 i

  __device__ __forceinline__ void clear(int lane) {
#pragma unroll
    for (int i = 0; i < lane_rows; ++i)
#pragma unroll
      for (int k = 0; k < 4; ++k) sums[i][k] = 0;
    for (int row = 0; row < rows; ++row) words[row * 32 + lane] = 0;
  }

  __device__ __forceinline__ void add(int bin, int lane) const {
    unsigned char* const counter =
        reinterpret_cast<unsigned char*>(words) + ((bin >> 2) * 128 + lane * 4 + (bin & 3));
    *counter = static_cast<unsigned char>(*counter + 1);
  }

  // Moves all counts to the sums.
  __device__ __forceinline__ void flush(int lane) {
    __syncwarp();
#pragma unroll
    for (int i = 0; i < lane_rows; ++i) {
      const int row = lane + 32 * i;
      if (row >= rows) continue;
      unsigned even = 0, odd = 0;  // two sums of 16 bits each
#pragma unroll 8
      for (int k = 0; k < 32; ++k) {
        unsigned* const word = words + row * 32 + (k + lane) % 32;  // each lane another bank
        const unsigned four = *word;
        *word = 0;
        even += four & 0x00ff00ffU;
        odd += four >> 8 & 0x00ff00ffU;
      }
      sums[i][0] += even & 0xffffU;
      sums[i][1] += odd & 0xffffU;
      sums[i][2] += even >> 16;
      sums[i][3] += odd >> 16;
    }
    __syncwarp();
  }
};

extern "C" __global__ void __launch_bounds__(threads, MIN_BLOCKS)
    histogram_private(const Sample* __restrict__ samples, unsigned* parts, int count) {
  extern __shared__ unsigned shared[];
  const int thread = static_cast<int>(threadIdx.x), warp = thread / 32, lane = thread % 32;
  OwnCounters own;
  own.words = shared + warp * rows * 32;
  own.clear(lane);
  __syncwarp();
  int room = 255;  // samples until a counter could overflow
  each_bin<threads, loads>(
      samples, count, static_cast<int>(blockIdx.x), static_cast<int>(gridDim.x),
      [&](int bin) {
        if (bin >= 0) own.add(bin, lane);
      },
      [&] {
        room -= word_samples;
        if (room >= word_samples) return;
        own.flush(lane);
        room = 255;
      });
  own.flush(lane);
  // The sums of the warps.
  __syncthreads();
  for (int i = thread; i < rows * 4; i += threads) shared[i] = 0;
  __syncthreads();
#pragma unroll
  for (int i = 0; i < lane_rows; ++i)
#pragma unroll
    for (int k = 0; k < 4; ++k)
      if (lane + 32 * i < rows && own.sums[i][k] != 0)
        atomicAdd(shared + (lane + 32 * i) * 4 + k, own.sums[i][k]);
  __syncthreads();
  unsigned* const to = parts + (merge == Merge::kernel ? static_cast<long long>(blockIdx.x) * bins : 0);
  for (int bin = thread; bin < bins; bin += threads) merge_count(to, bin, shared[bin]);
}
