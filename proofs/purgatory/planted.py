"""Faults planted in module Purgatory, and the steps that they break in small runs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from proofs.delayed_operation.planted import stuck
from proofs.purgatory.links_lists import Linked
from proofs.purgatory.runs import Reached, scenario
from proofs.purgatory.simulation import ENABLED, WAITING, Simulation
from proofs.timer_task_list.planted import goals_on, violated
from wheelproof.prove.kernel import Found
from wheelproof.prove.module.runs import compared
from wheelproof.prove.variants import Changes


@dataclass(frozen=True)
class Planted:
    """A fault in the module's translation: texts and their replacements, and a scenario.

    ``goal``: the goal that fails first in the run, as "way: goal"; ``property``: that of the
    compiled module which the fault breaks. ``viewed``: the operation.
    """

    name: str
    says: str
    changes: Changes
    run: dict[str, Any]
    goal: str
    property: str
    viewed: str = "o"

    def reached(self) -> Reached:
        return Reached(self.run, self.viewed, self.changes)

    def find(self, _seed: int = 0) -> Found:
        """The first reached step that does not do as the theorem says."""
        exploration = self.reached()

        def contradiction() -> str:
            if self.property == "NoDeadlock":
                return stuck(exploration.model)
            return violated(exploration.model, self.property)

        return compared(broken_goal(exploration), self.goal, contradiction)


def broken_goal(exploration: Reached) -> str | None:
    """A step within the reached states that breaks a goal: "way: goal"; None where none does."""
    assert isinstance(exploration.system, Linked)
    simulation = Simulation(exploration.system)
    goals: dict[str, list[tuple[str, Any]]] = {}
    code = exploration.instance.compiled.code
    checks = {
        label: exploration.instance.function(code(simulation.enabled(label), ("t",)))
        for label in WAITING
    }
    threads = range(len(exploration.model.threads))
    for state, move in exploration.edges():
        for label, can in checks.items():
            if not all(can(move.after, thread) for thread in threads):
                return f"{label}: {ENABLED}"
        if move.action not in goals:
            goals[move.action] = [*goals_on(simulation, move.action, exploration.instance)]
        for name, holds in goals[move.action]:
            if not holds(state, *move.arguments):
                return f"{move.action}: {name}"
    return None


_ELSE = "ELSE /\\ pc' = [pc EXCEPT ![self] = "
_AT_A4 = "            /\\ UNCHANGED << ready, completed, pending, outer, armed, "
TWO_FORCE = scenario({"f": "force o", "g": "force o"})
FAULTS = (
    Planted(
        "removes_another_list",
        "removeKeyIfEmpty does not look whether the key still has the list that it found empty",
        (("/\\ IF list[rk[self]] = rw[self]\n", "/\\ IF TRUE\n"),),
        scenario(
            {"a": "watch o; check k", "b": "force o; check k; watch p"},
            need={"o": "c", "p": "d"},
            keys_of={"o": ["k"], "p": ["k"]},
            adds={"o": [], "p": []},
        ),
        "R2_to_R3: is_its_list: guard 3",
        "WatcherReachable",
    ),
    Planted(
        "watches_after_the_second_try",
        "an operation is tried twice, and then added to the lists of its keys",
        (
            (f'{_ELSE}"W0"]\n', f'{_ELSE}"A3"]\n'),
            (f'{_ELSE}"A5"]\n{_AT_A4}', f'{_ELSE}"W0"]\n{_AT_A4}'),
            (f'"W1"]\n                  {_ELSE}"A3"]', f'"W1"]\n                  {_ELSE}"A5"]'),
        ),
        scenario({"w": "watch o", "e": "deliver c k"}),
        "A2_to_A3: cases",
        "NoLostCompletion",
    ),
    Planted(
        "completes_without_its_lock",
        "forceComplete does not wait for the operation's lock",
        (("/\\ lock[lo[self]].owner \\in {NULL, self}\n", "/\\ TRUE\n"),),
        TWO_FORCE,
        "L2_to_L3: locks_to_force: guard 3",
        "CompletedOnce",
    ),
    Planted(
        "not_re_entrant",
        "a thread that has the lock waits for itself in forceComplete",
        (
            (
                "/\\ lock[lo[self]].owner \\in {NULL, self}\n",
                "/\\ lock[lo[self]].owner = NULL\n",
            ),
        ),
        scenario({"w": "watch o; deliver c k"}),
        f"L2: {ENABLED}",
        "NoDeadlock",
    ),
)
"""Faults that the theorem rejects, by the way and the goal that fail first."""
