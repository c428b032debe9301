// SPDX-License-Identifier: Apache-2.0
// The matrices of taps that `tensor` multiplies with, as the tensor cores take them: what a lane has to bring
// to each step of 8 terms, in registers or, where these are many, from shared memory.
#pragma once

#include "tensor_core.cuh"
#include "vectors.cuh"

// Where the matrices lie.
enum class Matrices { registers, shared };
constexpr Matrices matrices = MATRICES;

// A number as the tensor cores take it: floats in two parts.
constexpr int parts = sizeof(Real) == 4 ? 2 : 1;
__device__ __forceinline__ void split(float x, float& high, float& low) {
  split_tf32<true>(x, high, low);
}
__device__ __forceinline__ void split(double x, double& high, double& low) {
  high = x, low = 0;
}

// The operands of `sets` products in registers, n numbers of each.
template<int sets, int n>
struct Operands {
  Real high[sets][n], low[sets][n];
  __device__ __forceinline__ void take(int set, int i, Real x) { split(x, high[set][i], low[set][i]); }
};

// Along x: row m = g + 8 h of the matrix is the sum of column 2 g + h, so that a lane has pairs of columns;
// term k = 2 t + q. i = 2 q + h.
struct RowTaps {
  static constexpr int steps = row_steps, numbers = 4;
  __device__ __forceinline__ static Real at(int step, int i) {
    const int g = threadIdx.x % 32 / 4, t = threadIdx.x % 4;
    const int k = 8 * step + 2 * t + i / 2 - (2 * g + i % 2) - row_skip;
    return k >= 0 && k <= 2 * radius ? row_taps[k + lead - radius] : Real(0);
  }
};

// Along y: column g of the matrix is the sum of row g; term k = 2 t + q. i = q.
struct ColumnTaps {
  static constexpr int steps = column_steps, numbers = 2;
  __device__ __forceinline__ static Real at(int step, int i) {
    const int g = threadIdx.x % 32 / 4, t = threadIdx.x % 4;
    const int k = 8 * step + 2 * t + i - g;
    return k >= 0 && k <= 2 * radius ? column_taps[k] : Real(0);
  }
};

template<class Taps, Matrices place>
class TapMatrix;

template<class Taps>
class TapMatrix<Taps, Matrices::registers> {
 public:
  static constexpr int shared_length = 0;

  __device__ __forceinline__ explicit TapMatrix(Real*) {
#pragma unroll
    for (int step = 0; step < Taps::steps; ++step)
#pragma unroll
      for (int i = 0; i < Taps::numbers; ++i) own_.take(step, i, Taps::at(step, i));
  }
  // The numbers of a step.
  __device__ __forceinline__ void get(int step, Operands<1, Taps::numbers>& to) const {
#pragma unroll
    for (int i = 0; i < Taps::numbers; ++i)
      to.high[0][i] = own_.high[step][i], to.low[0][i] = own_.low[step][i];
  }

 private:
  Operands<Taps::steps, Taps::numbers> own_;
};

// In shared memory each access of 16 bytes stands beside those of the other lanes. All warps fill it, and
// read it after a barrier of the block.
template<class Taps>
class TapMatrix<Taps, Matrices::shared> {
  static constexpr int numbers = Taps::numbers, words = numbers * parts / lanes;

 public:
  static constexpr int shared_length = Taps::steps * words * lanes * 32;  // numbers

  __device__ __forceinline__ explicit TapMatrix(Real* shared) : mine_(shared + threadIdx.x % 32 * lanes) {
    for (int step = threadIdx.x / 32; step < Taps::steps; step += warps) {
      Real all[2 * numbers];
#pragma unroll
      for (int i = 0; i < numbers; ++i) split(Taps::at(step, i), all[i], all[numbers + i]);
#pragma unroll
      for (int w = 0; w < words; ++w)
        store_vector<lanes, Store::plain>(mine_ + (step * words + w) * (32 * lanes), all + w * lanes);
    }
  }
  __device__ __forceinline__ void get(int step, Operands<1, numbers>& to) const {
    Real all[2 * numbers] = {};
#pragma unroll
    for (int w = 0; w < words; ++w)
      load_vector<lanes, Load::shared>(all + w * lanes, mine_ + (step * words + w) * (32 * lanes));
#pragma unroll
    for (int i = 0; i < numbers; ++i) to.high[0][i] = all[i], to.low[0][i] = all[numbers + i];
  }

 private:
  Real* mine_;
};
