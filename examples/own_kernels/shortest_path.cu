// SPDX-License-Identifier: Apache-2.0
// The least sum on a way down through rows of costs, to one of the three neighbours below in each row: a
// block takes STEPS rows for columns that become fewer by one on each side with each row.

#ifndef BLOCK
#define BLOCK 256  // threads of a block: columns of its first row
#endif
#ifndef STEPS
#define STEPS 16  // rows
#endif

extern "C" __global__ void __launch_bounds__(BLOCK)
    walk(const int* __restrict__ costs, const int* __restrict__ from, int* __restrict__ to, int width) {
  __shared__ int sums[2][BLOCK];
  const int place = threadIdx.x, column = blockIdx.x * (BLOCK - 2 * STEPS) - STEPS + place;
  const bool exists = column >= 0 && column < width;
  sums[0][place] = exists ? from[column] : 2147483647;
  for (int step = 1; step <= STEPS; ++step) {
    __syncthreads();
    if (place < step || place >= BLOCK - step || !exists) continue;
    const int* const old = sums[(step - 1) % 2];
    int least = old[place];
    if (column > 0) least = min(least, old[place - 1]);
    if (column < width - 1) least = min(least, old[place + 1]);
    least += costs[static_cast<size_t>(step - 1) * width + column];
    if (step == STEPS)
      to[column] = least;
    else
      sums[step % 2][place] = least;
  }
}
