# SPDX-License-Identifier: Apache-2.0
"""What strategies of scripts use: the function whose value is to be minimised, and steps between numbers and values."""
import math
import numbers
import sys
from typing import Any, Dict, Iterable, List, Mapping, Optional, Sequence, Tuple, Union

import numpy

from .. import util
from ..searchspace import Searchspace

__all__ = ["CostFunc", "get_options", "scale_from_params", "snap_to_nearest_config", "unscale_and_snap_to_nearest"]


def get_options(strategy_options: Mapping[str, Any], options: Mapping[str, Tuple[str, Any]],
                unsupported: Optional[Sequence[str]] = None) -> List[Any]:
    """Returns the values of a strategy's options in their order; `options` has a text and the default of each. Raises
    ValueError for one that it has not."""
    general = {"max_fevals", "time_limit", "x0", "searchspace_construction_options"} - set(unsupported or ())
    for name in strategy_options:
        if name not in options and name not in general:
            raise ValueError(f"strategy_options: the strategy has no '{name}'; it has: {', '.join([*options, *sorted(general)])}")
    return [strategy_options.get(name, default) for name, (_, default) in options.items()]


def _nearest(value, values):
    if value in values:
        return value
    return min(values, key=lambda one: abs(one - value))


def snap_to_nearest_config(x: Sequence[Any], tune_params: Mapping[str, Sequence[Any]]) -> List[Any]:
    """Returns the nearest value of each parameter."""
    return [_nearest(value, values) for value, values in zip(x, tune_params.values())]


def scale_from_params(params: Sequence[Any], tune_params: Mapping[str, Sequence[Any]], eps: float) -> numpy.ndarray:
    """Returns a point for a configuration: each parameter has the middle of its value's part of 0 to eps * its values."""
    return numpy.array([(list(values).index(value) + 0.5) * eps for value, values in zip(params, tune_params.values())])


def unscale_and_snap_to_nearest(x: Sequence[float], tune_params: Mapping[str, Sequence[Any]], eps: float) -> List[Any]:
    """Returns the configuration of the point, or of the nearest one that has values."""
    return [values[min(max(math.floor(one / eps), 0), len(values) - 1)] for one, values in zip(x, tune_params.values())]


class CostFunc:
    """The function that a strategy minimises: it is called with a configuration, or a point, and evaluates it.

    `scaling`: points are as those of scale_from_params. `snap`: the nearest values are taken. What fails costs
    `invalid_value`; of several objectives, the costs are lists. `results` has the results so far, and `budget_spent_fraction` how much of the budget is spent. Raises
    util.StopCriterionReached when it is."""

    def __init__(self, searchspace: Searchspace, tuning_options: Any, runner: Any, *, scaling: bool = False, snap: bool = True,
                 return_invalid: bool = False, invalid_value: float = sys.float_info.max):
        self.searchspace, self.tuning_options, self.runner = searchspace, tuning_options, runner
        self.scaling, self.snap, self.return_invalid = scaling, snap, return_invalid
        self.invalid_return_value = invalid_value
        self.results: List[Dict[str, Any]] = []
        self.unique_results: Dict[Tuple[Any, ...], Dict[str, Any]] = {}
        self.budget_spent_fraction = 0.0
        self.eps = min((1 / len(values) for values in searchspace.tune_params.values()), default=1.0)

    def __call__(self, x: Sequence[Any], check_restrictions: bool = True) -> Union[float, Any]:
        return self.eval_all([x], check_restrictions)[0]

    eval = __call__

    def eval_all(self, xs: Iterable[Sequence[Any]], check_restrictions: bool = True) -> List[Union[float, Any]]:
        """Returns the costs of several."""
        budget = self.tuning_options.budget
        budget.raise_exception_if_done()
        configs = [self._config(x) for x in xs]
        valid = [not check_restrictions or self.searchspace.is_param_config_valid(config) for config in configs]
        evaluated = iter(self.runner.run([config for config, right in zip(configs, valid) if right], self.tuning_options))
        costs = []
        for config, right in zip(configs, valid):
            result = next(evaluated) if right else {**dict(zip(self.searchspace.param_names, config)),
                                                    "__error__": util.InvalidConfig()}
            if result is None:
                raise util.StopCriterionReached("the budget is spent")
            if right:
                self.results.append(result)
                self.unique_results.setdefault(config, result)
            costs.append(self._cost(result))
        self.budget_spent_fraction = budget.get_fraction_consumed()
        return costs

    def _config(self, x):
        if not self.snap:
            return tuple(x)
        if self.scaling:
            return tuple(unscale_and_snap_to_nearest(x, self.searchspace.tune_params, self.eps))
        return tuple(snap_to_nearest_config(x, self.searchspace.tune_params))

    def _cost(self, result):
        if "__error__" in result and self.return_invalid:
            return result["__error__"]
        costs = []
        for name, higher in zip(self.tuning_options.objective, self.tuning_options.objective_higher_is_better):
            value = result.get(name)
            known = "__error__" not in result and isinstance(value, numbers.Real)
            costs.append((-value if higher else value) if known else self.invalid_return_value)
        return costs if len(costs) > 1 else costs[0]

    def get_results(self) -> List[Dict[str, Any]]:
        """Returns the results so far, also repeated ones."""
        return self.results

    def get_num_unique_results(self) -> int:
        """Returns how many configurations were evaluated."""
        return len(self.unique_results)

    def get_bounds(self) -> List[Tuple[Any, Any]]:
        """Returns the least and the largest value of each parameter; of texts the first and the last one."""
        bounds = []
        for values in self.searchspace.params_values:
            try:
                bounds.append((min(values), max(values)))
            except TypeError:
                bounds.append((values[0], values[-1]))
        return bounds

    def get_start_pos(self) -> Any:
        """Returns where to begin: strategy_options["x0"], else by chance."""
        return self.get_bounds_x0_eps()[1]

    def get_bounds_x0_eps(self) -> Tuple[List[Tuple[Any, Any]], Any, float]:
        """Returns the bounds of points, where to begin, and the width of a value's part."""
        start = self.tuning_options.strategy_options.get("x0") or list(self.searchspace.get_random_sample(1)[0])
        if len(start) != self.searchspace.num_params:
            raise ValueError(f"strategy_options: x0 has {len(start)} values, and there are {self.searchspace.num_params} parameters")
        if not self.scaling:
            self.tuning_options["eps"] = 1
            return self.get_bounds(), list(start), 1
        self.tuning_options["eps"] = self.eps
        return ([(0, self.eps * len(values)) for values in self.searchspace.params_values],
                scale_from_params(start, self.searchspace.tune_params, self.eps), self.eps)
