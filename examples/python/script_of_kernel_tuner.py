# SPDX-License-Identifier: Apache-2.0
"""A script in the manner of Kernel Tuner; only the import names another package.

    CUTUNE_DEVICE=emulator python3 script_of_kernel_tuner.py     # without a GPU
    python3 script_of_kernel_tuner.py"""
import sys

import numpy as np

import cutune.kernel_tuner as kernel_tuner

SOURCE = """
__global__ void dot(float* sums, const float* x, const float* y, int n) {
  __shared__ float partial[block_size_x];
  float sum = 0;
  for (int i = blockIdx.x * block_size_x + threadIdx.x; i < n; i += gridDim.x * block_size_x) sum += x[i] * y[i];
  partial[threadIdx.x] = sum;
  __syncthreads();
  for (int half = block_size_x / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) partial[threadIdx.x] += partial[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) sums[blockIdx.x] = partial[0];
}
"""


def main():
    size = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000_000
    x, y = np.random.default_rng(1).random((2, size), dtype=np.float32)
    exact = float(np.dot(x.astype(np.float64), y))

    def verify(answer, results, atol=None):
        blocks = results[0][np.nonzero(results[0])]          # the number of blocks is a parameter
        return bool(np.isclose(blocks.sum(dtype=np.float64), exact, rtol=1e-4))

    counts = [count for count in (32, 128, 512, 1024) if 64 * count <= size]
    results, env = kernel_tuner.tune_kernel(
        "dot", SOURCE, lambda p: p["blocks"], [np.zeros(1024, np.float32), x, y, np.int32(size)],
        {"block_size_x": [64, 128, 256, 512], "blocks": counts}, grid_div_x=[], verify=verify,
        metrics={"GB/s": lambda p: 8 * size / 1e6 / p["time"]})
    wrong = [one for one in results if "__error__" in one]
    print(f"{len(results)} configurations, {len(wrong)} failed")
    print("best:", env.get("best_config"))


if __name__ == "__main__":
    main()
