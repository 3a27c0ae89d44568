"""The answers of an exploration: plain data, for the command line, pytest and saved tests."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from wheelproof.verdict import Verdict


class Answer(StrEnum):
    """How an exploration ended."""

    EXHAUSTED = "exhausted"  # every order of the racy accesses and of the locks
    BUG = "bug"  # one of them fails
    BOUNDED = "bounded"  # every order with at most `bound` preemptions
    BUDGET = "budget"  # a limit ended the search: nothing is shown
    NONDETERMINISTIC = "nondeterministic"  # the same schedule ran differently
    VACUOUS = "vacuous"  # no object is used by two threads
    UNSEEN = "unseen"  # code that was not looked into touched a shared object


VERDICTS = {
    Answer.EXHAUSTED: Verdict.EXHAUSTIVE,
    Answer.BUG: Verdict.VIOLATED,
    Answer.BOUNDED: Verdict.EXHAUSTIVE,
    Answer.BUDGET: Verdict.INCONCLUSIVE,
    Answer.NONDETERMINISTIC: Verdict.ERROR,
    Answer.VACUOUS: Verdict.VACUOUS,
    Answer.UNSEEN: Verdict.INCONCLUSIVE,
}
"""Answer -> the verdict of its row."""


EXIT_CODES = {
    Answer.EXHAUSTED: 0,
    Answer.BUG: 1,
    Answer.BOUNDED: 0,
    Answer.BUDGET: 3,
    Answer.NONDETERMINISTIC: 4,
    Answer.VACUOUS: 5,
    Answer.UNSEEN: 3,
}
"""Answer -> the exit code of `wheelproof explore`."""


class FailureKind(StrEnum):
    """The kind of fault in a failing run."""

    ASSERTION = "assertion"
    EXCEPTION = "exception"
    DEADLOCK = "deadlock"
    LOST_WAKE_UP = "lost wake-up"
    ENDLESS = "endless loop"
    RESULTS = "wrong results"  # no order of the operations explains what they have returned
    CONTRACT = "broken contract"  # a timer's action runs when it must not, or not when it must


def relative(file: str) -> str:
    """A file's path from the working directory, or from the folder that Python imports it from."""
    path = os.path.relpath(file) if file else "?"
    if not path.startswith(".."):
        return path
    folders = [folder for folder in sys.path if folder and Path(file).is_relative_to(folder)]
    return os.path.relpath(file, max(folders, key=len)) if folders else file


@dataclass(frozen=True)
class Place:
    """An access in a source.

    ``key`` names it by module, function and text, so that it survives edits elsewhere.
    """

    file: str
    line: int
    column: int
    text: str
    key: str

    def __str__(self) -> str:
        return f"{relative(self.file)}:{self.line}: {self.text}"


@dataclass(frozen=True)
class Step:
    """One visible operation of a run.

    ``target`` names the lock or the field, ``value`` the value read or written, in text.
    ``holds`` are the locks of the thread once the step is done. ``preempts``: the thread that ran
    before could have gone on.
    """

    thread: str
    place: Place
    operation: str
    target: str
    value: str
    holds: tuple[str, ...]
    preempts: bool


@dataclass(frozen=True)
class Operation:
    """One call of a program in a run. ``result``: in text, "" where it has not returned.

    ``first`` is the number of its first step, or of the step that follows where it has none.
    ``last`` is that of its last step, ``first - 1`` where it has none, and None where the call has
    not returned.
    """

    thread: str
    text: str
    result: str
    first: int
    last: int | None


@dataclass(frozen=True)
class Access:
    """An access of a thread: a ``read`` or a ``write``. ``locks``: those that it holds."""

    thread: str
    place: Place
    operation: str
    locks: tuple[str, ...]


@dataclass(frozen=True)
class Race:
    """Two accesses of a field or a container that nothing orders, one of them a write."""

    target: str
    first: Access
    second: Access

    @property
    def accesses(self) -> tuple[Access, Access]:
        return self.first, self.second


@dataclass(frozen=True)
class Wait:
    """The object of a thread's final wait: a lock with its holder, a thread, a notification.

    ``holder`` is the thread that would have to move, or empty.
    """

    thread: str
    awaited: str
    holder: str
    place: Place


@dataclass(frozen=True)
class Switch:
    """A thread stops before an operation, and another one goes on.

    ``place`` is the key of the operation, ``visit`` how often the thread came there, from 1 on.
    """

    thread: str
    place: str
    visit: int
    following: str


@dataclass(frozen=True)
class Schedule:
    """The switches of a run, in order.

    ``places`` are the keys of the accesses that were scheduling points. Between two switches a
    thread runs on; where it waits or ends, the first switch names it with an empty place.
    """

    switches: tuple[Switch, ...]
    places: tuple[str, ...]


@dataclass(frozen=True)
class Raised:
    """An exception of another process: its place, and its text in lines."""

    place: Place
    says: tuple[str, ...]


@dataclass(frozen=True)
class Failure:
    """A run that fails.

    ``exception`` is None for deadlocks and endless loops; ``thread`` raised it. ``waits`` are
    the threads that wait; where ``cycle`` is not empty, its threads wait for each other in order.
    ``minimal``: no run with fewer preemptions fails. ``free_threaded_only``: no run fails that an
    interpreter with a global lock can show; None where that was not searched to the end.
    ``operations`` are those of a program that was drawn.
    """

    kind: FailureKind
    message: str
    thread: str
    exception: BaseException | Raised | None
    steps: tuple[Step, ...]
    waits: tuple[Wait, ...]
    cycle: tuple[str, ...]
    preemptions: int
    minimal: bool
    free_threaded_only: bool | None
    operations: tuple[Operation, ...] = ()

    @property
    def builds(self) -> tuple[str, ...]:
        """Which builds of the interpreter can show it, as a sentence."""
        return (_BUILDS[self.free_threaded_only],)


_BUILDS = {
    True: "only a free-threaded build can show it",
    False: "an interpreter with a global lock can show it",
    None: "whether an interpreter with a global lock can show it was not searched to the end",
}


@dataclass(frozen=True)
class Exploration:
    """The result of an exploration.

    ``reason`` gives the grounds of the answer in a sentence. ``restarts``: how often new racy
    places began the search anew. ``points`` and ``accesses`` are those of all executions. ``races``
    is None where they were not looked for; ``unpaired`` are racy places without one of them.
    ``abandoned``: threads that went on once their runs were over, each with its place.
    ``table`` are lines about the program that fails, ``test`` is a test that runs it again.
    """

    answer: Answer
    executions: int
    racy_places: tuple[Place, ...]
    failure: Failure | None
    bound: int | None
    reason: str
    schedule: Schedule | None
    restarts: int = 0
    points: int = 0
    accesses: int = 0
    seconds: float = 0.0
    races: tuple[Race, ...] | None = None
    unpaired: tuple[Place, ...] = ()
    abandoned: tuple[str, ...] = ()
    table: tuple[str, ...] = ()
    test: str = ""

    @property
    def verdict(self) -> Verdict:
        return VERDICTS[self.answer]
