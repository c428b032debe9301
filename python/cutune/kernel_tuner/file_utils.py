# SPDX-License-Identifier: Apache-2.0
"""Results in files."""
import json
import os
from typing import Any, Iterable, Mapping, Union

import cutune

__all__ = ["store_metadata_file", "store_output_file"]

_INVALIDITY = {"CompilationFailedConfig": "compile", "InvalidConfig": "constraints"}


def _write(path, content):
    path = os.fspath(path)
    path += "" if path.endswith(".json") else ".json"
    with open(path + ".part", "w") as file:
        json.dump(content, file, indent=1, default=str)
    os.replace(path + ".part", path)


def store_output_file(output_filename: Union[str, os.PathLike], results: Iterable[Mapping[str, Any]],
                      tune_params: Mapping[str, Any], objective: str = "time") -> None:
    """Writes the results in T4 (docs/reference/formats.md)."""
    entries = []
    for one in results:
        error = one.get("__error__")
        entries.append({"timestamp": one.get("timestamp"),
                        "configuration": {name: one[name] for name in tune_params if name in one},
                        "times": {"runtimes": one.get("times", [])},
                        "invalidity": _INVALIDITY.get(error, "runtime") if error else "correct",
                        "correctness": 0 if error else 1,
                        "measurements": [] if error or objective not in one else [
                            {"name": objective, "value": one[objective], "unit": "ms" if objective == "time" else ""}],
                        "objectives": [objective]})
    _write(output_filename, {"schema_version": "1.0.0", "results": entries})


def store_metadata_file(metadata_filename: Union[str, os.PathLike]) -> None:
    """Writes which tuner made the results."""
    _write(metadata_filename, {"schema_version": "1.0.0", "tuner": "cutune", "version": cutune.version()})
