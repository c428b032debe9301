#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What PyTorch (cuDNN, cuBLAS) or CuPy take for the workloads of `conv2d_separable` and `gemm_stream`, as somebody in
Python would write them. A rival for measure.py: prints `work,size,best_ms`, the median of 21 executions, each after
256 MiB were overwritten (works that end in "warm": without).

    bench/rivals/python_rivals.py torch
    bench/rivals/python_rivals.py cupy
"""
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


def with_torch():
    import torch
    torch.backends.cudnn.benchmark = True
    device = torch.device("cuda:0")
    scratch = torch.empty(64 << 20, dtype=torch.float32, device=device)

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


if __name__ == "__main__":
    programs = {"torch": with_torch, "cupy": with_cupy}
    if len(sys.argv) != 2 or sys.argv[1] not in programs:
        sys.exit("python_rivals.py: give 'torch' or 'cupy'")
    programs[sys.argv[1]]()
