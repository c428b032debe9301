// SPDX-License-Identifier: Apache-2.0
// Smooths an image of one channel but for its edges: near pixels of a like value weigh most.

#ifndef BLOCK_X
#define BLOCK_X 16  // threads of a block along a row
#endif
#ifndef BLOCK_Y
#define BLOCK_Y 16
#endif
#ifndef PIXELS
#define PIXELS 1  // of a thread, BLOCK_X apart
#endif
#ifndef RADIUS
#define RADIUS 5
#endif

__constant__ float nearness[2 * RADIUS + 1];

extern "C" __global__ void __launch_bounds__(BLOCK_X* BLOCK_Y)
    smooth(cudaTextureObject_t image, float* __restrict__ out, int width, int height, float likeness) {
  const int x0 = blockIdx.x * BLOCK_X * PIXELS + threadIdx.x, y = blockIdx.y * BLOCK_Y + threadIdx.y;
  if (y >= height) return;
#pragma unroll
  for (int k = 0; k < PIXELS; ++k) {
    const int x = x0 + k * BLOCK_X;
    if (x >= width) return;
    const float here = tex2D<float>(image, x + 0.5f, y + 0.5f);
    float sum = 0, weights = 0;
    for (int row = -RADIUS; row <= RADIUS; ++row)
#pragma unroll
      for (int column = -RADIUS; column <= RADIUS; ++column) {
        const float there = tex2D<float>(image, x + column + 0.5f, y + row + 0.5f);
        const float difference = there - here;
        const float weight =
            nearness[row + RADIUS] * nearness[column + RADIUS] * __expf(-likeness * difference * difference);
        sum += weight * there;
        weights += weight;
      }
    out[static_cast<size_t>(y) * width + x] = sum / weights;
  }
}
