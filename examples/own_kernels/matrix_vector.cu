// SPDX-License-Identifier: Apache-2.0
// y = A' (A x) of a matrix whose rows lie one behind the other: a warp sums a row, then each thread sums
// columns over a part of the rows, and a last launch sums the parts.

#ifndef WARPS
#define WARPS 4  // rows of a block in the first launch
#endif
#ifndef VECTOR
#define VECTOR 4  // elements of one load in the first launch: 1, 2 or 4
#endif
#ifndef COLUMNS
#define COLUMNS 128  // threads of a block in the second launch
#endif

template<int n>
struct alignas(4 * n) Vector {
  float values[n];
};

extern "C" __global__ void multiply_rows(const float* __restrict__ a, const float* __restrict__ x,
                                         float* __restrict__ products, int width, int height) {
  const int row = blockIdx.x * WARPS + threadIdx.x / 32, lane = threadIdx.x % 32;
  if (row >= height) return;
  const float* const of_row = a + static_cast<size_t>(row) * width;
  float sum = 0;
  for (int i = lane * VECTOR; i < width; i += 32 * VECTOR) {
    const auto some = *reinterpret_cast<const Vector<VECTOR>*>(of_row + i);
    const auto factors = *reinterpret_cast<const Vector<VECTOR>*>(x + i);
#pragma unroll
    for (int k = 0; k < VECTOR; ++k) sum += some.values[k] * factors.values[k];
  }
  for (int distance = 16; distance > 0; distance /= 2) sum += __shfl_down_sync(0xffffffffu, sum, distance);
  if (lane == 0) products[row] = sum;
}

extern "C" __global__ void multiply_columns(const float* __restrict__ a, const float* __restrict__ products,
                                            float* __restrict__ parts, int width, int height) {
  const int column = blockIdx.x * COLUMNS + threadIdx.x;
  if (column >= width) return;
  const int rows = (height + gridDim.y - 1) / gridDim.y, begin = blockIdx.y * rows;
  float sum = 0;
#pragma unroll 8
  for (int row = begin; row < min(begin + rows, height); ++row)
    sum += a[static_cast<size_t>(row) * width + column] * products[row];
  parts[static_cast<size_t>(blockIdx.y) * width + column] = sum;
}

extern "C" __global__ void sum_parts(const float* __restrict__ parts, float* __restrict__ y, int width,
                                     int count) {
  const int column = blockIdx.x * 256 + threadIdx.x;
  if (column >= width) return;
  float sum = 0;
  for (int part = 0; part < count; ++part) sum += parts[static_cast<size_t>(part) * width + column];
  y[column] = sum;
}
