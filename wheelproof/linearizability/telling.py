"""A failing program as people see it: its table, the orders that were tried, and a test."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from wheelproof.linearizability.histories import DeadEnd, Operation
from wheelproof.linearizability.judging import named
from wheelproof.linearizability.programs import FINAL, Result
from wheelproof.linearizability.values import shown

if TYPE_CHECKING:
    from wheelproof.linearizability.judging import Refusal
    from wheelproof.linearizability.options import Declaration
    from wheelproof.linearizability.programs import Program

ORDERS = 6
"""Orders that are shown, at most."""

WIDTH = 78


def program(program: Program, refusal: Refusal | None) -> list[str]:
    """The lines of a program with its results, and why no order explains them."""
    results_used = _results_used(program)
    results = {} if refusal is None else {o.number: o for o in refusal.operations}
    cells: dict[int, list[str]] = {}
    first: list[str] = []
    last: list[str] = []
    for number, (thread, call) in enumerate(program.calls()):
        text = f"v{number} = {call}" if number in results_used else str(call)
        if number in results:
            text += ": " + _result(results[number])
        if thread:
            cells.setdefault(thread, []).append(text)
        else:
            (first if number < len(program.prefix) else last).append(text)
    lines = [f"first {text}" for text in first] + _columns(cells) + [f"then {t}" for t in last]
    total = sum(1 for _ in program.calls())
    if total in results:
        name = "observed" if results[total].call.name == FINAL else str(results[total].call)
        lines.append(f"{name}: {_result(results[total])}")
    if refusal is not None:
        lines += ["", *_why(refusal)]
    return lines


def _results_used(program: Program) -> set[int]:
    """The numbers of calls whose results others need."""
    arguments = [value for _, call in program.calls() for value in call.keywords.values()]
    return {value.number for value in arguments if isinstance(value, Result)}


def _result(operation: Operation) -> str:
    return "waits for ever" if operation.is_pending else shown(operation.result)


def _columns(cells: dict[int, list[str]]) -> list[str]:
    widths = [max(map(len, [f"T{thread}", *column])) for thread, column in cells.items()]
    rows = [[f"T{thread}" for thread in cells], ["-" * width for width in widths]]
    for at in range(max(map(len, cells.values()), default=0)):
        rows.append([column[at] if at < len(column) else "" for column in cells.values()])
    return ["  ".join(cell.ljust(w) for cell, w in zip(row, widths)).rstrip() for row in rows]


def _why(refusal: Refusal) -> Iterator[str]:
    operations = {operation.number: operation for operation in refusal.operations}
    if refusal.unexcused is not None:
        name = named(refusal.unexcused)
        yield f"{name} would not wait alone, after the operations that have returned"
        return
    yield "no order of the operations explains these results:"
    dead_ends = sorted(refusal.explanation.dead_ends, key=lambda end: -len(end.order))
    for end in dead_ends[:ORDERS]:
        yield from textwrap.wrap("  " + _dead_end(end, operations), WIDTH, subsequent_indent="    ")
    if len(dead_ends) > ORDERS:
        yield f"  ... {len(dead_ends) - ORDERS} others go no further"
    for first, second in refusal.pairs:
        yield f"{named(operations[first])} returns before {named(operations[second])} is called"


def _dead_end(end: DeadEnd, operations: dict[int, Operation]) -> str:
    order = ", ".join(named(operations[number]) for number in end.order)
    would = "; ".join(
        f"{named(operations[number])} would give {shown(result)}, not {_result(operations[number])}"
        for number, result in end.would
    )
    return f"after {order}: {would}" if order else f"at first: {would}"


def regression(declaration: Declaration, program: Program, function: str) -> str:
    """A test of pytest that runs the program again, by a function that checks it."""
    factory = declaration.factory
    name = factory.__qualname__
    short = name.rpartition(".")[2].removeprefix("test_").lower()
    lines = [f"def test_{short}_again():", f"    {function}(", f"        {name},"]
    return "\n".join([*lines, *_wrap(program), "    )"])


def _wrap(program: Program) -> Sequence[str]:
    line = " " * 8 + repr(program) + ","
    if len(line) <= WIDTH:
        return [line]
    parts = []
    for name, calls in (("prefix", program.prefix), ("suffix", program.suffix)):
        if calls:
            parts.append(f"{name}=[{', '.join(call.source for call in calls)}],")
    threads = [
        " " * 16 + "[" + ", ".join(call.source for call in calls) + "],"
        for calls in program.threads
    ]
    return [
        " " * 8 + "wheelproof.program(",
        " " * 12 + "threads=[",
        *threads,
        " " * 12 + "],",
        *(" " * 12 + part for part in parts),
        " " * 8 + "),",
    ]
