"""P17: when attempts of TryPending end, whatever the schedule, if programs are finite.

They end once every condition holds (`Ending`), and where one thread alone tries (`OneCaller`). With
two callers and a condition that does not hold they need not: `Spec.TryPendingCycle`.

The rank of a state has five parts. Each is a number of things of which there are finitely many:

* `open`: 1 until the operation is completed;
* `looks`: 1 until a thread reads conditions all of which hold;
* `notes`: 1 while a note can be left at the open operation;
* `stage`: of each thread, how far its attempt or run is from its end;
* `unread`: the pairs of a thread in tryComplete and a condition that it has not read.

A step that begins nothing lowers one part, and raises none before it.
"""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace
from typing import ClassVar

import z3
from z3 import And, Exists, ForAll, If, Implies, Not, Or, Store

from proofs.protocols.delayed_operation_compared import TryPending
from proofs.protocols.delayed_operation_steps import (
    CONDITION,
    NO_THREAD,
    THREAD,
    VIA,
    C,
    T,
)
from proofs.protocols.ranks import RANK, number
from proofs.ts import Condition, Step, action, conjunct, when

PARTS = ("open", "looks", "notes", "stage", "unread")
LOWERS = {
    "sets_completed": ("open",),
    "clears_note": ("looks", "stage"),
    "leaves_note": ("notes", "stage"),
    "reads_true": ("unread",),
}
"""Action -> the parts of which it lowers one; the others lower their thread's stage."""
WHILE_OPEN = {"P3": 9, "P4": 8, "P1": 6, "P2": 5, "Y1": 4, "X1": 3, "P5": 3, "P6": 1}
RETRIES = 6
"""Added at P6 if the thread is to try again."""
COMPLETED = {"P1": 20, "P2": 19, "Y1": 18, "X1": 17, "X3": 16, "D1": 15, "X4": 14} | {
    "P3": 13,
    "P4": 12,
    "P5": 12,
    "P6": 10,
    "T1": 2,
    "V1": 1,
}
"""Stages by place."""
NEVER = "never "
"""What the name of a condition begins with by which an action is never taken."""


class Ending(TryPending):
    """TryPending, with the rank."""

    @conjunct
    def one_is_unread(self, s: SimpleNamespace) -> z3.BoolRef:
        """In tryComplete there is a condition to read."""
        unread = Exists([C], And(s.needed[C], Not(s.seen[T][C])))
        return ForAll([T], Implies(self.is_at(s, T, "Y1"), unread))

    @conjunct
    def reads_on(self, s: SimpleNamespace) -> z3.BoolRef:
        """Nothing is read but in tryComplete."""
        return ForAll([T, C], Implies(s.seen[T][C], self.is_at(s, T, "Y1")))

    # -- the rank

    def open(self, s: SimpleNamespace) -> z3.BoolRef:
        return Not(s.completed)

    def looks(self, s: SimpleNamespace) -> z3.BoolRef:
        """No thread has cleared the note and has not read on."""
        o = s.owner
        reading = Or(self.is_at(s, o, "Y1"), And(self.is_at(s, o, "X1"), s.via[o] == VIA.attempt))
        return And(Not(s.completed), Not(And(o != NO_THREAD, reading)))

    def notes(self, s: SimpleNamespace) -> z3.BoolRef:
        return And(Not(s.completed), Not(s.pending))

    def stage(self, s: SimpleNamespace, t: z3.ExprRef) -> z3.ArithRef:
        """An upper bound of the thread's steps to its end, or to a step that lowers more."""
        again = And(self.is_at(s, t, "P6"), s.retry[t])
        running = number(s.at[t], self.PLACES, {"T1": 2, "V1": 1})
        in_open = number(s.at[t], self.PLACES, WHILE_OPEN) + If(again, RETRIES, 0) + running
        return If(s.completed, number(s.at[t], self.PLACES, COMPLETED), in_open)

    def unread(self, s: SimpleNamespace, t: z3.ExprRef, c: z3.ExprRef) -> z3.BoolRef:
        return And(self.is_at(s, t, "Y1"), s.needed[c], Not(s.seen[t][c]))

    # -- what a step does to it

    def kept(self, part: str, s: SimpleNamespace, after: SimpleNamespace) -> z3.BoolRef:
        """A step does not raise the part."""
        if part == "stage":
            return ForAll([T], self.stage(after, T) <= self.stage(s, T))
        of = getattr(self, part)
        return Implies(of(after), of(s))

    def lowered(
        self, part: str, s: SimpleNamespace, after: SimpleNamespace, values: dict[str, z3.ExprRef]
    ) -> z3.BoolRef:
        """A step lowers the part, and raises none before it."""
        before = [self.kept(each, s, after) for each in PARTS[: PARTS.index(part)]]
        t = values["t"]
        if part == "stage":
            now, then = self.stage(s, t), self.stage(after, t)
            return And(*before, 0 <= then, then < now, self.kept(part, s, after))
        if part == "unread":
            c = values["c"]
            others = ForAll([T, C], Implies(self.unread(after, T, C), self.unread(s, T, C)))
            return And(*before, others, self.unread(s, t, c), Not(self.unread(after, t, c)))
        of = getattr(self, part)
        return And(*before, of(s), Not(of(after)))

    def can_move(self, s: SimpleNamespace, t: z3.ExprRef) -> z3.BoolRef:
        """Some action of the thread is enabled; at Y1 one for any condition that it has not read.

        That one holds or does not, and there is another one to read or there is none.
        """
        found = [And(self.is_at(s, t, "Y1"), Exists([C], self.unread(s, t, C)))]
        for name, taken in self.actions().items():
            if not taken.begins and len(taken.parameters) == 1:
                values, made = self.step(name, s)
                found.append(z3.substitute(And(list(made.guards)), (values["t"], t)))
        return Or(found)

    # -- the states that the rank is about

    NEVER: ClassVar[tuple[str, ...]] = ("reads_false",)
    """Actions that no thread takes there. A restriction that lacks them takes the same steps."""

    def holds(self, s: SimpleNamespace) -> dict[str, z3.BoolRef]:
        """What holds of these states besides the invariant, by name, and goes on to hold.

        Every condition holds. Conditions do not become false.
        """
        return {"every condition holds": self.all_ready(s)}


class OneCaller(Ending):
    """TryPending where one thread alone tries: its rank needs no looks and no notes."""

    RIGID = {**TryPending.RIGID, "caller": THREAD.z3}
    NEVER = ("does_not_get_lock", "leaves_note", "tries_again")
    does_not_get_lock = None
    leaves_note = None
    tries_again = None

    @action(t=THREAD, begins=True)
    def attempts(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(self.is_at(s, t, "Idle"), t == s.caller, at=self.go(s, t, self.HEAD))

    @action(t=THREAD, c=CONDITION, begins=True)
    def delivers(self, s: SimpleNamespace, t: z3.ExprRef, c: z3.ExprRef) -> Step:
        return when(
            self.is_at(s, t, "Idle"),
            t == s.caller,
            at=self.go(s, t, self.HEAD),
            ready=Store(s.ready, c, True),
        )

    @conjunct
    def caller_alone_tries(self, s: SimpleNamespace) -> z3.BoolRef:
        """A thread in an attempt is the caller, and there is no note for it."""
        tries = Or(self.is_at(s, T, "P1", "P2", "Y1", "P3", "P4", "P6"), s.via[T] == VIA.attempt)
        alone = And(Implies(tries, T == s.caller), Not(self.is_at(s, T, "P5")), Not(s.retry[T]))
        return And(Not(s.pending), ForAll([T], alone))

    def looks(self, s: SimpleNamespace) -> z3.BoolRef:
        return z3.BoolVal(False)

    def notes(self, s: SimpleNamespace) -> z3.BoolRef:
        return z3.BoolVal(False)

    def stage(self, s: SimpleNamespace, t: z3.ExprRef) -> z3.ArithRef:
        return number(s.at[t], self.PLACES, COMPLETED)

    def holds(self, s: SimpleNamespace) -> dict[str, z3.BoolRef]:
        return {}


def ranked(system: Ending) -> Iterator[Condition]:
    """The conditions of the rank: one for each action that begins nothing and is ever taken.

    Of those that are never taken, that they cannot be.
    """
    s = system.symbols()
    given = {f"given {index}": formula for index, formula in enumerate(system.given(s), 1)}
    known = {**given, **system.invariant(s), **system.holds(s)}
    for name in system.NEVER:
        _, made = Ending().step(name, s)
        yield Condition(NEVER + name, "implication", known, Not(And(list(made.guards))))
    for name, taken in system.actions().items():
        if taken.begins or name in system.NEVER:
            continue
        values, made = system.step(name, s)
        guards = {f"guard {index}": guard for index, guard in enumerate(made.guards, 1)}
        after = system.after(s, made)
        parts = LOWERS.get(name, ("stage",))
        kept = [*system.holds(after).values()]
        goal = And(*kept, Or([system.lowered(each, s, after, values) for each in parts]))
        yield Condition(RANK + name, "implication", {**known, **guards}, goal)


def moving(system: Ending) -> Condition:
    """A thread that is in an attempt or a run can take a step: it waits for nothing."""
    s = system.symbols()
    given = {f"given {index}": formula for index, formula in enumerate(system.given(s), 1)}
    busy = And(T != NO_THREAD, Not(system.is_at(s, T, "Idle")))
    goal = ForAll([T], Implies(busy, system.can_move(s, T)))
    return Condition("can move", "implication", {**given, **system.invariant(s)}, goal)
