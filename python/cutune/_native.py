# SPDX-License-Identifier: Apache-2.0
"""libtune's C interface (tune/tune.h) through ctypes. Nothing is compiled for a version of Python."""
import ctypes
import os
import pathlib
import re
import threading
from ctypes import POINTER, c_char_p, c_double, c_int, c_int64, c_size_t, c_uint32, c_uint64, c_void_p

from . import _folders

__all__ = ["TuneError", "assignments", "check", "library", "value_of"]

OK, WRONG_USE, FAILED, NO_MEMORY = range(4)
ENDS = ("exhausted", "budget", "little to gain", "cancelled")


class TuneError(RuntimeError):
    """What the tuner cannot do, in one line that names the cure: no such device, no compiler, a database that
    cannot be used, a definition or an option that cannot be."""


class Assignment(ctypes.Structure):
    _fields_ = [("name", c_char_p), ("value", c_char_p)]


class Configuration(ctypes.Structure):
    _fields_ = [("text", c_char_p), ("count", c_size_t), ("values", POINTER(Assignment)), ("kinds", POINTER(c_int))]


class Evaluation(ctypes.Structure):
    _fields_ = [("configuration", c_char_p), ("parameters", c_size_t), ("names", POINTER(c_char_p)),
                ("values", POINTER(c_char_p)), ("kinds", POINTER(c_int)), ("phase", c_char_p), ("reason", c_char_p),
                ("detail", c_char_p), ("seconds", c_double), ("joules", c_double), ("error", c_double),
                ("tolerance", c_double), ("occupancy", c_double), ("registers", c_int), ("reused", c_int),
                ("estimated", c_int), ("sample_count", c_size_t), ("samples", POINTER(c_double)),
                ("compile_seconds", c_double), ("check_seconds", c_double), ("measure_seconds", c_double)]


class Progress(ctypes.Structure):
    _fields_ = [("evaluation", POINTER(Evaluation)), ("best", POINTER(Evaluation)), ("evaluations", c_uint64),
                ("planned", c_uint64), ("measured", c_uint64), ("seconds", c_double)]


class Result(ctypes.Structure):
    _fields_ = [("best", POINTER(Evaluation)), ("count", c_size_t), ("evaluations", POINTER(POINTER(Evaluation))),
                ("tie_count", c_size_t), ("ties", POINTER(c_char_p)), ("space_size", c_uint64),
                ("counted", c_uint64), ("reused", c_uint64), ("right", c_uint64), ("end", c_int),
                ("seconds", c_double), ("limit", c_double), ("run", c_int64),
                ("tie_configurations", POINTER(POINTER(Configuration))), ("phase_count", c_size_t),
                ("phases", POINTER(c_char_p)), ("phase_failures", POINTER(c_uint64))]


class Stored(ctypes.Structure):
    _fields_ = [("configuration", POINTER(Configuration)), ("seconds", c_double), ("joules", c_double),
                ("match", c_char_p), ("why", c_char_p), ("size", c_char_p), ("device", c_char_p)]


class Size(ctypes.Structure):
    _fields_ = [("name", c_char_p), ("help", c_char_p), ("value", c_int64), ("default_value", c_int64)]


class Setting(ctypes.Structure):
    _fields_ = [("name", c_char_p), ("help", c_char_p), ("value", c_char_p), ("default_value", c_char_p),
                ("count", c_size_t), ("values", POINTER(c_char_p)), ("kinds", POINTER(c_int)), ("low", c_int64),
                ("high", c_int64)]


class Parameter(ctypes.Structure):
    _fields_ = [("name", c_char_p), ("help", c_char_p), ("default_value", c_char_p), ("condition", c_char_p),
                ("count", c_size_t), ("values", POINTER(c_char_p)), ("kinds", POINTER(c_int))]


class Constraint(ctypes.Structure):
    _fields_ = [("rule", c_char_p), ("why", c_char_p)]


class Argument(ctypes.Structure):
    _fields_ = [("name", c_char_p), ("kind", c_char_p), ("type", c_char_p), ("dimensions", c_size_t),
                ("extents", POINTER(c_int64)), ("value", c_char_p), ("passed", c_int)]


class Description(ctypes.Structure):
    _fields_ = [("name", c_char_p), ("summary", c_char_p), ("item", c_char_p),
                ("size_count", c_size_t), ("sizes", POINTER(POINTER(Size))),
                ("setting_count", c_size_t), ("settings", POINTER(POINTER(Setting))),
                ("parameter_count", c_size_t), ("parameters", POINTER(POINTER(Parameter))),
                ("constraint_count", c_size_t), ("constraints", POINTER(POINTER(Constraint))),
                ("argument_count", c_size_t), ("arguments", POINTER(POINTER(Argument))),
                ("default_configuration", POINTER(Configuration)), ("space_size", c_uint64), ("counted", c_int)]


class Strategy(ctypes.Structure):
    _fields_ = [("name", c_char_p), ("in_flight", c_uint64), ("context", c_void_p),
                ("open", ctypes.CFUNCTYPE(c_void_p, c_void_p, c_void_p, c_uint64)),
                ("ask", ctypes.CFUNCTYPE(c_int, c_void_p, POINTER(c_uint64))),
                ("tell", ctypes.CFUNCTYPE(c_int, c_void_p, c_uint64, c_double)),
                ("close", ctypes.CFUNCTYPE(None, c_void_p))]


class Spread(ctypes.Structure):
    _fields_ = [("mean", c_double), ("lower", c_double), ("upper", c_double)]


class Scores(ctypes.Structure):
    _fields_ = [("space", c_char_p), ("strategy", c_char_p), ("configurations", c_uint64), ("failed", c_uint64),
                ("optimum", c_double), ("budget_count", c_size_t), ("budgets", POINTER(c_uint64)),
                ("shares", POINTER(Spread)), ("evaluations_5", c_double), ("missed_5", c_double),
                ("evaluations_1", c_double), ("missed_1", c_double), ("score", c_double), ("seconds", c_double)]


class Comparison(ctypes.Structure):
    _fields_ = [("count", c_size_t), ("scores", POINTER(POINTER(Scores)))]


ProgressFunction = ctypes.CFUNCTYPE(c_int, POINTER(Progress), c_void_p)
NoticeFunction = ctypes.CFUNCTYPE(None, c_char_p, c_void_p)

_FUNCTIONS = {
    "tune_version": (c_char_p, []),
    "tune_message": (c_char_p, []),
    "tune_problem_read": (c_int, [c_char_p, POINTER(c_void_p)]),
    "tune_problem_define": (c_int, [c_char_p, c_char_p, POINTER(Assignment), c_size_t, POINTER(c_void_p)]),
    "tune_problem_built_in": (c_int, [c_char_p, POINTER(c_void_p)]),
    "tune_built_in": (c_char_p, [c_size_t]),
    "tune_problem_name": (c_char_p, [c_void_p]),
    "tune_problem_free": (None, [c_void_p]),
    "tune_open": (c_int, [POINTER(c_void_p)]),
    "tune_close": (None, [c_void_p]),
    "tune_set": (c_int, [c_void_p, c_char_p, c_char_p]),
    "tune_option": (c_char_p, [c_size_t]),
    "tune_on_progress": (c_int, [c_void_p, ProgressFunction, c_void_p]),
    "tune_on_notice": (c_int, [c_void_p, NoticeFunction, c_void_p]),
    "tune_run": (c_int, [c_void_p, c_void_p, POINTER(Assignment), c_size_t, POINTER(POINTER(Result))]),
    "tune_evaluate": (c_int, [c_void_p, c_void_p, POINTER(Assignment), c_size_t, POINTER(Assignment), c_size_t,
                              POINTER(POINTER(Result))]),
    "tune_best": (c_int, [c_void_p, c_void_p, POINTER(Assignment), c_size_t, POINTER(POINTER(Stored))]),
    "tune_stored_free": (None, [POINTER(Stored)]),
    "tune_describe": (c_int, [c_void_p, c_void_p, POINTER(Assignment), c_size_t, POINTER(POINTER(Description))]),
    "tune_description_free": (None, [POINTER(Description)]),
    "tune_search_open": (c_int, [c_void_p, POINTER(Assignment), c_size_t, c_char_p, c_uint64, c_char_p,
                                 POINTER(c_void_p)]),
    "tune_search_ask": (c_int, [c_void_p, POINTER(POINTER(Configuration))]),
    "tune_search_tell": (c_int, [c_void_p, POINTER(Assignment), c_size_t, c_double]),
    "tune_search_space_size": (c_uint64, [c_void_p]),
    "tune_search_space": (c_void_p, [c_void_p]),
    "tune_search_free": (None, [c_void_p]),
    "tune_space_count": (c_uint64, [c_void_p]),
    "tune_space_parameters": (POINTER(POINTER(Parameter)), [c_void_p, POINTER(c_size_t)]),
    "tune_space_rows": (c_int, [c_void_p, c_uint64, c_uint64, POINTER(c_uint32)]),
    "tune_space_find": (c_int, [c_void_p, POINTER(c_uint32), POINTER(c_uint64)]),
    "tune_set_strategy": (c_int, [c_void_p, POINTER(Strategy)]),
    "tune_recordings_read": (c_int, [POINTER(c_char_p), c_size_t, c_char_p, POINTER(c_void_p)]),
    "tune_recordings_count": (c_size_t, [c_void_p]),
    "tune_recordings_title": (c_char_p, [c_void_p, c_size_t]),
    "tune_recordings_space": (c_void_p, [c_void_p, c_size_t]),
    "tune_recordings_seconds": (c_int, [c_void_p, c_size_t, POINTER(c_double)]),
    "tune_recordings_free": (None, [c_void_p]),
    "tune_compare": (c_int, [c_void_p, c_size_t, c_char_p, POINTER(Strategy), POINTER(c_uint64), c_size_t, c_uint64, c_uint64,
                             ctypes.c_uint, POINTER(POINTER(Comparison))]),
    "tune_comparison_free": (None, [POINTER(Comparison)]),
    "tune_cancel": (None, [c_void_p]),
    "tune_result_free": (None, [POINTER(Result)]),
}

_PREFIX = pathlib.Path(__file__).resolve().parent / "_tune"
_loaded = None


def library_path():
    """Returns the file of libtune: $TUNE_LIBRARY, else the one inside this package."""
    named = os.environ.get("TUNE_LIBRARY")
    if named:
        return pathlib.Path(named)
    found = sorted(_PREFIX.glob("lib/**/libtune.so.*.*.*"))
    if not found:
        raise TuneError(f"libtune.so is not in {_PREFIX}: install the wheel, or name a library in TUNE_LIBRARY")
    return found[-1]


def program_path():
    """Returns the program `tune`: $TUNE_WORKER, else the one inside this package. Raises TuneError if there is none."""
    path = os.environ.get("TUNE_WORKER") or str(_PREFIX / "bin" / "tune")
    if not os.access(path, os.X_OK):
        raise TuneError(f"the program {path} is not there: install the wheel, or name the program in TUNE_WORKER")
    return path


def library():
    """Returns the loaded library with the types of its functions. Raises TuneError if there is none."""
    global _loaded
    if _loaded is None:
        path = library_path()
        try:
            loaded = ctypes.CDLL(str(path))
        except OSError as error:
            raise TuneError(f"{path} cannot be loaded: {error}") from None
        for name, (result, arguments) in _FUNCTIONS.items():
            try:
                function = getattr(loaded, name)
            except AttributeError:
                raise TuneError(f"{path} has no function {name}: it is of another version than this package; build it again, "
                                "or unset TUNE_LIBRARY") from None
            function.restype, function.argtypes = result, arguments
        _loaded = loaded
    return _loaded


def check(status):
    """Raises what a status code means: ValueError for wrong use, MemoryError, else TuneError."""
    if status == OK:
        return
    message = in_python(library().tune_message().decode(errors="replace"))
    raise {WRONG_USE: ValueError, NO_MEMORY: MemoryError}.get(status, TuneError)(message)


def interruptible(work):
    """Calls the library in a thread of its own, so that Ctrl-C raises KeyboardInterrupt here. The call goes on until it ends."""
    outcome = []

    def run():
        try:
            work()
        except BaseException as error:
            outcome.append(error)
    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    while thread.is_alive():
        thread.join(0.05)
    if outcome:
        raise outcome[0]


def in_python(message):
    """Returns a message of the library in the words of this package: options are arguments, and the files and the
    command that Python wrote are not named."""
    message = re.sub(r"\bOptions::(\w+) = ", r"\1=", message)
    message = re.sub(r"^tune_\w+: ", "", message)
    message = message.replace("'tune list problems' shows", "built_in_problems() returns")
    message = message.replace("allow more with --timeout", "allow more time")
    message = message.replace("which would read back as something else",
                              "a text that would be read as something else: give a number, or a text without ',' and '='")
    message = message.replace("a pointer: set 'size' for a vector", "a pointer: pass an array")
    message = message.replace("not a pointer: set a single value", "not a pointer: pass a number")
    message = message.replace('Tuner::run with device="emulator"', 'device="emulator"')
    message = re.sub(r"the program [^\n]*_judge_client\.py [^\n]* says: ", "", message)
    if not _folders.held():
        return message
    return re.sub(re.escape(_folders.root()) + r"/[^/]+/definition\.json(:[\d:]+)?: ", "", message)


def assignments(values, name="sizes"):
    """Returns a dict as an array of assignments, and its length. Raises TypeError for what is no dict."""
    if not hasattr(values, "items"):
        raise TypeError(f"{name} is {kind(values)}: give a dict of names and values")
    array = (Assignment * max(1, len(values)))()
    for at, (name, value) in enumerate(values.items()):
        array[at] = Assignment(str(name).encode(), text_of(value).encode())
    return array, len(values)


def kind(value):
    """Returns what a value is, for messages: `an int`."""
    name = type(value).__name__
    return f"{'an' if name[0].lower() in 'aeiou' else 'a'} {name}"


def text_of(value):
    """Returns a value as the tuner reads it. Raises TypeError for what is neither a number nor a text."""
    value = value.item() if hasattr(value, "item") else value
    if isinstance(value, bool):
        return "true" if value else "false"
    if not isinstance(value, (int, float, str)):
        raise TypeError(f"{value!r} is neither a number nor a text")
    return value if isinstance(value, str) else repr(value)


def value_of(text, kind):
    """Returns a value of the tuner (text and tune_kind) as bool, int, float or str."""
    text = text.decode()
    return (lambda: text == "true", lambda: int(text), lambda: float(text), lambda: text)[kind]()


def configuration_of(one):
    """Returns a configuration of the library as a dict."""
    return {one.values[i].name.decode(): value_of(one.values[i].value, one.kinds[i]) for i in range(one.count)}
