"""Faults planted in module DelayedOperation, and the steps that they break in small runs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from proofs.delayed_operation import system as systems
from proofs.delayed_operation.runs import Reached, Rung, rung
from proofs.delayed_operation.simulation import Kept, Simulation
from proofs.timer_task_list.planted import goals_on, violated
from wheelproof.prove.kernel import Found
from wheelproof.prove.module.runs import compared
from wheelproof.prove.ts.faults import fails

ENABLED = "enabled"
"""The name of the goal that a label has beside those of its ways."""
LINKS = "DelayedOperation"
"""The name of the links where a generation may be named."""


@dataclass(frozen=True)
class Planted:
    """A fault in the module's translation: a text and its replacement, and a scenario.

    ``of``: the generation whose theorem rejects it, or LINKS. ``viewed``: the operation. ``goal``:
    the goal that fails first, as "way: goal". ``property``: that of the compiled module which the
    fault breaks.
    """

    name: str
    says: str
    of: str
    old: str
    new: str
    run: Rung
    goal: str
    property: str
    viewed: str = "o"

    def reached(self) -> Reached:
        return Reached(self.run, self.viewed, self.old, self.new)

    def find(self, _seed: int = 0) -> Found:
        """The first reached step that does not do as the theorem says."""
        exploration = self.reached()

        def contradiction() -> str:
            if self.property == "NoDeadlock":
                return stuck(exploration.model)
            return violated(exploration.model, self.property)

        return compared(broken_goal(exploration, self.of), self.goal, contradiction)


def stuck(model: Any, bound: int = 20_000) -> str:
    """ "" where a model has a state in which no thread can step and one is to; else that none."""
    states, waiting = {model.initial()}, [model.initial()]
    for state in waiting:
        if fails(model, "NoDeadlock", state):
            return ""
        for _, _, after in model.successors(state):
            if after not in states and len(states) < bound:
                states.add(after)
                waiting.append(after)
    return "no state of the module is a deadlock"


def conditions(module: Any, subject: str) -> Kept:
    """The conditions of a theorem about the module, by the generation's name or LINKS."""
    return Kept(module) if subject == LINKS else Simulation(module, getattr(systems, subject)())


def broken_goal(exploration: Reached, subject: str) -> str | None:
    """A step within the reached states that breaks a goal: "way: goal"; None where none does."""
    simulation = conditions(exploration.system, subject)
    goals: dict[str, list[tuple[str, Any]]] = {}
    checks = enabled_on(simulation, exploration)
    for state, move in exploration.edges():
        for label, can in checks.items():
            if not all(can(move.after, thread) for thread in range(len(exploration.model.threads))):
                return f"{label}: {ENABLED}"
        if move.action not in goals:
            goals[move.action] = [*goals_on(simulation, move.action, exploration.instance)]
        for name, holds in goals[move.action]:
            if not holds(state, *move.arguments):
                return f"{move.action}: {name}"
    return None


def enabled_on(simulation: Kept, exploration: Reached) -> dict[str, Any]:
    """For each label: whether a thread of a state can step where the proof's system can."""
    checks = {}
    for label in simulation.module.LABELS:
        if (term := simulation.enabled(label)) is not None:
            checks[label] = exploration.instance.function(
                exploration.instance.compiled.code(term, ("t",))
            )
    return checks


def _expired_twice(protocol: str) -> Rung:
    return rung({"o": f"{protocol} c1"}, {}, x="expire o", y="expire o")


UNCHECKED = ("/\\ IF completed[xo[self]]\n", "/\\ IF FALSE\n")
_GAVE_UP = (
    "            /\\ gaveUp' = [gaveUp EXCEPT ![self] = ~retry'[self]]\n            /\\ pending' = "
)
NOTE = (
    "~pending[po[self]]]\n" + _GAVE_UP + "[pending EXCEPT ![po[self]] = TRUE]\n",
    "FALSE]\n" + _GAVE_UP + "pending\n",
)
FAULTS = (
    Planted(
        "completes_again",
        "forceComplete does not look at completed, and two operations complete each other",
        LINKS,
        *UNCHECKED,
        rung({"o": "TryPending c1", "p": "TryPending c2"}, {"o": "p", "p": "o"}, x="expire o"),
        "X1_to_X3: forces_an_operation",
        "CompletedOnce",
    ),
    Planted(
        "returns_too_far_up",
        "onComplete returns to the step before its call",
        LINKS,
        'pc        |->  "X4"',
        'pc        |->  "X3"',
        rung({"o": "TryPending c1"}, {}, x="expire o"),
        "X3_to_D1: calls_have_their_places",
        "CompletedOnce",
    ),
    Planted(
        "TryOnce_unchecked",
        "forceComplete does not look at completed",
        "TryOnce",
        *UNCHECKED,
        _expired_twice("TryOnce"),
        "X1_to_X3: sets_completed: guard 2",
        "CompletedOnce",
    ),
    Planted(
        "TryPending_unchecked",
        "forceComplete does not look at completed",
        "TryPending",
        *UNCHECKED,
        _expired_twice("TryPending"),
        "X1_to_X3: sets_completed: guard 2",
        "CompletedOnce",
    ),
    Planted(
        "no_note",
        "a thread that does not get the lock leaves no note",
        "TryPending",
        *NOTE,
        rung({"o": "TryPending c1 c2"}, {}, a="deliver c1 o", b="deliver c2 o"),
        "P5_to_P6: leaves_note: pending",
        "NoLostCompletion",
    ),
    Planted(
        "expires_anyway",
        "onExpiration runs for a thread that did not complete the operation",
        "TryPending",
        "IF ~raised[self] /\\ won[self]\n",
        "IF ~raised[self]\n",
        rung({"o": "TryPending c1"}, {}, a="deliver c1 o", x="expire o"),
        "T1_to_V1: expires: guard 2",
        "ExpiredByTimeoutOnly",
    ),
    Planted(
        "LockedTry_unlocked",
        "an attempt does not wait for the lock",
        "LockedTry",
        "/\\ lock[so[self]].owner \\in {NULL, self}\n",
        "/\\ TRUE\n",
        rung({"o": "LockedTry c1"}, {}, a="attempt o", b="attempt o"),
        "S1_to_Y1: locks: guard 2",
        "OneTries",
    ),
    Planted(
        "CheckedTry_unlocked",
        "an attempt does not wait for the lock",
        "CheckedTry",
        "/\\ lock[bo[self]].owner \\in {NULL, self}\n",
        "/\\ TRUE\n",
        rung({"o": "CheckedTry c1"}, {}, a="attempt o", b="attempt o"),
        "B1_to_B2: locks: guard 2",
        "OneTries",
    ),
    Planted(
        "tries_completed",
        "tryComplete runs on an operation that is completed",
        "Blocking",
        "/\\ IF ~completed[bo[self]]\n",
        "/\\ IF TRUE\n",
        rung({"o": "Blocking c1"}, {}, a="attempt o", x="expire o"),
        "B2_to_Y1: finds_open: guard 2",
        "TryExcludesComplete",
    ),
    Planted(
        "not_re_entrant",
        "a thread that has the lock waits for itself in forceComplete",
        "Blocking",
        "/\\ lock[lo[self]].owner \\in {NULL, self}\n",
        "/\\ lock[lo[self]].owner = NULL\n",
        rung({"o": "Blocking c1"}, {}, a="deliver c1 o"),
        "L2: enabled",
        "NoDeadlock",
    ),
)
"""Faults that the theorems reject, by the way and the goal that fail first."""
