#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Two scripts for Kernel Tuner, run by it and by cutune.kernel_tuner: the whole time of each, and evaluations a second.

Both evaluate every configuration of the same list, with the same inputs, expected outputs and settings; the one line
that differs is the import. Each run is a process of its own, and nothing is cached. Needs NumPy, a GPU, and for
--with kernel_tuner Kernel Tuner with the backend that is named (cupy is its fastest). "nvrtc" compiles the same list on
every core and does nothing else: no tuner that compiles with NVRTC can be faster.
"""
import argparse
import ctypes
import importlib
import itertools
import json
import multiprocessing
import os
import subprocess
import sys
import tempfile
import time

import numpy

stencil_source = """
__global__ void stencil(float* out, const float* in, int nx, int ny, int nz) {
  const int x = blockIdx.x * block_size_x + threadIdx.x, y = blockIdx.y * block_size_y + threadIdx.y;
  if (x >= nx || y >= ny) return;
  const size_t plane = (size_t)nx * ny;
  #pragma unroll unroll
  for (int step = 0; step < cells_z; ++step) {
    const int z = blockIdx.z * cells_z + step;
    if (z >= nz) return;
    const size_t at = z * plane + (size_t)y * nx + x;
    const bool edge = x == 0 || y == 0 || z == 0 || x == nx - 1 || y == ny - 1 || z == nz - 1;
    out[at] = edge ? in[at] : 0.4f * in[at] + 0.1f * (in[at - 1] + in[at + 1] + in[at - nx] + in[at + nx] +
                                                      in[at - plane] + in[at + plane]);
  }
}"""

convolution_source = """
__constant__ float weights[15 * 15];
__global__ void convolution(float* out, const float* in, int width, int height) {
  const int pitch = width + 14;
  const int x0 = blockIdx.x * block_size_x * tile_x + threadIdx.x, y0 = blockIdx.y * block_size_y * tile_y + threadIdx.y;
  float sums[tile_y][tile_x] = {};
  #pragma unroll
  for (int j = 0; j < 15; ++j)
    #pragma unroll
    for (int i = 0; i < 15; ++i)
      #pragma unroll
      for (int ty = 0; ty < tile_y; ++ty)
        #pragma unroll
        for (int tx = 0; tx < tile_x; ++tx) {
          const int x = x0 + tx * block_size_x, y = y0 + ty * block_size_y;
          if (x < width && y < height) sums[ty][tx] += weights[j * 15 + i] * in[(size_t)(y + j) * pitch + x + i];
        }
  for (int ty = 0; ty < tile_y; ++ty)
    for (int tx = 0; tx < tile_x; ++tx) {
      const int x = x0 + tx * block_size_x, y = y0 + ty * block_size_y;
      if (x < width && y < height) out[(size_t)y * width + x] = sums[ty][tx];
    }
}"""


def stencil(n=256):
    a = numpy.random.default_rng(1).random((n, n, n), dtype=numpy.float32)
    expected = a.copy()
    expected[1:-1, 1:-1, 1:-1] = 0.4 * a[1:-1, 1:-1, 1:-1] + 0.1 * (
        a[1:-1, 1:-1, :-2] + a[1:-1, 1:-1, 2:] + a[1:-1, :-2, 1:-1] + a[1:-1, 2:, 1:-1] + a[:-2, 1:-1, 1:-1] + a[2:, 1:-1, 1:-1])
    parameters = {"block_size_x": [32, 64, 128, 256], "block_size_y": [1, 2, 4], "cells_z": [1, 2, 4, 8, 16, 32], "unroll": [1, 2, 4]}
    sizes = [numpy.int32(n)] * 3
    return dict(kernel_name="stencil", kernel_source=stencil_source, problem_size=(n, n, n),
                arguments=[numpy.zeros_like(a).ravel(), a.ravel(), *sizes], tune_params=parameters,
                grid_div_z=["cells_z"], answer=[expected.ravel(), None, None, None, None], atol=1e-4)


def convolution(width=2048, height=2048):
    random = numpy.random.default_rng(1)
    image = random.random((height + 14, width + 14), dtype=numpy.float32)
    weights = random.random((15, 15), dtype=numpy.float32)
    expected = numpy.zeros((height, width), dtype=numpy.float32)
    for j in range(15):
        for i in range(15):
            expected += weights[j, i] * image[j:j + height, i:i + width]
    parameters = {"block_size_x": [16, 32, 64, 128], "block_size_y": [1, 2, 4], "tile_x": [1, 2, 4], "tile_y": [1, 2]}
    return dict(kernel_name="convolution", kernel_source=convolution_source, problem_size=(width, height),
                arguments=[numpy.zeros(width * height, numpy.float32), image.ravel(), numpy.int32(width), numpy.int32(height)],
                tune_params=parameters, grid_div_x=["block_size_x", "tile_x"], grid_div_y=["block_size_y", "tile_y"],
                cmem_args={"weights": weights.ravel()}, answer=[expected.ravel(), None, None, None], atol=1e-2)


works = {"stencil": stencil, "convolution": convolution}


def compile_alone(job):
    """Compiles one configuration to machine code. Returns whether that succeeded."""
    source, values, architecture = job
    nvrtc = ctypes.CDLL("libnvrtc.so")
    program = ctypes.c_void_p()
    options = [f"--gpu-architecture=sm_{architecture}", "--std=c++20", *(f"-D{name}={value}" for name, value in values.items())]
    words = (ctypes.c_char_p * len(options))(*(one.encode() for one in options))
    nvrtc.nvrtcCreateProgram(ctypes.byref(program), source.encode(), b"kernel.cu", 0, None, None)
    return nvrtc.nvrtcCompileProgram(program, len(options), words) == 0


def run_nvrtc(name):
    """Prints how many configurations of one script NVRTC compiles, and the seconds with a process for each core."""
    work = works[name]()
    lists = work["tune_params"]
    capability = subprocess.run(["nvidia-smi", "--query-gpu=compute_cap", "--format=csv,noheader", "--id=0"],
                                check=True, capture_output=True, text=True).stdout.strip().replace(".", "")
    jobs = [(work["kernel_source"], dict(zip(lists, values)), capability + ("a" if capability == "90" else ""))
            for values in itertools.product(*lists.values())]
    with multiprocessing.Pool(len(os.sched_getaffinity(0))) as pool:
        begin = time.perf_counter()
        compiled = sum(pool.imap_unordered(compile_alone, jobs))
        seconds = time.perf_counter() - begin
    print("RESULT " + json.dumps({"evaluated": len(jobs), "right": compiled, "seconds": seconds, "best": float("nan")}))


def run_one(tuner, name, arguments):
    """Prints how many configurations one script evaluated, the seconds that it took and the best time."""
    if tuner == "nvrtc":
        return run_nvrtc(name)
    kernel_tuner = importlib.import_module(tuner)
    work = works[name]()
    if arguments.no_answer:
        del work["answer"], work["atol"]
    extra = {"lang": arguments.backend} if tuner == "kernel_tuner" else {}
    begin = time.perf_counter()
    results, _ = kernel_tuner.tune_kernel(**work, verbose=False, quiet=True, **extra)
    seconds = time.perf_counter() - begin
    times = [one["time"] for one in results if isinstance(one["time"], float)]
    print("RESULT " + json.dumps({"evaluated": len(results), "right": len(times), "seconds": seconds, "best": min(times)}))
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--with", dest="tuners", nargs="+", default=["kernel_tuner", "cutune.kernel_tuner"],
                        help="kernel_tuner, cutune.kernel_tuner, nvrtc; default: the first two")
    parser.add_argument("--only", nargs="+", default=list(works), choices=list(works), help="the scripts")
    parser.add_argument("--backend", default="cupy", help="of Kernel Tuner; default: cupy")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--no-answer", action="store_true", help="nothing is compared with an expected output")
    parser.add_argument("--one", nargs=2, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.one:
        return run_one(*arguments.one, arguments)
    print(f"{'script':12} {'run by':20} {'evaluated':>9} {'right':>6} {'seconds':>8} {'a second':>9} {'best ms':>9}")
    for name in arguments.only:
        for _ in range(arguments.repeats):
            for tuner in arguments.tuners:
                with tempfile.TemporaryDirectory() as folder:
                    environment = {**os.environ, "TUNE_DB": f"{folder}/t.db", "XDG_CACHE_HOME": folder, "CUPY_CACHE_DIR": folder}
                    done = subprocess.run([sys.executable, __file__, "--backend", arguments.backend, "--one", tuner, name,
                                           *(["--no-answer"] if arguments.no_answer else [])],
                                          env=environment, cwd=folder, capture_output=True, text=True)
                line = next((line for line in done.stdout.splitlines() if line.startswith("RESULT ")), None)
                if line is None:
                    sys.exit(f"{name} by {tuner} failed:\n{done.stdout[-1000:]}{done.stderr[-2000:]}")
                found = json.loads(line[len("RESULT "):])
                print(f"{name:12} {tuner:20} {found['evaluated']:9} {found['right']:6} {found['seconds']:8.2f} "
                      f"{found['evaluated'] / found['seconds']:9.1f} {found['best']:9.4f}", flush=True)
    return None


if __name__ == "__main__":
    main()
