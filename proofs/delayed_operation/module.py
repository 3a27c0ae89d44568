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

    def __init__(self, of: str, old: str = "", new: str = "") -> None:
        self.of, self.old, self.new = of, old, new
        self.viewed = "TryPending" if of == LINKS else of

    @cached_property
    def kept(self) -> Kept:
        return conditions(system(self.old, self.new)(), self.of)

    @cached_property
    def premises(self) -> dict[str, z3.BoolRef]:
        return self.kept.premises()

    @trusted()
    def proved(self, label: str) -> tuple[dict[str, z3.BoolRef], z3.BoolRef]:
        """The premises that the ways of one label need, and what follows from them.

        ProofError: a way is no step of the system, or does not keep the links.
        """
        used: dict[str, dict[int, z3.BoolRef]] = {}
        goals = []
        for name in self.kept.module.LABELS[label]:
            values, made = self.kept.step(name)
            guards = {f"guard {i}": simple(each) for i, each in enumerate(made.guards, 1)}
            own = {each: simple(formula) for each, formula in self.kept.goals(name)}
            further = hints(self.kept.s, values["t"])
            of, known = self.kept.module, self.premises | guards
            kept, goal, missing = cores(of, known, {name: z3.And([*own.values()])}, further)
            if missing:
                kept, goal, missing = cores(of, known, own, further)
            if missing:
                raise ProofError(f"{name}: {', '.join(missing)} does not follow")
            needed = [each for premise in guards for each in kept.pop(premise, [])]
            _collect(used, kept)
            goals.append(z3.Implies(z3.And(needed), goal))
        enabled = self.kept.enabled(label)
        if enabled is not None:
            further = hints(self.kept.s, z3.Const("t!", self.kept.module.WORDS.threads.z3))
            kept, goal, missing = cores(
                self.kept.module, self.premises, {ENABLED: enabled}, further
            )
            if missing:
                raise ProofError(f"{label}: {ENABLED} does not follow")
            _collect(used, kept)
            goals.append(goal)
        return {name: z3.And([*parts.values()]) for name, parts in used.items()}, z3.And(goals)

    def step(self, label: str) -> VC:
        """The ways of one label: each is a step of the system, or keeps the links."""
        premises, goal = self.proved(label)
        reached = witnesses(self.viewed)
        vivid = reached.in_state(reached.taken[label][0])
        return VC(label, premises, goal, vivid, cites=self.cites(premises))

    def cites(self, premises: dict[str, z3.BoolRef]) -> dict[str, str]:
        """The premises that other theorems have proved of every state."""
        if self.of == LINKS:
            return {}
        links = dict.fromkeys(set(premises) & set(Linked.conjuncts()), name_of(LINKS))
        return links | {name: f"Inv.{self.of}" for name in premises if name.startswith("proof ")}

    @trusted()
    def start(self) -> VC:
        """What Init says is a start: the links hold, or the system may start there."""
        of, s = self.kept.module, self.kept.s
        premises = {
            name: formula for name, formula in self.premises.items() if name.startswith("given")
        } | {f"initially {i}": formula for i, formula in enumerate(of.initially(s), 1)}
        first = [s.Needs_item[s.viewed][1], z3.IntVal(1)]
        kept, goal, missing = cores(of, premises, {"start": self.kept.start()}, first)
        if missing:
            raise ProofError("the start does not follow from what Init says")
        reached = witnesses(self.viewed)
        needed = {name: z3.And(parts) for name, parts in kept.items()}
        return VC("start", needed, goal, reached.in_state(reached.start))


def _collect(used: dict[str, dict[int, z3.BoolRef]], kept: dict[str, list[z3.BoolRef]]) -> None:
    for premise, formulas in kept.items():
        used.setdefault(premise, {}).update({formula.get_id(): formula for formula in formulas})


def name_of(of: str) -> str:
    """The name of the theorem about a generation, or about the links."""
    return f"Spec.{of}"


def module_digest() -> str:
    """The start of the SHA-256 of the module's text without comments."""
    source = export.source(variants.mechanisms()[NAME].spec)
    return hashlib.sha256("\0".join(text for _, text in source.texts).encode()).hexdigest()[:12]


THEORY = Theory(
    "protocols.delayed_operation_module", mechanism="delayed_operation", after=(PROVED,)
)
_READ = f"module DelayedOperation, as SANY has read it (SHA-256 {module_digest()}),"
for _of in (LINKS, *PROTOCOLS):
    _made = Conditions(_of)
    THEORY.theorem(
        name_of(_of),
        f"Each step of each label of {_READ} "
        + (
            "keeps the links of its states to those of the proofs: stacks of any height, and "
            "what a thread does on one operation."
            if _of == LINKS
            else f"is a step of {_of} or a stutter, for each operation of this generation. Where "
            f"{_of} can take a step of a label, so can the module, but for the callers' locks."
        ),
        [
            LateVC("start", _made.start),
            *[LateVC(label, partial(_made.step, label)) for label in LABELS],
        ],
        [
            Control(fault.name, fault.says, fault.find, "trace")
            for fault in FAULTS
            if fault.of == _of
        ],
        rests_on=() if _of == LINKS else (name_of(LINKS), f"Inv.{_of}"),
        assumes=(
            *ATOMIC,
            "A-EVENTS",
            "A-INIT",
            "A-PROGRAM",
            *(() if _of == LINKS else ("A-MONOTONE",)),
        ),
        profile="nightly",
    )
