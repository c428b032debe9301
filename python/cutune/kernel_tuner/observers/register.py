# SPDX-License-Identifier: Apache-2.0
"""Registers of a thread."""
from . import Known

__all__ = ["RegisterObserver"]


class RegisterObserver(Known):
    """Adds `num_regs`, the registers of a thread."""

    def results_of(self, evaluation):
        return {"num_regs": evaluation.registers}
