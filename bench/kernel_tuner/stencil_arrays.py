# SPDX-License-Identifier: Apache-2.0
"""Input, expected output and the kernels' views of both. `xp` is numpy or CuPy: where the arrays lie."""
import importlib


def make_input(xp, dtype, shape, seed=1):
    """The numbers that tune fills its input with (kernels/stencil/reference.cpp), plane by plane."""
    cells = shape[1] * shape[2]
    array = xp.empty(shape, dtype)
    start = (seed * 0x9E3779B97F4A7C15) % 2**64
    for z in range(shape[0]):
        counter = xp.arange(cells, dtype=xp.uint64) + xp.uint64((start + z * cells) % 2**64)
        for factor in (0xFF51AFD7ED558CCD, 0xC4CEB9FE1A85EC53):
            counter ^= counter >> xp.uint64(33)
            counter *= xp.uint64(factor)
        counter ^= counter >> xp.uint64(33)
        numbers = (counter >> xp.uint64(40)).astype(xp.float64) * 2.0**-23 - 1.0
        array[z] = numbers.reshape(shape[1:]).astype(dtype)
    return array


def make_reference(xp, stencil, array):
    """One time step in double precision."""
    radius, (nz, ny, nx) = stencil["radius"], array.shape
    out = array.astype(xp.float64)
    if min(nx, ny, nz) <= 2 * radius:
        return out
    total = xp.zeros((nz - 2 * radius, ny - 2 * radius, nx - 2 * radius))
    for dx, dy, dz, weight in stencil["points"]:
        total += weight * array[radius + dz : nz - radius + dz, radius + dy : ny - radius + dy,
                                radius + dx : nx - radius + dx].astype(xp.float64)
    out[radius : nz - radius, radius : ny - radius, radius : nx - radius] = total
    return out


def layout_of(plan, buffer):
    spec = plan["buffers"][buffer]
    return (*spec["strides"], spec["offset"])


def strided_view(xp, flat, extents, layout):
    """The logical array inside an allocation: its address is that of cell (0, 0, 0)."""
    *strides, offset = layout
    sizes = [stride * flat.itemsize for stride in reversed(strides)]
    as_strided = importlib.import_module(f"{xp.__name__}.lib.stride_tricks").as_strided
    return as_strided(flat[offset:], shape=tuple(reversed(extents)), strides=tuple(sizes))


class Memory:
    """The buffers of all layouts on the device. Layouts share one output; each has an input of its own."""

    def __init__(self, xp, data):
        plans = data["plans"]
        spec = plans[0]["buffers"]["in"]
        self.dtype = xp.dtype({"float": "float32", "double": "float64"}[spec["type"]])
        extents = spec["extents"]
        self.layouts = list(dict.fromkeys(layout_of(plan, "in") for plan in plans))
        allocation = max(plan["buffers"][name]["allocation"] for plan in plans for name in ("in", "out"))
        logical = make_input(xp, self.dtype, tuple(reversed(extents)))
        self.reference = make_reference(xp, data["stencil"], logical)
        self.out = xp.full(allocation, xp.nan, self.dtype)
        self.views = {"in": {}, "out": {}}
        for number, layout in enumerate(self.layouts):
            flat = xp.full(allocation, xp.nan, self.dtype)  # ghost cells may never matter
            view = strided_view(xp, flat, extents, layout)
            view[...] = logical
            self.views["in"][number] = view
            self.views["out"][number] = strided_view(xp, self.out, extents, layout)

    def number(self, plan):
        return self.layouts.index(layout_of(plan, "in"))
