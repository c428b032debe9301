# SPDX-License-Identifier: Apache-2.0
"""Problems: a kernel with its parameters, constraints, launch and arguments."""
import ctypes
import hashlib
import inspect
import json
import math
import numbers
import os
import pathlib
import re
import shutil
import weakref
from typing import Any, Callable, Dict, Iterable, Mapping, Optional, Sequence, Union

from . import _arrays, _expressions, _folders, _native

__all__ = ["InOut", "Out", "Problem", "Scratch", "Symbol"]


#: A number, a formula as a text, or a function of the parameters.
Formula = Union[int, str, Callable]
#: Absolute, or a dict with "absolute" and "relative".
Tolerance = Union[float, Mapping[str, float]]


class _Argument:
    access = "read"

    def __init__(self, value: Any, *, expect: Any = None, tolerance: Optional[Tolerance] = None):
        self.value, self.expect, self.tolerance = value, expect, tolerance


class Out(_Argument):
    """An array that the kernel writes. `value`: an array of its type and shape; its contents do not matter.
    `expect`: the right results, an array of the same type and shape. `tolerance`: a number (absolute), or a dict as
    in a definition ({"absolute": 1e-6, "relative": 1e-5})."""
    access = "write"


class InOut(_Argument):
    """An array that the kernel reads and writes: filled with `value` before each execution, compared afterwards."""
    access = "both"


class Scratch(_Argument):
    """An array that passes data between launches, or that the kernel destroys: filled again, never compared."""
    access = "scratch"


class Symbol(_Argument):
    """A `__constant__` or `__device__` variable of the kernel's file, filled with `value` before the launches."""

    def __init__(self, value: Any, name: Optional[str] = None):
        super().__init__(value)
        self.name = name


def _is_path(source):
    if not isinstance(source, (str, pathlib.PurePath)):
        raise TypeError(f"source is {_native.kind(source)}: it is the text of a kernel's file (str), or the path of a file")
    return isinstance(source, pathlib.PurePath) or ("\n" not in source and "{" not in source)


class Problem:
    """A kernel to be tuned.

    name        of the problem in the database
    source      text of the kernel's file, or the path of a file
    parameters  dict: the values of each parameter; the first is the default. They are macros of the kernel, or template
                arguments if `kernel` names them ("k<TILE>")
    arguments   dict in the order of the kernel's arguments: arrays (NumPy, CuPy, PyTorch, Numba; an array is an input
                unless it is wrapped in Out, InOut, Scratch or Symbol), numbers (NumPy's scalars have their type, a
                Python int is an int, a float a float), or a dict as in a definition
    grid        blocks, one to three: numbers, formulas as texts ("ceil_div(n, BLOCK)"), or functions of the parameters; or
                one function that returns a tuple of all
    block       threads, likewise
    kernel      its name; default: `name`
    constraints texts in the language of formulas, which is Python's; or functions that get the parameters by name or as
                one dict, and return what is allowed. A function is written down as a formula if it can be followed,
                else its values are listed, which is slower
    sizes       dict of names and numbers that formulas may use; default: `size`, the elements of the largest array
    shared      bytes of dynamic shared memory, as `grid`
    tolerance   of all results: a number (absolute), or a dict
    options     of the compiler: ["-use_fast_math"]
    include     folders of headers
    kernel_fields  further fields of its `kernel`: "language", "compiler", "defines", "redefine"
    more        further fields of a definition (docs/reference/definition.md): "work", "metrics", "objective", "settings"

    Arrays are copied when the problem is made. Results are compared with `expect`; without any, with those of the
    default configuration. Raises ValueError for a wrong argument, with its name.
    """

    def __init__(self, name: str, source: Union[str, pathlib.PurePath], *,
                 parameters: Mapping[str, Iterable[Union[bool, int, float, str]]], arguments: Mapping[str, Any],
                 grid: Union[Formula, Sequence[Formula]], block: Union[Formula, Sequence[Formula]],
                 kernel: Optional[str] = None, constraints: Union[str, Callable, Iterable[Union[str, Callable]]] = (),
                 sizes: Optional[Mapping[str, int]] = None, shared: Optional[Formula] = None,
                 tolerance: Optional[Tolerance] = None, options: Iterable[str] = (),
                 include: Iterable[Union[str, pathlib.PurePath]] = (), more: Optional[Mapping[str, Any]] = None,
                 kernel_fields: Optional[Mapping[str, Any]] = None):
        self._new_folder()
        if not isinstance(name, str):
            raise TypeError(f"name is {name!r}: a problem has a text as its name")
        if not name:
            raise ValueError("name is empty: a problem has a text as its name")
        parameters = _named(parameters, "parameters", "the values of each parameter")
        self._given = {str(key): [_plain(value, f"parameter '{key}'") for value in _several(values, f"parameter '{key}'")]
                           for key, values in parameters.items()}
        if not self._given:
            raise ValueError("parameters is empty: give at least one, {'NAME': [value]}")
        self.listed = []  # constraints whose values were listed
        self._largest = 1
        files = {}
        definition: Dict[str, Any] = {"problem": name}
        if _is_path(source):
            path = pathlib.Path(source)
            if not path.is_file():
                raise ValueError(f"there is no kernel file '{source}': a source is a text, or the path of a file")
            file, include = str(path.resolve()), [str(path.resolve().parent), *_several(include, "include")]
        else:
            file = _file_name(name) + ".cu"
            files[file] = source.encode()
        definition["kernel"] = {"file": file, **(kernel_fields or {})}
        if include:
            definition["kernel"]["include"] = [str(folder) for folder in _several(include, "include")]
        if options:
            definition["kernel"]["options"] = [str(option) for option in _several(options, "options")]
        definition["parameters"] = {key: self._values(key) for key in self.parameters}
        rules = [constraints] if callable(constraints) or isinstance(constraints, str) else _several(constraints, "constraints")
        definition["constraints"] = [self._rule(rule) for rule in rules]
        definition["arguments"] = {str(key): self._argument(str(key), value) for key, value in _named(
            arguments, "arguments", "the kernel's arguments in their order").items()}
        definition["sizes"] = {str(key): _whole(value, key) for key, value in _named(
            sizes or {"size": self._largest}, "sizes", "numbers that formulas use").items()}
        launch = {"entry": kernel or name, "grid": self._extents(grid, "grid"), "block": self._extents(block, "block")}
        if shared is not None:
            launch["shared"] = self._formula(shared, "shared")
        definition["launches"] = launch
        if tolerance is not None:
            definition["tolerance"] = _tolerance(tolerance)
        definition.update(_named(more or {}, "more", "fields of a definition"))
        self.definition: Optional[Dict[str, Any]] = definition
        self._open(files)

    @classmethod
    def read(cls, file: Union[str, os.PathLike]) -> "Problem":
        """Returns the problem of a definition's file."""
        problem = cls.__new__(cls)
        problem.listed, problem.definition, problem._given = [], None, None
        problem._origin = (cls.read, (os.path.abspath(file),))
        handle = ctypes.c_void_p()
        _native.check(_native.library().tune_problem_read(os.fsencode(file), ctypes.byref(handle)))
        problem._take(handle)
        return problem

    @classmethod
    def built_in(cls, name: str) -> "Problem":
        """Returns a problem that the tuner has, such as "stencil3d" (see `cutune.built_in_problems`)."""
        if not isinstance(name, str):
            raise TypeError(f"name is {name!r}: a problem has a text as its name")
        problem = cls.__new__(cls)
        problem.listed, problem.definition, problem._given = [], None, None
        problem._origin = (cls.built_in, (name,))
        handle = ctypes.c_void_p()
        _native.check(_native.library().tune_problem_built_in(name.encode(), ctypes.byref(handle)))
        problem._take(handle)
        return problem

    @property
    def parameters(self) -> Mapping[str, Sequence[Any]]:
        """The values of each parameter; of a problem that was read or that the tuner has, those at its default sizes."""
        if self._given is None:
            library, description = _native.library(), ctypes.POINTER(_native.Description)()
            _native.check(library.tune_describe(None, self._handle, None, 0, ctypes.byref(description)))
            try:
                one = description.contents
                self._given = {}
                for at in range(one.parameter_count):
                    parameter = one.parameters[at].contents
                    self._given[parameter.name.decode()] = [_native.value_of(parameter.values[i], parameter.kinds[i])
                                                            for i in range(parameter.count)]
            finally:
                library.tune_description_free(description)
        return self._given

    def restriction(self, where: Union[str, Callable, None]) -> Optional[str]:
        """Returns a restriction of the space as the tuner reads it: a text as it is, a function of the parameters as a
        formula."""
        if not callable(where):
            return where
        try:
            return _expressions.rule_of(where, self.parameters)[0]
        except ValueError as error:
            raise ValueError(f"where: {error}") from None

    @property
    def name(self) -> str:
        """Its name in the database."""
        return _native.library().tune_problem_name(self._handle).decode()

    def save(self, folder: Union[str, os.PathLike]) -> pathlib.Path:
        """Writes the definition with its files to a folder, for the command: `tune --problem FOLDER/NAME.json`. Returns
        the definition's path."""
        if self.definition is None:
            raise ValueError("a problem that was read, or that the tuner has, is not written again")
        folder = pathlib.Path(folder)
        folder.mkdir(parents=True, exist_ok=True)
        for file in pathlib.Path(self._folder).iterdir():
            shutil.copy(file, folder / file.name)
        path = folder / f"{_file_name(self.definition['problem'])}.json"
        path.write_text(_json(self.definition, indent=1) + "\n", encoding="utf-8")
        return path

    def __repr__(self):
        return f"<cutune.Problem {self.name}>"

    def __copy__(self):
        return self  # a problem does not change

    def __deepcopy__(self, memo):
        return self

    def __reduce__(self):
        if self.definition is None:
            return self._origin
        files = {file.name: file.read_bytes() for file in pathlib.Path(self._folder).iterdir()}
        return _made_again, (type(self), self.definition, self.parameters, self.listed, files)

    def _new_folder(self):
        self._folder = _folders.make()
        # Not at the end of the interpreter: other threads may use it until then, and all folders are removed together.
        weakref.finalize(self, _folders.remove, self._folder, os.getpid()).atexit = False

    def _open(self, files):
        for name, data in files.items():
            (pathlib.Path(self._folder) / name).write_bytes(data)
        handle = ctypes.c_void_p()
        _native.check(_native.library().tune_problem_define(_json(self.definition).encode(),
                                                            os.fsencode(self._folder), None, 0, ctypes.byref(handle)))
        self._take(handle)

    def _take(self, handle):
        self._handle = handle
        weakref.finalize(self, _native.library().tune_problem_free, handle).atexit = False

    def _values(self, name):
        values = self.parameters[name]
        if not values:
            raise ValueError(f"parameter '{name}' has no values")
        return values

    def _rule(self, rule):
        if isinstance(rule, (str, dict)):  # a dict as in a definition
            return rule
        if not callable(rule):
            raise TypeError(f"constraints: {rule!r} is neither a text nor a function of the parameters")
        name = getattr(rule, "__name__", type(rule).__name__)
        try:
            text, listed = _expressions.rule_of(rule, self.parameters)
        except ValueError as error:
            raise ValueError(f"constraint '{name}': {error}") from error
        if listed:
            self.listed.append(getattr(rule, "__name__", repr(rule)))
        about = inspect.getdoc(rule) if inspect.isroutine(rule) else None
        return {"rule": text, "why": about.splitlines()[0] if about else f"{name} does not allow it"}

    def _formula(self, value, what):
        if callable(value):
            try:
                return _expressions.formula_of(value, self.parameters)
            except ValueError as error:
                raise ValueError(f"{what}: {error}") from error
        return value if isinstance(value, str) else _plain(value, what)

    def _extents(self, value, what):
        if callable(value):
            try:
                value = _expressions.formulas_of(value, self.parameters)
            except ValueError as error:
                raise ValueError(f"{what}: {error}") from error
        value = value.tolist() if hasattr(value, "tolist") else value
        values = value if isinstance(value, (list, tuple)) else [value]
        if not 1 <= len(values) <= 3:
            raise ValueError(f"{what} has {len(values)} extents: give one to three")
        return [self._formula(one, what) for one in values]

    def _argument(self, name, given):
        if isinstance(given, dict):
            return given
        argument = given if isinstance(given, _Argument) else _Argument(given)
        if not _arrays.is_array(argument.value):
            if argument.access != "read":
                raise ValueError(f"argument '{name}': what a kernel writes is an array with at least one "
                                 "dimension (numpy.empty(1, numpy.float32)), not a number")
            type_name, value = _arrays.scalar(argument.value, name)
            _plain(value, f"argument '{name}'")
            result = {"type": type_name, "value": value}
        else:
            array = _arrays.host_array(argument.value, name)
            if array.count == 0:
                raise ValueError(f"argument '{name}': the array has no elements")
            extents = list(reversed(array.shape))
            if len(extents) > 3:  # a definition has three; the slowest ones are one
                extents[2:] = [math.prod(extents[2:])]
            result = {"type": array.type, "size": extents, "access": argument.access}
            if argument.access != "write":
                result["fill"] = {"file": self._store(array)}
            self._largest = max(self._largest, array.count)
            if argument.expect is not None:
                expected = _arrays.host_array(argument.expect, f"{name}: expect")
                if (expected.type, expected.shape) != (array.type, array.shape):
                    raise ValueError(f"argument '{name}': the expected results are {expected.type}{list(expected.shape)}, "
                                     f"and the array is {array.type}{list(array.shape)}")
                result["expect"] = {"file": self._store(expected)}
            if argument.tolerance is not None:
                result["tolerance"] = _tolerance(argument.tolerance)
        if isinstance(argument, Symbol):
            result["symbol"] = argument.name or name
            result.pop("access", None)
        return result

    def _store(self, array):
        """Writes an array to a file that is named by its contents, so that equal data are equal problems."""
        name = hashlib.sha256(array.data).hexdigest()[:16] + ".bin"
        (pathlib.Path(self._folder) / name).write_bytes(array.data)
        return name


def _json(definition, **form):
    def other(value):
        if hasattr(value, "tolist"):  # of NumPy
            return value.tolist()
        raise TypeError(f"{_native.kind(value)} is nothing that a definition has: pass numbers, texts, lists and dicts")
    try:
        return json.dumps(definition, default=other, allow_nan=False, **form)
    except ValueError as error:
        raise ValueError(f"a problem has a number that is not finite, or contains itself: {error}") from None


#: A problem, the path of a definition (.json), or the name of a problem that the tuner has.
AnyProblem = Union[Problem, str, os.PathLike]


def problem_of(given: Any) -> Problem:
    """Returns a problem that is given as such, as the path of a definition, or by the name of one that the tuner has."""
    if isinstance(given, Problem):
        return given
    if not isinstance(given, (str, os.PathLike)):
        raise TypeError(f"{_native.kind(given)} is not a problem: pass a cutune.Problem, the path of a definition, or the name of a "
                        "problem that the tuner has")
    text = os.fspath(given)
    return Problem.read(text) if text.endswith(".json") else Problem.built_in(text)


def _made_again(cls, definition, parameters, listed, files):
    """Returns a problem that was pickled."""
    problem = cls.__new__(cls)
    problem.definition, problem._given, problem.listed = definition, parameters, listed
    problem._new_folder()
    problem._open(files)
    return problem


def _plain(value, name):
    value = value.item() if hasattr(value, "item") and getattr(value, "shape", None) == () else value
    if not isinstance(value, (bool, int, float, str)):
        raise TypeError(f"{name}: {value!r} is neither a number nor a text")
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError(f"{name}: {value} is no value that a formula can have: numbers are finite; arrays may hold it")
    return value


def _several(values, name):
    if isinstance(values, (str, bytes)) or not hasattr(values, "__iter__"):
        raise TypeError(f"{name}: {values!r} is one value: give a list, [{values!r}]")
    return values


def _named(values, name, what):
    if not hasattr(values, "items"):
        raise TypeError(f"{name} is {_native.kind(values)}: give a dict of {what}")
    return values


def _whole(value, name):
    if not isinstance(value, numbers.Number):
        raise TypeError(f"'{name}' is {value!r}, which is not a whole number")
    try:
        if value == int(value):
            return int(value)
    except (TypeError, ValueError, OverflowError):
        pass
    raise ValueError(f"'{name}' is {value!r}, which is not a whole number")


def _file_name(name):
    return re.sub(r"\W", "_", name)


def _tolerance(value, name="tolerance"):
    if isinstance(value, dict):
        return value
    if isinstance(value, numbers.Real):
        if not 0 <= value < math.inf:
            raise ValueError(f"{name} is {value}: give a number of 0 or more")
        return {"absolute": float(value)}
    raise TypeError(f"{name}: {value!r} is neither a number nor a dict such as "
                    "{'absolute': 1e-6, 'relative': 1e-5}")
