"""Theorems about module SystemTimer itself: its steps are the proof's."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from functools import cached_property, partial

import z3

from proofs.system_timer.links import Linked
from proofs.system_timer.planted import FAULTS
from proofs.system_timer.runs import (
    NAME,
    SMALL,
    ReachedTimer,
    small,
    system,
    witnesses,
)
from proofs.system_timer.simulation import TimerSimulation
from proofs.system_timer.theory import OF_MODULE
from proofs.system_timer.theory import THEORY as PROVED
from proofs.system_timer.view import ACTIONS
from wheelproof.prove import variants
from wheelproof.prove.invariant.conditions import all_of
from wheelproof.prove.kernel import VC, Control, ProofError, Theory
from wheelproof.prove.late import ATOMIC, LateVC
from wheelproof.prove.module.simulation import simple
from wheelproof.prove.ts.instances import cores
from wheelproof.tla import export

INVARIANT = "Inv.Buckets"


class Conditions:
    """The verification conditions of the module: the start, and one for each label.

    ``old``, ``new``: as in `system`, for a module with a fault. ``BASE``: its ghosts and conjuncts.
    """

    BASE: type = Linked

    def __init__(self, old: str = "", new: str = "") -> None:
        self.old, self.new = old, new

    @cached_property
    def simulation(self) -> TimerSimulation:
        return TimerSimulation(system(self.old, self.new, self.BASE)())

    @cached_property
    def premises(self) -> dict[str, z3.BoolRef]:
        return self.simulation.premises()

    def proved(
        self,
        name: str,
        guards: dict[str, z3.BoolRef],
        goals: dict[str, z3.BoolRef],
        premises: dict[str, z3.BoolRef],
    ) -> tuple[dict[str, list[z3.BoolRef]], z3.BoolRef]:
        """The instances from which the goals follow. ProofError: one does not, by its name."""
        simulation = self.simulation
        by_premise, goal, missing = cores(
            simulation.module,
            premises | simulation.instances(name) | guards,
            goals,
            simulation.hints(),
        )
        if missing:
            raise ProofError(f"{name}: {', '.join(missing)} does not follow")
        return by_premise, goal

    def step(self, label: str) -> VC:
        """The ways of one label: each is a step of the proof's system and keeps the links."""
        simulation = self.simulation
        instances: dict[str, dict[int, z3.BoolRef]] = {}
        goals = []
        ways = simulation.module.LABELS[label]
        for name in ways:
            _, step = simulation.step(name)
            guards = {f"guard {i}": simple(guard) for i, guard in enumerate(step.guards, 1)}
            by_premise, goal = self.proved(
                name,
                guards,
                {goal: simple(formula) for goal, formula in simulation.goals(name)},
                self.premises,
            )
            guard_instances = [
                instance for premise in guards for instance in by_premise.pop(premise, [])
            ]
            for premise, formulas in by_premise.items():
                of_label = instances.setdefault(premise, {})
                of_label.update({formula.get_id(): formula for formula in formulas})
            goals.append(z3.Implies(all_of(guard_instances), goal))
        premises = {name: z3.And([*parts.values()]) for name, parts in instances.items()}
        return VC(label, premises, z3.And(goals), self.vivid(ways), cites=self.cites(premises))

    def vivid(self, ways: tuple[str, ...]) -> list[z3.BoolRef]:
        """A reached state in which the label is taken; the start for one that never is."""
        table = witnesses(self.BASE)
        for name in ways:
            if name in table:
                return table[name].before(name)
        exploration = ReachedTimer(small(system(base=self.BASE).TIMERS)[0], base=self.BASE)
        return exploration.in_state(exploration.start)

    def start(self) -> VC:
        """Init is a start of the proof's system, and the links hold there."""
        simulation = self.simulation
        formulas = {
            **{
                f"proof given {i}": f for i, f in enumerate(simulation.proof.given(simulation.a), 1)
            },
            **{
                f"proof start {i}": f
                for i, f in enumerate(simulation.proof.initially(simulation.a), 1)
            },
            **{
                name: simulation.module.formula(name, simulation.s)
                for name in simulation.module.conjuncts()
            },
        }
        premises = {
            f"given {i}": f for i, f in enumerate(simulation.module.given(simulation.s), 1)
        } | {
            f"initially {i}": f for i, f in enumerate(simulation.module.initially(simulation.s), 1)
        }
        goals = {name: simple(formula) for name, formula in formulas.items()}
        by_premise, goal = self.proved("start", {}, goals, premises)
        conjunctions = {name: z3.And(parts) for name, parts in by_premise.items()}
        exploration = ReachedTimer(SMALL[0], base=self.BASE)
        return VC(
            "start",
            conjunctions,
            goal,
            exploration.in_state(exploration.start),
            cites=self.cites(conjunctions),
        )

    def cites(self, premises: Mapping[str, z3.BoolRef]) -> dict[str, str]:
        """The theorems whose statements are premises: the invariant, and those with a number."""
        of_proof = {name: INVARIANT for name in premises if name.startswith("proof ")}
        return of_proof | {name: name.partition(" #")[0] for name in premises if " #" in name}


def module_digest() -> str:
    """The start of the SHA-256 of the module's text without comments."""
    source = export.source(variants.mechanisms()[NAME].spec)
    return hashlib.sha256("\0".join(text for _, text in source.texts).encode()).hexdigest()[:12]


OF = Conditions()
THEORY = Theory("protocols.system_timer_module", mechanism=NAME, after=(PROVED,))
THEORY.theorem(
    "Spec.SystemTimer",
    "Each step of each label of module SystemTimer, as SANY has read it (SHA-256 "
    f"{module_digest()}), is a step of Buckets or a stutter, where its timer is SystemTimer. "
    "It keeps the links of their states. No thread is at a label of kafkaReap then.",
    [
        LateVC("start", OF.start),
        *[LateVC(label, partial(OF.step, label)) for label in ACTIONS],
    ],
    [Control(fault.name, fault.says, fault.find, "trace") for fault in FAULTS],
    rests_on=(
        INVARIANT,
        *("divmod", "comm", "dist", "mono", "zero_one", "quotient_unique", "trimmed", "T1"),
    ),
    assumes=(*ATOMIC, "A-HEAP", "A-REAPER", *OF_MODULE),
    profile="nightly",
)
