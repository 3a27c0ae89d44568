"""Each step of module TimerTaskList is one step of TimerTaskListAtomic, or none.

`mapped` is the refinement mapping of ``spec/TimerTaskListRefinementHistory.tla``, for any number of
entries, lists and threads. An add takes effect at A7, an unlink at ``state.UNLINK``. A remove
that returns does so at its last read, R1; a flush, at F2.
"""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any, NamedTuple

import z3
from z3 import And, If, Implies, Not, Or

from proofs.timer_task_list import state
from proofs.timer_task_list.atomic_links import Held
from proofs.timer_task_list.atomic_words import PHASE
from proofs.timer_task_list.atomic_words import system as atomic
from proofs.timer_task_list.links import at, entry, on
from proofs.timer_task_list.rings import Rings
from proofs.timer_task_list.simulation import Simulation
from proofs.timer_task_list.state import (
    ENTRY,
    LIST,
    NO_ENTRY,
    NO_THREAD,
    THREAD,
    between,
)
from wheelproof.prove.module.machines import Machine
from wheelproof.prove.module.simulation import simple
from wheelproof.prove.module.systems import Generated
from wheelproof.prove.ts.system import Everywhere, Step

_T = z3.Const("mapped_thread", THREAD.z3)
_L = z3.Const("mapped_list", LIST.z3)
_E = z3.Const("mapped_entry", ENTRY.z3)

PROMISES = {"MissAllowed": z3.BoolVal(True), "OneEffect": z3.BoolVal(False)}
"""The constants of the atomic module for its allowed steps."""


class Case(NamedTuple):
    """The atomic action that a step is where ``when`` holds; "" for none."""

    action: str
    when: z3.BoolRef = z3.BoolVal(True)


ACTIONS = {
    "C1_to_C2": "Enter",
    "C2_to_R1": "Read",
    "C2_to_C3": "Read",
    "C3_to_C4": "Set",
    "C4_to_back": "Release",
    "S1_to_S2": "Enter",
    "S2_to_R1": "Read",
    "S2_to_S3": "Read",
    "S3_to_S4": "Set",
    "S4_to_back": "Release",
    "K2_to_back": "HandOver",
    "F2_to_F4": "FlushReturns",
}
"""Way -> the atomic action that it is, from any caller of its procedure."""


def cases(name: str, s: SimpleNamespace, t: z3.ExprRef) -> list[Case]:
    """The atomic actions that a way may be."""
    adds, flushes = on(s, "add", t), on(s, "flush", t)
    label, _, to = name.partition("_to_")
    match label:
        case "T0":
            return [Case("" if to == "Done" else "Begin")]
        case "A7":
            return [Case("Move", flushes), Case("Link", Not(flushes))]
        case state.UNLINK:
            return [
                Case("MoveTakesHold", And(adds, flushes)),
                Case("AddTakesHold", And(adds, Not(flushes))),
                Case("Pick", And(Not(adds), flushes)),
                Case("RemoveUnlinks", And(Not(adds), Not(flushes))),
            ]
        case "K1":
            return [Case("Check", flushes), Case("CheckNew", Not(flushes))]
    if name == "R1_to_back":
        return [Case("", adds), Case("RemoveReturns", Not(adds))]
    return [Case(ACTIONS.get(name, ""))]


class Refinement(Simulation):
    """The conditions of one way: its image in the atomic module.

    ``LINKED``, ``UNLINKED``: the labels at which an add, an unlink, has taken effect.
    """

    LINKED: tuple[str, ...] = ("A8", "A9")
    UNLINKED: tuple[str, ...] = between("U6", "U11")

    def __init__(
        self,
        module: Generated,
        machine: Machine | None = None,
        promises: dict[str, z3.BoolRef] = PROMISES,
    ) -> None:
        super().__init__(module)
        self.machine, self.promises = machine or atomic()(), promises
        self.now = self.mapped(self.s)

    def phase(self, s: SimpleNamespace, t: z3.ExprRef) -> z3.ExprRef:
        """The next action of a thread, in the words of the atomic module."""
        adds, flushes = on(s, "add", t), on(s, "flush", t)
        has_linked = Or(at(s, t, *self.LINKED), s.done[t])
        arms = [
            (at(s, t, "Idle", "F4", "Done"), PHASE.idle),
            (at(s, t, "C1", "S1"), PHASE.entering),
            (at(s, t, "C2", "S2"), PHASE.reading),
            (at(s, t, "C3", "S3"), PHASE.setting),
            (at(s, t, "C4", "S4"), PHASE.releasing),
            (And(at(s, t, "T1", "K1"), Not(flushes)), PHASE.checking),
            (at(s, t, "F1", "F2"), PHASE.flushing),
            (And(at(s, t, "F3", "K1"), flushes), PHASE.held),
            (at(s, t, "K2"), PHASE.moving),
            (And(adds, flushes), If(has_linked, PHASE.flushing, PHASE.moving)),
            (adds, If(has_linked, PHASE.idle, PHASE.linking)),
            (flushes, If(at(s, t, *self.UNLINKED), PHASE.held, PHASE.flushing)),
        ]
        phase = PHASE.removing
        for condition, value in reversed(arms):
            phase = If(condition, value, phase)
        return phase

    def mapped(self, s: SimpleNamespace) -> SimpleNamespace:
        """A state of the module as one of the atomic module."""
        phase = self.phase(s, _T)
        has_picked = Or(phase == PHASE.held, phase == PHASE.moving)
        member = Or(s.linked[_E][_L], And(s.holder[_E] != NO_THREAD, s.home[_E] == _L))
        return SimpleNamespace(
            members=z3.Lambda([_L], z3.Lambda([_E], member)),
            mover=s.holder,
            timerTaskEntry=s.timerTaskEntry,
            taskOwner=s.taskMonitor_owner,
            turn=s.turn,
            phase=z3.Lambda([_T], phase),
            picked=z3.Lambda([_T], If(has_picked, entry(s, s.head[_T]), NO_ENTRY)),
        )

    def goals(self, name: str) -> Iterator[tuple[str, z3.BoolRef]]:
        """The goals of a way, by name: the atomic step, and the history's conjuncts."""
        values, step = self.step(name)
        then = self.mapped(self.module.after(self.s, step))
        t = values["t"]
        for case in cases(name, self.s, t):
            yield from self.refined(case, t, then)
        set_to = [(getattr(self.s, v), value) for v, value in step.updates.items()]
        for conjunct in OWN:
            formula = self.module.formula(conjunct, self.s)
            after = z3.substitute(formula, *set_to)
            if not after.eq(formula):
                yield conjunct, after

    def refined(
        self, case: Case, t: z3.ExprRef, then: SimpleNamespace
    ) -> Iterator[tuple[str, z3.BoolRef]]:
        """The step of the atomic module: it can be taken, and leads to the mapped state."""
        if not case.action:
            yield from self.equations("stutter", [(case.when, {})], then)
            return
        branches = [*self.branches(case.action, t)]
        holds = [And(list(guards)) for guards, _, _ in branches]
        single = len(branches) == 1
        parts = (
            [(f" {n}", guard) for n, guard in enumerate(branches[0][0], 1)]
            if single
            else [("", Or(holds))]
        )
        for suffix, guard in parts:
            yield f"{case.action}: guard{suffix}", Implies(case.when, guard)
        ways = [
            (case.when if single else And(case.when, condition), updates)
            for condition, (_, updates, _) in zip(holds, branches, strict=True)
        ]
        for n, ((condition, _), (_, _, obligations)) in enumerate(zip(ways, branches), 1):
            yield f"{case.action}: obligations {n}", Implies(condition, And(obligations))
        yield from self.equations(case.action, ways, then)

    def branches(
        self, action: str, t: z3.ExprRef
    ) -> Iterator[tuple[list[z3.BoolRef], dict[str, Any], list[z3.BoolRef]]]:
        """Guards, next values and obligations of an atomic action's branches, in a mapped state."""
        for name in self.machine.LABELS[action]:
            values, step = self.machine.step(name, self.machine.symbols())
            guards = step.guards[: len(step.guards) - len(step.defined)]
            updates = {**step.updates, **step.defined}
            places = [
                (fill.index, z3.Const(f"any_{fill.index.sort().name()}_1", fill.index.sort()))
                for fill in step.defined.values()
            ]
            yield (
                [self.read(guard, values) for guard in guards],
                {
                    variable: Everywhere(value.index, self.read(value.value, values))
                    if isinstance(value, Everywhere)
                    else self.read(value, values)
                    for variable, value in updates.items()
                },
                [
                    self.read(z3.substitute(obligation, *places), values)
                    for obligation in self.machine.obligations(name)
                ],
            )

    def read(self, term: z3.ExprRef, values: dict[str, z3.ExprRef]) -> z3.ExprRef:
        """A term of the atomic module in the mapped state."""
        symbols = self.machine.symbols()
        table = {**vars(self.now), **self.promises}
        choice = [(values["with_e"], self.s.ue[values["t"]])] if "with_e" in values else []
        return simple(
            z3.substitute(
                term,
                *[(getattr(symbols, name), value) for name, value in table.items()],
                *choice,
            )
        )

    def equations(
        self,
        action: str,
        branches: list[tuple[z3.BoolRef, dict[str, Any]]],
        then: SimpleNamespace,
    ) -> Iterator[tuple[str, z3.BoolRef]]:
        """Each variable's next value is that of the branch that is taken."""
        for variable, before in vars(self.now).items():
            image = getattr(then, variable)
            equalities = []
            for when, updates in branches:
                its = updates.get(variable, before)
                if isinstance(its, Everywhere) or not image.eq(its):
                    equalities.append(Implies(when, same(image, its)))
            equation = simple(And(equalities))
            if not z3.is_true(equation):
                yield f"{action}: {variable}", equation

    def step(self, name: str) -> tuple[dict[str, z3.ExprRef], Step]:
        return self.module.step(name, self.s)


OWN = tuple(name for name in Held.conjuncts() if name not in Rings.conjuncts())
"""The conjuncts of the history, which the labels' conditions keep beside the refinement."""


def same(value: z3.ExprRef, its: z3.ExprRef | Everywhere) -> z3.BoolRef:
    """Equality of two values, at arbitrary places where they are arrays."""
    sort = value.sort()
    if not isinstance(sort, z3.ArraySortRef):
        return value == its
    place = z3.Const(f"any_{sort.domain().name()}_1", sort.domain())
    return same(chosen(value, place), chosen(its, place))


def chosen(value: z3.ExprRef | Everywhere, place: z3.ExprRef) -> z3.ExprRef:
    """The value of an array at a place, of each branch where it has branches."""
    if isinstance(value, Everywhere):
        return simple(z3.substitute(value.value, (value.index, place)))
    if z3.is_app_of(value, z3.Z3_OP_ITE):
        condition, first, second = value.children()
        return If(condition, chosen(first, place), chosen(second, place))
    return simple(value[place])
