// SPDX-License-Identifier: Apache-2.0
// c = a b for n x n matrices, row by row in memory: a template over its parameters.

/// `tile`: edge of the tiles in shared memory, and threads of a block along x. `work`: rows that a thread
/// computes, so that a block has tile / work threads along y.
template<int tile, int work, typename Real>
__global__ void multiply(const Real* __restrict__ a, const Real* __restrict__ b, Real* __restrict__ c,
                         int n) {
  __shared__ Real tile_a[tile][tile];
  __shared__ Real tile_b[tile][tile];
  constexpr int rows = tile / work;
  const int column = blockIdx.x * tile + threadIdx.x;
  Real sums[work] = {};
  for (int k = 0; k < n; k += tile) {
#pragma unroll
    for (int i = 0; i < work; ++i) {
      const int y = threadIdx.y + i * rows;
      const int row = blockIdx.y * tile + y;
      tile_a[y][threadIdx.x] = row < n && k + threadIdx.x < n ? a[row * n + k + threadIdx.x] : Real(0);
      tile_b[y][threadIdx.x] = k + y < n && column < n ? b[(k + y) * n + column] : Real(0);
    }
    __syncthreads();
#pragma unroll
    for (int j = 0; j < tile; ++j) {
#pragma unroll
      for (int i = 0; i < work; ++i) sums[i] += tile_a[threadIdx.y + i * rows][j] * tile_b[j][threadIdx.x];
    }
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < work; ++i) {
    const int row = blockIdx.y * tile + threadIdx.y + i * rows;
    if (row < n && column < n) c[row * n + column] = sums[i];
  }
}
