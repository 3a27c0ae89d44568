"""The columns of an explored order: cells of a grid, each in the column of its thread.

Steps of a thread in one source line make one cell. Steps that no other thread sees are folded into
the next cell of their thread.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from wheelproof.counterexample.explored import Explored, Shown, is_same_line
from wheelproof.report.page.sequence import Diagram, diagram


@dataclass
class Cell:
    """The steps of a thread in one source line."""

    thread: str
    column: int
    at: str
    code: str
    says: list[str]
    holds: tuple[str, ...]
    folded: list[Shown] = field(default_factory=list)
    """The steps that are folded before it."""


@dataclass(frozen=True)
class Rule:
    """A thread is preempted here."""

    thread: str
    column: int = 0
    """0 for a rule across all columns."""


@dataclass(frozen=True)
class Grid:
    """A failing order. ``file``: of all its lines, if there is one alone."""

    id: str
    explored: Explored
    rows: tuple[Cell | Rule, ...]
    diagram: Diagram

    @property
    def threads(self) -> tuple[str, ...]:
        return self.explored.order.threads

    @property
    def file(self) -> str | None:
        return self.explored.order.file


def grids(orders: Mapping[str, Explored]) -> dict[str, Grid]:
    """The grids of orders by the name of their file."""
    return {
        name: Grid(f"order-{number}", run, tuple(_rows(run)), diagram(run))
        for number, (name, run) in enumerate(orders.items(), 1)
    }


def _rows(run: Explored) -> list[Cell | Rule]:
    steps = run.order
    rows: list[Cell | Rule] = []
    folds: dict[str, list[Shown]] = defaultdict(list)
    before: Shown | None = None
    running = ""
    for step in steps.steps:
        if step.preempts and running:
            rows.append(Rule(running))
            before = None
        running = step.thread
        if step.folded:
            folds[step.thread].append(step)
            before = None
            continue
        last = rows[-1] if rows else None
        if before is not None and is_same_line(before, step) and isinstance(last, Cell):
            last.says += step.says
            last.holds = step.holds
        else:
            rows.append(_cell(step, steps.threads, steps.file, folds.pop(step.thread, [])))
        before = step
    return rows


def _cell(step: Shown, threads: tuple[str, ...], file: str | None, folds: list[Shown]) -> Cell:
    at = f"{step.line}" if file is not None else f"{Path(step.file).name}:{step.line}"
    column = threads.index(step.thread) + 1
    return Cell(step.thread, column, at, step.code, [*step.says], step.holds, folds)
