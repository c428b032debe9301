// SPDX-License-Identifier: Apache-2.0
// Sum of an array: each block sums a part, a second launch sums the parts.

#ifndef BLOCK
#define BLOCK 256  // threads of a block
#endif
#ifndef VECTOR
#define VECTOR 4  // elements of one load: 1, 2 or 4
#endif
#ifndef SHUFFLE
#define SHUFFLE 1  // warps sum by shuffles; 0: all by shared memory
#endif

template<int n>
struct alignas(4 * n) Vector {
  float values[n];
};

__device__ float sum_of_block(float value) {
#if SHUFFLE
  __shared__ float sums[32];
  for (int distance = 16; distance > 0; distance /= 2)
    value += __shfl_down_sync(0xffffffffu, value, distance);
  if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = value;
  __syncthreads();
  value = threadIdx.x < BLOCK / 32 ? sums[threadIdx.x] : 0;
  if (threadIdx.x < 32)
    for (int distance = 16; distance > 0; distance /= 2)
      value += __shfl_down_sync(0xffffffffu, value, distance);
  return value;
#else
  __shared__ float sums[BLOCK];
  sums[threadIdx.x] = value;
  for (int half = BLOCK / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) sums[threadIdx.x] += sums[threadIdx.x + half];
  }
  return sums[threadIdx.x];
#endif
}

extern "C" __global__ void sum_parts(const float* __restrict__ in, float* __restrict__ parts, int n) {
  float sum = 0;
  const int vectors = n / VECTOR;
  for (int i = blockIdx.x * BLOCK + threadIdx.x; i < vectors; i += gridDim.x * BLOCK) {
    const Vector<VECTOR> some = reinterpret_cast<const Vector<VECTOR>*>(in)[i];
#pragma unroll
    for (int k = 0; k < VECTOR; ++k) sum += some.values[k];
  }
  // What is left behind the last whole vector.
  const int i = vectors * VECTOR + threadIdx.x;
  if (blockIdx.x == 0 && i < n) sum += in[i];
  sum = sum_of_block(sum);
  if (threadIdx.x == 0) parts[blockIdx.x] = sum;
}

extern "C" __global__ void sum_all(const float* __restrict__ parts, float* __restrict__ out, int count) {
  float sum = 0;
  for (int i = threadIdx.x; i < count; i += BLOCK) sum += parts[i];
  sum = sum_of_block(sum);
  if (threadIdx.x == 0) out[0] = sum;
}
