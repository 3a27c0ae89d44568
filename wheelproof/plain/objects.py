"""What objects hold, read without running code of their classes.

A proxy may raise from ``__class__`` and ``__dict__``, or answer for another object.
"""

from __future__ import annotations

import types
from typing import Any

_HEAP = 1 << 9
"""The flag of a class that was made by a class statement."""

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
        found = type.__dict__["__dict__"].__get__(base).get("__dict__")
        if type(found) in (types.GetSetDescriptorType, types.MemberDescriptorType):
            return found
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
