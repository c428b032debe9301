# SPDX-License-Identifier: Apache-2.0
"""What is observed besides the time. Observers of a script are called around the evaluation of each configuration: the
tuner launches kernels in a process of its own, so that no function of the script runs between two launches."""
from abc import ABC, abstractmethod
from typing import Any, Dict, Mapping, Optional, Sequence

from ... import _native
from .._results import say

__all__ = ["BenchmarkObserver", "ContinuousObserver", "IterationObserver", "OutputObserver", "PrologueObserver"]


class BenchmarkObserver(ABC):
    """The base of observers. `self.dev` has `name`, `max_threads` and `units`."""

    dev: Any = None

    def register_device(self, dev: Any) -> None:
        """Is called once."""
        self.dev = dev

    def register_configuration(self, params: Mapping[str, Any]) -> None:
        """Is called before each configuration, with a dict of its parameters."""

    def before_start(self) -> None:
        """Is called before the evaluation of a configuration."""

    def after_start(self) -> None:
        """Is called after it has begun."""

    def during(self) -> None:
        """Is called about a thousand times a second, while a configuration is compiled, checked and measured."""

    def after_finish(self) -> None:
        """Is called after it has ended."""

    @abstractmethod
    def get_results(self) -> Dict[str, Any]:
        """Returns what is added to the result of the configuration; it is called for those that are right."""


class IterationObserver(BenchmarkObserver):
    """The same: a configuration is one iteration."""


class ContinuousObserver(BenchmarkObserver):
    """The same. `results` has the result of the configuration when `after_finish` is called."""

    results: Optional[Mapping[str, Any]] = None


class PrologueObserver(BenchmarkObserver):
    """The same."""


class OutputObserver(BenchmarkObserver):
    """Sees the results of a kernel."""

    @abstractmethod
    def process_output(self, answer: Optional[Sequence[Any]], output: Sequence[Any]) -> None:
        """Is called after each checked execution, with the script's `answer` and a list of NumPy's arrays, one an argument:
        None for numbers, for what `answer` has no array for, and for what the kernel's declaration says is only read."""


class Known(BenchmarkObserver):
    """An observer whose results the tuner measures anyway."""

    def results_of(self, evaluation):
        """Returns a dict of what this observes."""
        raise NotImplementedError

    def get_results(self):
        return {}


class Absent(Known):
    """An observer of what this tuner does not measure: it adds nothing, and says so."""

    reason = ""

    def __init__(self, *_: Any, **__: Any):
        say(f"{type(self).__name__} adds nothing to results: {self.reason}")

    def results_of(self, evaluation):
        return {}


def check(observer):
    """Returns an observer; a function that makes one is called. Raises TypeError for what is none."""
    if not isinstance(observer, BenchmarkObserver) and callable(observer):
        observer = observer()
    if not isinstance(observer, BenchmarkObserver):
        raise TypeError(f"observers: {_native.kind(observer)} is not a BenchmarkObserver of cutune.kernel_tuner.observers")
    return observer
