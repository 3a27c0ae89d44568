"""The report of a run, for a terminal."""

from __future__ import annotations

import ast
import linecache
import textwrap
from collections import Counter
from collections.abc import Iterator, Sequence

from wheelproof.console import visible
from wheelproof.plain.answers import relative
from wheelproof.plain.columns import wrapped
from wheelproof.plain.lock_order.findings import INVERSION, Cycle, Findings
from wheelproof.plain.lock_order.places import Line, Place
from wheelproof.plain.shown import plural

LETTERS = "ABCDEFGH"

NOTHING = (
    "no lock was seen: nothing is stated about their order. Locks are seen that are created by "
    "threading.Lock, RLock or Condition after pytest has begun."
)

NONE_TAKEN = "were created, and none was taken: nothing is stated about their order"


def report(findings: Findings, width: int, every: bool = False) -> list[str]:
    """The lines of a report. ``every``: with all orders of places."""
    if not findings.locks:
        return wrapped(NOTHING, width)
    if not findings.acquisitions:
        return wrapped(f"{plural(findings.locks, 'lock')} {NONE_TAKEN}", width)
    lines: list[str] = []
    for cycle in findings.inversions:
        lines += [*_cycle(cycle, width), ""]
    if findings.opposite:
        lines += wrapped(
            "Opposite orders of other locks of the same places, or in different tests. No two "
            "threads of this run come to a deadlock by them; a program that does both at once "
            "can.",
            width,
            "",
        )
        lines.append("")
    for cycle in findings.opposite:
        lines += [*_cycle(cycle, width), ""]
    if every:
        lines += _orders(findings, width)
    return lines + _summary(findings, width)


def _summary(findings: Findings, width: int) -> list[str]:
    orders = {(example.held, example.taken) for example, _ in findings.examples}
    parts = [
        f"{plural(findings.locks, 'lock')} of {plural(len(findings.places), 'place')}",
        plural(findings.acquisitions, "acquisition"),
        f"{plural(len(orders), 'order')} of places",
    ]
    if findings.signals:
        parts.append(
            f"{plural(findings.signals, 'lock')} left out, given back by another thread than took "
            "them"
        )
    lines = wrapped(", ".join(parts), width)
    if findings.left_out:
        lines += wrapped(
            f"incomplete: {plural(findings.left_out, 'order')} left out, as there are too many",
            width,
        )
    if findings.cut:
        lines += wrapped("incomplete: the search of cycles was cut", width)
    if not orders:
        lines += wrapped("no lock was taken while another one was held", width)
    verdict = f"{plural(len(findings.inversions), 'inversion')}"
    if findings.opposite:
        verdict += f", {len(findings.opposite)} of opposite orders"
    return [*lines, verdict]


def _cycle(cycle: Cycle, width: int) -> list[str]:
    letters = _letters(cycle)
    circle = [letters[_lock(cycle, order.held, order.numbers[0])] for order in cycle.orders]
    head = f"{cycle.kind} of {len(circle)} locks: {' -> '.join([*circle, circle[0]])}"
    lines = wrapped(head, width)
    same = Counter(place for place, _ in letters)
    for (place, number), letter in letters.items():
        lock_note = f" (lock {number} of this place)" if same[place] > 1 else ""
        lines += wrapped(f"  {letter}  {_place(place)}{lock_note}", width, "       ")
    for order in cycle.orders:
        held_letter = letters[_lock(cycle, order.held, order.numbers[0])]
        taken_letter = letters[_lock(cycle, order.taken, order.numbers[1])]
        where = f", in {order.test}" if order.test else ", outside of tests"
        lines += wrapped(
            f"  {visible(order.thread)} holds {held_letter} and takes {taken_letter}{where}",
            width,
            "    ",
        )
        lines += _stack(held_letter, order.held_stack, width) + _stack(
            taken_letter, order.taken_stack, width
        )
    shown_tests = {order.test for order in cycle.orders}
    further_tests = [test for test in cycle.tests if test not in shown_tests]
    if further_tests:
        lines += wrapped(
            f"  also in {plural(len(further_tests), 'other test')}: {further_tests[0]}", width
        )
    return lines


def _lock(cycle: Cycle, place: Place, number: int) -> tuple[Place, int]:
    """A lock of a cycle. Opposite orders are of classes, not of single locks."""
    return place, number if cycle.kind == INVERSION else 0


def _letters(cycle: Cycle) -> dict[tuple[Place, int], str]:
    """A letter for each lock of a cycle."""
    locks = [_lock(cycle, order.held, order.numbers[0]) for order in cycle.orders]
    return dict(zip(locks, LETTERS))


def _place(place: Place) -> str:
    line = linecache.getline(place.file, place.line)
    name = _target(line, place.column) or line.strip()
    return visible(f"{name} of {place.within}, {relative(place.file)}:{place.line}")


def _target(line: str, column: int) -> str:
    """The target to which a line assigns the call at a column; empty if it assigns none."""
    try:
        statement = ast.parse(line.strip()).body[0]
    except (SyntaxError, IndexError):
        return ""
    at = column - 1 - (len(line) - len(line.lstrip()))
    for targets, value in _assignments(statement):
        if value.col_offset <= at < (value.end_col_offset or 0):
            return ast.unparse(targets)
    return ""


def _assignments(statement: ast.stmt) -> Iterator[tuple[ast.expr, ast.expr]]:
    if isinstance(statement, ast.AnnAssign) and statement.value is not None:
        yield statement.target, statement.value
    elif isinstance(statement, ast.Assign):
        target, value = statement.targets[0], statement.value
        if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
            yield from zip(target.elts, value.elts)
        else:
            yield target, value


def _stack(letter: str, stack: Sequence[Line], width: int) -> list[str]:
    lines = []
    for index, line in enumerate(stack):
        begin = f"    {letter} at " if not index else "      from "
        code = f": {line.text}" if not index else ""
        text = visible(f"{relative(line.file)}:{line.line} in {line.within}{code}")
        lines += textwrap.wrap(
            begin + text, width, subsequent_indent="           ", drop_whitespace=True
        )
    return lines


def _orders(findings: Findings, width: int) -> list[str]:
    """All orders of places, each with the tests that have it."""
    pairs: dict[tuple[Place, Place], list[str]] = {}
    for order, _ in findings.examples:
        tests = pairs.setdefault((order.held, order.taken), [])
        if order.test not in tests:
            tests.append(order.test)
    lines = []
    for (first, second), tests in pairs.items():
        lines += wrapped(f"  {_place(first)}", width, "    ")
        lines += wrapped(f"    -> {_place(second)}", width, "       ")
        lines += wrapped(f"       {tests[0] or 'outside of tests'}", width, "       ")
    return ["orders of places, each with a test:", *lines, ""] if lines else []
