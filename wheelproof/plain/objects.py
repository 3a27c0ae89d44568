"""The contents of objects, read without running code of their classes.

A proxy may raise from ``__class__`` and ``__dict__``, or answer for another object.
"""

from __future__ import annotations

import collections
import datetime
import gc
import sys
import types
import weakref
from collections import Counter
from collections.abc import Callable
from typing import Any

from wheelproof.plain.happens_before import Location

_HEAP = 1 << 9
"""The flag of a class that was made by a class statement."""

MISSING = object()
"""The content of an attribute that an object does not have."""

_PLAIN = frozenset(
    map(
        id,
        (bool, bytes, complex, float, int, str, type(None), datetime.datetime, datetime.timedelta),
    )
)
"""Types whose objects differ by their values."""

LARGEST = 1_000
"""Objects in a container that is compared, at most."""

_CONTAINERS: tuple[Any, ...] = (
    collections.OrderedDict,
    dict,
    list,
    set,
    collections.deque,
    bytearray,
)

_dictionaries: dict[type, Any] = {}
_slots: dict[type, tuple[tuple[str, Any], ...]] = {}


def fields_of(value: Any) -> dict[str, Any] | None:
    """The dictionary of an object's own attributes, if it has one."""
    kind = type(value)
    try:
        descriptor = _dictionaries[kind]
    except KeyError:
        descriptor = _dictionaries[kind] = _descriptor(kind)
    if descriptor is None:
        return None
    fields = descriptor.__get__(value)
    return fields if type(fields) is dict else None


def _descriptor(kind: type) -> Any:
    for base in type.__dict__["__mro__"].__get__(kind):
        descriptor = type.__dict__["__dict__"].__get__(base).get("__dict__")
        if type(descriptor) in (types.GetSetDescriptorType, types.MemberDescriptorType):
            return descriptor
    return None


def slots_of(kind: type) -> tuple[tuple[str, Any], ...]:
    """The slots of a class's instances: names, and descriptors that read them."""
    slots = _slots.get(kind)
    if slots is None:
        slots = _slots[kind] = tuple(
            (name, part)
            for base in kind.__mro__
            if base.__flags__ & _HEAP
            for name, part in vars(base).items()
            if type(part) is types.MemberDescriptorType
        )
    return slots


def slot_values(value: Any) -> list[tuple[str, Any]]:
    """The slots of an object that have a value."""
    values = []
    for name, descriptor in slots_of(type(value)):
        try:
            values.append((name, descriptor.__get__(value)))
        except AttributeError:
            continue
    return values


def identity(value: Any) -> tuple[Any, ...]:
    """The identity of a value: of plain values the value itself, of locks their owner.

    A method is a new object each time that it is looked up.
    """
    kind = type(value)
    if id(kind) in _PLAIN:
        return kind, value
    if kind is tuple:
        return kind, *map(identity, value)
    if kind is types.MethodType:
        return kind, id(value.__self__), id(value.__func__)
    if kind is types.BuiltinFunctionType:
        return kind, id(value.__self__), value.__name__
    if issubclass(kind, Location):
        return Location, id(value.owner)
    return object, id(value)


def content(name: Any, reference: Any) -> Any:
    """The content of a location, to be compared later; it equals none where it is not known."""
    holder = reference() if type(reference) is weakref.ref else reference
    if type(name) is int:
        for base in _CONTAINERS:
            if issubclass(type(holder), base) and base.__len__(holder) <= LARGEST:
                items: Any = base.items if issubclass(base, dict) else base.__iter__
                return [identity(value) for value in items(holder)]
        return object()
    if type(name) is not tuple or len(name) != 2:
        return object()
    if issubclass(type(holder), type):
        fields: Any = type.__dict__["__dict__"].__get__(holder)
    else:
        fields = fields_of(holder)
    for field in (name[1], f"_{name[1]}") if fields is not None else ():
        if field in fields:  # the second one is that of a property of the checker's
            return identity(fields[field])
    for slot, descriptor in slots_of(type(holder)):
        if slot == name[1]:
            try:
                return identity(descriptor.__get__(holder))
            except AttributeError:
                break
    return MISSING


def garbage(references: list[Any]) -> Callable[[Any], bool]:
    """Which of some objects nothing refers to but the list, and each other.

    It has an object once for each location that keeps it. In the place of one may be a weak
    reference.
    """
    objects: dict[int, Any] = {}
    counts: Counter[int] = Counter()
    for value in references:
        if type(value) is not weakref.ref:
            objects[id(value)] = value
            counts[id(value)] += 2  # of the location and of the list
    value = None
    parts = {
        key: [id(part) for part in gc.get_referents(objects[key]) if id(part) in objects]
        for key in objects
    }
    for inner in parts.values():
        counts.update(inner)
    alive = [key for key in objects if sys.getrefcount(objects[key]) - 2 > counts[key]]
    living = set(alive)
    while alive:
        successors = [key for key in parts[alive.pop()] if key not in living]
        living.update(successors)
        alive.extend(successors)

    def dead(value: Any) -> bool:
        if type(value) is weakref.ref:
            return value() is None
        return id(value) in objects and id(value) not in living

    return dead
