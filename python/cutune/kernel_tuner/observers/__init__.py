# SPDX-License-Identifier: Apache-2.0
"""What is observed besides the time."""

__all__ = ["BenchmarkObserver"]


class BenchmarkObserver:
    """The base of Kernel Tuner's observers. Classes of a script's own are not called: the tuner measures in processes of
    its own."""


class Known(BenchmarkObserver):
    """An observer whose results the tuner measures anyway."""

    def results_of(self, evaluation):
        """Returns a dict of what this observes."""
        raise NotImplementedError


def check(observer):
    """Raises ValueError for an observer that is not known here."""
    if not isinstance(observer, Known):
        raise ValueError(f"observers: {type(observer).__name__} is not known here: use RegisterObserver and NVMLObserver of "
                         "cutune.kernel_tuner.observers, or metrics")
