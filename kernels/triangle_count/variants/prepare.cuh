// SPDX-License-Identifier: Apache-2.0
// Preparation: of the rows of an undirected graph to those of one whose edges lead from one end to the other.
#pragma once

#include "scan.cuh"
#include "settings.cuh"

constexpr int prepare_threads = 256, prepare_rounds = 8, prepare_tile = prepare_threads * prepare_rounds;
constexpr int tile_words = prepare_tile / 32;

// ---- numbers in the order of degrees ----

constexpr int degree_classes = 1024;

// Degrees of a class differ by at most 3 %; below 64 they are equal.
__device__ __forceinline__ int degree_class(unsigned degree) {
  if (degree < 32) return static_cast<int>(degree);
  const int exponent = 31 - __clz(static_cast<int>(degree));
  return (exponent - 4) * 32 + static_cast<int>((degree >> (exponent - 5)) & 31u);
}

__device__ __forceinline__ unsigned degree_of(const unsigned* offsets, int vertex) {
  return __ldg(offsets + vertex + 1) - __ldg(offsets + vertex);
}

// `classes`: zeros before; then how many vertices a class has.
extern "C" __global__ void __launch_bounds__(prepare_threads)
    triangle_classes(const unsigned* __restrict__ offsets, int vertices, unsigned* classes) {
  __shared__ unsigned own[degree_classes];
  const int thread = static_cast<int>(threadIdx.x);
  for (int c = thread; c < degree_classes; c += prepare_threads) own[c] = 0;
  __syncthreads();
  for (int round = 0; round < prepare_rounds; ++round) {
    const long long u = static_cast<long long>(blockIdx.x) * prepare_tile + round * prepare_threads + thread;
    if (u < vertices) atomicAdd(own + degree_class(degree_of(offsets, static_cast<int>(u))), 1u);
  }
  __syncthreads();
  for (int c = thread; c < degree_classes; c += prepare_threads)
    if (own[c] != 0) atomicAdd(classes + c, own[c]);
}

// `numbers`: the new number of each vertex; `order`: the vertex of each new number. `taken`: zeros before.
extern "C" __global__ void __launch_bounds__(prepare_threads)
    triangle_numbers(const unsigned* __restrict__ offsets, int vertices, const unsigned* __restrict__ classes,
                     unsigned* taken, int* numbers, int* order) {
  constexpr int each = degree_classes / prepare_threads;
  __shared__ unsigned begins[degree_classes], own[degree_classes], sums[prepare_threads / 32];
  const int thread = static_cast<int>(threadIdx.x);
  unsigned sum = 0, all;
  for (int i = 0; i < each; ++i) sum += classes[thread * each + i];
  unsigned before = sum_before<prepare_threads>(sum, sums, thread, all);
  for (int i = 0; i < each; ++i) {
    begins[thread * each + i] = before;
    before += classes[thread * each + i];
    own[thread * each + i] = 0;
  }
  __syncthreads();
  int classes_of[prepare_rounds];
  unsigned places[prepare_rounds];
#pragma unroll
  for (int round = 0; round < prepare_rounds; ++round) {
    const long long u = static_cast<long long>(blockIdx.x) * prepare_tile + round * prepare_threads + thread;
    classes_of[round] = -1;
    if (u >= vertices) continue;
    classes_of[round] = degree_class(degree_of(offsets, static_cast<int>(u)));
    places[round] = atomicAdd(own + classes_of[round], 1u);
  }
  __syncthreads();
  for (int c = thread; c < degree_classes; c += prepare_threads)
    if (own[c] != 0) begins[c] += atomicAdd(taken + c, own[c]);
  __syncthreads();
#pragma unroll
  for (int round = 0; round < prepare_rounds; ++round) {
    if (classes_of[round] < 0) continue;
    const int u = static_cast<int>(blockIdx.x) * prepare_tile + round * prepare_threads + thread;
    const int number = static_cast<int>(begins[classes_of[round]] + places[round]);
    numbers[u] = number;
    order[number] = u;
  }
}

// ---- edges from one end to the other ----

// The first vertex, from `low` on, whose row begins behind `entry`; `high` if there is none before it.
__device__ __forceinline__ int first_behind(const unsigned* offsets, int low, int high, unsigned entry) {
  while (low < high) {
    const int middle = low + (high - low) / 2;
    if (__ldg(offsets + middle) > entry)
      high = middle;
    else
      low = middle + 1;
  }
  return low;
}

__device__ __forceinline__ bool leads(const unsigned* offsets, const int* numbers, int from, int to) {
  if constexpr (renumbered) return numbers[from] < numbers[to];
  if constexpr (orientation == Orientation::degree) {
    const unsigned own = degree_of(offsets, from), other = degree_of(offsets, to);
    if (own != other) return own < other;
  }
  return from < to;
}

// A tile of entries: the vertices whose rows have its first and its last entry.
struct TileRows {
  unsigned begin;
  int first, last;

  __device__ __forceinline__ TileRows(const unsigned* offsets, int vertices, unsigned entries,
                                      int (&shared)[2]) {
    begin = blockIdx.x * prepare_tile;
    const unsigned size = min(entries - begin, static_cast<unsigned>(prepare_tile));
    if (threadIdx.x < 2)
      shared[threadIdx.x] =
          size == 0 ? 0 : first_behind(offsets, 0, vertices, threadIdx.x == 0 ? begin : begin + size - 1) - 1;
    __syncthreads();
    first = shared[0];
    last = shared[1];
  }
  __device__ __forceinline__ int row(const unsigned* offsets, unsigned entry) const {
    return first_behind(offsets, first + 1, last + 1, entry) - 1;
  }
};

// Grid: a block a tile. `flags`: a bit for each entry that is kept; `sums`: how many a tile keeps.
extern "C" __global__ void __launch_bounds__(prepare_threads)
    triangle_orient(const unsigned* __restrict__ offsets, const int* __restrict__ neighbours, int vertices,
                    unsigned entries, const int* __restrict__ numbers, unsigned* flags, unsigned* sums) {
  __shared__ int shared[2];
  __shared__ unsigned kept[prepare_threads / 32];
  const int thread = static_cast<int>(threadIdx.x);
  const TileRows rows(offsets, vertices, entries, shared);
  unsigned own = 0;
#pragma unroll
  for (int round = 0; round < prepare_rounds; ++round) {
    const unsigned entry = rows.begin + round * prepare_threads + thread;
    const bool keep = entry < entries && leads(offsets, numbers, rows.row(offsets, entry), neighbours[entry]);
    const unsigned word = __ballot_sync(0xffffffffu, keep);
    own += __popc(word);
    if (thread % 32 == 0)
      flags[static_cast<long long>(blockIdx.x) * tile_words + round * (prepare_threads / 32) + thread / 32] =
          word;
  }
  if (thread % 32 == 0) kept[thread / 32] = own;
  __syncthreads();
  if (thread != 0) return;
  unsigned sum = 0;
  for (int warp = 0; warp < prepare_threads / 32; ++warp) sum += kept[warp];
  sums[blockIdx.x] = sum;
}

// One block: makes of each sum that of those before it.
extern "C" __global__ void __launch_bounds__(1024) triangle_sums(unsigned* sums, int count) {
  __shared__ unsigned shared[32];
  const int thread = static_cast<int>(threadIdx.x);
  const long long part = (count + 1023) / 1024, begin = part * thread;
  const long long end = min(begin + part, static_cast<long long>(count));
  unsigned own = 0, all;
  for (long long i = begin; i < end; ++i) own += sums[i];
  unsigned before = sum_before<1024>(own, shared, thread, all);
  for (long long i = begin; i < end; ++i) {
    const unsigned sum = sums[i];
    sums[i] = before;
    before += sum;
  }
}

// Grid: a block a tile. The kept entries move together. `sums`: kept in the tiles before.
extern "C" __global__ void __launch_bounds__(prepare_threads)
    triangle_compact(const unsigned* __restrict__ offsets, const int* __restrict__ neighbours, int vertices,
                     unsigned entries, const int* __restrict__ numbers, const unsigned* __restrict__ flags,
                     const unsigned* __restrict__ sums, unsigned* starts, int* targets, int* sources) {
  __shared__ int shared[2];
  __shared__ unsigned words[tile_words], before[tile_words];  // kept in the tile before each word
  const int thread = static_cast<int>(threadIdx.x), lane = thread % 32;
  if (thread < tile_words) words[thread] = flags[static_cast<long long>(blockIdx.x) * tile_words + thread];
  const TileRows rows(offsets, vertices, entries, shared);
  if (thread < 32) {
    static_assert(tile_words == 64, "a lane adds two words up");
    const unsigned first = __popc(words[2 * lane]), own = first + __popc(words[2 * lane + 1]);
    unsigned up = own;
#pragma unroll
    for (int step = 1; step < 32; step *= 2) {
      const unsigned other = __shfl_up_sync(0xffffffffu, up, step);
      if (lane >= step) up += other;
    }
    before[2 * lane] = up - own;
    before[2 * lane + 1] = up - own + first;
  }
  __syncthreads();
  const unsigned all_before = sums[blockIdx.x];
  const auto place = [&](unsigned at) {
    return all_before + before[at / 32] + __popc(words[at / 32] & ((1u << at % 32) - 1u));
  };
#pragma unroll
  for (int round = 0; round < prepare_rounds; ++round) {
    const unsigned at = round * prepare_threads + thread;
    if ((words[at / 32] >> lane & 1u) == 0) continue;
    const int to = neighbours[rows.begin + at];
    const unsigned edge = place(at);
    targets[edge] = renumbered ? numbers[to] : to;
    if constexpr (SOURCES != 0 && !renumbered) sources[edge] = rows.row(offsets, rows.begin + at);
  }
  // Rows that begin in the tile; the last one has those that begin at the end, and the end.
  const bool is_last = blockIdx.x == gridDim.x - 1;
  const int from = rows.begin == 0 ? 0 : first_behind(offsets, 0, vertices + 1, rows.begin - 1);
  const int to =
      is_last ? vertices + 1 : first_behind(offsets, 0, vertices + 1, rows.begin + prepare_tile - 1);
  for (int u = from + thread; u < to; u += prepare_threads) {
    const unsigned at = offsets[u] - rows.begin;
    starts[u] =
        at < prepare_tile ? place(at) : all_before + before[tile_words - 1] + __popc(words[tile_words - 1]);
  }
}

// ---- rows in the order of their new numbers ----

// The edges from the vertex with this number, or those to it. `given_starts`: where rows begin, by the
// numbers that the vertices are given with.
__device__ __forceinline__ unsigned size_of(const unsigned* offsets, const unsigned* given_starts,
                                            const int* order, long long number, int vertices, bool incoming) {
  if (number >= vertices) return 0;
  const int vertex = renumbered ? order[number] : static_cast<int>(number);
  const unsigned own = degree_of(given_starts, vertex);
  return incoming ? degree_of(offsets, vertex) - own : own;
}

// Grid: a block for each `prepare_tile` numbers. `sums`: the edges of their rows.
extern "C" __global__ void __launch_bounds__(prepare_threads)
    triangle_sizes(const unsigned* __restrict__ offsets, const unsigned* __restrict__ given_starts,
                   const int* __restrict__ order, int vertices, int incoming, unsigned* sums) {
  __shared__ unsigned shared[prepare_threads / 32];
  const int thread = static_cast<int>(threadIdx.x);
  unsigned own = 0, all;
  for (int round = 0; round < prepare_rounds; ++round)
    own += size_of(offsets, given_starts, order,
                   static_cast<long long>(blockIdx.x) * prepare_tile + round * prepare_threads + thread,
                   vertices, incoming != 0);
  (void)sum_before<prepare_threads>(own, shared, thread, all);
  if (thread == 0) sums[blockIdx.x] = all;
}

extern "C" __global__ void __launch_bounds__(prepare_threads)
    triangle_starts(const unsigned* __restrict__ offsets, const unsigned* __restrict__ given_starts,
                    const int* __restrict__ order, int vertices, int incoming,
                    const unsigned* __restrict__ sums, unsigned* starts) {
  __shared__ unsigned shared[2][prepare_threads / 32];
  const int thread = static_cast<int>(threadIdx.x);
  unsigned begin = sums[blockIdx.x];
  for (int round = 0; round < prepare_rounds; ++round) {
    const long long number =
        static_cast<long long>(blockIdx.x) * prepare_tile + round * prepare_threads + thread;
    const unsigned own = size_of(offsets, given_starts, order, number, vertices, incoming != 0);
    unsigned all;
    const unsigned at = begin + sum_before<prepare_threads>(own, shared[round % 2], thread, all);
    if (number < vertices) starts[number] = at;
    if (number == vertices - 1) starts[vertices] = at + own;
    begin += all;
  }
}

constexpr int warp_row = 64;  // edges of a row that a warp sorts

// Sorts a row that `width_of` threads have; `wait` is their barrier.
template<class Wait>
__device__ __forceinline__ void sort_row(int* row, int size, int thread, int width_of, const Wait& wait) {
  int width = 2;
  while (width < size) width *= 2;
  for (int length = 2; length <= width; length *= 2)
    for (int step = length / 2; step > 0; step /= 2) {
      wait();
      for (int i = thread; i < width / 2; i += width_of) {
        const int low = 2 * step * (i / step) + i % step;
        // Of the first step of a length the upper half is taken from behind: all then goes upwards, and what
        // is behind the end counts as larger.
        const int high = step == length / 2 ? low + length - 1 - 2 * (i % step) : low + step;
        if (high >= size) continue;
        const int a = row[low], b = row[high];
        if (a > b) {
          row[low] = b;
          row[high] = a;
        }
      }
    }
  wait();
}

// Grid: a warp a row. Moves rows of up to `warp_row` edges, sorted.
extern "C" __global__ void __launch_bounds__(prepare_threads)
    triangle_move(const unsigned* __restrict__ given_starts, const int* __restrict__ given_targets,
                  const int* __restrict__ order, int vertices, const unsigned* __restrict__ starts,
                  int* targets, int* sources) {
  __shared__ int rows[prepare_threads / 32][warp_row];
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const long long number = (static_cast<long long>(blockIdx.x) * prepare_threads + threadIdx.x) / 32;
  if (number >= vertices) return;
  const unsigned to = starts[number];
  const int size = static_cast<int>(starts[number + 1] - to);
  if (size == 0) return;
  const unsigned from = given_starts[order[number]];
  if constexpr (SOURCES != 0)
    for (int i = lane; i < size; i += 32) sources[to + i] = static_cast<int>(number);
  if (size > warp_row) return;
  int* const row = rows[threadIdx.x / 32];
  for (int i = lane; i < size; i += 32) row[i] = given_targets[from + i];
  sort_row(row, size, lane, 32, [] { __syncwarp(); });
  for (int i = lane; i < size; i += 32) targets[to + i] = row[i];
}

constexpr int block_row = 8192;  // edges of a row that fit shared memory

// Moves the other rows, sorted in shared memory or where they are. The rows of a block are far apart, because
// long ones are neighbours.
extern "C" __global__ void __launch_bounds__(prepare_threads)
    triangle_move_long(const unsigned* __restrict__ given_starts, const int* __restrict__ given_targets,
                       const int* __restrict__ order, int vertices, const unsigned* __restrict__ starts,
                       int* targets) {
  __shared__ int rows[prepare_threads];
  __shared__ int found;
  __shared__ int memory[block_row];
  const int thread = static_cast<int>(threadIdx.x);
  for (long long first = blockIdx.x; first < vertices;
       first += static_cast<long long>(gridDim.x) * prepare_threads) {
    const long long number = first + static_cast<long long>(gridDim.x) * thread;
    const bool is_long = number < vertices && starts[number + 1] - starts[number] > warp_row;
    if (__syncthreads_or(is_long ? 1 : 0) == 0) continue;
    if (thread == 0) found = 0;
    __syncthreads();
    if (is_long) rows[atomicAdd(&found, 1)] = static_cast<int>(number);
    __syncthreads();
    for (int i = 0; i < found; ++i) {
      const unsigned to = starts[rows[i]], from = given_starts[order[rows[i]]];
      const int size = static_cast<int>(starts[rows[i] + 1] - to);
      int* const row = size <= block_row ? memory : targets + to;
      for (int j = thread; j < size; j += prepare_threads) row[j] = given_targets[from + j];
      sort_row(row, size, thread, prepare_threads, [] { __syncthreads(); });
      if (size <= block_row)
        for (int j = thread; j < size; j += prepare_threads) targets[to + j] = row[j];
    }
  }
}

// Grid: some lanes a row. `rests`: for each edge, in the order of targets, the edges of its row that follow
// it, from x to before y. `taken`: zeros before.
extern "C" __global__ void __launch_bounds__(prepare_threads)
    triangle_rests(const unsigned* __restrict__ starts, const int* __restrict__ targets, int vertices,
                   const unsigned* __restrict__ rest_starts, unsigned* taken, uint2* rests) {
  constexpr int row_lanes = 8;
  const long long u = (static_cast<long long>(blockIdx.x) * prepare_threads + threadIdx.x) / row_lanes;
  if (u >= vertices) return;
  const unsigned end = starts[u + 1];
  for (unsigned e = starts[u] + threadIdx.x % row_lanes; e < end; e += row_lanes) {
    const int v = targets[e];
    rests[rest_starts[v] + atomicAdd(taken + v, 1u)] = uint2{e + 1, end};
  }
}
