# SPDX-License-Identifier: Apache-2.0
"""Energy and power."""
import sys
from typing import Any, Sequence

from . import Known

__all__ = ["NVMLObserver"]


class NVMLObserver(Known):
    """Adds `nvml_energy` (J of an execution) and `nvml_power` (W, the mean of an execution) where the device measures
    energy. `observables`: these names."""

    def __init__(self, observables: Sequence[str], *_: Any, **__: Any):
        unknown = set(observables) - {"nvml_energy", "nvml_power"}
        if unknown:
            print(f"cutune: NVMLObserver: results have no {', '.join(sorted(unknown))}: nvml_energy and nvml_power are "
                  "observed", file=sys.stderr)
        self.observables = [name for name in observables if name not in unknown]
        self.energy = bool(self.observables)  # it is measured for them

    def results_of(self, evaluation):
        if not evaluation.joules:
            return {}
        both = {"nvml_energy": evaluation.joules, "nvml_power": evaluation.joules / evaluation.seconds}
        return {name: both[name] for name in self.observables}
