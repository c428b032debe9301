# SPDX-License-Identifier: Apache-2.0
"""Runs the program `tune` of this package: python3 -m cutune, or the command `tune` of the wheel."""
import os
import sys

from . import _native


def main():
    """Replaces this process by the program, with the same arguments."""
    try:
        program = _native.program_path()
        os.execv(program, [program, *sys.argv[1:]])
    except _native.TuneError as error:
        sys.exit(f"tune: {error}")
    except OSError as error:
        sys.exit(f"tune: {program} cannot be started: {error.strerror}")


if __name__ == "__main__":
    main()
