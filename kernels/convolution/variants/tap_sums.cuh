// SPDX-License-Identifier: Apache-2.0
// Sums of one pass: `outputs` neighbouring results of a thread, each a vector of `width` pixels. Input
// elements come one after another, and each is added at once to all results that it concerns, so that it is
// loaded once and need not be kept:
//
//   sums[p] += taps[e - p - skip] * element(e),   e = skip .. outputs - 1 + 2 radius + skip
//
// Elements come in groups of `lanes`, a group at a time; `skip` elements of the first one are not needed.
#pragma once

// Where a rolled loop finds its taps; one that is unrolled has them as operands, immediates or addresses in
// constant memory.
enum class Taps { immediate, constant, shared };
constexpr Taps taps_from = TAPS;

// Where a kernel reads its taps in a rolled loop: `count` of them, copied to `shared` where they shall lie
// there; all threads of the block come here.
__device__ __forceinline__ const Real* place_taps(Real* shared, const Real* taps, int count, int thread,
                                                  int threads) {
  if constexpr (taps_from != Taps::shared) return taps;
  for (int i = thread; i < count; i += threads) shared[i] = taps[i];
  __syncthreads();
  return shared;
}

template<int n>
__device__ __forceinline__ void read_taps(Real* to, const Real* taps, int first) {
  if constexpr (taps_from == Taps::shared) {
    load_vector<n, Load::shared>(to, taps + first);
  } else {
#pragma unroll
    for (int i = 0; i < n; ++i) to[i] = taps[first + i];
  }
}

// `Source` loads a group: load(group, Real (&to)[lanes][width]). The arrays of taps have `skip` zeros in
// front.
template<int outputs, int width, int skip>
struct TapSums {
  static constexpr int elements = outputs + 2 * radius + skip;
  static constexpr int groups = (elements + lanes - 1) / lanes;
  // The first group all of whose elements concern all results, and one behind the last.
  static constexpr int full_begin = (outputs - 1 + skip + lanes - 1) / lanes;
  static constexpr int full_end = (2 * radius + skip + 1) / lanes;

  Real of[outputs][width] = {};

  // Groups whose place the compiler knows; elements that concern none or few of the results cost nothing.
  template<int begin, int end, class Source>
  __device__ __forceinline__ void add_exactly(const Source& source, const Real* taps) {
#pragma unroll
    for (int g = begin; g < end; ++g) {
      Real x[lanes][width];
      source.load(g, x);
#pragma unroll
      for (int i = 0; i < lanes; ++i)
#pragma unroll
        for (int p = 0; p < outputs; ++p) {
          const int k = g * lanes + i - p - skip;
          if (k >= 0 && k <= 2 * radius) add(p, taps[k + skip], x[i]);
        }
    }
  }

  // `count` groups from `group` on, all full.
  template<int count>
  __device__ __forceinline__ void add_full(const Real (&x)[count * lanes][width], int group,
                                           const Real* taps) {
    static_assert(outputs % lanes == 0, "taps are read in whole vectors");
    // The taps of element group * lanes + i begin at i: [i + outputs - p] is that of result p.
    Real tap[outputs + count * lanes];
#pragma unroll
    for (int i = 0; i < outputs + count * lanes; i += lanes)
      read_taps<lanes>(tap + i, taps, group * lanes - outputs + i);
#pragma unroll
    for (int i = 0; i < count * lanes; ++i)
#pragma unroll
      for (int p = 0; p < outputs; ++p) add(p, tap[i + outputs - p], x[i]);
  }

  // The same sums by a loop over `turn` groups. ahead: the loads of a turn are issued a turn before.
  template<int turn, bool ahead, class Source>
  __device__ __forceinline__ void add_in_turns(const Source& source, const Real* operands, const Real* taps) {
    constexpr int turns = full_end > full_begin ? (full_end - full_begin) / turn : 0;
    constexpr int last = full_begin + turns * turn;
    if constexpr (turns == 0) {
      add_exactly<0, groups>(source, operands);
    } else {
      add_exactly<0, full_begin>(source, operands);
      Real x[turn * lanes][width];
      if constexpr (ahead) load_turn<turn>(source, full_begin, x);
#pragma unroll 1
      for (int g = full_begin; g < last; g += turn) {
        if constexpr (ahead) {
          Real next[turn * lanes][width];
          load_turn<turn>(source, g + turn, next);
          add_full<turn>(x, g, taps);
#pragma unroll
          for (int i = 0; i < turn * lanes; ++i)
#pragma unroll
            for (int v = 0; v < width; ++v) x[i][v] = next[i][v];
        } else {
          load_turn<turn>(source, g, x);
          add_full<turn>(x, g, taps);
        }
      }
      add_exactly<last, groups>(source, operands);
    }
  }

 private:
  template<int turn, class Source>
  __device__ __forceinline__ void load_turn(const Source& source, int group, Real (&x)[turn * lanes][width]) {
#pragma unroll
    for (int g = 0; g < turn; ++g) {
      Real loaded[lanes][width];
      source.load(group + g, loaded);
#pragma unroll
      for (int i = 0; i < lanes; ++i)
#pragma unroll
        for (int v = 0; v < width; ++v) x[g * lanes + i][v] = loaded[i][v];
    }
  }

  __device__ __forceinline__ void add(int p, Real tap, const Real (&x)[width]) {
#pragma unroll
    for (int v = 0; v < width; ++v) of[p][v] += tap * x[v];
  }
};
