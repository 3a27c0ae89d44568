"""Slots of classes and locals of frames: the places of an implementation's state."""

from __future__ import annotations

from collections.abc import Callable
from types import CodeType

from wheelproof.explore.fields import Field
from wheelproof.explore.findings import Unnamed

ATOMS = frozenset({int, str, float, bool, type(None)})
"""Types whose values are equal in all runs, with equal hashes."""

Slots = tuple[tuple[str, Callable[[object], object]], ...]
"""(name, function that reads it without a step) of each slot of a class."""

UNSET = "@unset"
"""A slot, or a closure's cell, without a value."""

_foreign: dict[type, str] = {}
_loose: dict[type, bool] = {}
_slots: dict[type, Slots] = {}
_variables: dict[int, tuple[tuple[str, ...], CodeType]] = {}


def slots_of(cls: type) -> Slots:
    """(name, function that reads it without a step) of every slot of a class and of its bases."""
    known = _slots.get(cls)
    if known is None:
        found = []
        for base in cls.__mro__:
            names = base.__dict__.get("__slots__", ())
            for name in (names,) if isinstance(names, str) else names:
                attribute = (
                    f"_{base.__name__.lstrip('_')}{name}"
                    if name.startswith("__") and not name.endswith("__")
                    else name
                )
                descriptor = base.__dict__.get(attribute)
                if descriptor is not None and name not in ("__dict__", "__weakref__"):
                    member = descriptor.member if isinstance(descriptor, Field) else descriptor
                    found.append((attribute, member.__get__))
        known = _slots[cls] = tuple(found)
    return known


def refuse_loose(value: object, name: str) -> None:
    kind = type(value)
    loose = _loose.get(kind)
    if loose is None:
        loose = _loose[kind] = hasattr(value, "__dict__")
    if loose:
        raise Unnamed(
            f"The object {name} of class {kind.__qualname__} has a __dict__, in which state could "
            "hide.",
            "Give every class of the implementation __slots__ (a mutant's subclass __slots__ = "
            "()).",
        )


def refuse_foreign(value: object, name: str) -> None:
    """Refuse an object whose class inherits state from a class written in C, such as ``list``.

    Raises Unnamed with that class.
    """
    kind = type(value)
    foreign = _foreign.get(kind)
    if foreign is None:
        without_slots = (base for base in kind.__mro__[:-1] if "__slots__" not in vars(base))
        foreign = _foreign[kind] = next(
            (base.__qualname__ for base in without_slots if _adds_state(base)), ""
        )
    if foreign:
        raise Unnamed(
            f"The object {name} of class {kind.__qualname__} inherits from {foreign}, whose "
            "contents are in no slot.",
            f"Keep an object of {foreign} in a slot instead of inheriting from it.",
        )


def _adds_state(cls: type) -> bool:
    """Whether the instances of a class without ``__slots__`` hold more than those of its base.

    ``typing.Generic`` is written in C since Python 3.13, and holds nothing.
    """
    base = cls.__base__
    return base is None or any(
        getattr(cls, each) != getattr(base, each)
        for each in ("__basicsize__", "__itemsize__", "__dictoffset__")
    )


def loose_attributes(value: str) -> Unnamed:
    return Unnamed(
        f"{value} with attributes of its own, in which state could hide.",
        "Keep state in slots of objects of the scenario.",
    )


def hashed_by_value(value: object) -> bool:
    return type(value) in ATOMS or (type(value) is tuple and all(map(hashed_by_value, value)))


def variables_of(code: CodeType) -> tuple[str, ...]:
    """The names of a frame's locals in a fixed order; ``f_locals`` of Python 3.11 has none.

    Looked up by id, since the hash of a code object is computed from its whole content.
    """
    known = _variables.get(id(code))
    if known is None:
        names = code.co_varnames + tuple(
            n for n in code.co_cellvars + code.co_freevars if n not in code.co_varnames
        )
        known = _variables[id(code)] = (names, code)
    return known[0]
