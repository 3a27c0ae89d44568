"""What the objects of a header must look like inside: the part of its check that the table of fields cannot say.

Rules take what a header says as it is, so that a list in the place of a map would end a check amid its events. Fields that are not known are passed over here too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from wheelproof.trace.operation_rules import Operation
from wheelproof.trace.schema import CAPTURES, CLOCKS, KINDS, MINOR

Wrong = Iterator[str]
"""Sentences without their end: what is wrong."""


def wrong(header: Mapping[str, Any]) -> tuple[str, str] | None:
    """(field, what is wrong with it) of the first field of a header that rules could not use; None if they can use all. The fields themselves have their types."""
    newer = header["schema_minor"] > MINOR
    for name, judge in _JUDGES.items():
        if (found := header.get(name)) is not None:
            for said in judge(found, newer):
                return name, said
    return None


def _is_id(found: Any) -> bool:
    """An id as a text: the key of a map."""
    return type(found) is str and found.isascii() and found.isdigit()


def _is_number(found: Any) -> bool:
    return type(found) is int and -(1 << 63) <= found < 1 << 63


def _is_text(found: Any) -> bool:
    return type(found) is str


def _map(
    said: str, found: Any, key: Callable[[Any], bool], value: Callable[[Any], bool], example: str
) -> Wrong:
    if type(found) is not dict or not all(
        key(name) and value(each) for name, each in found.items()
    ):
        yield f"{said} must be as in {example}"


def _object(found: Any) -> Wrong:
    if type(found) is not dict:
        yield "must be an object, not an array"


def _threads(found: Any, newer: bool) -> Wrong:
    if not all(_is_id(name) and _is_text(each) for name, each in found.items()):
        yield "must map thread ids to names"


def _texts(*names: str) -> Callable[[Any, bool], Wrong]:
    def judge(found: Any, newer: bool) -> Wrong:
        yield from _object(found)
        for name in names:
            if not _is_text(found.get(name, "")):
                yield f"{name} must be a string"

    return judge


def _clock(found: Any, newer: bool) -> Wrong:
    yield from _object(found)
    if found.get("kind") not in CLOCKS and not newer:
        yield f"kind must be one of {', '.join(CLOCKS)}"


def _capture(found: Any, newer: bool) -> Wrong:
    yield from _object(found)
    if found.get("mode") not in CAPTURES and not newer:
        yield f"mode must be one of {', '.join(CAPTURES)}"
    kinds = found.get("kinds")
    if kinds is None:
        return
    if type(kinds) is not list or not all(map(_is_text, kinds)):
        yield 'kinds must be an array of kinds of event, as in ["list_add","list_remove"]'
    for name in kinds:
        if name not in KINDS and not newer:
            yield f"{name!r} is no kind of event, and kinds names it"


def _config(found: Any, newer: bool) -> Wrong:
    yield from _object(found)
    for name, least in (("tick_ms", 1), ("wheel_size", 1), ("levels", 1), ("start_ms", -(1 << 63))):
        value = found.get(name)
        if value is not None and not (_is_number(value) and value >= least):
            yield f"{name} must be an integer" + (f" from {least} on" if least == 1 else "")


def _sources(found: Any, newer: bool) -> Wrong:
    if type(found) is not list or not all(map(_is_text, found)):
        yield 'must be an array of strings, as in ["Timer.java:31 add"]'


def _names(found: Any, newer: bool) -> Wrong:
    yield from _map(
        "the names",
        found,
        _is_id,
        lambda name: _is_text(name) or _is_number(name),
        '{"17":"e1"}, a bucket by its number',
    )


def _program(found: Any, newer: bool) -> Wrong:
    yield from _object(found)
    threads = found.get("threads", {})
    sound = type(threads) is dict and all(
        type(steps) is list
        and all(type(step) is list and step and _is_text(step[0]) for step in steps)
        for steps in threads.values()
    )
    if not sound:
        yield 'threads must be as in {"a":[["add","e1"]]}'


def _initial(found: Any, newer: bool) -> Wrong:
    yield from _object(found)
    for name, judge in _INITIAL.items():
        if (value := found.get(name)) is not None:
            yield from judge(value)


def _counters(found: Any) -> Wrong:
    yield from _map(
        "counters",
        found,
        lambda name: _is_text(name) and name.startswith("counter"),
        _is_number,
        '{"counter:1":0}, by the id that the order tokens have',
    )


def _operations(found: Any) -> Wrong:
    yield from _map(
        "operations", found, _is_id, lambda each: type(each) is dict, '{"9":{"completed":false}}'
    )
    for name, known in found.items():
        for field, value in known.items():
            default = Operation.DEFAULTS.get(field)
            if field not in Operation.DEFAULTS:
                yield f"operations says {field} of operation {name}, and knows {', '.join(Operation.DEFAULTS)}"
            elif value is not None and type(value) is not (
                bool if default is None else type(default)
            ):
                yield f"operations gives {field} of operation {name} a value of another type"


def _walks(found: Any) -> Wrong:
    yield from _map(
        "walks", found, _is_id, lambda each: type(each) is dict, '{"1":{"open":[[30,7]],"hand":17}}'
    )
    for tid, walk in found.items():
        for name, sound, example in _WALK:
            if name in walk and not sound(walk[name]):
                yield f"walks has {name} of thread {tid}, which must be as in {example}"


def _row(found: Any, *types: type) -> bool:
    return type(found) is list and [type(each) for each in found] == list(types)


_WALK: tuple[tuple[str, Callable[[Any], bool], str], ...] = (
    (
        "open",
        lambda found: type(found) is list and all(_row(each, int, int) for each in found),
        "[[span, list]]",
    ),
    ("hand", _is_number, "17"),
    ("checked", lambda found: _row(found, int, bool), "[17, false]"),
    (
        "inside",
        lambda found: type(found) is list and all(_row(each, str, int) for each in found),
        '[["try", 9]]',
    ),
    ("duty", lambda found: _row(found, str, int, int), '["note", 9, 0]'),
)
"""What ``walks`` may say of a thread."""

_INITIAL: Mapping[str, Callable[[Any], Wrong]] = {
    "lists": lambda found: _map(
        "lists",
        found,
        _is_id,
        lambda ring: type(ring) is list and all(_is_number(entry) and entry > 0 for entry in ring),
        '{"7":[17,18]}',
    ),
    "tasks": lambda found: _map(
        "tasks",
        found,
        _is_id,
        lambda entry: _is_number(entry) and entry >= 0,
        '{"5":17}, and 0 for none',
    ),
    "counters": _counters,
    "keys": lambda found: _map("keys", found, _is_id, _is_number, '{"7":1000}'),
    "queued": lambda found: _map("queued", found, _is_id, _is_number, '{"7":1000}'),
    "wheel_ms": lambda found: (
        iter(()) if _is_number(found) else iter(("wheel_ms must be an integer",))
    ),
    "operations": _operations,
    "handed": lambda found: iter(
        ()
        if type(found) is list and all(_is_number(each) and each > 0 for each in found)
        else ("handed must be as in [17,18]",)
    ),
    "watchers": lambda found: _map(
        "watchers",
        found,
        _is_id,
        lambda members: (
            type(members) is list and all(_is_number(each) and each > 0 for each in members)
        ),
        '{"500":[9]}',
    ),
    "holders": lambda found: _map("holders", found, _is_text, _is_number, '{"list:7":1}'),
    "walks": _walks,
}

_JUDGES: Mapping[str, Callable[[Any, bool], Wrong]] = {
    "threads": _threads,
    "producer": _texts("name", "version", "git", "lang", "build"),
    "spec": _texts("module", "git", "sha256"),
    "config": _config,
    "clock": _clock,
    "capture": _capture,
    "sources": _sources,
    "names": _names,
    "program": _program,
    "initial": _initial,
}
