"""Exceptions and tracebacks of an implementation, as parts of a fingerprint."""

from __future__ import annotations

from collections.abc import Callable
from types import TracebackType
from typing import Any

from wheelproof.python.findings import Unnamed
from wheelproof.python.state.kinds import attributes_of, is_larger, members_of, slots_of
from wheelproof.python.state.positions import Positions
from wheelproof.python.state.slots import UNSET, loose_attributes

_parts: Any = vars(BaseException)


def of_exception(error: BaseException, value: Callable[[object], object]) -> tuple[object, ...]:
    """Class, arguments, members, slots and origins of an exception. ``value``: the canonical form
    of a part.

    Raises :class:`Unnamed` for one with attributes in a dictionary, such as notes.
    """
    kind = type(error)
    if attributes_of(error) != {}:
        raise loose_attributes(f"an exception {kind.__qualname__}")
    if is_larger(kind):
        raise Unnamed(
            f"an exception {kind.__qualname__}, whose class has members in C that are not "
            "compared.",
            "Raise an exception of a class of your own, with what it says as its arguments.",
        )
    places = [*members_of(kind), *slots_of(kind)]
    return (
        "exception",
        value(kind),
        *map(value, _parts["args"].__get__(error)),
        *[(name, _read(get, error, value)) for name, get in places],
        *[value(_parts[origin].__get__(error)) for origin in ("__cause__", "__context__")],
    )


def _read(
    get: Callable[[object], object], error: BaseException, value: Callable[[object], object]
) -> object:
    try:
        attribute = get(error)
    except AttributeError:
        return UNSET
    return value(attribute)


def of_traceback(trace: TracebackType, positions: Positions) -> tuple[object, ...]:
    """The places through which an exception went up: ``__exit__`` is given them."""
    out: list[object] = ["traceback"]
    place: TracebackType | None = trace
    while place is not None:
        out += [positions.number(place.tb_frame.f_code), place.tb_lineno]
        place = place.tb_next
    return tuple(out)
