"""How the values of a type are compared: by contents, by identity, by slots, or not at all.

The list is closed. :data:`CONTENTS` and :data:`SINGLE` name types, and three kinds of classes are
definitions, compared by identity. Exceptions are compared by contents, and instances of classes
slot by slot. For both the size of an instance must be that of the places that are read, so that no
state lies in C beside them. All else is refused. The module needs the standard library alone: tests
run it on each CPython that is installed, over all types that it has.
"""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Callable, Mapping
from enum import Enum
from types import (
    BuiltinFunctionType,
    CellType,
    ClassMethodDescriptorType,
    EllipsisType,
    FunctionType,
    GeneratorType,
    GetSetDescriptorType,
    MappingProxyType,
    MemberDescriptorType,
    MethodDescriptorType,
    MethodType,
    ModuleType,
    NoneType,
    NotImplementedType,
    TracebackType,
    WrapperDescriptorType,
)
from typing import Any, TypeVar

NUMBERS = frozenset({int, str, float, bytes, complex, range})
CONTAINERS = frozenset({tuple, list, deque, dict, set, frozenset, MappingProxyType})
CALLABLES = frozenset({FunctionType, MethodType, BuiltinFunctionType})
CONTENTS = NUMBERS | CONTAINERS | CALLABLES | {CellType, GeneratorType, TracebackType}
"""Types whose values are compared by their contents. A value of a derived type is not."""
SINGLE = frozenset({bool, NoneType, EllipsisType, NotImplementedType})
"""Types that have all their values from the beginning."""
ITERATORS = frozenset(
    {
        *map(type, (iter(()), iter([]), iter(range(0)), iter(b""), iter(""), iter("é"))),
        type(iter(range(2**70))),
        enumerate,
        zip,
    }
)
"""Types of iterators that ``__reduce__`` takes apart. A generator that waits may hold one."""
DESCRIPTORS = frozenset(
    {
        ClassMethodDescriptorType,
        GetSetDescriptorType,
        MemberDescriptorType,
        MethodDescriptorType,
        WrapperDescriptorType,
    }
)
"""Types of the attributes that a class written in C has: each is one of its class, by name."""
DEFINITIONS = (type, ModuleType, Enum)

_POINTER = tuple.__itemsize__
_APART = frozenset({"__dict__", "__traceback__", "__context__", "__cause__", "args"})
T = TypeVar("T")
Reads = tuple[tuple[str, Callable[[object], object]], ...]
"""(name, function that reads it) of each place of an object."""


def _of_class(function: Callable[[type], T]) -> Callable[[type], T]:
    """Call a function once for each class. A class may say that it equals another one."""
    cache: dict[int, tuple[type, T]] = {}

    def result_of(kind: type) -> T:
        entry = cache.get(id(kind))
        if entry is None:
            entry = cache[id(kind)] = kind, function(kind)
        return entry[1]

    return result_of


@_of_class
def way(kind: type) -> str:
    """``contents``, ``identity``, ``slots`` or ``refused``: how values of exactly this type go."""
    if kind in CONTENTS or is_named_tuple(kind):
        return "contents"
    if kind in SINGLE or kind in DESCRIPTORS or issubclass(kind, DEFINITIONS):
        return "identity"
    if issubclass(kind, BaseException):
        return "refused" if is_larger(kind) else "contents"
    if kind.__module__.partition(".")[0] in sys.stdlib_module_names:
        return "refused"  # its class may have state, as that of weakref.finalize has
    has_slots = any("__slots__" in vars(base) for base in kind.__mro__)
    return "slots" if has_slots and not foreign_base(kind) else "refused"


def is_named_tuple(kind: type) -> bool:
    """Whether instances are tuples whose places have names."""
    return issubclass(kind, tuple) and hasattr(kind, "_fields")


def has_dict(kind: type) -> bool:
    """Whether instances have attributes of their own in a dictionary, which a class may hide."""
    return kind.__dictoffset__ != 0


def attributes_of(value: object) -> Mapping[str, object] | None:
    """The attributes of an object's own, also where its class redefines ``__dict__``.

    None where the class hides the dictionary.
    """
    for base in type(value).__mro__:
        descriptor: Any = vars(base).get("__dict__")
        if type(descriptor) in (GetSetDescriptorType, MemberDescriptorType):
            attributes: Mapping[str, object] = descriptor.__get__(value)
            return attributes
    return None if has_dict(type(value)) else {}


def has_name(definition: type | ModuleType) -> bool:
    """Whether the modules of the process have a class or a module under its own name.

    Such a definition is there from the beginning. A class that a function makes is not.
    """
    if isinstance(definition, ModuleType):
        return sys.modules.get(definition.__name__) is definition
    if not _is_heap(definition):
        return True
    owner: object = sys.modules.get(definition.__module__)
    for name in definition.__qualname__.split("."):
        owner = vars(owner).get(name) if isinstance(owner, (type, ModuleType)) else None
    return owner is definition


@_of_class
def slots_of(kind: type) -> Reads:
    """(name, function that reads it) of each slot of a class and its bases, marked or not."""
    slots: list[tuple[str, Callable[[object], object]]] = []
    for base in kind.__mro__:
        names = vars(base).get("__slots__", ())
        for name in (names,) if isinstance(names, str) else names:
            attribute = (
                f"_{base.__name__.lstrip('_')}{name}"
                if name.startswith("__") and not name.endswith("__")
                else name
            )
            descriptor: Any = vars(base).get(attribute)
            if descriptor is not None and name not in ("__dict__", "__weakref__"):
                member = getattr(descriptor, "member", descriptor)
                if type(member) is MemberDescriptorType:
                    slots.append((attribute, member.__get__))
    return tuple(slots)


@_of_class
def members_of(kind: type) -> Reads:
    """(name, function that reads it) of each place that a class of exceptions has in C.

    Those that all exceptions have are read by their names.
    """
    return tuple(
        (name, member.__get__)
        for base in kind.__mro__
        if issubclass(base, BaseException) and _is_read(base)
        for name, member in vars(base).items()
        if type(member) in (MemberDescriptorType, GetSetDescriptorType) and name not in _APART
    )


@_of_class
def is_larger(kind: type) -> bool:
    """Whether an instance is larger than its readable parts, so that C keeps state in it.

    Read are the slots, a dictionary of attributes and, of exceptions, the members in C that
    :func:`members_of` has. The word of weak references is no state.
    """
    largest: type = object
    if issubclass(kind, BaseException):
        largest = next(base for base in kind.__mro__ if _is_read(base))
    size = largest.__basicsize__ + _POINTER * len(slots_of(kind))
    size += _POINTER * ((kind.__weakrefoffset__ > 0) - (largest.__weakrefoffset__ > 0))
    size += _POINTER * ((kind.__dictoffset__ > 0) - (largest.__dictoffset__ > 0))
    return kind.__basicsize__ > size or kind.__itemsize__ != 0


def foreign_base(kind: type) -> str:
    """The base whose instances hold more than slots, by name, or the empty string."""
    if not (is_larger(kind) or has_dict(kind)):
        return ""
    adding = (base for base in kind.__mro__ if _adds_state(base))
    return next(adding, kind).__qualname__


def _is_read(kind: type) -> bool:
    """Whether a class of exceptions is Python's own, whose members are read."""
    return kind.__module__ == "builtins" and not _is_heap(kind)


def _is_heap(kind: type) -> bool:
    return bool(kind.__flags__ & (1 << 9))


def _adds_state(kind: type) -> bool:
    """Whether the instances of a class without ``__slots__`` hold more than those of its base.

    ``typing.Generic`` is written in C since Python 3.13, and holds nothing.
    """
    base = kind.__base__
    return "__slots__" not in vars(kind) and (
        base is None
        or any(
            getattr(kind, attribute) != getattr(base, attribute)
            for attribute in ("__basicsize__", "__itemsize__", "__dictoffset__")
        )
    )
