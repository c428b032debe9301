# SPDX-License-Identifier: Apache-2.0
"""The interface of Kernel Tuner: `import cutune.kernel_tuner as kernel_tuner`, and the script stays as it is.

Kernels are searched, checked and measured by this tuner. docs/python.md says, option by option, what differs."""
import datetime
import itertools
import json
import math
import os
import re
import sys
import tempfile
import time as clock
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Tuple, Union

import numpy

from .. import _arrays, _expressions, _judge, problem as _problem, tuner as _tuner
from . import observers as _observers

__all__ = ["PythonKernel", "run_kernel", "store_results", "tune_kernel"]

#: A text, a file, a list of files, or a function of the parameters that returns a text.
Source = Union[str, os.PathLike, Sequence[str], Callable]
#: Numbers, names or formulas whose product divides an extent of the problem, or a function of the parameters.
Divisors = Union[Sequence[Any], str, Callable, None]

_STRATEGIES = {None: "grid", "brute_force": "grid", "random_sample": "random", "bayes_opt": "model",
               "simulated_annealing": "annealing", "genetic_algorithm": "genetic", "greedy_ils": "ils", "pso": "pso"}
# Strategies that this tuner has not, and what is taken instead.
_NEAREST = {"diff_evo": "genetic", "firefly_algorithm": "pso", "basinhopping": "ils", "dual_annealing": "annealing",
            "minimize": "ils", "mls": "ils", "greedy_mls": "ils", "ordered_greedy_mls": "ils",
            "bayes_opt_GPyTorch": "model", "bayes_opt_GPyTorch_lean": "model", "bayes_opt_BOTorch": "model",
            "skopt": "model", "pyatf_strategies": "model"}
_ERRORS = {"compile": "CompilationFailedConfig", "constraint": "InvalidConfig"}
_MAX_SOURCES = 200
_DEFAULT_ITERATIONS = 7
_OTHER_LANGUAGES = "kernels in {}, which is neither CUDA, HIP nor OpenCL, are not tuned here: use Kernel Tuner for them"


def _say(line, quiet=False):
    if not quiet:
        print(f"cutune: {line}", file=sys.stderr)


def _device(device):
    return os.environ.get("CUTUNE_DEVICE", "0") if device is None else device


class _Source:
    """The text of a kernel, or its files."""

    def __init__(self, given, tune_params, lang):
        self.files = []
        first = given[0] if isinstance(given, (list, tuple)) else given
        if callable(first):
            self.text = _generated(first, tune_params)
        elif _is_file(first):
            self.files = [os.path.abspath(one) for one in ([first] if isinstance(given, str) else given)]
            with open(first, errors="replace") as file:
                self.text = file.read()
        elif isinstance(first, str):
            self.text = first
        else:
            raise TypeError(f"kernel_source is a {type(first).__name__}: give a text, a file, a list of files, or a function")
        self.opencl = str(lang or "").upper() == "OPENCL" or bool(
            lang is None and re.search(r"\b__kernel\b", self.text))
        if str(lang or "CUDA").upper() not in ("CUDA", "CUPY", "NVCUDA", "HIP", "OPENCL"):
            raise ValueError(_OTHER_LANGUAGES.format(lang))


def _is_file(text):
    return isinstance(text, (str, os.PathLike)) and "\n" not in str(text) and (
        os.path.isfile(text) or str(text).endswith((".cu", ".cuh", ".cl", ".hip", ".c", ".cpp", ".h")))


def _generated(function, tune_params):
    """Returns the text of a function that generates one for each configuration: a branch of the preprocessor for each."""
    names = list(tune_params)
    texts = {}
    count = math.prod(len(values) for values in tune_params.values())
    if count > 100_000:
        raise ValueError(f"the function that generates the kernel has {count} configurations: use macros in the text instead")
    for row in itertools.product(*tune_params.values()):
        texts.setdefault(function(dict(zip(names, row))), []).append(row)
    if len(texts) == 1:
        return next(iter(texts))
    if len(texts) > _MAX_SOURCES:
        raise ValueError(f"the function generates {len(texts)} kernels, and at most {_MAX_SOURCES} are taken: use macros in the "
                         "text instead")
    branches = []
    for text, rows in texts.items():
        cases = " || ".join("(" + " && ".join(f"{name} == {int(value)}" for name, value in zip(names, row)) + ")"
                            for row in rows)
        branches.append(f"{'#elif' if branches else '#if'} {cases}\n{text}\n")
    return "".join(branches) + "#endif\n"


def _constant_arguments(text, kernel_name, count):
    """Returns for each argument whether the kernel's declaration says that it is not written."""
    name = re.escape(kernel_name.split("<")[0].split("::")[-1])
    for found in re.finditer(rf"\b{name}\s*\(", text):
        depth, at, start, parts = 1, found.end(), found.end(), []
        while at < len(text) and depth:
            depth += {"(": 1, "<": 1, "[": 1, ")": -1, ">": -1, "]": -1}.get(text[at], 0)
            if (text[at] == "," and depth == 1) or depth == 0:
                parts.append(text[start:at])
                start = at + 1
            at += 1
        if len(parts) == count:
            return [bool(re.search(r"\bconst\b[^*]*\*|\b__constant\b", part)) for part in parts]
    return [False] * count


def _defined(name, value):
    try:
        return str(value({}) if callable(value) else value)
    except (KeyError, TypeError) as error:
        raise ValueError(f"defines: the function '{name}' depends on the parameters ({error!r}): they are macros of the "
                         "kernel, so write it there") from None


class _Definition:
    """A problem of a script."""

    def __init__(self, kernel_name, kernel_source, problem_size, arguments, tune_params, *, grid_div, restrictions=None,
                 answer=None, atol=1e-6, lang=None, smem_args=None, cmem_args=None, texmem_args=None, compiler_options=None,
                 defines=None, block_size_names=None, judge=None, metrics=None, keep_all=False):
        if texmem_args:
            raise ValueError("textures by reference (texmem_args) are gone from CUDA 12: pass a texture object, see "
                             "'texture' in docs/your-own-kernel.md")
        self.parameters = {str(name): [_problem._plain(value, name) for value in _problem._several(values, f"parameter '{name}'")]
                           for name, values in tune_params.items()}
        self.names = [f"arg{i}" for i in range(len(arguments))]
        self.given = arguments
        source = _Source(kernel_source, self.parameters, lang)
        constants = _constant_arguments(source.text, kernel_name, len(arguments))
        block_names = list(_problem._several(block_size_names or [], "block_size_names")) + ["block_size_x", "block_size_y", "block_size_z"][
            len(block_size_names or []):]
        more = {}
        if source.opencl:
            more["language"] = "opencl"
        if defines:
            more["defines"] = {name: _defined(name, value) for name, value in defines.items()}
        self.judged = [name for name, value, constant in zip(self.names, arguments, constants)
                       if _arrays.is_array(value) and not constant] if judge or keep_all else []
        fields = {}
        if judge or keep_all:
            fields["verify"] = {"command": judge.command(self.judged)}
        if metrics:
            fields["metrics"] = metrics
        if answer is not None and not isinstance(answer, (list, tuple)) and not judge:
            raise ValueError(f"answer is a {type(answer).__name__}: give a list with an array or None for each argument")
        has_answer = any(one is not None for one in answer or [])
        if not has_answer and not judge and not keep_all:
            fields["reference"] = "none"
        self.problem = _made(
            kernel_name, source, more, fields, parameters=self.parameters,
            constraints=_rules(restrictions, self.parameters),
            arguments={**{name: self._argument(i, answer, constants[i], atol, judge or keep_all)
                          for i, name in enumerate(self.names)},
                       **{str(name): _problem.Symbol(_at_least_1d(value)) for name, value in (cmem_args or {}).items()}},
            grid=[_divided(size, div, names, self.parameters) for size, div, names in
                  zip(_sizes(problem_size, self.parameters), grid_div, block_names)],
            block=[name if name in self.parameters else 1 for name in block_names[:3]], kernel=kernel_name,
            shared=None if not smem_args else smem_args["size"], options=_problem._several(
                compiler_options or (), "compiler_options"))

    def _argument(self, i, answer, constant, atol, judged):
        value = self.given[i]
        if not _arrays.is_array(value):
            return value
        value = _at_least_1d(value)
        expected = answer[i] if answer is not None and i < len(answer) else None
        if expected is not None:
            like = _arrays.host_array(value, self.names[i])
            expected = numpy.asarray(expected)
            if expected.size != like.count:
                raise ValueError(f"answer: the one for argument {i} has {expected.size} elements, and the argument {like.count}: "
                                 "pass all of them, or a function as 'verify'")
            return _problem.InOut(value, expect=expected.astype(like.type).reshape(like.shape),
                                  tolerance={"absolute": float(atol), "relative": 1e-5})
        if constant:
            return value
        return _problem.InOut(value) if judged else _problem.Scratch(value)

    def arrays(self, contents):
        """Returns the arguments as NumPy's arrays, with these contents by name."""
        result = []
        for name, value in zip(self.names, self.given):
            if name in contents:
                like = _arrays.host_array(value, name)
                value = numpy.frombuffer(contents[name], dtype=like.type).reshape(like.shape).copy()
            elif _arrays.is_array(value):
                value = numpy.array(value)
            result.append(value)
        return result


def _at_least_1d(value):
    return numpy.ascontiguousarray(value) if isinstance(value, (list, tuple, float, int)) else value


def _made(kernel_name, source, kernel_fields, fields, **arguments):
    name = re.sub(r"\W+", "_", kernel_name.split("<")[0].split("::")[-1])
    text = source.files[0] if source.files else source.text
    kernel_fields = dict(kernel_fields)
    return _problem.Problem(name, _problem.pathlib.Path(text) if source.files else text, more=fields,
                            kernel_fields=kernel_fields, **arguments)


def _rules(restrictions, parameters):
    if restrictions is None:
        return []
    return [restrictions] if callable(restrictions) or isinstance(restrictions, str) else list(restrictions)


def _sizes(problem_size, parameters):
    """Returns three formulas."""
    if callable(problem_size):
        sizes = _expressions.formulas_of(problem_size, parameters)
    else:
        sizes = list(problem_size) if isinstance(problem_size, (tuple, list)) else [problem_size]
        sizes = [one if isinstance(one, str) else str(_problem._whole(one, "problem_size")) for one in sizes]
    if not 1 <= len(sizes) <= 3:
        raise ValueError(f"problem_size has {len(sizes)} extents: give one to three")
    return sizes + ["1"] * (3 - len(sizes))


def _divided(size, divisors, block_name, parameters):
    """Returns the formula of the blocks along one axis."""
    if divisors is None:
        divisors = [block_name] if block_name in parameters else []
    if callable(divisors):
        divisor = _expressions.formula_of(divisors, parameters)
    else:
        divisor = " * ".join(f"({one})" for one in ([divisors] if isinstance(divisors, str) else divisors))
    return f"int(ceil(({size}) / ({divisor})))" if divisor else f"int({size})"


def _metric_formulas(metrics, parameters):
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


def _metric_value(metric, entry):
    if callable(metric):
        return metric(entry)
    names = {name: value for name, value in entry.items() if isinstance(name, str)}
    return eval(str(metric), {"__builtins__": {}, **vars(math), "max": max, "min": min, "abs": abs}, names)


def _verdict(verify, answer, atol, definition):
    """Returns the function that judges with a script's `verify(answer, results, atol)`."""
    def judge(contents):
        results = definition().arrays(contents)
        try:
            right = verify(answer, results, atol=atol)
        except TypeError as error:
            if "atol" not in str(error):
                raise
            right = verify(answer, results)
        return "" if right else "the script's verify function refuses the results"
    return judge


def tune_kernel(kernel_name: str, kernel_source: Source, problem_size: Any, arguments: Sequence[Any],
                tune_params: Mapping[str, Sequence[Any]], grid_div_x: Divisors = None, grid_div_y: Divisors = None,
                grid_div_z: Divisors = None, restrictions: Any = None, answer: Optional[Sequence[Any]] = None,
                atol: float = 1e-6, verify: Optional[Callable] = None, verbose: bool = False, lang: Optional[str] = None,
                device: Union[int, str, None] = None, platform: int = 0, smem_args: Optional[Mapping[str, Any]] = None,
                cmem_args: Optional[Mapping[str, Any]] = None, texmem_args: Optional[Mapping[str, Any]] = None,
                compiler: Optional[str] = None, compiler_options: Optional[Sequence[str]] = None,
                defines: Optional[Mapping[str, Any]] = None, log: Optional[int] = None,
                iterations: int = _DEFAULT_ITERATIONS, block_size_names: Optional[Sequence[str]] = None,
                quiet: bool = False, strategy: Optional[str] = None, strategy_options: Optional[Mapping[str, Any]] = None,
                cache: Optional[str] = None, metrics: Optional[Mapping[str, Any]] = None,
                simulation_mode: Optional[bool] = None, parallel: Any = None, observers: Optional[Sequence[Any]] = None,
                objective: Optional[str] = None, objective_higher_is_better: Optional[bool] = None,
                objectives: Any = None, seed: Optional[int] = None,
                database: Union[str, os.PathLike, None] = None) -> Tuple[List[Dict[str, Any]], Dict[str, Any]]:
    """Tunes a kernel as Kernel Tuner's function of this name. Returns a list of dicts, one a configuration, with the
    parameters, `time` (ms), `times`, the metrics, and `__error__` for what failed; and a dict with `best_config`.

    `device`: number of a GPU, or "emulator": configurations are checked on the CPU, and `time` is missing; default:
    $CUTUNE_DEVICE, else 0. `database`: file with the results of all runs, which later calls reuse; default: where the command
    looks. `iterations`, `platform`, `compiler`, `log` and `parallel` change nothing: a rule ends the samples of a
    configuration, and all cores compile."""
    if simulation_mode:
        raise ValueError("simulation_mode: a cache is replayed by cutune.command('run', '--device', 'replay:FILE')")
    if objectives:
        raise ValueError("objectives: one objective at a time is searched for: give 'objective'")
    for observer in observers or []:
        _observers.check(observer)
    if cache and not os.path.isdir(os.path.dirname(os.path.abspath(cache))):
        raise ValueError(f"cache: there is no folder '{os.path.dirname(os.path.abspath(cache))}': make it first")
    device = _device(device)
    started = clock.perf_counter()
    options = dict(strategy_options or {})
    budget = {"evaluations": options.pop("max_fevals", None), "seconds": options.pop("time_limit", None)}
    name = _strategy(strategy, options, quiet)
    if name != "grid" and not any(budget.values()):
        budget["evaluations"] = 100  # Kernel Tuner's strategies end after as many
    held = []
    judge = _judge.Judge(_verdict(verify, answer, atol, lambda: held[0])) if verify else None
    try:
        parameters = {str(key): list(_problem._several(values, f"parameter '{key}'")) for key, values in tune_params.items()}
        formulas = _metric_formulas(metrics, parameters)
        wanted = _objective(objective, objective_higher_is_better, metrics, formulas)
        held.append(_Definition(kernel_name, kernel_source, problem_size, arguments, tune_params,
                                grid_div=(grid_div_x, grid_div_y, grid_div_z), restrictions=restrictions,
                                answer=None if verify else answer, atol=atol, lang=lang, smem_args=smem_args, cmem_args=cmem_args, texmem_args=texmem_args,
                                compiler_options=compiler_options, defines=defines, block_size_names=block_size_names,
                                judge=judge, metrics=formulas if wanted.startswith(("min:", "max:")) else None))
        entries, lacking = [], {}

        def take(evaluation, progress):
            entries.append(_entry(evaluation, metrics, observers or [], lacking))
            if verbose:
                print(_line(entries[-1], parameters, metrics))
        result = _tuner.run(held[0].problem, device=device, strategy=name, seed=seed, objective=wanted, database=database,
                            on_evaluation=take, **budget)
    finally:
        if judge is not None:
            judge.close()
    if judge is not None and judge.raised is not None:
        raise judge.raised
    for notice in result.notices:
        _say(notice, quiet)
    for metric, error in lacking.items():
        _say(f"metric '{metric}' is left out: results have no {error}", quiet)
    higher = wanted.startswith("max:")
    key = objective or "time"
    env = {"device_name": str(device), "kernel_name": kernel_name, "total_framework_time": 1e3 * (
        clock.perf_counter() - started)}
    right = [one for one in entries if "__error__" not in one and one.get(key) is not None]
    if right:
        env["best_config"] = (max if higher else min)(right, key=lambda one: one[key])
        if not quiet:
            print(f"\nBEST PERFORMING CONFIGURATION FOR OBJECTIVE {key}:")
            print(_line(env["best_config"], parameters, metrics))
    elif not quiet:
        print(f"{sum('__error__' not in one for one in entries)} of {len(entries)} configurations are right; none was measured")
    if cache:
        _write_cache(cache, kernel_name, problem_size, parameters, entries, key)
    return entries, env


def _strategy(strategy, options, quiet):
    if strategy is not None and not isinstance(strategy, str):
        raise ValueError("strategy: strategies of a script's own are not called; give a name")
    if strategy in _NEAREST:
        _say(f"strategy '{strategy}' is not one of this tuner: '{_NEAREST[strategy]}' is the nearest", quiet)
    elif strategy not in _STRATEGIES:
        raise ValueError(f"there is no strategy '{strategy}'; there is: "
                         f"{', '.join(sorted(filter(None, [*_STRATEGIES, *_NEAREST])))}")
    if options:
        _say(f"strategy_options {', '.join(sorted(options))}: this tuner's strategies do without", quiet)
    return _STRATEGIES.get(strategy) or _NEAREST[strategy]


def _objective(objective, higher, metrics, formulas):
    """Returns the objective in the words of the tuner."""
    if objective in (None, "time"):
        return "time"
    if objective in ("nvml_energy", "energy", "joules"):
        return "energy"
    if objective not in (metrics or {}):
        raise ValueError(f"objective: '{objective}' is neither 'time' nor one of the metrics ({', '.join(metrics or {})})")
    if objective not in formulas:
        raise ValueError(f"objective: the metric '{objective}' cannot be written as a formula: give it as a text")
    if higher is None:
        rate, cost = re.search(r"/(s|W|J)\b|FLOPS?\b", objective), re.search(r"(?i)time|energy|power|error", objective)
        if bool(rate) == bool(cost):
            raise ValueError(f"objective: is more or less of '{objective}' better? Set objective_higher_is_better")
        higher = bool(rate)
    return ("max:" if higher else "min:") + objective


def _entry(evaluation, metrics, observers, lacking):
    entry = dict(evaluation.configuration)
    if not evaluation.right:
        error = _ERRORS.get(evaluation.phase, "RuntimeFailedConfig")
        entry.update({"__error__": error, "time": error, "reason": evaluation.reason, "detail": evaluation.detail})
    elif evaluation.samples:
        entry.update({"time": evaluation.seconds * 1e3, "times": [one * 1e3 for one in evaluation.samples]})
        for observer in observers:
            entry.update(observer.results_of(evaluation))
        for name, metric in (metrics or {}).items():
            try:
                entry[name] = _metric_value(metric, entry)
            except (KeyError, NameError) as error:
                lacking.setdefault(name, str(error))
    entry["timestamp"] = str(datetime.datetime.now(datetime.timezone.utc))
    return entry


def _line(entry, parameters, metrics):
    parts = [f"{name}={entry[name]}" for name in parameters if name in entry]
    if "__error__" in entry:
        return ", ".join([*parts, f"{entry['__error__']}: {entry['reason']}"])
    for name in ["time", *(metrics or {})]:
        if name in entry:
            parts.append(f"{name}={entry[name]:.3f}{'ms' if name == 'time' else ''}"
                         if isinstance(entry[name], float) else f"{name}={entry[name]}")
    return ", ".join(parts)


def _write_cache(path, kernel_name, problem_size, parameters, entries, objective):
    path = os.fspath(path)
    path += "" if path.endswith(".json") else ".json"
    content = {"device_name": "cutune", "kernel_name": kernel_name, "problem_size": str(problem_size),
               "tune_params_keys": list(parameters), "tune_params": parameters, "objective": objective,
               "cache": {",".join(str(entry.get(name)) for name in parameters): entry for entry in entries}}
    descriptor, temporary = tempfile.mkstemp(dir=os.path.dirname(os.path.abspath(path)), prefix=".cutune-")
    with os.fdopen(descriptor, "w") as file:
        json.dump(content, file, indent=1, default=str)
    os.replace(temporary, path)


def run_kernel(kernel_name: str, kernel_source: Source, problem_size: Any, arguments: Sequence[Any],
               params: Mapping[str, Any], grid_div_x: Divisors = None, grid_div_y: Divisors = None,
               grid_div_z: Divisors = None, lang: Optional[str] = None, device: Union[int, str, None] = None,
               platform: int = 0, smem_args: Optional[Mapping[str, Any]] = None,
               cmem_args: Optional[Mapping[str, Any]] = None, texmem_args: Optional[Mapping[str, Any]] = None,
               compiler: Optional[str] = None, compiler_options: Optional[Sequence[str]] = None,
               defines: Optional[Mapping[str, Any]] = None, block_size_names: Optional[Sequence[str]] = None,
               quiet: bool = False, log: Optional[int] = None) -> List[Any]:
    """Runs one configuration as Kernel Tuner's function of this name. Returns the list of arguments after the execution:
    arrays as NumPy's. Raises RuntimeError where the configuration fails."""
    contents = {}
    judge = _judge.Judge(contents.update)
    try:
        definition = _Definition(kernel_name, kernel_source, problem_size, arguments,
                                 {name: [value] for name, value in params.items()} or {"unused_": [0]},
                                 grid_div=(grid_div_x, grid_div_y, grid_div_z), lang=lang, smem_args=smem_args,
                                 cmem_args=cmem_args, texmem_args=texmem_args, compiler_options=compiler_options,
                                 defines=defines, block_size_names=block_size_names, judge=judge, keep_all=True)
        evaluation = _tuner.evaluate(definition.problem, {}, device=_device(device), fresh=True)
    finally:
        judge.close()
    if not evaluation.right:
        raise RuntimeError(f"{kernel_name}: {evaluation.phase}: {evaluation.detail or evaluation.reason}")
    return definition.arrays(contents)


class PythonKernel:
    """A kernel that is called like a function. Returns the list of its outputs: those that `outputs` (a list of truth
    values, one an argument) names, else all arguments."""

    def __init__(self, kernel_name: str, kernel_string: Source, problem_size: Any, arguments: Sequence[Any],
                 params: Optional[Mapping[str, Any]] = None, inputs: Any = None,
                 outputs: Optional[Sequence[bool]] = None, device: Union[int, str, None] = None, platform: int = 0,
                 block_size_names: Optional[Sequence[str]] = None, grid_div_x: Divisors = None,
                 grid_div_y: Divisors = None, grid_div_z: Divisors = None, verbose: bool = True,
                 lang: Optional[str] = None, results_file: Optional[str] = None):
        self._fields = dict(kernel_name=kernel_name, kernel_source=kernel_string, problem_size=problem_size,
                            params=params or {}, device=device, block_size_names=block_size_names, grid_div_x=grid_div_x,
                            grid_div_y=grid_div_y, grid_div_z=grid_div_z, lang=lang)
        self._arguments, self._outputs = list(arguments), outputs

    def update_gpu_args(self, args):
        """Sets the arguments of the next calls."""
        self._arguments = list(args)

    def run_kernel(self, args=None):
        """Runs the kernel. Returns the list of its outputs."""
        results = run_kernel(arguments=list(args) if args is not None else self._arguments, **self._fields)
        return [one for one, kept in zip(results, self._outputs or [True] * len(results)) if kept]

    def __call__(self, *args):
        return self.run_kernel(args or None)


def store_results(results_filename: Union[str, os.PathLike], kernel_name: str, kernel_string: Source,
                  tune_params: Mapping[str, Sequence[Any]], problem_size: Any, results: Sequence[Mapping[str, Any]],
                  env: Mapping[str, Any], top: float = 3, objective: str = "time",
                  objective_higher_is_better: Optional[bool] = False) -> None:
    """Adds the best `top` percent of the results to a file in JSON, as Kernel Tuner's function of this name."""
    right = [one for one in results if "__error__" not in one and one.get(objective) is not None]
    right.sort(key=lambda one: one[objective], reverse=bool(objective_higher_is_better))
    kept = right[:max(1, math.ceil(len(right) * top / 100))]
    content = {"version_number": "1.0", "metadata": {}, "data": []}
    if os.path.exists(results_filename):
        with open(results_filename) as file:
            content = json.load(file)
    for one in kept:
        content["data"].append({"device_name": env.get("device_name", ""), "kernel_name": kernel_name,
                                "tunable_parameters": list(tune_params), "problem_size": str(problem_size),
                                "objective": objective,
                                **{name: value for name, value in one.items() if name in tune_params or name == objective}})
    temporary = f"{results_filename}.part"
    with open(temporary, "w") as file:
        json.dump(content, file, indent=1, default=str)
    os.replace(temporary, results_filename)
