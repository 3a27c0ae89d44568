"""What ``config`` and ``initial`` of a header must look like inside."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields
from typing import Any

from traces.operation_state import Operation
from traces.schema import PLACES
from wheelproof.trace.format.header import Wrong, is_id, is_number, is_text, map_of, must_be_object


def _config(found: Any, newer: bool) -> Wrong:
    yield from must_be_object(found)
    for name, least in (("tick_ms", 1), ("wheel_size", 1), ("levels", 1), ("start_ms", -(1 << 63))):
        value = found.get(name)
        if value is not None and not (is_number(value) and value >= least):
            yield f"{name} must be an integer" + (f" from {least} on" if least == 1 else "")


def _initial(found: Any, newer: bool) -> Wrong:
    yield from must_be_object(found)
    for name, judge in _INITIAL.items():
        if (value := found.get(name)) is not None:
            yield from judge(value)


def _counters(found: Any) -> Wrong:
    yield from map_of(
        "counters",
        found,
        lambda name: is_text(name) and name.startswith("counter"),
        is_number,
        '{"counter:1":0}, by the id that the order tokens have',
    )


_OPERATION = {field.name: field.default for field in fields(Operation)}


def _operations(found: Any) -> Wrong:
    yield from map_of(
        "operations", found, is_id, lambda each: type(each) is dict, '{"9":{"completed":false}}'
    )
    for name, known in found.items():
        for field, value in known.items():
            default = _OPERATION.get(field)
            if field not in _OPERATION:
                known_fields = ", ".join(_OPERATION)
                yield f"operations says {field} of operation {name}, and knows {known_fields}"
            elif value is not None and type(value) is not (
                bool if default is None else type(default)
            ):
                yield f"operations gives {field} of operation {name} a value of another type"


def _places(found: Any) -> Wrong:
    yield from map_of(
        PLACES, found, is_id, lambda each: type(each) is dict, '{"1":{"open":[[30,7]],"hand":17}}'
    )
    for tid, place in found.items():
        for name, sound, example in _PLACE:
            if name in place and not sound(place[name]):
                yield f"{PLACES} has {name} of thread {tid}, which must be as in {example}"


def _row(found: Any, *types: type) -> bool:
    return type(found) is list and [type(each) for each in found] == list(types)


_PLACE: tuple[tuple[str, Callable[[Any], bool], str], ...] = (
    (
        "open",
        lambda found: type(found) is list and all(_row(each, int, int) for each in found),
        "[[span, list]]",
    ),
    ("hand", is_number, "17"),
    ("checked", lambda found: _row(found, int, bool), "[17, false]"),
    (
        "inside",
        lambda found: type(found) is list and all(_row(each, str, int) for each in found),
        '[["try", 9]]',
    ),
    ("duty", lambda found: _row(found, str, int, int), '["note", 9, 0]'),
)
"""What the field may say of a thread: its part, its test, an example."""

_INITIAL: Mapping[str, Callable[[Any], Wrong]] = {
    "lists": lambda found: map_of(
        "lists",
        found,
        is_id,
        lambda ring: type(ring) is list and all(is_number(entry) and entry > 0 for entry in ring),
        '{"7":[17,18]}',
    ),
    "tasks": lambda found: map_of(
        "tasks",
        found,
        is_id,
        lambda entry: is_number(entry) and entry >= 0,
        '{"5":17}, and 0 for none',
    ),
    "counters": _counters,
    "keys": lambda found: map_of("keys", found, is_id, is_number, '{"7":1000}'),
    "queued": lambda found: map_of("queued", found, is_id, is_number, '{"7":1000}'),
    "clocks": lambda found: map_of("clocks", found, is_id, is_number, '{"1":1000}'),
    "wheel_ms": lambda found: (
        iter(()) if is_number(found) else iter(("wheel_ms must be an integer",))
    ),
    "operations": _operations,
    "handed": lambda found: iter(
        ()
        if type(found) is list and all(is_number(each) and each > 0 for each in found)
        else ("handed must be as in [17,18]",)
    ),
    "watchers": lambda found: map_of(
        "watchers",
        found,
        is_id,
        lambda members: (
            type(members) is list and all(is_number(each) and each > 0 for each in members)
        ),
        '{"500":[9]}',
    ),
    "holders": lambda found: map_of("holders", found, is_text, is_number, '{"list:7":1}'),
    PLACES: _places,
}

JUDGES: Mapping[str, Callable[[Any, bool], Wrong]] = {"config": _config, "initial": _initial}
"""Field of a header -> what is wrong with it."""
