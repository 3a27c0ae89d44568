"""The JVM's answers to requests, with the names that their JSON has."""

from __future__ import annotations

from typing import NotRequired, TypedDict


class Loaded(TypedDict):
    """``compared``: instructions that are those of the class files. ``statics``: fields."""

    compared: int
    statics: list[str]


class Explored(TypedDict):
    """The head of a graph. ``shared``: how many numbers its shared variables are."""

    states: int
    threads: int
    shared: int
    complete: bool
    seconds: float
    runs: int
    steps: int
    handed_over: int
    faults: list[str]
    labels: list[str]
    results: list[str]


class Frame(TypedDict):
    """A frame of a thread, with its locals and operands."""

    site: str
    line: int
    values: list[str]


class Standing(TypedDict):
    """A thread in a state. ``standing``: MOVES and so on. ``failure``: of one that has ended."""

    thread: str
    standing: int
    label: str
    frames: list[Frame]
    failure: NotRequired[str | None]


class Shown(TypedDict):
    """A state on a schedule."""

    shared: list[int]
    threads: list[Standing]


class Replayed(TypedDict):
    """The states on a schedule. ``fault``: why it could not be followed to its end.

    ``results``: of each step, those of the operations that it ended, as JSON.
    """

    fault: str | None
    states: list[Shown]
    results: list[str]


class Races(TypedDict):
    """``races``: (field, site, site). ``plain``, ``volatile``: fields, as "Class.field"."""

    races: list[tuple[str, str, str]]
    plain: list[str]
    volatile: list[str]


class Sites(TypedDict):
    """``sites``: (key, kind, line, label, hits) of instructions. ``opaque``: classes."""

    sites: list[tuple[str, str, int, str, int]]
    opaque: list[str]
