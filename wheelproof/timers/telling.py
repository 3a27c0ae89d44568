"""A program that breaks the contract, as people see it, and as a test."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from typing import TYPE_CHECKING, Any

from wheelproof.linearizability.programs import Program
from wheelproof.timers.contract import Clause
from wheelproof.timers.programs import ADD

if TYPE_CHECKING:
    from wheelproof.timers.driver import TimerJudge


def program(program: Program, judge: TimerJudge) -> list[str]:
    """The calls of a program, and the moments of the run that breaks the contract."""
    lines = [*calls(program), "", "  ms  thread: moment"]
    for moment in judge.last:
        milliseconds = f"{moment.seconds * 1000:g}"
        lines.append(f"{milliseconds:>4}  {moment.thread}: action {moment.number} {moment.what}")
    return lines


def calls(program: Program) -> Iterator[str]:
    """The calls of each thread; an action is named where it is added."""
    number = 0
    texts: dict[int, list[str]] = {}
    for thread, call in program.calls():
        text = str(call)
        if call.name == ADD:
            number += 1
            text += f" as action {number}"
        texts.setdefault(thread, []).append(text)
    for thread, parts in texts.items():
        yield (f"T{thread}: " if thread else "first: ") + ", ".join(parts)


def regression(
    factory: Callable[[], Any], program: Program, tick: int, excuses: Collection[Clause]
) -> str:
    """A test of pytest that runs the program again."""
    name = factory.__qualname__
    lines = [
        f"def test_{name.rpartition('.')[2].lower()}_again():",
        "    wheelproof.timers.check(",
        f"        {name},",
        f"        {program!r},",
    ]
    if tick != 1:
        lines.append(f"        tick={tick},")
    if excuses:
        lines.append(f"        excused={sorted(map(str, excuses))!r},")
    return "\n".join([*lines, "    )"])
