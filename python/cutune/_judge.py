# SPDX-License-Identifier: Apache-2.0
"""Functions of Python that judge results: the tuner's processes pass the arrays through files."""
import json
import os
import pathlib
import socket
import sys
import threading

from . import _folders

__all__ = ["Judge"]


class Judge:
    """Calls `function(arrays)` after each checked execution, with a dict of bytes by the names of arguments. It returns
    what is wrong, or an empty text. What it raises is kept in `raised`, and the execution counts as wrong."""

    def __init__(self, function):
        self.function, self.raised = function, None
        self._folder = _folders.make()
        self._path = os.path.join(self._folder, "socket")
        self._socket = socket.socket(socket.AF_UNIX)
        try:
            self._socket.bind(self._path)
        except OSError as error:
            raise ValueError(f"'{self._path}' cannot be a socket ({error}): set TMPDIR to a shorter folder") from None
        self._socket.listen()
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    def command(self, names):
        """Returns the command of a definition's `verify` for these arrays."""
        client = pathlib.Path(__file__).with_name("_judge_client.py")
        words = [sys.executable, "-I", "-S", str(client), self._path]
        for name in names:
            words += [name, "{" + name + "}"]
        return words

    def close(self):
        """Ends it; executions that ask later count as wrong."""
        try:
            self._socket.shutdown(socket.SHUT_RDWR)  # wakes the thread
        except OSError:
            pass
        self._socket.close()
        self._thread.join()
        _folders.remove(self._folder, os.getpid())

    def _serve(self):
        while True:
            try:
                connection, _ = self._socket.accept()
            except OSError:
                return
            with connection:
                try:
                    words = json.loads(connection.makefile().readline() or "[]")
                    arrays = {name: pathlib.Path(path).read_bytes() for name, path in zip(words[::2], words[1::2])}
                except (OSError, ValueError):
                    continue  # the execution was given up
                try:
                    verdict = self.function(arrays) or ""
                except BaseException as error:  # the run ends with it, later and in the script's own thread
                    self.raised = self.raised or error
                    verdict = f"{type(error).__name__}: {error}"
                try:
                    connection.sendall(json.dumps(str(verdict)).encode() + b"\n")
                except OSError:
                    pass  # the execution was given up
