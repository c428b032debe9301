# SPDX-License-Identifier: Apache-2.0
"""Functions of Python as formulas of the tuner.

A function of the parameters is called with names instead of numbers, and what it computes is written down. Each
condition that it tests (`if`, `and`, `or`, `not`, chained comparisons) is followed both ways, so the formula is exact.
What cannot be followed (calls of other libraries with numbers, loops over a parameter) is evaluated for every
combination of values instead: slower, and only possible where these are few."""
import inspect
import itertools
import math

__all__ = ["MAX_LISTED", "formula_of", "literal", "rule_of"]

MAX_LISTED = 200_000  # combinations of values
_MAX_PATHS = 256


class _Unfollowed(Exception):
    """Raised where a name is used as a number."""


class _Branch(Exception):
    """Ends a call at a condition whose outcome is not chosen yet."""


class _Trace:
    """The outcomes of the conditions of one call."""

    def __init__(self, outcomes):
        self.outcomes, self.conditions = outcomes, []

    def decide(self, text):
        for known, outcome in zip(self.conditions, self.outcomes):
            if known == text:
                return outcome
        if len(self.conditions) == len(self.outcomes):
            raise _Branch
        self.conditions.append(text)
        return self.outcomes[len(self.conditions) - 1]


class Name:
    """A formula that is being written down."""
    __slots__ = ("text", "trace")
    __hash__ = None

    def __init__(self, text, trace):
        self.text, self.trace = text, trace

    def __bool__(self):
        return self.trace.decide(self.text)

    def _refuse(self, *_):
        raise _Unfollowed

    __int__ = __float__ = __index__ = __iter__ = __len__ = __str__ = __format__ = _refuse
    __getitem__ = __call__ = __contains__ = __complex__ = _refuse

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
        def method(self, other):
            text = literal(other)
            return NotImplemented if text is None else Name(f"({self.text} {sign} {text})", self.trace)

        def reflected(self, other):
            text = literal(other)
            return NotImplemented if text is None else Name(f"({text} {sign} {self.text})", self.trace)
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
    if isinstance(value, Name):
        return value.text
    if hasattr(value, "item") and getattr(value, "shape", None) == ():
        value = value.item()
    if isinstance(value, bool):
        return "True" if value else "False"
    if isinstance(value, (int, float)):
        if isinstance(value, float) and not math.isfinite(value):
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
    wanted = [one for one in signature.parameters.values() if one.default is one.empty]
    if any(one.kind == one.VAR_KEYWORD for one in wanted):
        return [], values
    wanted = [one for one in wanted if one.kind in (one.POSITIONAL_OR_KEYWORD, one.KEYWORD_ONLY, one.POSITIONAL_ONLY)]
    if wanted and all(one.name in names for one in wanted):
        return [], {one.name: values[one.name] for one in wanted}
    if len(wanted) == 1:
        return [values], {}
    unknown = next((one.name for one in wanted if one.name not in names), None)
    raise ValueError(f"the function takes '{unknown}', which is no parameter: take one dict, or parameters by name"
                     if unknown else "the function takes no parameter: take one dict, or parameters by name")


def _followed(function, names):
    """Returns the formulas of each way through the function: (conditions, result). None where it cannot be followed."""
    ways, open_ways = [], [()]
    while open_ways:
        outcomes = open_ways.pop()
        trace = _Trace(outcomes)
        values = {name: Name(name, trace) for name in names}
        positional, by_name = _arguments(function, names, values)
        try:
            result = function(*positional, **by_name)
        except _Branch:
            open_ways += [outcomes + (False,), outcomes + (True,)]
            if len(ways) + len(open_ways) > _MAX_PATHS:
                return None
            continue
        except Exception:  # of the function: other libraries refuse a name in their own ways
            return None
        conditions = [text if outcome else f"(not {text})" for text, outcome in zip(trace.conditions, outcomes)]
        ways.append((conditions, result))
    return ways


def rule_of(function, parameters):
    """Returns the constraint that a function is, and whether its values had to be listed.

    `parameters`: a dict of the lists of values. The function gets the parameters by name, or one dict, and returns
    something true for what is allowed. Raises what the function raises for a combination, and ValueError where it
    can neither be followed nor listed."""
    ways = _followed(function, list(parameters))
    if ways is not None:
        allowed = []
        for conditions, result in ways:
            text = result.text if isinstance(result, Name) else None
            if text is None and not result:
                continue
            parts = conditions + ([text] if text is not None else [])
            allowed.append("(" + " and ".join(parts) + ")" if parts else "True")
        return (" or ".join(allowed) if allowed else "False"), False
    return _listed(function, parameters), True


def _listed(function, parameters):
    used, rows = [], []
    for used, row, result in _values(function, parameters, MAX_LISTED):
        if result:
            rows.append(literal(list(row)))
    return f"[{', '.join(used)}] in [{', '.join(rows)}]" if rows else "False"


def _values(function, parameters, most):
    """Returns the names of the parameters that a function looks at, their values, and its result, for each
    combination."""
    try:
        return _table(function, parameters, _used(function, parameters), most)
    except KeyError:  # it looks at others for some values
        return _table(function, parameters, list(parameters), most)


def _table(function, parameters, used, most):
    count = math.prod(len(parameters[name]) for name in used)
    if count > most:
        raise ValueError(f"the function cannot be written as a formula, and its parameters have {count} combinations "
                         f"of values (at most {most} are listed): write it as a text, or with fewer parameters")
    table = []
    for row in itertools.product(*(parameters[name] for name in used)):
        positional, by_name = _arguments(function, list(parameters), dict(zip(used, row)))
        table.append((used, row, function(*positional, **by_name)))
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

    def _all(self):
        self.noted.update(self.keys())

    def items(self):
        self._all()
        return super().items()

    def values(self):
        self._all()
        return super().values()

    def __iter__(self):
        self._all()
        return super().__iter__()


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
            function(values)
    return [name for name in parameters if name in noted] or list(parameters)


def formula_of(function, parameters):
    """Returns the formula of a number that a function of the parameters computes. Raises ValueError where the
    function cannot be followed and its values cannot be listed."""
    ways = _followed(function, list(parameters))
    if ways is not None and all(literal(result) is not None for _, result in ways):
        text = literal(ways[-1][1])
        for conditions, result in reversed(ways[:-1]):
            condition = " and ".join(conditions) if conditions else "True"
            text = f"({literal(result)} if {condition} else {text})"
        return text
    terms = []
    for used, row, result in _values(function, parameters, 4096):
        number = literal(result)
        if number is None or isinstance(result, str):
            raise ValueError(f"the function returns {result!r}, which is no number")
        terms.append(f"{number} * ({_where(used, row)})")
    return " + ".join(terms)


def _where(used, row):
    return " and ".join(f"{name} == {literal(value)}" for name, value in zip(used, row)) or "True"
