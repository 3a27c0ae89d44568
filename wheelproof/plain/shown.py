"""A failure as people see it: its steps with their source lines, some left out.

Plain data, from which the columns of a terminal and of a page are made.
"""

from __future__ import annotations

import ast
import linecache
import re
import traceback
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from types import FrameType, TracebackType
from typing import Any

from wheelproof.plain import texts
from wheelproof.plain.answers import Failure, Operation, Place, Raised, Step, relative
from wheelproof.plain.operations import TIME_OUT

OWN = str(Path(__file__).parent)

VERBS = {
    "acquire": "takes",
    "try to acquire": "tries to take",
    "release": "releases",
    "look at": "looks at",
    "read": "reads",
    "write": "writes",
    "sleep": "sleeps",
    "get": "takes an item from",
    "try to get": "tries to take an item from",
    "put": "puts an item into",
    TIME_OUT: "times out on",
}
"""Operation -> its words, after a thread's name; the others are folded."""

MAIN = ("MainThread", "main")
"""The main thread's name, in Python and in Java."""

LOCKS = ("acquire", "try to acquire", "release", "look at")


@dataclass(frozen=True)
class Shown:
    """A step. ``code`` is its source line, ``text`` the access alone; ``says``: the act in words.

    ``holds``: the locks of its thread afterwards. ``preempts``: the thread before could have gone
    on. ``folded``: no other thread sees it.
    """

    thread: str
    file: str
    line: int
    code: str
    text: str
    says: tuple[str, ...]
    holds: tuple[str, ...]
    preempts: bool = False
    folded: bool = False

    @property
    def source(self) -> str:
        """Its place, with the path from the working directory."""
        return f"{relative(self.file)}:{self.line}"


@dataclass(frozen=True)
class Order:
    """The steps of a failure, and the threads that do something of interest, in order.

    The last step may be the one that raised an exception. ``facts`` are sentences about the run,
    ``ends`` about the waits at its end. ``operations`` name steps by their place.
    """

    threads: tuple[str, ...]
    steps: tuple[Shown, ...]
    facts: tuple[str, ...]
    ends: tuple[str, ...]
    operations: tuple[Operation, ...] = ()

    @property
    def file(self) -> str | None:
        """The file of all steps that are shown, if there is one alone."""
        files = {step.file for step in self.steps if not step.folded and step.file}
        return files.pop() if len(files) == 1 else None


def order(failure: Failure) -> Order:
    """The order to show of a failure."""
    relevant = _relevant(failure)
    steps = [_step(step, not is_kept) for step, is_kept in zip(failure.steps, relevant)]
    origin = _error_place(failure.exception)
    if origin:
        file, line, code, notes = origin
        steps.append(Shown(failure.thread, file, line, code, code, tuple(notes), ()))
    threads = {step.thread for step in steps if not step.folded}
    names = sorted((step.thread for step in steps), key=_number_key)
    return Order(
        tuple(name for name in dict.fromkeys(names) if name in threads),
        tuple(steps),
        _facts(failure),
        _ends(failure),
        failure.operations,
    )


def _step(step: Step, is_folded: bool) -> Shown:
    place = step.place
    words = f"{VERBS.get(step.operation, step.operation)} {step.target}"
    if step.value:
        words += f": {step.value}"
    if step.operation in LOCKS[:2] and len(step.holds) > 1:
        words += f" (holds {', '.join(step.holds)})"
    says = (words,) if place.file or not place.text else ()  # the text of a moment is enough
    return Shown(
        step.thread, place.file, place.line, source(place), place.text, says, step.holds,
        step.preempts, is_folded,
    )  # fmt: skip


def _facts(failure: Failure) -> tuple[str, ...]:
    least = "the fewest with which it fails"
    if not failure.minimal:
        least = "not shown to be the fewest with which it fails"
    timeouts = sum(step.operation == TIME_OUT for step in failure.steps)
    return (
        f"{plural(failure.preemptions, 'preemption')}, {least}",
        *[f"{plural(timeouts, 'time-out')} in it"] * bool(timeouts),
        *failure.builds,
    )


def _ends(failure: Failure) -> tuple[str, ...]:
    ends = []
    for wait in failure.waits:
        holding = (
            f", which {wait.holder} holds" if wait.holder and wait.holder != wait.awaited else ""
        )
        ends.append(f"{wait.thread} waits for {wait.awaited}{holding}: {located(wait.place)}")
    if failure.cycle:
        ends.append(f"cycle of waits: {' -> '.join((*failure.cycle, failure.cycle[0]))}")
    return tuple(ends)


def plural(count: int, thing: str) -> str:
    return f"{count:,} {thing}{'s' * (count != 1)}"


def located(place: Place) -> str:
    """A place with its source line."""
    return f"{relative(place.file)}:{place.line}: {source(place)}"


def source(place: Place) -> str:
    """The source line of a place."""
    return linecache.getline(place.file, place.line).strip() or place.text


def _number_key(name: str) -> tuple[bool, list[tuple[int, str]]]:
    """Names as they count: Thread-2 before Thread-10, and the main thread first."""
    parts = re.findall(r"\d+|\D+", name)
    return name not in MAIN, [(int(part), "") if part.isdigit() else (-1, part) for part in parts]


def _relevant(failure: Failure) -> list[bool]:
    """Whether each step is shown: acts of several threads on the same object, and last steps."""
    steps = failure.steps
    users: dict[str, set[str]] = defaultdict(set)
    written_names: set[str] = set()
    for step in steps:
        users[step.target].add(step.thread)
        if step.operation != "read":
            written_names.add(step.target)
    awaited_names = {wait.awaited for wait in failure.waits}

    def is_shown(step: Step) -> bool:
        if step.operation not in VERBS:
            return False
        is_shared = len(users[step.target]) > 1 and step.target in written_names
        return is_shared or step.target in awaited_names or step.operation in ("sleep", TIME_OUT)

    marks = [is_shown(step) for step in steps]
    if not any(marks):  # an endless loop, as of one thread: its beginning
        marks = [index < 20 for index in range(len(steps))]
    return marks


def _error_place(
    error: BaseException | Raised | None,
) -> tuple[str, int, str, Sequence[str]] | None:
    """Where an exception was raised in the program: file, line, source, and its message."""
    if error is None:
        return None
    if isinstance(error, Raised):
        return error.place.file, error.place.line, source(error.place), error.says
    innermost: TracebackType | None = None
    tb = error.__traceback__
    while tb is not None:
        file = tb.tb_frame.f_code.co_filename
        if not file.startswith(OWN) and "site-packages" not in Path(file).parts:
            innermost = tb
        tb = tb.tb_next
    if innermost is None:
        return None
    file, line = innermost.tb_frame.f_code.co_filename, innermost.tb_lineno
    code = linecache.getline(file, line).strip()
    says = texts.without_addresses(traceback.format_exception_only(error)[-1].strip())
    return file, line, code, [says, *values(code, innermost.tb_frame)]


def values(code: str, frame: FrameType) -> list[str]:
    """The values of the names and fields in an assertion. No code of the program runs for it."""
    try:
        tree = ast.parse(code)
    except SyntaxError:
        return []
    if not isinstance(tree.body[0], ast.Assert):
        return []
    call_ids = {id(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)}
    inner = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    lines = []
    for node in ast.walk(tree.body[0].test):
        if (
            id(node) in call_ids
            or id(node) in inner
            or not isinstance(node, ast.Name | ast.Attribute)
        ):
            continue
        value = _value(node, frame)
        if value is not _MISSING and not callable(value):
            lines.append(f"{ast.unparse(node)} is {texts.value(value)}")
    return list(dict.fromkeys(lines))


_MISSING = object()


def _value(node: ast.expr, frame: FrameType) -> Any:
    if isinstance(node, ast.Name):
        return frame.f_locals.get(node.id, frame.f_globals.get(node.id, _MISSING))
    if isinstance(node, ast.Attribute):
        holder = _value(node.value, frame)
        fields = getattr(holder, "__dict__", {})
        return fields.get(node.attr, _MISSING)
    return _MISSING
