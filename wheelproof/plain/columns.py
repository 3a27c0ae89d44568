"""The text of an exploration: its answer, and a failure as columns of threads."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path

from wheelproof.plain import texts
from wheelproof.plain.answers import Answer, Exploration, Failure, relative
from wheelproof.plain.shown import Order, Shown, located, order, plural

WIDTH = 80
NARROWEST = 22
"""Characters of a column; with less, steps stand below each other."""

BAR = " | "


def text(exploration: Exploration, width: int = WIDTH) -> str:
    """The answer in a few lines; a bug with its columns."""
    head = f"{exploration.answer}: {exploration.reason}"
    counts = (
        f"{plural(exploration.executions, 'execution')}, "
        f"{plural(len(exploration.racy_places), 'racy place')}"
    )
    lines = [*wrapped(head, width), "  " + counts]
    for thread in exploration.abandoned:
        lines += wrapped(f"  catches what ends it, and was abandoned: {thread}", width, "    ")
    if exploration.table:
        lines += ["", *exploration.table, ""]
    if exploration.failure is not None:
        lines += of_order(order(exploration.failure), width)
    if exploration.test:
        lines += ["a test that runs this program again:", "", exploration.test]
    if exploration.races is not None:
        lines = [*lines[: None if lines[-1] else -1], *races(exploration, width)]
    elif exploration.failure is None and exploration.answer is not Answer.VACUOUS:
        for place in exploration.racy_places:
            line = f"  {place}"
            lines.append(line if len(line) <= width else line[: width - 3] + "...")
    return "\n".join(lines)


def of_failure(failure: Failure, width: int) -> list[str]:
    """The lines of a failure alone, as of a schedule that was run again."""
    return [*wrapped(f"{Answer.BUG}: {failure.message}", width), *of_order(order(failure), width)]


def races(exploration: Exploration, width: int) -> list[str]:
    """The races, each with its two accesses."""
    lines = [] if exploration.races or exploration.unpaired else ["", "no two accesses race"]
    for race in exploration.races or ():
        lines += ["", *wrapped(f"race on {race.target}: nothing orders these two accesses", width)]
        for access in race.accesses:
            holds = ", ".join(access.locks) or "no lock"
            lines += wrapped(f"  {access.thread} {access.operation}s it, holding {holds}", width)
            lines += wrapped(f"    {located(access.place)}", width, "      ")
    for place in exploration.unpaired:
        lines += [
            "",
            *wrapped(f"racy, in an order that was not seen again: {located(place)}", width),
        ]
    return lines


def wrapped(line: str, width: int, after: str = "  ") -> list[str]:
    return texts.lines(line, width, after=after) or [""]


def of_order(failure_order: Order, width: int) -> list[str]:
    """The lines of a failure: facts, columns, and the waits at the end."""
    lines = [line for fact in failure_order.facts for line in wrapped("  " + fact, width)]
    lines += ["", *Columns(failure_order, width).lines()]
    return [*lines, *(line for end in failure_order.ends for line in wrapped(end, width))]


class Columns:
    """The steps of a failure, a column for each thread that does something of interest."""

    def __init__(self, failure_order: Order, width: int) -> None:
        self._steps, self._threads, self._one = (
            failure_order.steps,
            failure_order.threads,
            failure_order.file,
        )
        self._width = width
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
        fold_counts: dict[str, int] = defaultdict(int)
        before: Shown | None = None
        running = ""
        for step in self._steps:
            if step.preempts and running:
                lines.append(self._rule(running))
                before = None
            running = step.thread
            if step.folded:
                fold_counts[step.thread] += 1
                before = None
                continue
            cell = self._fold_line(fold_counts, step.thread)
            if not (before is not None and is_same_line(before, step)):
                code = step.text if len(step.code) > 2 * self._room() else step.code
                cell += self._place(step.file, step.line, code)
            for detail in step.says:
                cell += texts.lines(detail, self._room(), "    ", "      ")
            lines += self._cell(step.thread, cell)
            before = step
        return [*lines, ""] if lines else []

    def _room(self) -> int:
        return self._column if self._beside else self._width

    def _fold_line(self, fold_counts: dict[str, int], thread: str) -> list[str]:
        count = fold_counts.pop(thread, 0)
        return [f"... {plural(count, 'other step')}"] if count else []

    def _place(self, file: str, line: int, code: str) -> list[str]:
        if not file:
            return texts.lines(code, self._room(), after="  ")
        at = f"{line}" if self._one is not None else f"{Path(file).name}:{line}"
        return texts.lines(f"{at}  {code}", self._room(), after="      ")

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


def is_same_line(first: Shown, second: Shown) -> bool:
    """Whether two steps are of the same thread in the same source line."""
    places = [(step.thread, step.file, step.line, step.code) for step in (first, second)]
    return places[0] == places[1]
