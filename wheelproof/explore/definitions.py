"""Definitions hold no state: no module, class, enum member or function changes during a run.

The contents of the definitions are compared by identity with those after loading. These are the
attributes of the implementation's modules, classes and functions, with defaults and closures, and
those of the modules and classes that they have imported. What a definition of the implementation
holds is compared with its contents: a list in a closure, in a default or in an enum member.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from enum import Enum
from functools import partial
from types import CellType, FunctionType, MappingProxyType, ModuleType, SimpleNamespace
from typing import Any, TypeVar

from wheelproof.explore.findings import ExploreError
from wheelproof.explore.slots import slots_of

MARK = "__wheelproof_"
_DEFINING = (type, ModuleType, FunctionType, Enum, property, staticmethod, classmethod, TypeVar)
TABLES = frozenset(
    {"ATOMIC", "COMPOSED", "HALFWAY", "NOT_RUN", "PRIMITIVES", "STAND_INS", "UNREAD"}
)
"""Declarations of a harness that are dictionaries: read once, at loading."""


class Definitions:
    """The contents of the definitions at the time of construction."""

    def __init__(self, modules: Iterable[ModuleType]) -> None:
        self._seen: set[int] = set()
        self._places: list[tuple[str, Mapping[str, object], list[int]]] = []
        self._functions: list[tuple[str, FunctionType, tuple[object, ...]]] = []
        self._containers: list[tuple[str, object, list[int]]] = []
        mine = list(modules)
        self._mine = {module.__name__ for module in mine}
        for module in mine:
            self._note(module, module.__name__, 0)

    def _note(self, value: object, name: str, depth: int) -> None:
        if id(value) in self._seen:
            return
        self._seen.add(id(value))
        if isinstance(value, (staticmethod, classmethod)):
            value = value.__func__
        if isinstance(value, property):
            for part in (value.fget, value.fset, value.fdel):
                self._note(part, name, depth)
        elif isinstance(value, FunctionType):
            self._functions.append((name, value, _held(value)))
            if value.__module__ in self._mine:
                for inner in _values_of(value):
                    self._contained(inner, name)
        elif isinstance(value, (ModuleType, type, Enum)):
            held = vars(value)
            self._places.append((name, held, _ids(held)))
            if depth < 2 or (isinstance(value, type) and depth < 3):
                for key, inner in list(held.items()):
                    if not key.startswith("__") or isinstance(inner, FunctionType):
                        self._note(inner, f"{name}.{key}", depth + 1)
                        if _module_of(value) in self._mine:
                            self._contained(inner, f"{name}.{key}")
            if isinstance(value, type):
                for base in value.__mro__[1:]:
                    self._note(base, base.__qualname__, depth + 1)

    def _contained(self, value: object, name: str) -> None:
        """Note what a value of a definition contains, to any depth."""
        todo, seen = [value], set[int]()
        while todo:
            each = todo.pop()
            parts = self._parts(each)
            if parts is not None and id(each) not in seen:
                seen.add(id(each))
                self._containers.append((name, each, [*map(id, parts)]))
                todo += parts

    def _parts(self, value: Any) -> list[object] | None:
        """What a container, or an object of the implementation, contains; None for all else."""
        if isinstance(value, (list, tuple, set, frozenset, deque)):
            return [*value]
        if isinstance(value, (dict, MappingProxyType)):
            return [*value, *value.values()]
        if isinstance(value, partial):
            return [value.func, *value.args, *value.keywords, *value.keywords.values()]
        kind = type(value)
        if isinstance(value, _DEFINING):
            return None
        if kind.__module__ in self._mine or kind is SimpleNamespace:
            parts = [*getattr(value, "__dict__", {}).values()]
            for _, get in slots_of(kind):
                with suppress(AttributeError):
                    parts.append(get(value))
            return parts
        return None

    def check(self) -> None:
        """Raises ExploreError where a definition has changed, with its name."""
        for name, held, ids in self._places:
            if _ids(held) != ids:
                raise _changed(name)
        for name, function, contents in self._functions:
            if _held(function) != contents:
                raise _changed(name)
        for name, container, ids in self._containers:
            if [*map(id, self._parts(container) or ())] != ids:
                raise _changed(name)


def _changed(name: str) -> ExploreError:
    return ExploreError(
        f"An attribute of {name} was changed while the scenario ran: state in a definition is seen "
        "by no fingerprint.",
        "Keep state in slots of objects that Harness.names reaches.",
    )


_MADE_BY_PYTHON = frozenset({"__annotations__", "__doc__", "__abstractmethods__", "__builtins__"})


def _ids(held: Mapping[str, object]) -> list[int]:
    return [
        id(value)
        for key, value in held.items()
        if key not in _MADE_BY_PYTHON and not key.startswith(("_abc_", MARK))
    ]


def _module_of(definition: ModuleType | type | Enum) -> str:
    """The name of the module that has the definition."""
    if isinstance(definition, ModuleType):
        return definition.__name__
    return (definition if isinstance(definition, type) else type(definition)).__module__


def _values_of(function: FunctionType) -> Iterator[object]:
    """The values of a function's defaults and closure."""
    yield from function.__defaults__ or ()
    yield from (function.__kwdefaults__ or {}).values()
    for cell in function.__closure__ or ():
        try:
            yield cell.cell_contents
        except ValueError:
            continue


def _held(function: FunctionType) -> tuple[object, ...]:
    cells = tuple([_cell(cell) for cell in function.__closure__ or ()])
    named = function.__kwdefaults__ or {}
    return (
        id(function.__code__),
        tuple(map(id, function.__defaults__ or ())),
        tuple(named),
        tuple(map(id, named.values())),
        tuple(vars(function)),
        tuple(map(id, vars(function).values())),
        cells,
    )


def _cell(cell: CellType) -> int:
    try:
        return id(cell.cell_contents)
    except ValueError:
        return 0


def mutable_globals(modules: Iterable[ModuleType]) -> Iterator[tuple[str, str]]:
    """(module, name) of each value in a module that is neither a definition nor a constant."""
    for module in modules:
        for name, value in vars(module).items():
            if not name.startswith("__") and name not in TABLES and not _constant(value):
                yield module.__name__, name


def _constant(value: object) -> bool:
    if isinstance(
        value,
        (type, ModuleType, FunctionType, str, int, float, bytes, complex, type(None), range),
    ) or (callable(value) and type(value).__module__ in ("builtins", "typing")):
        return True
    if isinstance(value, (tuple, frozenset)):
        return all(map(_constant, value))
    return type(value).__module__ in (
        "typing",
        "__future__",
        "wheelproof.explore.production",
    ) or isinstance(value, Enum)
