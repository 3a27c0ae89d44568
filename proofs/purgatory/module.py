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
        for goal, formula in goals.items():
            groups.setdefault(together(goal), {})[goal] = formula
        instances: dict[str, list[z3.BoolRef]] = {}
        conclusions: list[z3.BoolRef] = []
        missing: list[str] = []
        for group in groups.values():
            attempts = [(group, self.needed(name, guards, group))]
            if attempts[0][1][2] and len(group) > 1:
                attempts = [
                    ({goal: formula}, self.needed(name, guards, {goal: formula}))
                    for goal, formula in group.items()
                ]
            for names, (by_premise, conclusion, failure) in attempts:
                missing += names if failure else ()
                conclusions.append(conclusion)
                for premise, formulas in by_premise.items():
                    instances.setdefault(premise, []).extend(formulas)
        if missing:
            raise ProofError(f"{name}: {', '.join(missing)} does not follow")
        return instances, conclusions

    def needed(
        self, name: str, guards: dict[str, z3.BoolRef], goals: dict[str, z3.BoolRef]
    ) -> tuple[dict[str, list[z3.BoolRef]], z3.BoolRef, bool]:
        """The instances that goals follow from, the goals, and whether some does not follow.

        A claim about any thread holds of the one that moves, and of the others.
        """
        s, module = self.simulation.s, self.simulation.module
        t = z3.Const("t!", module.WORDS.threads.z3)
        bystander = z3.Const(f"any_{module.WORDS.threads.name}_1", module.WORDS.threads.z3)
        whole = z3.simplify(arbitrary(z3.And([*goals.values()])))
        no = z3.BoolVal(False)
        own_goal = z3.simplify(z3.substitute(whole, (bystander, t)))
        theirs = z3.simplify(z3.substitute(whole, (bystander == t, no), (t == bystander, no)))
        pool, first = self.premises | guards, likely(name)
        stages: dict[str, list[dict[str, z3.BoolRef]]] = {"own": [], "theirs": []}
        alone = {
            premise: f
            for premise, f in pool.items()
            if premise in goals or premise.startswith("given")
        }
        for kind in stages.values():
            kind.append(alone | guards)
            kind.append({premise: f for premise, f in pool.items() if premise in first} | guards)
            kind.append({premise: f for premise, f in pool.items() if premise not in LATE})
            kind.append(pool)
        instances: dict[str, list[z3.BoolRef]] = {}
        conclusions = []
        for kind_, goal in (("own", own_goal), ("theirs", z3.Implies(bystander != t, theirs))):
            if z3.is_true(z3.simplify(goal)):
                continue
            only = terms(name, s, t) | {"thread": [t] if kind_ == "own" else [bystander, t]}
            for premises in stages[kind_]:
                by_premise, conclusion, failures = cores(
                    module, premises, {kind_: goal}, (), (), self.instances, only
                )
                if not failures:
                    break
            else:
                return {}, all_of([]), True
            conclusions.append(conclusion)
            for premise, formulas in by_premise.items():
                instances.setdefault(premise, []).extend(formulas)
        return instances, all_of(conclusions), False

    @trusted()
    def way(
        self, name: str, iterators: bool | None = None
    ) -> tuple[dict[str, list[z3.BoolRef]], z3.BoolRef]:
        """The instances that a way needs, and that it is a step and keeps the links.

        ``iterators``: the links of iterators alone, or all but them. ProofError: it is none, or
        does not.
        """
        simulation = self.simulation
        _, step = simulation.step(name)
        guards = {f"guard {i}": simple(guard) for i, guard in enumerate(step.guards, 1)}
        goals = {
            goal: simple(formula)
            for goal, formula in simulation.goals(name)
            if iterators is None or iterators == (goal in ITERATORS)
        }
        instances, conclusions = self.follow(name, guards, goals)
        guard_instances = [
            instance for premise in guards for instance in instances.pop(premise, [])
        ]
        return instances, z3.Implies(all_of(guard_instances), all_of(conclusions))

    @trusted()
    def can(self, label: str) -> tuple[dict[str, list[z3.BoolRef]], z3.BoolRef]:
        """The same, that the module can take the label's step where the proof's system can."""
        simulation = self.simulation
        instances, conclusions = self.follow(label, {}, {ENABLED: simulation.enabled(label)})
        return instances, all_of(conclusions)

    def step(self, label: str, iterators: bool | None = None) -> VC:
        """The ways of one label: each is a step of the proof's system and keeps the links.

        ``iterators``: as in `way`.
        """
        parts = [self.way(name, iterators) for name in self.simulation.module.LABELS[label]]
        if label not in NEVER and not iterators:
            parts.append(self.can(label))
        instances: dict[str, dict[int, z3.BoolRef]] = {}
        for by_premise, _ in parts:
            for premise, formulas in by_premise.items():
                instances.setdefault(premise, {}).update(
                    {formula.get_id(): formula for formula in formulas}
                )
        premises = {name: z3.And([*table.values()]) for name, table in instances.items()}
        exploration = witnesses()
        state = exploration.taken[label][0] if label in exploration.taken else exploration.start
        name = f"{label}_iterators" if iterators else label
        return self.condition(name, premises, all_of([goal for _, goal in parts]), state)

    def condition(
        self, name: str, premises: dict[str, z3.BoolRef], goal: z3.BoolRef, state: State
    ) -> VC:
        """A condition whose premises hold in a reached state."""
        substitute = self.renamed
        return VC(
            name,
            {premise: substitute(formula) for premise, formula in premises.items()},
            substitute(goal),
            [*map(substitute, witnesses().in_state(state))],
            cites=cites(premises),
        )

    def renamed(self, formula: z3.BoolRef) -> z3.BoolRef:
        """The formula with other names for variables that are called as a value of the proof's.

        SMT-LIB tells constants apart by name alone.
        """
        s = self.simulation.s
        constants = [getattr(s, name) for name in RESULT.values if hasattr(s, name)]
        return z3.substitute(
            formula,
            *[(constant, z3.Const(f"{constant}_of", constant.sort())) for constant in constants],
        )

    @trusted()
    def start(self) -> VC:
        """Init is a start of the proof's system, and the links hold there."""
        module, s = self.simulation.module, self.simulation.s
        givens = {name: f for name, f in self.premises.items() if name.startswith("given")}
        premises = givens | {f"initially {i}": f for i, f in enumerate(module.initially(s), 1)}
        further = [z3.IntVal(0), z3.IntVal(1)]
        by_premise, goal, missing = cores(module, premises, self.simulation.start(), further)
        if missing:
            raise ProofError(f"start: {', '.join(missing)} does not follow")
        conjunctions = {name: z3.And(parts) for name, parts in by_premise.items()}
        return self.condition("start", conjunctions, goal, witnesses().start)


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
