# SPDX-License-Identifier: Apache-2.0
"""A search whose loop is the script's own: the model chooses the block sizes of a product of matrices in NumPy.

    python3 own_loop.py"""
import time

import numpy as np

import cutune

SIZE = 240
A, B = np.random.default_rng(1).random((2, SIZE, SIZE))


def seconds(rows, columns, depth):
    """Returns the time of a product in blocks of these extents; None where it is wrong."""
    started = time.perf_counter()
    product = np.zeros((SIZE, SIZE))
    for i in range(0, SIZE, rows):
        for j in range(0, SIZE, columns):
            for k in range(0, SIZE, depth):
                product[i:i + rows, j:j + columns] += A[i:i + rows, k:k + depth] @ B[k:k + depth, j:j + columns]
    elapsed = time.perf_counter() - started
    return elapsed if np.allclose(product, A @ B) else None


def main():
    sizes = [20, 40, 60, 80, 120, 240]
    search = cutune.Search({"rows": sizes, "columns": sizes, "depth": sizes}, ["rows * columns * depth >= 64000"])
    best, least = search.minimize(seconds, evaluations=25)
    print(f"the best of 25 of {search.space_size}: {best}, {least * 1e3:.2f} ms")


if __name__ == "__main__":
    main()
