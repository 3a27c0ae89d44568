"""The judges of a header's ``config`` and ``initial``: the demands of the rules."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeGuard

from wheelproof.trace.format.header import (
    Judge,
    Wrong,
    is_id,
    is_list,
    is_map,
    is_number,
    is_object,
    map_of,
    of_object,
)

MOST_LEVELS = 64
"""Of a timer: each level spans at least twice the one below, and a time has 63 bits."""


@of_object
def _config(content: dict[str, object], newer: bool) -> Wrong:
    for name, least in (("tick_ms", 1), ("wheel_size", 1), ("levels", 1), ("start_ms", -(1 << 63))):
        value = content.get(name)
        if value is not None and not (is_number(value) and value >= least):
            yield f"{name} must be an integer" + (f" from {least} on" if least == 1 else "")
        elif name == "levels" and value is not None and value > MOST_LEVELS:
            yield f"levels must be at most {MOST_LEVELS}, which span more than any time"


@of_object
def _initial(initial: dict[str, object], newer: bool) -> Wrong:
    for name, judge in _INITIAL.items():
        if (value := initial.get(name)) is not None:
            yield from judge(value)


def _is_counter(name: str) -> bool:
    return name.startswith("counter")


def _operations(operations: object) -> Wrong:
    if not is_map(operations, is_id, is_object):
        yield 'operations must be as in {"9":{"pending":false}}'
        return
    for name, operation in operations.items():
        if not isinstance(operation.get("pending"), bool | None):
            yield f"operations says whether a note is pending of operation {name} by no truth value"


def _is_object_id(value: object) -> TypeGuard[int]:
    return is_number(value) and value > 0


def _is_id_or_none(value: object) -> TypeGuard[int]:
    return is_number(value) and value >= 0


def _are_objects(value: object) -> TypeGuard[list[int]]:
    return is_list(value, _is_object_id)


_INITIAL: Mapping[str, Callable[[object], Wrong]] = {
    "lists": lambda value: map_of("lists", value, is_id, _are_objects, '{"7":[17,18]}'),
    "tasks": lambda value: map_of(
        "tasks", value, is_id, _is_id_or_none, '{"5":17}, and 0 for none'
    ),
    "counters": lambda value: map_of(
        "counters",
        value,
        _is_counter,
        is_number,
        '{"counter:1":0}, by the id that the order tokens have',
    ),
    "keys": lambda value: map_of("keys", value, is_id, is_number, '{"7":1000}'),
    "operations": _operations,
}
"""Field of ``initial`` -> its judge. A rule reads each of them; other fields are passed over."""

JUDGES: Mapping[str, Judge] = {"config": _config, "initial": _initial}
"""Field of a header -> its judge."""
