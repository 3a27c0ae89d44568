"""The text of an exploration: its answer, and a failure as columns of threads."""

from __future__ import annotations

import ast
import linecache
import os
import re
import reprlib
import textwrap
import traceback
from collections import defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path
from types import FrameType, TracebackType
from typing import Any

from wheelproof.plain.answers import Answer, Exploration, Failure, Place, Step

WIDTH = 80
NARROWEST = 22
"""Characters of a column; with less, steps stand below each other."""

BAR = " | "
OWN = str(Path(__file__).parent)

VERBS = {
    "acquire": "takes",
    "try to acquire": "tries to take",
    "release": "releases",
    "look at": "looks at",
    "read": "reads",
    "write": "writes",
    "sleep": "sleeps",
}
"""Operation -> what a thread does; the others are folded."""

LOCKS = ("acquire", "try to acquire", "release", "look at")


def text(exploration: Exploration, width: int = WIDTH) -> str:
    """The answer in a few lines; a bug with its columns."""
    head = f"{exploration.answer}: {exploration.reason}"
    counts = (
        f"{plural(exploration.executions, 'execution')}, "
        f"{plural(len(exploration.racy_places), 'racy place')}"
    )
    lines = [*wrapped(head, width), "  " + counts]
    if exploration.failure is not None:
        lines += _failure(exploration.failure, width)
    if exploration.races is not None:
        lines = [*lines[: None if lines[-1] else -1], *races(exploration, width)]
    elif exploration.failure is None and exploration.answer is not Answer.VACUOUS:
        for place in exploration.racy_places:
            line = f"  {relative(place.file)}:{place.line}: {place.text}"
            lines.append(line if len(line) <= width else line[: width - 3] + "...")
    return "\n".join(lines)


def races(exploration: Exploration, width: int) -> list[str]:
    """The races, each with its two accesses."""
    lines = [] if exploration.races or exploration.unpaired else ["", "no two accesses race"]
    for race in exploration.races or ():
        lines += ["", *wrapped(f"race on {race.target}: nothing orders these two accesses", width)]
        for access in race.accesses:
            holds = ", ".join(access.locks) or "no lock"
            lines += wrapped(f"  {access.thread} {access.operation}s it, holding {holds}", width)
            lines += wrapped(f"    {_shown(access.place)}", width, "      ")
    for place in exploration.unpaired:
        lines += [
            "",
            *wrapped(f"racy, in an order that was not seen again: {_shown(place)}", width),
        ]
    return lines


def plural(count: int, thing: str) -> str:
    return f"{count:,} {thing}{'s' * (count != 1)}"


def wrapped(line: str, width: int, after: str = "  ") -> list[str]:
    return textwrap.wrap(line, width, subsequent_indent=after) or [""]


def _failure(failure: Failure, width: int) -> list[str]:
    least = ", the fewest with which it fails" if failure.minimal else ""
    lines = [f"  {plural(failure.preemptions, 'preemption')}{least}"]
    builds = {
        True: "only a free-threaded build can show it",
        False: "an interpreter with a global lock can show it",
        None: "whether an interpreter with a global lock can show it was not searched to the end",
    }
    lines += wrapped("  " + builds[failure.free_threaded_only], width)
    lines += ["", *Columns(failure, width).lines()]
    for wait in failure.waits:
        held = f", which {wait.holder} holds" if wait.holder and wait.holder != wait.awaited else ""
        at = _shown(wait.place)
        lines += wrapped(f"{wait.thread} waits for {wait.awaited}{held}: {at}", width)
    if failure.cycle:
        circle = " -> ".join((*failure.cycle, failure.cycle[0]))
        lines += wrapped(f"cycle of waits: {circle}", width)
    return lines


def _shown(place: Place) -> str:
    return f"{relative(place.file)}:{place.line}: {source(place)}"


def relative(file: str) -> str:
    path = os.path.relpath(file) if file else "?"
    return file if path.startswith("..") else path


def source(place: Place) -> str:
    """The source line of a place."""
    return linecache.getline(place.file, place.line).strip() or place.text


class Columns:
    """The steps of a failure, a column for each thread that does something of interest."""

    def __init__(self, failure: Failure, width: int) -> None:
        self._failure, self._width = failure, width
        steps = failure.steps
        self._relevant = _relevant(failure)
        shown = [step for step, kept in zip(steps, self._relevant) if kept]
        self._last = _raised(failure.exception)
        threads = [step.thread for step in shown] + [failure.thread] * bool(self._last)
        order = [step.thread for step in steps] + threads
        order.sort(key=_numbered)
        self._threads = [name for name in dict.fromkeys(order) if name in threads]
        files = {step.place.file for step in shown if step.place.file}
        files |= {self._last[0]} if self._last else set()
        self._one = files.pop() if len(files) == 1 else None
        count = max(1, len(self._threads))
        self._column = (width - len(BAR) * (count - 1)) // count
        self._beside = self._column >= NARROWEST

    def lines(self) -> list[str]:
        lines = []
        if self._one is not None:
            lines += [f"{relative(self._one)}:"]
        if self._beside:
            heads = [name[: self._column] for name in self._threads]
            lines.append(BAR.join(head.ljust(self._column) for head in heads).rstrip())
            lines.append("-+-".join("-" * self._column for _ in heads))
        folded: dict[str, int] = defaultdict(int)
        before: Step | None = None
        running = ""
        for step, kept in zip(self._failure.steps, self._relevant):
            if step.preempts and running:
                lines.append(self._rule(running))
                before = None
            running = step.thread
            if not kept:
                folded[step.thread] += 1
                before = None
                continue
            same = before is not None and (before.thread, before.place.file, before.place.line) == (
                step.thread,
                step.place.file,
                step.place.line,
            )
            cell = self._folded(folded, step.thread)
            if not same:
                code = source(step.place)
                if len(code) > 2 * self._room():
                    code = step.place.text
                cell += self._place(step.place.file, step.place.line, code)
            cell += self._detail(step)
            lines += self._cell(step.thread, cell)
            before = step
        if self._last:
            file, line, code, notes = self._last
            cell = self._folded(folded, self._failure.thread) + self._place(file, line, code)
            for note in notes:
                cell += textwrap.wrap(note, self._room(), initial_indent="    ",
                                      subsequent_indent="      ")  # fmt: skip
            lines += self._cell(self._failure.thread, cell)
        return [*lines, ""] if lines else []

    def _room(self) -> int:
        return self._column if self._beside else self._width

    def _folded(self, folded: dict[str, int], thread: str) -> list[str]:
        count = folded.pop(thread, 0)
        return [f"... {plural(count, 'other step')}"] if count else []

    def _place(self, file: str, line: int, code: str) -> list[str]:
        at = f"{line}" if self._one is not None else f"{Path(file).name}:{line}"
        return textwrap.wrap(f"{at}  {code}", self._room(), subsequent_indent="      ")

    def _detail(self, step: Step) -> list[str]:
        what = f"{VERBS.get(step.operation, step.operation)} {step.target}"
        if step.value:
            what += f": {step.value}"
        if step.operation in LOCKS[:2] and len(step.holds) > 1:
            what += f" (holds {', '.join(step.holds)})"
        return textwrap.wrap(what, self._room(), initial_indent="    ", subsequent_indent="      ")

    def _rule(self, thread: str) -> str:
        return f"- - {thread} is preempted ".ljust(self._width, "-")[: self._width]

    def _cell(self, thread: str, cell: Iterable[str]) -> list[str]:
        """The lines of a column, between those of the others."""
        if not self._beside:
            first, *rest = [f"{thread}:", *cell]
            return [first, *("  " + line for line in rest)]
        at = self._threads.index(thread)
        lines = []
        for line in cell:
            row = [" " * self._column] * len(self._threads)
            row[at] = line.ljust(self._column)
            lines.append(BAR.join(row).rstrip())
        return lines


def _numbered(name: str) -> tuple[bool, list[tuple[int, str]]]:
    """Names as they count: Thread-2 before Thread-10, and the main thread first."""
    parts = re.findall(r"\d+|\D+", name)
    return name != "MainThread", [
        (int(part), "") if part.isdigit() else (-1, part) for part in parts
    ]


def _relevant(failure: Failure) -> list[bool]:
    """Whether each step is shown: what several threads do with the same thing, and last steps."""
    steps = failure.steps
    users: dict[str, set[str]] = defaultdict(set)
    written: set[str] = set()
    for step in steps:
        users[step.target].add(step.thread)
        if step.operation != "read":
            written.add(step.target)
    awaited = {wait.awaited for wait in failure.waits}

    def is_shown(step: Step) -> bool:
        if step.operation not in VERBS:
            return False
        shared = len(users[step.target]) > 1 and step.target in written
        return shared or step.target in awaited or step.operation == "sleep"

    kept = [is_shown(step) for step in steps]
    if not any(kept):  # an endless loop, as of one thread: its beginning
        kept = [index < 20 for index in range(len(steps))]
    return kept


def _raised(error: BaseException | None) -> tuple[str, int, str, Sequence[str]] | None:
    """Where an exception was raised in the program: file, line, source, and what it says."""
    if error is None:
        return None
    chosen: TracebackType | None = None
    tb = error.__traceback__
    while tb is not None:
        file = tb.tb_frame.f_code.co_filename
        if not file.startswith(OWN) and "site-packages" not in Path(file).parts:
            chosen = tb
        tb = tb.tb_next
    if chosen is None:
        return None
    file, line = chosen.tb_frame.f_code.co_filename, chosen.tb_lineno
    code = linecache.getline(file, line).strip()
    says = traceback.format_exception_only(error)[-1].strip()
    return file, line, code, [says, *values(code, chosen.tb_frame)]


def values(code: str, frame: FrameType) -> list[str]:
    """The values of the names and fields in an assertion. No code of the program runs for it."""
    try:
        tree = ast.parse(code)
    except SyntaxError:
        return []
    if not isinstance(tree.body[0], ast.Assert):
        return []
    called = {id(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)}
    inner = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    lines = []
    for node in ast.walk(tree.body[0].test):
        if (
            id(node) in called
            or id(node) in inner
            or not isinstance(node, ast.Name | ast.Attribute)
        ):
            continue
        value = _value(node, frame)
        if value is not _MISSING and not callable(value):
            lines.append(f"{ast.unparse(node)} is {reprlib.repr(value)}")
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
