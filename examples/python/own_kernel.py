# SPDX-License-Identifier: Apache-2.0
"""A kernel of one's own: checked on the CPU, tuned on a GPU, its best configuration used later.

    python3 own_kernel.py emulator        # without a GPU
    python3 own_kernel.py 0               # the first GPU"""
import sys

import numpy as np

import cutune

SOURCE = """
extern "C" __global__ void transpose(float* out, const float* in, int width, int height) {
  __shared__ float tile[TILE][TILE + PADDING];
  const int x = blockIdx.x * TILE + threadIdx.x;
  for (int row = threadIdx.y; row < TILE; row += ROWS) {
    const int y = blockIdx.y * TILE + row;
    if (x < width && y < height) tile[row][threadIdx.x] = in[y * width + x];
  }
  __syncthreads();
  const int column = blockIdx.y * TILE + threadIdx.x;
  for (int row = threadIdx.y; row < TILE; row += ROWS) {
    const int line = blockIdx.x * TILE + row;
    if (column < height && line < width) out[line * height + column] = tile[threadIdx.x][row];
  }
}
"""


def problem(width, height):
    """Returns the problem for a matrix of these extents, with its right result."""
    matrix = np.random.default_rng(1).random((height, width), dtype=np.float32)
    return cutune.Problem(
        "transpose_in_python", SOURCE, kernel="transpose",
        parameters={"TILE": [16, 32, 64], "ROWS": [4, 8, 16, 32], "PADDING": [0, 1]},
        constraints=[lambda TILE, ROWS: ROWS <= TILE and TILE * ROWS <= 1024],
        arguments={"out": cutune.Out(np.empty((width, height), np.float32), expect=matrix.T.copy()), "in": matrix,
                   "width": width, "height": height},
        grid=lambda p: (-(-width // p["TILE"]), -(-height // p["TILE"])), block=["TILE", "ROWS"],
        more={"work": {"items": width * height, "item": "element", "bytes": 8 * width * height}})


def main():
    device = sys.argv[1] if len(sys.argv) > 1 else "0"
    small = cutune.check(problem(67, 33))
    print("on the CPU:", small)
    if device == "emulator":
        return
    result = cutune.run(problem(8192, 8192), device=device, seconds=30)
    print(result)
    print("stored:", cutune.best(problem(8192, 8192), device=device))


if __name__ == "__main__":
    main()
