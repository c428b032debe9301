# SPDX-License-Identifier: Apache-2.0
"""The bases of observers, where scripts look for them."""
from . import BenchmarkObserver, ContinuousObserver, IterationObserver, OutputObserver, PrologueObserver

__all__ = ["BenchmarkObserver", "ContinuousObserver", "IterationObserver", "OutputObserver", "PrologueObserver"]
