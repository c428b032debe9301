# SPDX-License-Identifier: Apache-2.0
"""PythonKernel, where scripts look for it."""
from . import PythonKernel

__all__ = ["PythonKernel"]
