# SPDX-License-Identifier: Apache-2.0
"""The interface of Kernel Tuner: `import cutune.kernel_tuner as kernel_tuner`, and the script stays as it is.

Kernels are searched, checked and measured by this tuner. docs/how-to/kernel-tuner.md says, option by option, what differs.
`python3 -m cutune.kernel_tuner SCRIPT` runs a script without any change."""
import functools
import math
import numbers
import os
import time as clock
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Tuple, Union

from .. import _arrays, _expressions, _judge, _native, dispatcher as _dispatcher, problem as _problem, search as _search, tuner as _tuner
from . import _cache, _results, _runner, observers as _observers, strategies, util
from ._definition import Definition, block_names_of, has_many_sources
from ._results import say
from .accuracy import Tunable
from .integration import TuneResults, create_device_targets, store_results
from .searchspace import Searchspace, rules_of

#: The version of Kernel Tuner whose interface this is.
__version__ = "1.4.0"

__all__ = ["PythonKernel", "create_device_targets", "run_kernel", "store_results", "tune_cache", "tune_kernel"]

#: A text, a file, a list of files, or a function of the parameters that returns a text.
Source = Union[str, os.PathLike, Sequence[str], Callable]
#: Numbers, names or formulas whose product divides an extent of the problem, or a function of the parameters.
Divisors = Union[Sequence[Any], str, Callable, None]

_DEFAULT_ITERATIONS = 7
_MAX_LEFT_OUT = 20_000  # configurations of a cache that a search of the rest names


def _device(device):
    return os.environ.get("CUTUNE_DEVICE", "0") if device is None else device


@functools.lru_cache(maxsize=None)
def _device_name(device):
    """Returns the name of a device, as caches and results have it."""
    if not device.isdigit():
        return device
    try:
        listed = _tuner.command("devices")
        return next(one["name"] for one in listed["devices"] if one["index"] == int(device))
    except (_native.TuneError, KeyError, TypeError, StopIteration):
        return device


def _verdict(verify, answer, atol, watching, definition):
    """Returns the function that judges results: by a script's `verify(answer, results, atol)`; what watches them is right
    with them."""
    def judge(contents):
        results = definition().arrays(contents)
        if watching:
            written = set(definition().judged)
            seen = [one if name in written and (answer is None or answer[at] is not None) else None
                    for at, (name, one) in enumerate(zip(definition().names, results))]
            for observer in watching:
                observer.process_output(answer, seen)
        if verify is None:
            return ""
        try:
            right = verify(answer, results, atol=atol)
        except TypeError as error:
            if "atol" not in str(error):
                raise
            right = verify(answer, results)
        return "" if right else "the script's verify function refuses the results"
    return judge


class _Call:
    """One call of tune_kernel."""

    def __init__(self, **given):
        self.__dict__.update(given)
        self.parameters = {str(key): list(_problem._several(values, f"parameter '{key}'")) for key, values in
                           _problem._named(self.tune_params, "tune_params", "the values of each parameter").items()}
        self.block_names = block_names_of(self.block_size_names, self.parameters)
        self._check()
        self.goals = _results.goals_of(self.objective, self.objective_higher_is_better, self.objectives)
        self.observers = [_observers.check(one) for one in _problem._several(self.observers or [], "observers")]
        self.scribe = _results.Scribe(self.parameters, self.metrics,
                                      [one for one in self.observers if isinstance(one, _observers.Known)])
        self.energy = any(getattr(one, "energy", False) for one in self.observers) or None
        self.own_observers = [one for one in self.observers if not isinstance(one, _observers.Known)]
        self.strategy_name = strategies.name_of(self.strategy)
        self.max_fevals, self.time_limit = self.options.get("max_fevals"), self.options.get("time_limit")
        if self.strategy_name is not None:
            self._named_strategy()
        self.alone = has_many_sources(self.kernel_source, self.parameters)  # each configuration has a problem of its own
        self.formulas = _results.formulas_of(self.metrics, self.parameters)
        self.entries, self.cache_file, self.judge, self.runner = [], None, None, None

    def _check(self):
        """Raises TypeError and ValueError for arguments that cannot be."""
        for name in {"time", "grid_size_x", "grid_size_y", "grid_size_z"} & set(self.parameters):
            raise ValueError(f"tune_params: a parameter cannot be called '{name}': results or kernels have this name already")
        if not self.simulation_mode and not any(name in self.parameters for name in self.block_names):
            say(f"no parameter is an extent of the block ({', '.join(self.block_names)}): blocks have 256 threads", self.quiet)
        for name, metric in _problem._named(self.metrics or {}, "metrics", "formulas").items():
            if not callable(metric) and not isinstance(metric, str):
                raise TypeError(f"metrics: '{name}' is {metric!r}: give a text or a function of the result")
        if self.verify is not None and not callable(self.verify):
            raise TypeError(f"verify is {_native.kind(self.verify)}: give a function of (answer, results, atol)")
        _problem._tolerance(self.atol, "atol")
        self.arguments = list(_problem._several(self.arguments, "arguments"))
        self.options = dict(_problem._named(self.strategy_options or {}, "strategy_options", "options"))
        for name, least in (("max_fevals", 1), ("time_limit", 0)):
            value = self.options.get(name)
            if value is not None and (not isinstance(value, numbers.Real) or value < least or value == 0):
                raise ValueError(f"strategy_options: {name} is {value!r}: give a number above 0")
        if self.options.get("max_fevals") is not None:
            self.options["max_fevals"] = _problem._whole(self.options["max_fevals"], "max_fevals")

    def _named_strategy(self):
        name = self.strategy_name
        if len(self.goals) > 1 and self.ours() not in ("grid", "random"):
            raise ValueError(f"objectives: '{name}' looks for one: 'brute_force', 'random_sample' and a strategy of your own take "
                             "several")
        if name in strategies.NEAREST:
            say(f"strategy '{name}' is not one of this tuner: '{strategies.NEAREST[name]}' is the nearest", self.quiet)
        known = {"max_fevals", "time_limit", "x0", "searchspace_construction_options"}
        others = sorted(set(self.options) - known - ({"fraction"} if name == "random_sample" else set()))
        if name == "random_sample" and not (self.max_fevals or self.time_limit):
            fraction = self.options.get("fraction", 0.1)
            if not 0 < fraction <= 1:
                raise ValueError(f"strategy_options: fraction is {fraction!r}, and not above 0 and at most 1")
            rules = rules_of(self.parameters, self.restrictions, 1024, self.block_names)
            self.max_fevals = math.ceil(fraction * len(_search.space(self.parameters, rules)))
        start = self.options.get("x0")
        if start is not None and (len(start) != len(self.parameters) or not all(
                one in values for one, values in zip(start, self.parameters.values()))):
            raise ValueError(f"strategy_options: x0 is {start!r}, and not a list with a value of each parameter: "
                             f"{', '.join(self.parameters)}")
        if others:
            say(f"strategy_options {', '.join(others)}: this tuner's strategies do without", self.quiet)
        if name != "brute_force" and not (self.max_fevals or self.time_limit):
            self.max_fevals = 100  # Kernel Tuner's strategies end after as many

    def ours(self):
        """Returns the name of the tuner's strategy."""
        return strategies.STRATEGIES.get(self.strategy_name) or strategies.NEAREST[self.strategy_name]

    def header(self):
        """Returns the members of a cache but for its results."""
        size = self.problem_size
        return {"device_name": _device_name(str(self.device)), "kernel_name": self.kernel_name,
                "problem_size": "callable" if callable(size) else size, "tune_params_keys": list(self.parameters),
                "tune_params": self.parameters, "objective": next(iter(self.goals))}

    def one_by_one(self):
        """Returns whether configurations are evaluated one after another, and not ahead."""
        return (self.strategy_name is None or bool(self.own_observers) or self.alone
                or any(isinstance(one, Tunable) for one in self.arguments))

    def take(self, entry):
        """Takes a result while it comes."""
        if self.cache_file is not None:
            self.cache_file.add(self.scribe.key(entry), entry)
        if self.verbose:
            print(self.scribe.line(entry))

    def definition(self, params=None, parameters=None, metrics=None, restrictions=None):
        """Returns the problem; for a configuration: with the arrays that it has."""
        arguments = [one(params) if isinstance(one, Tunable) else one for one in self.arguments]
        watched = self.judge is not None
        return Definition(
            self.kernel_name, self.kernel_source, self.problem_size, arguments, parameters or self.parameters,
            grid_div=(self.grid_div_x, self.grid_div_y, self.grid_div_z), restrictions=restrictions or self.restrictions,
            answer=None if watched else self.answer, atol=self.atol, lang=self.lang, smem_args=self.smem_args,
            cmem_args=self.cmem_args, texmem_args=self.texmem_args, compiler_options=self.compiler_options,
            defines=self.defines, block_size_names=self.block_size_names, judge=self.judge, metrics=metrics,
            start=self.options.get("x0") if parameters is None else None)

    def simulate(self):
        """Searches in a cache."""
        if not self.cache:
            raise ValueError("simulation_mode: give the file with the results as 'cache'")
        content = _cache.read(self.cache)
        _cache.check_header(content, self.header(), self.cache)
        self.runner = _runner.SimulationRunner(self.scribe, self._budget(), content, self.cache, self.take)
        return self._searched()

    def evaluate(self):
        """Searches on the device."""
        watching = [one for one in self.own_observers if isinstance(one, _observers.OutputObserver)]
        held = []
        if self.verify or watching:
            self.judge = _judge.Judge(_verdict(
                self.verify, self.answer, self.atol, watching,
                lambda: self.runner.definition if self.runner is not None else held[0]))
        known = {}
        try:
            wanted = "time" if self.one_by_one() else self._wanted()
            if self.cache:
                self.cache_file = _cache.Cache(self.cache, self.header())
                known = self.cache_file.known()
            if self.one_by_one():
                self.runner = _runner.DeviceRunner(
                    self.scribe, self._budget(), _device_name(str(self.device)), self.take, known, self.definition,
                    self.arguments, self.observers, self.quiet, self.alone, device=self.device, database=self.database,
                    energy=self.energy)
                return self._searched()
            return self._run(held, known, wanted)
        finally:
            if self.runner is not None:
                self.runner.close()
            if self.judge is not None:
                self.judge.close()
            if self.cache_file is not None:
                self.cache_file.close()

    def _wanted(self):
        if len(self.goals) > 1:
            return "time"  # it does not guide the strategies that take several
        (name, higher), = self.goals.items()
        return _results.objective_of(name, higher, self.metrics, self.formulas, self.energy)

    def _budget(self):
        clock_of = (lambda: 0.0) if self.simulation_mode else clock.perf_counter
        return _runner.Budget(self.max_fevals, self.time_limit, clock_of)

    def _searched(self):
        options = _runner.Options(
            tune_params=self.parameters, restrictions=self.restrictions, strategy_options=_runner.Options(self.options),
            objective=list(self.goals), objective_higher_is_better=list(self.goals.values()), budget=self.runner.budget,
            cache=self.runner.known, metrics=self.metrics, verbose=self.verbose, seed=self.seed, verify=self.verify,
            answer=self.answer, atol=self.atol, observers=self.observers, simulation_mode=bool(self.simulation_mode))
        if self.time_limit is not None:
            options["time_limit"] = self.time_limit
        own = self.strategy if self.strategy_name is None else None
        return _runner.search(own, None if own is not None else self.ours(), self.runner, options,
                              self.block_names)

    def _run(self, held, known, wanted):
        """Searches as cutune.run does, which compiles ahead. What a cache has is not evaluated again where the whole space is
        searched; elsewhere its results stand for the new ones."""
        everything = self.ours() == "grid" and not (self.max_fevals or self.time_limit)
        rest = _rest(self.parameters, known) if everything else None
        if rest and not self._left(known):
            return [dict(one) for one in known.values()]
        held.append(self.definition(metrics=self.formulas if wanted.startswith(("min:", "max:")) else None,
                                    restrictions=_search.as_list(self.restrictions) + rest if rest else None))
        results = [dict(one) for one in known.values()] if rest else []

        def take(evaluation, progress):
            entry = self.scribe.entry(evaluation)
            results.append(dict(known.get(self.scribe.key(entry), entry)))
            self.take(entry)
        result = _tuner.run(held[0].problem, device=self.device, strategy=self.ours(), seed=self.seed, objective=wanted,
                            database=self.database, on_evaluation=take, energy=self.energy, evaluations=self.max_fevals, seconds=self.time_limit)
        for notice in result.notices:
            say(notice, self.quiet)
        if result.end == "cancelled":
            say("interrupted: these are the results so far")
        return results

    def _left(self, known):
        """Returns whether the space has configurations that a cache lacks."""
        space = Searchspace(self.parameters, self.restrictions, block_size_names=self.block_names)
        return any(_results.key_of(one) not in known for one in space.list)

    def end(self, results, seconds):
        """Tells the best, and returns `env`."""
        for metric, error in self.scribe.lacking.items():
            say(f"metric '{metric}' is left out: results have no {error}", self.quiet)
        env = {"device_name": _device_name(str(self.device)), "kernel_name": self.kernel_name}
        if self.runner is not None:
            env.update(self.runner.get_environment())
        env.update(_results.total_timings(results))
        if self.runner is not None:
            env.update(self.runner.timings(results))
        spent = sum(env[name] for name in env if name.startswith("total_")) - env.get("simulated_time", 0)
        env["overhead_time"] = max(0.0, 1e3 * seconds - spent)
        best = util.get_pareto_results(results, list(self.goals), list(self.goals.values()))
        if best:
            env["best_config"] = best if len(self.goals) > 1 else best[0]
        if not self.quiet:
            self._print_end(best, results)
        return env

    def _print_end(self, best, results):
        if best:
            print(f"\nBEST PERFORMING CONFIGURATION FOR OBJECTIVE {', '.join(self.goals)}:")
            for one in best:
                print(self.scribe.line(one))
            return
        right = [one for one in results if "__error__" not in one]
        measured = sorted({name for one in right if "time" in one for name in one if isinstance(one[name], (int, float))})
        print(f"{len(right)} of {len(results)} configurations are right; "
              + (f"none has {', '.join(self.goals)}: there is {', '.join(measured)}" if measured else "none was measured"))


def _rest(parameters, known):
    """Returns the constraint that leaves out the configurations of a cache; an empty list without any; None where there are
    too many."""
    if not known or len(known) > _MAX_LEFT_OUT:
        return None
    rows = [tuple(one.get(name) for name in parameters) for one in known.values()]
    if any(_expressions.literal(value) is None for row in rows for value in row):
        return None
    return [f"not ({_expressions.rows_rule(list(parameters.items()), rows)})"]


def tune_kernel(kernel_name: str, kernel_source: Source, problem_size: Any, arguments: Sequence[Any],
                tune_params: Mapping[str, Sequence[Any]], grid_div_x: Divisors = None, grid_div_y: Divisors = None,
                grid_div_z: Divisors = None, restrictions: Any = None, answer: Optional[Sequence[Any]] = None,
                atol: float = 1e-6, verify: Optional[Callable] = None, verbose: bool = False, lang: Optional[str] = None,
                device: Union[int, str, None] = None, platform: int = 0, smem_args: Optional[Mapping[str, Any]] = None,
                cmem_args: Optional[Mapping[str, Any]] = None, texmem_args: Optional[Mapping[str, Any]] = None,
                compiler: Optional[str] = None, compiler_options: Optional[Sequence[str]] = None,
                defines: Optional[Mapping[str, Any]] = None, log: Optional[int] = None,
                iterations: int = _DEFAULT_ITERATIONS, block_size_names: Optional[Sequence[str]] = None,
                quiet: bool = False, strategy: Any = None, strategy_options: Optional[Mapping[str, Any]] = None,
                cache: Union[str, os.PathLike, None] = None, metrics: Optional[Mapping[str, Any]] = None,
                simulation_mode: Optional[bool] = None, parallel: Any = None, observers: Optional[Sequence[Any]] = None,
                objective: Union[str, Sequence[str], None] = None,
                objective_higher_is_better: Union[bool, Sequence[bool], None] = None,
                objectives: Optional[Mapping[str, bool]] = None, seed: Optional[int] = None,
                database: Union[str, os.PathLike, None] = None) -> Tuple[List[Dict[str, Any]], Dict[str, Any]]:
    """Tunes a kernel as Kernel Tuner's function of this name. Returns a list of dicts, one a configuration, with the
    parameters, `time` (ms), `times`, the metrics, and `__error__` for what failed; and a dict with `best_config`: of several
    `objectives` a list of those results that no other one beats in all of them.

    `device`: number of a GPU, or "emulator": configurations are checked on the CPU, and `time` is missing; default:
    $CUTUNE_DEVICE, else 0. `database`: file with the results of all runs, which later calls reuse; default: where the command
    looks. `iterations`, `platform`, `compiler`, `log` and `parallel` change nothing: a rule ends the samples of a
    configuration, and all cores compile. Ctrl-C ends the search with the results so far."""
    started = clock.perf_counter()
    call = _Call(kernel_name=kernel_name, kernel_source=kernel_source, problem_size=problem_size, arguments=arguments,
                 tune_params=tune_params, grid_div_x=grid_div_x, grid_div_y=grid_div_y, grid_div_z=grid_div_z,
                 restrictions=restrictions, answer=answer, atol=atol, verify=verify, verbose=verbose, lang=lang,
                 device=_device(device), smem_args=smem_args, cmem_args=cmem_args, texmem_args=texmem_args,
                 compiler_options=compiler_options, defines=defines, block_size_names=block_size_names, quiet=quiet,
                 strategy=strategy, strategy_options=strategy_options, cache=cache, metrics=metrics,
                 simulation_mode=simulation_mode, observers=observers, objective=objective,
                 objective_higher_is_better=objective_higher_is_better, objectives=objectives, seed=seed, database=database)
    results = call.simulate() if simulation_mode else call.evaluate()
    if call.judge is not None and call.judge.raised is not None:
        raise call.judge.raised
    return results, call.end(results, clock.perf_counter() - started)


def tune_cache(cache_path: Union[str, os.PathLike], restrictions: Optional[Sequence[Any]] = None,
               **kwargs: Any) -> Tuple[List[Dict[str, Any]], Dict[str, Any]]:
    """Searches in a file of results, without a kernel: kernel, size and parameters are those of the file. Other arguments
    are those of tune_kernel."""
    content = _cache.read(cache_path)
    names = content["tune_params_keys"]
    entries = [one for one in content["cache"].values() if "__error__" not in one]
    given = {name: content.get("tune_params", {}).get(name) or list(dict.fromkeys(one[name] for one in entries)) for name in names}
    recorded = _expressions.rows_rule(list(given.items()), [tuple(one[name] for name in names) for one in entries])
    fields = {"kernel_name": content.get("kernel_name", ""), "kernel_source": "", "problem_size": content.get("problem_size", 1),
              "arguments": [], "tune_params": given, **kwargs}
    return tune_kernel(**fields, cache=cache_path, restrictions=[recorded, *_search.as_list(restrictions)], simulation_mode=True)


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
        definition = Definition(kernel_name, kernel_source, problem_size, arguments,
                                 {name: [value] for name, value in _problem._named(
                                     params, "params", "a value of each parameter").items()} or {"unused_": [0]},
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
    values, one an argument) names, else all arguments. Arrays on a device (CuPy, PyTorch, Numba) are used where they lie, and
    returned themselves. `results_file`: of store_results, whose best parameters for the device and the size are taken."""

    def __init__(self, kernel_name: str, kernel_string: Source, problem_size: Any, arguments: Sequence[Any],
                 params: Optional[Mapping[str, Any]] = None, inputs: Any = None,
                 outputs: Optional[Sequence[bool]] = None, device: Union[int, str, None] = None, platform: int = 0,
                 block_size_names: Optional[Sequence[str]] = None, grid_div_x: Divisors = None,
                 grid_div_y: Divisors = None, grid_div_z: Divisors = None, verbose: bool = True,
                 lang: Optional[str] = None, results_file: Union[str, os.PathLike, None] = None):
        params = dict(params or {})
        if results_file is not None:
            name = _device_name(str(_device(device)))
            params = {**TuneResults(results_file).get_best_config(name, problem_size), **params}
        self._fields = dict(kernel_name=kernel_name, kernel_source=kernel_string, problem_size=problem_size,
                            params=params, device=device, block_size_names=block_size_names, grid_div_x=grid_div_x,
                            grid_div_y=grid_div_y, grid_div_z=grid_div_z, lang=lang)
        self._arguments, self._outputs, self._launch = list(arguments), outputs, None

    def update_gpu_args(self, args: Sequence[Any]) -> None:
        """Sets the arguments of the next calls."""
        self._arguments = list(args)

    def run_kernel(self, args: Optional[Sequence[Any]] = None) -> List[Any]:
        """Runs the kernel. Returns the list of its outputs."""
        args = list(args) if args is not None else self._arguments
        arrays = [one for one in args if _arrays.is_array(one)]
        if arrays and all(_arrays.on_device(one, "of the kernel") is not None for one in arrays):
            results = self._in_place(args)
        else:
            results = run_kernel(arguments=args, **self._fields)
        return [one for one, kept in zip(results, self._outputs or [True] * len(results)) if kept]

    def _in_place(self, args):
        if self._launch is None:
            fields = dict(self._fields)
            fields["params"] = {name: [value] for name, value in fields["params"].items()} or {"unused_": [0]}
            problem = Definition(fields["kernel_name"], fields["kernel_source"], fields["problem_size"], args, fields["params"],
                                 grid_div=(fields["grid_div_x"], fields["grid_div_y"], fields["grid_div_z"]),
                                 lang=fields["lang"], block_size_names=fields["block_size_names"]).problem
            self._launch = _dispatcher.Dispatcher(problem, device=_device(fields["device"]))
        self._launch(*args)
        return args

    def __call__(self, *args: Any) -> List[Any]:
        return self.run_kernel(args or None)
