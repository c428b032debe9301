# SPDX-License-Identifier: Apache-2.0
"""Finds the fastest right configuration of a CUDA kernel, and keeps everything that was measured in a database.

    import cutune, numpy as np
    x = np.random.rand(1 << 20).astype(np.float32)
    problem = cutune.Problem("scale", source, parameters={"BLOCK": [64, 128, 256]},
                             arguments={"y": cutune.Out(x, expect=2 * x), "x": x, "n": x.size},
                             grid=f"ceil_div({x.size}, BLOCK)", block="BLOCK")
    print(cutune.check(problem))          # on the CPU: right results, no races
    print(cutune.run(problem).best)       # on the first GPU

See docs/python.md."""
from ._native import TuneError
from .dispatcher import Dispatcher
from .problem import InOut, Out, Problem, Scratch, Symbol
from .search import Search
from .tuner import (Evaluation, Result, Stored, best, built_in_problems, check, command, evaluate, report, run,
                    space_size)

__all__ = ["Dispatcher", "Evaluation", "InOut", "Out", "Problem", "Result", "Scratch", "Search", "Stored", "Symbol", "TuneError", "best",
           "built_in_problems", "check", "command", "evaluate", "report", "run", "space_size", "version"]


def version() -> str:
    """Returns the version of the tuner."""
    from . import _native
    return _native.library().tune_version().decode()
