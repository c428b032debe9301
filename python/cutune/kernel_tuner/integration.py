# SPDX-License-Identifier: Apache-2.0
"""Results for programs: a file with the best ones of each device and size, and a header for the preprocessor."""
import collections
import json
import os
import re
from typing import Any, Dict, List, Mapping, Optional, Sequence, Union

from . import util
from ._results import higher_is_better

__all__ = ["TuneResults", "create_device_targets", "store_results"]

Path = Union[str, os.PathLike]


def _direction(objective, higher):
    objective = objective or "time"
    return objective, bool(higher) if objective == "time" else higher_is_better(objective, higher)


def _size(problem_size):
    if isinstance(problem_size, str):
        return problem_size
    return "x".join(str(one) for one in (problem_size if isinstance(problem_size, (list, tuple)) else [problem_size]))


def _replace(path, text):
    temporary = f"{os.fspath(path)}.part"
    with open(temporary, "w", encoding="utf-8") as file:
        file.write(text)
    os.replace(temporary, path)


def _read(path):
    try:
        with open(path, encoding="utf-8") as file:
            content = json.load(file)
        if not isinstance(content["data"], list) or not all(isinstance(one["tunable_parameters"], dict) for one in content["data"]):
            raise KeyError("data")
        return content
    except OSError as error:
        raise ValueError(f"results_filename: '{path}' cannot be read: {error.strerror}") from None
    except (ValueError, KeyError, TypeError):
        raise ValueError(f"results_filename: '{path}' is not a file of store_results") from None


def store_results(results_filename: Path, kernel_name: str, kernel_string: Any, tune_params: Mapping[str, Sequence[Any]],
                  problem_size: Any, results: Sequence[Mapping[str, Any]], env: Mapping[str, Any], top: float = 3,
                  objective: Optional[str] = None, objective_higher_is_better: Optional[bool] = None) -> None:
    """Stores the results within `top` percent of the best in a JSON file, in the place of earlier ones of the same device
    (`env["device_name"]`) and size. Raises ValueError for a file of another kernel, and if nothing was measured."""
    objective, higher = _direction(objective, objective_higher_is_better)
    right = [one for one in results if util.has_objective(one, objective)]
    if not right:
        raise ValueError(f"results: none is right and has '{objective}' (on the emulator nothing is measured)")
    best = util.get_best_config(right, objective, higher)[objective]
    kept = [one for one in right if (one[objective] >= best * (1 - top / 100) if higher else
                                     one[objective] <= best * (1 + top / 100))]
    content = {"version_number": "1.0", "kernel_name": kernel_name, "objective": objective, "objective_higher_is_better": higher,
               "tunable_parameters": list(tune_params), "data": []}
    if isinstance(kernel_string, str):
        content["kernel_string"] = kernel_string
    if os.path.exists(results_filename):
        content = _read(results_filename)
        for name, here in (("kernel_name", kernel_name), ("objective", objective)):
            if content.get(name, here) != here:
                raise ValueError(f"results_filename: '{results_filename}' has the {name} '{content[name]}', and these results "
                                 f"'{here}': name another file")
    device, size = re.sub("[^0-9a-zA-Z]+", "_", str(env["device_name"]).strip()), _size(problem_size)
    data = [one for one in content["data"] if (one["device_name"], one["problem_size"]) != (device, size)]
    data += [{"device_name": device, "problem_size": size, objective: one[objective],
              "tunable_parameters": {name: one[name] for name in tune_params if name in one}} for one in kept]
    _replace(results_filename, json.dumps({**content, "data": data}, indent=1, default=str))


class TuneResults:
    """The results of a file of store_results."""

    def __init__(self, results_filename: Path):
        self.meta = _read(results_filename)
        self.data: List[Dict[str, Any]] = self.meta["data"]
        if not self.data:
            raise ValueError(f"results_filename: '{results_filename}' has no results")
        self.objective = self.meta.get("objective", "time")
        self.higher = bool(self.meta.get("objective_higher_is_better"))

    def get_best_config(self, gpu_name: str = "default", problem_size: Any = None) -> Dict[str, Any]:
        """Returns the parameters of the best result for a device and a size. Without such a result, the configuration that is
        among the best of most sizes of the device, or of all devices; of several, the best in sum."""
        device = re.sub("[^0-9a-zA-Z]+", "_", gpu_name)
        own = [one for one in self.data if one["device_name"] == device]
        same = [one for one in own if problem_size is not None and one["problem_size"] == _size(problem_size)]
        if same:
            return util.get_best_config(same, self.objective, self.higher)["tunable_parameters"]
        return self._common(own or self.data)

    def _common(self, data):
        groups = collections.defaultdict(list)
        for one in data:
            groups[json.dumps(one["tunable_parameters"], sort_keys=True)].append(one)

        def rank(group):
            total = sum(one[self.objective] for one in group)
            return -len(group), -total if self.higher else total
        return min(groups.values(), key=rank)[0]["tunable_parameters"]


def create_device_targets(header_filename: Path, results_filename: Path, objective: Optional[str] = None,
                          objective_higher_is_better: Optional[bool] = None) -> None:
    """Writes a header that defines the parameters as macros: those for the device of -DTARGET_NAME, else those that are good
    on all devices of the file. It defines nothing if `kernel_tuner` is defined, as while tuning."""
    results = TuneResults(results_filename)
    if objective is not None:
        results.objective, results.higher = _direction(objective, objective_higher_is_better)
        if any(objective not in one for one in results.data):
            raise ValueError(f"objective: '{results_filename}' has results without '{objective}'")

    def macros(parameters):
        return "\n".join(f"#define {name} {value}" for name, value in parameters.items())
    devices = sorted({one["device_name"] for one in results.data})
    targets = [f"{'#elif defined' if at else '#ifdef'} TARGET_{device}\n{macros(results.get_best_config(device))}"
               for at, device in enumerate(devices)]
    _replace(header_filename, "// Parameters of a tuned kernel, written by cutune.\n#pragma once\n#ifndef kernel_tuner\n"
             + "\n".join(targets) + f"\n#else\n{macros(results.get_best_config())}\n#endif\n#endif\n")
