"""Functions and methods of an implementation, as parts of a fingerprint.

The code, the closure and the defaults of a function decide a call of it. Two functions
are two objects, and two variables of one name are two cells.
"""

from __future__ import annotations

from collections.abc import Callable
from types import BuiltinFunctionType, CellType, FrameType, FunctionType

from wheelproof.python.state.positions import Positions
from wheelproof.python.state.slots import UNSET, loose_attributes

_UNSET, _PROBE = object(), object()


def of_function(
    function: FunctionType,
    positions: Positions,
    value: Callable[[object], object],
) -> tuple[object, ...]:
    """Code, globals, closure and defaults of a function.

    ``value``: the canonical form of a part. Raises :class:`Unnamed` for a function with
    attributes.
    """
    if function.__dict__:
        raise loose_attributes(f"the function {function.__qualname__}")
    cells, defaults, keywords = (
        function.__closure__ or (),
        function.__defaults__ or (),
        function.__kwdefaults__ or {},
    )
    return (
        "function",
        positions.number(function.__code__),
        id(function.__globals__),
        *map(value, cells),
        len(defaults),
        *map(value, defaults),
        *[(key, value(default)) for key, default in keywords.items()],
    )


def of_cell(cell: CellType, value: Callable[[object], object]) -> tuple[object, ...]:
    """The contents of a variable that functions share."""
    try:
        return ("cell", value(cell.cell_contents))
    except ValueError:
        return ("cell", UNSET)


def shares(cell: CellType, frame: FrameType, name: str) -> bool:
    """Whether a variable of a suspended frame is this cell.

    Python does not show the cells of a frame. So the cell is given another value for a moment.
    """
    content = _contents(cell)
    if frame.f_locals.get(name, _UNSET) is not content:
        return False
    cell.cell_contents = _PROBE
    try:
        return frame.f_locals.get(name, _UNSET) is _PROBE
    finally:
        if content is _UNSET:
            del cell.cell_contents
        else:
            cell.cell_contents = content
        _ = frame.f_locals  # brings the frame's dictionary up to date


def _contents(cell: CellType) -> object:
    try:
        return cell.cell_contents
    except ValueError:
        return _UNSET


def of_builtin(
    function: BuiltinFunctionType, value: Callable[[object], object]
) -> tuple[object, ...]:
    """Name of a function in C, and the module or the object that it belongs to."""
    return ("builtin", function.__qualname__, value(function.__self__))
