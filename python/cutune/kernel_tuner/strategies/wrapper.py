# SPDX-License-Identifier: Apache-2.0
"""Optimisers of a script as strategies."""
from abc import ABC, abstractmethod
from typing import Any, Tuple

from .. import util
from ..searchspace import Searchspace
from .common import CostFunc

__all__ = ["OptAlg", "OptAlgWrapper"]


class OptAlg(ABC):
    """The base of a script's optimisers. `costfunc_kwargs`: options of the CostFunc that it is called with."""

    def __init__(self):
        self.costfunc_kwargs = {"scaling": False, "snap": False}

    @abstractmethod
    def __call__(self, func: CostFunc, searchspace: Searchspace) -> Tuple[Any, float]:
        """Minimises `func`. Returns the best configuration and its cost, which nobody reads."""


class OptAlgWrapper:
    """A strategy of an optimiser: tune_kernel(..., strategy=OptAlgWrapper(Mine()))."""

    def __init__(self, optimizer: Any):
        self.optimizer = optimizer

    def tune(self, searchspace: Searchspace, runner: Any, tuning_options: Any) -> list:
        """Is called by tune_kernel."""
        cost = CostFunc(searchspace, tuning_options, runner, **getattr(self.optimizer, "costfunc_kwargs", {"snap": False}))
        cost.get_bounds_x0_eps()
        try:
            self.optimizer(cost, searchspace)
        except util.StopCriterionReached:
            pass
        return cost.results
