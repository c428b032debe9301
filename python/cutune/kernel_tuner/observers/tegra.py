# SPDX-License-Identifier: Apache-2.0
"""TegraObserver, for scripts that name it."""
from . import Absent

__all__ = ["TegraObserver"]


class TegraObserver(Absent):
    """Adds nothing: clocks, power and temperature of Tegra boards are not read."""
    reason = "clocks, power and temperature of Tegra boards are not read"
