"""Slots of classes and locals of frames: the places of an implementation's state."""

from __future__ import annotations

from types import CodeType

from wheelproof.explore.findings import Unnamed
from wheelproof.explore.kinds import foreign_base, has_dict

ATOMS = frozenset({int, str, float, bool, type(None)})
"""Types whose values are equal in all runs, with equal hashes."""

UNSET = "@unset"
"""A slot, or a closure's cell, without a value."""

_variables: dict[int, tuple[tuple[str, ...], CodeType]] = {}


def refuse_loose(value: object, name: str) -> None:
    """Refuse an object with attributes in a dictionary. Raises Unnamed with its class."""
    kind = type(value)
    if has_dict(kind):
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
    if foreign := foreign_base(kind):
        raise Unnamed(
            f"The object {name} of class {kind.__qualname__} inherits from {foreign}, whose "
            "contents are in no slot.",
            f"Keep an object of {foreign} in a slot instead of inheriting from it.",
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
