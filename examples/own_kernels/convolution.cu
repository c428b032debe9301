// SPDX-License-Identifier: Apache-2.0
// Convolution of 3 x 3 with weights in constant memory; the rim is left as it is.

#ifndef BLOCK_X
#define BLOCK_X 32  // threads of a block along a row
#endif
#ifndef BLOCK_Y
#define BLOCK_Y 8
#endif
#ifndef ROWS
#define ROWS 4  // of a thread, one below the other
#endif
#ifndef SHARED
#define SHARED 0  // 1: a tile with its rim is loaded into shared memory first
#endif

__constant__ float weights[9];

extern "C" __global__ void __launch_bounds__(BLOCK_X* BLOCK_Y)
    convolve(const float* __restrict__ in, float* __restrict__ out, int width, int height) {
  const int x0 = blockIdx.x * BLOCK_X, y0 = blockIdx.y * BLOCK_Y * ROWS;
  const int x = x0 + threadIdx.x, first = y0 + threadIdx.y * ROWS;
#if SHARED
  constexpr int tile_width = BLOCK_X + 2, tile_height = BLOCK_Y * ROWS + 2;
  __shared__ float tile[tile_height][tile_width];
  for (int i = threadIdx.y * BLOCK_X + threadIdx.x; i < tile_width * tile_height; i += BLOCK_X * BLOCK_Y) {
    const int from_x = min(max(x0 + i % tile_width - 1, 0), width - 1);
    const int from_y = min(max(y0 + i / tile_width - 1, 0), height - 1);
    tile[i / tile_width][i % tile_width] = in[static_cast<size_t>(from_y) * width + from_x];
  }
  __syncthreads();
  const auto at = [&](int row, int column) { return tile[row - y0 + 1][column - x0 + 1]; };
#else
  const auto at = [&](int row, int column) { return in[static_cast<size_t>(row) * width + column]; };
#endif
  if (x < 1 || x >= width - 1) return;
#pragma unroll
  for (int k = 0; k < ROWS; ++k) {
    const int y = first + k;
    if (y < 1 || y >= height - 1) continue;
    float sum = 0;
#pragma unroll
    for (int i = 0; i < 9; ++i) sum += weights[i] * at(y + i / 3 - 1, x + i % 3 - 1);
    out[static_cast<size_t>(y) * width + x] = sum;
  }
}
