# SPDX-License-Identifier: Apache-2.0
"""Spaces by numbers, and strategies of a script as the library calls them."""
import ctypes
import math
import operator
import random
from typing import Any, Dict, Iterator, List, Mapping, Optional, Tuple, Union

from . import _native

__all__ = ["OwnStrategy", "Space"]

_ABSENT = 2**32 - 1
_BLOCK, _MOST_BLOCKS = 4096, 256


class Space:
    """The valid configurations of a search, by their numbers: `len(space)`, `space[number]` (a dict), `space.number_of(dict)`.

    `parameters` is a dict of the values of each parameter in their order. Numbers are in the order of the values of the
    parameters. A parameter that does not exist in a configuration is missing from its dict."""

    def __init__(self, view: int, owner: Any):
        library = _native.library()
        self._owner = owner  # keeps what the library shows alive
        count = ctypes.c_size_t()
        given = library.tune_space_parameters(view, ctypes.byref(count))
        self.parameters: Dict[str, List[Any]] = {}
        for at in range(count.value):
            one = given[at].contents
            self.parameters[one.name.decode()] = [_native.value_of(one.values[i], one.kinds[i]) for i in range(one.count)]
        self._view, self._size, self._width = view, library.tune_space_count(view), count.value
        self._names, self._values = list(self.parameters), list(self.parameters.values())
        self._blocks: Dict[int, List[Tuple[int, ...]]] = {}

    def __len__(self) -> int:
        return self._size

    def __getitem__(self, number: int) -> Dict[str, Any]:
        return {name: values[index] for name, values, index in zip(self._names, self._values, self._row(number))
                if index != _ABSENT}

    def __iter__(self) -> Iterator[Dict[str, Any]]:
        return (self[number] for number in range(self._size))

    def __contains__(self, configuration: Mapping[str, Any]) -> bool:
        return self.number_of(configuration) is not None

    def _row(self, number):
        number = operator.index(number)
        if not 0 <= number < self._size:
            raise IndexError(f"there is no configuration {number}: there are {self._size}")
        at, inside = divmod(number, _BLOCK)
        if at not in self._blocks:
            self._alive()
            count = min(_BLOCK, self._size - at * _BLOCK)
            rows = (ctypes.c_uint32 * (count * self._width))()
            _native.check(_native.library().tune_space_rows(self._view, at * _BLOCK, count, rows))
            self._blocks[at] = [tuple(rows[one:one + self._width]) for one in range(0, count * self._width, self._width)]
            if len(self._blocks) > _MOST_BLOCKS:
                self._blocks.pop(next(iter(self._blocks)))
        return self._blocks[at][inside]

    def _alive(self):
        if self._view is None:
            raise ValueError("the search whose space this is has ended")

    def end(self) -> None:
        """Is called when the search ends, for whose strategy the space was made."""
        self._view = None

    def row(self, number: int) -> Tuple[Optional[int], ...]:
        """Returns the index of each parameter's value; None if it does not exist."""
        return tuple(None if index == _ABSENT else index for index in self._row(number))

    def number_of(self, configuration: Mapping[str, Any]) -> Optional[int]:
        """Returns the number of a configuration; None for one that is not valid."""
        if not set(configuration) <= set(self._names):
            return None
        try:
            row = [values.index(configuration[name]) if name in configuration else _ABSENT
                   for name, values in self.parameters.items()]
        except ValueError:
            return None
        return self._find(row)

    def _find(self, row):
        self._alive()
        number = ctypes.c_uint64()
        _native.check(_native.library().tune_space_find(self._view, (ctypes.c_uint32 * max(1, self._width))(*row),
                                                        ctypes.byref(number)))
        return None if number.value == 2**64 - 1 else number.value

    def sample(self, count: int, generator: Optional[random.Random] = None) -> List[int]:
        """Returns so many different numbers, drawn at random."""
        return (generator or random).sample(range(len(self)), min(count, len(self)))

    def neighbours(self, number: int) -> List[int]:
        """Returns the numbers of the configurations that differ in the value of one parameter."""
        row = self._row(number)
        found = []
        for at, values in enumerate(self._values):
            for index in range(len(values)):
                if index != row[at] and row[at] != _ABSENT:
                    near = self._find(row[:at] + (index,) + row[at + 1:])
                    if near is not None:
                        found.append(near)
        return found


def name_of(strategy: Any) -> str:
    """Returns what a strategy is called in results."""
    return str(getattr(strategy, "name", None) or getattr(strategy, "__name__", None) or type(strategy).__name__)


class OwnStrategy:
    """A strategy of a script for the library. `make(space, seed)` begins a search: an object with `ask()`, which returns a
    configuration, its number, or None at the end, and `tell(configuration, cost)`. What these raise is kept in `raised`."""

    def __init__(self, make: Any):
        if not callable(make):
            raise TypeError(f"strategy: {_native.kind(make)} is neither a name nor a function of (space, seed) that returns an "
                            "object with ask() and tell(configuration, cost)")
        self.make, self.name, self.raised = make, name_of(make), None
        self._searches: Dict[int, Any] = {}
        self._next = 0
        fields = dict(_native.Strategy._fields_)
        self._name = self.name.encode()
        self.functions = _native.Strategy(self._name, max(1, int(getattr(make, "in_flight", 1))), None,
                                          *(fields[one](getattr(self, "_" + one)) for one in ("open", "ask", "tell", "close")))

    def _kept(self, error):
        self.raised = self.raised or error
        return -1

    def _open(self, _, view, seed):
        try:
            space = Space(view, None)
            search = self.make(space, seed)
            for name in ("ask", "tell"):
                if not callable(getattr(search, name, None)):
                    raise TypeError(f"strategy: {self.name} returns {_native.kind(search)}, which has no function '{name}'")
            state = self._next = self._next + 1
            self._searches[state] = search, space
            return state
        except BaseException as error:
            self._kept(error)
            return None

    def _ask(self, state, number):
        try:
            search, space = self._searches[state]
            answer = search.ask()
            if answer is None:
                return 0
            found = _number(answer, space)
            if found is None:
                raise ValueError(f"strategy: {self.name} asks for {answer!r}, which is not a configuration of the space")
            number[0] = found
            return 1
        except BaseException as error:
            return self._kept(error)

    def _tell(self, state, number, cost):
        try:
            search, space = self._searches[state]
            search.tell(space[number], None if math.isnan(cost) else cost)
            return 0
        except BaseException as error:
            return self._kept(error)

    def _close(self, state):
        self._searches.pop(state)[1].end()


def _number(answer: Union[int, Mapping[str, Any]], space: Space) -> Optional[int]:
    if hasattr(answer, "items"):
        return space.number_of(answer)
    if hasattr(answer, "__index__") and not isinstance(answer, bool):
        number = int(answer)
        return number if 0 <= number < len(space) else None
    return None
