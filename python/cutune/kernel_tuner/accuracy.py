# SPDX-License-Identifier: Apache-2.0
"""Arguments whose arrays follow a parameter, and the errors of results as observations."""
import collections
import re
from typing import Any, Callable, Dict, Mapping, Optional, Sequence, Union

import numpy

from .observers import OutputObserver

__all__ = ["AccuracyObserver", "Tunable", "TunablePrecision", "error_metric_from_name"]

_TYPES = {"half": "float16", "f16": "float16", "__half": "float16", "khalf": "float16", "float": "float32",
          "single": "float32", "f32": "float32", "kfloat": "float32", "double": "float64", "f64": "float64",
          "kdouble": "float64", "16": "float16", "32": "float32", "64": "float64"}


class Tunable(collections.UserDict):
    """An argument of a kernel: one of several arrays. `param_key`: the parameter whose value names the array, a formula
    of parameters, or a function of a dict of them. `arrays`: a dict of the arrays by these values, or a list."""

    def __init__(self, param_key: Union[str, Callable[[Mapping[str, Any]], Any]],
                 arrays: Union[Mapping[Any, Any], Sequence[Any]]):
        super().__init__(dict(enumerate(arrays)) if isinstance(arrays, (list, tuple)) else arrays)
        self.param_key = param_key

    def option(self, params: Mapping[str, Any]) -> Any:
        """Returns the value that names the array of a configuration."""
        if callable(self.param_key):
            value = self.param_key(params)
        elif self.param_key in params:
            value = params[self.param_key]
        else:
            try:
                value = eval(self.param_key, {"__builtins__": {}}, dict(params))
            except NameError:
                raise ValueError(f"param_key of a Tunable argument is '{self.param_key}', which is neither a parameter nor a formula "
                                 f"of them: {', '.join(params)}") from None
        if value not in self.data:
            raise KeyError(f"a Tunable argument has no array for {self.param_key} = {value!r}; there is: "
                           f"{', '.join(map(str, self.data))}")
        return value

    def select_for_configuration(self, params: Mapping[str, Any]) -> Any:
        """Returns the array of a configuration."""
        return self.data[self.option(params)]

    __call__ = select_for_configuration


def _type_of(name):
    return numpy.dtype(_TYPES.get(str(name).lower(), name))


class TunablePrecision(Tunable):
    """An array or a number in several precisions. `param_key`: as of a Tunable. `dtypes`: a dict of NumPy's types by
    values of the parameter, or a list of names; default: half, float and double."""

    def __init__(self, param_key: Any, array: Any, dtypes: Union[Mapping[str, Any], Sequence[str], None] = None):
        if not dtypes:
            dtypes = ["half", "float", "double"]
        if not isinstance(dtypes, collections.abc.Mapping):
            dtypes = {name: _type_of(name) for name in dtypes}
        given = array if isinstance(array, numpy.generic) else numpy.asarray(array)
        super().__init__(param_key, {name: given.astype(one) for name, one in dtypes.items()})


def _relative(eps):
    return lambda right, got: abs(got - right) / numpy.maximum(abs(right), eps)


def _logarithms(eps):
    return lambda right, got: numpy.log10(right + eps) - numpy.log10(got + eps)


#: Names of differences, and functions of `eps` that return them; then ways to one number.
_WORDS = {"average": "mean", "avg": "mean", "square": "squared", "sq": "squared", "maximum": "max", "relative": "rel",
          "absolute": "abs", "logarithmic": "log"}
_SHORT = {"mse": "mean squared", "rmse": "root mean squared", "nrmse": "normalized root mean squared", "mae": "mean abs",
          "mre": "mean rel", "male": "mean abs log", "rmsre": "root mean squared rel", "rmsle": "root mean squared log",
          "abs": "mean abs", "rel": "mean rel", "max": "max abs"}


def error_metric_from_name(user_key: str, EPS: float = 1e-8) -> Callable[[Any, Any], float]:
    """Returns a function of two arrays, the right one and the result, that gives their difference: MSE, RMSE, NRMSE, MAE,
    MRE, MALE, RMSRE, RMSLE, "max", "max rel", or such names in words ("mean absolute error"). `EPS` keeps relative
    differences from divisions by 0."""
    key = re.sub(r"[\s_-]+", " ", re.sub(r"\berror\b", " ", user_key.lower())).strip()
    key = " ".join(_WORDS.get(word, word) for word in key.split())
    key = _SHORT.get(key, key)
    difference = (_logarithms(EPS) if key.endswith(" log") else _relative(EPS) if key.endswith(" rel")
                  else lambda right, got: got - right)
    kind = re.sub(r" (rel|log)$", "", key)
    reductions = {
        "mean squared": lambda right, d: numpy.mean(d * d), "root mean squared": lambda right, d: numpy.mean(d * d) ** 0.5,
        "normalized root mean squared": lambda right, d: (numpy.mean(d * d) / numpy.mean(right * right)) ** 0.5,
        "mean abs": lambda right, d: numpy.mean(abs(d)), "mean": lambda right, d: numpy.mean(abs(d)),
        "max abs": lambda right, d: numpy.max(abs(d)), "max": lambda right, d: numpy.max(abs(d))}
    if kind not in reductions or (kind == "mean" and key == kind):
        raise ValueError(f"there is no error metric '{user_key}'; there is: {', '.join(sorted(_SHORT))}, max rel")

    def metric(right, got):
        right, got = numpy.asarray(right, numpy.float64), numpy.asarray(got, numpy.float64)
        return float(reductions[kind](right, difference(right, got)))
    return metric


class AccuracyObserver(OutputObserver):
    """Adds the largest error of the results that `answer` has to a result, as `key`. `metric`: a name for
    `error_metric_from_name`, or a function of the right array and the result; default: RMSE. `atol`: its EPS."""

    def __init__(self, metric: Union[str, Callable[[Any, Any], float], None] = None, key: str = "error", *, atol: float = 1e-8):
        self.metric = metric if callable(metric) else error_metric_from_name(metric or "rmse", atol)
        self.key, self.result = key, None

    def process_output(self, answer: Optional[Sequence[Any]], output: Sequence[Any]) -> None:
        errors = [self.metric(one, got) for one, got in zip(answer or [], output) if one is not None]
        if not errors:
            raise ValueError("AccuracyObserver: there is no answer to compare with: give tune_kernel an 'answer'")
        self.result = max(errors)

    def get_results(self) -> Dict[str, float]:
        return {self.key: self.result}
