"""TimingWheel as the mechanism under test: scenarios in few words, one planted change per step."""

from __future__ import annotations

from typing import Any

from tests.model.artefacts import ROOT, Artefacts

ARTEFACTS = Artefacts("timing_wheel")
STEM, MECHANISM, FAST = ARTEFACTS.stem, ARTEFACTS.mechanism, ARTEFACTS.fast
source, model_graph = ARTEFACTS.source, ARTEFACTS.model_graph

__all__ = [
    "ARTEFACTS",
    "CHANGES",
    "FAST",
    "MECHANISM",
    "ROOT",
    "STEM",
    "levels_for",
    "model_graph",
    "scenario",
    "source",
]

# label -> (what is there, what is put in its place[, scenario])
CHANGES = {
    "T0": ("t.turn > len(program)", "t.turn >= len(program)"),
    "T1": ('"T0"', "DONE"),
    "L1": ("|= {self.me}", "-= {self.me}"),
    "L2": ("-= 1", "-= 2"),
    "W1": ("self.slot(t.ke, t.level)", "self.slot(t.ke, 1)"),
    "W5": ("self.trim(self.current[t.level], above)", "self.current[t.level]"),
    "W2": ("pass", 't.pc = "A11"'),
    "A1": ("+= (t.ke,)", "= (t.ke,)", "withdrawn"),
    "A11": ("self.release(self.monitor, t.bucket)", "pass"),
    "W3": ("self.key[t.bucket] = key", "self.key[t.bucket] = self.deadline[t.ke]"),
    "W4": ("offered(self.queue, t.bucket, self.key)", "(t.bucket,)"),
    "K2": ("< self.deadline[t.he]", "<= self.deadline[t.he]"),
    "P1": ("t.polled = 0", "pass"),
    "R2": ("= self.me", "= self.threads[0]"),
    "R4": ("self.queue[0]", "self.queue[-1]"),
    "R5": ("self.tick[1]", "self.tick[1] + 1"),
    "V4": ("self.current[t.up]", "self.current[1]"),
    "V5": ("self.current[t.up + 1]", "self.current[t.up]"),
    "R6": ("t.expiration, t.up = 0, 1", "t.expiration = 0"),
    "V1": ("self.acquire(self.monitor, t.fb)", "True"),
    "F2": ("entries[1:]", "entries[:-1]", "withdrawn"),
    "V2": ("= -1", "= 0"),
    "V3": ("self.release(self.monitor, t.fb)", "pass"),
    "Q1": ("t.taken, True", "t.taken, False", "withdrawn"),
}


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
