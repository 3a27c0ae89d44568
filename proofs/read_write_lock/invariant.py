"""The invariant of module ReadWriteLock: the threads inside, the sleepers, and the tickets.

The system is generated of the module that SANY has read. One ghost variable is added: the set of
writers that count as waiting.
"""

from __future__ import annotations

from functools import partial
from types import SimpleNamespace

import z3
from z3 import And, ForAll, Implies, Not, Or

from proofs.read_write_lock.words import LABEL, OPERATION, THREAD
from wheelproof.prove.invariant import system
from wheelproof.prove.invariant.system import Invariant
from wheelproof.prove.module.sets import size
from wheelproof.prove.ts.system import Step, array, conjunct

at, back = partial(system.at, LABEL), partial(system.back, LABEL)
(T, U) = THREAD.consts("thread other_thread")
K, PLACE, LATER = z3.Ints("number place later_place")
NO_ONE = THREAD.null
COUNT = size(THREAD)
HOLDING = ["R2", "R5", "R6", "U2", "U3", "U4", "W2", "W3", "W6", "W7", "W9", "W8", "X2", "X3", "X4"]
"""Where a thread has the condition's lock."""
WAITING = ["W3", "W4", "W5", "W6", "W7"]
"""Where a writer counts as waiting."""
NOTIFYING = ("U3", "W9", "X3")
"""Where a thread is about to wake all that sleep."""


def notified(s: SimpleNamespace, t: z3.ExprRef) -> z3.BoolRef:
    """A ticket is for this thread. The last one is for each thread that any is for."""
    return And(s.tickets_length >= 1, s.tickets_item[s.tickets_length][t])


def none_reads(s: SimpleNamespace) -> z3.BoolRef:
    return COUNT(s.readers) == 0


class Lock(Invariant):
    """The generated system, and the conjuncts."""

    RETURNS = {"read": ("T0", "N0"), "write": ("T0",), "read_on": ("T0",)}
    VARIABLES = {"waiters": array(THREAD, z3.BoolSort())}

    def taken(self, name: str, s: SimpleNamespace, t: z3.ExprRef, choices: object) -> Step:
        move = super().taken(name, s, t, choices)
        if "pc" not in move.updates:
            return move
        thread = z3.Const("t!", THREAD.z3)
        here = z3.simplify(at(SimpleNamespace(pc=move.updates["pc"]), thread, *WAITING))
        return Step(move.guards, {**move.updates, "waiters": z3.Store(s.waiters, thread, here)})

    def initially(self, s: SimpleNamespace) -> list[z3.BoolRef]:
        """The formulas of Init. No writer waits."""
        return [*super().initially(s), ForAll([T], Not(s.waiters[T]))]

    def given(self, s: SimpleNamespace) -> list[z3.BoolRef]:
        """Processes are threads and their interrupters. No thread that reads on is interrupted."""
        word, guests = s.Program_1_word, s.Program_2_Guest
        return [
            *super().given(s),
            ForAll([T], Implies(T != NO_ONE, s.Threads[T] != s.Interrupters[T])),
            And(Not(s.Threads[NO_ONE]), Not(s.Interrupters[NO_ONE])),
            ForAll(
                [T, K],
                Implies(s.Interrupters[T], word[guests[T][1]][K] != OPERATION.value("read_on")),
            ),
        ]

    # -- where threads are

    @conjunct
    def no_one_runs_nowhere(self, s: SimpleNamespace) -> z3.BoolRef:
        """An element that is no process is at no label, and a process is where its kind is."""
        kinds = And(
            Implies(s.Interrupters[T], at(s, T, "I1", "Done")),
            Implies(at(s, T, "I1"), s.Interrupters[T]),
            Implies(T != NO_ONE, Not(at(s, T, "Nowhere"))),
        )
        return And(at(s, NO_ONE, "Nowhere"), ForAll([T], kinds))

    @conjunct
    def calls_return(self, s: SimpleNamespace) -> z3.BoolRef:
        """A procedure that a thread is in returns to the label behind its call."""
        return ForAll([T], Implies(T != NO_ONE, self.frames(s, T)))

    @conjunct
    def reads_on_by_program(self, s: SimpleNamespace) -> z3.BoolRef:
        """A thread that reads on has that in its program."""
        word = s.Program_1_word[T][s.turn[T] - 1]
        return ForAll(
            [T],
            Implies(
                And(T != NO_ONE, back(s, "read_on", T, "T0")), word == OPERATION.value("read_on")
            ),
        )

    @conjunct
    def interrupts_end_a_wait(self, s: SimpleNamespace) -> z3.BoolRef:
        """An interrupted thread waits, and does not read on. An interrupted call ends soon."""
        word = s.Program_1_word[T][K] != OPERATION.value("read_on")
        return And(
            ForAll([T], Implies(s.interrupted[T], at(s, T, "R3", "R4", "W4", "W5"))),
            ForAll([T], Implies(s.raised[T], at(s, T, "R6", "W7", "W9", "W8", "T0", "Done"))),
            ForAll([T], Implies(at(s, T, "W9"), s.raised[T])),
            ForAll([T, K], Implies(Or(s.interrupted[T], s.raised[T]), word)),
        )

    # -- the condition's lock

    @conjunct
    def one_holder(self, s: SimpleNamespace) -> z3.BoolRef:
        """The condition's lock is held by the thread that is where it is held."""
        return ForAll([T], Implies(T != NO_ONE, at(s, T, *HOLDING) == (s.mutex == T)))

    @conjunct
    def sleepers_wait(self, s: SimpleNamespace) -> z3.BoolRef:
        """A thread sleeps where it waits for a notification, and nowhere else."""
        return ForAll([T], s.asleep[T] == at(s, T, "R3", "W4"))

    # -- who is inside

    @conjunct
    def readers_are_known(self, s: SimpleNamespace) -> z3.BoolRef:
        """The lock knows its readers: from the registration on, until they leave."""
        inside = Or(at(s, T, "D1", "U1", "U2"), And(at(s, T, "R6"), Not(s.raised[T])))
        return ForAll([T], s.readers[T] == inside)

    @conjunct
    def writer_is_known(self, s: SimpleNamespace) -> z3.BoolRef:
        """The lock knows its writer."""
        inside = Or(at(s, T, "D2", "X1", "X2"), And(at(s, T, "W7", "W8"), Not(s.raised[T])))
        return ForAll([T], Implies(T != NO_ONE, (s.writer == T) == inside))

    @conjunct
    def waiters_are_counted(self, s: SimpleNamespace) -> z3.BoolRef:
        """The lock knows how many writers wait."""
        return And(ForAll([T], s.waiters[T] == at(s, T, *WAITING)), s.waiting == COUNT(s.waiters))

    @conjunct
    def writer_is_alone(self, s: SimpleNamespace) -> z3.BoolRef:
        """There is no reader beside a writer."""
        return ForAll([T], Implies(s.writer != NO_ONE, Not(s.readers[T])))

    @conjunct
    def reader_finds_no_writer(self, s: SimpleNamespace) -> z3.BoolRef:
        """A reader that enters has found that no writer waits, and that none is inside."""
        return ForAll([T], Implies(at(s, T, "R5"), And(s.writer == NO_ONE, s.waiting == 0)))

    @conjunct
    def writer_finds_no_one(self, s: SimpleNamespace) -> z3.BoolRef:
        """A writer that enters has found that no thread is inside."""
        return ForAll([T, U], Implies(at(s, T, "W6"), And(s.writer == NO_ONE, Not(s.readers[U]))))

    # -- who sleeps

    @conjunct
    def sleeps_for_a_reason(self, s: SimpleNamespace) -> z3.BoolRef:
        """A sleeper is notified, or is about to be, or has a thread to wait for."""
        soon = And(s.mutex != NO_ONE, at(s, s.mutex, *NOTIFYING))
        reader = Implies(at(s, T, "R2", "R3"), Or(s.writer != NO_ONE, s.waiting >= 1))
        writer = Implies(at(s, T, "W3", "W4"), Or(s.writer != NO_ONE, Not(none_reads(s))))
        return ForAll([T], Or(notified(s, T), soon, And(reader, writer)))

    @conjunct
    def tickets_are_for_sleepers(self, s: SimpleNamespace) -> z3.BoolRef:
        """A ticket is for threads that sleep."""
        here = And(1 <= PLACE, PLACE <= s.tickets_length, s.tickets_item[PLACE][T])
        return And(s.tickets_length >= 0, ForAll([PLACE, T], Implies(here, s.asleep[T])))

    @conjunct
    def later_tickets_are_for_more(self, s: SimpleNamespace) -> z3.BoolRef:
        """Each later ticket is for the threads of an earlier one, too."""
        in_order = And(1 <= PLACE, PLACE <= LATER, LATER <= s.tickets_length)
        item = s.tickets_item
        return ForAll([PLACE, LATER, T], Implies(And(in_order, item[PLACE][T]), item[LATER][T]))

    @conjunct
    def one_ticket_for_each(self, s: SimpleNamespace) -> z3.BoolRef:
        """Up to the last of equal tickets there are as many as threads that they are for."""
        item, length = s.tickets_item, s.tickets_length
        within = And(1 <= PLACE, PLACE <= length)
        last = Or(PLACE == length, item[PLACE] != item[PLACE + 1])
        return ForAll([PLACE], Implies(And(within, last), COUNT(item[PLACE]) == PLACE))

    @conjunct
    def pages_are_counted(self, s: SimpleNamespace) -> z3.BoolRef:
        """The page was written so often, or never."""
        return s.page >= 0
