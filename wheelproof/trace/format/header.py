"""What the objects of a header must look like inside: the part of its check that the table of
fields cannot say.

Rules take what a header says as it is, so that a list in the place of a map would end a check amid
its events. Fields that are not known are passed over here too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from wheelproof.trace import declared
from wheelproof.trace.format.schema import CAPTURES, CLOCKS, KINDS, MINOR

Wrong = Iterator[str]
"""Sentences without their end: what is wrong."""


def wrong(header: Mapping[str, Any]) -> tuple[str, str] | None:
    """(field, what is wrong with it) of the first field of a header that rules could not use; None
    if they can use all. The fields themselves have their types."""
    newer = header["schema_minor"] > MINOR
    own = declared.find("header")
    for name, judge in {**_JUDGES, **(own.JUDGES if own else {})}.items():
        if (found := header.get(name)) is not None:
            for fault in judge(found, newer):
                return name, fault
    return None


def is_id(found: Any) -> bool:
    """An id as a text: the key of a map."""
    return type(found) is str and found.isascii() and found.isdigit()


def is_number(found: Any) -> bool:
    return type(found) is int and -(1 << 63) <= found < 1 << 63


def is_text(found: Any) -> bool:
    return type(found) is str


def map_of(
    place: str, found: Any, key: Callable[[Any], bool], value: Callable[[Any], bool], example: str
) -> Wrong:
    if type(found) is not dict or not all(
        key(name) and value(each) for name, each in found.items()
    ):
        yield f"{place} must be as in {example}"


def must_be_object(found: Any) -> Wrong:
    if type(found) is not dict:
        yield "must be an object, not an array"


def _threads(found: Any, newer: bool) -> Wrong:
    if not all(is_id(name) and is_text(each) for name, each in found.items()):
        yield "must map thread ids to names"


def _texts(*names: str) -> Callable[[Any, bool], Wrong]:
    def judge(found: Any, newer: bool) -> Wrong:
        yield from must_be_object(found)
        for name in names:
            if not is_text(found.get(name, "")):
                yield f"{name} must be a string"

    return judge


def _clock(found: Any, newer: bool) -> Wrong:
    yield from must_be_object(found)
    if found.get("kind") not in CLOCKS and not newer:
        yield f"kind must be one of {', '.join(CLOCKS)}"


def _capture(found: Any, newer: bool) -> Wrong:
    yield from must_be_object(found)
    if found.get("mode") not in CAPTURES and not newer:
        yield f"mode must be one of {', '.join(CAPTURES)}"
    kinds = found.get("kinds")
    if kinds is None:
        return
    if type(kinds) is not list or not all(map(is_text, kinds)):
        yield 'kinds must be an array of kinds of event, as in ["lock_acquire","lock_release"]'
    for name in kinds:
        if name not in KINDS and not newer:
            yield f"{name!r} is no kind of event, and kinds names it"


def _sources(found: Any, newer: bool) -> Wrong:
    if type(found) is not list or not all(map(is_text, found)):
        yield 'must be an array of strings, as in ["Timer.java:31 add"]'


def _names(found: Any, newer: bool) -> Wrong:
    yield from map_of(
        "the names",
        found,
        is_id,
        lambda name: is_text(name) or is_number(name),
        '{"17":"e1"}, a bucket by its number',
    )


def _hashes(found: Any, newer: bool) -> Wrong:
    yield from map_of("the hashes", found, is_text, is_text, '{"agent.jar":"9f86..."}')


def _faults(found: Any, newer: bool) -> Wrong:
    if type(found) is not list or not all(map(is_text, found)):
        yield 'must be an array of strings, as in ["a delay of 40 ms in each add"]'


def _program(found: Any, newer: bool) -> Wrong:
    yield from must_be_object(found)
    threads = found.get("threads", {})
    sound = type(threads) is dict and all(
        type(steps) is list
        and all(type(step) is list and step and is_text(step[0]) for step in steps)
        for steps in threads.values()
    )
    if not sound:
        yield 'threads must be as in {"a":[["add","e1"]]}'


_JUDGES: Mapping[str, Callable[[Any, bool], Wrong]] = {
    "threads": _threads,
    "producer": _texts("name", "version", "git", "lang", "build"),
    "spec": _texts("module", "git", "sha256"),
    "clock": _clock,
    "capture": _capture,
    "sources": _sources,
    "names": _names,
    "program": _program,
    "hashes": _hashes,
    "faults": _faults,
}
