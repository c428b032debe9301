# SPDX-License-Identifier: Apache-2.0
"""Finds the fastest correct configuration of a CUDA kernel and stores every measurement in a database.

    import cutune, numpy as np
    x = np.random.rand(1 << 20).astype(np.float32)
    problem = cutune.Problem("scale", source, parameters={"BLOCK": [64, 128, 256]},
                             arguments={"y": cutune.Out(x, expect=2 * x), "x": x, "n": x.size},
                             grid=f"ceil_div({x.size}, BLOCK)", block="BLOCK")
    print(cutune.check(problem))          # on the CPU: right results, no races
    print(cutune.run(problem).best)       # on the first GPU

See docs/reference/python.md."""
from ._native import TuneError
from .dispatcher import Dispatcher
from .problem import InOut, Out, Problem, Scratch, Symbol
from ._strategies import Space
from ._replay import Comparison, Recording, recordings, replay
from ._tuned import Tuned, tuned
from .search import Search, space
from .tuner import (Evaluation, Evaluator, Result, Stored, best, built_in_problems, charts, check, command, evaluate, report, run,
                    space_size)

__all__ = ["Comparison", "Dispatcher", "Evaluation", "Evaluator", "InOut", "Out", "Problem", "Recording", "Result", "Scratch",
           "Search", "Space", "Stored", "Symbol", "TuneError", "Tuned", "best", "built_in_problems", "charts", "check",
           "command", "evaluate", "recordings", "replay", "report", "run", "space", "space_size", "tuned", "version"]


def version() -> str:
    """Returns the version of the tuner."""
    from . import _native
    return _native.library().tune_version().decode()


def __getattr__(name: str) -> str:
    if name == "__version__":
        return version().split()[0]
    raise AttributeError(f"module 'cutune' has no attribute '{name}'")
