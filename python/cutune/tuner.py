# SPDX-License-Identifier: Apache-2.0
"""Runs, checks, evaluations and stored results."""
import atexit
import ctypes
import dataclasses
import json
import os
import signal
import subprocess
import threading
import time
import weakref
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Union

from . import _expressions, _native, _notebook, _strategies
from .problem import AnyProblem, Problem, problem_of

__all__ = ["Evaluation", "Evaluator", "Result", "Stored", "best", "built_in_problems", "check", "evaluate", "run", "space_size"]


Path = Union[str, os.PathLike]
Sizes = Mapping[str, Any]

_PATIENCE = 10  # seconds that the interpreter waits at its end for the evaluations of other threads


@dataclasses.dataclass(frozen=True)
class Evaluation:
    """One configuration compiled, checked and measured."""
    configuration: Dict[str, Any]
    seconds: float  #: of an execution, the median of the samples; 0: not measured
    joules: float  #: of an execution; 0: not measured
    samples: List[float]  #: seconds of an execution
    error: float  #: largest difference from the reference
    tolerance: float  #: of that error
    registers: int  #: of a thread; 0: unknown
    occupancy: float  #: 0 to 1; 0: unknown
    reused: bool  #: answered from the database
    estimated: bool  #: seconds follow from a measurement over fewer time steps
    phase: Optional[str]  #: in which it failed (compile, resources, launch, verify, timeout, crash); None: it is right
    reason: Optional[str]
    detail: Optional[str]
    compile_seconds: float = 0.0  #: on the host, as the next two: of compiling
    check_seconds: float = 0.0  #: of comparing results
    measure_seconds: float = 0.0  #: of measuring

    @property
    def right(self) -> bool:
        """Whether it ran with right results."""
        return self.phase is None


@dataclasses.dataclass
class Result:
    """The result of a run."""
    problem: str
    best: Optional[Evaluation]  #: None on the emulator, and if no configuration is right
    ties: List[Dict[str, Any]]  #: configurations that are not slower than the best by 0.5 % with confidence
    evaluations: List[Evaluation]  #: in the order in which they ended
    space_size: int  #: valid configurations
    reused: int  #: evaluations from the database
    failures: Dict[str, int]  #: how many failed in each phase
    end: str  #: exhausted, budget, little to gain or cancelled
    seconds: float  #: that the run took
    limit: float  #: seconds that the device's bandwidth and peak allow; 0: unknown
    run: int  #: its number in the database; 0: nothing was stored
    notices: List[str]
    database: Optional[Path] = None  #: in which it is stored; None: where the command looks

    def charts(self) -> _notebook.Page:
        """Returns the charts of the report for this run, as a notebook shows them. Raises ValueError if nothing was
        stored."""
        if self.run == 0:
            raise ValueError(f"{self.problem}: nothing was stored: on the emulator nothing is measured")
        return charts(database=self.database, run=self.run)

    def rows(self) -> List[Dict[str, Any]]:
        """Returns a list of dicts, one an evaluation: its parameters, `seconds`, `phase`, `reason` and more."""
        return [{**one.configuration, "seconds": one.seconds if one.samples else None, "joules": one.joules or None,
                 "registers": one.registers, "occupancy": one.occupancy, "error": one.error, "phase": one.phase,
                 "reason": one.reason} for one in self.evaluations]

    def table(self) -> Any:
        """Returns the rows as a pandas.DataFrame if pandas is installed, else as they are."""
        return _notebook.frame_of(self.rows())

    def __repr__(self):
        if self.best is None:
            failed = [one for one in self.evaluations if not one.right]
            why = f"; {failed[0].configuration}: {failed[0].detail or failed[0].reason}" if failed else ""
            return (f"<{self.problem}: {len(self.evaluations) - len(failed)} of {len(self.evaluations)} configurations right, "
                    f"{self.end}{why}>")
        values = ", ".join(f"{name}={value}" for name, value in self.best.configuration.items())
        return f"<{self.problem}: {values}: {self.best.seconds * 1e3:.4g} ms, best of {len(self.evaluations)}, {self.end}>"

    def _repr_html_(self):
        """What a notebook shows: the best time so far, and the fastest configurations."""
        return _notebook.html_of(self)


@dataclasses.dataclass(frozen=True)
class Stored:
    """The best stored configuration."""
    configuration: Dict[str, Any]
    seconds: float  #: that were measured, at `size` on `device`
    joules: float  #: of an execution; 0: not measured
    match: str  #: exact, nearest size, same architecture or portfolio
    why: str  #: one sentence
    size: str
    device: str


def _values(names, values, kinds, count):
    return {names[i].decode(): _native.value_of(values[i], kinds[i]) for i in range(count)}


def _text(value):
    return None if value is None else _native.in_python(value.decode(errors="replace"))


def _evaluation(one):
    return Evaluation(_values(one.names, one.values, one.kinds, one.parameters), one.seconds, one.joules,
                      one.samples[:one.sample_count], one.error, one.tolerance, one.registers, one.occupancy,
                      bool(one.reused), bool(one.estimated), _text(one.phase), _text(one.reason), _text(one.detail),
                      one.compile_seconds, one.check_seconds, one.measure_seconds)


_calling = weakref.WeakSet()  # tuners that call functions of the script


def _end_calls():
    """Ends the runs of other threads before the interpreter does: a function of the script cannot be called afterwards."""
    busy = [tuner for tuner in _calling if tuner.process == os.getpid() and not tuner.closed]
    for tuner in busy:
        _native.library().tune_cancel(tuner.handle)
    deadline = time.monotonic() + _PATIENCE
    while not all(tuner.closed for tuner in busy) and time.monotonic() < deadline:
        time.sleep(0.01)


def _will_call(tuner):
    _calling.add(tuner)
    atexit.unregister(_end_calls)
    atexit.register(_end_calls)  # before what was registered until now: the folders of problems are removed later


class _Tuner:
    """A tuner of the library, with its options."""

    def __init__(self, **options):
        self.process = os.getpid()
        library, handle = _native.library(), ctypes.c_void_p()
        _native.check(library.tune_open(ctypes.byref(handle)))
        self.handle, self.notices, self.raised = handle, [], None
        self.calls, self.closing, self.closed, self.interrupted, self.lock = 0, False, False, False, threading.Lock()
        self.one_by_one = threading.Lock()  # it serves one thread at a time
        self.on_notice = _native.NoticeFunction(lambda line, _: self.notices.append(_native.in_python(
            line.decode(errors="replace"))))
        self.on_progress = None
        try:
            _native.check(library.tune_on_notice(handle, self.on_notice, None))
            for name, value in options.items():
                if value is not None:
                    if not isinstance(value, (bool, int, float, str)) and not hasattr(value, "item"):
                        raise TypeError(f"{name}: {value!r} is neither a number nor a text")
                    _native.check(library.tune_set(handle, name.encode(), os.fsencode(_native.text_of(value))))
        except BaseException:
            self.close()
            raise

    def close(self):
        """Ends it, after the call that a second Ctrl-C left behind."""
        with self.lock:
            self.closing = True
            if self.calls or os.getpid() != self.process:  # after a fork, its processes belong to the other one
                return
        _native.library().tune_close(self.handle)
        self.closed = True

    def _counted(self, work):
        with self.lock:
            self.calls += 1
        try:
            with self.one_by_one:
                return work()
        finally:
            with self.lock:
                self.calls -= 1
                last = self.closing
            if last:
                self.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def report(self, callback):
        """Calls `callback(evaluation, progress)` after each evaluation; what it raises ends the run."""
        if not callable(callback):
            raise TypeError(f"on_evaluation is {_native.kind(callback)}: give a function of (evaluation, progress)")

        def progress(state, _):
            if self.raised is not None:
                return 1
            try:
                stop = callback(_evaluation(state.contents.evaluation.contents), {
                    "evaluations": state.contents.evaluations, "planned": state.contents.planned,
                    "seconds": state.contents.seconds,
                    "best": _evaluation(state.contents.best.contents) if state.contents.best else None})
            except BaseException as error:  # it cannot cross the library
                self.raised = error
                return 1
            return 1 if stop is False else 0
        _will_call(self)
        self.on_progress = _native.ProgressFunction(progress)
        _native.check(_native.library().tune_on_progress(self.handle, self.on_progress, None))

    def call(self, work, started=None, during=None):
        """Calls the library in a thread, so that Ctrl-C reaches this one. The first Ctrl-C cancels the run, which then
        returns what there is; the second one raises KeyboardInterrupt. `started` is called once the thread runs, `during`
        every millisecond until it ends."""
        if os.getpid() != self.process:
            raise ValueError("it was opened before the fork, and its processes belong to the other process: open another one")
        main = threading.current_thread() is threading.main_thread()
        if not main and during is None:
            return self._counted(work)
        outcome = []

        def run():
            try:
                outcome.append((True, self._counted(work)))
            except BaseException as error:
                outcome.append((False, error))
        before = signal.getsignal(signal.SIGINT) if main else None

        def interrupt(number, frame):
            _native.library().tune_cancel(self.handle)
            again, self.interrupted = self.interrupted, True
            if again and callable(before):
                before(number, frame)
        thread = threading.Thread(target=run, daemon=True)
        if main:
            signal.signal(signal.SIGINT, interrupt)
        try:
            thread.start()
            if started is not None:
                started()
            while thread.is_alive():
                if during is not None:
                    during()
                thread.join(0.05 if during is None else 0.001)
        finally:
            if main:
                signal.signal(signal.SIGINT, signal.SIG_DFL if before is None else before)
        done, value = outcome[0]
        if not done:
            raise value
        return value


def _device(device):
    return str(int(device)) if hasattr(device, "__int__") else str(device)  # CuPy's devices are numbers, too


def run(problem: AnyProblem, sizes: Optional[Sizes] = None, *, device: Union[int, str] = "0",
        evaluations: Optional[int] = None, seconds: Optional[float] = None, until_gain: Optional[float] = None,
        strategy: Union[str, Callable, None] = None, seed: Optional[int] = None, objective: Optional[str] = None,
        database: Optional[Path] = None, where: Union[str, Callable, None] = None, warm_caches: Optional[bool] = None,
        fresh: Optional[bool] = None, transfer: Optional[bool] = None, finalists: Optional[int] = None,
        timeout: Optional[float] = None, compilers: Optional[int] = None, energy: Optional[bool] = None,
        on_evaluation: Optional[Callable[[Evaluation, Dict[str, Any]], Any]] = None) -> Result:
    """Searches a problem's configurations for the fastest right one, and stores every evaluation.

    problem      a Problem, the path of a definition, or the name of a problem that the tuner has
    sizes        dict of the sizes and settings that are not at their defaults
    device       number of a GPU; "cpu" for commands and kernels of the processor; or "emulator": configurations run on the
                 CPU and are checked, nothing is measured
    evaluations, seconds, until_gain   budgets: configurations, seconds of the run, the least expected gain (0.01: 1 %);
                 without any: that of the definition, else 200 evaluations
    strategy     as --strategy of the command; or one of your own, as of `replay`, which is stored by its name. It may be told
                 results that it did not ask for: of the default configuration, and of the database. `in_flight` (a member
                 of it, 1): how many it chooses before it is told the result of the first. seed: of the strategy
    objective    "time", "energy", "edp", "min:METRIC", "max:METRIC" or "pareto:A,B"
    database     file with the results; default: where the command looks ($TUNE_DB, ...)
    where        restricts the space: an expression, or a function of the parameters
    timeout      seconds that a kernel may take to run once
    finalists    how many configurations are timed again in turns at the end; 0: none
    compilers    how many compile at the same time; 0: as many as the machine has cores
    warm_caches, fresh, transfer   True or False, as of the command
    energy       True: the energy is measured beside another objective, too, if the device reports it; each configuration
                 takes about half a second more
    on_evaluation  is called after each evaluation with it and a dict (evaluations, planned, seconds, best); the run ends
                 when it returns False, or with what it raises

    The first Ctrl-C ends the run with its results so far. Raises ValueError for what cannot be, TuneError if the
    environment lacks something."""
    problem = problem_of(problem)
    own = None if strategy is None or isinstance(strategy, str) else _strategies.OwnStrategy(strategy)
    with _Tuner(device=_device(device), evaluations=evaluations, seconds=seconds, until_gain=until_gain,
                strategy=None if own is not None else strategy,
                seed=seed, objective=objective, database=None if database is None else os.fspath(database), where=problem.restriction(where),
                warm_caches=warm_caches, fresh=fresh, transfer=transfer, finalists=finalists, timeout=timeout,
                compilers=compilers, energy=energy) as tuner:
        if on_evaluation is not None:
            tuner.report(on_evaluation)
        if own is not None:
            _will_call(tuner)
            _native.check(_native.library().tune_set_strategy(tuner.handle, ctypes.byref(own.functions)))
        result = ctypes.POINTER(_native.Result)()
        array, count = _native.assignments(sizes or {})
        library = _native.library()
        try:
            tuner.call(lambda: _native.check(library.tune_run(tuner.handle, problem._handle, array, count,
                                                              ctypes.byref(result))))
        except Exception:
            if own is not None and own.raised is not None:
                raise own.raised from None
            raise
        try:
            if tuner.raised is not None:
                raise tuner.raised
            return _result(problem, result.contents, tuner.notices, database)
        finally:
            library.tune_result_free(result)


def _result(problem, result, notices, database):
    return Result(problem.name, _evaluation(result.best.contents) if result.best else None,
                  [_native.configuration_of(result.tie_configurations[i].contents) for i in range(result.tie_count)],
                  [_evaluation(result.evaluations[i].contents) for i in range(result.count)],
                  result.space_size, result.reused,
                  {result.phases[i].decode(): result.phase_failures[i] for i in range(result.phase_count)},
                  _native.ENDS[result.end], result.seconds, result.limit, result.run, notices,
                  database)


def check(problem: AnyProblem, sizes: Optional[Sizes] = None, *, evaluations: Optional[int] = None,
          **options: Any) -> Result:
    """Runs configurations on the emulator: finds wrong results, races, accesses outside of arrays and uninitialised
    reads without a GPU. See `run`."""
    return run(problem, sizes, device="emulator", evaluations=evaluations, **options)


class Evaluator:
    """Evaluates configurations of a problem one by one, for your own loop; its device stays open.

        search = cutune.Search(problem)
        with cutune.Evaluator(problem) as evaluate:
            while (configuration := search.ask()) is not None:
                one = evaluate(configuration)
                search.tell(configuration, one.seconds if one.right else None)

    Arguments are those of `evaluate`, and `energy` of `run`; `problem` may be set to another one. Ctrl-C during an evaluation lets it end, and sets `interrupted`."""

    def __init__(self, problem: AnyProblem, sizes: Optional[Sizes] = None, *, device: Union[int, str] = "0",
                 database: Optional[Path] = None, fresh: Optional[bool] = None, warm_caches: Optional[bool] = None,
                 timeout: Optional[float] = None, energy: Optional[bool] = None):
        self.problem, self._sizes = problem_of(problem), _native.assignments(sizes or {})
        self._tuner = _Tuner(device=_device(device), database=None if database is None else os.fspath(database), fresh=fresh,
                             warm_caches=warm_caches, timeout=timeout, energy=energy)

    def __call__(self, configuration: Mapping[str, Any], *, started: Optional[Callable[[], Any]] = None,
                 during: Optional[Callable[[], Any]] = None) -> Evaluation:
        """Evaluates a configuration, or fetches the database's evaluation of it. `started` is called once it has begun, and
        `during` every millisecond until it ends."""
        if self._tuner is None:
            raise ValueError(f"the evaluator of {self.problem.name} is closed")
        result = ctypes.POINTER(_native.Result)()
        values, value_count = _native.assignments(configuration, "configuration")
        library = _native.library()
        self._tuner.call(lambda: _native.check(library.tune_evaluate(
            self._tuner.handle, self.problem._handle, values, value_count, *self._sizes, ctypes.byref(result))), started, during)
        try:
            return _evaluation(result.contents.evaluations[0].contents)
        finally:
            library.tune_result_free(result)

    def several(self, configurations: Sequence[Mapping[str, Any]]) -> List[Optional[Evaluation]]:
        """Evaluates configurations that have all parameters, as a run does: others compile while one is measured. Returns
        the evaluations in their order; None for what is not valid, and after Ctrl-C."""
        names = list(self.problem.parameters)
        rows = [tuple(one[name] for name in names) for one in configurations]
        rule = _expressions.rows_rule(list(self.problem.parameters.items()), rows)
        library, result = _native.library(), ctypes.POINTER(_native.Result)()
        wanted = {"where": rule, "strategy": "grid", "finalists": "0", "transfer": "false"}
        try:
            for name, value in wanted.items():
                _native.check(library.tune_set(self._tuner.handle, name.encode(), value.encode()))
            self._tuner.call(lambda: _native.check(library.tune_run(self._tuner.handle, self.problem._handle, *self._sizes,
                                                                    ctypes.byref(result))))
            done = [_evaluation(result.contents.evaluations[i].contents) for i in range(result.contents.count)]
        finally:
            library.tune_result_free(result)
            for name in wanted:
                library.tune_set(self._tuner.handle, name.encode(), None)
        found = {tuple(one.configuration[name] for name in names): one for one in done}
        return [found.get(row) for row in rows]

    @property
    def interrupted(self) -> bool:
        """Whether Ctrl-C was pressed during an evaluation."""
        return self._tuner.interrupted

    def close(self) -> None:
        """Ends its processes. A second call does nothing."""
        tuner, self._tuner = self._tuner, None
        if tuner is not None:
            tuner.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


def evaluate(problem: AnyProblem, configuration: Mapping[str, Any], sizes: Optional[Sizes] = None, *,
             device: Union[int, str] = "0", database: Optional[Path] = None, fresh: Optional[bool] = None,
             warm_caches: Optional[bool] = None, timeout: Optional[float] = None) -> Evaluation:
    """Evaluates one configuration, or fetches the database's evaluation of it. Parameters that are left out are at
    their defaults. Raises KeyboardInterrupt after the evaluation if Ctrl-C was pressed during it."""
    with Evaluator(problem, sizes, device=device, database=database, fresh=fresh, warm_caches=warm_caches,
                   timeout=timeout) as one:
        evaluation = one(configuration)
        if one.interrupted:
            raise KeyboardInterrupt
        return evaluation


def best(problem: AnyProblem, sizes: Optional[Sizes] = None, *, device: Union[int, str] = "0",
         database: Optional[Path] = None) -> Optional[Stored]:
    """Returns the best stored configuration for a problem at a size, also of the recordings that ship with the tuner;
    None if nothing fits. Measures nothing."""
    problem = problem_of(problem)
    with _Tuner(device=_device(device), database=None if database is None else os.fspath(database)) as tuner:
        stored = ctypes.POINTER(_native.Stored)()
        array, count = _native.assignments(sizes or {})
        library = _native.library()
        _native.check(library.tune_best(tuner.handle, problem._handle, array, count, ctypes.byref(stored)))
        if not stored:
            return None
        try:
            one = stored.contents
            return Stored(_native.configuration_of(one.configuration.contents), one.seconds, one.joules, one.match.decode(),
                          one.why.decode(), one.size.decode(), one.device.decode())
        finally:
            library.tune_stored_free(stored)


def space_size(problem: AnyProblem, sizes: Optional[Sizes] = None, *, where: Union[str, Callable, None] = None) -> int:
    """Returns the number of valid configurations, with the limits of an sm_90."""
    problem = problem_of(problem)
    with _Tuner(device="emulator", where=problem.restriction(where)) as tuner:
        description = ctypes.POINTER(_native.Description)()
        array, count = _native.assignments(sizes or {})
        library = _native.library()
        _native.check(library.tune_describe(tuner.handle, problem._handle, array, count, ctypes.byref(description)))
        try:
            return description.contents.space_size
        finally:
            library.tune_description_free(description)


def built_in_problems() -> List[str]:
    """Returns the names of the problems that the tuner has."""
    names = []
    while True:
        name = _native.library().tune_built_in(len(names))
        if name is None:
            return names
        names.append(name.decode())


def _last_line(text):
    line = text.strip().splitlines()[-1] if text.strip() else "the program 'tune' failed without a message"
    return line[len("tune: "):] if line.startswith("tune: ") else line


def _report(words, problem, database, run):
    problem = problem.name if isinstance(problem, Problem) else problem
    command = [_native.program_path(), "report", *words]
    for option, value in (("--problem", problem), ("--db", database), ("--run", run)):
        if value is not None:
            command += [option, os.fspath(value) if option == "--db" else str(value)]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8", errors="replace")
    if done.returncode != 0:
        raise _native.TuneError(_last_line(done.stderr).replace("with --db", "with database=").replace("--out: ", ""))
    return done.stdout


def report(path: Path, *, problem: Union[str, Problem, None] = None, database: Optional[Path] = None, run: Optional[int] = None) -> Path:
    """Writes the report of the stored results to a file (HTML, or Markdown for `.md`): of all, of a problem or its name, or of
    a run by its number. Returns the path."""
    _report(["--out", os.fspath(path)], problem, database, run)
    return path


def charts(problem: Union[str, Problem, None] = None, *, database: Optional[Path] = None, run: Optional[int] = None) -> _notebook.Page:
    """Returns the page of the report with its charts, as a notebook shows it; it needs no network. Arguments are
    those of `report`."""
    return _notebook.Page(_report(["--format", "html"], problem, database, run))


def command(*arguments: Any) -> Any:
    """Runs a command of the program `tune` with --format json, and returns what it prints."""
    done = subprocess.run([_native.program_path(), *map(str, arguments), "--format", "json"], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, encoding="utf-8", errors="replace")
    if done.returncode not in (0, 1) or not done.stdout.strip():
        raise _native.TuneError(_last_line(done.stderr))
    return json.loads(done.stdout)
