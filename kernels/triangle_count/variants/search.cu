// SPDX-License-Identifier: Apache-2.0
// The elements of the shorter of two rows are looked up in the longer one by binary search.

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
#ifndef MAPPING
#define MAPPING Mapping::wedge  // who looks elements up: a group of lanes those of an edge, or all threads
#endif
#ifndef GROUP
#define GROUP 1  // group: lanes that have an edge
#endif
#ifndef EDGES_THREAD
#define EDGES_THREAD 2  // wedge: edges of a block for each of its threads
#endif
// ---- end of defaults ----

#define SOURCES 1

#include "lists.cuh"
#include "prepare.cuh"
#include "scan.cuh"
#include "total.cuh"

constexpr Mapping mapping = MAPPING;
constexpr int group = GROUP, edges_thread = EDGES_THREAD, tile = threads * edges_thread;

struct Pair {
  List probes, table;
};

__device__ __forceinline__ Pair lists_of(const Graph& graph, const int* sources, unsigned edge) {
  const List a = graph.rest_of_row(__ldg(sources + edge), edge), b = graph.row(graph.target(edge));
  return a.size <= b.size ? Pair{a, b} : Pair{b, a};
}

extern "C" __global__ void __launch_bounds__(threads, MIN_BLOCKS)
    triangle_search(const unsigned* __restrict__ starts, const int* __restrict__ targets,
                    const int* __restrict__ sources, unsigned edges, int vertices, Count* total,
                    Count* count) {
  const Graph graph{starts, targets};
  const int thread = static_cast<int>(threadIdx.x);
  Count found = 0;
  if constexpr (mapping == Mapping::group) {
    const unsigned step = gridDim.x * (threads / group);
    for (unsigned e = (blockIdx.x * threads + threadIdx.x) / group; e < edges; e += step) {
      const Pair pair = lists_of(graph, sources, e);
      for (int i = thread % group; i < pair.probes.size; i += group)
        if (graph.contains(pair.table, graph.target(pair.probes.from + i))) ++found;
    }
  } else {
    // Of the edges of a tile: where their elements begin in the sequence of all, and their lists.
    __shared__ unsigned begins[tile], probes[tile];
    __shared__ List tables[tile];
    __shared__ unsigned sums[threads / 32];
    for (unsigned first = blockIdx.x * tile; first < edges; first += gridDim.x * tile) {
      Pair pairs[edges_thread];
      unsigned own = 0, all;
#pragma unroll
      for (int i = 0; i < edges_thread; ++i) {
        const unsigned e = first + thread * edges_thread + i;
        pairs[i] = e < edges ? lists_of(graph, sources, e) : Pair{List{0, 0}, List{0, 0}};
        own += static_cast<unsigned>(pairs[i].probes.size);
      }
      // Its barrier is also that behind the tile before.
      unsigned before = sum_before<threads>(own, sums, thread, all);
#pragma unroll
      for (int i = 0; i < edges_thread; ++i) {
        const int at = thread * edges_thread + i;
        begins[at] = before;
        probes[at] = pairs[i].probes.from;
        tables[at] = pairs[i].table;
        before += static_cast<unsigned>(pairs[i].probes.size);
      }
      __syncthreads();
      int edge = 0;
      for (unsigned i = static_cast<unsigned>(thread); i < all; i += threads) {
        // The last edge whose elements begin at or before this one.
        for (int size = tile - edge; size > 1;) {
          const int half = size / 2;
          if (begins[edge + half] <= i) edge += half;
          size -= half;
        }
        if (graph.contains(tables[edge], graph.target(probes[edge] + (i - begins[edge])))) ++found;
      }
    }
  }
  add_total(found, total, count);
}
