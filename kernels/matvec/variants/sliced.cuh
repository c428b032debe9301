// SPDX-License-Identifier: Apache-2.0
// Rows that are wider than a block's tile: the blocks beside each other, which have a tile each of the same
// rows, tell each other their parts of the products, and each adds them up.
#pragma once

#include "exchange.cuh"
#include "march.cuh"

// A block's place among those that share its rows.
struct Exchange {
  Message* words;  // of the strip: [slot][row of the batch][part of the number][slice]
  unsigned tag;    // of batch 0
  int slices, slice;

  // A block sends batch b when all have sent batch b - lag - 1 and may still read that of batch b - 2 lag
  // - 1.
  static constexpr int slots = power_of_two_from(2 * lag + 2);

  __device__ __forceinline__ Message* at(int number, int row, int part) const {
    return words + static_cast<long long>((number % slots * batch + row) * parts_of_real + part) * slices;
  }

  // Sends the block's parts of a batch, which all threads of a row have.
  __device__ __forceinline__ void send_sums(const Real (&sums)[rows_each], int number) const {
#pragma unroll
    for (int r = 0; r < rows_each; ++r) {
      if (static_cast<int>(threadIdx.x) != r % block_x) continue;
      const int row = static_cast<int>(threadIdx.y) * rows_each + r;
#pragma unroll
      for (int i = 0; i < parts_of_real; ++i)
        send(at(number, row, i) + slice, bits_of(sums[r], i), tag + static_cast<unsigned>(number));
    }
  }

  // The sum of a row over all slices, in all lanes of a warp that calls it.
  __device__ __forceinline__ Real receive(int number, int row) const {
    constexpr int ahead = 4;  // words that a lane reads before it looks at them
    const unsigned expected = tag + static_cast<unsigned>(number);
    const int lane = thread_number() % 32;
    Real sum = 0;
    for (int first = lane; first < slices; first += 32 * ahead) {
      Message found[ahead][parts_of_real];
#pragma unroll
      for (int k = 0; k < ahead; ++k)
#pragma unroll
        for (int i = 0; i < parts_of_real; ++i)
          if (first + 32 * k < slices) found[k][i] = look(at(number, row, i) + first + 32 * k);
#pragma unroll
      for (int k = 0; k < ahead; ++k) {
        if (first + 32 * k >= slices) break;
#pragma unroll
        for (int i = 0; i < parts_of_real; ++i)
          while (tag_of(found[k][i]) != expected) found[k][i] = look(at(number, row, i) + first + 32 * k);
        sum += from_parts(found[k]);
      }
    }
#pragma unroll
    for (int distance = 16; distance > 0; distance /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, distance);
    return sum;
  }

  // The products of the thread's rows of a batch; those of all rows are written to y by the first slice.
  __device__ __forceinline__ void receive_rows(Real (&sums)[rows_each], int number, Real* y,
                                               const Strip& strip) const {
    __shared__ Real totals[2][batch];
    const int warp = thread_number() / 32;
    for (int row = warp; row < batch; row += threads / 32) {
      const Real sum = receive(number, row);
      if (thread_number() % 32 == 0) {
        totals[number & 1][row] = sum;
        if (slice == 0 && number * batch + row < strip.rows) y[number * batch + row] = sum;
      }
    }
    __syncthreads();
#pragma unroll
    for (int r = 0; r < rows_each; ++r)
      sums[r] = totals[number & 1][static_cast<int>(threadIdx.y) * rows_each + r];
  }
};

// All of a strip, as march<Product::both> does it for whole rows. A batch's products are sent at once, and
// asked for `lag` batches later: it stays in shared memory meanwhile.
__device__ __forceinline__ void march_sliced(const Strip& strip, const Exchange& exchange, const Real* x,
                                             Real* y, Real (&z)[cells], Real* shared) {
  static_assert(kept == Kept::shared && stages >= lag + 2, "a stage is filled while others wait");
  const Factors factors = load_factors(x, strip.left, shared);
  Real* const own = shared + (x_place == Place::shared ? tile : 0) + own_cell();
  const int batches = batches_of(strip);
  const auto copy = [&](int number, int stage) {
    if (number < batches) copy_batch(own + stage * (batch * tile), strip, number);
    commit_async();
  };
#pragma unroll 1
  for (int number = 0; number < stages; ++number) copy(number, number);
  int newest = 0, oldest = 0;  // stages of the batches that are multiplied and added
#pragma unroll 1
  for (int turn = 0; turn < batches + lag; ++turn) {
    if (turn < batches) {
      wait_async<stages - 1 - lag>();
      Real sums[rows_each];
      multiply_rows(sums, InShared{own + newest * (batch * tile)}, factors);
      add_threads(sums, turn & 1);
      exchange.send_sums(sums, turn);
      newest = newest + 1 == stages ? 0 : newest + 1;
    }
    const int number = turn - lag;
    if (number >= 0) {
      Real sums[rows_each];
      exchange.receive_rows(sums, number, y, strip);
      add_rows(z, InShared{own + oldest * (batch * tile)}, sums);
      copy(number + stages, oldest);
      oldest = oldest + 1 == stages ? 0 : oldest + 1;
    }
  }
}
