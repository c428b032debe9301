# SPDX-License-Identifier: Apache-2.0
"""Recorded spaces, and strategies compared on them: nothing is measured."""
import ctypes
import math
import os
from typing import Any, Callable, Dict, Iterable, List, Optional, Sequence, Union

from . import _native, _notebook
from ._strategies import OwnStrategy, Space
from .problem import _several, _whole

__all__ = ["Comparison", "Recording", "recordings", "replay"]

Path = Union[str, os.PathLike]


class _Recordings:
    """The library's object."""

    def __init__(self, files, only):
        names = [os.fsencode(one) for one in ([files] if isinstance(files, (str, os.PathLike)) else files)]
        handle = ctypes.c_void_p()
        self.handle = None
        _native.check(_native.library().tune_recordings_read(
            (ctypes.c_char_p * max(1, len(names)))(*names), len(names), None if only is None else only.encode(),
            ctypes.byref(handle)))
        self.handle = handle

    def __del__(self):
        if self.handle is not None:
            _native.library().tune_recordings_free(self.handle)


class Recording:
    """A recorded space. `title` is the name of the file; in a database it says what was measured where. `space` has the
    configurations, and `seconds` the time of each (None where it failed), by their numbers."""

    def __init__(self, held: _Recordings, at: int):
        library = _native.library()
        self._held, self._at = held, at
        self.title: str = library.tune_recordings_title(held.handle, at).decode()
        self._space: Optional[Space] = None
        self._seconds: Optional[List[Optional[float]]] = None

    @property
    def space(self) -> Space:
        """The configurations."""
        if self._space is None:
            self._space = Space(_native.library().tune_recordings_space(self._held.handle, self._at), self._held)
        return self._space

    @property
    def seconds(self) -> List[Optional[float]]:
        """The time of each configuration; None where it failed."""
        if self._seconds is None:
            times = (ctypes.c_double * len(self.space))()
            _native.check(_native.library().tune_recordings_seconds(self._held.handle, self._at, times))
            self._seconds = [None if math.isnan(one) else one for one in times]
        return self._seconds

    def __repr__(self):
        return f"<recording {self.title}>"


def recordings(files: Union[Path, Iterable[Path]], *, only: Optional[str] = None) -> List[Recording]:
    """Returns the recorded spaces of files: caches of Kernel Tuner, T4, results of KTT (each also as .gz), or databases, in
    which each measured workload is one. `only`: those whose titles contain this text."""
    held = _Recordings(files, only)
    return [Recording(held, at) for at in range(_native.library().tune_recordings_count(held.handle))]


class Comparison:
    """The figures of strategies on recorded spaces, as docs/explanation/replay.md explains them. `scores` has a dict for each space and
    strategy: `space`, `strategy`, `shares` (a dict by budget of dicts with `mean`, `lower` and `upper`: the share of the
    optimum that was found), `evaluations_5` and `missed_5` (to within 5 %), `evaluations_1`, `missed_1`, `score` (0: as good
    as random search, 1: the optimum at once) and `seconds` (of an evaluation, in the strategy)."""

    def __init__(self, scores: List[Dict[str, Any]]):
        self.scores = scores

    def rows(self) -> List[Dict[str, Any]]:
        """Returns a flat dict for each space and strategy, with the mean shares as `share at N`."""
        rows = []
        for one in self.scores:
            row = {"space": one["space"], "strategy": one["strategy"],
                   **{f"share at {budget}": share["mean"] for budget, share in one["shares"].items()}}
            row.update({"to 5 %": one["evaluations_5"], "missed 5 %": one["missed_5"], "to 1 %": one["evaluations_1"],
                        "missed 1 %": one["missed_1"], "score": one["score"],
                        "ms": None if one["seconds"] is None else one["seconds"] * 1e3})
            rows.append(row)
        return rows

    def means(self) -> List[Dict[str, Any]]:
        """Returns a row for each strategy: the means over the spaces, each of which counts the same."""
        rows, names = self.rows(), {}
        for row in rows:
            names.setdefault(row["strategy"], []).append(row)
        result = []
        for name, own in names.items():
            mean = {"strategy": name}
            for key in own[0]:
                known = [row[key] for row in own if row[key] is not None]
                if key not in ("space", "strategy"):
                    mean[key] = sum(known) / len(known) if known else None
            result.append(mean)
        return result

    def table(self) -> Any:
        """Returns the rows as a pandas.DataFrame where pandas is installed, else as they are."""
        return _notebook.frame_of(self.rows())

    def __repr__(self):
        return _notebook.text_table(self.means())

    def _repr_html_(self):
        return _notebook.html_table(self.means())


def _scores(one):
    def number(value):
        return None if math.isnan(value) else value
    return {"space": one.space.decode(), "strategy": one.strategy.decode() if one.strategy else "random (exact)",
            "configurations": one.configurations, "failed": one.failed, "optimum": one.optimum,
            "shares": {one.budgets[i]: {"mean": one.shares[i].mean, "lower": one.shares[i].lower, "upper": one.shares[i].upper}
                       for i in range(one.budget_count)},
            "evaluations_5": one.evaluations_5, "missed_5": one.missed_5, "evaluations_1": one.evaluations_1,
            "missed_1": one.missed_1, "score": number(one.score), "seconds": number(one.seconds)}


def replay(files: Union[Path, Iterable[Path], Sequence[Recording]], strategies: Sequence[Union[str, Callable[[Space, int], Any]]],
           *, budgets: Sequence[int] = (20, 50, 100, 200, 400), repeats: int = 20, seed: int = 1, only: Optional[str] = None,
           threads: int = 0) -> Comparison:
    """Lets strategies search recorded spaces, and compares them; random search is computed beside them.

    files        files, or what `recordings` returned
    strategies   names as of `run`, and strategies of your own: functions or classes of (space, seed) whose results have
                 `ask()`, which returns a configuration, its number in the space, or None at the end, and
                 `tell(configuration, cost)` (cost in seconds; None: it failed)
    budgets      numbers of evaluations after which to compare
    repeats      searches of each strategy on each space; seeds follow from `seed`, the space and the repeat
    threads      for strategies of the tuner; 0: as many as there are cores

    Raises what a strategy of your own raises."""
    given = [files] if isinstance(files, (str, os.PathLike)) else list(files)
    spaces = given if given and isinstance(given[0], Recording) else recordings(given, only=only)
    if isinstance(strategies, str) or not hasattr(strategies, "__iter__"):
        strategies = [strategies]
    strategies = list(strategies)
    if not strategies:
        raise ValueError("strategies is empty: name at least one")
    budgets, repeats = [_whole(one, "budgets") for one in _several(budgets, "budgets")], _whole(repeats, "repeats")
    if repeats < 1 or min(budgets, default=0) < 1:
        raise ValueError("budgets: at least one number above 0, in increasing order; repeats: at least 1")
    contenders = [one if isinstance(one, str) else OwnStrategy(one) for one in strategies]
    limits = (ctypes.c_uint64 * max(1, len(budgets)))(*budgets)
    library, scores = _native.library(), []
    for space in spaces:
        for at, one in enumerate(contenders):
            own = isinstance(one, OwnStrategy)
            result = ctypes.POINTER(_native.Comparison)()

            def compare(space=space, one=one, own=own, result=result):
                status = library.tune_compare(
                    space._held.handle, space._at, None if own else one.encode(), ctypes.byref(one.functions) if own else None, limits,
                    len(budgets), repeats, seed, 1 if own else threads, ctypes.byref(result))
                if own and one.raised is not None:
                    raise one.raised
                _native.check(status)
            compare() if own else _native.interruptible(compare)
            try:
                found = [_scores(result.contents.scores[i].contents) for i in range(result.contents.count)]
            finally:
                library.tune_comparison_free(result)
            scores += found if at == 0 else found[1:]
    return Comparison(scores)
