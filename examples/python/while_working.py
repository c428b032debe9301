# SPDX-License-Identifier: Apache-2.0
"""A program that tunes its kernel while it works, on arrays of CuPy. Needs a GPU.

    python3 while_working.py"""
import numpy as np

import cutune

SOURCE = """
extern "C" __global__ void axpy(float* y, const float* x, float a, int n) {
  const int first = (blockIdx.x * BLOCK + threadIdx.x) * ITEMS;
  for (int i = first; i < first + ITEMS && i < n; ++i) y[i] += a * x[i];
}
"""


def main():
    import cupy
    n = 1 << 22
    x = cupy.random.random(n, dtype=np.float32)
    y = cupy.zeros_like(x)
    host = cupy.asnumpy(x)
    problem = cutune.Problem(
        "axpy_in_python", SOURCE, kernel="axpy", parameters={"BLOCK": [64, 128, 256, 512], "ITEMS": [1, 2, 4, 8]},
        arguments={"y": cutune.InOut(np.zeros_like(host), expect=np.float32(0.5) * host), "x": host, "a": np.float32(0.5),
                   "n": n}, grid=lambda p: -(-n // (p["BLOCK"] * p["ITEMS"])), block="BLOCK")
    with cutune.Dispatcher(problem) as axpy:
        for _ in range(5000):
            axpy(y, x, np.float32(0.5), n)
        cupy.cuda.Device().synchronize()
        print("right:", bool(cupy.allclose(y, 2500 * x, rtol=1e-3)))
        print(axpy.state())


if __name__ == "__main__":
    main()
