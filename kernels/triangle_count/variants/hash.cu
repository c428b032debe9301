// SPDX-License-Identifier: Apache-2.0
// The row of a vertex becomes a table in shared memory, in which the rows of its targets are looked up. Short
// rows belong to a few lanes, long ones to a block.

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
#ifndef LANES
#define LANES 32  // lanes that have a short row
#endif
#ifndef GROUP
#define GROUP 8  // lanes that look up the row of a target
#endif
#ifndef SLOTS
#define SLOTS 2048  // slots of hash tables of a block: short rows have equal parts, a long row all
#endif
#ifndef LONG_ROW
#define LONG_ROW 128  // edges from which a row belongs to a block
#endif
#ifndef SPREAD
#define SPREAD 2  // slots for each element of a hash table, at least
#endif
#ifndef CHUNK
#define CHUNK 64  // rows that a block takes together
#endif
#ifndef TURNS
#define TURNS Turns::fixed  // which rows come next: in turns (fixed), or as blocks ask for them (queue)
#endif
// ---- end of defaults ----

#define SOURCES 0

#include "lists.cuh"
#include "marks.cuh"
#include "prepare.cuh"
#include "total.cuh"

constexpr Turns turns = TURNS;
constexpr int lanes = LANES, group = GROUP, long_row = LONG_ROW, chunk = CHUNK;
constexpr int all_slots = SLOTS, slots = all_slots / (threads / lanes);
static_assert(slots >= 32);
static_assert(group <= lanes);

// Looks up the rows of all targets of `row`, by all threads.
__device__ __forceinline__ unsigned look_up_long(const Graph& graph, List row, int thread,
                                                 const HashTable& table) {
  unsigned found = 0;
  for (int i = thread / group; i < row.size; i += threads / group) {
    const List other = graph.row(graph.target(row.from + i));
    for (int j = thread % group; j < other.size; j += group)
      if (table.has(graph.target(other.from + j))) ++found;
  }
  return found;
}

// The same by the `lanes` of a short row: each lane loads where the row of a target lies.
__device__ __forceinline__ unsigned look_up_short(const Graph& graph, List row, int lane, unsigned mask,
                                                  const HashTable& table) {
  unsigned found = 0;
  for (int first = 0; first < row.size; first += lanes) {
    List own{0, 0};
    if (first + lane < row.size) own = graph.row(graph.target(row.from + first + lane));
    const int count = min(lanes, row.size - first);
    for (int i = 0; i < count; i += lanes / group) {
      const unsigned from = __shfl_sync(mask, own.from, i + lane / group, lanes);
      const int size = __shfl_sync(mask, own.size, i + lane / group, lanes);
      for (int j = lane % group; j < size; j += group)
        if (table.has(graph.target(from + j))) ++found;
    }
  }
  return found;
}

extern "C" __global__ void __launch_bounds__(threads, MIN_BLOCKS)
    triangle_hash(const unsigned* __restrict__ starts, const int* __restrict__ targets, int vertices,
                  Count* total, Count* count) {
  extern __shared__ int memory[];
  __shared__ int long_rows[chunk];
  __shared__ int longs, taken;
  const Graph graph{starts, targets};
  const int thread = static_cast<int>(threadIdx.x);
  const unsigned lane_mask =
      lanes == 32 ? 0xffffffffu : ((1u << lanes % 32) - 1u) << thread % 32 / lanes * lanes;
  int* const own = memory + thread / lanes * slots;
  Count found = 0;
  const int chunks = static_cast<int>((vertices + chunk - 1LL) / chunk);
  for (int next = static_cast<int>(blockIdx.x);; next += static_cast<int>(gridDim.x)) {
    if (thread == 0) {
      longs = 0;
      if constexpr (turns == Turns::queue) taken = static_cast<int>(atomicAdd(total + 2, Count{1}));
    }
    __syncthreads();
    const int first = turns == Turns::queue ? taken : next;
    if (first >= chunks) break;
    bool deferred = false;
    // Rows of a chunk are far apart: neighbours are alike, chunks shall be.
    for (int i = thread / lanes; i < chunk; i += threads / lanes) {
      const long long u = first + static_cast<long long>(i) * chunks;
      if (u >= vertices) break;
      const List row = graph.row(static_cast<int>(u));
      if (row.size < (ordered ? 2 : 1)) continue;
      if (row.size >= long_row) {
        if (thread % lanes == 0) long_rows[atomicAdd(&longs, 1)] = static_cast<int>(u);
        deferred = true;
        continue;
      }
      found += with_hash<lanes, slots>(
          graph, row, thread % lanes, own, [=] { __syncwarp(lane_mask); },
          [&](const HashTable& table) {
            return look_up_short(graph, row, thread % lanes, lane_mask, table);
          });
    }
    if (__syncthreads_or(deferred ? 1 : 0) == 0) continue;
    for (int i = 0; i < longs; ++i) {
      const List row = graph.row(long_rows[i]);
      found += with_hash<threads, all_slots>(
          graph, row, thread, memory, [] { __syncthreads(); },
          [&](const HashTable& table) { return look_up_long(graph, row, thread, table); });
    }
    __syncthreads();
  }
  add_total(found, total, count);
}
