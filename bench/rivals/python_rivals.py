#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What PyTorch (cuDNN, cuBLAS) or CuPy take for the workloads of `conv2d_separable` and `gemm_stream`, as somebody in
Python would write them, and FRNN for those of `grid_knn`. A rival for measure.py: prints `work,size,best_ms`, the median
of 21 executions, each after 256 MiB were overwritten (works that end in "warm": without).

    bench/rivals/python_rivals.py torch
    bench/rivals/python_rivals.py cupy
    bench/rivals/python_rivals.py frnn

FRNN finds the k nearest points within a radius that is given. Here the radius is as small as it may be so that at most
1 query in 100 finds fewer than k (8 points within it on average for k=1, 36 for k=16); the width of its cubes is the
best of three.
"""
import math
import statistics
import sys

EXECUTIONS = 21
CONVOLUTIONS = [(8192, 4, "float", False), (8192, 8, "float", False), (8192, 16, "float", False),
                (8192, 8, "double", False), (3072, 8, "float", True)]
PRODUCTS, EDGE = 64, 2048


def name_of(radius, kind, warm):
    return f"conv2d r={radius} {kind}" + (" warm" if warm else "")


def line(work, size, milliseconds):
    print(f"{work},{size},{milliseconds:.5f}")


def torch_timer(torch):
    scratch = torch.empty(64 << 20, dtype=torch.float32, device="cuda:0")

    def median(execute, flush=True):
        for _ in range(3):
            execute()
        times = []
        for _ in range(EXECUTIONS):
            if flush:
                scratch.zero_()
            begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
            begin.record()
            execute()
            end.record()
            end.synchronize()
            times.append(begin.elapsed_time(end))
        return statistics.median(times)
    return median


def with_torch():
    import torch
    torch.backends.cudnn.benchmark = True
    device = torch.device("cuda:0")
    median = torch_timer(torch)

    print(f"# PyTorch {torch.__version__}, cuDNN {torch.backends.cudnn.version()}")
    print("work,size,best_ms")
    for edge, radius, kind, warm in CONVOLUTIONS:
        dtype = torch.float32 if kind == "float" else torch.float64
        taps = torch.rand(2 * radius + 1, dtype=dtype, device=device)
        rows, columns = taps.reshape(1, 1, 1, -1), taps.reshape(1, 1, -1, 1)
        image = torch.rand(1, 1, edge, edge, dtype=dtype, device=device)
        torch.backends.cudnn.allow_tf32 = False

        def convolve():
            once = torch.nn.functional.conv2d(image, rows, padding=(0, radius))
            return torch.nn.functional.conv2d(once, columns, padding=(radius, 0))
        line(name_of(radius, kind, warm), f"{edge}x{edge}", median(convolve, not warm))

    torch.backends.cuda.matmul.allow_tf32 = False
    left = torch.rand(PRODUCTS, EDGE, EDGE).pin_memory()
    right = torch.rand(PRODUCTS, EDGE, EDGE).pin_memory()
    result = torch.empty(PRODUCTS, EDGE, EDGE).pin_memory()
    for slots in (2, 3, 4):
        streams = [torch.cuda.Stream() for _ in range(slots)]
        space = [[torch.empty(EDGE, EDGE, device=device) for _ in range(3)] for _ in range(slots)]

        def multiply():
            here = torch.cuda.current_stream()
            for stream in streams:
                stream.wait_stream(here)
            for i in range(PRODUCTS):
                a, b, c = space[i % slots]
                with torch.cuda.stream(streams[i % slots]):
                    a.copy_(left[i], non_blocking=True)
                    b.copy_(right[i], non_blocking=True)
                    torch.matmul(a, b, out=c)
                    result[i].copy_(c, non_blocking=True)
            for stream in streams:
                here.wait_stream(stream)
        line(f"gemm_stream float {PRODUCTS}", f"{EDGE}x{EDGE}x{EDGE}", median(multiply))


def with_cupy():
    import cupy
    from cupyx.scipy import ndimage
    scratch = cupy.empty(64 << 20, dtype=cupy.float32)
    print(f"# CuPy {cupy.__version__}, cupyx.scipy.ndimage.convolve1d")
    print("work,size,best_ms")
    for edge, radius, kind, warm in CONVOLUTIONS:
        dtype = cupy.float32 if kind == "float" else cupy.float64
        taps = cupy.random.random(2 * radius + 1).astype(dtype)
        image = cupy.random.random((edge, edge)).astype(dtype)
        once, twice = cupy.empty_like(image), cupy.empty_like(image)

        def convolve():
            ndimage.convolve1d(image, taps, axis=1, output=once, mode="constant")
            ndimage.convolve1d(once, taps, axis=0, output=twice, mode="constant")
        for _ in range(3):
            convolve()
        times = []
        for _ in range(EXECUTIONS):
            if not warm:
                scratch.fill(0)
            begin, end = cupy.cuda.Event(), cupy.cuda.Event()
            begin.record()
            convolve()
            end.record()
            end.synchronize()
            times.append(cupy.cuda.get_elapsed_time(begin, end))
        line(name_of(radius, kind, warm), f"{edge}x{edge}", statistics.median(times))


def with_frnn():
    import frnn
    import torch
    median = torch_timer(torch)
    print(f"# FRNN, PyTorch {torch.__version__}")
    print("work,size,best_ms")
    for count in (1 << 18, 1 << 20, 1 << 24):
        points, queries = (torch.rand(1, count, 3, device="cuda:0") for _ in range(2))
        side = round((count / 2) ** (1 / 3))

        def in_order_of_cubes(these):
            x, y, z = (these[0] * side).long().clamp_(0, side - 1).unbind(1)
            return these[:, ((z * side + y) * side + x).argsort()].contiguous()

        for order in ("sorted", "random"):
            if order == "sorted":
                among, of = in_order_of_cubes(points), in_order_of_cubes(queries)
            else:
                among, of = points, queries
            for k, within in ((1, 8), (16, 36)):
                radius = (within * 3 / (4 * math.pi * count)) ** (1 / 3)
                included, apart = [], []
                for ratio in (1.0, 2.0, 3.0):
                    def find(grid=None):
                        return frnn.frnn_grid_points(of, among, K=k, r=radius, grid=grid, radius_cell_ratio=ratio)
                    found, grid = find()[1], find()[3]
                    without = (found[..., k - 1] < 0).float().mean().item()
                    if without > 0.01:
                        sys.exit(f"python_rivals.py: {without:.3f} of the queries have fewer than {k} neighbours")
                    included.append(median(find))
                    apart.append(median(lambda: find(grid)))
                line(f"k={k} {order} included", f"{count}x{count}", min(included))
                line(f"k={k} {order} apart", f"{count}x{count}", min(apart))


if __name__ == "__main__":
    programs = {"torch": with_torch, "cupy": with_cupy, "frnn": with_frnn}
    if len(sys.argv) != 2 or sys.argv[1] not in programs:
        sys.exit("python_rivals.py: give 'torch', 'cupy' or 'frnn'")
    programs[sys.argv[1]]()
