"""Values in a form that is equal in two runs if and only if they mean the same in both.

Code, classes, modules and members of enumerations are compared by their content, not by their
name. An object that can change, or that has an identity, is written once, and by its number
where it is met again: a second name of it differs from a copy. :mod:`wheelproof.python.state.kinds`
has the closed list of compared types. All else is refused.

Immutable values of built-in types (numbers, texts, tuples, frozen sets, ranges) have no identity
here, as Python gives them none that a program may rely on.
"""

from __future__ import annotations

import gc
import struct
import sys
from collections import deque
from collections.abc import Collection, Container
from enum import Enum
from types import (
    BuiltinFunctionType,
    CellType,
    FrameType,
    FunctionType,
    GeneratorType,
    MappingProxyType,
    MethodType,
    ModuleType,
    TracebackType,
)
from typing import Any

from wheelproof.python.findings import Unnamed
from wheelproof.python.state.callables import of_builtin, of_cell, of_function, shares
from wheelproof.python.state.exceptions import of_exception, of_traceback
from wheelproof.python.state.generators import of_generator
from wheelproof.python.state.kinds import (
    DESCRIPTORS,
    attributes_of,
    has_name,
    is_named_tuple,
    way,
)
from wheelproof.python.state.positions import Positions
from wheelproof.python.state.slots import UNSET, hashed_by_value, loose_attributes
from wheelproof.python.state.stack import Stacks


class Unordered(frozenset[object]):
    """A set whose order decides no step, since only the tool reads it."""

    __slots__ = ()


Piece = tuple[object, ...]
"""One canonical part of a fingerprint: nested tuples of atoms."""

PREFIX = "@"  # of every object's name, so that no string of the implementation equals one
MUTABLE = frozenset({list, deque, dict, set})
_OBJECTS = MUTABLE | {GeneratorType}
_ENUM = frozenset({"_value_", "_name_", "__objclass__", "_sort_order_"})


class Values:
    """Values of one run."""

    def __init__(
        self,
        files: Container[str],
        stacks: Stacks | None,
        positions: Positions | None,
        definitions: Container[int],
    ) -> None:
        """Meets no value yet.

        ``files``: the files of the implementation. ``stacks`` judges the evaluation stacks of
        suspended frames. ``positions``: the judged ones, which runs share. ``definitions``: ids of
        the definitions that are there from the beginning.
        """
        self._files, self._stacks, self._definitions = files, stacks, definitions
        self._positions = Positions() if positions is None else positions
        self._names: dict[int, str] = {
            id(None): PREFIX + "None",
            id(True): PREFIX + "True",
            id(False): PREFIX + "False",
        }
        # id of an object -> its number, in the order in which this fingerprint meets them
        self._met: dict[int, int] = {}
        # the cells and the shared variables of frames that it has met, with their numbers
        self._captured: list[tuple[CellType, int]] = []
        self._variables: list[tuple[FrameType, str, int]] = []
        self.by_identity = False
        """Whether the last part has such an object: other threads may change it."""

    def value(self, v: Any) -> object:
        """A value that is equal in two runs if and only if ``v`` means the same in both.

        Raises :class:`Unnamed`.
        """
        name = self._names.get(id(v))
        if name is not None:
            return name
        kind = type(v)
        if kind is int:
            return v
        if kind is str:
            return v if not v.startswith(PREFIX) else ("str", v)
        if kind in _OBJECTS:  # the body of _again, written out: lists are frequent
            numbers, key = self._met, id(v)
            if key in numbers:
                return ("same", numbers[key])
            numbers[key] = len(numbers)
            self.by_identity = True
        if kind is tuple or kind is list:
            return (kind.__name__, *[self.value(x) for x in v])
        if kind in (float, complex, bytes):
            if v != v:  # a list has it or not by its identity, and it has a sign
                return self._again(v) or ("nan", struct.pack("dd", v.real, v.imag))
            return (kind.__name__, repr(v))
        if kind is deque:
            return ("deque", v.maxlen, *[self.value(x) for x in v])
        if kind is Unordered:
            return (kind.__name__, *sorted([self.value(x) for x in v], key=repr))
        if kind is dict:
            return ("dict", *[(self.value(k), self.value(x)) for k, x in v.items()])
        if kind is MappingProxyType:
            return ("mappingproxy", *map(self.value, gc.get_referents(v)))
        if kind in (set, frozenset):
            return (kind.__name__, *self._in_order(v))
        if kind is range:
            return ("range", *map(self.value, (v.start, v.stop, v.step)))
        if kind is MethodType:
            return ("method", self.value(v.__func__), self.value(v.__self__))
        if kind is FunctionType:
            return self._function(v)
        if kind is BuiltinFunctionType:
            return of_builtin(v, self.value)
        if kind is CellType:
            return self._cell_of(v)
        if kind is GeneratorType:
            return of_generator(v, self._files, self._positions, self._stacks, self.value)
        if kind is TracebackType:
            return of_traceback(v, self._positions)
        return self._by_class(v, kind)

    def _by_class(self, v: Any, kind: type) -> object:
        """A definition, or a value whose class is derived from one that is compared."""
        if issubclass(kind, (type, ModuleType)):
            return self._definition(v)
        if issubclass(kind, Enum):
            return ("enum", self._definition(kind), self._member(v, kind))
        if issubclass(kind, BaseException):
            return self._again(v) or of_exception(v, self.value)
        if is_named_tuple(kind):
            if attributes_of(v) != {}:
                raise loose_attributes(f"a {kind.__qualname__}")
            return ("named", self._definition(kind), *map(self.value, tuple.__iter__(v)))
        if kind in DESCRIPTORS:
            return ("attribute", self._definition(v.__objclass__), v.__name__)
        if way(kind) == "identity":
            return ("constant", repr(v))
        raise Unnamed(
            f"a value of type {kind.__qualname__}, which has no name that is equal in every run.",
            "Keep state in slots of objects that the harness's Harness.names reaches from the "
            "start, not in iterators, generators or new objects.",
        )

    def _again(self, value: object) -> Piece | None:
        """The number of an object that this fingerprint has met; a new one gets the next."""
        number = self._met.get(id(value))
        if number is not None:
            return ("same", number)
        self._met[id(value)] = len(self._met)
        self.by_identity = True
        return None

    def begin(self) -> None:
        """Begin a fingerprint: no object has been met."""
        self._met.clear()
        self._captured.clear()
        self._variables.clear()

    def variable(self, frame: FrameType, name: str) -> Piece:
        """A variable that the functions in a frame's code share with it."""
        self.by_identity = True
        for cell, number in self._captured:
            if shares(cell, frame, name):
                return ("same", number)
        number = len(self._met)
        self._met[-1 - number] = number  # no id of an object
        self._variables.append((frame, name, number))
        frame_locals = frame.f_locals
        return ("cell", self.value(frame_locals[name]) if name in frame_locals else UNSET)

    def _cell_of(self, cell: CellType) -> Piece:
        if id(cell) not in self._met:
            for frame, name, number in self._variables:
                if shares(cell, frame, name):
                    self._met[id(cell)] = number
                    break
            else:
                self._captured.append((cell, len(self._met)))
        return self._again(cell) or of_cell(cell, self.value)

    def _definition(self, value: type | ModuleType) -> Piece:
        """A class or a module, as the one that it is. One that a run makes is refused."""
        if id(value) not in self._definitions and not has_name(value):
            raise Unnamed(
                f"{value!r}, which no module has: it was made while the scenario ran.",
                "Define classes and modules at the head of a file, once.",
            )
        return ("definition", id(value))

    def _member(self, value: Enum, kind: type[Enum]) -> object:
        attributes = attributes_of(value)
        if attributes is None or not attributes.keys() <= _ENUM:
            raise loose_attributes(f"the enum member {value!r}")
        name = attributes.get("_name_")
        if kind._member_map_.get(str(name)) is not value:
            raise Unnamed(
                f"{value!r}, which is no member of its class by name: it was made while the "
                "scenario ran.",
                "Give the combination a name in the class.",
            )
        return name

    def _function(self, function: FunctionType) -> Piece:
        if id(function) in self._definitions:
            return ("definition", id(function))
        home = function.__globals__
        module = sys.modules.get(str(home.get("__name__")))
        if id(home) not in self._definitions and (module is None or vars(module) is not home):
            raise Unnamed(
                f"the function {function.__qualname__}, whose globals are those of no module.",
                "Define it in a file of the implementation.",
            )
        return self._again(function) or of_function(function, self._positions, self.value)

    def _in_order(self, values: Collection[object]) -> list[object]:
        """The elements as they are iterated over, which the hashes and the set's history decide.

        Hashes of atoms are the same in every run; those of objects are addresses.
        """
        if len(values) > 1 and not all(map(hashed_by_value, values)):
            raise Unnamed(
                "a set of objects: the order in which they are met differs from run to run.",
                "Keep them in a tuple, a list or a dict.",
            )
        return [self.value(x) for x in values]
