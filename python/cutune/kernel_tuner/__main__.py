# SPDX-License-Identifier: Apache-2.0
"""Runs a script of Kernel Tuner as it is: python3 -m cutune.kernel_tuner SCRIPT [ARGUMENT...]. What it imports from
kernel_tuner comes from this package."""
import importlib
import importlib.abc
import importlib.util
import os
import runpy
import sys

_OURS, _THEIRS = "cutune.kernel_tuner", "kernel_tuner"


class _Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds modules of kernel_tuner in this package."""

    def find_spec(self, name, path=None, target=None):
        if name != _THEIRS and not name.startswith(_THEIRS + "."):
            return None
        ours = _OURS + name[len(_THEIRS):]
        try:
            found = importlib.util.find_spec(ours)
        except ModuleNotFoundError:
            found = None
        if found is None:
            raise ModuleNotFoundError(f"{name} is not there in {_OURS}: docs/how-to/kernel-tuner.md lists what is", name=name)
        return importlib.util.spec_from_loader(name, self, is_package=found.submodule_search_locations is not None)

    def create_module(self, spec):
        return importlib.import_module(_OURS + spec.name[len(_THEIRS):])

    def exec_module(self, module):
        pass


def main():
    if len(sys.argv) < 2:
        sys.exit("cutune.kernel_tuner: name a script: python3 -m cutune.kernel_tuner SCRIPT [ARGUMENT...]")
    script = sys.argv[1]
    if not os.path.isfile(script):
        sys.exit(f"cutune.kernel_tuner: there is no script '{script}'")
    sys.meta_path.insert(0, _Finder())
    sys.argv = sys.argv[1:]
    sys.path[0] = os.path.dirname(os.path.abspath(script))
    runpy.run_path(script, run_name="__main__")


if __name__ == "__main__":
    main()
