# SPDX-License-Identifier: Apache-2.0
"""Helpers that scripts use."""
import numbers
from typing import Any, Iterable, List, Mapping, Optional, Sequence

__all__ = ["CompilationFailedConfig", "ErrorConfig", "InvalidConfig", "RuntimeFailedConfig", "StopCriterionReached",
           "get_best_config", "get_config_string", "get_pareto_results"]


class ErrorConfig(str):
    """The error of a result (`__error__`): a text that is the name of its class."""

    def __new__(cls, text: Optional[str] = None):
        return super().__new__(cls, text or cls.__name__)


class InvalidConfig(ErrorConfig):
    """The restrictions or the device do not allow the configuration."""


class CompilationFailedConfig(ErrorConfig):
    """The kernel does not compile."""


class RuntimeFailedConfig(ErrorConfig):
    """The kernel cannot be launched, fails, or has wrong results."""


class StopCriterionReached(Exception):
    """Raised in a strategy of a script when the budget is spent."""


#: The errors by their names, as files have them.
ERRORS = {one.__name__: one for one in (ErrorConfig, InvalidConfig, CompilationFailedConfig, RuntimeFailedConfig)}


def get_config_string(params: Mapping[str, Any], keys: Optional[Iterable[str]] = None,
                      units: Optional[Mapping[str, str]] = None) -> str:
    """Returns `a=1, b=2.000ms` for these keys of a result; default: all."""
    parts = []
    for key in keys if keys is not None else params:
        if key in params:
            value = params[key]
            text = f"{value:.3f}" if isinstance(value, float) else str(value)
            parts.append(f"{key}={text}{(units or {}).get(key, '')}")
    return ", ".join(parts)


def has_objective(result: Mapping[str, Any], objective: str) -> bool:
    """Returns whether a result is right and has a number for the objective."""
    return "__error__" not in result and isinstance(result.get(objective), numbers.Real)


def get_best_config(results: Iterable[Mapping[str, Any]], objective: str,
                    objective_higher_is_better: bool = False) -> Mapping[str, Any]:
    """Returns the best of the results that have no error."""
    right = [one for one in results if has_objective(one, objective)]
    if not right:
        raise RuntimeError("no configuration is right and measured (on the emulator none is measured)")
    return (max if objective_higher_is_better else min)(right, key=lambda one: one[objective])


def get_pareto_results(results: Iterable[Mapping[str, Any]], objectives: Sequence[str],
                       objective_higher_is_better: Sequence[bool]) -> List[Mapping[str, Any]]:
    """Returns the right results that no other one equals or beats in every objective, the best of the first one first."""
    def costs(one):
        return [-one[name] if higher else one[name] for name, higher in zip(objectives, objective_higher_is_better)]
    front: List[Mapping[str, Any]] = []
    for one in sorted((one for one in results if all(has_objective(one, name) for name in objectives)), key=costs):
        if not any(all(a <= b for a, b in zip(costs(other), costs(one))) for other in front):
            front.append(one)
    return front
