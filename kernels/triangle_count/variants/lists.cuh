// SPDX-License-Identifier: Apache-2.0
// The graph after its preparation: of each edge the target, in the row of its source; rows are sorted.
#pragma once

#include "settings.cuh"

// A part of a row.
struct List {
  unsigned from;  // number of its first edge
  int size;
};

struct Graph {
  const unsigned* starts;  // of the rows; where the last one ends
  const int* targets;

  __device__ __forceinline__ List row(int vertex) const {
    const unsigned begin = __ldg(starts + vertex);
    return List{begin, static_cast<int>(__ldg(starts + vertex + 1) - begin)};
  }
  // What of the row of an edge's source can be in the row of its target.
  __device__ __forceinline__ List rest_of_row(int source, unsigned edge) const {
    const unsigned begin = ordered ? edge + 1 : __ldg(starts + source);
    return List{begin, static_cast<int>(__ldg(starts + source + 1) - begin)};
  }
  __device__ __forceinline__ int target(unsigned edge) const { return __ldg(targets + edge); }
  // Of a list that is not empty.
  __device__ __forceinline__ bool contains(List list, int number) const {
    const int* from = targets + list.from;
    for (int size = list.size; size > 1;) {
      const int half = size / 2;
      if (__ldg(from + half) <= number) from += half;
      size -= half;
    }
    return __ldg(from) == number;
  }
};
