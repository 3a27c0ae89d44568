"""Definitions hold no state: no module, class, enum member or function changes during a run.

The contents of the definitions are compared by identity with those after loading. These are the
attributes of the implementation's modules, classes and functions, with defaults and closures, and
those of the modules and classes that they have imported. The parts of a definition of the
implementation are compared with its contents, to any depth: a list in a closure, in a default or in
an enum member. A value whose contents cannot be compared, such as a ``bytearray`` or a generator,
is refused.

A class, a function or a module counts as the implementation's unless the modules of the process
have it under its own name. Its own statements about itself do not count.
"""

from __future__ import annotations

import sys
from _abc import _get_dump  # type: ignore[import-not-found]
from abc import ABCMeta
from collections import deque, namedtuple
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from enum import Enum
from functools import partial
from operator import attrgetter, itemgetter, methodcaller
from types import (
    BuiltinFunctionType,
    CellType,
    FunctionType,
    GenericAlias,
    MappingProxyType,
    MethodType,
    ModuleType,
    UnionType,
)
from typing import Any

from wheelproof.python.findings import ExploreError
from wheelproof.python.state.kinds import (
    DESCRIPTORS,
    NUMBERS,
    SINGLE,
    attributes_of,
    has_name,
    is_larger,
    slots_of,
)

MARK = "__wheelproof_"
TABLES = frozenset(
    {"ATOMIC", "COMPOSED", "HALFWAY", "NOT_RUN", "PRIMITIVES", "STAND_INS", "UNREAD"}
)
"""Declarations of a harness that are dictionaries: read once, at loading."""
_SEQUENCES = (list, tuple, set, frozenset, deque)
_WRAPPERS = (staticmethod, classmethod)
_NAMED = type(vars(namedtuple("_", "place"))["place"])
_LEAVES = NUMBERS | SINGLE | DESCRIPTORS | {GenericAlias, UnionType, _NAMED}
_FIXED_MIXINS = (int, str, float, bytes, complex, tuple, frozenset)
_TOOL = "wheelproof."


class Definitions:
    """The contents of the definitions at the time of construction."""

    def __init__(self, modules: Iterable[ModuleType], tool: Collection[object] = ()) -> None:
        """``tool``: classes of the tool that have no name in the implementation's ``modules``."""
        self.known: dict[int, object] = {}
        """Id -> definition, of all that are there."""
        self._places: list[tuple[str, Mapping[str, object], list[int]]] = []
        self._functions: list[tuple[str, FunctionType, tuple[object, ...]]] = []
        self._containers: list[tuple[str, object, list[int]]] = []
        self._registries: list[tuple[str, ABCMeta, set[Callable[[], type | None]]]] = []
        self._modules_before = frozenset(sys.modules)
        self._seen: set[int] = set()
        self._tool = {*map(id, tool)}
        module_list = list(modules)
        self._modules = {*map(id, module_list)}
        self.known |= {id(vars(module)): vars(module) for module in module_list}
        self._todo: list[tuple[object, str, int]] = []
        for module in module_list:
            self._todo.append((module, module.__name__, 0))
            while self._todo:
                self._note(*self._todo.pop())

    def _note(self, value: Any, name: str, depth: int) -> None:
        """Note a value. ``depth``: steps from the implementation, in which all are looked at."""
        if isinstance(value, FunctionType):
            if self._is_new(value):
                self._functions.append((name, value, _contents(value)))
                if depth == 0 and not _named_globals(value).startswith(_TOOL):
                    self._all_of(_values_of(value), name)
        elif isinstance(value, (ModuleType, type)):
            if self._is_new(value):
                self._note_definition(value, name, depth)
        elif depth == 0:
            self._note_contents(value, name)
        elif isinstance(value, (*_WRAPPERS, property)):
            self._todo += [(part, name, depth) for part in _wrappee(value)]

    def _is_new(self, definition: object) -> bool:
        if id(definition) in self.known:
            return False
        self.known[id(definition)] = definition
        return True

    def _note_definition(self, value: ModuleType | type, name: str, depth: int) -> None:
        if any("__eq__" in vars(meta) or "__hash__" in vars(meta) for meta in _metaclasses(value)):
            raise ExploreError(
                f"{name} has a metaclass that says which classes are equal.",
                "Leave __eq__ and __hash__ to Python: classes are compared by what they are.",
            )
        table = vars(value)
        self._places.append((name, table, _ids(table)))
        is_own = depth == 0 and (
            id(value) in self._modules if isinstance(value, ModuleType) else self._is_mine(value)
        )
        inner = 0 if is_own else depth + 1
        if is_own or depth < 2 or (isinstance(value, type) and depth < 3):
            for key, part in list(table.items()):
                is_ours = _is_written(key) if is_own else not key.startswith("__")
                if is_ours or isinstance(part, FunctionType):
                    self._todo.append((part, f"{name}.{key}", inner))
        if isinstance(value, ABCMeta):
            self._registries.append((name, value, _registry_of(value)))
        if isinstance(value, type):
            for base in (type(value), *value.__mro__[1:]):
                self._todo.append((base, base.__qualname__, inner))

    def _is_foreign(self, subclass: Callable[[], type | None]) -> bool:
        """Whether a class came with a library that the process has loaded since, as JPype's do."""
        cls = subclass()
        if cls is None:
            return True
        if has_name(cls):
            return cls.__module__ not in self._modules_before
        return has_name(type(cls)) and id(type(cls)) not in self.known

    def _is_mine(self, cls: type) -> bool:
        return id(cls) not in self._tool and not has_name(cls)

    def _note_contents(self, value: object, name: str) -> None:
        """Note the contents of a value of a definition of the implementation."""
        if type(value) in _LEAVES or id(value) in self._seen:
            return
        parts = _parts(value)
        if parts is None:
            raise ExploreError(
                f"{name} holds a {type(value).__qualname__}, whose contents are compared with "
                "nothing: state could hide in it.",
                "Keep it in a slot of an object of the scenario; if no scenario uses it, write '# "
                "production only' behind it.",
            )
        self._seen.add(id(value))
        self._containers.append((name, value, [*map(id, parts)]))
        self._all_of(parts, name)

    def _all_of(self, parts: Iterable[object], name: str) -> None:
        self._todo += [(part, name, 0) for part in parts]

    def check(self) -> None:
        """Raises ExploreError where a definition has changed, with its name."""
        for name, table, ids in self._places:
            if _ids(table) != ids:
                raise _change_error(name)
        for name, function, contents in self._functions:
            if _contents(function) != contents:
                raise _change_error(name)
        for name, cls, registry in self._registries:
            if not all(map(self._is_foreign, _registry_of(cls) - registry)):
                raise _change_error(name)
        for name, container, ids in self._containers:
            if [*map(id, _parts(container) or ())] != ids:
                raise _change_error(name)


def _parts(value: Any) -> list[object] | None:
    """The parts of a value, its class first; None where not all of them can be seen."""
    kind = type(value)
    if _is_of(kind, "typing.") or _is_of(kind, _TOOL):
        return []
    attributes = attributes_of(value)
    if attributes is None:
        return None
    parts: list[object] = [kind, *attributes.values()]
    for _, get in slots_of(kind):
        with suppress(AttributeError):
            parts.append(get(value))
    for base in _SEQUENCES:
        if issubclass(kind, base):
            return [*parts, *base.__iter__(value)]
    if issubclass(kind, dict):
        return [*parts, *dict.keys(value), *dict.values(value)]
    if kind is MappingProxyType:
        return [*parts, *value, *value.values()]
    if issubclass(kind, partial):
        return [*parts, value.func, *value.args, *value.keywords, *value.keywords.values()]
    if kind in (MethodType, BuiltinFunctionType):
        owner = value.__self__
        return [*parts, *(() if isinstance(owner, ModuleType) else (owner,)), *_wrappee(value)]
    if issubclass(kind, (*_WRAPPERS, property)):
        return [*parts, *_wrappee(value)]
    if kind in (attrgetter, itemgetter, methodcaller):
        maker, arguments, *_ = value.__reduce__()
        return [
            *parts,
            *arguments,
            *getattr(maker, "args", ()),
            *getattr(maker, "keywords", {}).values(),
        ]
    is_fixed = issubclass(kind, Enum) and issubclass(kind, _FIXED_MIXINS)
    if issubclass(kind, BaseException) or (is_larger(kind) and not is_fixed):
        return None
    return parts


def _registry_of(cls: ABCMeta) -> set[Callable[[], type | None]]:
    """Weak references to the classes that were registered with an abstract one."""
    registry: set[Callable[[], type | None]] = _get_dump(cls)[0]
    return registry


def _metaclasses(value: ModuleType | type) -> Iterator[type]:
    """The classes of a class that are derived from ``type``."""
    yield from (base for base in type.mro(type(value))[:-1] if base not in (type, ModuleType))


def _wrappee(value: Any) -> list[object]:
    """The functions of a method, of a static or class method, or of a property."""
    names = ("fget", "fset", "fdel", "__func__")
    return [part for part in (getattr(value, name, None) for name in names) if part is not None]


def _is_of(kind: type, package: str) -> bool:
    """Whether a class is in a module whose name begins so, and not only says so."""
    return f"{kind.__module__}.".startswith(package) and has_name(kind)


def _named_globals(function: FunctionType) -> str:
    """The name of the module of the process whose globals a function has."""
    name = str(function.__globals__.get("__name__"))
    module = sys.modules.get(name)
    return name if module is not None and vars(module) is function.__globals__ else ""


def _change_error(name: str) -> ExploreError:
    return ExploreError(
        f"An attribute of {name} was changed while the scenario ran: state in a definition is seen "
        "by no fingerprint.",
        "Keep state in slots of objects that Harness.names reaches.",
    )


_MADE_BY_PYTHON = frozenset(
    {
        "__abstractmethods__",
        "__annotate__",
        "__annotate_func__",
        "__annotations__",
        "__annotations_cache__",
        "__builtins__",
        "__cached__",
        "__loader__",
        "__spec__",
    }
)


def _is_written(key: str) -> bool:
    """Whether the text of a definition has written an attribute."""
    return key not in _MADE_BY_PYTHON and not key.startswith(("_abc_", MARK))


def _ids(table: Mapping[str, object]) -> list[int]:
    # _is_written, written out: this is called for each definition again and again
    return [
        id(value)
        for key, value in table.items()
        if key not in _MADE_BY_PYTHON and not key.startswith(("_abc_", MARK))
    ]


def _values_of(function: FunctionType) -> Iterator[object]:
    """The values of a function's defaults, closure and attributes."""
    yield from vars(function).values()
    yield from function.__defaults__ or ()
    yield from (function.__kwdefaults__ or {}).values()
    for cell in function.__closure__ or ():
        try:
            yield cell.cell_contents
        except ValueError:
            continue


def _contents(function: FunctionType) -> tuple[object, ...]:
    cells = tuple([_cell(cell) for cell in function.__closure__ or ()])
    keywords = function.__kwdefaults__ or {}
    return (
        id(function.__code__),
        tuple(map(id, function.__defaults__ or ())),
        tuple(keywords),
        tuple(map(id, keywords.values())),
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
        "wheelproof.python.runtime.production",
    ) or isinstance(value, Enum)
