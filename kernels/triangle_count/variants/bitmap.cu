// SPDX-License-Identifier: Apache-2.0
// All pairs of edges from a vertex, to v and w behind it: does an edge lead from v to w? The core, the
// vertices with the most edges, has a bit for each pair of them; others have a filter, and a search where it
// does not say no. These are asked for each pair of a short row. A long row becomes bits in shared memory,
// which meet the bits of core targets word by word, and the rows of other targets element by element.

#include "words.cuh"

// ---- defaults ----
#ifndef ORIENTATION
#define ORIENTATION Orientation::renumber  // where edges lead: renumber
#endif
#ifndef BLOCK
#define BLOCK 64  // threads of a block
#endif
#ifndef MIN_BLOCKS
#define MIN_BLOCKS 1  // blocks that shall fit on a multiprocessor; limits the registers accordingly
#endif
#ifndef CORE
#define CORE 16384  // vertices of the core
#endif
#ifndef FILTER
#define FILTER 256  // bits of the filter of a vertex; 0: none
#endif
#ifndef WINDOW
#define WINDOW 65536  // vertices that the bits of a long row cover; those before are hashed
#endif
#ifndef LANES
#define LANES 32  // lanes that have a short row, a target each; rows with more targets are long
#endif
#ifndef TOGETHER
#define TOGETHER 8  // pairs of a short row that a lane looks up together
#endif
#ifndef GROUP
#define GROUP 8  // lanes that share a target of a long row
#endif
#ifndef CHUNK
#define CHUNK 32  // rows that a block takes together
#endif
#ifndef UNROLL
#define UNROLL 1  // targets of a long row that a lane has together
#endif
#ifndef TURNS
#define TURNS Turns::fixed  // which rows come next: in turns (fixed), or as blocks ask for them (queue)
#endif
// ---- end of defaults ----

#define SOURCES 0

#include "bitmap.cuh"
#include "lists.cuh"
#include "prepare.cuh"
#include "total.cuh"

constexpr Turns turns = TURNS;
constexpr int lanes = LANES, group = GROUP, chunk = CHUNK, together = TOGETHER, unroll = UNROLL;
constexpr int window = WINDOW, hashed = 4096;  // bits
constexpr int table_vectors = (window + hashed) / row_bits;
static_assert(renumbered && window >= core && table_vectors >= group);

// Pairs that the filters let through. They are rare, so that the block searches those of a chunk together.
struct Candidates {
  static constexpr int most = 2 * threads;
  int size;
  int2 pairs[most];

  __device__ __forceinline__ bool put(int from, int to) {
    const int at = atomicAdd(&size, 1);
    if (at < most) pairs[at] = int2{from, to};
    return at < most;
  }
};

struct Kernel {
  Graph graph;
  Core core_rows;
  const unsigned* filters;
  int last;  // vertex
  Candidates& candidates;

  __device__ __forceinline__ unsigned place_of(int number) const {
    return static_cast<unsigned>(last - number);
  }

  __device__ __forceinline__ bool leads(int from, int to) const {
    const List row = graph.row(from);
    return row.size != 0 && graph.contains(row, to);
  }

  // ---- a short row, a target a lane ----

  // The largest number that lanes of the warp have, of which those of a row have the same.
  static __device__ __forceinline__ int most_of_warp(int own) {
#pragma unroll
    for (int step = lanes; step < 32; step *= 2) own = max(own, __shfl_xor_sync(0xffffffffu, own, step));
    return own;
  }

  // Counts the pairs of a row's targets with an edge from one to the other; `lane` of its `lanes`. A warp
  // calls it together.
  __device__ __forceinline__ unsigned pairs(List row, int lane) const {
    constexpr unsigned all = 0xffffffffu;
    const bool has_target = lane < row.size;
    const int to = has_target ? graph.target(row.from + lane) : 0;
    const unsigned place = place_of(to);
    // Core targets come last.
    const unsigned others = __ballot_sync(all, has_target && place >= core);
    const int first_core = __popc(others >> (threadIdx.x % 32 / lanes * lanes) & (all >> (32 - lanes)));
    unsigned found = 0, hits = 0;  // a bit for each pair that is to be searched

    const int before = has_target ? min(lane, first_core) : 0;
    if constexpr (filter == 0) {
      hits = (1u << before) - 1;
    } else {
      // All lanes load a word of one filter, also those that do not need it: this takes fewer instructions.
      const Filters bits(to);
      const unsigned mask = bits.mask();
      const auto own = static_cast<unsigned>(bits.word());
      const unsigned filter_of_target = static_cast<unsigned>(min(to, last - core)) * Filters::words;
      const int most = most_of_warp(min(first_core, row.size - 1));
#pragma unroll
      for (int first = 0; first < lanes; first += together) {
        if (first >= most) break;
        unsigned words[together];
#pragma unroll
        for (int i = 0; i < together; ++i)
          words[i] = __ldg(filters + (__shfl_sync(all, filter_of_target, first + i, lanes) + own));
#pragma unroll
        for (int i = 0; i < together; ++i)
          if ((~words[i] & mask) == 0) hits |= 1u << (first + i);
      }
      hits &= (1u << before) - 1;
    }
    const int core_before = has_target ? lane - first_core : 0;
    const int most_core = most_of_warp(row.size - 1 - first_core);
    const unsigned* const core_words = reinterpret_cast<const unsigned*>(core_rows.bits) + place / 32;
    const unsigned row_of_core = place < core ? Core::row(place) : 0;
    for (int first = 0; first < most_core; first += together) {
      unsigned words[together];
#pragma unroll
      for (int i = 0; i < together; ++i) {
        const unsigned from = __shfl_sync(all, row_of_core, (first_core + first + i) & (lanes - 1), lanes);
        words[i] = first + i < core_before ? __ldg(core_words + from * row_words) : 0;
      }
#pragma unroll
      for (int i = 0; i < together; ++i) found += words[i] >> place % 32 & 1u;
    }
    for (; hits != 0; hits &= hits - 1) {
      const int from = graph.target(row.from + __ffs(static_cast<int>(hits)) - 1);
      if (!candidates.put(from, to) && leads(from, to)) ++found;
    }
    return found;
  }

  // ---- a long row, by a block ----

  __device__ __forceinline__ unsigned bit_of(int number) const {
    const unsigned place = place_of(number);
    return place < window ? place : window + place % hashed;
  }
  __device__ __forceinline__ void mark(List row, int thread, unsigned* table) const {
    for (int i = thread; i < row.size; i += threads) {
      const unsigned bit = bit_of(graph.target(row.from + i));
      atomicOr(table + bit / 32, 1u << bit % 32);
    }
  }

  // Looks up the row of a target that is not of the core.
  __device__ __forceinline__ unsigned stream(List row, int number, int lane, const unsigned* table) const {
    constexpr int each = 4;
    const List other = graph.row(number);
    unsigned found = 0;
    for (int i = lane; i < other.size; i += each * group) {
      int to[each];
#pragma unroll
      for (int j = 0; j < each; ++j)
        to[j] = i + j * group < other.size ? graph.target(other.from + i + j * group) : -1;
#pragma unroll
      for (int j = 0; j < each; ++j) {
        const unsigned bit = bit_of(to[j]);
        if ((table[bit / 32] >> bit % 32 & 1u) == 0 || to[j] < 0) continue;
        if (bit < window || graph.contains(row, to[j])) ++found;
      }
    }
    return found;
  }

  static __device__ __forceinline__ unsigned common(uint4 a, uint4 b) {
    return __popc(a.x & b.x) + __popc(a.y & b.y) + __popc(a.z & b.z) + __popc(a.w & b.w);
  }

  __device__ __forceinline__ unsigned look_up(List row, int thread, const uint4* table) const {
    constexpr int groups = threads / group;
    const auto lane = static_cast<unsigned>(thread % group);
    unsigned found = 0;
    for (int begin = thread / group; begin < row.size; begin += unroll * groups) {
      int numbers[unroll];
      unsigned vectors[unroll];  // of a core target's bits
      uint4 bits[unroll];
#pragma unroll
      for (int i = 0; i < unroll; ++i)
        numbers[i] = begin + i * groups < row.size ? graph.target(row.from + begin + i * groups) : last;
#pragma unroll
      for (int i = 0; i < unroll; ++i) {
        const unsigned place = place_of(numbers[i]);
        vectors[i] = place < core ? (place + row_bits - 1) / row_bits : 0;
        bits[i] = lane < vectors[i] ? __ldg(core_rows.bits + Core::row(place) + lane) : uint4{0, 0, 0, 0};
      }
      const uint4 own = table[lane];
#pragma unroll
      for (int i = 0; i < unroll; ++i) found += common(bits[i], own);
#pragma unroll
      for (int i = 0; i < unroll; ++i) {
        const unsigned place = place_of(numbers[i]);
        if (place < core) {
          const uint4* const other = core_rows.bits + Core::row(place);
          for (unsigned j = lane + group; j < vectors[i]; j += group)
            found += common(__ldg(other + j), table[j]);
        } else {
          found += stream(row, numbers[i], static_cast<int>(lane), reinterpret_cast<const unsigned*>(table));
        }
      }
    }
    return found;
  }
};

__device__ __forceinline__ void clear(uint4* table, int thread) {
  for (int i = thread; i < table_vectors; i += threads) table[i] = uint4{0, 0, 0, 0};
}

extern "C" __global__ void __launch_bounds__(threads, MIN_BLOCKS)
    triangle_bitmap(const unsigned* __restrict__ starts, const int* __restrict__ targets,
                    const uint4* __restrict__ core_rows, const unsigned* __restrict__ filters, int vertices,
                    Count* total, Count* count) {
  extern __shared__ uint4 table[];
  __shared__ List rows[chunk];  // short ones, from the end long ones
  __shared__ int shorts, longs, taken;
  __shared__ Candidates candidates;
  const Kernel kernel{Graph{starts, targets}, Core{core_rows}, filters, vertices - 1, candidates};
  const int thread = static_cast<int>(threadIdx.x);
  auto* const words = reinterpret_cast<unsigned*>(table);
  clear(table, thread);
  Count found = 0;
  const int chunks = static_cast<int>((vertices + chunk - 1LL) / chunk);
  for (int next = static_cast<int>(blockIdx.x);; next += static_cast<int>(gridDim.x)) {
    if (thread == 0) {
      shorts = longs = candidates.size = 0;
      if constexpr (turns == Turns::queue) taken = static_cast<int>(atomicAdd(total + 2, Count{1}));
    }
    __syncthreads();
    const int first = turns == Turns::queue ? taken : next;
    if (first >= chunks) break;
    // Rows of a chunk are far apart: neighbours are alike, chunks shall be.
    for (int i = thread; i < chunk; i += threads) {
      const long long place = first + static_cast<long long>(i) * chunks;
      if (place >= vertices) break;
      const List row = kernel.graph.row(kernel.last - static_cast<int>(place));
      if (row.size < 2) continue;
      rows[row.size <= lanes ? atomicAdd(&shorts, 1) : chunk - 1 - atomicAdd(&longs, 1)] = row;
    }
    __syncthreads();
    for (int i = 0; i < longs; ++i) {
      const List row = rows[chunk - 1 - i];
      kernel.mark(row, thread, words);
      __syncthreads();
      found += kernel.look_up(row, thread, table);
      __syncthreads();
      clear(table, thread);
      __syncthreads();
    }
    for (int i = thread / 32 * (32 / lanes); i < shorts; i += threads / lanes) {
      const int own = i + thread % 32 / lanes;
      found += kernel.pairs(own < shorts ? rows[own] : List{0, 0}, thread % lanes);
    }
    __syncthreads();
    for (int i = thread; i < min(candidates.size, Candidates::most); i += threads)
      if (kernel.leads(candidates.pairs[i].x, candidates.pairs[i].y)) ++found;
    __syncthreads();
  }
  add_total(found, total, count);
}
