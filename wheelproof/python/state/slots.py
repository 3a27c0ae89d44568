"""Slots of classes and locals of frames: the places of an implementation's state."""

from __future__ import annotations

import dis
from types import CodeType

from wheelproof.python.findings import Unnamed
from wheelproof.python.state.kinds import foreign_base, has_dict

ATOMS = frozenset({int, str, float, bool, type(None)})
"""Types whose values are equal in all runs, with equal hashes."""

UNSET = "@unset"
"""A slot, or a closure's cell, without a value."""

_BINDS = frozenset({"STORE_DEREF", "DELETE_DEREF"})
_variables: dict[int, tuple[tuple[tuple[str, ...], tuple[str, ...]], CodeType]] = {}


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
    plain, cells = split_variables(code)
    return plain + cells


def split_variables(code: CodeType) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The locals that a frame alone has, and those that a function may have and that may change."""
    entry = _variables.get(id(code))
    if entry is None:
        names = code.co_varnames + tuple(
            n for n in code.co_cellvars + code.co_freevars if n not in code.co_varnames
        )
        cells = tuple(n for n in names if _is_shared(code, n))
        alone = tuple(n for n in names if n not in cells)
        entry = _variables[id(code)] = (alone, cells), code
    return entry[0]


def _is_shared(code: CodeType, name: str) -> bool:
    """Whether a variable is in a cell, and may be bound again while a function has the cell."""
    if name in code.co_freevars:
        return name != "__class__"
    if name not in code.co_cellvars:
        return False
    first = last = -1
    again = False
    for step in dis.get_instructions(code):
        if step.opname == "MAKE_FUNCTION" and first < 0:
            first = step.offset
        elif step.opname in _BINDS and step.argval == name:
            last = step.offset
        again = again or "BACKWARD" in step.opname
    bound = last >= 0 and (again or 0 <= first < last)
    return bound or any(_binds(inner, name) for inner in code.co_consts)


def _binds(inner: object, name: str) -> bool:
    """Whether a function in a function binds a variable of the outer one."""
    if not isinstance(inner, CodeType) or name not in inner.co_freevars:
        return False
    return any(s.opname in _BINDS and s.argval == name for s in dis.get_instructions(inner)) or any(
        _binds(more, name) for more in inner.co_consts
    )
