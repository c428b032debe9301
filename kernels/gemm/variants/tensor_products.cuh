// SPDX-License-Identifier: Apache-2.0
// What `tensor` does with the fragments of a turn: products of 16 x 8 elements, `inner` terms deep.
#pragma once

#include "tensor_tiles.cuh"

using Sums = Real[fragments_m][fragments_n][4];

__device__ __forceinline__ float to_operand(float x) {
  return tf32_operand(x);
}
__device__ __forceinline__ double to_operand(double x) {
  return x;
}
__device__ __forceinline__ void split_operand(float x, float& high, float& low) {
  split_tf32<rounded>(x, high, low);
}
__device__ __forceinline__ void split_operand(double x, double& high, double& low) {
  high = x, low = 0;
}

// One product for each pair of fragments: doubles, or floats rounded to tf32.
__device__ __forceinline__ void multiply_once(const Fragments& from, Sums& sums) {
#pragma unroll
  for (int step = 0; step < turn; step += inner) {
    Real a[fragments_m][inner / 2];
#pragma unroll
    for (int i = 0; i < fragments_m; ++i)
#pragma unroll
      for (int q = 0; q < inner / 4; ++q)
#pragma unroll
        for (int h = 0; h < 2; ++h) a[i][2 * q + h] = to_operand(from.left[i][h][step / 4 + q]);
#pragma unroll
    for (int j = 0; j < fragments_n; ++j) {
      Real b[inner / 4];
#pragma unroll
      for (int q = 0; q < inner / 4; ++q) b[q] = to_operand(from.right[step / 4 + q][j]);
#pragma unroll
      for (int i = 0; i < fragments_m; ++i) multiply_add<inner>(sums[i][j], a[i], b);
    }
  }
}

// Three products in place of one: of the small part of one operand with the large part of the other, twice,
// then of the large parts. The product of the small parts lies below what a float holds.
//
// Tensor cores cut their sums instead of rounding them, which adds up: k terms would cost a sum k / 8 * 2^-23
// of itself and more. So the three products begin at zero, and an ordinary addition adds what comes out.
__device__ __forceinline__ void multiply_split(const Fragments& from, Sums& sums) {
#pragma unroll
  for (int step = 0; step < turn; step += inner) {
    Real high[fragments_m][inner / 2], low[fragments_m][inner / 2];
#pragma unroll
    for (int i = 0; i < fragments_m; ++i)
#pragma unroll
      for (int q = 0; q < inner / 4; ++q)
#pragma unroll
        for (int h = 0; h < 2; ++h)
          split_operand(from.left[i][h][step / 4 + q], high[i][2 * q + h], low[i][2 * q + h]);
#pragma unroll
    for (int j = 0; j < fragments_n; ++j) {
      Real high_b[inner / 4], low_b[inner / 4];
#pragma unroll
      for (int q = 0; q < inner / 4; ++q) split_operand(from.right[step / 4 + q][j], high_b[q], low_b[q]);
      Real part[fragments_m][4] = {};
      // Products of different fragments follow each other: those of one wait for each other.
#pragma unroll
      for (int i = 0; i < fragments_m; ++i) multiply_add<inner>(part[i], low[i], high_b);
#pragma unroll
      for (int i = 0; i < fragments_m; ++i) multiply_add<inner>(part[i], high[i], low_b);
#pragma unroll
      for (int i = 0; i < fragments_m; ++i) multiply_add<inner>(part[i], high[i], high_b);
#pragma unroll
      for (int i = 0; i < fragments_m; ++i)
#pragma unroll
        for (int e = 0; e < 4; ++e) sums[i][j][e] += part[i][e];
    }
  }
}

__device__ __forceinline__ void multiply(const Fragments& from, Sums& sums) {
  if constexpr (precision == Precision::tf32x3)
    multiply_split(from, sums);
  else
    multiply_once(from, sums);
}
