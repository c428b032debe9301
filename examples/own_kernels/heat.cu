// SPDX-License-Identifier: Apache-2.0
// Steps of heat conduction on a plane with a source: a block takes STEPS of them for a tile that shrinks by a
// cell on each side with each step. Outside of the plane lies what lies at its edge.

#ifndef WIDTH
#define WIDTH 32  // threads of a block along a row: cells of its first step
#endif
#ifndef HEIGHT
#define HEIGHT 32  // cells of a block's first step along a column
#endif
#ifndef ROWS
#define ROWS 4  // of a thread
#endif
#ifndef STEPS
#define STEPS 2
#endif

extern "C" __global__ void __launch_bounds__(WIDTH* HEIGHT / ROWS)
    heat_steps(const float* __restrict__ from, const float* __restrict__ source, float* __restrict__ to,
               int width, int height, float along_x, float along_y) {
  __shared__ float tiles[2][HEIGHT][WIDTH];
  const int x0 = blockIdx.x * (WIDTH - 2 * STEPS) - STEPS, y0 = blockIdx.y * (HEIGHT - 2 * STEPS) - STEPS;
  const int column = threadIdx.x, x = x0 + column;
  float sources[ROWS];
#pragma unroll
  for (int k = 0; k < ROWS; ++k) {
    const int row = threadIdx.y + k * (HEIGHT / ROWS);
    const size_t cell =
        static_cast<size_t>(min(max(y0 + row, 0), height - 1)) * width + min(max(x, 0), width - 1);
    tiles[0][row][column] = from[cell];
    sources[k] = source[cell];
  }
  for (int step = 1; step <= STEPS; ++step) {
    __syncthreads();
    const auto& old = tiles[(step - 1) % 2];
#pragma unroll
    for (int k = 0; k < ROWS; ++k) {
      const int row = threadIdx.y + k * (HEIGHT / ROWS), y = y0 + row;
      if (column < step || column >= WIDTH - step || row < step || row >= HEIGHT - step) continue;
      if (x < 0 || x >= width || y < 0 || y >= height) continue;
      const float here = old[row][column];
      const float left = x > 0 ? old[row][column - 1] : here,
                  right = x < width - 1 ? old[row][column + 1] : here;
      const float above = y > 0 ? old[row - 1][column] : here,
                  below = y < height - 1 ? old[row + 1][column] : here;
      const float now =
          here + along_x * (left - 2 * here + right) + along_y * (above - 2 * here + below) + sources[k];
      if (step == STEPS)
        to[static_cast<size_t>(y) * width + x] = now;
      else
        tiles[step % 2][row][column] = now;
    }
  }
}
