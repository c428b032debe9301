# SPDX-License-Identifier: Apache-2.0
"""As much of CuPy as Kernel Tuner's backend and compare.py call, without a GPU, for --dry-run.

Arrays lie in host memory; a module is really compiled where NVRTC is found; a launch checks what it is given and
writes the expected output instead of computing it. Also answers for cupyx.
"""
import ctypes
import os
import time
from types import SimpleNamespace

import numpy as host

expected = None  # logical array that a launch writes; set by compare.py
float64, uint8 = host.float64, host.uint8


class ndarray:
    """Not a numpy array to isinstance, as CuPy's are not."""

    def __init__(self, array):
        self.host = array

    dtype = property(lambda self: self.host.dtype)
    shape = property(lambda self: self.host.shape)
    size = property(lambda self: self.host.size)

    def __array_function__(self, function, types, args, kwargs):
        if function is not host.zeros_like:
            return NotImplemented
        return ndarray(host.zeros(self.shape, self.dtype))

    def fill(self, value):
        self.host.fill(value)


def asarray(array):
    return array if isinstance(array, ndarray) else ndarray(array)


def zeros(shape, dtype):
    return ndarray(host.zeros(shape, dtype))


def copyto(destination, source):
    host.copyto(destination.host, source.host)


def get_runtime_info():
    return "Device 0 Name : stand-in\nDevice 0 PCI Bus ID : 0000:00:00.0\nend"


class Device:
    attributes = {"MaxThreadsPerBlock": 1024}
    compute_capability = "90"

    def __init__(self, number):
        self.number = number

    def use(self):
        pass

    def synchronize(self):
        pass


class Event:
    done = True

    def record(self, stream=None):
        self.moment = time.perf_counter()


cuda = SimpleNamespace(
    Device=Device, Stream=SimpleNamespace, Event=Event,
    get_elapsed_time=lambda start, end: 1e3 * (end.moment - start.moment),
    runtime=SimpleNamespace(driverGetVersion=lambda: 13000,
                            getDeviceProperties=lambda number: {"uuid": bytes(16), "l2CacheSize": 1 << 20}))


def open_nvrtc():
    names = ["libnvrtc.so.13", "libnvrtc.so.12"]
    for root in ("", os.environ.get("CUDA_HOME", ""), "/usr/local/cuda"):
        for name in names:
            try:
                return ctypes.CDLL(f"{root}/lib64/{name}" if root else name)
            except OSError:
                continue
    print("dry run: no NVRTC here, nothing is compiled")
    return None


nvrtc = open_nvrtc()


def compile_with_nvrtc(code, options, entry):
    program = ctypes.c_void_p()
    nvrtc.nvrtcCreateProgram(ctypes.byref(program), code.encode(), b"", 0, None, None)
    nvrtc.nvrtcAddNameExpression(program, entry.encode())
    words = [option.encode() for option in (*options, "--gpu-architecture=sm_90")]
    status = nvrtc.nvrtcCompileProgram(program, len(words), (ctypes.c_char_p * len(words))(*words))
    size = ctypes.c_size_t()
    nvrtc.nvrtcGetProgramLogSize(program, ctypes.byref(size))
    log = ctypes.create_string_buffer(size.value)
    nvrtc.nvrtcGetProgramLog(program, log)
    nvrtc.nvrtcDestroyProgram(ctypes.byref(program))
    if status != 0:
        raise RuntimeError(log.value.decode(errors="replace"))


class Kernel:
    num_regs = 0

    def __init__(self, code):
        self.code = code

    def macro(self, name):
        words = [line.split() for line in self.code.splitlines() if line.startswith("#define")]
        return int(next(value for _, key, value in words if key == name))

    def __call__(self, grid, block, arguments, stream=None, shared_mem=0):
        source, out, nx, ny, nz, pitch, plane = arguments
        values = {name: self.macro(name) for name in
                  ("BLOCK_X", "BLOCK_Y", "BLOCK_Z", "VECTOR", "CELLS_Y", "CELLS_Z", "PADDED")}
        assert block == (values["BLOCK_X"], values["BLOCK_Y"], values["BLOCK_Z"]), (block, values)
        tiles = (values["BLOCK_X"] * values["VECTOR"], values["BLOCK_Y"] * values["CELLS_Y"],
                 values["BLOCK_Z"] * values["CELLS_Z"])
        blocks = 1
        for extent, tile in zip((nx, ny, nz), tiles):
            blocks *= -(-int(extent) // tile)
        assert grid == (blocks, 1, 1), (grid, blocks)
        assert type(nx) is host.int32 and type(pitch) is host.int64
        for array in (source, out):
            bytes_ = array.dtype.itemsize
            assert array.shape == (nz, ny, nx) and array.host.strides == (plane * bytes_, pitch * bytes_, bytes_)
        assert not host.isnan(source.host).any()
        out.host[...] = expected


class RawModule:
    def __init__(self, code, options=(), name_expressions=()):
        self.code = code
        if nvrtc is not None:
            compile_with_nvrtc(code, options, name_expressions[0])

    def get_function(self, name):
        return Kernel(self.code)
