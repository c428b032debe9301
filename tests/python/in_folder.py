# SPDX-License-Identifier: Apache-2.0
"""Scripts in this interpreter, which costs less than one for each: in a folder of their own, with what they print."""
import contextlib
import io
import os
import sys
import tempfile
import unittest.mock


@contextlib.contextmanager
def folder():
    """Works in a new folder."""
    before = os.getcwd()
    with tempfile.TemporaryDirectory() as new:
        os.chdir(new)
        try:
            yield new
        finally:
            os.chdir(before)


def printed(run, arguments=(), **environment):
    """Returns what `run()` prints, with these arguments of the command line and these variables."""
    out = io.StringIO()
    with folder(), contextlib.redirect_stdout(out), contextlib.redirect_stderr(io.StringIO()), unittest.mock.patch.dict(
            os.environ, environment), unittest.mock.patch.object(sys, "argv", ["script", *arguments]):
        run()
    return out.getvalue()
