"""Definitions hold no state: no module, class, enum member or function changes during a run.

The contents of the definitions are compared by identity with those after loading. These are the
attributes of the implementation's modules, classes and functions, with defaults and closures, and
those of the modules and classes that they have imported.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from enum import Enum
from types import CellType, FunctionType, ModuleType

from wheelproof.explore.findings import ExploreError

MARK = "__wheelproof_"
TABLES = frozenset({"ATOMIC", "COMPOSED", "HALFWAY", "NOT_RUN", "STAND_INS", "UNREAD"})
"""Declarations of a harness that are dictionaries: read once, at loading."""


class Definitions:
    """The contents of the definitions at the time of construction."""

    def __init__(self, modules: Iterable[ModuleType]) -> None:
        self._seen: set[int] = set()
        self._places: list[tuple[str, Mapping[str, object], list[int]]] = []
        self._functions: list[tuple[str, FunctionType, tuple[object, ...]]] = []
        for module in modules:
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
        elif isinstance(value, (ModuleType, type, Enum)):
            held = vars(value)
            self._places.append((name, held, _ids(held)))
            if depth < 2 or (isinstance(value, type) and depth < 3):
                for key, inner in list(held.items()):
                    if not key.startswith("__") or isinstance(inner, FunctionType):
                        self._note(inner, f"{name}.{key}", depth + 1)
            if isinstance(value, type):
                for base in value.__mro__[1:]:
                    self._note(base, base.__qualname__, depth + 1)

    def check(self) -> None:
        """Raises ExploreError where a definition has changed, with its name."""
        for name, held, ids in self._places:
            if _ids(held) != ids:
                raise _changed(name)
        for name, function, contents in self._functions:
            if _held(function) != contents:
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
