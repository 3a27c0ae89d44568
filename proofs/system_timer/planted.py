"""Faults planted in module SystemTimer, and the steps that they break in small runs."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

from proofs.system_timer.links import Linked
from proofs.system_timer.runs import ReachedTimer, scenario
from proofs.system_timer.simulation import TimerSimulation
from proofs.timer_task_list.planted import broken_goal, violated
from wheelproof.prove.kernel import Found
from wheelproof.prove.module.runs import compared


@dataclass(frozen=True)
class Planted:
    """A fault in the module's text: a text and its replacement, and a scenario.

    ``goal``: the way, and its goal that fails first. ``property``: that of the compiled module
    which the fault breaks. ``base``, ``simulation``: the system that the goals are of.
    """

    base: ClassVar[type[Linked]] = Linked
    simulation: ClassVar[type[TimerSimulation]] = TimerSimulation

    name: str
    says: str
    old: str
    new: str
    program: dict[str, Any]
    goal: str
    property: str

    def find(self, _seed: int = 0) -> Found:
        """The first reached step that does not do as the theorem says."""
        violation = broken_goal(self.reached, self.simulation)
        return compared(violation, self.goal, lambda: violated(self.reached.model, self.property))

    @cached_property
    def reached(self) -> ReachedTimer:
        return ReachedTimer(self.program, self.old, self.new, base=self.base)


FAULTS = (
    Planted(
        "loses_bucket",
        "the reaper does not put back what it has polled without the lock",
        "/\\ queue' = Offer(queue, polled[self], key)",
        "/\\ queue' = queue",
        scenario({"one": 1}, a="add one", c="tick", r="reap"),
        "R3_to_R8: puts_back: copies",
        "QueuedOnceWithItsKey",
    ),
    Planted(
        "polls_early",
        "a bucket is due one moment before its key",
        "\nDue  == queue # <<>> /\\ key[queue[1]] <= now\n",
        "\nDue  == queue # <<>> /\\ key[queue[1]] <= now + 1\n",
        scenario({"one": 1}, a="add one", r="reap"),
        "R1_to_R2: polls_unlocked: guard 4",
        "NotEarly",
    ),
    Planted(
        "levels_overlap",
        "the buckets of a level begin one behind those of the level below",
        "Slot(e, l)  == (l - 1) * WheelSize +",
        "Slot(e, l)  == (l - 1) +",
        scenario({"far": 3, "near": 2}, size=3, levels=2, a="add far; add near"),
        "W1_to_W2: goes_into: into",
        "QueuedOnceWithItsKey",
    ),
    Planted(
        "third_level",
        "a bucket of the third level gets the key of a bucket of the second",
        "KeyFor(e, l) == Trim(Deadline[e], l)",
        "KeyFor(e, l) == Trim(Deadline[e], IF l > 2 THEN 2 ELSE l)",
        scenario({"four": 4, "six": 6}, levels=3, a="add six; add four"),
        "W3_to_W4: sets_key: key",
        "QueuedOnceWithItsKey",
    ),
)
"""Faults that the theorem rejects, by the way and the goal that fail first."""
