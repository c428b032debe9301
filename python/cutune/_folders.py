# SPDX-License-Identifier: Apache-2.0
"""Folders for the files of problems. They lie in one folder of this process, whose lock it holds while it lives: a later
process removes the folders of those that were killed."""
import atexit
import fcntl
import glob
import os
import shutil
import sys
import tempfile
import time

__all__ = ["held", "make", "remove", "root"]

_held = {}  # the folder of this process and its lock


def root():
    """Returns the folder of this process, which is removed when it ends."""
    process = os.getpid()
    if process not in _held:
        _remove_left()
        folder = tempfile.mkdtemp(prefix="cutune-")
        lock = os.open(os.path.join(folder, "lock"), os.O_CREAT | os.O_WRONLY, 0o600)
        fcntl.flock(lock, fcntl.LOCK_EX)
        _held[process] = folder, lock
        atexit.register(remove, folder, process)
        workers = sys.modules.get("multiprocessing.util")
        if workers is not None:  # its processes end without atexit
            workers.Finalize(None, remove, (folder, process), exitpriority=1)
    return _held[process][0]


def held():
    """Returns whether this process has a folder already."""
    return os.getpid() in _held


def make():
    """Returns a new folder in that of this process."""
    return tempfile.mkdtemp(prefix="", dir=root())


def remove(folder, process):
    """Removes a folder, unless it belongs to another process (after a fork)."""
    if os.getpid() == process:
        shutil.rmtree(folder, ignore_errors=True)


def _remove_left():
    for lock in glob.glob(os.path.join(glob.escape(tempfile.gettempdir()), "cutune-*", "lock")):
        try:
            state = os.stat(lock)
            if state.st_uid != os.getuid() or time.time() - state.st_mtime < 60:  # it may not be locked yet
                continue
            with open(lock) as file:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(os.path.dirname(lock), ignore_errors=True)
        except OSError:
            continue  # its process lives, or another one removes it
