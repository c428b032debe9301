// SPDX-License-Identifier: Apache-2.0
// Measures two published ways to count triangles on the graphs that the problem `triangle_count` has (R-MAT,
// uniform), written after their papers; none of it is the authors' code:
//   nvcc -O3 -std=c++17 -arch=native bench/rivals/triangle_count.cu -o triangles && ./triangles
// GroupTC: a block takes a group of edges; its threads look the elements of the shorter row of each up in the
// longer one by binary search. TRUST: the row of a vertex goes to buckets of a hash table, by a warp or a
// block; the rows of its targets are looked up there. Vertices are renumbered by degree and edges lead to
// larger numbers, which the host does apart. Prints a line of CSV for each graph and way: the median of 20
// executions in milliseconds, G edges a second, and the count.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cub/block/block_scan.cuh>
#include <numeric>
#include <vector>

namespace {

using Number = unsigned long long;

void check(cudaError_t error) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "triangle_count: %s\n", cudaGetErrorString(error));
  std::exit(1);
}

// ---- graphs: as kernels/triangle_count/model/generators.cpp makes them ----

Number mixed(Number z) {
  z += 0x9e3779b97f4a7c15ULL;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ z >> 27) * 0x94d049bb133111ebULL;
  return z ^ z >> 31;
}

int bits_below(Number count) {
  int bits = 0;
  while (bits < 63 && Number{1} << bits < count) ++bits;
  return bits;
}

struct Edge {
  Number u, v;
};

Edge rmat_edge(Number vertices, Number state) {
  const int levels = bits_below(vertices);
  for (;;) {
    Number u = 0, v = 0, bits = 0;
    for (int level = 0; level < levels; ++level) {
      if (level % 4 == 0) bits = state = mixed(state);
      const Number draw = bits & 0xffff;
      bits >>= 16;
      const bool lower = draw >= 37355 + 12452;
      u = 2 * u + lower;
      v = 2 * v + (lower ? draw >= 37355 + 2 * 12452 : draw >= 37355);
    }
    if (u != v && u < vertices && v < vertices) return {u, v};
  }
}

Edge uniform_edge(Number vertices, Number state) {
  for (;; state = mixed(state)) {
    const Number u = ((state >> 32) * vertices) >> 32, v = ((state & 0xffffffff) * vertices) >> 32;
    if (u != v) return {u, v};
  }
}

struct Graph {
  int vertices;
  std::vector<int> starts, targets, sources;
};

Graph make_graph(Number vertices, Number edges, bool rmat, Number seed) {
  const Number stream = mixed(seed);
  std::vector<Number> keys;
  for (Number round = 0; round < 4; ++round) keys.push_back(mixed(mixed(stream) + round));
  const int bits = bits_below(vertices);
  const auto shuffled = [&](Number vertex) {
    const Number mask = (Number{1} << bits) - 1;
    do {
      for (const Number key : keys) {
        vertex = (vertex * (key | 1) + (key >> 32)) & mask;
        vertex ^= vertex >> (bits / 2 + 1);
      }
    } while (vertex >= vertices);
    return vertex;
  };
  std::vector<Number> all;
  for (Number i = 0; i < edges + edges / 8 + 8; ++i) {
    const Number state = mixed(stream + i);
    const Edge edge = rmat ? rmat_edge(vertices, state) : uniform_edge(vertices, state);
    const Number u = shuffled(edge.u), v = shuffled(edge.v);
    all.push_back(u < v ? u << 32 | v : v << 32 | u);
  }
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  const Number found = all.size(), surplus = found > edges ? found - edges : 0;
  std::vector<Number> kept;
  for (Number i = 0; i < found; ++i)
    if ((i + 1) * surplus / found == i * surplus / found) kept.push_back(all[i]);

  std::vector<int> degrees(vertices), order(vertices), numbers(vertices);
  for (const Number edge : kept) {
    ++degrees[edge >> 32];
    ++degrees[edge & 0xffffffff];
  }
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return degrees[a] < degrees[b]; });
  for (Number i = 0; i < vertices; ++i) numbers[order[i]] = static_cast<int>(i);
  for (Number& edge : kept) {
    const Number u = numbers[edge >> 32], v = numbers[edge & 0xffffffff];
    edge = u < v ? u << 32 | v : v << 32 | u;
  }
  std::sort(kept.begin(), kept.end());
  Graph graph{static_cast<int>(vertices), std::vector<int>(vertices + 1), {}, {}};
  for (const Number edge : kept) {
    ++graph.starts[(edge >> 32) + 1];
    graph.sources.push_back(static_cast<int>(edge >> 32));
    graph.targets.push_back(static_cast<int>(edge & 0xffffffff));
  }
  std::partial_sum(graph.starts.begin(), graph.starts.end(), graph.starts.begin());
  return graph;
}

// ---- GroupTC ----

constexpr int group_threads = 512;

__global__ void group_count(const int* starts, const int* targets, const int* sources, int edges,
                            Number* count) {
  using Scan = cub::BlockScan<int, group_threads>;
  __shared__ typename Scan::TempStorage storage;
  __shared__ int begins[group_threads], probes[group_threads], tables[group_threads], sizes[group_threads];
  const int thread = threadIdx.x, edge = blockIdx.x * group_threads + thread;
  int own = 0;
  if (edge < edges) {
    int from = edge + 1, size = starts[sources[edge] + 1] - from;
    int other = starts[targets[edge]], other_size = starts[targets[edge] + 1] - other;
    if (size > other_size) {
      const int row = from, row_size = size;
      from = other;
      size = other_size;
      other = row;
      other_size = row_size;
    }
    probes[thread] = from;
    tables[thread] = other;
    sizes[thread] = other_size;
    own = size;
  }
  int before, all;
  Scan(storage).ExclusiveSum(own, before, all);
  begins[thread] = before;
  __syncthreads();
  Number found = 0;
  int at = 0;
  for (int i = thread; i < all; i += group_threads) {
    for (int size = group_threads - at; size > 1;) {  // the last edge whose elements begin at or before i
      const int half = size / 2;
      if (begins[at + half] <= i) at += half;
      size -= half;
    }
    const int number = targets[probes[at] + i - begins[at]];
    int low = tables[at], high = low + sizes[at];
    while (low < high) {
      const int middle = (low + high) / 2;
      if (targets[middle] < number)
        low = middle + 1;
      else
        high = middle;
    }
    found += low < tables[at] + sizes[at] && targets[low] == number;
  }
  for (int step = 16; step > 0; step /= 2) found += __shfl_xor_sync(0xffffffffu, found, step);
  if (thread % 32 == 0 && found != 0) atomicAdd(count, found);
}

// ---- TRUST ----

constexpr int trust_threads = 1024, depth = 4, long_row = 100;

// `buckets` of `depth` slots each in shared memory, further elements of a bucket in `more`, `limit` for each.
template<int width, int buckets>
__device__ Number count_in_buckets(const int* starts, const int* targets, int u, int thread, int* sizes,
                                   int* slots, int* more, int limit) {
  const auto wait = [] {
    if (width == 32)
      __syncwarp();
    else
      __syncthreads();
  };
  for (int i = thread; i < buckets; i += width) sizes[i] = 0;
  wait();
  const int begin = starts[u], end = starts[u + 1];
  for (int e = begin + thread; e < end; e += width) {
    const int bucket = targets[e] % buckets, place = atomicAdd(sizes + bucket, 1);
    if (place < depth)
      slots[place * buckets + bucket] = targets[e];
    else
      more[static_cast<long long>(bucket) * limit + place - depth] = targets[e];
  }
  if (width != 32) __threadfence_block();
  wait();
  Number found = 0;
  for (int e = begin + thread / 32; e < end; e += width / 32) {
    const int v = targets[e];
    for (int i = starts[v] + thread % 32; i < starts[v + 1]; i += 32) {
      const int number = targets[i], bucket = number % buckets, size = sizes[bucket];
      for (int place = 0; place < size; ++place)
        if ((place < depth ? slots[place * buckets + bucket]
                           : more[static_cast<long long>(bucket) * limit + place - depth]) == number) {
          ++found;
          break;
        }
    }
  }
  wait();
  return found;
}

// `vertices`: those with long rows, the longest first; a block takes one after the other.
__global__ void trust_long(const int* starts, const int* targets, const int* vertices, int count_of,
                           int* next, int* more, int limit, Number* count) {
  __shared__ int sizes[1024], slots[depth * 1024], taken;
  Number found = 0;
  for (;;) {
    __syncthreads();
    if (threadIdx.x == 0) taken = atomicAdd(next, 1);
    __syncthreads();
    if (taken >= count_of) break;
    found += count_in_buckets<trust_threads, 1024>(
        starts, targets, vertices[taken], threadIdx.x, sizes, slots,
        more + static_cast<long long>(blockIdx.x) * 1024 * limit, limit);
  }
  if (found != 0) atomicAdd(count, found);
}

// `vertices`: those with short rows; a warp takes some.
__global__ void trust_short(const int* starts, const int* targets, const int* vertices, int count_of,
                            int* next, int* more, Number* count) {
  __shared__ int sizes[trust_threads], slots[depth * trust_threads];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  Number found = 0;
  for (;;) {
    constexpr int together = 16;
    int first = 0;
    if (lane == 0) first = atomicAdd(next, together);
    first = __shfl_sync(0xffffffffu, first, 0);
    if (first >= count_of) break;
    for (int i = first; i < min(first + together, count_of); ++i)
      found += count_in_buckets<32, 32>(
          starts, targets, vertices[i], lane, sizes + warp * 32, slots + warp * depth * 32,
          more + (blockIdx.x * (trust_threads / 32LL) + warp) * 32 * long_row, long_row);
  }
  if (found != 0) atomicAdd(count, found);
}

// ---- measurement ----

template<class T>
T* on_device(const std::vector<T>& from) {
  T* memory;
  check(cudaMalloc(&memory, std::max<size_t>(1, from.size()) * sizeof(T)));
  check(cudaMemcpy(memory, from.data(), from.size() * sizeof(T), cudaMemcpyHostToDevice));
  return memory;
}

template<class Run>
void measure(const char* name, const char* kind, const Graph& graph, Number* count, const Run& run) {
  cudaEvent_t begin, end;
  check(cudaEventCreate(&begin));
  check(cudaEventCreate(&end));
  std::vector<float> times;
  for (int i = 0; i < 23; ++i) {
    check(cudaMemset(count, 0, sizeof *count));
    check(cudaEventRecord(begin));
    run();
    check(cudaEventRecord(end));
    check(cudaEventSynchronize(end));
    float time;
    check(cudaEventElapsedTime(&time, begin, end));
    if (i >= 3) times.push_back(time);
  }
  check(cudaGetLastError());
  std::sort(times.begin(), times.end());
  Number counted;
  check(cudaMemcpy(&counted, count, sizeof counted, cudaMemcpyDeviceToHost));
  std::printf("%s,%s,%d,%zu,%.4f,%.3f,%llu\n", name, kind, graph.vertices, graph.targets.size(), times[10],
              graph.targets.size() / times[10] * 1e-6, counted);
  std::fflush(stdout);
}

void measure_graph(Number vertices, Number edges, bool rmat) {
  const Graph graph = make_graph(vertices, edges, rmat, 1);
  const char* const kind = rmat ? "rmat" : "uniform";
  const int *starts = on_device(graph.starts), *targets = on_device(graph.targets),
            *sources = on_device(graph.sources);
  const int all = static_cast<int>(graph.targets.size());
  int longest = 1, multiprocessors;
  std::vector<int> long_rows, short_rows;
  const auto size_of = [&](int u) { return graph.starts[u + 1] - graph.starts[u]; };
  for (int u = 0; u < graph.vertices; ++u) {
    longest = std::max(longest, size_of(u));
    if (size_of(u) > 1) (size_of(u) > long_row ? long_rows : short_rows).push_back(u);
  }
  std::sort(long_rows.begin(), long_rows.end(), [&](int a, int b) { return size_of(a) > size_of(b); });
  const int *longs = on_device(long_rows), *shorts = on_device(short_rows);
  check(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0));
  const int blocks = 2 * multiprocessors;
  Number* count;
  int *next, *more;
  check(cudaMalloc(&count, sizeof *count));
  check(cudaMalloc(&next, 2 * sizeof *next));
  check(cudaMalloc(&more, 1024ULL * blocks * std::max(longest, long_row) * sizeof *more));
  measure("GroupTC", kind, graph, count, [&] {
    group_count<<<(all + group_threads - 1) / group_threads, group_threads>>>(starts, targets, sources, all,
                                                                              count);
  });
  measure("TRUST", kind, graph, count, [&] {
    check(cudaMemsetAsync(next, 0, 2 * sizeof *next));
    trust_long<<<blocks, trust_threads>>>(starts, targets, longs, static_cast<int>(long_rows.size()), next,
                                          more, longest, count);
    trust_short<<<blocks, trust_threads>>>(starts, targets, shorts, static_cast<int>(short_rows.size()),
                                           next + 1, more, count);
  });
  for (const void* memory :
       {static_cast<const void*>(starts), static_cast<const void*>(targets),
        static_cast<const void*>(sources), static_cast<const void*>(longs), static_cast<const void*>(shorts),
        static_cast<const void*>(count), static_cast<const void*>(next), static_cast<const void*>(more)})
    check(cudaFree(const_cast<void*>(memory)));
}

}  // namespace

int main() {
  std::printf("program,graph,vertices,edges,ms,G edges/s,triangles\n");
  measure_graph(317080, 1049866, true);
  measure_graph(1 << 20, 1 << 24, true);
  measure_graph(1 << 20, 1 << 24, false);
}
