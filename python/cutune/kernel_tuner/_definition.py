# SPDX-License-Identifier: Apache-2.0
"""Problems of scripts of Kernel Tuner as problems of this tuner."""
import itertools
import math
import os
import re

import numpy

from .. import _arrays, _expressions, problem as _problem, search as _search

__all__ = ["Definition", "block_names_of", "has_many_sources", "on_host"]

_MAX_SOURCES = 200
_MAX_GENERATED = 20_000  # calls of a function that generates texts
_OTHER_LANGUAGES = "kernels in {}, which is neither CUDA, HIP nor OpenCL, are not tuned here: use Kernel Tuner for them"


class _Source:
    """The text of a kernel, or its files."""

    def __init__(self, given, tune_params, lang):
        self.files = []
        first = given[0] if isinstance(given, (list, tuple)) else given
        if callable(first):
            self.text = _generated(first, tune_params)
        elif _is_file(first):
            self.files = [os.path.abspath(one) for one in ([first] if isinstance(given, str) else given)]
            with open(first, errors="replace") as file:
                self.text = file.read()
        elif isinstance(first, str):
            self.text = first
        else:
            raise TypeError(f"kernel_source is a {type(first).__name__}: give a text, a file, a list of files, or a function")
        self.opencl = str(lang or "").upper() == "OPENCL" or bool(
            lang is None and re.search(r"\b__kernel\b", self.text))
        if str(lang or "CUDA").upper() not in ("CUDA", "CUPY", "NVCUDA", "HIP", "OPENCL"):
            raise ValueError(_OTHER_LANGUAGES.format(lang))


def _is_file(text):
    return isinstance(text, (str, os.PathLike)) and "\n" not in str(text) and (
        os.path.isfile(text) or str(text).endswith((".cu", ".cuh", ".cl", ".hip", ".c", ".cpp", ".h")))


def has_many_sources(kernel_source, tune_params):
    """Returns whether a function generates more texts than one file takes."""
    first = kernel_source[0] if isinstance(kernel_source, (list, tuple)) else kernel_source
    return callable(first) and _texts(first, tune_params) is None


def _texts(function, tune_params):
    """Returns the values of parameters by the text that a function generates for them; None where there are too many."""
    names, texts = list(tune_params), {}
    if math.prod(len(values) for values in tune_params.values()) > _MAX_GENERATED:
        return None
    for row in itertools.product(*tune_params.values()):
        texts.setdefault(function(dict(zip(names, row))), []).append(row)
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


def _defined(name, value):
    try:
        return str(value({}) if callable(value) else value)
    except (KeyError, TypeError) as error:
        raise ValueError(f"defines: the function '{name}' depends on the parameters ({error!r}): they are macros of the "
                         "kernel, so write it there") from None


class Definition:
    """A problem of a script."""

    def __init__(self, kernel_name, kernel_source, problem_size, arguments, tune_params, *, grid_div, restrictions=None,
                 answer=None, atol=1e-6, lang=None, smem_args=None, cmem_args=None, texmem_args=None, compiler_options=None,
                 defines=None, block_size_names=None, judge=None, metrics=None, keep_all=False, start=None):
        if texmem_args:
            raise ValueError("textures by reference (texmem_args) are gone from CUDA 12: pass a texture object, see "
                             "'texture' in docs/your-own-kernel.md")
        self.parameters = {str(name): [_problem._plain(value, name) for value in _problem._several(values, f"parameter '{name}'")]
                           for name, values in tune_params.items()}
        self.names = [f"arg{i}" for i in range(len(arguments))]
        self.given = arguments
        source = _Source(kernel_source, self.parameters, lang)
        constants = _constant_arguments(source.text, kernel_name, len(arguments))
        block_names = block_names_of(block_size_names)
        more = {}
        if source.opencl:
            more["language"] = "opencl"
        if defines:
            more["defines"] = {name: _defined(name, value) for name, value in defines.items()}
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
        if answer is not None and not isinstance(answer, (list, tuple)) and not judge:
            raise ValueError(f"answer is a {type(answer).__name__}: give a list with an array or None for each argument")
        has_answer = any(one is not None for one in answer or [])
        if not has_answer and not judge and not keep_all:
            fields["reference"] = "none"
        self.problem = _made(
            kernel_name, source, more, fields, parameters=self.parameters,
            constraints=_search.as_list(restrictions),
            arguments={**{name: self._argument(i, answer, constants[i], atol, judge or keep_all)
                          for i, name in enumerate(self.names)},
                       **{str(name): _problem.Symbol(_at_least_1d(value)) for name, value in (cmem_args or {}).items()}},
            grid=[_divided(size, div, names, self.parameters) for size, div, names in
                  zip(_sizes(problem_size, self.parameters), grid_div, block_names)],
            block=[name if name in self.parameters else 1 for name in block_names[:3]], kernel=kernel_name,
            shared=None if not smem_args else smem_args["size"], options=_problem._several(
                compiler_options or (), "compiler_options"))

    def _argument(self, i, answer, constant, atol, judged):
        value = self.given[i]
        if not _arrays.is_array(value):
            return value
        value = _at_least_1d(value)
        expected = answer[i] if answer is not None and i < len(answer) else None
        if expected is not None:
            like = _arrays.host_array(value, self.names[i])
            expected = on_host(expected, f"answer {i}")
            if expected.size != like.count:
                raise ValueError(f"answer: the one for argument {i} has {expected.size} elements, and the argument {like.count}: "
                                 "pass all of them, or a function as 'verify'")
            return _problem.InOut(value, expect=expected.astype(like.type).reshape(like.shape),
                                  tolerance={"absolute": float(atol), "relative": 1e-5})
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


def block_names_of(given):
    """Returns the names of the parameters that are the extents of a block."""
    names = list(_problem._several(given or [], "block_size_names"))
    return names + ["block_size_x", "block_size_y", "block_size_z"][len(names):]


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


def _sizes(problem_size, parameters):
    """Returns three formulas."""
    if callable(problem_size):
        sizes = _expressions.formulas_of(problem_size, parameters)
    else:
        sizes = list(problem_size) if isinstance(problem_size, (tuple, list)) else [problem_size]
        sizes = [one if isinstance(one, str) else str(_problem._whole(one, "problem_size")) for one in sizes]
    if not 1 <= len(sizes) <= 3:
        raise ValueError(f"problem_size has {len(sizes)} extents: give one to three")
    return sizes + ["1"] * (3 - len(sizes))


def _divided(size, divisors, block_name, parameters):
    """Returns the formula of the blocks along one axis."""
    if divisors is None:
        divisors = [block_name] if block_name in parameters else []
    if callable(divisors):
        divisor = _expressions.formula_of(divisors, parameters)
    else:
        divisor = " * ".join(f"({one})" for one in ([divisors] if isinstance(divisors, str) else divisors))
    return f"int(ceil(({size}) / ({divisor})))" if divisor else f"int({size})"
