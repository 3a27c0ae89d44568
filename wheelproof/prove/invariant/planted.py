"""Faults planted in a module whose invariant is proved of itself, and the steps that they break."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import z3

from wheelproof.prove.invariant.conditions import Conditions, NotEntailed, Waits
from wheelproof.prove.invariant.runs import Reached, broken_goal, violated
from wheelproof.prove.invariant.system import SUBJECTS, Invariant, own
from wheelproof.prove.kernel import Control, Found
from wheelproof.prove.module.runs import compared
from wheelproof.prove.variants import Changes

if TYPE_CHECKING:
    from wheelproof.prove.invariant.subject import Subject


@dataclass(frozen=True)
class Fault:
    """A fault in a subject's module: texts, or the decision that is left out, and a scenario.

    ``of``: the system of the theorem that refuses it. ``goal``: the way and the conjunct that fail
    first, to Z3 and in the run. ``property``: that of the compiled module which the fault breaks,
    or a conjunct. ``stops``: the module keeps its invariant, and has a state in which no thread can
    step; the goal is then the label. ``schedule``: the run, "" for all: "a 4; b 2" are 4 steps of a
    and 2 of b.
    """

    name: str
    says: str
    of: type[Invariant]
    changes: Changes | str
    program: Mapping[str, Any]
    goal: str
    property: str
    stops: bool = False
    schedule: str = ""

    def __post_init__(self) -> None:
        """Raises ValueError for a change that is no pair of texts."""
        if not isinstance(self.changes, str):
            for change in self.changes:
                if not (isinstance(change, tuple) and [*map(type, change)] == [str, str]):
                    raise ValueError(f"{self.name}: a change is a pair of texts, not {change!r}")

    def theorem(self) -> type[Invariant]:
        """The system of the theorem that it is a control of."""
        return own(self.of)

    def subject(self) -> Subject:
        return SUBJECTS[self.theorem()]

    def control(self) -> Control:
        return Control(self.name, self.says, self.find, "trace")

    def steps(self) -> list[str]:
        """The thread that takes each step of the run."""
        entries = [word.split() for word in self.schedule.split("; ") if word]
        return [name for name, count in entries for _ in range(int(count))]

    def reached(self) -> Reached:
        """The states of the scenario, of the module with the fault."""
        return self.subject().reached(self.program, self.of, self.changes, schedule=self.steps())

    def find(self, _seed: int = 0) -> Found:
        """A condition that Z3 does not prove, and the reached step that breaks it."""
        place, _, conjunct = self.goal.partition(": ")
        goals = self.refused(place)
        if (conjunct or place) not in goals:
            return Found("unsat", f"{place} is proved, but for: {', '.join(goals) or 'nothing'}")
        exploration = self.reached()
        violation = stopped_at(exploration) if self.stops else broken_goal(exploration)
        return compared(violation, self.goal, lambda: violated(exploration, self.property))

    def refused(self, place: str) -> tuple[str, ...]:
        """The goals that are not proved of the module with the fault: of a way, or of a label."""
        subject = self.subject()
        waits = Waits(subject, self.of, self.changes)
        conditions = Conditions(subject, self.of, self.changes)
        try:
            if self.stops:
                waits.moves(place)
            elif place in conditions.module.actions():
                conditions.way(place)
        except NotEntailed as error:
            return error.goals
        return ()


def planted(
    invariant: type[Invariant],
    name: str,
    says: str,
    goal: str,
    violation: str,
    program: Mapping[str, Any],
    changes: Changes = (),
    schedule: str = "",
) -> Fault:
    """The fault of a module with texts changed."""
    return Fault(name, says, invariant, changes, program, goal, violation, schedule=schedule)


def without(of: type[Invariant], decision: str, goal: str, broken: str, program: str = "") -> Fault:
    """The fault of a module without a decision. ``program``: a scenario's name, "" for that of the
    decision's first mutant."""
    mechanism = SUBJECTS[of].mechanism
    entry = mechanism.decisions[decision]
    scenario = program or next(iter(entry.mutants.values()))["scenario"]
    return Fault(decision, entry.title, of, decision, mechanism.scenarios[scenario], goal, broken)


def stopped_at(exploration: Reached) -> str | None:
    """The label of a thread that can not step and does not wait; None for none."""
    system, threads = exploration.system, exploration.model.threads
    assert isinstance(system, Invariant)
    mover = z3.Const("t!", system.WORDS.threads.z3)
    compilation = exploration.instance.compiled
    code = compilation.code(system.waits(system.symbols(), mover), ("t",))
    waits = exploration.instance.function(code)
    names = {word: name for name, word in system.labels.called.items()}
    for edge in exploration.edges():
        places = exploration.placed.values(edge.frozen)["pc"]
        moving = {thread for thread, _, _ in exploration.model.successors(edge.frozen)}
        for number, thread in enumerate(threads):
            label = names[places[thread]]
            still = number not in moving and label != "Done"
            if still and not waits(edge.move.after, number):
                return label
    return None
