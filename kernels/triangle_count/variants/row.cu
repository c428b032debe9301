// SPDX-License-Identifier: Apache-2.0
// Row by row of U'U .* U, U being the matrix of the oriented edges: of each row that has a vertex v, what is
// behind v is looked up in the row of v. All edges, sorted by target, are cut into tiles. Where a tile has
// many edges to v, the row of v becomes a table in shared memory; the others are taken as in search.cu.

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
#ifndef GROUP
#define GROUP 8  // lanes that share what is behind v in a row
#endif
#ifndef SLOTS
#define SLOTS 2048  // slots of the hash table of a block
#endif
#ifndef LONG_ROW
#define LONG_ROW 64  // edges of a tile to a vertex from which it has a table
#endif
#ifndef SPREAD
#define SPREAD 2  // slots for each element of a hash table, at least
#endif
#ifndef WINDOW
#define WINDOW 65536  // vertices that a table of bits or bytes covers; before them the block hashes
#endif
#ifndef EDGES_THREAD
#define EDGES_THREAD 4  // edges of a tile for each thread
#endif
#ifndef TURNS
#define TURNS Turns::queue  // which tiles come next: fixed ones, or the next that no block has (queue)
#endif
#ifndef UNROLL
#define UNROLL 2  // elements that a lane looks up together
#endif
// ---- end of defaults ----

#define SOURCES 0

#include "lists.cuh"
#include "marks.cuh"
#include "prepare.cuh"
#include "spread.cuh"
#include "total.cuh"

constexpr Marks marks = MARKS;
constexpr Turns turns = TURNS;
constexpr int group = GROUP, long_row = LONG_ROW, unroll = UNROLL, edges_thread = EDGES_THREAD;
constexpr unsigned tile = threads * edges_thread;
static_assert(ordered);

// What of rows is behind a vertex: edges from `x` to before `y`.
using Rests = const uint2*;

// Looks up rests in a table, by all threads.
struct LookUp {
  const Graph& graph;
  Rests rests;
  int size, thread;

  template<class Table>
  __device__ __forceinline__ unsigned operator()(const Table& table) const {
    unsigned found = 0;
    for (int i = thread / group; i < size; i += threads / group) {
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
  __shared__ int long_rows[tile / long_row + 1];
  __shared__ int longs, taken;
  __shared__ SpreadTile<threads, edges_thread> spread;
  const Graph graph{starts, targets};
  const int thread = static_cast<int>(threadIdx.x);
  int* const marked = memory + SLOTS;
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
    bool deferred = false;
    Pair pairs[edges_thread];
#pragma unroll
    for (int i = 0; i < edges_thread; ++i) {
      pairs[i] = Pair{List{0, 0}, List{0, 0}};
      const unsigned edge = begin + thread * edges_thread + i;
      if (edge >= end) continue;
      const uint2 rest = __ldg(rests + edge);
      const int v = graph.target(rest.x - 1);
      const List row = graph.row(v);
      const unsigned from = max(begin, __ldg(rest_starts + v)), to = min(end, __ldg(rest_starts + v + 1));
      if (row.size == 0) continue;
      if (to - from < long_row) {
        pairs[i] = shorter_first(List{rest.x, static_cast<int>(rest.y - rest.x)}, row);
      } else if (edge == from) {
        long_rows[atomicAdd(&longs, 1)] = v;
        deferred = true;
      }
    }
    const unsigned all = spread.put(pairs, thread);
    const bool any_long = __syncthreads_or(deferred ? 1 : 0) != 0;
    found += spread.look_up(graph, all, thread);
    if (!any_long) continue;
    for (int i = 0; i < longs; ++i) {
      const int v = long_rows[i];
      const List row = graph.row(v);
      const unsigned from = max(begin, __ldg(rest_starts + v)), to = min(end, __ldg(rest_starts + v + 1));
      const LookUp look{graph, rests + from, static_cast<int>(to - from), thread};
      if (marks == Marks::hash || vertices - 1 - v > WINDOW) {
        found += with_hash<threads, SLOTS>(
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
