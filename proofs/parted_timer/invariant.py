"""Module PartedTimer as a system, and an invariant of the module: locks, entries, and parts.

An entry is in one hand, in one bucket, or with the executor. A hold of the write lock moves as many
entries as it may.
"""

from __future__ import annotations

from types import SimpleNamespace

import z3
from z3 import And, ForAll, If, Implies, Not, Or, Store

from proofs.parted_timer.words import ENTRY, LEVEL, LIST, OPERATION, TASK, THREAD
from wheelproof.prove.arithmetic import POWER, mul
from wheelproof.prove.invariant.system import Invariant
from wheelproof.prove.module.sets import size
from wheelproof.prove.module.starts import starts
from wheelproof.prove.ts.system import WHOLE, Step, array, conjunct

T, U = THREAD.consts("thread other_thread")
(E,) = ENTRY.consts("entry")
(X,) = TASK.consts("a_task")
B, C = LIST.consts("a_list other_list")
(V,) = LEVEL.consts("a_level")
K = z3.Int("number")
NO_ONE, NO_ENTRY, NO_TASK = THREAD.null, ENTRY.null, TASK.null
NO_LIST, NO_LEVEL = LIST.null, LEVEL.null
ENTERING = ("W0", "W1", "W2", "W3", "W4", "K1", "K2")
"""The labels of addTimerTaskEntry."""
IN_HAND = ("W0", "W1", "W2", "K1", "K2")
"""Those at which the entry is neither in a bucket nor handed over."""
ADDS, ARRIVES = ("A1", "A2", "A3", "A4"), ("A1", "A2", "A3")
WORKS = ("R4", "R5", "R7", "V1", "F2", "F4", "F3", "R8", "V2", "V3", "P4", "R6")
"""Where a reaper moves a part, but for its re-adds."""
WRITES = ("R9", "R3", *WORKS)
EXPIRES = ("P3", "R2", *WRITES, "P2")
FLUSHES = ("F2", "F4", "F3", "R8", "V2", "V3")
POLLED = ("R5", "R7", "V1", "F2", "F4", "F3", "R8")
"""Where a reaper has a bucket that is in the queue."""
RETURNS = {
    "addTimerTaskEntry": ("A4", "F3"),
    **dict.fromkeys(["add", "cancel", "close", "wake", "reap"], ("T1",)),
}
"""Procedure -> the labels that it returns to."""


def number(s: SimpleNamespace, level: z3.ExprRef) -> z3.ArithRef:
    return s.PartedLevel_as_Int[level]


def tick(s: SimpleNamespace, level: z3.ExprRef) -> z3.ArithRef:
    """Tick of the module."""
    return POWER(s.WheelSize, number(s, level) - 1)


def wakes(s: SimpleNamespace) -> z3.ExprRef:
    """List 0, the bucket of wake's."""
    return s.Int_as_PartedList[0]


def moved_entry(s: SimpleNamespace, label: str, t: z3.ExprRef) -> z3.ExprRef:
    """The entry that a step of the label links or unlinks."""
    match label:
        case "W2":
            return s.ke[t]
        case "F4":
            return s.head[t]
        case "A3":
            return s.timerTaskEntry[s.TaskOf[s.ae[t]]]
    return s.timerTaskEntry[s.ct[t]]


def every_thread(formula: z3.BoolRef) -> z3.BoolRef:
    """The formula, about the thread T, for every thread that is one."""
    return ForAll([T], Implies(T != NO_ONE, formula))


class Parts(Invariant):
    """The generated system, and the conjuncts.

    ``Adder``, ``Adding``: entry -> the thread whose program adds it, and the operation's place.
    Ghosts: ``entered``, that add has made the entry its task's. ``inside``: the entries in buckets.
    ``home``: the bucket that an entry was linked into last.
    """

    RIGID = {"Adder": array(ENTRY, THREAD), "Adding": array(ENTRY, WHOLE)}
    VARIABLES = {
        "entered": array(ENTRY, z3.BoolSort()),
        "inside": array(ENTRY, z3.BoolSort()),
        "home": array(ENTRY, LIST),
    }

    def taken(self, name: str, s: SimpleNamespace, t: z3.ExprRef, choices: object) -> Step:
        step = super().taken(name, s, t, choices)
        label = name.partition("_")[0]
        ghosts = {"entered": Store(s.entered, s.ae[t], True)} if label == "A3" else {}
        if "content" in step.updates:
            ghosts["inside"] = Store(s.inside, moved_entry(s, label, t), label == "W2")
            if label == "W2":
                ghosts["home"] = Store(s.home, s.ke[t], s.bucket[t])
        return Step(step.guards, {**step.updates, **ghosts})

    def given(self, s: SimpleNamespace) -> list[z3.BoolRef]:
        """The module's assumptions, A-PROGRAM, A-ONCE, A-REACH and A-POWER."""
        word = s.Program_1_word[T][K]
        e, task = s.Program_2_PartedEntry[T][K], s.Program_2_PartedTask[T][K]
        there = And(T != NO_ONE, 1 <= K, K <= s.Program_length[T])
        once = And(e != NO_ENTRY, s.Adder[e] == T, s.Adding[e] == K)
        reach = mul(s.WheelSize, POWER(s.WheelSize, s.Levels - 1))
        adds, cancels = (word == OPERATION.value(name) for name in ("add", "cancel"))
        return [
            *super().given(s),
            And(s.WheelSize >= 2, s.Levels >= 1, s.Part >= 1),
            ForAll([T], s.Threads[T] == (T != NO_ONE)),
            ForAll([E], s.Entries[E] == (E != NO_ENTRY)),
            ForAll([B], s.Buckets[B] == (s.PartedList_as_Int[B] >= 1)),
            ForAll([T, K], Implies(And(there, adds), once)),
            ForAll([T, K], Implies(And(there, cancels), task != NO_TASK)),
            ForAll([E], Implies(E != NO_ENTRY, s.TaskOf[E] != NO_TASK)),
            ForAll([E], Implies(E != NO_ENTRY, And(0 <= s.Deadline[E], s.Deadline[E] < reach))),
            ForAll([V], Implies(V != NO_LEVEL, tick(s, V) >= 1)),
        ]

    def initially(self, s: SimpleNamespace) -> list[z3.BoolRef]:
        """The formulas of Init, but for the number of adds."""
        none = And(Not(s.entered[E]), Not(s.inside[E]))
        return [*starts(self, s, ("adding",)), ForAll([E], none)]

    def back(self, s: SimpleNamespace, t: z3.ExprRef, name: str, *labels: str) -> z3.BoolRef:
        """The procedure is on the thread's stack, and returns to one of these labels."""
        return Or([getattr(s, f"ret_{name}")[t] == self.label(label) for label in labels])

    def re_adds(self, s: SimpleNamespace, t: z3.ExprRef) -> z3.BoolRef:
        """The thread is in addTimerTaskEntry for a flush."""
        return self.back(s, t, "addTimerTaskEntry", "F3")

    def runs(self, s: SimpleNamespace, t: z3.ExprRef, procedure: str) -> z3.BoolRef:
        """The thread is in this procedure, or in one that returns to it."""
        inner = [label for label, name in self.PROCEDURES.of.items() if name == procedure]
        callees = [
            self.back(s, t, name, *to)
            for name in RETURNS
            if name != procedure and (to := [label for label in RETURNS[name] if label in inner])
        ]
        return Or(self.at(s, t, *inner), *callees)

    def has(self, s: SimpleNamespace, t: z3.ExprRef, e: z3.ExprRef) -> z3.BoolRef:
        """The thread has the entry in hand."""
        return And(self.at(s, t, *IN_HAND), s.ke[t] == e)

    def is_cancelled(self, s: SimpleNamespace, e: z3.ExprRef) -> z3.BoolRef:
        """Cancelled of the module."""
        return s.timerTaskEntry[s.TaskOf[e]] != e

    # -- the stack and the locks

    @conjunct
    def no_one_runs_nowhere(self, s: SimpleNamespace) -> z3.BoolRef:
        """The null thread is at no label."""
        return ForAll([T], self.at(s, T, "Nowhere") == (T == NO_ONE))

    @conjunct
    def calls_return(self, s: SimpleNamespace) -> z3.BoolRef:
        """A procedure that a thread is in returns to a label behind a call of it."""
        return every_thread(
            And(
                [
                    If(
                        self.runs(s, T, name),
                        self.back(s, T, name, *to),
                        self.back(s, T, name, "Nowhere"),
                    )
                    for name, to in RETURNS.items()
                ]
            )
        )

    @conjunct
    def readers_add(self, s: SimpleNamespace) -> z3.BoolRef:
        """A thread has the read lock in add, from its lock to its unlock, and nowhere else."""
        adds = Or(self.at(s, T, "A2", "A3", "A4"), self.back(s, T, "addTimerTaskEntry", "A4"))
        return And(Not(s.readers[NO_ONE]), every_thread(s.readers[T] == adds))

    @conjunct
    def one_writes(self, s: SimpleNamespace) -> z3.BoolRef:
        """The write lock is held by the thread that is where it is held, while no thread reads."""
        writes = Or(self.at(s, T, *WRITES), self.re_adds(s, T))
        alone = Implies(s.readers[T], s.writer == NO_ONE)
        return And(every_thread((s.writer == T) == writes), ForAll([T], alone))

    @conjunct
    def one_expires(self, s: SimpleNamespace) -> z3.BoolRef:
        """One thread has its turn."""
        expires = Or(self.at(s, T, *EXPIRES), self.re_adds(s, T))
        return every_thread((s.expiring == T) == expires)

    @conjunct
    def flushes_what_it_polled(self, s: SimpleNamespace) -> z3.BoolRef:
        """The monitor that a flush holds is that of its bucket, and none else is held."""
        flushes = Or(self.at(s, T, *FLUSHES), self.re_adds(s, T))
        none = Implies(Or(s.writer == NO_ONE, Not(flushes)), s.flushing == wakes(s))
        return And(
            every_thread(Implies(flushes, s.flushing == s.polled[T])),
            ForAll([T], Implies(s.writer == T, none)),
        )

    @conjunct
    def polled_is_queued(self, s: SimpleNamespace) -> z3.BoolRef:
        """A reaper's bucket is in the queue until its flush takes it out."""
        in_queue = Or(self.at(s, T, *POLLED), self.re_adds(s, T))
        there = Or(in_queue, self.at(s, T, "V2", "V3"))
        return every_thread(
            And(
                Implies(there, s.polled[T] != NO_LIST),
                Implies(in_queue, s.queue[s.polled[T]] >= 1),
            )
        )

    @conjunct
    def queue_is_of_lists(self, s: SimpleNamespace) -> z3.BoolRef:
        """Nothing is in the queue less than no times, and the null list is not there."""
        return And(ForAll([B], s.queue[B] >= 0), s.queue[NO_LIST] == 0)

    # -- levels and buckets

    @conjunct
    def puts_on_a_level(self, s: SimpleNamespace) -> z3.BoolRef:
        """Where an entry is put is a level, and above it one where the entry goes on."""
        level = s.level[T]
        return every_thread(
            And(
                Implies(self.at(s, T, "W0", "W1", "W2", "W3", "W4"), level != NO_LEVEL),
                Implies(self.at(s, T, "W0"), number(s, level) < s.Levels),
                Implies(self.at(s, T, "W2", "W3", "W4"), s.Buckets[s.bucket[T]]),
            )
        )

    @conjunct
    def clocks_are_times(self, s: SimpleNamespace) -> z3.BoolRef:
        """A level's clock is at a time from 0."""
        return ForAll([V], Implies(V != NO_LEVEL, s.current[V] >= 0))

    @conjunct
    def hands_hold_entries(self, s: SimpleNamespace) -> z3.BoolRef:
        """A thread that adds, moves, hands over or cancels has something to."""
        head = And(s.head[T] != NO_ENTRY, s.content[s.polled[T]][s.head[T]] > 0)
        return every_thread(
            And(
                Implies(self.at(s, T, *ENTERING), s.ke[T] != NO_ENTRY),
                Implies(self.runs(s, T, "add"), s.ae[T] != NO_ENTRY),
                Implies(self.at(s, T, "X1"), s.ct[T] != NO_TASK),
                Implies(self.at(s, T, "F4"), head),
                Implies(self.at(s, T, "E2"), s.task[T] != NO_ENTRY),
            )
        )

    # -- an entry and its add

    @conjunct
    def adds_its_own(self, s: SimpleNamespace) -> z3.BoolRef:
        """An adder has the entry of its operation, which has not entered yet."""
        e = s.ae[T]
        inner = And(s.Adder[e] == T, s.Adding[e] == s.turn[T] - 1, Not(s.entered[e]))
        return every_thread(And(s.turn[T] >= 1, Implies(self.at(s, T, *ARRIVES), inner)))

    @conjunct
    def entered_is_begun(self, s: SimpleNamespace) -> z3.BoolRef:
        """An entry that has entered was added by an operation that has begun."""
        in_add = And(E != NO_ENTRY, s.Adder[E] != NO_ONE, s.turn[s.Adder[E]] > s.Adding[E])
        return ForAll([E], Implies(s.entered[E], in_add))

    @conjunct
    def what_is_there_has_entered(self, s: SimpleNamespace) -> z3.BoolRef:
        """An entry in a bucket, in a hand, handed over, or a task's has entered."""
        entry = s.timerTaskEntry[X]
        return And(
            ForAll([B, E], Implies(s.content[B][E] > 0, s.entered[E])),
            every_thread(Implies(self.at(s, T, *ENTERING), s.entered[s.ke[T]])),
            ForAll([E], Implies(s.submitted[E] > 0, s.entered[E])),
            ForAll([X], Implies(entry != NO_ENTRY, And(s.TaskOf[entry] == X, s.entered[entry]))),
        )

    @conjunct
    def revoked_is_cancelled(self, s: SimpleNamespace) -> z3.BoolRef:
        """An entry that cancel has revoked has entered, and is its task's no more."""
        return ForAll([E], Implies(s.revoked[E], And(s.entered[E], self.is_cancelled(s, E))))

    @conjunct
    def none_slips(self, s: SimpleNamespace) -> z3.BoolRef:
        """No check has let through an entry that cancel had revoked."""
        return ForAll([E], Not(s.slipped[E]))

    # -- an entry is in one place

    @conjunct
    def one_hand_has_it(self, s: SimpleNamespace) -> z3.BoolRef:
        """An entry in a hand is in no bucket, in no other hand, and not handed over."""
        has = And(T != NO_ONE, self.has(s, T, E))
        second = And(U != NO_ONE, U != T, self.has(s, U, E))
        return And(
            ForAll([T, E], Implies(has, s.submitted[E] == 0)),
            ForAll([T, E, B], Implies(has, s.content[B][E] == 0)),
            ForAll([T, U, E], Not(And(has, second))),
        )

    @conjunct
    def one_bucket_has_it(self, s: SimpleNamespace) -> z3.BoolRef:
        """An entry in a bucket is there once, where it was linked, and not handed over."""
        there = s.content[B][E] > 0
        inner = And(s.inside[E], s.home[E] == B, s.Buckets[B], s.submitted[E] == 0)
        return And(
            ForAll([B, E], And(0 <= s.content[B][E], s.content[B][E] <= 1)),
            ForAll([B, E], Implies(there, inner)),
            ForAll([E], Implies(s.inside[E], And(E != NO_ENTRY, s.content[s.home[E]][E] > 0))),
        )

    @conjunct
    def handed_over_once(self, s: SimpleNamespace) -> z3.BoolRef:
        """An entry is handed over once at most."""
        return ForAll([E], And(0 <= s.submitted[E], s.submitted[E] <= 1))

    # -- counters

    @conjunct
    def linked_are_counted(self, s: SimpleNamespace) -> z3.BoolRef:
        """The counter is the number of the entries in buckets."""
        return s.taskCounter == size(ENTRY)(s.inside)

    @conjunct
    def growth_is_counted(self, s: SimpleNamespace) -> z3.BoolRef:
        """Since the last part no more are linked than came, but for the part's re-adds."""
        budget, before = s.left[T], s.linked[T]
        full = And(self.at(s, T, "R6"), budget == 0)
        return And(
            s.came >= 0,
            every_thread(
                And(
                    Implies(self.at(s, T, "R2", "R9", "R3"), s.taskCounter <= before + s.came),
                    Implies(full, s.taskCounter <= before),
                )
            ),
        )

    @conjunct
    def moves_what_it_may(self, s: SimpleNamespace) -> z3.BoolRef:
        """A part has moved no more than it might at first, and may move the rest still.

        Outside of parts nothing is moved.
        """
        t = s.writer
        works = Or(self.at(s, T, *WORKS), self.re_adds(s, T))
        may = s.moved + s.left[T] <= s.Part + mul(s.Levels, s.came)
        active = self.at(s, T, "R4", "R5", "R7", "V1", "F4")
        return And(
            Implies(Or(t == NO_ONE, self.at(s, t, "R9", "R3")), s.moved == 0),
            every_thread(
                And(
                    Implies(works, And(may, s.left[T] >= 0)),
                    Implies(active, s.left[T] >= 1),
                )
            ),
        )
