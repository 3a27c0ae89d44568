"""What ``config`` and ``initial`` of a header must look like inside."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeGuard

from traces.schema import PLACES
from wheelproof.trace.format.header import (
    Judge,
    Wrong,
    is_id,
    is_list,
    is_map,
    is_number,
    is_object,
    is_text,
    map_of,
    of_object,
)

MOST_LEVELS = 64
"""Of a timer: each level spans at least twice the one below, and a time has 63 bits."""


@of_object
def _config(found: dict[str, object], newer: bool) -> Wrong:
    for name, least in (("tick_ms", 1), ("wheel_size", 1), ("levels", 1), ("start_ms", -(1 << 63))):
        value = found.get(name)
        if value is not None and not (is_number(value) and value >= least):
            yield f"{name} must be an integer" + (f" from {least} on" if least == 1 else "")
        elif name == "levels" and value is not None and value > MOST_LEVELS:
            yield f"levels must be at most {MOST_LEVELS}, which span more than any time"


@of_object
def _initial(found: dict[str, object], newer: bool) -> Wrong:
    for name, judge in _INITIAL.items():
        if (value := found.get(name)) is not None:
            yield from judge(value)


def _counters(found: object) -> Wrong:
    yield from map_of(
        "counters",
        found,
        lambda name: name.startswith("counter"),
        is_number,
        '{"counter:1":0}, by the id that the order tokens have',
    )


_OPERATION: Mapping[str, type] = {
    "protocol": str,
    "completed": bool,
    "pending": bool,
    "task": int,
    "winner": int,
    "cause": str,
    "tried": bool,
    "cancelled": bool,
    "begun": int,
    "ended": int,
    "expired": int,
    "cleared": int,
}
"""What a header may say of an operation."""


def _operations(found: object) -> Wrong:
    if not is_map(found, is_id, is_object):
        yield 'operations must be as in {"9":{"completed":false}}'
        return
    for name, known in found.items():
        for field, value in known.items():
            if field not in _OPERATION:
                known_fields = ", ".join(_OPERATION)
                yield f"operations says {field} of operation {name}, and knows {known_fields}"
            elif value is not None and type(value) is not _OPERATION[field]:
                yield f"operations gives {field} of operation {name} a value of another type"


def _places(found: object) -> Wrong:
    if not is_map(found, is_id, is_object):
        yield f'{PLACES} must be as in {{"1":{{"open":[[30,7]],"hand":17}}}}'
        return
    for tid, place in found.items():
        for name, sound, example in _PLACE:
            if name in place and not sound(place[name]):
                yield f"{PLACES} has {name} of thread {tid}, which must be as in {example}"


def _row(*types: type) -> Callable[[object], TypeGuard[list[object]]]:
    """Whether something is a list of one value of each of these types."""

    def is_row(found: object) -> TypeGuard[list[object]]:
        return isinstance(found, list) and [type(each) for each in found] == list(types)

    return is_row


def _rows(*types: type) -> Callable[[object], bool]:
    return lambda found: is_list(found, _row(*types))


def _is_object_id(found: object) -> TypeGuard[int]:
    return is_number(found) and found > 0


def _is_id_or_none(found: object) -> TypeGuard[int]:
    return is_number(found) and found >= 0


def _are_objects(found: object) -> TypeGuard[list[int]]:
    return is_list(found, _is_object_id)


def _numbers(name: str) -> Callable[[object], Wrong]:
    return lambda found: map_of(name, found, is_id, is_number, '{"7":1000}')


_PLACE: tuple[tuple[str, Callable[[object], bool], str], ...] = (
    ("open", _rows(int, int), "[[span, list]]"),
    ("hand", is_number, "17"),
    ("checked", _row(int, bool), "[17, false]"),
    ("inside", _rows(str, int), '[["try", 9]]'),
    ("duty", _row(str, int, int), '["note", 9, 0]'),
)
"""What the field may say of a thread: its part, its test, an example."""

_INITIAL: Mapping[str, Callable[[object], Wrong]] = {
    "lists": lambda found: map_of("lists", found, is_id, _are_objects, '{"7":[17,18]}'),
    "tasks": lambda found: map_of(
        "tasks", found, is_id, _is_id_or_none, '{"5":17}, and 0 for none'
    ),
    "counters": _counters,
    "keys": _numbers("keys"),
    "queued": _numbers("queued"),
    "clocks": lambda found: map_of("clocks", found, is_id, is_number, '{"1":1000}'),
    "wheel_ms": lambda found: iter(() if is_number(found) else ("wheel_ms must be an integer",)),
    "operations": _operations,
    "handed": lambda found: iter(() if _are_objects(found) else ("handed must be as in [17,18]",)),
    "watchers": lambda found: map_of("watchers", found, is_id, _are_objects, '{"500":[9]}'),
    "holders": lambda found: map_of("holders", found, is_text, is_number, '{"list:7":1}'),
    PLACES: _places,
}

JUDGES: Mapping[str, Judge] = {"config": _config, "initial": _initial}
"""Field of a header -> what is wrong with it."""
