"""A mechanism whose invariant is proved of its module: systems, small runs, and the theorem.

Its folder has its words, its conjuncts and its faults. All else is here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, partial
from types import SimpleNamespace
from typing import Any

import z3

from wheelproof.prove import variants
from wheelproof.prove.invariant import conditions as own_invariant
from wheelproof.prove.invariant.runs import START, Reached, Scheduled, broken_goal, violated
from wheelproof.prove.kernel import VC, Control, Found, ProofError, Theory
from wheelproof.prove.late import ATOMIC, LateVC
from wheelproof.prove.module import systems
from wheelproof.prove.module.shapes import Vocabulary, Words
from wheelproof.prove.module.states import Placed
from wheelproof.prove.module.systems import Generated
from wheelproof.prove.ts.concrete import Compiled, State
from wheelproof.prove.ts.extremes import Determined
from wheelproof.prove.ts.system import WHOLE
from wheelproof.prove.variants import Changes
from wheelproof.tla.model import Compiled as Specification


def at(words: Words, s: SimpleNamespace, t: z3.ExprRef, *labels: str) -> z3.BoolRef:
    """The thread is at one of these labels."""
    known = [s.pc[t] == words.value(label) for label in labels]
    return z3.Or(known) if len(known) > 1 else known[0]


def back(
    words: Words, s: SimpleNamespace, procedure: str, t: z3.ExprRef, *labels: str
) -> z3.BoolRef:
    """The procedure is on the thread's stack, and returns to one of these labels."""
    known = [getattr(s, f"ret_{procedure}")[t] == words.value(label) for label in labels]
    return z3.Or(known) if len(known) > 1 else known[0]


class Here(Placed):
    """A system at a scenario's size. A place that a step determines is computed."""

    INSTANCE = Determined


@dataclass(frozen=True, eq=False)
class Subject:
    """A mechanism, and what its proof is made of.

    ``of``: the ghosts and conjuncts. ``small``: scenarios in which every label is taken.
    ``properties``: those that follow, by name. ``ghosts``: the ghosts' values at the start.
    ``elements``: those of added sorts and numbers, of a scenario. ``facts``, ``hints``: for a way,
    a property, or "" for the start, further premises and terms.
    """

    name: str
    words: Vocabulary
    of: type[Generated]
    small: Sequence[Mapping[str, Any]]
    properties: Sequence[str]
    ghosts: Mapping[str, Any] = field(default_factory=dict)
    placed: type[Placed] = Here
    elements: Callable[[Mapping[str, Any]], dict[str, Any]] = lambda _: {}
    facts: Callable[..., list[z3.BoolRef]] = lambda _, __: []
    hints: Callable[[SimpleNamespace, str], list[z3.ExprRef]] = lambda _, __: []

    def __post_init__(self) -> None:
        for name in ("specification", "system", "compiled", "witnesses"):
            object.__setattr__(self, name, cache(getattr(self, name)))

    def specification(self, changes: Changes = (), decision: str = "") -> Specification:
        """The module, compiled, with texts of its translation changed, or without a decision."""
        return variants.specification(self.name, changes, decision)

    def system(self, changes: Changes = (), decision: str = "") -> type[Generated]:
        module = self.specification(changes, decision).module
        return systems.made(f"{self.of.__name__}Module", module, self.words, self.of)

    def compiled(self, changes: Changes = (), decision: str = "") -> Compiled:
        return Compiled(self.system(changes, decision)())

    def reached(
        self,
        program: Mapping[str, Any],
        changes: Changes = (),
        decision: str = "",
        bound: int = 20_000,
        schedule: Sequence[str] = (),
        compiled: Compiled | None = None,
    ) -> Reached:
        """The states of the compiled module in a scenario, with the ghosts.

        ``schedule``: those of one run alone, by the thread that takes each step. ``compiled``: a
        system in place of the subject's.
        """
        constants = variants.mechanisms()[self.name].constants_of(program)
        model = self.specification(changes, decision).model(constants, tuple(program["threads"]))
        compiled = compiled or self.compiled(changes, decision)
        threads = program["threads"]
        most = max(len(threads), *map(len, threads.values()))
        added = {WHOLE.name: range(most + 3), **self.elements(program)}
        placed = self.placed(compiled, model, constants, added)
        ghosts = {name: of for name, of in self.ghosts.items() if name in placed.system.VARIABLES}
        found = (Scheduled if schedule else Reached)(placed, ghosts, bound)
        if isinstance(found, Scheduled):
            found.schedule = schedule
        return found

    def witnesses(self) -> dict[str, tuple[Reached, State]]:
        """For each label a scenario, and in it a state, in which it is taken; and a start."""
        found: dict[str, tuple[Reached, State]] = {}
        for program in self.small:
            run = self.reached(program)
            found.setdefault(START, (run, run.start))
            for edge in run.edges():
                found.setdefault(edge.label, (run, edge.before))
        return found


class Conditions(own_invariant.Conditions):
    """The verification conditions of a subject, or of its module with a fault."""

    def whole(self) -> VC:
        """The condition of the start, where each label of the module has one too.

        ProofError: a label has none, or there is no such label.
        """
        labels = variants.mechanisms()[self.subject.name].labels
        if differ := set(labels) ^ set(self.module.LABELS):
            raise ProofError(f"the labels of the module and those of its theorem differ: {differ}")
        return self.start()

    def __init__(self, subject: Subject, changes: Changes = (), decision: str = "") -> None:
        super().__init__(subject.of, changes)
        self.subject, self.decision = subject, decision

    def system(self) -> type[Generated]:
        return self.subject.system(self.changes, self.decision)

    def witnesses(self) -> Mapping[str, tuple[Reached, State]]:
        return self.subject.witnesses()

    def hints(self, name: str) -> list[z3.ExprRef]:
        return self.subject.hints(self.module.symbols(), name)

    def facts(self, name: str, *sets: z3.ExprRef) -> list[z3.BoolRef]:
        return self.subject.facts(self.module.symbols(), name, *sets)


@dataclass(frozen=True)
class Fault:
    """A fault in a subject's module: texts changed, or a decision taken away.

    ``goal``: the way and the conjunct that fail first, to Z3 and in the run. ``property``: what the
    compiled module breaks there, or a conjunct. ``program``: the scenario, "" for that of the
    decision's first mutant. ``schedule``: the run, "" for all: "a 4; b 2" are 4 steps of a and 2 of
    b.
    """

    name: str
    says: str
    goal: str
    property: str
    program: Mapping[str, Any]
    changes: Changes = ()
    decision: str = ""
    schedule: str = ""

    def steps(self) -> list[str]:
        """The thread that takes each step of the run."""
        counted = [each.split() for each in self.schedule.split("; ") if each]
        return [name for name, count in counted for _ in range(int(count))]

    def control(self, subject: Subject) -> Control:
        return Control(self.name, self.says, partial(self.find, subject), "trace")

    def find(self, subject: Subject, _seed: int = 0) -> Found:
        """A condition that Z3 does not prove, and the reached step that breaks it."""
        way, _, conjunct = self.goal.partition(": ")
        refused = self.refused(subject, way)
        if conjunct not in refused:
            return Found("unsat", f"{way} is proved, but for: {', '.join(refused) or 'nothing'}")
        reached = subject.reached(self.program, self.changes, self.decision, schedule=self.steps())
        judged = broken_goal(reached)
        if judged is None:
            return Found("unsat", "every step of the scenario is as the theorem says")
        if judged != self.goal:
            return Found("sat", judged, f"{self.goal} was to fail first")
        return Found("sat", judged, violated(reached, self.property))

    def refused(self, subject: Subject, way: str) -> tuple[str, ...]:
        """The conjuncts that a way of the module with the fault is not proved to keep."""
        try:
            Conditions(subject, self.changes, self.decision).way(way)
        except own_invariant.NotEntailed as error:
            return error.goals
        return ()


def without(subject: str, decision: str, goal: str, broken: str, program: str = "") -> Fault:
    """The fault of a module without a decision. ``program``: the name of a scenario."""
    mechanism = variants.mechanisms()[subject]
    known = mechanism.decisions[decision]
    scenario = program or next(iter(known.mutants.values()))["scenario"]
    return Fault(
        decision, known.title, goal, broken, mechanism.scenarios[scenario], decision=decision
    )


def submit(
    theory: Theory,
    subject: Subject,
    says: str,
    faults: Sequence[Fault],
    assumes: Sequence[str] = (),
    name: str = "",
) -> None:
    """Register the theorem: the start, each label, and each property of the subject."""
    conditions = Conditions(subject)
    labels = variants.mechanisms()[subject.name].labels
    module = variants.mechanisms()[subject.name].spec.stem
    theory.theorem(
        name or f"Spec.{module}",
        f"{says} of module {module}, as SANY has read it "
        f"(SHA-256 {own_invariant.digest(subject.name)}).",
        [
            LateVC(START, conditions.whole),
            *[LateVC(label, partial(conditions.step, label)) for label in labels],
            *[LateVC(each, partial(conditions.follows, each)) for each in subject.properties],
        ],
        [each.control(subject) for each in faults],
        assumes=(*ATOMIC, *assumes),
        profile="nightly",
    )
