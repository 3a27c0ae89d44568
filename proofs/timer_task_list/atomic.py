"""The theorem that TimerTaskList refines TimerTaskListAtomic, for every size."""

from __future__ import annotations

from functools import cached_property, partial

import z3

from proofs.timer_task_list.atomic_links import Held
from proofs.timer_task_list.atomic_planted import FAULTS
from proofs.timer_task_list.atomic_simulation import OWN, PROMISES, Refinement
from proofs.timer_task_list.atomic_words import NAME
from proofs.timer_task_list.atomic_words import system as atomic
from proofs.timer_task_list.links import Linked
from proofs.timer_task_list.module import STEPS, module_digest
from proofs.timer_task_list.module import THEORY as OF_MODULE
from proofs.timer_task_list.rings import Rings
from proofs.timer_task_list.runs import SMALL, Reached, system, witnesses
from proofs.timer_task_list.simulation import hints
from proofs.timer_task_list.state import LIST
from proofs.timer_task_list.theory import OF_MODULE as ASSUMED
from proofs.timer_task_list.view import ACTIONS
from wheelproof.prove.kernel import VC, Control, ProofError, Theory
from wheelproof.prove.late import ATOMIC, LateVC
from wheelproof.prove.module.machines import Machine
from wheelproof.prove.module.simulation import simple
from wheelproof.prove.module.starts import starts
from wheelproof.prove.ts.ground import grounded
from wheelproof.prove.ts.instances import Deep, core, cores
from wheelproof.prove.ts.system import Condition

PROVED = "Inv.TimerTaskList"
OF_RING = frozenset(Rings.conjuncts()) - frozenset(Linked.conjuncts())
READ_LATER = ("members", "timerTaskEntry")
"""Variables of the atomic module that Init makes of constants by means that no term is made of."""


class Conditions:
    """The verification conditions of the refinement: the start, and one for each label.

    ``old``, ``new``: as in `system`, for a module with a fault. ``of``: the refinement, or one with
    a fault. ``machine``, ``promises``: the atomic module, or another one.
    """

    def __init__(
        self,
        old: str = "",
        new: str = "",
        refinement: type[Refinement] = Refinement,
        machine: type[Machine] | None = None,
        promises: dict[str, z3.BoolRef] = PROMISES,
    ) -> None:
        self.old, self.new, self.of = old, new, refinement
        self.machine, self.promises = machine, promises

    @cached_property
    def refinement(self) -> Refinement:
        machine = self.machine or atomic()
        return self.of(system(self.old, self.new, Held)(), machine(), self.promises)

    @cached_property
    def premises(self) -> dict[str, z3.BoolRef]:
        return self.refinement.premises()

    def way(self, name: str) -> tuple[dict[str, list[z3.BoolRef]], z3.BoolRef, list[str]]:
        """The premises that a way's goals need, the goals, and those that do not follow."""
        refinement = self.refinement
        values, step = refinement.step(name)
        guards = {f"guard {i}": simple(guard) for i, guard in enumerate(step.guards, 1)}
        t = values["t"]
        return cores(
            refinement.module,
            self.premises | guards,
            {
                goal: self.opened(formula, t) if ": guard" in goal else simple(formula)
                for goal, formula in refinement.goals(name)
            },
            hints(name, refinement.s, t),
            OF_RING,
        )

    def opened(self, goal: z3.BoolRef, t: z3.ExprRef) -> z3.BoolRef:
        """A guard that entails the given one: an entry's list is the one that it is taken from."""
        return Deep({LIST.name: [self.refinement.s.ul[t]]}).goal(simple(goal), "goal")

    def step(self, label: str) -> VC:
        """The ways of one label: each is a step of the atomic module, or none."""
        instances: dict[str, dict[int, z3.BoolRef]] = {}
        goals = []
        ways = self.refinement.module.LABELS[label]
        for name in ways:
            by_premise, goal, missing = self.way(name)
            if missing:
                raise ProofError(f"{name}: {', '.join(missing)} does not follow")
            guard_instances = [
                instance
                for premise in [*by_premise]
                if premise.startswith("guard ")
                for instance in by_premise.pop(premise)
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
            witnesses(Held)[ways[0]].before(ways[0]),
            cites=cites(premises),
        )

    def start(self) -> VC:
        """Init is mapped to the atomic Init; no entry is held."""
        refinement = self.refinement
        module, machine = refinement.module, refinement.machine
        formulas = starts(machine, machine.symbols(), READ_LATER)
        images = [refinement.read(formula, {}) for formula in formulas if z3.is_quantifier(formula)]
        goal = z3.And(*images, *[module.formula(name, refinement.s) for name in OWN])
        premises = {f"given {i}": f for i, f in enumerate(module.given(refinement.s), 1)} | {
            f"initially {i}": f for i, f in enumerate(module.initially(refinement.s), 1)
        }
        condition = core(grounded(module, Condition("start", "init", premises, goal)))
        if condition is None:
            raise ProofError("the start does not follow from what Init is known to say")
        exploration = Reached(SMALL[0], base=Held)
        return VC(
            "start", condition.premises, condition.goal, exploration.in_state(exploration.start)
        )


def cites(premises: dict[str, z3.BoolRef]) -> dict[str, str]:
    """The premises that other theorems have proved of every state, by premise."""
    return {
        name: PROVED if name.startswith("proof ") else STEPS
        for name in premises
        if name.startswith("proof ") or name in Rings.conjuncts()
    }


OF = Conditions()
THEORY = Theory("protocols.timer_task_list_atomic", mechanism=NAME, after=(OF_MODULE,))
THEORY.theorem(
    "Atomic.TimerTaskList",
    "Each step of each label of module TimerTaskList, as SANY has read it (SHA-256 "
    f"{module_digest()}), is one step of the same thread in module TimerTaskListAtomic (SHA-256 "
    f"{module_digest('TimerTaskListAtomic')}) or none. An add is the step at A7, an unlink that at "
    "U5, a remove that returns the one at R1, a flush that returns the one at F2. The mapping is "
    "that of TimerTaskListRefinementHistory, MissAllowed is TRUE and OneEffect FALSE.",
    [
        LateVC("start", OF.start),
        *[LateVC(label, partial(OF.step, label)) for label in ACTIONS],
    ],
    [Control(fault.name, fault.says, fault.find, "trace") for fault in FAULTS],
    rests_on=(PROVED, STEPS),
    assumes=(*ATOMIC, "A-CARDINALITY", *ASSUMED),
    profile="nightly",
)
