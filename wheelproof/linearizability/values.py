"""Results of operations, as values that runs can be compared by.

Containers are compared by their elements, objects whose class says when they are equal by their
fields, and exceptions by their class. Other objects are compared by which of them are the same:
they are numbered as they appear in the results of a run.
"""

from __future__ import annotations

import dataclasses
import dis
from collections import OrderedDict, deque
from collections.abc import Hashable, Iterator, Mapping, Set
from typing import Any

from wheelproof.plain.objects import fields_of, slot_values

_PLAIN = (bool, bytes, complex, float, int, str, type(None), type(Ellipsis), type)
_SEQUENCES = (list, tuple, deque, bytearray)
_RAISE = dis.opmap["RAISE_VARARGS"]
_MOST = 1_000
"""Elements of an iterator that an operation returns, at most."""


@dataclasses.dataclass(frozen=True)
class Raised:
    """An operation has raised an exception. Two are equal if their classes are.

    ``is_refusal``: a statement ``raise`` has, so that the class means it.
    """

    kind: str
    message: str = dataclasses.field(compare=False)
    is_refusal: bool = dataclasses.field(default=False, compare=False)

    def __str__(self) -> str:
        return f"raises {self.kind}"


@dataclasses.dataclass(frozen=True)
class LeftOut:
    """An operation was not called: its precondition does not hold, or an argument is absent."""

    def __str__(self) -> str:
        return "is left out"


def raised(error: BaseException) -> Raised:
    """An exception that an operation has raised."""
    traceback, is_refusal = error.__traceback__, False
    while traceback is not None:
        code = traceback.tb_frame.f_code.co_code
        is_refusal = code[traceback.tb_lasti] == _RAISE
        traceback = traceback.tb_next
    return Raised(type(error).__name__, str(error), is_refusal)


class Snapshot:
    """The value of an object at one moment, before its objects are numbered."""

    __slots__ = ("kind", "parts")

    def __init__(self, kind: str, parts: tuple[Any, ...]) -> None:
        self.kind, self.parts = kind, parts


class Identity:
    """An object that is itself alone."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value


@dataclasses.dataclass(frozen=True)
class Value:
    """A snapshot whose objects are numbered."""

    kind: str
    parts: tuple[Hashable, ...]

    def __str__(self) -> str:
        inner = ", ".join(map(shown, self.parts))
        if self.kind in _BRACKETS:
            opening, closing = _BRACKETS[self.kind]
            return opening + inner + closing
        return f"{self.kind}({inner})"


@dataclasses.dataclass(frozen=True)
class Numbered:
    """The object of a class that appeared as this one."""

    kind: str
    number: int

    def __str__(self) -> str:
        return f"<{self.kind} {self.number}>"


def unnumbered(value: Any) -> Any:
    """A value in which all objects of a class are one."""
    if isinstance(value, Value):
        return Value(value.kind, tuple(map(unnumbered, value.parts)))
    return Numbered(value.kind, 0) if isinstance(value, Numbered) else value


_BRACKETS = {"list": "[]", "tuple": "()", "dict": "{}", "set": "{}", "item": ("", "")}


def shown(value: Any) -> str:
    """A value as people see it."""
    if isinstance(value, Value) and value.kind == "item":
        return f"{shown(value.parts[0])}: {shown(value.parts[1])}"
    return str(value) if isinstance(value, (Value, Numbered, Raised, LeftOut)) else repr(value)


def snapshot(value: Any, above: frozenset[int] = frozenset()) -> Any:
    """The present value of an object. An iterator is used up."""
    kind = type(value)
    if issubclass(kind, _PLAIN):
        return value if value == value else Snapshot(repr(value), ())
    if id(value) in above:
        return Snapshot("...", ())
    within = above | {id(value)}
    if issubclass(kind, BaseException):
        return Raised(kind.__name__, str(value))
    if issubclass(kind, _SEQUENCES):
        name = "tuple" if issubclass(kind, tuple) else "list"
        return Snapshot(name, tuple(snapshot(part, within) for part in value))
    if issubclass(kind, Mapping):
        return _mapping(value, within)
    if issubclass(kind, Set):
        parts = [snapshot(part, within) for part in value]
        return Snapshot("set", tuple(sorted(parts, key=_sorting)))
    if hasattr(kind, "__next__"):
        return Snapshot("list", tuple(snapshot(part, within) for part in _first_of(value)))
    equal: Any = kind.__eq__
    if equal is object.__eq__ or callable(value):
        return Identity(value)
    fields = {**(fields_of(value) or {}), **dict(slot_values(value))}
    if fields:
        parts = [snapshot((name, field), within) for name, field in sorted(fields.items())]
        return Snapshot(kind.__qualname__, tuple(parts))
    return value if kind.__hash__ is not None else Snapshot(repr(value), ())


def _mapping(value: Any, within: frozenset[int]) -> Snapshot:
    pairs = list(value.items())
    items = [Snapshot("item", (snapshot(k, within), snapshot(v, within))) for k, v in pairs]
    if not isinstance(value, OrderedDict):
        items.sort(key=_sorting)
    return Snapshot("dict", tuple(items))


def _sorting(part: Any) -> str:
    """Where a part of something without an order stands."""
    if isinstance(part, Snapshot):
        return f"{part.kind}({','.join(map(_sorting, part.parts))})"
    if isinstance(part, Identity):
        return type(part.value).__qualname__
    return repr(part)


def _first_of(iterator: Iterator[Any]) -> Iterator[Any]:
    for _, part in zip(range(_MOST), iterator):
        yield part


class Numbering:
    """Numbers the objects of a run, in the order in which they appear."""

    def __init__(self) -> None:
        self._numbers: dict[int, Numbered] = {}
        self._objects: list[Any] = []
        self._counts: dict[str, int] = {}

    def __call__(self, part: Any) -> Hashable:
        """A snapshot as a value."""
        if isinstance(part, Snapshot):
            return Value(part.kind, tuple(map(self, part.parts)))
        if not isinstance(part, Identity):
            return part  # type: ignore[no-any-return]
        key = id(part.value)
        if key not in self._numbers:
            kind = type(part.value).__qualname__
            self._counts[kind] = self._counts.get(kind, 0) + 1
            self._numbers[key] = Numbered(kind, self._counts[kind])
            self._objects.append(part.value)  # as long as it lives, no other has its identity
        return self._numbers[key]
