# SPDX-License-Identifier: Apache-2.0
"""Launches of a kernel that is tuned while the program works."""
import ctypes
import struct
import sys
from ctypes import POINTER, c_char_p, c_double, c_int, c_size_t, c_uint64, c_void_p
from typing import Any, Dict, Optional

from . import _arrays, _native
from .problem import AnyProblem, problem_of

__all__ = ["Dispatcher"]

_POINTERS = {"float16": "half*", "bfloat16": "bfloat16*", "float32": "float*", "float64": "double*"}
_NUMBERS = {"float16": ("half", "e"), "float32": ("float", "f"), "float64": ("double", "d"), "bool": ("bool", "?"),
            "int8": ("int8", "b"), "int16": ("int16", "h"), "int32": ("int32", "i"), "int64": ("int64", "q"),
            "uint8": ("uint8", "B"), "uint16": ("uint16", "H"), "uint32": ("uint32", "I"), "uint64": ("uint64", "Q")}


class _CallArgument(ctypes.Structure):
    _fields_ = [("type", c_char_p), ("value", c_void_p), ("size", c_size_t)]


class _State(ctypes.Structure):
    _fields_ = [("settled", c_int), ("paused", c_int), ("retuned", c_uint64),
                ("configuration", POINTER(_native.Configuration)), ("tried", c_uint64), ("failed", c_uint64),
                ("calls", c_uint64), ("seconds", c_double), ("lost", c_double), ("best_seconds", c_double),
                ("notice", c_char_p)]


_FUNCTIONS = {
    "tune_dispatcher_open": (c_int, [c_void_p, POINTER(_native.Assignment), c_size_t, POINTER(c_void_p)]),
    "tune_dispatcher_close": (None, [c_void_p]),
    "tune_dispatcher_launch": (c_int, [c_void_p, c_void_p, POINTER(_native.Assignment), c_size_t,
                                       POINTER(_CallArgument), c_size_t]),
    "tune_dispatcher_try": (c_int, [c_void_p, c_void_p, POINTER(_native.Assignment), c_size_t, POINTER(_CallArgument),
                                    c_size_t, POINTER(c_int)]),
    "tune_dispatcher_pause": (c_int, [c_void_p]),
    "tune_dispatcher_resume": (c_int, [c_void_p]),
    "tune_dispatcher_finish": (c_int, [c_void_p]),
    "tune_dispatcher_state": (c_int, [c_void_p, POINTER(_native.Assignment), c_size_t, POINTER(POINTER(_State))]),
    "tune_dispatch_state_free": (None, [POINTER(_State)]),
}


def _library():
    library = _native.library()
    for name, (result, arguments) in _FUNCTIONS.items():
        function = getattr(library, name)
        function.restype, function.argtypes = result, arguments
    return library


def call_arguments(values, device=None):
    """Returns the arguments of a call as the library takes them, and what must live as long as they do.

    Arrays have `__cuda_array_interface__` and are passed as they lie on the device; numbers as in a Problem. Raises
    TypeError for an array on the host, ValueError for one on another device than number `device` (None: any)."""
    made, held = (_CallArgument * max(1, len(values)))(), []
    for at, value in enumerate(values):
        name = f"{at + 1} of the call"
        place = _arrays.on_device(value, name)
        if place is not None:
            element, address = place
            lies = _arrays.device_of(value)
            if None not in (device, lies) and lies != device:
                raise ValueError(f"argument {name} lies on device {lies}, and the kernel is launched on device {device}: copy it "
                                 f"there, or open the dispatcher with device={lies}")
            data = struct.pack("P", address)
            type_name = _POINTERS.get(element, element + "*")
        elif _arrays.is_array(value):
            raise TypeError(f"argument {name} lies on the host: pass an array on the device, of CuPy, PyTorch or Numba")
        else:
            element, number = _arrays.scalar(value, name)
            type_name, form = _NUMBERS[element]
            data = struct.pack("=" + form, number)
        buffer = ctypes.create_string_buffer(data, len(data))
        held += [buffer, type_name.encode()]
        made[at] = _CallArgument(held[-1], ctypes.cast(buffer, c_void_p), len(data))
    return made, len(values), held


def stream_of(stream, values):
    """Returns the address of a stream: an int, PyTorch's or CuPy's; without one, the current stream of the library that
    the first array is of; else the default one."""
    if stream is None:
        owners = {type(value).__module__.split(".")[0] for value in values}
        if "torch" in owners:
            stream = sys.modules["torch"].cuda.current_stream()
        elif "cupy" in owners:
            stream = sys.modules["cupy"].cuda.get_current_stream()
    for attribute in ("cuda_stream", "ptr", "handle"):
        stream = getattr(stream, attribute, stream)
    return getattr(stream, "value", stream) or None


class Dispatcher:
    """Launches a kernel in the best known configuration, and tries others meanwhile, which slows the program down by at
    most `slowdown` (0.1). It is called with the kernel's arguments: arrays on the device, which are used where they lie,
    and numbers.

        scale = cutune.Dispatcher(problem)
        for step in range(1000):
            scale(y, x, np.float32(2), n)        # on the current stream of CuPy or PyTorch
        scale.finish()                           # stores the best

    options: device, database, slowdown, candidates, strategy, seed, where, timeout, in_process, follow_drift and sizes, as
    struct DispatchOptions of docs/reference/library.md. Raises ValueError and TuneError as `cutune.run`."""

    def __init__(self, problem: AnyProblem, **options: Any):
        self._handle = None
        problem = problem_of(problem)
        self._problem = problem
        given = str(options.get("device") or 0)
        self._device = int(given) if given.isdigit() else None
        if "where" in options:
            options["where"] = problem.restriction(options["where"])
        array, count = _native.assignments({name: value for name, value in options.items() if value is not None})
        handle = c_void_p()
        _native.check(_library().tune_dispatcher_open(problem._handle, array, count, ctypes.byref(handle)))
        self._handle = handle

    def __call__(self, *arguments: Any, stream: Any = None, sizes: Optional[Dict[str, Any]] = None) -> None:
        """Enqueues the kernel. `sizes`: those that are not at their defaults."""
        made, count, _held = call_arguments(arguments, self._device)
        array, size_count = _native.assignments(sizes or {})
        _native.check(_library().tune_dispatcher_launch(self._open(), stream_of(stream, arguments), array, size_count, made,
                                                        count))

    def try_now(self, *arguments: Any, stream: Any = None, sizes: Optional[Dict[str, Any]] = None) -> bool:
        """Tries one configuration on these arguments, and waits for it. Returns False if nothing is left to try."""
        made, count, _held = call_arguments(arguments, self._device)
        array, size_count = _native.assignments(sizes or {})
        tried = c_int()
        _native.check(_library().tune_dispatcher_try(self._open(), stream_of(stream, arguments), array, size_count, made,
                                                     count, ctypes.byref(tried)))
        return bool(tried.value)

    def state(self, sizes: Optional[Dict[str, Any]] = None) -> Optional[Dict[str, Any]]:
        """Returns the state at these sizes: configuration, settled, paused, tried, failed, calls, seconds (of all calls on
        the device), lost (seconds of these, by trials), best_seconds (of a call of the best) and notice. None before the
        first call."""
        array, count = _native.assignments(sizes or {})
        state = POINTER(_State)()
        _native.check(_library().tune_dispatcher_state(self._open(), array, count, ctypes.byref(state)))
        if not state:
            return None
        try:
            one = state.contents
            configuration = _native.configuration_of(one.configuration.contents)
            return {"configuration": configuration, "settled": bool(one.settled), "paused": bool(one.paused),
                    "tried": one.tried, "failed": one.failed, "calls": one.calls, "seconds": one.seconds, "lost": one.lost,
                    "best_seconds": one.best_seconds, "notice": one.notice.decode()}
        finally:
            _library().tune_dispatch_state_free(state)

    def pause(self) -> None:
        """Ends trials until `resume`: calls launch the best."""
        _native.check(_library().tune_dispatcher_pause(self._open()))

    def resume(self) -> None:
        """Goes on with trials."""
        _native.check(_library().tune_dispatcher_resume(self._open()))

    def finish(self) -> None:
        """Ends trials for good, and stores the best."""
        _native.check(_library().tune_dispatcher_finish(self._open()))

    def close(self) -> None:
        """Finishes, and waits for the device. A second call does nothing."""
        if self._handle is not None:
            handle, self._handle = self._handle, None
            _library().tune_dispatcher_close(handle)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def __del__(self):
        try:
            self.close()
        except Exception:  # the interpreter ends
            pass

    def _open(self):
        if self._handle is None:
            raise ValueError(f"the dispatcher of {self._problem.name} is closed")
        return self._handle
