"""The check of the objects of a header: the part that the table of fields cannot say.

Rules take the values of a header as they are, so that a list in the place of a map would end a
check amid its events. Fields that are not known are passed over here too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TypeGuard, TypeVar

from wheelproof.trace import declared
from wheelproof.trace.format.schema import CAPTURES, CLOCKS, KINDS, MINOR

Wrong = Iterator[str]
"""Sentences without their end, one for each fault."""

Judge = Callable[[object, bool], Wrong]
"""The faults of a field; given whether the header is of a newer minor version."""

Value = TypeVar("Value")


def wrong(header: Mapping[str, object]) -> tuple[str, str] | None:
    """(field, its fault) of the first field of a header that rules could not use; None
    if they can use all. The fields themselves have their types."""
    minor = header["schema_minor"]
    newer = is_number(minor) and minor > MINOR
    module = declared.find("header")
    for name, judge in {**_JUDGES, **(module.JUDGES if module else {})}.items():
        if (content := header.get(name)) is not None:
            for fault in judge(content, newer):
                return name, fault
    return None


def is_id(value: object) -> TypeGuard[str]:
    """An id as a text: the key of a map."""
    return isinstance(value, str) and value.isascii() and value.isdigit()


def is_number(value: object) -> TypeGuard[int]:
    return type(value) is int and -(1 << 63) <= value < 1 << 63


def is_text(value: object) -> TypeGuard[str]:
    return isinstance(value, str)


def is_object(value: object) -> TypeGuard[dict[str, object]]:
    return isinstance(value, dict)


def is_list(value: object, element: Callable[[object], TypeGuard[Value]]) -> TypeGuard[list[Value]]:
    return isinstance(value, list) and all(map(element, value))


def is_map(
    content: object, key: Callable[[str], bool], value: Callable[[object], TypeGuard[Value]]
) -> TypeGuard[dict[str, Value]]:
    """An object of any fields."""
    return isinstance(content, dict) and all(
        key(name) and value(member) for name, member in content.items()
    )


def map_of(
    place: str,
    content: object,
    key: Callable[[str], bool],
    value: Callable[[object], TypeGuard[object]],
    example: str,
) -> Wrong:
    if not is_map(content, key, value):
        yield f"{place} must be as in {example}"


def of_object(judge: Callable[[dict[str, object], bool], Wrong]) -> Judge:
    """The judge of a field that must be an object, from the judge of the object's members."""

    def judge_object(value: object, newer: bool) -> Wrong:
        if is_object(value):
            yield from judge(value, newer)
        else:
            yield "must be an object, not an array"

    return judge_object


@of_object
def _threads(table: dict[str, object], newer: bool) -> Wrong:
    if not is_map(table, is_id, is_text):
        yield "must map thread ids to names"


def _texts(*names: str) -> Judge:
    @of_object
    def judge(content: dict[str, object], newer: bool) -> Wrong:
        for name in names:
            if not is_text(content.get(name, "")):
                yield f"{name} must be a string"

    return judge


@of_object
def _clock(clock: dict[str, object], newer: bool) -> Wrong:
    if clock.get("kind") not in CLOCKS and not newer:
        yield f"kind must be one of {', '.join(CLOCKS)}"


def undeclared(kind: str) -> str:
    """The fault of a kind of event that no project declares."""
    if declared.find("schema") is None:
        return f"{kind!r} is a kind of event that no folder traces declares"
    return f"{kind!r} is no kind of event"


@of_object
def _capture(capture: dict[str, object], newer: bool) -> Wrong:
    if capture.get("mode") not in CAPTURES and not newer:
        yield f"mode must be one of {', '.join(CAPTURES)}"
    for field in ("kinds", "before"):
        kinds = capture.get(field)
        if kinds is None:
            continue
        if not is_list(kinds, is_text):
            yield f'{field} must be an array of kinds of event, as in ["thread_start","drop"]'
            return
        for name in kinds:
            if name not in KINDS and not newer:
                yield f"{undeclared(name)}, and {field} names it"


def _sources(value: object, newer: bool) -> Wrong:
    if not is_list(value, is_text):
        yield 'must be an array of strings, as in ["Timer.java:31 add"]'


def _is_name(value: object) -> TypeGuard[str | int]:
    return is_text(value) or is_number(value)


def _names(value: object, newer: bool) -> Wrong:
    yield from map_of("the names", value, is_id, _is_name, '{"17":"e1"}, a bucket by its number')


def _hashes(value: object, newer: bool) -> Wrong:
    yield from map_of("the hashes", value, is_text, is_text, '{"agent.jar":"9f86..."}')


def _faults(value: object, newer: bool) -> Wrong:
    if not is_list(value, is_text):
        yield 'must be an array of strings, as in ["a delay of 40 ms in each add"]'


def _is_program(steps: object) -> TypeGuard[list[list[object]]]:
    return is_list(steps, _is_operation)


def _is_operation(step: object) -> TypeGuard[list[object]]:
    return isinstance(step, list) and bool(step) and is_text(step[0])


@of_object
def _program(program: dict[str, object], newer: bool) -> Wrong:
    if not is_map(program.get("threads", {}), is_text, _is_program):
        yield 'threads must be as in {"a":[["add","e1"]]}'


_JUDGES: Mapping[str, Judge] = {
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
