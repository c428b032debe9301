// SPDX-License-Identifier: Apache-2.0
// A block's way through its strip, batch after batch: products of rows with x (y = A x), and sums of rows
// times y (z = A' y), or both while a batch is there.
#pragma once

#include "strip.cuh"
#include "sums.cuh"

enum class Product { n, t, both };

// The thread's part of x.
struct Factors {
  Real own[x_place == Place::registers ? cells : 1];
  const Real* shared;  // of the thread's first column

  __device__ __forceinline__ void get(Real (&to)[lanes], int p) const {
    if constexpr (x_place == Place::registers) {
#pragma unroll
      for (int i = 0; i < lanes; ++i) to[i] = own[p * lanes + i];
    } else {
      load_vector<lanes, Load::shared>(to, shared + p * stride);
    }
  }
};

// `x` is the thread's first element, `shared` has room for `tile`. All threads of a column have equal parts.
__device__ __forceinline__ Factors load_factors(const Real* x, int left, Real* shared) {
  Factors factors;
  Real own[cells];
  load_row<true>(own, x, left);
  if constexpr (x_place == Place::registers) {
#pragma unroll
    for (int i = 0; i < cells; ++i) factors.own[i] = own[i];
    factors.shared = nullptr;
  } else {
    Real* const mine = shared + threadIdx.x * lanes;
    if (threadIdx.y == 0) {
#pragma unroll
      for (int p = 0; p < pieces; ++p) store_vector<lanes, Store::plain>(mine + p * stride, own + p * lanes);
    }
    if constexpr (block_y > 1) __syncthreads();
    factors.shared = mine;
  }
  return factors;
}

// The thread's cells of a batch: vector p of row r.
struct InShared {
  const Real* at;
  __device__ __forceinline__ void get(Real (&to)[lanes], int r, int p) const {
    load_vector<lanes, Load::shared>(to, at + r * tile + p * stride);
  }
};
struct InRegisters {
  const Real (&all)[rows_each][cells];
  __device__ __forceinline__ void get(Real (&to)[lanes], int r, int p) const {
#pragma unroll
    for (int i = 0; i < lanes; ++i) to[i] = all[r][p * lanes + i];
  }
};

// The thread's part of its rows' products with x. Sums of the lanes are apart until the end: short chains.
template<class Cells>
__device__ __forceinline__ void multiply_rows(Real (&sums)[rows_each], const Cells& a, const Factors& x) {
  Real parts[rows_each][lanes] = {};
#pragma unroll
  for (int p = 0; p < pieces; ++p) {
    Real factor[lanes];
    x.get(factor, p);
#pragma unroll
    for (int r = 0; r < rows_each; ++r) {
      Real cell[lanes];
      a.get(cell, r, p);
#pragma unroll
      for (int i = 0; i < lanes; ++i) parts[r][i] += cell[i] * factor[i];
    }
  }
#pragma unroll
  for (int r = 0; r < rows_each; ++r) {
#pragma unroll
    for (int half = lanes / 2; half > 0; half /= 2)
#pragma unroll
      for (int i = 0; i < half; ++i) parts[r][i] += parts[r][i + half];
    sums[r] = parts[r][0];
  }
}

// z += rows times y.
template<class Cells>
__device__ __forceinline__ void add_rows(Real (&z)[cells], const Cells& a, const Real (&y)[rows_each]) {
#pragma unroll
  for (int p = 0; p < pieces; ++p) {
#pragma unroll
    for (int r = 0; r < rows_each; ++r) {
      Real cell[lanes];
      a.get(cell, r, p);
#pragma unroll
      for (int i = 0; i < lanes; ++i) z[p * lanes + i] += cell[i] * y[r];
    }
  }
}

// Sums over `width` neighbouring lanes: the same bits in all of them.
template<int width>
__device__ __forceinline__ void add_lanes(Real (&sums)[rows_each]) {
#pragma unroll
  for (int distance = width / 2; distance > 0; distance /= 2)
#pragma unroll
    for (int r = 0; r < rows_each; ++r) sums[r] += __shfl_xor_sync(0xffffffffu, sums[r], distance);
}

__host__ __device__ constexpr int power_of_two_from(int n) {
  int power = 1;
  while (power < n) power *= 2;
  return power;
}

// From the threads' parts to the rows' products, in all threads of a row. `turn` alternates between 0 and 1:
// whoever writes the words of one has passed the barrier after which the others have read those of the other.
__device__ __forceinline__ void add_threads(Real (&sums)[rows_each], int turn) {
  add_lanes<team>(sums);
  constexpr int warps = block_x / team;
  if constexpr (warps > 1) {
    __shared__ Real words[2][block_y][rows_each][warps];
    const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
    if (lane == 0) {
#pragma unroll
      for (int r = 0; r < rows_each; ++r) words[turn][threadIdx.y][r][warp] = sums[r];
    }
    __syncthreads();
#pragma unroll
    for (int r = 0; r < rows_each; ++r)
      sums[r] = lane < warps ? words[turn][threadIdx.y][r][lane < warps ? lane : 0] : Real(0);
    constexpr int width = power_of_two_from(warps);
    add_lanes<width>(sums);
    // Lanes beyond `width` have added up zeros.
    if constexpr (width < 32) {
#pragma unroll
      for (int r = 0; r < rows_each; ++r) sums[r] = __shfl_sync(0xffffffffu, sums[r], lane % width);
    }
  }
}

template<bool atomic>
__device__ __forceinline__ void store_rows(Real* y, const Real (&sums)[rows_each], int row,
                                           const Strip& strip) {
  if (threadIdx.x != 0) return;
#pragma unroll
  for (int r = 0; r < rows_each; ++r) {
    if (row + r >= strip.rows) break;
    if (atomic && !strip.alone)
      atomicAdd(y + row + r, sums[r]);
    else
      y[row + r] = sums[r];
  }
}

// y's elements of the thread's rows of a batch.
__device__ __forceinline__ void load_coefficients(Real (&to)[rows_each], const Real* y, int row, int rows) {
#pragma unroll
  for (int r = 0; r < rows_each; ++r) to[r] = row + r < rows ? y[row + r] : Real(0);
}

// What is done with a batch that is there. `y`: of n and both written (`atomic`: added to, where there are
// other tiles), of t read, from
// the strip's first row on; `coefficients` those of t.
template<Product product, bool atomic, class Cells>
__device__ __forceinline__ void use_batch(const Cells& a, const Factors& x, Real* y,
                                          const Real (&coefficients)[rows_each], Real (&z)[cells], int number,
                                          const Strip& strip) {
  if constexpr (product == Product::t) {
    add_rows(z, a, coefficients);
  } else {
    Real sums[rows_each];
    multiply_rows(sums, a, x);
    add_threads(sums, number & 1);
    store_rows<atomic>(y, sums, row_of(number), strip);
    if constexpr (product == Product::both) add_rows(z, a, sums);
  }
}

// Through registers: with two stages, the loads of a batch are on their way while the one before is used.
template<Product product, bool atomic>
__device__ __forceinline__ void march_registers(const Strip& strip, const Factors& x, Real* y,
                                                Real (&z)[cells]) {
  const int batches = batches_of(strip);
  Real now[rows_each][cells], coefficients[rows_each];
  const auto load = [&](Real(&to)[rows_each][cells], Real(&factors)[rows_each], int number) {
    load_batch(to, strip, number);
    if constexpr (product == Product::t) load_coefficients(factors, y, row_of(number), strip.rows);
  };
  if constexpr (stages == 1) {
    for (int number = 0; number < batches; ++number) {
      load(now, coefficients, number);
      use_batch<product, atomic>(InRegisters{now}, x, y, coefficients, z, number, strip);
    }
  } else {
    Real next[rows_each][cells], next_coefficients[rows_each];
    load(now, coefficients, 0);
    for (int number = 0; number < batches; ++number) {
      if (number + 1 < batches) load(next, next_coefficients, number + 1);
      use_batch<product, atomic>(InRegisters{now}, x, y, coefficients, z, number, strip);
      if (number + 1 < batches) {
#pragma unroll
        for (int r = 0; r < rows_each; ++r) {
          coefficients[r] = next_coefficients[r];
#pragma unroll
          for (int i = 0; i < cells; ++i) now[r][i] = next[r][i];
        }
      }
    }
  }
}

// y's elements of a batch for each team, copied with its cells: lanes copy for each other.
struct CoefficientRing {
  Real* own;                                               // the team's elements of stage 0
  static constexpr int step = threads / team * rows_each;  // from a stage to the next

  __device__ __forceinline__ void copy(int stage, const Real* y, int row, int rows) const {
    for (int r = static_cast<int>(threadIdx.x) % team; r < rows_each; r += team) {
      const bool exists = row + r < rows;
      copy_async_part<sizeof(Real)>(own + stage * step + r, y + (exists ? row + r : 0),
                                    exists ? static_cast<int>(sizeof(Real)) : 0);
    }
  }
  __device__ __forceinline__ void get(Real (&to)[rows_each], int stage) const {
#pragma unroll
    for (int r = 0; r < rows_each; ++r) to[r] = own[stage * step + r];
  }
};

// Through shared memory, by asynchronous copies `stages` - 1 batches ahead. `ring` has room for `stages`.
template<Product product, bool atomic>
__device__ __forceinline__ void march_shared(const Strip& strip, const Factors& x, Real* y, Real (&z)[cells],
                                             Real* ring) {
  __shared__ Real words[product == Product::t ? stages * CoefficientRing::step : 1];
  const int batches = batches_of(strip);
  Real* const own = ring + own_cell();
  const CoefficientRing coefficients{words + thread_number() / team * rows_each};
  const auto copy = [&](int number, int stage) {
    if (number < batches) {
      copy_batch(own + stage * (batch * tile), strip, number);
      if constexpr (product == Product::t) coefficients.copy(stage, y, row_of(number), strip.rows);
    }
    commit_async();
  };
#pragma unroll 1
  for (int number = 0; number < stages - 1; ++number) copy(number, number);
  int stage = 0, free = stages - 1;
#pragma unroll 1
  for (int number = 0; number < batches; ++number) {
    Real factors[rows_each];
    if constexpr (product == Product::t) {
      wait_async<stages - 2>();
      // Lanes have copied for each other, and all have read what the next copy overwrites.
      __syncwarp();
      coefficients.get(factors, stage);
      copy(number + stages - 1, free);
    } else {
      copy(number + stages - 1, free);
      wait_async<stages - 1>();
    }
    use_batch<product, atomic>(InShared{own + stage * (batch * tile)}, x, y, factors, z, number, strip);
    free = stage;
    stage = stage + 1 == stages ? 0 : stage + 1;
  }
}

// Whether threads may still be reading others' parts of the shared memory when a march is over: their cells
// of the last batch, or x, where no barrier came after its last use.
template<Product product>
constexpr bool busy_after = kept == Kept::shared ||
                            (product != Product::t && x_place == Place::shared && block_x <= team);

// All of a strip. `x` and `y` as use_batch has them, x from the thread's first column on; z is added to.
template<Product product, bool atomic>
__device__ __forceinline__ void march(const Strip& strip, const Real* x, Real* y, Real (&z)[cells],
                                      Real* shared) {
  Factors factors;
  Real* ring = shared;
  if constexpr (product != Product::t) {
    factors = load_factors(x, strip.left, shared);
    if constexpr (x_place == Place::shared) ring += tile;
  }
  if constexpr (kept == Kept::registers) {
    march_registers<product, atomic>(strip, factors, y, z);
  } else {
    march_shared<product, atomic>(strip, factors, y, z, ring);
  }
}
