"""Theorems about module DelayedOperation itself: its steps are those of each generation's proof."""

from __future__ import annotations

import hashlib
from functools import cached_property, partial

import z3

from proofs.delayed_operation.ghosts import BASE, PROCEDURES
from proofs.delayed_operation.links import Linked
from proofs.delayed_operation.planted import ENABLED, FAULTS, LINKS, conditions
from proofs.delayed_operation.runs import NAME, PROTOCOLS, system, witnesses
from proofs.delayed_operation.simulation import Kept, hints
from proofs.delayed_operation.theory import THEORY as PROVED
from wheelproof.prove import variants
from wheelproof.prove.kernel import VC, Control, ProofError, Theory
from wheelproof.prove.late import ATOMIC, LateVC
from wheelproof.prove.module.simulation import simple
from wheelproof.prove.solvers import trusted
from wheelproof.prove.ts.instances import cores
from wheelproof.tla import export

LABELS = (*BASE[:-1], *(label for labels in PROCEDURES.values() for label in labels.split()))


class Conditions:
    """The verification conditions of one theorem: the start, and one for each label.

    ``of``: a generation, or LINKS. ``old``, ``new``: as in `system`, for a module with a fault.
    """

    def __init__(self, subject: str, old: str = "", new: str = "") -> None:
        self.of, self.old, self.new = subject, old, new
        self.viewed = "TryPending" if subject == LINKS else subject

    @cached_property
    def kept(self) -> Kept:
        return conditions(system(self.old, self.new)(), self.of)

    @cached_property
    def premises(self) -> dict[str, z3.BoolRef]:
        return self.kept.premises()

    @trusted()
    def proved(self, label: str) -> tuple[dict[str, z3.BoolRef], z3.BoolRef]:
        """The premises that the ways of one label need, and the goal that follows from them.

        ProofError: a way is no step of the system, or does not keep the links.
        """
        instances: dict[str, dict[int, z3.BoolRef]] = {}
        goals = []
        for name in self.kept.module.LABELS[label]:
            values, step = self.kept.step(name)
            guards = {f"guard {i}": simple(guard) for i, guard in enumerate(step.guards, 1)}
            way_goals = {goal: simple(formula) for goal, formula in self.kept.goals(name)}
            further = hints(self.kept.s, values["t"])
            module, premises = self.kept.module, self.premises | guards
            by_premise, goal, missing = cores(
                module, premises, {name: z3.And([*way_goals.values()])}, further
            )
            if missing:
                by_premise, goal, missing = cores(module, premises, way_goals, further)
            if missing:
                raise ProofError(f"{name}: {', '.join(missing)} does not follow")
            guard_instances = [
                instance for premise in guards for instance in by_premise.pop(premise, [])
            ]
            _collect(instances, by_premise)
            goals.append(z3.Implies(z3.And(guard_instances), goal))
        enabling = self.kept.enabled(label)
        if enabling is not None:
            further = hints(self.kept.s, z3.Const("t!", self.kept.module.WORDS.threads.z3))
            by_premise, goal, missing = cores(
                self.kept.module, self.premises, {ENABLED: enabling}, further
            )
            if missing:
                raise ProofError(f"{label}: {ENABLED} does not follow")
            _collect(instances, by_premise)
            goals.append(goal)
        return {name: z3.And([*parts.values()]) for name, parts in instances.items()}, z3.And(goals)

    def step(self, label: str) -> VC:
        """The ways of one label: each is a step of the system, or keeps the links."""
        premises, goal = self.proved(label)
        exploration = witnesses(self.viewed)
        vivid = exploration.in_state(exploration.taken[label][0])
        return VC(label, premises, goal, vivid, cites=self.cites(premises))

    def cites(self, premises: dict[str, z3.BoolRef]) -> dict[str, str]:
        """The premises that other theorems have proved of every state."""
        if self.of == LINKS:
            return {}
        links = dict.fromkeys(set(premises) & set(Linked.conjuncts()), name_of(LINKS))
        return links | {name: f"Inv.{self.of}" for name in premises if name.startswith("proof ")}

    @trusted()
    def start(self) -> VC:
        """Init is a start: the links hold, or the system may start there."""
        module, s = self.kept.module, self.kept.s
        premises = {
            name: formula for name, formula in self.premises.items() if name.startswith("given")
        } | {f"initially {i}": formula for i, formula in enumerate(module.initially(s), 1)}
        first = [s.Needs_item[s.viewed][1], z3.IntVal(1)]
        by_premise, goal, missing = cores(module, premises, {"start": self.kept.start()}, first)
        if missing:
            raise ProofError("the start does not follow from what Init says")
        exploration = witnesses(self.viewed)
        conjunctions = {name: z3.And(parts) for name, parts in by_premise.items()}
        return VC("start", conjunctions, goal, exploration.in_state(exploration.start))


def _collect(
    table: dict[str, dict[int, z3.BoolRef]], by_premise: dict[str, list[z3.BoolRef]]
) -> None:
    for premise, formulas in by_premise.items():
        table.setdefault(premise, {}).update({formula.get_id(): formula for formula in formulas})


def name_of(subject: str) -> str:
    """The name of the theorem about a generation, or about the links."""
    return f"Spec.{subject}"


def module_digest() -> str:
    """The start of the SHA-256 of the module's text without comments."""
    source = export.source(variants.mechanisms()[NAME].spec)
    return hashlib.sha256("\0".join(text for _, text in source.texts).encode()).hexdigest()[:12]


THEORY = Theory(
    "protocols.delayed_operation_module", mechanism="delayed_operation", after=(PROVED,)
)
_READ = f"module DelayedOperation, as SANY has read it (SHA-256 {module_digest()}),"
for _subject in (LINKS, *PROTOCOLS):
    _conditions = Conditions(_subject)
    THEORY.theorem(
        name_of(_subject),
        f"Each step of each label of {_READ} "
        + (
            "keeps the links of its states to those of the proofs: stacks of any height, and "
            "what a thread does on one operation."
            if _subject == LINKS
            else f"is a step of {_subject} or a stutter, for each operation of this generation. "
            f"Where {_subject} can take a step of a label, so can the module, "
            "but for the callers' locks."
        ),
        [
            LateVC("start", _conditions.start),
            *[LateVC(label, partial(_conditions.step, label)) for label in LABELS],
        ],
        [
            Control(fault.name, fault.says, fault.find, "trace")
            for fault in FAULTS
            if fault.of == _subject
        ],
        rests_on=() if _subject == LINKS else (name_of(LINKS), f"Inv.{_subject}"),
        assumes=(
            *ATOMIC,
            "A-EVENTS",
            "A-INIT",
            "A-PROGRAM",
            *(() if _subject == LINKS else ("A-MONOTONE",)),
        ),
        profile="nightly",
    )
