# SPDX-License-Identifier: Apache-2.0
"""Results in the form of Kernel Tuner."""
import datetime
import math
import re
import sys

from .. import _expressions, problem as _problem
from . import util

__all__ = ["Scribe", "formulas_of", "goals_of", "key_of", "objective_of", "say"]

_ERRORS = {"compile": util.CompilationFailedConfig, "constraint": util.InvalidConfig}
_TIMINGS = ("compile", "verification", "benchmark", "strategy", "framework")


def say(line, quiet=False):
    """Tells the user something on standard error."""
    if not quiet:
        print(f"cutune: {line}", file=sys.stderr)


def key_of(values):
    """Returns the key of a configuration in a cache."""
    return ",".join(str(value) for value in values)


def formulas_of(metrics, parameters):
    """Returns formulas of the metrics that can be followed; `time` is in ms there, and in seconds in a definition."""
    formulas = {}
    for name, metric in (metrics or {}).items():
        if not callable(metric):
            formulas[name] = re.sub(r"\btime\b", "(time * 1000)", str(metric))
            continue

        def with_time(values, metric=metric):
            return metric({**values, "time": _expressions.Name("(time * 1000)", next(iter(values.values())).trace)})
        ways = _expressions._followed(with_time, list(parameters)) if parameters else None
        if ways is not None and len(ways) == 1 and _expressions.literal(ways[0][1]) is not None:
            formulas[name] = _expressions.literal(ways[0][1])
    return formulas


def higher_is_better(objective, higher):
    """Returns whether more of an objective is better, which its unit may say. Raises ValueError where it does not."""
    if higher is not None:
        return bool(higher)
    rate = re.search(r"/(s|W|J)\b|FLOPS?\b|^fitness$", objective)
    cost = re.search(r"(?i)time|energy|power|error|^cost$|^loss$", objective)
    if bool(rate) == bool(cost):
        raise ValueError(f"objective: is more or less of '{objective}' better? Set objective_higher_is_better")
    return bool(rate)


def goals_of(objective, higher, objectives):
    """Returns the objectives of a call as a dict: whether more of each is better. The first one guides strategies."""
    if objectives:
        given = dict(_problem._named(objectives, "objectives", "names, with True where more is better"))
    else:
        names = [objective or "time"] if objective is None or isinstance(objective, str) else list(objective)
        highers = list(higher) if isinstance(higher, (list, tuple)) else [higher] * len(names)
        if len(names) != len(highers):
            raise ValueError(f"objective_higher_is_better has {len(highers)} values, and objective {len(names)}")
        given = dict(zip(names, highers))
    return {str(name): higher_is_better(str(name), one) for name, one in given.items()}


def objective_of(objective, higher, metrics, formulas, has_energy):
    """Returns the objective in the words of the tuner."""
    if objective not in (metrics or {}):
        if objective not in ("time", "nvml_energy"):
            raise ValueError(f"objective: '{objective}' is neither 'time' nor one of the metrics ({', '.join(metrics or {})})")
        if higher:
            raise ValueError(f"objective: the strategies of this tuner look for the least {objective}: leave out "
                             "objective_higher_is_better")
        if objective == "nvml_energy" and not has_energy:
            raise ValueError("objective: 'nvml_energy' is observed by NVMLObserver(['nvml_energy']): give it in 'observers'")
        return "energy" if objective == "nvml_energy" else "time"
    if objective not in formulas:
        raise ValueError(f"objective: the metric '{objective}' cannot be written as a formula: give it as a text")
    return ("max:" if higher else "min:") + objective


def _metric_value(metric, entry):
    if callable(metric):
        return metric(entry)
    names = {name: value for name, value in entry.items() if isinstance(name, str)}
    return eval(str(metric), {"__builtins__": {}, **vars(math), "max": max, "min": min, "abs": abs}, names)


class Scribe:
    """Writes results down: with a script's values of parameters, its metrics, and what observers add."""

    def __init__(self, parameters, metrics, observers=()):
        self.parameters, self.metrics, self.observers = parameters, metrics or {}, observers
        self.lacking = {}  # metrics that are left out, and why

    def entry(self, evaluation, more=None):
        """Returns the result of an evaluation. `more`: what a script's observers return."""
        entry = self.restored(evaluation.configuration)
        if not evaluation.right:
            error = _ERRORS.get(evaluation.phase, util.RuntimeFailedConfig)()
            entry.update({"__error__": error, "time": error, "reason": evaluation.reason, "detail": evaluation.detail})
        elif evaluation.samples:
            entry.update({"time": evaluation.seconds * 1e3, "times": [one * 1e3 for one in evaluation.samples]})
        if evaluation.right:
            for observer in self.observers:
                entry.update(observer.results_of(evaluation))
            entry.update(more or {})
            if evaluation.samples:
                self.add_metrics(entry)
        entry.update({"compile_time": evaluation.compile_seconds * 1e3, "verification_time": evaluation.check_seconds * 1e3,
                      "benchmark_time": evaluation.measure_seconds * 1e3})
        entry["timestamp"] = str(datetime.datetime.now(datetime.timezone.utc))
        return entry

    def restored(self, configuration):
        """Returns a configuration with the values that the script gave."""
        result = {}
        for name, value in configuration.items():
            given = [one for one in self.parameters.get(name, ()) if one == value]
            result[name] = next((one for one in given if type(one) is type(value)), given[0] if given else value)
        return result

    def add_metrics(self, entry):
        """Adds the metrics to a result, in their order. What a result lacks is noted."""
        for name, metric in self.metrics.items():
            try:
                entry[name] = _metric_value(metric, entry)
            except (KeyError, NameError) as error:
                self.lacking.setdefault(name, re.sub(r"^name ('\w+') .*", r"\1", str(error)))

    def key(self, entry):
        """Returns the key of a result in a cache."""
        return key_of(entry.get(name) for name in self.parameters)

    def line(self, entry):
        """Returns a result as a line for the user."""
        parts = [f"{name}={entry[name]}" for name in self.parameters if name in entry]
        if "__error__" in entry:
            return ", ".join([*parts, f"{entry['__error__']}: {entry.get('reason', '')}".rstrip(": ")])
        for name in ["time", *self.metrics]:
            if name in entry:
                parts.append(f"{name}={entry[name]:.3f}{'ms' if name == 'time' else ''}"
                             if isinstance(entry[name], float) else f"{name}={entry[name]}")
        return ", ".join(parts)


def total_timings(entries):
    """Returns the sums of the times that results have, in ms, by the names that `env` has."""
    return {f"total_{name}_time": sum(one.get(f"{name}_time", 0) for one in entries) for name in _TIMINGS}
