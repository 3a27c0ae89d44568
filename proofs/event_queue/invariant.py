"""The invariant of module EventQueue: owners of locks and of events, and the cleared queue.

There may be several event threads, and the queue is cleared in either order.
"""

from __future__ import annotations

from functools import partial
from types import SimpleNamespace

import z3
from z3 import And, ForAll, Implies, Not, Or

from proofs.event_queue.words import DOES, EVENT, LABEL, OPERATION, THREAD
from wheelproof.prove.invariant import system
from wheelproof.prove.invariant.system import Invariant
from wheelproof.prove.ts.system import conjunct

at, back = partial(system.at, LABEL), partial(system.back, LABEL)
(T, U) = THREAD.consts("thread other_thread")
(E,) = EVENT.consts("event_")
K, PLACE, OTHER = z3.Ints("number place_ other_place")
NO_ONE, NO_EVENT = THREAD.null, EVENT.null
PUTTING = (
    *("Q1", "Q2", "Q3", "Q4", "Z1", "Z2", "Z3", "D1", "D2", "D3", "R1", "K1", "K2", "R2", "K3"),
    *("K4", "K5", "P2", "P3", "L2", "L3", "C3"),
)
"""Where a thread has the put lock."""
HOLDING = ("Q2", "Q3", "Q4", "D2", "D3", "K2", "K4", "K5", "Y2", "Y5", "Y6")
"""Where a thread has the queue's condition."""
PROCESSING, PREEMPTING = ("X2", "V1"), ("Z2", "Z3")
"""Where an event is spent by a thread, and its end is not in the log yet."""


def in_log(s: SimpleNamespace, place: z3.ArithRef) -> z3.BoolRef:
    return And(1 <= place, place <= s.log_length)


def waits(s: SimpleNamespace, place: z3.ArithRef) -> z3.BoolRef:
    """The queue has this place."""
    return And(1 <= place, place <= s.queue_length)


def clears(s: SimpleNamespace, event: z3.ExprRef) -> z3.BoolRef:
    """It is an event for which the queue is cleared, or the one that a close puts."""
    return Or(s.Expiries[event], event == NO_EVENT)


class Queue(Invariant):
    """The generated system, and the conjuncts."""

    RETURNS = {
        "put": ("T0", "E1"),
        "expire": ("T0",),
        "close": ("T0",),
        "replace": ("L3", "C3"),
        "look": ("L3", "C3"),
        "preempt": ("P3", "L3", "R1", "R2"),
        "enqueue": ("P3", "L3", "C3"),
    }

    def given(self, s: SimpleNamespace) -> list[z3.BoolRef]:
        """Operations have their events. None that is put, by a handler too, is one of an expiry.

        Of the events that wait at the start the first alone may be one.
        """
        word, event = s.Program_1_word[T][K], s.Program_2_Happening[T][K]
        plain = [
            Implies(word == OPERATION.value("put"), Not(clears(s, event))),
            Implies(word == OPERATION.value("expire"), And(event != NO_EVENT, s.Expiries[event])),
        ]
        put_on = Implies(s.Does_1[E] == DOES.value("put"), Not(clears(s, s.Does_2[E])))
        no_other = Implies(s.Does_1[E] != DOES.value("put"), s.Does_2[E] == NO_EVENT)
        first = And(1 <= K, K <= s.Waiting_length)
        waiting = s.Waiting_item[K]
        return [
            *super().given(s),
            ForAll([T], Implies(T != NO_ONE, s.Users[T] != s.Workers[T])),
            And(Not(s.Users[NO_ONE]), Not(s.Workers[NO_ONE]), s.Waiting_length >= 0),
            Not(s.Expiries[NO_EVENT]),
            ForAll([T, K], And(plain)),
            ForAll([E], And(put_on, no_other)),
            ForAll(
                [K], Implies(first, And(waiting != NO_EVENT, Or(K == 1, Not(clears(s, waiting)))))
            ),
        ]

    # -- the stack and the locks

    @conjunct
    def no_one_runs_nowhere(self, s: SimpleNamespace) -> z3.BoolRef:
        """An element that is no process is at no label."""
        return ForAll([T], at(s, T, "Nowhere") == (T == NO_ONE))

    @conjunct
    def calls_return(self, s: SimpleNamespace) -> z3.BoolRef:
        """A procedure that a thread is in returns to a label behind a call of it."""
        return ForAll([T], Implies(T != NO_ONE, self.frames(s, T)))

    @conjunct
    def operations_are_of_the_program(self, s: SimpleNamespace) -> z3.BoolRef:
        """A user is in the operation that its program has."""
        word = s.Program_1_word[T][s.turn[T] - 1]
        put, expire = (
            Implies(back(s, name, T, "T0"), word == OPERATION.value(name))
            for name in ("put", "expire")
        )
        return ForAll(
            [T], Implies(T != NO_ONE, And(put, expire, Implies(s.Users[T], s.turn[T] >= 1)))
        )

    @conjunct
    def one_puts(self, s: SimpleNamespace) -> z3.BoolRef:
        """The put lock is held by the thread that is where it is held."""
        return ForAll([T], Implies(T != NO_ONE, at(s, T, *PUTTING) == (s.putLock == T)))

    @conjunct
    def one_holder(self, s: SimpleNamespace) -> z3.BoolRef:
        """The queue's condition is held by the thread that is where it is held."""
        return ForAll([T], Implies(T != NO_ONE, at(s, T, *HOLDING) == (s.mutex == T)))

    @conjunct
    def events_are_there(self, s: SimpleNamespace) -> z3.BoolRef:
        """A thread that handles an event, or waits for one, has one."""
        return And(
            ForAll(
                [T],
                And(
                    Implies(at(s, T, "Z1", "Z2", "Z3"), s.old[T] != NO_EVENT),
                    Implies(at(s, T, "X1", "X2", "V1", "H1", "H2"), s.taken[T] != NO_EVENT),
                    Implies(
                        And(T != NO_ONE, back(s, "expire", T, "T0")),
                        And(s.expiry[T] != NO_EVENT, s.Expiries[s.expiry[T]]),
                    ),
                    Implies(at(s, T, "P1", "P2"), Not(clears(s, s.event[T]))),
                ),
            ),
            ForAll([PLACE], Implies(in_log(s, PLACE), s.log_item_2[PLACE] != NO_EVENT)),
        )

    @conjunct
    def places_are_counted_from_one(self, s: SimpleNamespace) -> z3.BoolRef:
        """Where a thread is in the events that it clears away is a place."""
        saves = [
            Implies(
                Not(back(s, name, T, "Nowhere")), getattr(s, f"saved_{name}_{variable}")[T] >= 1
            )
            for name, variable in (("replace", "at"), ("look", "place"))
        ]
        here = And(s.at[T] >= 1, s.place[T] >= 1, *saves)
        return And(
            s.queue_length >= 0,
            s.log_length >= 0,
            ForAll([T], Implies(T != NO_ONE, here)),
        )

    # -- the queue

    @conjunct
    def there_is_one_to_take(self, s: SimpleNamespace) -> z3.BoolRef:
        """A thread that takes an event has found that one waits."""
        return ForAll([T], Implies(at(s, T, "Y5"), s.queue_length >= 1))

    @conjunct
    def cleared_until_put(self, s: SimpleNamespace) -> z3.BoolRef:
        """From the clearing on until the event is put for which it was done, none waits."""
        is_cleared = Or(
            at(s, T, "D3", "R1", "K5"),
            And(at(s, T, "Z1", "Z2", "Z3"), back(s, "preempt", T, "R1")),
            And(at(s, T, "Q1", "Q2"), clears(s, s.item[T])),
        )
        return ForAll([T], Implies(And(T != NO_ONE, is_cleared), s.queue_length == 0))

    @conjunct
    def cleared_for_stands_first(self, s: SimpleNamespace) -> z3.BoolRef:
        """An event for which the queue was cleared stands first in it."""
        return ForAll(
            [PLACE], Implies(And(waits(s, PLACE), clears(s, s.queue_item[PLACE])), PLACE == 1)
        )

    # -- whose event it is

    @conjunct
    def who_handles_has_spent(self, s: SimpleNamespace) -> z3.BoolRef:
        """An event that is being handled, or was, is spent."""
        return And(
            ForAll([T], Implies(at(s, T, *PROCESSING), s.spent[s.taken[T]])),
            ForAll([T], Implies(at(s, T, *PREEMPTING), s.spent[s.old[T]])),
            ForAll([PLACE], Implies(in_log(s, PLACE), s.spent[s.log_item_2[PLACE]])),
        )

    @conjunct
    def one_handles(self, s: SimpleNamespace) -> z3.BoolRef:
        """No two threads handle one event."""
        processing = And(at(s, T, *PROCESSING), at(s, U, *PROCESSING), T != U)
        preempting = And(at(s, T, *PROCESSING), at(s, U, *PREEMPTING))
        return And(
            ForAll([T, U], Implies(processing, s.taken[T] != s.taken[U])),
            ForAll([T, U], Implies(preempting, s.taken[T] != s.old[U])),
        )

    @conjunct
    def handled_is_not_logged_yet(self, s: SimpleNamespace) -> z3.BoolRef:
        """The end of an event that is being handled is not in the log."""
        event = s.log_item_2[PLACE]
        return ForAll(
            [T, PLACE],
            Implies(
                in_log(s, PLACE),
                And(
                    Implies(at(s, T, *PROCESSING), s.taken[T] != event),
                    Implies(at(s, T, *PREEMPTING), s.old[T] != event),
                ),
            ),
        )

    @conjunct
    def logged_once(self, s: SimpleNamespace) -> z3.BoolRef:
        """An event has one end in the log."""
        two = And(in_log(s, PLACE), in_log(s, OTHER), PLACE != OTHER)
        return ForAll([PLACE, OTHER], Implies(two, s.log_item_2[PLACE] != s.log_item_2[OTHER]))

    # -- the end

    @conjunct
    def close_has_waited(self, s: SimpleNamespace) -> z3.BoolRef:
        """A close that has returned has found that the event thread has ended."""
        has_returned = And(
            s.Users[T],
            And(1 <= K, K <= s.turn[T] - 1),
            s.Program_1_word[T][K] == OPERATION.value("close"),
            Or(K < s.turn[T] - 1, at(s, T, "T0", "Done")),
        )
        return ForAll([T, K], Implies(has_returned, s.ended))
