// SPDX-License-Identifier: Apache-2.0
// Counters of a block in shared memory: of 32 bits, or two of 16 bits in a word, in `copies` copies. The
// copies of a counter lie beside each other, so that with 32 of them each lane has a bank of its own.
#pragma once

template<int bits, int copies, int first_bins>
struct Counters {
  static constexpr int per_word = 32 / bits;
  static constexpr int words = (first_bins + per_word - 1) / per_word * copies;

  unsigned* memory;
  unsigned* counts;  // of all blocks, from the first bin of this one

  __device__ __forceinline__ void clear(int thread, int threads) const {
    for (int i = thread; i < words; i += threads) memory[i] = 0;
  }

  // Adds `amount`, at most a warp's samples.
  __device__ __forceinline__ void add(int bin, int copy, unsigned amount) const {
    if constexpr (bits == 32) {
      atomicAdd(memory + bin * copies + copy, amount);
    } else {
      // A counter that reaches a quarter of its range gives this quarter to the counters of all blocks. What
      // other warps have on their way meanwhile fits the rest: 32 samples of each of 32 lanes of 31 warps.
      constexpr unsigned quarter = 0x4000;
      unsigned* const word = memory + (bin >> 1) * copies + copy;
      const int shift = (bin & 1) * 16;
      const unsigned before = atomicAdd(word, amount << shift) >> shift & 0xffffU;
      if (before < quarter && before + amount >= quarter) {
        atomicSub(word, quarter << shift);
        atomicAdd(counts + bin, quarter);
      }
    }
  }

  __device__ __forceinline__ unsigned sum(int bin, int thread) const {
    unsigned all = 0;
#pragma unroll
    for (int i = 0; i < copies; ++i) {
      const int copy = (i + thread) % copies;  // neighbouring bins are in other banks
      if constexpr (bits == 32) {
        all += memory[bin * copies + copy];
      } else {
        all += memory[(bin >> 1) * copies + copy] >> (bin & 1) * 16 & 0xffffU;
      }
    }
    return all;
  }
};
