// SPDX-License-Identifier: Apache-2.0
// Samples, the bins that they belong to, and the loop of a block over its samples.
#pragma once

// Words of 16 bytes: samples that a thread loads together.
constexpr int word_samples = 16 / static_cast<int>(sizeof(Sample));
union SampleWord {
  uint4 word;
  Sample sample[word_samples];
};

constexpr bool is_float = static_cast<Sample>(0.5f) > static_cast<Sample>(0);

// The bin of a sample. Whole numbers: the range of the type is cut into equal parts. Floats: [0, 1) is;
// others have none (-1).
__device__ __forceinline__ int bin_of(Sample sample) {
  if constexpr (is_float) {
    const bool inside = sample >= static_cast<Sample>(0) && sample < static_cast<Sample>(1);
    const int bin = inside ? static_cast<int>(sample * static_cast<Sample>(bins)) : -1;
    return bin < bins ? bin : bins - 1;  // the product may be rounded up
  } else if constexpr (sizeof(Sample) == 4) {
    return static_cast<int>(__umulhi(static_cast<unsigned>(sample), static_cast<unsigned>(bins)));
  } else {
    constexpr int bits = 8 * static_cast<int>(sizeof(Sample));
    return static_cast<int>(static_cast<unsigned>(sample) * static_cast<unsigned>(bins) >> bits);
  }
}

__device__ __forceinline__ uint4 load_word(const uint4* from) {
  return load_path == Path::streaming ? __ldcs(from) : __ldg(from);
}

// Calls add(bin) for the samples of group `group` of `groups` equal ones: tiles of `threads` * `loads` words,
// dealt out in turns. All lanes of a warp call it together; -1: a lane has no sample, or one without a bin.
// between(): called by all threads after each load of words.
template<int threads, int loads, class Add, class Between>
__device__ __forceinline__ void each_bin(const Sample* samples, int count, int group, int groups, Add add,
                                         Between between) {
  const uint4* const words = reinterpret_cast<const uint4*>(samples);
  const int whole = count / word_samples, thread = static_cast<int>(threadIdx.x);
  constexpr int tile = threads * loads;
  long long first = static_cast<long long>(group) * tile;
  const long long step = static_cast<long long>(groups) * tile;
  for (; first + tile <= whole; first += step) {
    SampleWord loaded[loads];
#pragma unroll
    for (int i = 0; i < loads; ++i) loaded[i].word = load_word(words + first + i * threads + thread);
#pragma unroll
    for (int i = 0; i < loads; ++i) {
#pragma unroll
      for (int k = 0; k < word_samples; ++k) add(bin_of(loaded[i].sample[k]));
      between();
    }
  }
  // The last tile: sample by sample.
  if (first > whole) return;
  for (long long at = first * word_samples; at < count; at += threads * word_samples) {
#pragma unroll 1
    for (int k = 0; k < word_samples; ++k) {
      const long long own = at + k * threads + thread;
      add(own < count ? bin_of(samples[own]) : -1);
    }
    between();
  }
}

struct Nothing {
  __device__ __forceinline__ void operator()() const {}
};
