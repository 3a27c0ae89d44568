"""Where a thread of the proof's system waits for no monitor, module TimerTaskList can step.

With it P16 is about the module: its runs are finite, and a run that goes no further has ended.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, partial

import z3
from z3 import And, Implies, Not, Or

from proofs.timer_task_list.links import Linked, at
from proofs.timer_task_list.module import STEPS, module_digest
from proofs.timer_task_list.module import THEORY as STEPPED
from proofs.timer_task_list.ranked import THEORY as RANKED
from proofs.timer_task_list.rings import Rings
from proofs.timer_task_list.runs import NAME, ONE, Reached, Rung, rung, system, witnesses
from proofs.timer_task_list.simulation import Simulation
from proofs.timer_task_list.state import THREAD
from proofs.timer_task_list.system import OneReaper
from proofs.timer_task_list.view import ACTIONS
from wheelproof.prove.kernel import VC, Control, Found, ProofError, Theory
from wheelproof.prove.late import ATOMIC, LateVC
from wheelproof.prove.module.simulation import simple
from wheelproof.prove.ts.instances import cores

MOVER = z3.Const("t!", THREAD.z3)


def can_step(simulation: Simulation, label: str) -> z3.BoolRef:
    """A thread at the label that does not wait in the proof's system has a way to go."""
    place = "Idle" if label == "T0" else label
    ways = [simulation.module.way(name) for name in simulation.module.LABELS[label]]
    free = [And(way.guards[: len(way.guards) - len(way.defining)]) for way in ways]
    goes = And(
        MOVER != THREAD.null,
        at(simulation.s, MOVER, place),
        Not(OneReaper().waits(simulation.a, MOVER)),
    )
    return simple(Implies(goes, Or(free)))


class Conditions:
    """The verification conditions: one for each label."""

    @cached_property
    def simulation(self) -> Simulation:
        return Simulation(system()())

    @cached_property
    def premises(self) -> dict[str, z3.BoolRef]:
        """The constants and the links; the invariant of the proof's system is not needed."""
        premises = self.simulation.premises()
        return {
            name: premises[name]
            for name in premises
            if name in Linked.conjuncts() or "given" in name
        }

    def label(self, label: str) -> VC:
        """The condition of one label. ProofError: it does not follow from the links."""
        simulation = self.simulation
        by_premise, goal, missing = cores(
            simulation.module, self.premises, {"can step": can_step(simulation, label)}
        )
        if missing:
            raise ProofError(f"{label}: it does not follow that the module can step")
        premises = {name: And(parts) for name, parts in by_premise.items()}
        way = simulation.module.LABELS[label][0]
        cites = dict.fromkeys(set(premises) & set(Linked.conjuncts()), STEPS)
        return VC(label, premises, goal, witnesses()[way].before(way), cites=cites)


@dataclass(frozen=True)
class Planted:
    """A fault in the module's translation, and the label at which a small run must stop by it."""

    name: str
    says: str
    label: str
    old: str
    new: str
    run: Rung

    def find(self, _seed: int) -> Found:
        label = next(stops(Reached(self.run, self.old, self.new)), "")
        if not label:
            return Found("unsat", "every thread that does not wait can step")
        return Found("sat", label, "" if label == self.label else f"not {self.label}")


def stops(exploration: Reached) -> Iterator[str]:
    """The labels at which a thread neither waits in the proof's system nor can step."""
    module, instance = exploration.system, exploration.instance
    assert isinstance(module, Rings)
    simulation = Simulation(module)
    claims = {
        label: instance.function(instance.compiled.code(can_step(simulation, label), ("t",)))
        for label in module.LABELS
    }
    threads = range(len(exploration.model.threads))
    for state, _ in exploration.edges():
        for label, holds in claims.items():
            if not all(holds(state, thread) for thread in threads):
                yield label


FAULTS = (
    Planted(
        "not re-entrant",
        "a thread that flushes waits for itself when it unlinks",
        "U1",
        "listMonitor[ul[self]].owner \\in {NULL, self}\n",
        "listMonitor[ul[self]].owner = NULL\n",
        rung({"l1": "e1"}, ONE, a="expire l1", b="remove e1"),
    ),
    Planted(
        "cancel of none",
        "a cancel waits until its task has an entry",
        "C2",
        'ELSE /\\ pc\' = [pc EXCEPT ![self] = "C3"]\n',
        'ELSE /\\ FALSE /\\ pc\' = [pc EXCEPT ![self] = "C3"]\n',
        rung({"l1": "e1"}, ONE, a="cancel t1", b="cancel t1"),
    ),
)

OF = Conditions()
THEORY = Theory("protocols.timer_task_list_moves", mechanism=NAME, after=(STEPPED, RANKED))
THEORY.theorem(
    "Spec.TimerTaskListMoves",
    f"A thread of module TimerTaskList, as SANY has read it (SHA-256 {module_digest()}), can take "
    "a step at each of its labels, unless it waits there in OneReaper for a monitor that another "
    "thread holds.",
    [LateVC(label, partial(OF.label, label)) for label in ACTIONS],
    [Control(fault.name, fault.says, fault.find, "trace") for fault in FAULTS],
    rests_on=(STEPS,),
    assumes=(*ATOMIC, "A-CARDINALITY", "A-INIT", "A-PROGRAM"),
    profile="nightly",
)
