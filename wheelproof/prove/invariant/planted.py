"""Faults planted in a module whose invariant is proved of itself, and the steps that they break."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from wheelproof.prove.invariant.runs import Reached, broken_goal, violated
from wheelproof.prove.kernel import Control, Found
from wheelproof.prove.variants import Changes


@dataclass(frozen=True)
class Planted:
    """A fault in a module's text: what stands for which texts, and a scenario.

    ``of``: the system of the theorem that refuses it. ``goal``: the way and the conjunct that fail
    first. ``property``: what the compiled module with the fault breaks, or a conjunct.
    """

    name: str
    says: str
    of: Any
    changes: Changes
    program: Mapping[str, Any]
    goal: str
    property: str

    def reached(self) -> Reached:
        """The states of the scenario, of the module with the fault."""
        raise NotImplementedError

    def control(self) -> Control:
        return Control(self.name, self.says, self.find, "trace")

    def find(self, _seed: int = 0) -> Found:
        """The first reached step that does not keep what the theorem says."""
        reached = self.reached()
        judged = broken_goal(reached)
        if judged is None:
            return Found("unsat", "every step of the scenario is as the theorem says")
        if judged != self.goal:
            return Found("sat", judged, f"{self.goal} was to fail first")
        return Found("sat", judged, violated(reached, self.property))
