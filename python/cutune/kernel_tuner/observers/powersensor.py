# SPDX-License-Identifier: Apache-2.0
"""PowerSensorObserver, for scripts that name it."""
from . import Absent

__all__ = ["PowerSensorObserver"]


class PowerSensorObserver(Absent):
    """Adds nothing: the sensor is not read; NVMLObserver has the energy and the power."""
    reason = "the sensor is not read; NVMLObserver has the energy and the power"
