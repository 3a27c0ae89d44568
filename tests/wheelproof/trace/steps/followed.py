"""For the tests of step recordings: the mechanisms, and recordings with something changed."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

from tests import found
from wheelproof.project import find
from wheelproof.project.mechanism import Mechanism
from wheelproof.trace.judging.verdict import Verdict
from wheelproof.trace.steps.follow import follow
from wheelproof.trace.steps.format import Recording

ROOT = Path(__file__).parents[4]
ONE_SHOT = ROOT / "examples/one_shot"
MEMORY = "real threads see stores at once, and only a memory that delays them shows the fault"
UNSEEN = {
    ("overflow_wheel", "M6"): MEMORY,
    ("overflow_wheel", "M7"): MEMORY,
    ("overflow_wheel", "PlainWheel"): MEMORY,
}
"""(mechanism, mutant) of which no recording shows the fault, and why."""


@cache
def mechanisms() -> dict[str, Mechanism]:
    return found.mechanisms() | find(ONE_SHOT)


def judged(recording: Recording) -> Verdict:
    return follow(mechanisms(), recording)


def with_events(recording: Recording, events: list[dict[str, Any]]) -> Recording:
    """The recording with these events, numbered as if they had been recorded so."""
    counts: dict[str, int] = {}
    out = []
    for number, event in enumerate(events, 1):
        event = event | {"seq": number}
        if "thread" in event:
            counts[event["thread"]] = event["tseq"] = counts.get(event["thread"], 0) + 1
        out.append(event)
    return Recording(recording.header, out)
