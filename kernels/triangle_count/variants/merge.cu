// SPDX-License-Identifier: Apache-2.0
// A thread walks along two rows together.

#include "words.cuh"

// ---- defaults ----
#ifndef ORIENTATION
#define ORIENTATION Orientation::renumber  // where edges lead: id, degree or renumber
#endif
#ifndef BLOCK
#define BLOCK 256  // threads of a block
#endif
#ifndef MIN_BLOCKS
#define MIN_BLOCKS 1  // blocks that shall fit on a multiprocessor; limits the registers accordingly
#endif
#ifndef SHARE
#define SHARE Share::edge  // what a thread takes: an edge after the other, or all edges of a vertex
#endif
// ---- end of defaults ----

#define SOURCES 1

#include "lists.cuh"
#include "prepare.cuh"
#include "total.cuh"

constexpr Share share = SHARE;

__device__ __forceinline__ unsigned common(const Graph& graph, List a, List b) {
  if (a.size == 0 || b.size == 0) return 0;
  const unsigned a_end = a.from + a.size, b_end = b.from + b.size;
  unsigned found = 0;
  int x = graph.target(a.from), y = graph.target(b.from);
  for (;;) {
    const bool next_a = x <= y, next_b = y <= x;
    if (next_a && next_b) ++found;
    if (next_a) {
      if (++a.from == a_end) return found;
      x = graph.target(a.from);
    }
    if (next_b) {
      if (++b.from == b_end) return found;
      y = graph.target(b.from);
    }
  }
}

extern "C" __global__ void __launch_bounds__(threads, MIN_BLOCKS)
    triangle_merge(const unsigned* __restrict__ starts, const int* __restrict__ targets,
                   const int* __restrict__ sources, unsigned edges, int vertices, Count* total,
                   Count* count) {
  const Graph graph{starts, targets};
  Count found = 0;
  const unsigned first = blockIdx.x * threads + threadIdx.x, step = gridDim.x * threads;
  // From the last ones on: with new numbers they have the longest rows, which must not come last.
  if constexpr (share == Share::edge) {
    for (unsigned i = first; i < edges; i += step) {
      const unsigned e = edges - 1 - i;
      found += common(graph, graph.rest_of_row(__ldg(sources + e), e), graph.row(graph.target(e)));
    }
  } else {
    for (unsigned i = first; i < static_cast<unsigned>(vertices); i += step) {
      const int u = vertices - 1 - static_cast<int>(i);
      const unsigned end = __ldg(starts + u + 1);
      for (unsigned e = __ldg(starts + u); e < end; ++e)
        found += common(graph, graph.rest_of_row(u, e), graph.row(graph.target(e)));
    }
  }
  add_total(found, total, count);
}
