"""The theorem about module Purgatory itself: its steps are those of the proof."""

from __future__ import annotations

import hashlib
from functools import cached_property, partial

import z3

from proofs.purgatory.ghosts import BASE, NEVER, PROCEDURES
from proofs.purgatory.hints import ITERATORS, LATE, likely, terms, together
from proofs.purgatory.planted import FAULTS
from proofs.purgatory.runs import NAME, system, witnesses
from proofs.purgatory.simulation import ENABLED, Simulation
from proofs.purgatory.state import RESULT
from proofs.purgatory.theory import THEORY as PROVED
from wheelproof.prove import variants
from wheelproof.prove.kernel import VC, Control, ProofError, Theory
from wheelproof.prove.late import ATOMIC, LateVC
from wheelproof.prove.module.simulation import simple
from wheelproof.prove.solvers import trusted
from wheelproof.prove.ts.concrete import State
from wheelproof.prove.ts.ground import arbitrary
from wheelproof.prove.ts.instances import Instances, cores
from wheelproof.prove.variants import Changes
from wheelproof.tla import export

LABELS = (*BASE, *(label for labels in PROCEDURES.values() for label in labels.split()), *NEVER)
INVARIANT = "Inv.Purgatory"
APART = ("W5",)
"""Labels of two conditions: the links of iterators are one. cvc5 does not end on both as one."""


class Conditions:
    """The verification conditions of the theorem: the start, and one or two for each label.

    ``changes``: as in `system`, for a module with a fault.
    """

    def __init__(self, changes: Changes = ()) -> None:
        self.changes = changes

    @cached_property
    def simulation(self) -> Simulation:
        return Simulation(system(self.changes)())

    @cached_property
    def instances(self) -> Instances:
        return Instances(self.premises)

    @cached_property
    def premises(self) -> dict[str, z3.BoolRef]:
        return self.simulation.premises()

    def follow(
        self, name: str, guards: dict[str, z3.BoolRef], goals: dict[str, z3.BoolRef]
    ) -> tuple[dict[str, list[z3.BoolRef]], list[z3.BoolRef]]:
        """The instances from which the goals follow, and the goals. ProofError: one does not.

        Goals that need like premises are tried at once, and one by one where that fails.
        """
        groups: dict[str, dict[str, z3.BoolRef]] = {}
        for each, formula in goals.items():
            groups.setdefault(together(each), {})[each] = formula
        used: dict[str, list[z3.BoolRef]] = {}
        found: list[z3.BoolRef] = []
        missing: list[str] = []
        for group in groups.values():
            tried = [(group, self.needed(name, guards, group))]
            if tried[0][1][2] and len(group) > 1:
                tried = [
                    ({each: formula}, self.needed(name, guards, {each: formula}))
                    for each, formula in group.items()
                ]
            for names, (kept, made, lost) in tried:
                missing += names if lost else ()
                found.append(made)
                for premise, formulas in kept.items():
                    used.setdefault(premise, []).extend(formulas)
        if missing:
            raise ProofError(f"{name}: {', '.join(missing)} does not follow")
        return used, found

    def needed(
        self, name: str, guards: dict[str, z3.BoolRef], goals: dict[str, z3.BoolRef]
    ) -> tuple[dict[str, list[z3.BoolRef]], z3.BoolRef, bool]:
        """The instances that goals follow from, the goals, and whether some does not follow.

        What is claimed of any thread is so of the one that moves, and of the others.
        """
        s, of = self.simulation.s, self.simulation.module
        t = z3.Const("t!", of.WORDS.threads.z3)
        other = z3.Const(f"any_{of.WORDS.threads.name}_1", of.WORDS.threads.z3)
        whole = z3.simplify(arbitrary(z3.And([*goals.values()])))
        no = z3.BoolVal(False)
        own = z3.simplify(z3.substitute(whole, (other, t)))
        theirs = z3.simplify(z3.substitute(whole, (other == t, no), (t == other, no)))
        known, first = self.premises | guards, likely(name)
        stages: dict[str, list[dict[str, z3.BoolRef]]] = {"own": [], "theirs": []}
        alone = {each: f for each, f in known.items() if each in goals or each.startswith("given")}
        for kind in stages.values():
            kind.append(alone | guards)
            kind.append({each: f for each, f in known.items() if each in first} | guards)
            kind.append({each: f for each, f in known.items() if each not in LATE})
            kind.append(known)
        used: dict[str, list[z3.BoolRef]] = {}
        found = []
        for kind_, goal in (("own", own), ("theirs", z3.Implies(other != t, theirs))):
            if z3.is_true(z3.simplify(goal)):
                continue
            only = terms(name, s, t) | {"thread": [t] if kind_ == "own" else [other, t]}
            for premises in stages[kind_]:
                kept, made, lost = cores(of, premises, {kind_: goal}, (), (), self.instances, only)
                if not lost:
                    break
            else:
                return {}, all_of([]), True
            found.append(made)
            for premise, formulas in kept.items():
                used.setdefault(premise, []).extend(formulas)
        return used, all_of(found), False

    @trusted()
    def way(
        self, name: str, iterators: bool | None = None
    ) -> tuple[dict[str, list[z3.BoolRef]], z3.BoolRef]:
        """The instances that a way needs, and that it is a step and keeps the links.

        ``iterators``: the links of iterators alone, or all but them. ProofError: it is none, or
        does not.
        """
        simulation = self.simulation
        _, made = simulation.step(name)
        guards = {f"guard {i}": simple(each) for i, each in enumerate(made.guards, 1)}
        goals = {
            each: simple(formula)
            for each, formula in simulation.goals(name)
            if iterators is None or iterators == (each in ITERATORS)
        }
        used, found = self.follow(name, guards, goals)
        needed = [each for premise in guards for each in used.pop(premise, [])]
        return used, z3.Implies(all_of(needed), all_of(found))

    @trusted()
    def can(self, label: str) -> tuple[dict[str, list[z3.BoolRef]], z3.BoolRef]:
        """The same, that the module can take the label's step where the proof's system can."""
        simulation = self.simulation
        used, found = self.follow(label, {}, {ENABLED: simulation.enabled(label)})
        return used, all_of(found)

    def step(self, label: str, iterators: bool | None = None) -> VC:
        """The ways of one label: each is a step of the proof's system and keeps the links.

        ``iterators``: as in `way`.
        """
        parts = [self.way(name, iterators) for name in self.simulation.module.LABELS[label]]
        if label not in NEVER and not iterators:
            parts.append(self.can(label))
        used: dict[str, dict[int, z3.BoolRef]] = {}
        for kept, _ in parts:
            for premise, formulas in kept.items():
                used.setdefault(premise, {}).update(
                    {formula.get_id(): formula for formula in formulas}
                )
        premises = {name: z3.And([*of.values()]) for name, of in used.items()}
        reached = witnesses()
        state = reached.taken[label][0] if label in reached.taken else reached.start
        name = f"{label}_iterators" if iterators else label
        return self.condition(name, premises, all_of([each for _, each in parts]), state)

    def condition(
        self, name: str, premises: dict[str, z3.BoolRef], goal: z3.BoolRef, state: State
    ) -> VC:
        """A condition whose premises hold in a reached state."""
        renamed = self.renamed
        return VC(
            name,
            {each: renamed(formula) for each, formula in premises.items()},
            renamed(goal),
            [*map(renamed, witnesses().in_state(state))],
            cites=cites(premises),
        )

    def renamed(self, formula: z3.BoolRef) -> z3.BoolRef:
        """The formula with other names for variables that are called as a value of the proof's.

        SMT-LIB tells constants apart by name alone.
        """
        s = self.simulation.s
        own = [getattr(s, name) for name in RESULT.values if hasattr(s, name)]
        return z3.substitute(
            formula, *[(each, z3.Const(f"{each}_of", each.sort())) for each in own]
        )

    @trusted()
    def start(self) -> VC:
        """What Init says is a start of the proof's system, and the links hold there."""
        of, s = self.simulation.module, self.simulation.s
        given = {name: f for name, f in self.premises.items() if name.startswith("given")}
        premises = given | {f"initially {i}": f for i, f in enumerate(of.initially(s), 1)}
        further = [z3.IntVal(0), z3.IntVal(1)]
        kept, goal, missing = cores(of, premises, self.simulation.start(), further)
        if missing:
            raise ProofError(f"start: {', '.join(missing)} does not follow")
        needed = {name: z3.And(parts) for name, parts in kept.items()}
        return self.condition("start", needed, goal, witnesses().start)


def all_of(formulas: list[z3.BoolRef]) -> z3.BoolRef:
    """Their conjunction. SMT-LIB has no empty one."""
    return z3.And(formulas) if formulas else z3.BoolVal(True)


def cites(premises: dict[str, z3.BoolRef]) -> dict[str, str]:
    """The premises that the proof's own theorem has shown of every state."""
    return {name: INVARIANT for name in premises if name.startswith("proof ")}


def module_digest() -> str:
    """The start of the SHA-256 of the module's text without comments."""
    source = export.source(variants.mechanisms()[NAME].spec)
    return hashlib.sha256("\0".join(text for _, text in source.texts).encode()).hexdigest()[:12]


OF = Conditions()
THEORY = Theory("protocols.purgatory_module", mechanism="purgatory", after=(PROVED,))
THEORY.theorem(
    "Spec.Purgatory",
    f"Each step of each label of module Purgatory, as SANY has read it (SHA-256 {module_digest()}),"
    " is a step of Purgatory or a stutter, for each operation of the generation Blocking. It keeps "
    "the links of their states: stacks of any height, and lists with their places. Where Purgatory "
    "can take a step of a label, so can the module. No thread is at a label of TryPending.",
    [
        LateVC("start", OF.start),
        *[LateVC(label, partial(OF.step, label)) for label in LABELS if label not in APART],
        *[LateVC(label, partial(OF.step, label, False)) for label in APART],
        *[LateVC(f"{label}_iterators", partial(OF.step, label, True)) for label in APART],
    ],
    [Control(fault.name, fault.says, fault.find, "trace") for fault in FAULTS],
    rests_on=(INVARIANT,),
    assumes=(*ATOMIC, "A-ENTERED", "A-INIT", "A-ORDER", "A-PROGRAM"),
    profile="nightly",
)
