# SPDX-License-Identifier: Apache-2.0
"""The functions, where scripts look for them."""
from . import run_kernel, tune_cache, tune_kernel
from ._runner import Options
from .strategies import NEAREST, STRATEGIES, Named

__all__ = ["Options", "run_kernel", "strategy_map", "tune_cache", "tune_kernel"]

#: The strategies that have names.
strategy_map = {name: Named(name) for name in [*STRATEGIES, *NEAREST] if name is not None}
