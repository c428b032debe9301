# SPDX-License-Identifier: Apache-2.0
"""Functions of Python as formulas of the tuner.

A function of the parameters is called with names instead of numbers, and what it computes is written down. Each
condition that it tests (`if`, `and`, `or`, `not`, chained comparisons) is followed both ways, so the formula is exact.
What cannot be followed (calls of other libraries with numbers, loops over a parameter) is evaluated for every
combination of values instead: slower, and only possible if these are few."""
import inspect
import itertools
import math
import random

from . import _native

__all__ = ["MAX_LISTED", "formula_of", "formulas_of", "literal", "rows_rule", "rule_of"]

MAX_LISTED = 200_000  # combinations of values
_MAX_PATHS = 256
_LONGEST = 1000  # values of a list in a constraint
_MAX_CONDITIONS = 50_000  # characters of all conditions of all ways, far below what the tuner reads


class _Unfollowed(BaseException):
    """Raised when a name is used as a number."""


class _Branch(BaseException):
    """Ends a call at a condition whose outcome is not chosen yet."""


class _Trace:
    """The outcomes of the conditions of one call."""

    def __init__(self, outcomes):
        self.outcomes, self.conditions = outcomes, []
        self.refused, self.ended = False, False  # also if the function swallows the exception

    def refuse(self):
        self.refused = True
        raise _Unfollowed

    def decide(self, text):
        for known, outcome in zip(self.conditions, self.outcomes):
            if known == text:
                return outcome
        if len(self.conditions) == len(self.outcomes):
            self.ended = True
            raise _Branch
        self.conditions.append(text)
        return self.outcomes[len(self.conditions) - 1]


class Name:
    """A formula that is being written down."""
    __slots__ = ("text", "trace")
    __hash__ = None
    __array_ufunc__ = None  # NumPy leaves operators to the methods here

    def __init__(self, text, trace):
        self.text, self.trace = text, trace

    def __bool__(self):
        return self.trace.decide(self.text)

    def _refuse(self, *_):
        self.trace.refuse()

    __int__ = __float__ = __index__ = __iter__ = __len__ = __str__ = __repr__ = __format__ = _refuse
    __getitem__ = __call__ = __contains__ = __complex__ = _refuse
    __class__ = property(_refuse)  # isinstance

    def __abs__(self):
        return Name(f"abs({self.text})", self.trace)

    def __round__(self, digits=None):
        return Name(f"round({self.text})" if digits is None else f"round({self.text}, {digits})", self.trace)

    def __floor__(self):
        return Name(f"floor({self.text})", self.trace)

    def __ceil__(self):
        return Name(f"ceil({self.text})", self.trace)

    def __trunc__(self):
        return Name(f"trunc({self.text})", self.trace)

    def __neg__(self):
        return Name(f"(-{self.text})", self.trace)

    def __pos__(self):
        return self

    def __invert__(self):
        return Name(f"(~{self.text})", self.trace)

    def __divmod__(self, other):
        return self // other, self % other


def _add_operators():
    def operator(sign):
        def operand(self, other):
            text = literal(other)
            if text is None or (text.startswith("'") and sign not in ("==", "!=")):  # arrays, arithmetic of texts
                self.trace.refuse()
            return text

        def method(self, other):
            return Name(f"({self.text} {sign} {operand(self, other)})", self.trace)

        def reflected(self, other):
            return Name(f"({operand(self, other)} {sign} {self.text})", self.trace)
        return method, reflected

    for name, sign in {"add": "+", "sub": "-", "mul": "*", "truediv": "/", "floordiv": "//", "mod": "%", "pow": "**",
                       "and": "&", "or": "|", "xor": "^", "lshift": "<<", "rshift": ">>"}.items():
        method, reflected = operator(sign)
        setattr(Name, f"__{name}__", method)
        setattr(Name, f"__r{name}__", reflected)
    for name, sign in {"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}.items():
        setattr(Name, f"__{name}__", operator(sign)[0])


def literal(value):
    """Returns a value as it is written in a formula; None for what has no such form."""
    if type(value) is Name:
        return value.text
    if hasattr(value, "item") and getattr(value, "shape", None) == ():
        value = value.item()
    if isinstance(value, bool):
        return "True" if value else "False"
    if isinstance(value, (int, float)):
        if not (math.isfinite(value) if isinstance(value, float) else -2**63 <= value < 2**63):
            return None
        return repr(value) if value >= 0 else f"({value!r})"
    if isinstance(value, str):
        return "'" + value.replace("\\", "\\\\").replace("'", "\\'") + "'"
    if isinstance(value, (list, tuple)):
        parts = [literal(one) for one in value]
        return None if None in parts else "[" + ", ".join(parts) + "]"
    return None


_add_operators()


def _arguments(function, names, values):
    """Returns how a function takes the parameters: by their names, or as one dict."""
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return [values], {}
    taken = list(signature.parameters.values())
    wanted = [one for one in taken if one.default is one.empty]
    if any(one.kind == one.VAR_KEYWORD for one in wanted):
        return [], values
    wanted = [one for one in wanted if one.kind in (one.POSITIONAL_OR_KEYWORD, one.KEYWORD_ONLY, one.POSITIONAL_ONLY)]
    if all(one.name in names for one in wanted):  # a default is for what is no parameter
        by_name = {one.name: values[one.name] for one in taken if one.name in names}
        if by_name:
            return [], by_name
    if len(wanted) == 1:
        return [values], {}
    unknown = next((one.name for one in wanted if one.name not in names), None)
    raise ValueError(f"the function takes '{unknown}', which is no parameter: take one dict, or parameters by name"
                     if unknown else "the function takes no parameter: take one dict, or parameters by name")


def _followed(function, names):
    """Returns the formulas of each way through the function: (conditions, result). None if it cannot be followed."""
    ways, open_ways, written = [], [()], 0
    while open_ways:
        outcomes = open_ways.pop()
        trace = _Trace(outcomes)
        values = {name: Name(name, trace) for name in names}
        positional, by_name = _arguments(function, names, values)
        result, failed = None, False
        try:
            result = function(*positional, **by_name)
        except (Exception, _Branch, _Unfollowed):  # of the function: other libraries refuse a name in their own ways
            failed = True
        if trace.ended and not trace.refused:
            open_ways += [outcomes + (False,), outcomes + (True,)]
            if len(ways) + len(open_ways) > _MAX_PATHS:
                return None
            continue
        if failed or trace.refused:
            return None
        conditions = [text if outcome else f"(not {text})" for text, outcome in zip(trace.conditions, outcomes)]
        ways.append((conditions, result))
        written += sum(map(len, conditions))
        if written > _MAX_CONDITIONS:
            return None
    return ways


def rule_of(function, parameters):
    """Returns the constraint that a function is, and whether its values had to be listed.

    `parameters`: a dict of the lists of values. The function gets the parameters by name, or one dict, and returns
    something true for what is allowed. Raises what the function raises for a combination, and ValueError if it
    can neither be followed nor listed."""
    ways = _followed(function, list(parameters))
    if ways is not None:
        allowed = []
        for conditions, result in ways:
            text = result.text if type(result) is Name else None
            if text is None and not _truth(result):
                continue
            parts = conditions + ([text] if text is not None else [])
            allowed.append("(" + " and ".join(parts) + ")" if parts else "True")
        text = " or ".join(allowed) if allowed else "False"
        if _agrees(f"bool({text})", lambda values: _truth(_called(function, parameters, values)), parameters):
            return text, False
    return _listed(function, parameters), True


def _called(function, parameters, values):
    positional, by_name = _arguments(function, list(parameters), values)
    return function(*positional, **by_name)


def _agrees(text, wanted, parameters):
    """Returns whether a formula has the values of a function for some combinations: `is` and `type` cannot be followed."""
    known = {"floor": math.floor, "ceil": math.ceil, "trunc": math.trunc}
    try:
        code = compile(text, "formula", "eval")
    except SyntaxError as error:  # a word of Python as a name, or too deep for the tuner, too
        return "nested" not in str(error)
    except (MemoryError, RecursionError):
        return False
    generator = random.Random(1)
    first = {name: values[0] for name, values in parameters.items()}
    samples = [{**first, name: value} for name, values in parameters.items() for value in values[:16]]
    samples += [{name: generator.choice(values) for name, values in parameters.items()} for _ in range(32)]
    for values in samples:
        outcomes = []
        for compute in (wanted, lambda values: eval(code, known, values)):
            try:
                outcomes.append(compute(dict(values)))
            except Exception as error:
                outcomes.append(type(error))
        if outcomes[0] != outcomes[1]:
            return False
    return True


def _truth(result):
    """Returns whether a constraint's result allows a configuration."""
    if result is None or isinstance(result, (tuple, list, dict, set)):
        raise ValueError(f"a constraint returns {_native.kind(result)}, which is neither true nor false: "
                         + ("does it lack a 'return'?" if result is None else "join conditions with 'and', or all()"))
    return bool(result)


def _listed(function, parameters):
    used, rows = [], []
    for used, row, result in _values(function, parameters, MAX_LISTED):
        if _truth(result):
            rows.append(row)
    return rows_rule([(name, parameters[name]) for name in used], rows)


def rows_rule(parameters, rows):
    """Returns the constraint that allows these rows of values and no others. `parameters`: pairs of a name and all its
    values. It tests one parameter after another, and those values together after which the same is allowed."""
    (name, values), rest = parameters[0], parameters[1:]
    values = list(dict.fromkeys(literal(value) for value in values))
    allowed = {}
    for row in rows:
        allowed.setdefault(literal(row[0]), []).append(row[1:])
    if not rest:
        return _one_of(name, list(allowed), values)
    groups = {}
    for value, rests in allowed.items():
        groups.setdefault(frozenset(rests), []).append(value)
    parts = []
    for rests, same in groups.items():
        tests = [one for one in (_one_of(name, same, values), rows_rule(rest, sorted(rests, key=str))) if one != "True"]
        parts.append("(" + " and ".join(tests) + ")" if tests else "True")
    return _joined(parts, "or") if parts else "False"


def _one_of(name, allowed, values):
    refused = [value for value in values if value not in allowed]
    if not refused:
        return "True"
    if len(allowed) == 1:
        return f"{name} == {allowed[0]}"
    few, word = (allowed, "in") if len(allowed) <= len(refused) else (refused, "not in")
    parts = [f"{name} {word} [{', '.join(few[at:at + _LONGEST])}]" for at in range(0, len(few), _LONGEST)]
    return parts[0] if len(parts) == 1 else "(" + (" or " if word == "in" else " and ").join(parts) + ")"


def _joined(parts, word):
    """Joins parts in halves: a chain of thousands would be too deep."""
    if len(parts) == 1:
        return parts[0]
    middle = len(parts) // 2
    return f"({_joined(parts[:middle], word)} {word} {_joined(parts[middle:], word)})"


def _values(function, parameters, most):
    """Returns the names of the parameters that a function looks at, their values, and its result, for each
    combination. Raises ValueError for what the function raises."""
    try:
        return _looked_up(function, parameters, most)
    except ValueError:
        raise
    except Exception as error:
        raise ValueError(f"the function raises {type(error).__name__}: {error}") from error


def _looked_up(function, parameters, most):
    try:
        try:
            return _table(function, parameters, _used(function, parameters), most)
        except KeyError:  # it looks at others for some values
            return _table(function, parameters, list(parameters), most)
    except KeyError as error:
        if not error.args or not isinstance(error.args[0], str) or error.args[0] in parameters:
            raise
        raise ValueError(f"a function looks at {error.args[0]!r}, which is no parameter; there is: "
                         f"{', '.join(parameters)}") from error


def _table(function, parameters, used, most):
    count = math.prod(len(parameters[name]) for name in used)
    if count > most:
        raise ValueError(f"the function cannot be written as a formula, and its parameters have {count} combinations "
                         f"of values (at most {most} are listed): write it as a text, or with fewer parameters")
    table = []
    for row in itertools.product(*(parameters[name] for name in used)):
        table.append((used, row, _called(function, parameters, dict(zip(used, row)))))
    return table


class _Noting(dict):
    """A dict that notes which of its values are looked at."""

    def __init__(self, values, noted):
        super().__init__(values)
        self.noted = noted

    def __getitem__(self, name):
        self.noted.add(name)
        return super().__getitem__(name)

    def get(self, name, default=None):
        self.noted.add(name)
        return super().get(name, default)


def _add_noting_methods():
    def noting(name):
        def method(self, *arguments):
            self.noted.update(dict.keys(self))
            return getattr(dict, name)(self, *arguments)
        return method

    for name in ("items", "values", "copy", "pop", "popitem", "setdefault", "__iter__", "__eq__", "__ne__", "__repr__",
                 *(["__or__", "__ror__"] if hasattr(dict, "__or__") else [])):
        setattr(_Noting, name, noting(name))


_add_noting_methods()


def _used(function, parameters):
    """Returns the parameters that a function looks at, in their order."""
    first = {name: values[0] for name, values in parameters.items()}
    positional, by_name = _arguments(function, list(parameters), first)
    if by_name or not positional:
        return [name for name in parameters if name in by_name] or list(parameters)
    noted = set()
    for name in [None, *parameters]:  # others may be looked at for other values
        for value in parameters[name] if name else [None]:
            values = _Noting({**first, name: value} if name else first, noted)
            try:
                function(values)
            except TypeError as error:
                raise ValueError("a function of one argument that is no parameter's name gets a dict of the "
                                 f"parameters; it raises TypeError: {error}") from error
    return [name for name in parameters if name in noted] or list(parameters)


def formulas_of(function, parameters):
    """Returns the formulas of the numbers that a function of the parameters computes: it returns one, or a tuple. Raises
    ValueError if the function cannot be followed and its values cannot be listed."""
    ways = _followed(function, list(parameters))
    if ways is not None:
        results = _columns([result for _, result in ways])
        if all(literal(one) is not None for column in results for one in column):
            formulas = [_chosen([conditions for conditions, _ in ways], column) for column in results]
            if _agrees(f"({', '.join(formulas)},)", lambda values: _row(_called(function, parameters, values)), parameters):
                return formulas
    table = _values(function, parameters, 4096)
    formulas = []
    for column in _columns([result for _, _, result in table]):
        terms = []
        for (used, row, _), result in zip(table, column):
            number = literal(result)
            if number is None or isinstance(result, (str, list, tuple)):
                raise ValueError(f"the function returns {result!r}, which is not a number")
            terms.append(f"{number} * ({_where(used, row)})")
        formulas.append(_joined(terms, "+"))
    return formulas


def formula_of(function, parameters):
    """Returns the formula of the one number that a function computes. Raises as `formulas_of`."""
    formulas = formulas_of(function, parameters)
    if len(formulas) != 1:
        raise ValueError(f"the function returns {len(formulas)} numbers, and one is needed")
    return formulas[0]


def _row(result):
    return tuple(result) if type(result) is not Name and isinstance(result, (tuple, list)) else (result,)


def _columns(results):
    rows = [_row(one) for one in results]
    if len({len(row) for row in rows}) != 1:
        raise ValueError("the function returns tuples of different lengths: return as many numbers for all parameters")
    return list(zip(*rows))


def _chosen(conditions, column):
    """Returns the formula of a number that depends on the way through a function."""
    text = literal(column[-1])
    for tested, result in reversed(list(zip(conditions, column))[:-1]):
        text = f"({literal(result)} if {' and '.join(tested) if tested else 'True'} else {text})"
    return text


def _where(used, row):
    return " and ".join(f"{name} == {literal(value)}" for name, value in zip(used, row)) or "True"
