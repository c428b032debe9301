# SPDX-License-Identifier: Apache-2.0
"""Problems of scripts of Kernel Tuner as problems of this tuner."""
import itertools
import math
import os
import re

import numpy

from .. import _arrays, _expressions, _native, problem as _problem, search as _search

__all__ = ["Definition", "block_names_of", "has_many_sources", "on_host"]

_MAX_SOURCES = 200
_MAX_GENERATED = 20_000  # calls of a function that generates texts
_BLOCK_NAMES = ("block_size_x", "block_size_y", "block_size_z")
_THREADS = ("256", "1", "1")  # of a block, along the axes that no parameter names
_OTHER_LANGUAGES = "kernels in {}, which is neither CUDA, HIP nor OpenCL, are not tuned here: use Kernel Tuner for them"


class _Source:
    """The text of a kernel, or its files."""

    def __init__(self, given, tune_params, lang):
        self.files = []
        first = _first(given)
        if callable(first):
            self.text = _generated(first, tune_params)
        elif _is_file(first):
            self.files = [os.path.abspath(one) for one in ([first] if isinstance(given, str) else given)]
            with open(first, errors="replace") as file:
                self.text = file.read()
        elif isinstance(first, str):
            self.text = first
        else:
            raise TypeError(f"kernel_source is {_native.kind(first)}: give a text, a file, a list of files, or a function")
        self.opencl = str(lang or "").upper() == "OPENCL" or bool(
            lang is None and re.search(r"\b__kernel\b", self.text))
        if str(lang or "CUDA").upper() not in ("CUDA", "CUPY", "NVCUDA", "HIP", "OPENCL"):
            raise ValueError(_OTHER_LANGUAGES.format(lang))


    def macros(self, tune_params, block_names, grid):
        """Returns the macros that Kernel Tuner defines besides the parameters, as far as the files have these names."""
        text = self.text
        for file in self.files[1:]:
            with open(file, errors="replace") as other:
                text += other.read()
        known = {**dict(zip(block_names, _THREADS)), **dict(zip(("grid_size_x", "grid_size_y", "grid_size_z"), grid)),
                 "kernel_tuner": "1"}
        return {name: value for name, value in known.items()
                if name not in tune_params and re.search(rf"\b{re.escape(name)}\b", text)}


def _is_file(text):
    return isinstance(text, (str, os.PathLike)) and "\n" not in str(text) and (
        os.path.isfile(text) or str(text).endswith((".cu", ".cuh", ".cl", ".hip", ".c", ".cpp", ".h")))


def _first(kernel_source):
    if isinstance(kernel_source, (list, tuple)):
        if not kernel_source:
            raise ValueError("kernel_source is an empty list: give the file with the kernel first")
        return kernel_source[0]
    return kernel_source


def has_many_sources(kernel_source, tune_params):
    """Returns whether a function generates more texts than one file takes."""
    first = _first(kernel_source)
    return callable(first) and _texts(first, tune_params) is None


def _texts(function, tune_params):
    """Returns the values of parameters by the text that a function generates for them; None where there are too many."""
    names, texts = list(tune_params), {}
    if math.prod(len(values) for values in tune_params.values()) > _MAX_GENERATED:
        return None
    for row in itertools.product(*tune_params.values()):
        try:
            text = function(dict(zip(names, row)))
        except Exception as error:
            raise ValueError(f"kernel_source: the function raises {type(error).__name__}: {error}") from error
        if not isinstance(text, str):
            raise TypeError(f"kernel_source: the function returns {_native.kind(text)}, and not a text")
        texts.setdefault(text, []).append(row)
        if len(texts) > _MAX_SOURCES:
            return None
    return texts


def _generated(function, tune_params):
    """Returns the text of a function that generates one for each configuration: a branch of the preprocessor for each."""
    names, branches = list(tune_params), []
    texts = _texts(function, tune_params)
    if len(texts) == 1:
        return next(iter(texts))
    for text, rows in texts.items():
        cases = " || ".join("(" + " && ".join(f"{name} == {int(value)}" for name, value in zip(names, row)) + ")"
                            for row in rows)
        branches.append(f"{'#elif' if branches else '#if'} {cases}\n{text}\n")
    return "".join(branches) + "#endif\n"


def _constant_arguments(text, kernel_name, count):
    """Returns for each argument whether the kernel's declaration says that it is not written."""
    name = re.escape(kernel_name.split("<")[0].split("::")[-1])
    for found in re.finditer(rf"\b{name}\s*\(", text):
        depth, at, start, parts = 1, found.end(), found.end(), []
        while at < len(text) and depth:
            depth += {"(": 1, "<": 1, "[": 1, ")": -1, ">": -1, "]": -1}.get(text[at], 0)
            if (text[at] == "," and depth == 1) or depth == 0:
                parts.append(text[start:at])
                start = at + 1
            at += 1
        if len(parts) == count:
            return [bool(re.search(r"\bconst\b[^*]*\*|\b__constant\b", part)) for part in parts]
    return [False] * count


def _defined(name, value, tune_params):
    """Returns the formula of a macro: a text stands as it is, a function depends on the parameters."""
    if not str(name).isidentifier():
        raise ValueError(f"defines: {name!r} is not the name of a macro: letters, digits and '_'")
    if not callable(value):
        return _expressions.literal(str(value))
    try:
        return _expressions.formula_of(value, tune_params)
    except ValueError as error:
        raise ValueError(f"defines: '{name}': {error}") from error


class Definition:
    """A problem of a script."""

    def __init__(self, kernel_name, kernel_source, problem_size, arguments, tune_params, *, grid_div, restrictions=None,
                 answer=None, atol=1e-6, lang=None, smem_args=None, cmem_args=None, texmem_args=None, compiler_options=None,
                 defines=None, block_size_names=None, judge=None, metrics=None, keep_all=False, start=None):
        if texmem_args:
            raise ValueError("textures by reference (texmem_args) are gone from CUDA 12: pass a texture object, see "
                             "'texture' in docs/reference/definition.md")
        self.parameters = {str(name): [_problem._plain(value, name) for value in _problem._several(values, f"parameter '{name}'")]
                           for name, values in tune_params.items()}
        if not isinstance(kernel_name, str):
            raise TypeError(f"kernel_name is {_native.kind(kernel_name)}: give a text")
        self.names = [f"arg{i}" for i in range(len(arguments))]
        self.given = arguments
        source = _Source(kernel_source, self.parameters, lang)
        constants = _constant_arguments(source.text, kernel_name, len(arguments))
        block_names = block_names_of(block_size_names, self.parameters)
        grid = [_divided(size, divisors, names, self.parameters, f"grid_div_{axis}") for size, divisors, names, axis in
                zip(_sizes(problem_size, self.parameters), grid_div, block_names, "xyz")]
        if defines is None:
            macros = source.macros(self.parameters, block_names, grid)
        else:
            macros = {name: _defined(name, value, self.parameters) for name, value in _problem._named(
                defines, "defines", "the values of macros").items()}
        more = {"defines": macros} if macros else {}
        if source.opencl:
            more["language"] = "opencl"
        self.judged = [name for name, value, constant in zip(self.names, arguments, constants)
                       if _arrays.is_array(value) and not constant] if judge or keep_all else []
        fields = {}
        if judge or keep_all:
            fields["verify"] = {"command": judge.command(self.judged)}
        if metrics:
            fields["metrics"] = metrics
        if start is not None:  # it is evaluated first
            fields["parameters"] = {name: {"values": values, "default": _problem._plain(first, "x0")}
                                    for (name, values), first in zip(self.parameters.items(), start)}
        if answer is not None and not judge:
            if not isinstance(answer, (list, tuple)):
                raise TypeError(f"answer is {_native.kind(answer)}: give a list with an array or None for each argument")
            if len(answer) != len(arguments):
                raise ValueError(f"answer has {len(answer)} elements, and there are {len(arguments)} arguments: give None for those "
                                 "that are not compared")
        has_answer = any(one is not None for one in answer or [])
        if not has_answer and not judge and not keep_all:
            fields["reference"] = "none"
        self.problem = _made(
            kernel_name, source, more, fields, parameters=self.parameters,
            constraints=_search.as_list(restrictions),
            arguments={**{name: self._argument(i, answer, constants[i], atol, judge or keep_all)
                          for i, name in enumerate(self.names)},
                       **{str(name): _problem.Symbol(_at_least_1d(value)) for name, value in _problem._named(
                           cmem_args or {}, "cmem_args", "the arrays of __constant__ variables").items()}},
            grid=grid, block=[name if name in self.parameters else int(other) for name, other in zip(block_names, _THREADS)],
            kernel=kernel_name, shared=_shared(smem_args), options=_problem._several(
                compiler_options or (), "compiler_options"))

    def _argument(self, i, answer, constant, atol, judged):
        value = self.given[i]
        if not _arrays.is_array(value):
            return value
        value = _at_least_1d(value)
        expected = answer[i] if answer is not None else None
        if expected is not None:
            like = _arrays.host_array(value, self.names[i])
            expected = on_host(expected, f"answer {i}")
            if expected.size != like.count:
                raise ValueError(f"answer: the one for argument {i} has {expected.size} elements, and the argument {like.count}: "
                                 "pass all of them, or a function as 'verify'")
            return _problem.InOut(value, expect=expected.astype(like.type).reshape(like.shape),
                                  tolerance={**_problem._tolerance(atol, "atol"), "relative": 1e-5})
        if constant:
            return value
        return _problem.InOut(value) if judged else _problem.Scratch(value)

    def arrays(self, contents):
        """Returns the arguments as NumPy's arrays, with these contents by name."""
        result = []
        for name, value in zip(self.names, self.given):
            if name in contents:
                like = _arrays.host_array(value, name)
                value = numpy.frombuffer(contents[name], dtype=like.type).reshape(like.shape).copy()
            elif _arrays.is_array(value):
                value = numpy.array(on_host(value, name))
            result.append(value)
        return result


def block_names_of(given, tune_params):
    """Returns the names of the parameters that are the extents of a block, which may be written in capitals."""
    names = list(_problem._several(given or [], "block_size_names"))
    if len(names) > 3 or not all(isinstance(one, str) for one in names):
        raise ValueError(f"block_size_names is {given!r}: give at most three names of parameters, those of x, y and z")
    default = [next((one for one in tune_params if str(one).lower() == name), name) for name in _BLOCK_NAMES]
    return names + default[len(names):]


def on_host(value, name):
    """Returns an array of NumPy with the elements of an array, also of one on a device."""
    if _arrays.is_array(value) and not hasattr(value, "__array_interface__"):
        held = _arrays.host_array(value, name)
        return numpy.frombuffer(held.data, dtype=held.type).reshape(held.shape)
    return numpy.asarray(value)


def _at_least_1d(value):
    return numpy.ascontiguousarray(value) if isinstance(value, (list, tuple, float, int)) else value


def _made(kernel_name, source, kernel_fields, fields, **arguments):
    name = re.sub(r"\W+", "_", kernel_name.split("<")[0].split("::")[-1])
    text = source.files[0] if source.files else source.text
    kernel_fields = dict(kernel_fields)
    return _problem.Problem(name, _problem.pathlib.Path(text) if source.files else text, more=fields,
                            kernel_fields=kernel_fields, **arguments)


def _formulas(function, parameters, name):
    try:
        return _expressions.formulas_of(function, parameters)
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from error


def _sizes(problem_size, parameters):
    """Returns three formulas."""
    if callable(problem_size):
        sizes = _formulas(problem_size, parameters, "problem_size")
    else:
        given = problem_size.tolist() if hasattr(problem_size, "tolist") else problem_size
        sizes = [f"int({one})" if isinstance(one, str) else str(_problem._whole(one, "problem_size"))
                 for one in (given if isinstance(given, (tuple, list)) else [given])]
    if not 1 <= len(sizes) <= 3:
        raise ValueError(f"problem_size has {len(sizes)} extents: give one to three")
    return sizes + ["1"] * (3 - len(sizes))


def _divided(size, divisors, block_name, parameters, name):
    """Returns the formula of the blocks along one axis."""
    if divisors is None:
        divisors = [block_name] if block_name in parameters else []
    parts = divisors if isinstance(divisors, (list, tuple)) else [divisors]
    divisor = " * ".join(_divisor(one, parameters, name) for one in parts)
    return f"int(ceil(({size}) / ({divisor})))" if divisor else f"int({size})"


def _divisor(one, parameters, name):
    if callable(one):
        return f"({' * '.join(_formulas(one, parameters, name))})"
    if one in parameters:
        return one
    return f"int({one})" if isinstance(one, str) else str(_problem._whole(one, name))


def _shared(smem_args):
    """Returns the bytes of dynamic shared memory."""
    if not smem_args:
        return None
    if "size" not in _problem._named(smem_args, "smem_args", "the bytes as 'size'"):
        raise ValueError(f"smem_args has no 'size': give {{'size': bytes}}, and not {smem_args!r}")
    return smem_args["size"]
