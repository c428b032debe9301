# SPDX-License-Identifier: Apache-2.0
"""Searches whose loop is the script's own."""
import ctypes
import math
import os
import threading
from typing import Any, Callable, Dict, Iterable, List, Optional, Tuple, Union

from . import _native
from ._strategies import Space
from .problem import AnyProblem, Problem, _several, _whole, problem_of

__all__ = ["Search", "as_list", "configurations", "space"]

_KERNEL = 'extern "C" __global__ void none(int* none_) { none_[0] = 0; }'


def as_list(rules: Any) -> List[Union[str, Callable]]:
    """Returns constraints as a list: one text or function is a list of one, None is none."""
    if rules is None:
        return []
    return [rules] if callable(rules) or isinstance(rules, str) else list(_several(rules, "constraints"))


def configurations(parameters: Dict[str, List[Any]], constraints: Iterable[Union[str, Callable]] = ()) -> List[Tuple]:
    """Returns the values of all valid configurations, in the order of the parameters, as they are given."""
    valid = space(parameters, constraints)
    given = {name: {(type(value), value): value for value in reversed(values)} for name, values in parameters.items()}
    loose = {name: {value: value for value in reversed(values)} for name, values in parameters.items()}
    columns = [[given[name].get((type(one), one), loose[name].get(one)) for one in values]
               for name, values in valid.parameters.items()]
    return [tuple(column[index] for column, index in zip(columns, valid.row(at))) for at in range(len(valid))]


def space(problem: Union[AnyProblem, Dict[str, Any]], constraints: Union[str, Callable, Iterable[Union[str, Callable]]] = (), *,
          sizes: Optional[Dict[str, Any]] = None, where: Union[str, Callable, None] = None) -> Space:
    """Returns the valid configurations of a problem, or of a dict of parameters, with the limits of an sm_90. Arguments are
    those of Search."""
    return Search(problem, constraints, sizes=sizes, strategy="grid", where=where).space


def _seed(seed):
    if not 0 <= _whole(seed, "seed") < 2**64:
        raise ValueError(f"seed is {seed}: give a whole number of 0 or more, below 2**64")
    return int(seed)


class Search:
    """Chooses what to evaluate next; the script evaluates it, whatever that is. Nothing is measured or stored here.

    problem      a Problem, its path or name as of `run`, or a dict of parameters: the values of each, the first is the default
    constraints  texts or functions, as of a Problem; only with a dict
    sizes        dict of the sizes and settings that are not at their defaults
    strategy     "auto" (the model), "random", "uniform", "annealing", "genetic", "ils", "pso", "grid", with options as
                 of --strategy; seed: of the strategy
    where        restricts the space: an expression, or a function of the parameters

        search = cutune.Search({"tile": [8, 16, 32], "unroll": [1, 2, 4]}, ["tile * unroll <= 64"])
        while (configuration := search.ask()) is not None:
            search.tell(configuration, seconds(**configuration))

    Several threads may ask and tell. Raises ValueError for wrong arguments."""

    def __init__(self, problem: Union[AnyProblem, Dict[str, Any]],
                 constraints: Union[str, Callable, Iterable[Union[str, Callable]]] = (), *,
                 sizes: Optional[Dict[str, Any]] = None, strategy: str = "auto", seed: int = 1,
                 where: Union[str, Callable, None] = None):
        self._handle, self._lock = None, threading.Lock()
        if isinstance(problem, (Problem, str, os.PathLike)):
            problem = problem_of(problem)
            if constraints:
                raise ValueError("a Problem has its own constraints: restrict it by 'where'")
        else:
            problem = Problem("search", _KERNEL, parameters=problem, constraints=constraints, kernel="none", grid=1,
                              block=1, arguments={"none_": {"type": "int", "size": 1, "access": "write"}},
                              more={"reference": "none"})
        self._problem = problem
        where = problem.restriction(where)
        array, count = _native.assignments(sizes or {})
        handle = ctypes.c_void_p()
        _native.check(_native.library().tune_search_open(
            problem._handle, array, count, str(strategy).encode(), _seed(seed), None if where is None else _native.text_of(where).encode(),
            ctypes.byref(handle)))
        self._handle = handle

    @property
    def space_size(self) -> int:
        """The number of valid configurations; of a space that cannot be counted, of its sample."""
        return _native.library().tune_search_space_size(self._handle)

    @property
    def space(self) -> Space:
        """The valid configurations, by numbers."""
        return Space(_native.library().tune_search_space(self._handle), self)

    def ask(self) -> Optional[Dict[str, Any]]:
        """Returns a configuration that was neither returned nor told before; None if none is left that could be the
        best. It may be called again before the result is told."""
        configuration = ctypes.POINTER(_native.Configuration)()
        with self._lock:
            _native.check(_native.library().tune_search_ask(self._handle, ctypes.byref(configuration)))
            return _native.configuration_of(configuration.contents) if configuration else None

    def tell(self, configuration: Dict[str, Any], cost: Optional[float]) -> None:
        """Takes the result of a configuration, also of one that was not asked for: `cost` is above 0 and is to be
        minimised; None: the evaluation failed."""
        array, count = _native.assignments(configuration, "configuration")
        if cost is not None and (isinstance(cost, str) or not hasattr(cost, "__float__")):
            raise TypeError(f"cost is {_native.kind(cost)}: give a number, or None for a failure")
        with self._lock:
            _native.check(_native.library().tune_search_tell(self._handle, array, count, math.nan if cost is None else float(cost)))

    def minimize(self, function: Callable[..., Optional[float]], evaluations: int) -> Tuple[Optional[Dict[str, Any]],
                                                                                          Optional[float]]:
        """Calls `function` with the parameters by name, so many times at most. Returns the best configuration and its
        cost; (None, None) if all failed."""
        best, least = None, None
        for _ in range(evaluations):
            configuration = self.ask()
            if configuration is None:
                break
            cost = function(**configuration)
            self.tell(configuration, cost)
            if cost is not None and (least is None or cost < least):
                best, least = configuration, cost
        return best, least

    def __reduce__(self):
        raise TypeError("a Search is neither copied nor pickled: make another one, and tell it the results")

    def __del__(self):
        if self._handle is not None:
            _native.library().tune_search_free(self._handle)
