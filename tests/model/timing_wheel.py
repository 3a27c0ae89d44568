"""TimingWheel as the mechanism under test, and scenarios of it in few words."""

from __future__ import annotations

from typing import Any

from tests.model.artefacts import ROOT, Artefacts

ARTEFACTS = Artefacts("timing_wheel")
NAME, MECHANISM, FAST = ARTEFACTS.name, ARTEFACTS.mechanism, ARTEFACTS.fast
source, model_graph = ARTEFACTS.source, ARTEFACTS.model_graph

__all__ = [
    "ARTEFACTS",
    "FAST",
    "MECHANISM",
    "NAME",
    "ROOT",
    "levels_for",
    "model_graph",
    "scenario",
    "source",
]


def levels_for(wheel_size: int, start: int, deadlines: list[int]) -> int:
    """As many levels as it takes until every deadline is within a turn of the highest.

    That level's clock is rounded down.
    """
    levels = 1
    while (
        max(deadlines, default=0) >= start - start % wheel_size ** (levels - 1) + wheel_size**levels
    ):
        levels += 1
    return levels


def scenario(
    wheel_size: int = 2,
    start: int = 0,
    deadline: dict[str, int] | None = None,
    levels: int | None = None,
    **threads: list[list[str]],
) -> dict[str, Any]:
    """A program by each thread's name. ``levels`` None: as many as the deadlines need."""
    deadline = {"far": 3, "near": 1} if deadline is None else deadline
    levels = levels_for(wheel_size, start, [*deadline.values()]) if levels is None else levels
    return {
        "wheel_size": wheel_size,
        "levels": levels,
        "start": start,
        "deadline": deadline,
        "threads": threads,
    }
