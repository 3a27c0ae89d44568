"""Functions and methods of an implementation, as parts of a fingerprint.

A function decides what a call of it does by its code, its closure and its defaults.
"""

from __future__ import annotations

from collections.abc import Callable
from types import BuiltinFunctionType, CellType, FunctionType, ModuleType

from wheelproof.explore.slots import UNSET, loose_attributes


def of_function(function: FunctionType, value: Callable[[object], object]) -> tuple[object, ...]:
    """Name, closure and defaults of a function. ``value``: the canonical form of what it holds.

    Raises :class:`Unnamed` for a function with attributes.
    """
    if function.__dict__:
        raise loose_attributes(f"the function {function.__qualname__}")
    cells, defaults, named = (
        function.__closure__ or (),
        function.__defaults__ or (),
        function.__kwdefaults__ or {},
    )
    return (
        "function",
        function.__module__,
        function.__qualname__,
        *[_contents(cell, value) for cell in cells],
        *[value(default) for default in defaults],
        *[(key, value(default)) for key, default in named.items()],
    )


def of_builtin(
    function: BuiltinFunctionType, value: Callable[[object], object]
) -> tuple[object, ...]:
    """Name of a function in C, and the object whose method it is."""
    owner = function.__self__
    of_none = isinstance(owner, ModuleType) or owner is None
    return ("builtin", function.__qualname__, "" if of_none else value(owner))


def _contents(cell: CellType, value: Callable[[object], object]) -> object:
    try:
        return value(cell.cell_contents)
    except ValueError:
        return UNSET
