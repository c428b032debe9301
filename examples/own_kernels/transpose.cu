// SPDX-License-Identifier: Apache-2.0
// out = in', tiles through shared memory.

#ifndef TILE
#define TILE 32  // edge of a tile, and threads of a block along x
#endif
#ifndef ROWS
#define ROWS 8  // threads of a block along y; each copies TILE / ROWS elements
#endif
#ifndef PADDING
#define PADDING 1  // unused elements at the end of a tile's row: columns then lie in different banks
#endif

extern "C" __global__ void transpose(float* __restrict__ out, const float* __restrict__ in, int width,
                                     int height) {
  __shared__ float tile[TILE][TILE + PADDING];
  const int x = blockIdx.x * TILE + threadIdx.x;
  const int y = blockIdx.y * TILE + threadIdx.y;
#pragma unroll
  for (int j = 0; j < TILE; j += ROWS)
    if (x < width && y + j < height) tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * width + x];
  __syncthreads();
  const int to_x = blockIdx.y * TILE + threadIdx.x;
  const int to_y = blockIdx.x * TILE + threadIdx.y;
#pragma unroll
  for (int j = 0; j < TILE; j += ROWS)
    if (to_x < height && to_y + j < width)
      out[(to_y + j) * height + to_x] = tile[threadIdx.x][threadIdx.y + j];
}

// One thread an element: what the results are held against.
extern "C" __global__ void transpose_plain(float* out, const float* in, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < width && y < height) out[x * height + y] = in[y * width + x];
}
