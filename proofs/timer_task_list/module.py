"""Theorems about module TimerTaskList itself: its steps are the proof's, its rings are closed."""

from __future__ import annotations

import hashlib
from functools import cached_property, partial

import z3

from proofs.timer_task_list.links import Linked
from proofs.timer_task_list.planted import FAULTS
from proofs.timer_task_list.rings import RINGS, Rings
from proofs.timer_task_list.runs import NAME, SMALL, Reached, system, witnesses
from proofs.timer_task_list.simulation import Simulation, hints
from proofs.timer_task_list.theory import OF_MODULE
from proofs.timer_task_list.theory import THEORY as PROVED
from proofs.timer_task_list.view import ACTIONS
from wheelproof.prove import variants
from wheelproof.prove.kernel import VC, Control, ProofError, Theory
from wheelproof.prove.late import ATOMIC, LateVC
from wheelproof.prove.module.simulation import simple
from wheelproof.prove.ts.ground import grounded
from wheelproof.prove.ts.instances import core, cores
from wheelproof.prove.ts.system import Condition
from wheelproof.tla import export


class Conditions:
    """The verification conditions of the module: the start, one for each label, the rings.

    ``old``, ``new``: as in `system`, for a module with a fault.
    """

    def __init__(self, old: str = "", new: str = "") -> None:
        self.old, self.new = old, new

    @cached_property
    def simulation(self) -> Simulation:
        return Simulation(system(self.old, self.new)())

    @cached_property
    def premises(self) -> dict[str, z3.BoolRef]:
        return self.simulation.premises()

    def step(self, label: str) -> VC:
        """The ways of one label: each is a step of the proof's system and keeps the links."""
        simulation = self.simulation
        instances: dict[str, dict[int, z3.BoolRef]] = {}
        goals = []
        ways = simulation.module.LABELS[label]
        for name in ways:
            values, step = simulation.step(name)
            guards = {f"guard {i}": simple(guard) for i, guard in enumerate(step.guards, 1)}
            by_premise, goal, missing = cores(
                simulation.module,
                self.premises | guards,
                {goal: simple(formula) for goal, formula in simulation.goals(name)},
                hints(name, simulation.s, values["t"]),
                set(Rings.conjuncts()) - set(Linked.conjuncts()),
            )
            if missing:
                raise ProofError(f"{name}: {', '.join(missing)} does not follow")
            guard_instances = [
                instance for premise in guards for instance in by_premise.pop(premise, [])
            ]
            for premise, formulas in by_premise.items():
                of_label = instances.setdefault(premise, {})
                of_label.update({formula.get_id(): formula for formula in formulas})
            goals.append(z3.Implies(z3.And(guard_instances), goal))
        premises = {name: z3.And([*parts.values()]) for name, parts in instances.items()}
        return VC(
            label,
            premises,
            z3.And(goals),
            witnesses()[ways[0]].before(ways[0]),
            cites={name: "Inv.TimerTaskList" for name in premises if name.startswith("proof ")},
        )

    def start(self) -> VC:
        """Init is a start of the proof's system, and the links hold there."""
        simulation = self.simulation
        goal = z3.And(
            *[simple(formula) for formula in simulation.proof.initially(simulation.a)],
            *[
                simulation.module.formula(name, simulation.s)
                for name in simulation.module.conjuncts()
                if name not in RINGS
            ],
        )
        premises = {
            f"given {i}": f for i, f in enumerate(simulation.module.given(simulation.s), 1)
        } | {
            f"initially {i}": f for i, f in enumerate(simulation.module.initially(simulation.s), 1)
        }
        exploration = Reached(SMALL[0])
        condition = core(grounded(simulation.module, Condition("start", "init", premises, goal)))
        if condition is None:
            raise ProofError("the start does not follow from what Init is known to say")
        return VC(
            "start", condition.premises, condition.goal, exploration.in_state(exploration.start)
        )

    def rings(self) -> VC:
        """RingWellFormed, of the conjuncts that the labels keep."""
        simulation = self.simulation
        premises = {
            **{f"given {i}": f for i, f in enumerate(simulation.module.given(simulation.s), 1)},
            **{name: simulation.module.formula(name, simulation.s) for name in RINGS},
        }
        assert isinstance(simulation.module, Rings)
        goal = simulation.module.ring_well_formed(simulation.s)
        condition = core(
            grounded(simulation.module, Condition("rings", "implication", premises, goal))
        )
        if condition is None:
            raise ProofError("RingWellFormed does not follow from the invariant")
        exploration = Reached(SMALL[0])
        return VC(
            "RingWellFormed",
            condition.premises,
            condition.goal,
            exploration.in_state(exploration.start),
            cites={name: STEPS for name in condition.premises if name in RINGS},
        )


STEPS = "Spec.TimerTaskList"


def module_digest(name: str = "TimerTaskList") -> str:
    """The start of the SHA-256 of a module's text without comments."""
    source = export.source(variants.mechanisms()[NAME].spec.with_name(f"{name}.tla"))
    return hashlib.sha256("\0".join(text for _, text in source.texts).encode()).hexdigest()[:12]


OF = Conditions()
THEORY = Theory("protocols.timer_task_list_module", mechanism=NAME, after=(PROVED,))
THEORY.theorem(
    STEPS,
    "Each step of each label of module TimerTaskList, as SANY has read it (SHA-256 "
    f"{module_digest()}), is a step of TimerTaskList or a stutter. It keeps the links of "
    "their states, and each ring closed and in order by next and prev.",
    [
        LateVC("start", OF.start),
        *[LateVC(label, partial(OF.step, label)) for label in ACTIONS],
    ],
    [Control(fault.name, fault.says, fault.find, "trace") for fault in FAULTS],
    rests_on=("Inv.TimerTaskList",),
    assumes=(*ATOMIC, "A-CARDINALITY", "A-INIT", "A-PROGRAM"),
    profile="nightly",
)
THEORY.theorem(
    "P3.Rings",
    "When a list's monitor is free, its ring is closed by next and prev, which undo each "
    "other (RingWellFormed of module TimerTaskList), at any length.",
    [LateVC("RingWellFormed", OF.rings)],
    [Control(fault.name, fault.says, fault.find, "trace") for fault in FAULTS[1:2]],
    rests_on=(STEPS,),
    assumes=(*ATOMIC, "A-CARDINALITY", *OF_MODULE),
    profile="nightly",
)
