"""OverflowWheel as the mechanism under test, and scenarios of it in few words."""

from __future__ import annotations

from typing import Any

from tests.model.artefacts import ROOT, Artefacts

ARTEFACTS = Artefacts("overflow_wheel")
NAME, MECHANISM, FAST = ARTEFACTS.name, ARTEFACTS.mechanism, ARTEFACTS.fast
source, model_graph = ARTEFACTS.source, ARTEFACTS.model_graph
FIELDS = ("overflow_wheel", "current_time", "list", "timer_task_entry")

__all__ = [
    "ARTEFACTS",
    "FAST",
    "FIELDS",
    "MECHANISM",
    "NAME",
    "ROOT",
    "model_graph",
    "scenario",
    "source",
]


def scenario(
    linked: bool = False, fields: tuple[str, ...] = FIELDS, **threads: list[list[str]]
) -> dict[str, Any]:
    """A program by each thread's name; stores of all threads into ``fields`` reach memory later."""
    ways = {f"{name}.{field}": [["memory", name, field]] for name in threads for field in fields}
    return {
        "wheels": [f"w{i + 1}" for i in range(len(threads))],
        "linked": linked,
        "threads": threads | ways,
    }
