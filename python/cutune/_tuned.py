# SPDX-License-Identifier: Apache-2.0
"""Functions that launch a kernel in the best known configuration and search for a better one meanwhile."""
import functools
import inspect
from typing import Any, Callable, Dict, Iterable, Mapping, Optional, Sequence, Tuple, Union

from . import _arrays, tuner as _tuner
from .dispatcher import Dispatcher
from .problem import Formula, InOut, Out, Problem, Scratch, Symbol, Tolerance

__all__ = ["Tuned", "tuned"]

_KINDS = (Out, InOut, Scratch, Symbol)


def _bound(value, scalars):
    """Returns a formula's function with the numbers of a call for those of its arguments that are no parameters."""
    if isinstance(value, (list, tuple)):
        return [_bound(one, scalars) for one in value]
    if not callable(value):
        return value
    taken = inspect.signature(value).parameters
    known = {name: number for name, number in scalars.items() if name in taken}
    if not known:
        return value
    bound = functools.partial(value, **known)
    bound.__name__ = getattr(value, "__name__", type(value).__name__)
    return bound


class Tuned:
    """What `tuned` makes of a function: it is called with the kernel's arguments, arrays on the device (CuPy, PyTorch,
    Numba) and numbers, and launches the kernel."""

    def __init__(self, function: Callable, source: Any, fields: Dict[str, Any], options: Dict[str, Any]):
        functools.update_wrapper(self, function)
        self._signature, self._source, self._fields, self._options = inspect.signature(function), source, fields, options
        self._problems: Dict[Tuple, Problem] = {}
        self._dispatchers: Dict[Tuple, Dispatcher] = {}

    def _arguments(self, given, named):
        try:
            bound = self._signature.bind(*given, **named)
        except TypeError as error:
            raise TypeError(f"{self.__name__}: {error}") from None
        bound.apply_defaults()
        values = {}
        for name, value in bound.arguments.items():
            kind = self._signature.parameters[name].annotation
            if not _arrays.is_array(value) and isinstance(kind, type) and hasattr(kind, "dtype") and not isinstance(value, kind):
                value = kind(value)  # a NumPy type: the number has it
            values[name] = value
        return values

    @staticmethod
    def _key(values):
        def of(value):
            if not _arrays.is_array(value):
                return type(value).__name__, value if hasattr(value, "__index__") else None
            if not hasattr(value, "shape"):  # a buffer, or an array that has its interface alone
                interface = getattr(value, "__cuda_array_interface__", None) or getattr(value, "__array_interface__", None)
                view = None if interface else memoryview(value)
                return (interface["typestr"], tuple(interface["shape"])) if interface else (view.format, view.shape)
            return str(getattr(value, "dtype", "")), tuple(value.shape)
        return tuple(map(of, values.values()))

    def problem(self, *args: Any, **kwargs: Any) -> Problem:
        """Returns the problem of a call with these arguments; calls with arrays of the same types and shapes and the same
        whole numbers have the same one, with the arrays of the first."""
        values = self._arguments(args, kwargs)
        key = self._key(values)
        if key not in self._problems:
            scalars = {name: int(value) for name, value in values.items()
                       if not _arrays.is_array(value) and not isinstance(value, (bool, float)) and hasattr(value, "__index__")}
            arguments = {}
            for name, value in values.items():
                kind = self._signature.parameters[name].annotation
                wrapped = _arrays.is_array(value) and isinstance(kind, type) and issubclass(kind, _KINDS)
                arguments[name] = kind(value) if wrapped else value
            fields = {name: _bound(value, scalars) if name in ("grid", "block", "shared", "constraints") else value
                      for name, value in self._fields.items()}
            if scalars:
                fields.setdefault("sizes", scalars)
            self._problems[key] = Problem(self.__name__, self._source, arguments=arguments, **fields)
        return self._problems[key]

    def __call__(self, *args: Any, stream: Any = None, **kwargs: Any) -> None:
        """Enqueues the kernel: on the current stream of CuPy or PyTorch, or on `stream`."""
        values = self._arguments(args, kwargs)
        self._dispatcher(values)(*values.values(), stream=stream)

    def _dispatcher(self, values):
        key = self._key(values)
        if key not in self._dispatchers:
            for name, value in values.items():
                if _arrays.is_array(value) and _arrays.on_device(value, name) is None:
                    raise TypeError(f"{self.__name__}: argument '{name}' lies on the host: pass an array on the device, of CuPy, "
                                    "PyTorch or Numba")
            self._dispatchers[key] = Dispatcher(self.problem(**values), **self._options)
        return self._dispatchers[key]

    def check(self, *args: Any, evaluations: Optional[int] = None, **kwargs: Any) -> _tuner.Result:
        """Runs configurations with these arguments on the emulator, as cutune.check."""
        return _tuner.check(self.problem(*args, **kwargs), evaluations=evaluations)

    def tune(self, *args: Any, options: Optional[Mapping[str, Any]] = None, **kwargs: Any) -> _tuner.Result:
        """Searches with these arguments, as cutune.run with `options`; later calls launch the best."""
        values = self._arguments(args, kwargs)
        result = _tuner.run(self.problem(**values), **(options or {}))
        held = self._dispatchers.pop(self._key(values), None)
        if held is not None:
            held.close()
        return result

    def state(self, *args: Any, **kwargs: Any) -> Optional[Dict[str, Any]]:
        """Returns the state of calls with these arguments, as Dispatcher.state; None before the first one."""
        held = self._dispatchers.get(self._key(self._arguments(args, kwargs)))
        return None if held is None else held.state()

    def finish(self) -> None:
        """Ends trials, and stores the best for the next program."""
        for one in self._dispatchers.values():
            one.finish()

    def close(self) -> None:
        """Finishes, and waits for the device."""
        for one in self._dispatchers.values():
            one.close()
        self._dispatchers.clear()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


def tuned(source: Any, *, parameters: Mapping[str, Iterable[Any]], grid: Union[Formula, Sequence[Formula]],
          block: Union[Formula, Sequence[Formula]], kernel: Optional[str] = None, constraints: Any = (),
          shared: Optional[Formula] = None, tolerance: Optional[Tolerance] = None, options: Iterable[str] = (),
          **dispatch: Any) -> Callable[[Callable], Tuned]:
    """Makes a function of a kernel:

        @cutune.tuned(source, parameters={"BLOCK": [64, 128, 256]}, grid=lambda BLOCK, n: -(-n // BLOCK), block="BLOCK")
        def scale(y: cutune.Out, x, a: np.float32, n: int): ...

        scale(y, x, 2, n)        # on the device, in the best known configuration

    The function names the kernel's arguments; its body does nothing. Annotations say what the kernel writes (Out, InOut,
    Scratch, Symbol) and the types of numbers (NumPy's). Other arguments are those of Problem; functions of the parameters may
    take the whole numbers of the call, too, and formulas name them. `dispatch`: options of Dispatcher (device, slowdown,
    database, ...). Calls with other shapes or whole numbers are tuned apart."""
    fields = {"parameters": parameters, "grid": grid, "block": block, "kernel": kernel, "constraints": constraints,
              "shared": shared, "tolerance": tolerance, "options": options}

    def decorate(function: Callable) -> Tuned:
        return Tuned(function, source, {name: value for name, value in fields.items() if value is not None}, dispatch)
    return decorate
