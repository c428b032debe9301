// SPDX-License-Identifier: Apache-2.0
// Row by row of U'U .* U, U being the matrix of the oriented edges: the row of a vertex v becomes a table in
// shared memory; of each row that has v, what is behind v is looked up in it. All edges, sorted by target,
// are cut into tiles; in a tile, vertices with many edges belong to the block, others to a few lanes.

#include "words.cuh"

// ---- defaults ----
#ifndef ORIENTATION
#define ORIENTATION Orientation::renumber  // where edges lead: id or renumber
#endif
#ifndef BLOCK
#define BLOCK 256  // threads of a block
#endif
#ifndef MIN_BLOCKS
#define MIN_BLOCKS 1  // blocks that shall fit on a multiprocessor; limits the registers accordingly
#endif
#ifndef MARKS
#define MARKS Marks::bits  // the table of a block: hash, a bit or a byte for each vertex behind v
#endif
#ifndef LANES
#define LANES 32  // lanes that have a vertex with few edges
#endif
#ifndef GROUP
#define GROUP 8  // lanes that share a row
#endif
#ifndef SLOTS
#define SLOTS 2048  // slots of hash tables of a block: short rows have equal parts, a long row all
#endif
#ifndef LONG_ROW
#define LONG_ROW 64  // edges of a tile from which a vertex belongs to the block
#endif
#ifndef SPREAD
#define SPREAD 2  // slots for each element of a hash table, at least
#endif
#ifndef WINDOW
#define WINDOW 65536  // vertices that a table of bits or bytes covers; before them the block hashes
#endif
#ifndef TILE
#define TILE 1024  // edges of a tile
#endif
#ifndef TURNS
#define TURNS Turns::queue  // which tiles come next: in turns (fixed), or as blocks ask for them (queue)
#endif
#ifndef UNROLL
#define UNROLL 2  // elements that a lane looks up together
#endif
// ---- end of defaults ----

#define SOURCES 0

#include "lists.cuh"
#include "marks.cuh"
#include "prepare.cuh"
#include "total.cuh"

constexpr Marks marks = MARKS;
constexpr Turns turns = TURNS;
constexpr int lanes = LANES, group = GROUP, long_row = LONG_ROW, unroll = UNROLL;
constexpr unsigned tile = TILE;
constexpr int all_slots = SLOTS, slots = all_slots / (threads / lanes);
static_assert(slots >= 32);
static_assert(group <= lanes && ordered);

// What of rows is behind a vertex: edges from `x` to before `y`.
using Rests = const uint2*;

// Looks up rests in a table, by `width` threads.
template<int width>
struct LookUp {
  const Graph& graph;
  Rests rests;
  int size, thread;

  template<class Table>
  __device__ __forceinline__ unsigned operator()(const Table& table) const {
    unsigned found = 0;
    for (int i = thread / group; i < size; i += width / group) {
      const uint2 rest = __ldg(rests + i);
#pragma unroll unroll
      for (unsigned e = rest.x + thread % group; e < rest.y; e += group)
        if (table.has(graph.target(e))) ++found;
    }
    return found;
  }
};

extern "C" __global__ void __launch_bounds__(threads, MIN_BLOCKS)
    triangle_row(const unsigned* __restrict__ starts, const int* __restrict__ targets,
                 const unsigned* __restrict__ rest_starts, const uint2* __restrict__ rests, int vertices,
                 unsigned edges, Count* total, Count* count) {
  extern __shared__ int memory[];
  __shared__ int long_rows[tile / long_row + 2];
  __shared__ int ends[2];
  __shared__ int longs, taken;
  const Graph graph{starts, targets};
  const int thread = static_cast<int>(threadIdx.x);
  const unsigned lane_mask =
      lanes == 32 ? 0xffffffffu : ((1u << lanes % 32) - 1u) << thread % 32 / lanes * lanes;
  int* const own = memory + thread / lanes * slots;
  int* const marked = memory + (marks == Marks::hash ? 0 : all_slots);
  using Table = WindowTable<marks, WINDOW>;
  if constexpr (marks != Marks::hash)
    for (int i = thread; i < 2 * Table::words; i += threads) marked[i] = 0;
  Count found = 0;
  const auto tiles = static_cast<unsigned>((edges + tile - 1ULL) / tile);
  for (unsigned next = blockIdx.x;; next += gridDim.x) {
    if (thread == 0) {
      longs = 0;
      if constexpr (turns == Turns::queue) taken = static_cast<int>(atomicAdd(total + 2, Count{1}));
    }
    __syncthreads();
    const unsigned at = turns == Turns::queue ? taken : next;
    if (at >= tiles) break;
    // From the last vertices on: they have the most edges.
    const unsigned begin = (tiles - 1 - at) * tile, end = min(begin + tile, edges);
    if (thread < 2) ends[thread] = first_behind(rest_starts, 0, vertices, thread == 0 ? begin : end - 1) - 1;
    __syncthreads();
    const int last = ends[1];
    bool deferred = false;
    for (int v = ends[0] + thread / lanes; v <= last; v += threads / lanes) {
      const List row = graph.row(v);
      const unsigned from = max(begin, __ldg(rest_starts + v)), to = min(end, __ldg(rest_starts + v + 1));
      if (row.size == 0 || from >= to) continue;
      if (to - from >= long_row) {
        if (thread % lanes == 0) long_rows[atomicAdd(&longs, 1)] = v;
        deferred = true;
        continue;
      }
      found += with_hash<lanes, slots>(
          graph, row, thread % lanes, own, [=] { __syncwarp(lane_mask); },
          LookUp<lanes>{graph, rests + from, static_cast<int>(to - from), thread % lanes});
    }
    if (__syncthreads_or(deferred ? 1 : 0) == 0) continue;
    for (int i = 0; i < longs; ++i) {
      const int v = long_rows[i];
      const List row = graph.row(v);
      const unsigned from = max(begin, __ldg(rest_starts + v)), to = min(end, __ldg(rest_starts + v + 1));
      const LookUp<threads> look{graph, rests + from, static_cast<int>(to - from), thread};
      if (marks == Marks::hash || vertices - 1 - v > WINDOW) {
        found += with_hash<threads, all_slots>(
            graph, row, thread, memory, [] { __syncthreads(); }, look);
      } else {
        // The other table than that of the vertex before, which may not be clean yet.
        const Table table{marked + i % 2 * Table::words, v + 1};
        for (int j = thread; j < row.size; j += threads) table.add(graph.target(row.from + j));
        __syncthreads();
        found += look(table);
        __syncthreads();
        for (int j = thread; j < row.size; j += threads) table.remove(graph.target(row.from + j));
      }
    }
    __syncthreads();
  }
  add_total(found, total, count);
}
