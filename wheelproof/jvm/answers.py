"""The JVM's answers to requests, with the names that their JSON has."""

from __future__ import annotations

from typing import NotRequired, TypedDict


class Loaded(TypedDict):
    """The answer to ``load``."""

    compared: int
    """The number of instructions that are those of the class files."""
    statics: list[str]
    """The static fields."""


class Explored(TypedDict):
    """The head of a graph."""

    states: int
    threads: int
    shared: int
    """The count of numbers for its shared variables."""
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
    """A thread in a state."""

    thread: str
    standing: int
    """MOVES, WAITS, ENDED or FAILED."""
    label: str
    frames: list[Frame]
    failure: NotRequired[str | None]
    """The failure of a thread that has ended."""


class Shown(TypedDict):
    """A state on a schedule."""

    shared: list[int]
    threads: list[Standing]


class Replayed(TypedDict):
    """The states on a schedule."""

    fault: str | None
    """Why the schedule could not be followed to its end."""
    states: list[Shown]
    results: list[str]
    """The results of the operations that each step ended, as JSON."""


class Races(TypedDict):
    """The data races of a run, and its fields."""

    races: list[tuple[str, str, str]]
    """(field, site, site) of each race."""
    plain: list[str]
    """The plain fields, as "Class.field"."""
    volatile: list[str]
    """The volatile fields, as "Class.field"."""


class Sites(TypedDict):
    """The sites that a run has reached."""

    sites: list[tuple[str, str, int, str, int]]
    """(key, kind, line, label, hits) of each instruction."""
    opaque: list[str]
    """Opaque classes."""
