// SPDX-License-Identifier: Apache-2.0
// Causal attention in one pass: PARTS threads share a query, which they keep in registers with its result; a
// block's queries share tiles of keys and values. The largest score and the sum of weights are corrected as
// tiles come.

#ifndef QUERIES
#define QUERIES 64  // of a block
#endif
#ifndef PARTS
#define PARTS 4  // threads of a query: 1, 2, 4, 8
#endif
#ifndef KEYS
#define KEYS 16  // of a tile
#endif
#ifndef SIZE
#define SIZE 64  // of a query, key or value
#endif

/// Arrays are [heads of all sequences][length][SIZE].
extern "C" __global__ void __launch_bounds__(QUERIES* PARTS)
    attend(const float* __restrict__ queries, const float* __restrict__ keys,
           const float* __restrict__ values, float* __restrict__ out, int length, float scale) {
  constexpr int own = SIZE / PARTS;  // elements of a thread: part, part + PARTS, ...
  __shared__ float tile_of_keys[KEYS][SIZE], tile_of_values[KEYS][SIZE];
  const size_t head = static_cast<size_t>(blockIdx.y) * length * SIZE;
  // The blocks with the most keys begin first.
  const int block = gridDim.x - 1 - blockIdx.x, part = threadIdx.x % PARTS;
  const int query = block * QUERIES + threadIdx.x / PARTS, last = min((block + 1) * QUERIES, length);
  float q[own], sum[own], largest = -INFINITY, weights = 0;
#pragma unroll
  for (int i = 0; i < own; ++i) {
    q[i] = query < length ? scale * queries[head + static_cast<size_t>(query) * SIZE + i * PARTS + part] : 0;
    sum[i] = 0;
  }
  for (int begin = 0; begin < last; begin += KEYS) {
    __syncthreads();
    for (int i = threadIdx.x; i < KEYS * SIZE; i += QUERIES * PARTS) {
      const size_t place = head + static_cast<size_t>(begin) * SIZE + i;
      const bool exists = begin + i / SIZE < length;
      tile_of_keys[i / SIZE][i % SIZE] = exists ? keys[place] : 0;
      tile_of_values[i / SIZE][i % SIZE] = exists ? values[place] : 0;
    }
    __syncthreads();
    float scores[KEYS], highest = largest;
#pragma unroll
    for (int key = 0; key < KEYS; ++key) {
      float score = 0;
#pragma unroll
      for (int i = 0; i < own; ++i) score += q[i] * tile_of_keys[key][i * PARTS + part];
#pragma unroll
      for (int distance = PARTS / 2; distance > 0; distance /= 2)
        score += __shfl_xor_sync(0xffffffffu, score, distance);
      scores[key] = begin + key <= query ? score : -INFINITY;
      highest = fmaxf(highest, scores[key]);
    }
    const float correction = __expf(largest - highest);
    weights *= correction;
#pragma unroll
    for (int i = 0; i < own; ++i) sum[i] *= correction;
#pragma unroll
    for (int key = 0; key < KEYS; ++key) {
      const float weight = __expf(scores[key] - highest);
      weights += weight;
#pragma unroll
      for (int i = 0; i < own; ++i) sum[i] += weight * tile_of_values[key][i * PARTS + part];
    }
    largest = highest;
  }
  if (query >= length) return;
#pragma unroll
  for (int i = 0; i < own; ++i)
    out[head + static_cast<size_t>(query) * SIZE + i * PARTS + part] = sum[i] / weights;
}

/// A thread for each element of the result.
extern "C" __global__ void attend_plainly(const float* queries, const float* keys, const float* values,
                                          float* out, int length, float scale) {
  const size_t head = static_cast<size_t>(blockIdx.y) * length * SIZE;
  const int query = blockIdx.x;
  double largest = -INFINITY, weights = 0, sum = 0;
  for (int pass = 0; pass < 2; ++pass)
    for (int key = 0; key <= query; ++key) {
      double score = 0;
      for (int i = 0; i < SIZE; ++i)
        score += static_cast<double>(queries[head + static_cast<size_t>(query) * SIZE + i]) *
                 keys[head + static_cast<size_t>(key) * SIZE + i];
      score *= scale;
      if (pass == 0) {
        largest = fmax(largest, score);
        continue;
      }
      weights += exp(score - largest);
      sum += exp(score - largest) * values[head + static_cast<size_t>(key) * SIZE + threadIdx.x];
    }
  out[head + static_cast<size_t>(query) * SIZE + threadIdx.x] = static_cast<float>(sum / weights);
}
