# SPDX-License-Identifier: Apache-2.0
"""PMTObserver, for scripts that name it."""
from . import Absent

__all__ = ["PMTObserver"]


class PMTObserver(Absent):
    """Adds nothing: the library PMT is not called; NVMLObserver has the energy and the power."""
    reason = "the library PMT is not called; NVMLObserver has the energy and the power"
