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
#include "spread.cuh"
#include "total.cuh"

constexpr Mapping mapping = MAPPING;
constexpr int group = GROUP, edges_thread = EDGES_THREAD, tile = threads * edges_thread;

__device__ __forceinline__ Pair lists_of(const Graph& graph, const int* sources, unsigned edge) {
  return shorter_first(graph.rest_of_row(__ldg(sources + edge), edge), graph.row(graph.target(edge)));
}

extern "C" __global__ void __launch_bounds__(threads, MIN_BLOCKS)
    triangle_search(const unsigned* __restrict__ starts, const int* __restrict__ targets,
                    const int* __restrict__ sources, unsigned edges, int vertices, Count* total,
                    Count* count) {
  // From the last edges on: with new numbers they have the longest rows, which must not come last.
  const Graph graph{starts, targets};
  const int thread = static_cast<int>(threadIdx.x);
  Count found = 0;
  if constexpr (mapping == Mapping::group) {
    const unsigned step = gridDim.x * (threads / group);
    for (unsigned e = (blockIdx.x * threads + threadIdx.x) / group; e < edges; e += step) {
      const Pair pair = lists_of(graph, sources, edges - 1 - e);
      for (int i = thread % group; i < pair.probes.size; i += group)
        if (graph.contains(pair.table, graph.target(pair.probes.from + i))) ++found;
    }
  } else {
    __shared__ SpreadTile<threads, edges_thread> spread;
    const auto tiles = static_cast<unsigned>((edges + tile - 1ULL) / tile);
    for (unsigned next = blockIdx.x; next < tiles; next += gridDim.x) {
      const unsigned first = (tiles - 1 - next) * tile;
      Pair pairs[edges_thread];
#pragma unroll
      for (int i = 0; i < edges_thread; ++i) {
        const unsigned e = first + thread * edges_thread + i;
        pairs[i] = e < edges ? lists_of(graph, sources, e) : Pair{List{0, 0}, List{0, 0}};
      }
      const unsigned all = spread.put(pairs, thread);
      __syncthreads();
      found += spread.look_up(graph, all, thread);
    }
  }
  add_total(found, total, count);
}
