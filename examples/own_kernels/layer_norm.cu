// SPDX-License-Identifier: Apache-2.0
// Normalizes each row by its mean and deviation: a group of THREADS threads keeps a row in registers.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

#ifndef THREADS
#define THREADS 32  // of a row: 8, 16 or 32
#endif
#ifndef ROWS
#define ROWS 4  // of a block
#endif
#ifndef VECTOR
#define VECTOR 4  // elements of one load: 1, 2 or 4
#endif
#ifndef WIDTH
#define WIDTH 768  // elements of a row
#endif

template<int n>
struct alignas(4 * n) Vector {
  float values[n];
};

extern "C" __global__ void __launch_bounds__(THREADS* ROWS)
    normalize(const float* __restrict__ in, const float* __restrict__ scale, const float* __restrict__ offset,
              float* __restrict__ out, float* __restrict__ means, float* __restrict__ deviations, int rows) {
  namespace cg = cooperative_groups;
  using Some = Vector<VECTOR>;
  constexpr int own = (WIDTH / VECTOR + THREADS - 1) / THREADS;  // vectors of a thread
  const auto group = cg::tiled_partition<THREADS>(cg::this_thread_block());
  const int row = blockIdx.x * ROWS + threadIdx.x / THREADS, rank = group.thread_rank();
  if (row >= rows) return;
  const auto* const from = reinterpret_cast<const Some*>(in + static_cast<size_t>(row) * WIDTH);
  Some some[own];
  float sum = 0, squares = 0;
#pragma unroll
  for (int k = 0; k < own; ++k) {
    const int i = k * THREADS + rank;
    some[k] = i < WIDTH / VECTOR ? from[i] : Some{};
#pragma unroll
    for (int j = 0; j < VECTOR; ++j) sum += some[k].values[j];
  }
  const float mean = cg::reduce(group, sum, cg::plus<float>()) / WIDTH;
#pragma unroll
  for (int k = 0; k < own; ++k)
#pragma unroll
    for (int j = 0; j < VECTOR; ++j) {
      const float distance = k * THREADS + rank < WIDTH / VECTOR ? some[k].values[j] - mean : 0;
      squares += distance * distance;
    }
  const float inverse = rsqrtf(cg::reduce(group, squares, cg::plus<float>()) / WIDTH + 1e-5f);
  auto* const to = reinterpret_cast<Some*>(out + static_cast<size_t>(row) * WIDTH);
#pragma unroll
  for (int k = 0; k < own; ++k) {
    const int i = k * THREADS + rank;
    if (i >= WIDTH / VECTOR) break;
    const Some factors = reinterpret_cast<const Some*>(scale)[i],
               offsets = reinterpret_cast<const Some*>(offset)[i];
#pragma unroll
    for (int j = 0; j < VECTOR; ++j)
      some[k].values[j] = (some[k].values[j] - mean) * inverse * factors.values[j] + offsets.values[j];
    to[i] = some[k];
  }
  if (rank == 0) {
    means[row] = mean;
    deviations[row] = inverse;
  }
}
