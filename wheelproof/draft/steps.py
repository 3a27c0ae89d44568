"""Steps and blocks of a method, of which both the specification and the code are made."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from wheelproof.draft.subject import Guard


@dataclass
class Step:
    """A line of code and its assignments; with a label it is a step of its own."""

    python: str
    assignments: Sequence[tuple[str, str]] = ()
    """(variable, TLA+ expression), in order."""
    label: str = ""
    """"" for a line that belongs to the step before it."""
    kind: str = ""


@dataclass
class Hold:
    """A block under a lock."""

    guard: Guard
    lock: str
    """The label that takes it."""
    unlock: str = ""
    """The label that gives it back."""
    body: list[Node] = field(default_factory=list)
    again: bool = False
    """Whether the thread may hold the lock already."""
    last: bool = False
    """Whether the operation ends behind the block."""
    keeps: bool = False
    """Whether the thread keeps the lock: only in a change of a draft."""
    exits: set[str] = field(default_factory=set)
    """How the block is left early: ``return``, ``break``, ``continue``."""


@dataclass
class Sleep:
    """A wait at a condition: three labels on one line."""

    guard: Guard
    labels: tuple[str, str, str]


@dataclass
class Notify:
    """A notification. ``count``: the TLA+ number of threads, "" for all."""

    guard: Guard
    label: str
    python: str
    count: str = "1"


@dataclass
class Branch:
    """A condition with two blocks."""

    python: str
    formula: str
    label: str = ""
    then: list[Node] = field(default_factory=list)
    otherwise: list[Node] = field(default_factory=list)


@dataclass
class Loop:
    """A block that repeats while its condition holds."""

    python: str
    formula: str
    label: str = ""
    body: list[Node] = field(default_factory=list)


@dataclass
class Leave:
    """The end of an operation, or of a turn or of all turns of a loop."""

    way: str
    """``return``, ``break`` or ``continue``."""
    python: str


@dataclass
class Hole:
    """A statement that a draft does not know. It is left out of code and specification."""

    line: int
    text: str
    reason: str
    label: str


Node = Step | Hold | Sleep | Notify | Branch | Loop | Leave | Hole


@dataclass
class Operation:
    """One method."""

    name: str
    arguments: list[str]
    body: list[Node]
    docstring: str = ""
    raises: list[str] = field(default_factory=list)
    """The names of the exceptions that end it, which count as results."""
    numbers: frozenset[str] = frozenset()
    """The arguments that it computes with or compares as numbers."""
    collects: bool = False
    """Whether its result may be a list or a set."""
    defaults: dict[str, str] = field(default_factory=dict)
    """Argument -> its default in Python, which the draft takes as given."""


def traverse(nodes: Sequence[Node]) -> Iterator[Node]:
    """All nodes, outer ones first, in the order of the code."""
    for node in nodes:
        yield node
        match node:
            case Hold(body=body) | Loop(body=body):
                yield from traverse(body)
            case Branch(then=then, otherwise=otherwise):
                yield from traverse(then)
                yield from traverse(otherwise)


def labels(nodes: Sequence[Node]) -> Iterator[tuple[str, str]]:
    """(label, kind) of every step of the code."""
    for node in traverse(nodes):
        match node:
            case Step(label=label, kind=kind) if label:
                yield label, kind
            case Hold(lock=lock, unlock=unlock):
                yield from ((lock, "lock"), (unlock, "unlock"))
            case Sleep(labels=(wait, wake, lock)):
                yield from ((wait, "wait"), (wake, "wake"), (lock, "lock"))
            case Notify(label=label):
                yield label, "notify"
            case Branch(label=label) | Loop(label=label) if label:
                yield label, "read"
