# SPDX-License-Identifier: Apache-2.0
"""Evaluations one after another: for strategies and observers of a script, for arguments that follow a parameter, and for
simulations, whose results come from a cache."""
import random
import time
import types

from .. import search as _search, tuner as _tuner
from . import util
from ._results import key_of, say
from .accuracy import Tunable
from .observers import Known, OutputObserver
from .searchspace import Searchspace

__all__ = ["Budget", "DeviceRunner", "Options", "SimulationRunner", "search"]

_MAX_THREADS = 1024


class Options(dict):
    """A dict whose members are attributes, too."""

    def __getattr__(self, name):
        try:
            return self[name]
        except KeyError:
            raise AttributeError(f"there is no option '{name}'") from None

    def __setattr__(self, name, value):
        self[name] = value


class Budget:
    """What a strategy may spend: evaluations and seconds (of a simulation: those of its records)."""

    def __init__(self, max_fevals=None, time_limit=None, clock=time.perf_counter):
        self.max_fevals, self.time_limit = max_fevals, time_limit
        self.evaluations, self.ended, self.added, self.clock = 0, False, 0.0, clock
        self.start = clock()

    def seconds(self):
        """Returns the seconds so far."""
        return self.clock() - self.start + self.added

    def add_evaluations(self, count):
        """Counts evaluations."""
        self.evaluations += count

    def add_time(self, milliseconds=0.0, seconds=0.0):
        """Counts time."""
        self.added += milliseconds / 1e3 + seconds

    def is_done(self):
        """Returns whether it is spent."""
        return (self.ended or (self.max_fevals is not None and self.evaluations >= self.max_fevals)
                or (self.time_limit is not None and self.seconds() >= self.time_limit))

    def get_fraction_consumed(self):
        """Returns how much of it is spent, 0 to 1."""
        return min(1.0, max([0.0] + ([self.evaluations / self.max_fevals] if self.max_fevals else [])
                            + ([self.seconds() / self.time_limit] if self.time_limit else [])))

    def raise_exception_if_done(self):
        """Raises util.StopCriterionReached when it is spent."""
        if self.is_done():
            raise util.StopCriterionReached("the budget is spent")


class _Runner:
    """Evaluates configurations for strategies."""
    simulation_mode = False

    def __init__(self, scribe, budget, device_name, take, known=None):
        self.scribe, self.budget, self.take = scribe, budget, take
        self.known = {key: self._told(one) for key, one in (known or {}).items()}  # from a cache: they are not evaluated
        self.seen, self.strategy_time, self.own_time = {}, 0.0, 0.0
        self.left = time.perf_counter()
        self.units = {"time": "ms"}
        self.dev = types.SimpleNamespace(name=device_name, max_threads=_MAX_THREADS, units=self.units)

    def _told(self, entry):
        entry = dict(entry)
        if "__error__" not in entry:
            self.scribe.add_metrics(entry)
        return entry

    def get_device_info(self):
        """Returns an object with the device's `name` and `max_threads`."""
        return self.dev

    def get_environment(self, tuning_options=None):
        """Returns what `env` has of the runner."""
        return {"device_name": self.dev.name}

    def add_strategy_time(self, seconds):
        """Does nothing: the time between two calls of `run` is the strategy's."""

    def timings(self, results):
        """Returns the times of `env`, in ms, that the runner knows: of the strategy, and its own."""
        spent = sum(one.get(f"{name}_time", 0) for one in results for name in ("compile", "verification", "benchmark"))
        own = 1e3 * self.own_time if self.simulation_mode else max(0.0, 1e3 * self.own_time - spent)
        return {"total_strategy_time": 1e3 * self.strategy_time, "total_framework_time": own}

    def shutdown(self):
        """Ends nothing: tune_kernel closes the runner."""

    def run(self, parameter_space, tuning_options=None):
        """Returns the results of configurations (tuples) in their order; None for those beyond the budget."""
        started = time.perf_counter()
        self.strategy_time += started - self.left
        configs = [tuple(one) for one in parameter_space]
        for one in configs:
            if len(one) != len(self.scribe.parameters):
                raise ValueError(f"strategy: {one!r} is not a configuration: it has a value of each parameter: "
                                 f"{', '.join(self.scribe.parameters)}")
        results = self._results(configs)
        self.left = time.perf_counter()
        self.own_time += self.left - started
        return results

    def _results(self, configs):
        results = []
        for values in configs:
            if self.budget.is_done():
                results.append(None)
                continue
            key = key_of(values)
            if key not in self.seen:
                self.seen[key] = self._result(key, dict(zip(self.scribe.parameters, values)))
                self.budget.add_evaluations(1)
                self.take(self.seen[key])
            results.append(dict(self.seen[key]))
        return results

    def _result(self, key, params):
        return self.known[key] if key in self.known else self._evaluated(params)


class SimulationRunner(_Runner):
    """Answers from a cache."""
    simulation_mode = True

    def __init__(self, scribe, budget, content, path, take):
        super().__init__(scribe, budget, content.get("device_name", "Simulation"), take, content["cache"])
        self.path, self.simulated = path, 0.0

    def get_environment(self, tuning_options=None):
        return {"device_name": self.dev.name, "simulation": True, "simulated_time": self.simulated}

    def _result(self, key, params):
        if key not in self.known:
            raise ValueError(f"simulation_mode: the cache '{self.path}' has no result for {util.get_config_string(params)}: record "
                             "the whole space, or exclude it by 'restrictions'")
        parts = [self.known[key].get(f"{name}_time") for name in ("compile", "verification", "benchmark")]
        if None in parts and self.budget.time_limit is not None:
            raise ValueError(f"simulation_mode: the cache '{self.path}' has no compile_time, verification_time and "
                             f"benchmark_time for {util.get_config_string(params)}: leave out time_limit, and give max_fevals")
        milliseconds = sum(one or 0 for one in parts)
        self.simulated += milliseconds
        self.budget.add_time(milliseconds=milliseconds)
        return self.known[key]


class DeviceRunner(_Runner):
    """Evaluates on a device, or on the emulator. `definition_of(params, parameters)` makes the problem of a
    configuration; `alone`: each configuration has one of its own, else those that have the same arrays share it."""

    def __init__(self, scribe, budget, device_name, take, known, definition_of, arguments, observers, quiet, alone, **options):
        super().__init__(scribe, budget, device_name, take, known)
        self.definition_of, self.options, self.alone = definition_of, options, alone
        self.tunables = [one for one in arguments if isinstance(one, Tunable)]
        self.observers = [one for one in observers if not isinstance(one, Known)]
        self.definitions, self.definition = {}, None  # by the arrays that are chosen; of the configuration under way
        self.evaluator, self.ahead = None, {}
        for observer in self.observers:
            observer.register_device(self.dev)
        around = [type(one).__name__ for one in self.observers if not isinstance(one, OutputObserver)]
        if around:
            say(f"observers: {', '.join(around)}: called around the evaluation of each configuration, not around each launch", quiet)

    def _definition(self, params):
        keys = [one.param_key for one in self.tunables]
        if not self.alone and all(isinstance(key, str) and key in params for key in keys):
            chosen = tuple(one.option(params) for one in self.tunables)
            if chosen not in self.definitions:
                self.definitions[chosen] = self.definition_of(params, {**self.scribe.parameters,
                                                                       **{key: [params[key]] for key in keys}})
            return self.definitions[chosen]
        return self.definition_of(params, {name: [value] for name, value in params.items()})

    def _problem(self, params):
        """Makes the problem of a configuration that of the evaluator, whose device stays open."""
        self.definition = self._definition(params)
        if self.evaluator is None:
            self.evaluator = _tuner.Evaluator(self.definition.problem, **self.options)
        self.evaluator.problem = self.definition.problem

    def _results(self, configs):
        """Evaluates several at once if nothing looks at each of them."""
        new = list(dict.fromkeys(one for one in configs if key_of(one) not in self.seen and key_of(one) not in self.known))
        if self.budget.max_fevals is not None:
            new = new[:max(0, self.budget.max_fevals - self.budget.evaluations)]
        if len(new) > 1 and not (self.observers or self.tunables or self.alone) and self.budget.time_limit is None:
            given = [dict(zip(self.scribe.parameters, one)) for one in new]
            self._problem(given[0])
            evaluated = self.evaluator.several(given)
            self.ahead = {key_of(config): one for config, one in zip(new, evaluated) if one is not None}
            self.budget.ended = self.budget.ended or self.evaluator.interrupted
        return super()._results(configs)

    def _evaluated(self, params):
        ahead = self.ahead.pop(key_of(params.values()), None)
        if ahead is not None:
            return self.scribe.entry(ahead)
        self._problem(params)
        for observer in self.observers:
            observer.register_configuration(dict(params))
            observer.before_start()

        def during():
            for observer in self.observers:
                observer.during()

        def started():
            for observer in self.observers:
                observer.after_start()
        evaluation = self.evaluator(params, started=started if self.observers else None,
                               during=during if self.observers else None)
        if self.evaluator.interrupted:
            self.budget.ended = True
        result = {"time": evaluation.seconds * 1e3} if evaluation.samples else {}
        more = {}
        for observer in self.observers:
            observer.results = result
            observer.after_finish()
            if evaluation.right:
                more.update(observer.get_results())
        return self.scribe.entry(evaluation, more)

    def close(self):
        """Ends the processes of the device."""
        if self.evaluator is not None:
            self.evaluator.close()
            self.evaluator = None


def _ours(name, space, runner, tuning_options):
    """Searches with a strategy of this tuner."""
    found = _search.Search(space.tune_params, space.rules, strategy=name, seed=tuning_options.seed or 1)
    objective, higher = tuning_options.objective[0], tuning_options.objective_higher_is_better[0]
    start = tuning_options.strategy_options.get("x0")
    if start is not None:
        runner.run([tuple(start)], tuning_options)
    while not runner.budget.is_done():
        configuration = found.ask()
        if configuration is None:
            return
        values = tuple(runner.scribe.restored(configuration)[key] for key in space.param_names)
        result = runner.run([values], tuning_options)[0]
        value = result.get(objective) if util.has_objective(result, objective) else None
        found.tell(configuration, None if value is None or value <= 0 else 1 / value if higher else value)


def search(strategy, name, runner, tuning_options, block_names):
    """Lets a strategy search: one of this tuner by its name, or a script's own. Returns its results; all results if it
    returns none."""
    threads = (1 << 30) if runner.simulation_mode else _MAX_THREADS
    space = Searchspace(tuning_options.tune_params, tuning_options.restrictions, threads, block_names)
    limit = tuning_options.budget.max_fevals
    tuning_options.budget.max_fevals = space.size if limit is None else min(limit, space.size)
    tuning_options["max_fevals"] = tuning_options.budget.max_fevals
    if tuning_options.seed is not None:
        random.seed(tuning_options.seed)
    results = None
    try:
        if strategy is None:
            _ours(name, space, runner, tuning_options)
        else:
            results = getattr(strategy, "tune", strategy)(space, runner, tuning_options)
    except util.StopCriterionReached:
        pass
    except KeyboardInterrupt:
        runner.budget.ended = True
    if runner.budget.ended:
        say("interrupted: these are the results so far")
    return list(runner.seen.values()) if results is None else list(results)
