# SPDX-License-Identifier: Apache-2.0
"""Files of results in the form of Kernel Tuner's cache, which both programs read, continue and write."""
import gzip
import json
import os

from . import util

__all__ = ["Cache", "read"]


def _path(path):
    path = os.fspath(path)
    return path if path.endswith((".json", ".gz")) else path + ".json"


def read(path):
    """Returns the members of a file; its results have their errors as classes of `util`. A file whose program was killed
    ends in the middle: what is complete counts. Raises ValueError for what is no cache."""
    path = _path(path)
    try:
        with (gzip.open(path, "rt") if path.endswith(".gz") else open(path, encoding="utf-8")) as file:
            text = file.read().rstrip()
    except (OSError, UnicodeDecodeError) as error:
        raise ValueError(f"cache: '{path}' cannot be read: {error}") from None
    content = _parsed(text)
    if not isinstance(content, dict) or not isinstance(content.get("cache"), dict) or not isinstance(
            content.get("tune_params_keys"), list):
        raise ValueError(f"cache: '{path}' is not a cache of Kernel Tuner: its members are kernel_name, tune_params_keys and "
                         "cache")
    for key, entry in content["cache"].items():
        if not isinstance(entry, dict):
            raise ValueError(f"cache: '{path}': the result '{key}' is not an object with members")
        error = next((util.ERRORS[one] for one in entry.values() if isinstance(one, str) and one in util.ERRORS), None)
        if error is not None:
            entry["__error__"] = error()
    return content


def _parsed(text):
    """Returns a JSON text, or as much of it as is complete: there, a result is a line that ends with a comma."""
    closed, end = text, len(text)
    for _ in range(4):
        try:
            return json.loads(closed)
        except ValueError:
            pass
        closed = text[:end].rstrip().rstrip(",") + "}}"
        end = text.rfind("\n", 0, end)
        if end < 0:
            break
    return None


def _default(value):
    return value.tolist() if hasattr(value, "tolist") else str(value)


class Cache:
    """A file to which results are added while they come, so that nothing is lost with the program."""

    def __init__(self, path, header):
        """Opens or begins a file. `header`: its members but for the results. Raises ValueError if its results are of
        another device, kernel, size or of other parameters."""
        self.path, self.entries = _path(path), {}
        if self.path.endswith(".gz"):
            raise ValueError(f"cache: '{self.path}' is compressed, and only simulation_mode reads such files: unpack it first")
        folder = os.path.dirname(os.path.abspath(self.path))
        if not os.path.isdir(folder):
            raise ValueError(f"cache: there is no folder '{folder}': make it first")
        if os.path.exists(self.path):
            content = read(self.path)
            _check(content, header, self.path)
            self.entries = content["cache"]
            header = {name: value for name, value in content.items() if name != "cache"}
        self._begin(header)

    def _begin(self, header):
        """Writes the file again, without the end: a cache that lacks it is read by both programs."""
        temporary = f"{self.path}.{os.getpid()}.part"
        self.file = open(temporary, "w", encoding="utf-8")
        self.file.write(json.dumps({**header, "cache": {}}, indent="", default=_default)[:-3])
        for key, entry in self.entries.items():
            self._write(key, entry)
        self.file.flush()
        os.replace(temporary, self.path)

    def _write(self, key, entry):
        self.file.write("\n" + json.dumps({key: entry}, default=_default)[1:-1] + ",")

    def add(self, key, entry):
        """Adds a result that is not there yet."""
        if key not in self.entries:
            self.entries[key] = entry
            self._write(key, entry)
            self.file.flush()

    def known(self):
        """Returns the results that answer instead of an evaluation: those that failed or have a time."""
        return {key: one for key, one in self.entries.items() if "__error__" in one or "time" in one}

    def close(self):
        """Completes the file."""
        self.file.close()
        with open(self.path, "r+b") as file:
            file.seek(-1, os.SEEK_END)
            if file.read(1) == b",":
                file.seek(-1, os.SEEK_END)
            file.write(b"}\n}")
            file.truncate()


def _numbers(size):
    try:
        return [int(one) for one in (size if isinstance(size, (list, tuple)) else [size])]
    except (TypeError, ValueError):
        return None


def check_header(content, header, path):
    """Raises ValueError if a cache is of another kernel, problem size or of other parameters than a call."""
    for name, what in (("kernel_name", "kernel"), ("tune_params_keys", "parameters, or of another order of them")):
        if content.get(name, header[name]) != header[name]:
            raise ValueError(f"cache: '{path}' has results of other {what}: {content[name]} there, {header[name]} here; name "
                             "another file")
    there, here = _numbers(content.get("problem_size")), _numbers(header["problem_size"])
    if there is not None and here is not None and there != here:
        raise ValueError(f"cache: '{path}' has results of another problem_size: {there} there, {here} here; name another file")


def _check(content, header, path):
    check_header(content, header, path)
    if content.get("device_name") != header["device_name"]:
        raise ValueError(f"cache: '{path}' has results of another device: '{content.get('device_name')}' there, "
                         f"'{header['device_name']}' here; name another file")
