// SPDX-License-Identifier: Apache-2.0
// Measures a search for neighbours within a fixed radius, as programs for point clouds do it, on the points
// that the problem `grid_knn` has (uniform):
//   nvcc -O3 -std=c++17 -arch=native bench/rivals/grid_knn.cu -o grid_knn && ./grid_knn
// The radius is given: with it, nearly every query has k neighbours. Cubes are half as wide; a thread looks
// at the 125 around its query and keeps the k nearest in an array. Points and queries are sorted by cube,
// which counts as construction. Prints a line of CSV for each size and k: medians of 20 executions in
// milliseconds, queries a second, and the queries that have fewer than k neighbours within the radius (they
// would need a second search).
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cub/device/device_scan.cuh>
#include <vector>

namespace {

void check(cudaError_t error) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "grid_knn: %s\n", cudaGetErrorString(error));
  std::exit(1);
}

template<class T>
T* allocated(long long count) {
  T* memory;
  check(cudaMalloc(&memory, count * sizeof(T)));
  return memory;
}

__device__ unsigned long long mixed(unsigned long long z) {
  z += 0x9e3779b97f4a7c15ULL;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ z >> 27) * 0x94d049bb133111ebULL;
  return z ^ z >> 31;
}

__global__ void fill(float* coordinates, int count, unsigned long long first) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) coordinates[i] = static_cast<float>(mixed(first + i) >> 40) * 0x1.0p-24f;
}

__device__ int cube_of(float coordinate, int side) {
  return min(static_cast<int>(coordinate * side), side - 1);
}

__device__ int cube_of(const float* at, int side) {
  return (cube_of(at[2], side) * side + cube_of(at[1], side)) * side + cube_of(at[0], side);
}

__global__ void count_points(const float* points, int count, int side, int* counts, int* ranks) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) ranks[i] = atomicAdd(counts + cube_of(points + 3LL * i, side), 1);
}

__global__ void sort_points(const float* points, int count, int side, const int* starts, const int* ranks,
                            float* sorted, int* indices) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  const int to = starts[cube_of(points + 3LL * i, side)] + ranks[i];
  for (int axis = 0; axis < 3; ++axis) sorted[3LL * to + axis] = points[3LL * i + axis];
  indices[to] = i;
}

template<int k>
__global__ void find(const float* points, const int* point_indices, const int* starts, const float* queries,
                     const int* query_indices, int count, int side, float radius, int* indices,
                     float* distances) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  float best[k];
  int neighbour[k];
  for (int j = 0; j < k; ++j) {
    best[j] = radius * radius;
    neighbour[j] = -1;
  }
  const float x = queries[3LL * i], y = queries[3LL * i + 1], z = queries[3LL * i + 2];
  const auto low = [&](float at) { return max(static_cast<int>(floorf((at - radius) * side)), 0); };
  const auto high = [&](float at) { return min(static_cast<int>((at + radius) * side), side - 1); };
  for (int cube_z = low(z); cube_z <= high(z); ++cube_z)
    for (int cube_y = low(y); cube_y <= high(y); ++cube_y)
      for (int cube_x = low(x); cube_x <= high(x); ++cube_x) {
        const int cube = (cube_z * side + cube_y) * side + cube_x;
        for (int p = starts[cube]; p < starts[cube + 1]; ++p) {
          const float dx = x - points[3LL * p], dy = y - points[3LL * p + 1], dz = z - points[3LL * p + 2];
          float distance = dx * dx + dy * dy + dz * dz;
          if (distance >= best[k - 1]) continue;
          int index = point_indices[p];
#pragma unroll
          for (int j = 0; j < k; ++j)
            if (distance < best[j]) {
              const float other = best[j];
              const int other_index = neighbour[j];
              best[j] = distance;
              neighbour[j] = index;
              distance = other;
              index = other_index;
            }
        }
      }
  const long long to = static_cast<long long>(query_indices[i]) * k;
  for (int j = 0; j < k; ++j) {
    indices[to + j] = neighbour[j];
    distances[to + j] = best[j];
  }
}

__global__ void count_missing(const int* indices, long long count, unsigned long long* missing) {
  const long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < count && indices[i] < 0) atomicAdd(missing, 1ULL);
}

int blocks(long long count) {
  return static_cast<int>((count + 255) / 256);
}

// Points sorted by cube.
struct Grid {
  int count, side;
  float *given, *sorted;
  int *counts, *starts, *ranks, *indices;
  void* memory = nullptr;
  size_t bytes = 0;

  Grid(int points, int cubes, unsigned long long first) : count(points), side(cubes) {
    const long long all = 1LL * side * side * side + 1;
    given = allocated<float>(3LL * count);
    sorted = allocated<float>(3LL * count);
    counts = allocated<int>(all);
    starts = allocated<int>(all);
    ranks = allocated<int>(count);
    indices = allocated<int>(count);
    fill<<<blocks(3LL * count), 256>>>(given, 3 * count, first);
    check(cub::DeviceScan::ExclusiveSum(memory, bytes, counts, starts, static_cast<int>(all)));
    memory = allocated<char>(bytes);
  }
  ~Grid() {
    for (void* one :
         {static_cast<void*>(given), static_cast<void*>(sorted), static_cast<void*>(counts),
          static_cast<void*>(starts), static_cast<void*>(ranks), static_cast<void*>(indices), memory})
      cudaFree(one);
  }
  void build() {
    const long long all = 1LL * side * side * side + 1;
    check(cudaMemsetAsync(counts, 0, all * sizeof(int)));
    count_points<<<blocks(count), 256>>>(given, count, side, counts, ranks);
    check(cub::DeviceScan::ExclusiveSum(memory, bytes, counts, starts, static_cast<int>(all)));
    sort_points<<<blocks(count), 256>>>(given, count, side, starts, ranks, sorted, indices);
  }
};

template<class Run>
float median_ms(const Run& run) {
  cudaEvent_t begin, end;
  check(cudaEventCreate(&begin));
  check(cudaEventCreate(&end));
  std::vector<float> times;
  for (int i = 0; i < 23; ++i) {
    check(cudaEventRecord(begin));
    run();
    check(cudaEventRecord(end));
    check(cudaEventSynchronize(end));
    float time;
    check(cudaEventElapsedTime(&time, begin, end));
    if (i >= 3) times.push_back(time);
  }
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

// neighbours: points within the radius, on average.
template<int k>
void measure(int count, double neighbours) {
  const double radius = std::cbrt(neighbours * 3 / (4 * 3.14159265 * count));
  const int side = static_cast<int>(2 / radius);
  Grid points(count, side, 0), queries(count, side, 1ULL << 40);
  int* const indices = allocated<int>(1LL * count * k);
  float* const distances = allocated<float>(1LL * count * k);
  const float build = median_ms([&] {
    points.build();
    queries.build();
  });
  const float search = median_ms([&] {
    find<k><<<blocks(count), 256>>>(points.sorted, points.indices, points.starts, queries.sorted,
                                    queries.indices, count, side, static_cast<float>(radius), indices,
                                    distances);
  });
  check(cudaGetLastError());
  auto* const missing = allocated<unsigned long long>(1);
  check(cudaMemset(missing, 0, sizeof *missing));
  count_missing<<<blocks(1LL * count * k), 256>>>(indices, 1LL * count * k, missing);
  unsigned long long without;
  check(cudaMemcpy(&without, missing, sizeof without, cudaMemcpyDeviceToHost));
  std::printf("fixed radius,%d,%d,%d,%.4f,%.4f,%.3f,%.3f,%llu\n", count, k, side, build, search,
              count / search * 1e-6, count / (build + search) * 1e-6, without);
  std::fflush(stdout);
  check(cudaFree(indices));
  check(cudaFree(distances));
  check(cudaFree(missing));
}

}  // namespace

int main() {
  std::printf("program,points,k,side,build ms,search ms,G queries/s,with build,missing neighbours\n");
  for (const int count : {1 << 18, 1 << 20, 1 << 24}) {
    measure<1>(count, 16);
    measure<16>(count, 48);
  }
}
