// SPDX-License-Identifier: Apache-2.0
// out[r] = sqrt(sum over c of in[r][c]^2): LANES threads for each row, BLOCK threads a block.
extern "C" __global__ void row_norms(float* out, const float* in, int rows, int columns) {
  const int row = blockIdx.x * (BLOCK / LANES) + threadIdx.x / LANES;
  const int lane = threadIdx.x % LANES;
  float sum = 0;
  if (row < rows) {
    const float* const values = in + static_cast<long long>(row) * columns;
#pragma unroll UNROLL
    for (int column = lane; column < columns; column += LANES) sum += values[column] * values[column];
  }
  for (int offset = LANES / 2; offset > 0; offset /= 2)
    sum += __shfl_down_sync(0xffffffffu, sum, offset, LANES);
  if (row < rows && lane == 0) out[row] = sqrtf(sum);
}
