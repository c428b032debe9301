# SPDX-License-Identifier: Apache-2.0
"""Runs the tests of one module: python3 run.py test_runs. Exit status 77: skipped, because NumPy is missing."""
import sys
import unittest

try:
    import numpy  # noqa: F401
except ImportError:
    print("skipped: NumPy is not installed (python3-numpy)")
    sys.exit(77)

unittest.main(module=sys.argv.pop(1), verbosity=2)
