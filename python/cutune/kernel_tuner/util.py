# SPDX-License-Identifier: Apache-2.0
"""Helpers that scripts use."""
from typing import Any, Iterable, Mapping, Optional

__all__ = ["get_best_config", "get_config_string"]


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


def get_best_config(results: Iterable[Mapping[str, Any]], objective: str,
                    objective_higher_is_better: bool = False) -> Mapping[str, Any]:
    """Returns the best of the results that have no error."""
    right = [one for one in results if "__error__" not in one and one.get(objective) is not None]
    if not right:
        raise RuntimeError("no configuration is right and measured (on the emulator none is measured)")
    return (max if objective_higher_is_better else min)(right, key=lambda one: one[objective])
