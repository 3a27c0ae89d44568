"""P17: attempts and runs of an operation end, under every schedule, if programs are finite.

Those of TryPending end once every condition holds (`Ending`), and where one thread alone tries
(`OneCaller`). With two callers and a condition that does not hold they need not:
`Spec.TryPendingCycle`. In the other generations no step goes back.

The rank of a state has parts. Each is a number of things of which there are finitely many:

* `open`: 1 until the operation is completed;
* `looks`: 1 until a thread reads conditions all of which hold;
* `notes`: 1 while a note can be left at the open operation;
* `stage`: of each thread, how far its attempt or run is from its end;
* `unread`: the pairs of a thread in tryComplete and a condition that it has not read.

A step that begins nothing lowers one part, and raises none before it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import SimpleNamespace
from typing import ClassVar

import z3
from z3 import And, Exists, ForAll, If, Implies, Not, Or, Store

from proofs.delayed_operation.blocking import Blocking
from proofs.delayed_operation.compared import CheckedTry, LockedTry, TryOnce, TryPending
from proofs.delayed_operation.steps import (
    CONDITION,
    NO_THREAD,
    THREAD,
    VIA,
    C,
    Operation,
    T,
)
from wheelproof.prove.ts.ranks import RANK, number
from wheelproof.prove.ts.system import Condition, Step, action, conjunct, when

WHILE_OPEN = {"P3": 9, "P4": 8, "P1": 6, "P2": 5, "Y1": 4, "X1": 3, "P5": 3, "P6": 1}
RETRIES = 6
"""Added at P6 if the thread is to try again."""
ORDER = (
    *("O1 P1 S1 B1", "P2 B2", "Y1", "L1", "L2", "L3", "L4", "L5", "X1", "X3", "D1", "X4 L6", "L7"),
    *("O2 P3 S2 B3", "P4 P5", "P6", "T1", "V1 H2"),
)
"""Places from the first to the last. From none of them a thread goes to an earlier one."""
STRAIGHT = {
    place: len(ORDER) - index for index, places in enumerate(ORDER) for place in places.split()
}
"""Stages by place: where no step goes back, and above of an open operation of TryPending."""
NEVER = "never "
"""The prefix of the name of a condition by which an action is never taken."""


class Ranked(Operation):
    """The rank of an operation where no step goes back: two of its parts are enough."""

    PARTS: ClassVar[tuple[str, ...]] = ("stage", "unread")
    LOWERS: ClassVar[Mapping[str, tuple[str, ...]]] = {"reads_true": ("unread",)}
    """Action -> the parts of which it lowers one; the others lower their thread's stage."""
    NEVER: ClassVar[tuple[str, ...]] = ()
    """Actions that no thread takes. A restriction that lacks them takes the same steps."""

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

    def numbered(
        self, s: SimpleNamespace, t: z3.ExprRef, numbers: Mapping[str, int]
    ) -> z3.ArithRef:
        """The number of the thread's place."""
        places = {name: value for name, value in numbers.items() if name in self.PLACES.values}
        return number(s.at[t], self.PLACES, places)

    def stage(self, s: SimpleNamespace, t: z3.ExprRef) -> z3.ArithRef:
        """An upper bound of the thread's steps to its end, but for conditions that it reads."""
        return self.numbered(s, t, STRAIGHT)

    def unread(self, s: SimpleNamespace, t: z3.ExprRef, c: z3.ExprRef) -> z3.BoolRef:
        return And(self.is_at(s, t, "Y1"), s.needed[c], Not(s.seen[t][c]))

    def holds(self, s: SimpleNamespace) -> dict[str, z3.BoolRef]:
        """The formulas that hold of its states besides the invariant, and go on to hold."""
        return {}

    # -- what a step does to it

    def kept(self, part: str, s: SimpleNamespace, after: SimpleNamespace) -> z3.BoolRef:
        """A step does not raise the part."""
        if part == "stage":
            return ForAll([T], self.stage(after, T) <= self.stage(s, T))
        measure = getattr(self, part)
        return Implies(measure(after), measure(s))

    def lowered(
        self, part: str, s: SimpleNamespace, after: SimpleNamespace, values: dict[str, z3.ExprRef]
    ) -> z3.BoolRef:
        """A step lowers the part, and raises none before it."""
        before = [self.kept(part, s, after) for part in self.PARTS[: self.PARTS.index(part)]]
        t = values["t"]
        if part == "stage":
            now, then = self.stage(s, t), self.stage(after, t)
            return And(*before, 0 <= then, then < now, self.kept(part, s, after))
        if part == "unread":
            c = values["c"]
            shrinks = ForAll([T, C], Implies(self.unread(after, T, C), self.unread(s, T, C)))
            return And(*before, shrinks, self.unread(s, t, c), Not(self.unread(after, t, c)))
        measure = getattr(self, part)
        return And(*before, measure(s), Not(measure(after)))

    # -- who can step

    def can_move(self, s: SimpleNamespace, t: z3.ExprRef) -> z3.BoolRef:
        """Some action of the thread is enabled; at Y1 one for any condition that it has not read.

        That one holds or does not, and there is another one to read or there is none.
        """
        moves = [And(self.is_at(s, t, "Y1"), Exists([C], self.unread(s, t, C)))]
        for name, declaration in self.actions().items():
            if not declaration.begins and len(declaration.parameters) == 1:
                values, step = self.step(name, s)
                moves.append(z3.substitute(And(list(step.guards)), (values["t"], t)))
        return Or(moves)

    def goes_on(self, s: SimpleNamespace, t: z3.ExprRef) -> z3.BoolRef:
        """The thread can step, or it waits for the lock and its owner can."""
        return Or(self.can_move(s, t), And(s.owner != NO_THREAD, self.can_move(s, s.owner)))


class EndingTryOnce(Ranked, TryOnce):
    """TryOnce, with the rank."""


class EndingLockedTry(Ranked, LockedTry):
    """LockedTry, with the rank."""


class EndingCheckedTry(Ranked, CheckedTry):
    """CheckedTry, with the rank."""


class EndingBlocking(Ranked, Blocking):
    """Blocking, with the rank."""


class Ending(Ranked, TryPending):
    """TryPending, with the rank of states in which every condition holds."""

    PARTS: ClassVar[tuple[str, ...]] = ("open", "looks", "notes", "stage", "unread")
    LOWERS: ClassVar[Mapping[str, tuple[str, ...]]] = {
        **Ranked.LOWERS,
        "sets_completed": ("open",),
        "clears_note": ("looks", "stage"),
        "leaves_note": ("notes", "stage"),
    }
    NEVER: ClassVar[tuple[str, ...]] = ("reads_false",)

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
        in_open = self.numbered(s, t, {**WHILE_OPEN, "T1": 2, "V1": 1}) + If(again, RETRIES, 0)
        return If(s.completed, super().stage(s, t), in_open)

    def goes_on(self, s: SimpleNamespace, t: z3.ExprRef) -> z3.BoolRef:
        """The thread can step: it waits for no lock."""
        return self.can_move(s, t)

    def holds(self, s: SimpleNamespace) -> dict[str, z3.BoolRef]:
        """Every condition holds. Conditions do not become false."""
        return {"every condition holds": self.all_ready(s)}


class OneCaller(Ending):
    """TryPending where one thread alone tries: no step goes back."""

    PARTS, LOWERS = Ranked.PARTS, Ranked.LOWERS

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

    def stage(self, s: SimpleNamespace, t: z3.ExprRef) -> z3.ArithRef:
        return Ranked.stage(self, s, t)

    def holds(self, s: SimpleNamespace) -> dict[str, z3.BoolRef]:
        return {}


def ranked(system: Ranked) -> Iterator[Condition]:
    """The conditions of the rank: one for each action that begins nothing and is ever taken.

    Of those that are never taken, that they cannot be.
    """
    s = system.symbols()
    givens = {f"given {index}": formula for index, formula in enumerate(system.given(s), 1)}
    premises = {**givens, **system.invariant(s), **system.holds(s)}
    for name in system.NEVER:
        _, step = (system if name in system.actions() else Ending()).step(name, s)
        yield Condition(NEVER + name, "implication", premises, Not(And(list(step.guards))))
    for name, declaration in system.actions().items():
        if declaration.begins or name in system.NEVER:
            continue
        values, step = system.step(name, s)
        guards = {f"guard {index}": guard for index, guard in enumerate(step.guards, 1)}
        after = system.after(s, step)
        parts = system.LOWERS.get(name, ("stage",))
        invariants = [*system.holds(after).values()]
        goal = And(*invariants, Or([system.lowered(part, s, after, values) for part in parts]))
        yield Condition(RANK + name, "implication", {**premises, **guards}, goal)


def moving(system: Ranked) -> Condition:
    """A thread that is in an attempt or a run can step, or the owner of the lock can."""
    s = system.symbols()
    givens = {f"given {index}": formula for index, formula in enumerate(system.given(s), 1)}
    busy = And(T != NO_THREAD, Not(system.is_at(s, T, "Idle")))
    goal = ForAll([T], Implies(busy, system.goes_on(s, T)))
    return Condition("can move", "implication", {**givens, **system.invariant(s)}, goal)
