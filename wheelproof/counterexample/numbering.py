"""The numbers of a counterexample's steps, the same ones in each view and each message.

The steps of the code are counted from 1. A silent step has no number: it is the first, second ...
one after the step with the last number. So a run has the length that a row gives as its depth.
"""

from __future__ import annotations

from collections.abc import Sequence

from wheelproof.counterexample.document import Step

SILENT = "silent"


def count(steps: Sequence[Step]) -> int:
    """How many of the steps have a number."""
    return sum(step.kind != SILENT for step in steps)


def numbers(steps: Sequence[Step]) -> list[int | None]:
    """The number of each step, None for a silent one."""
    out: list[int | None] = []
    last = 0
    for step in steps:
        last += step.kind != SILENT
        out.append(None if step.kind == SILENT else last)
    return out


def addresses(steps: Sequence[Step]) -> list[str]:
    """A text for each step: "3" for that of number 3, "3.1" for the first silent one after it."""
    out: list[str] = []
    last = beside = 0
    for step in steps:
        silent = step.kind == SILENT
        last, beside = (last, beside + 1) if silent else (last + 1, 0)
        out.append(f"{last}.{beside}" if silent else str(last))
    return out


def upto(steps: Sequence[Step], number: int) -> int:
    """How many steps there are up to the one with this number, silent ones before it included."""
    if number == 0:
        return 0
    return numbers(steps).index(number) + 1


def statement(steps: Sequence[Step], index: int) -> str:
    """A step in words: "Step 4, a.A1" or "The silent step a.T0 after step 3"."""
    step, last = steps[index], count(steps[: index + 1])
    name = f"{step.thread}.{step.label}"
    return (
        f"The silent step {name} after step {last}"
        if step.kind == SILENT
        else (f"Step {last}, {name}")
    )
