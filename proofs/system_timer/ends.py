"""Module SystemTimer: the facts that its end needs, as conjuncts of an invariant of the module.

It is about the corrected timer. An entry that is re-added goes to a lower level. An entry that is
its task's is in a bucket, in a hand, or has come to the executor. The counters are the lengths of
lists: of the linked entries, and of the adds that have not returned.
"""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import z3
from z3 import And, ForAll, If, Implies, Not, Or, Store

from proofs.system_timer.dues import Dues
from proofs.system_timer.entries import B, N
from proofs.system_timer.links import (
    IN_EXPIRE,
    IN_REAP,
    K,
    Linked,
    at,
    enters_for,
    every_thread,
    number,
    tick,
)
from proofs.system_timer.steps import (
    BOOL,
    BUCKET,
    ENTRY,
    INT,
    NO_BUCKET,
    NO_ENTRY,
    NO_THREAD,
    THREAD,
    E,
    T,
)
from proofs.system_timer.words import OPERATION
from wheelproof.prove.ts.system import array, conjunct

IN_HAND = ("W0", "W1", "W2", "K1", "K2")
UNLINKED = ("W0", "W1", "W2")
"""Labels at which an entry is still to be linked, or found due."""
IN_ADD = ("A1", "A2", "A3", "A4")
IN_FLUSH = ("F2", "F3", "V2", "V3")
"""Labels at which the flush of a bucket holds its monitor, besides those of addTimerTaskEntry."""


class Ends(Dues):
    """The system of keys and deadlines with the facts that its end needs.

    Ghosts: ``home``, the last bucket that an entry was linked in. ``holder``, the last thread that
    has had it in its hand. ``row`` and ``row_place``: the list of linked entries, and the place of
    each. ``open`` and ``open_place``: the same of the entries whose add has not returned. ``over``,
    that a reap has returned.
    """

    WAITS_AT: tuple[str, str] = ("R1", "R2")
    """The labels where a reaper waits for a due bucket or the end, and for the lock."""
    VARIABLES = {
        **Dues.VARIABLES,
        "home": array(ENTRY, BUCKET),
        "holder": array(ENTRY, THREAD),
        "row": array(INT, ENTRY),
        "row_place": array(ENTRY, INT),
        "open": array(INT, ENTRY),
        "open_place": array(ENTRY, INT),
        "over": BOOL,
    }

    def ghosts(self, name: str, s: SimpleNamespace, t: z3.ExprRef) -> dict[str, z3.ExprRef]:
        updates = super().ghosts(name, s, t)
        match name:
            case "W2_to_W3":
                e, last = s.ke[t], s.taskCounter + 1
                updates |= {
                    "home": Store(s.home, e, s.bucket[t]),
                    "row": Store(s.row, last, e),
                    "row_place": Store(s.row_place, e, last),
                }
            case "A3_to_W1":
                updates |= without(s, "row", s.timerTaskEntry[s.TaskOf[s.ae[t]]], s.taskCounter)
            case "X1_to_back":
                updates |= without(s, "row", s.timerTaskEntry[s.ct[t]], s.taskCounter)
            case "F2_to_W1":
                e = self.way(name).firsts["first_content"].element
                updates |= without(s, "row", e, s.taskCounter)
                updates["holder"] = Store(s.holder, e, t)
            case "A4_to_back":
                updates |= without(s, "open", s.ae[t], s.adding)
            case "R1_to_back":
                updates["over"] = z3.BoolVal(True)
        if name.startswith("A3_"):
            updates["holder"] = Store(s.holder, s.ae[t], t)
        return updates

    def heap(self, name: str, s: SimpleNamespace) -> list[z3.BoolRef]:
        return Linked.heap(self, name, s)

    def at_start(self, adds: Sequence[str]) -> dict[str, Any]:
        places = dict(enumerate(adds, 1))
        return {"open": places, "open_place": {e: place for place, e in places.items()}}

    def initially(self, s: SimpleNamespace) -> list[z3.BoolRef]:
        """Further: a list of the adds in which each is once, as long as their number (A-ADDS)."""
        return [
            *super().initially(s),
            ForAll([E], s.home[E] == NO_BUCKET),
            Not(s.over),
            self.adds_are_listed(s),
        ]

    # -- an entry and its bucket

    def reach(self, s: SimpleNamespace, e: z3.ExprRef) -> z3.ArithRef:
        """The number of the level that an entry is to fall below, if it is linked again."""
        return If(s.home[e] == NO_BUCKET, s.Levels + 1, number(s, s.level_of[s.home[e]]))

    def linked(self, s: SimpleNamespace, e: z3.ExprRef) -> z3.BoolRef:
        """Linked of the module."""
        return s.content[s.home[e]][e] > 0

    @conjunct
    def linked_at_home(self, s: SimpleNamespace) -> z3.BoolRef:
        """An entry in a bucket was linked there last."""
        return ForAll([B, E], Implies(s.content[B][E] > 0, s.home[E] == B))

    @conjunct
    def comes_from_home(self, s: SimpleNamespace) -> z3.BoolRef:
        """An adder's entry was linked nowhere; a flush re-adds entries of its own bucket."""
        return And(
            ForAll([E], Or(s.entered[E], s.home[E] == NO_BUCKET)),
            every_thread(
                Implies(
                    at(s, T, *UNLINKED),
                    And(
                        Implies(enters_for(s, T, "A4"), s.home[s.ke[T]] == NO_BUCKET),
                        Implies(enters_for(s, T, "F3"), s.home[s.ke[T]] == s.polled[T]),
                    ),
                )
            ),
        )

    def due_there(self, s: SimpleNamespace, e: z3.ExprRef, b: z3.ExprRef) -> z3.BoolRef:
        """Expired of the module, on the bucket's level."""
        level = s.level_of[b]
        return s.Deadline[e] < s.current[level] + tick(s, level)

    @conjunct
    def reads_its_key(self, s: SimpleNamespace) -> z3.BoolRef:
        """The reaper advances the clocks to the key of the bucket that it has polled."""
        return every_thread(Implies(at(s, T, "R7"), s.expiration[T] == s.key[s.polled[T]]))

    @conjunct
    def flushed_is_due(self, s: SimpleNamespace) -> z3.BoolRef:
        """An entry that a flush has before it, or in its hand, is due on its bucket's level."""
        flushes = Or(at(s, T, "V1", "F2", "F3", "V2"), enters_for(s, T, "F3"))
        return And(
            ForAll(
                [T, E],
                Implies(
                    And(T != NO_THREAD, flushes, s.content[s.polled[T]][E] > 0),
                    self.due_there(s, E, s.polled[T]),
                ),
            ),
            every_thread(
                Implies(
                    And(at(s, T, *UNLINKED), enters_for(s, T, "F3")),
                    self.due_there(s, s.ke[T], s.polled[T]),
                )
            ),
        )

    @conjunct
    def falls(self, s: SimpleNamespace) -> z3.BoolRef:
        """An entry that a flush re-adds is looked for a place below its bucket's level alone."""
        level, its = number(s, s.level[T]), number(s, s.level_of[s.polled[T]])
        return every_thread(
            Implies(
                enters_for(s, T, "F3"),
                And(
                    Implies(at(s, T, "W1"), Or(level == 1, level < its)),
                    Implies(at(s, T, "W0"), level + 1 < its),
                    Implies(at(s, T, "W2"), level < its),
                ),
            )
        )

    # -- an entry is not lost

    @conjunct
    def has_its_place(self, s: SimpleNamespace) -> z3.BoolRef:
        """A task's own entry is in a bucket or a hand, or the executor has taken or refused it."""
        t = s.holder[E]
        in_hand = And(t != NO_THREAD, at(s, t, *IN_HAND), s.ke[t] == E)
        is_own = And(E != NO_ENTRY, s.timerTaskEntry[s.TaskOf[E]] == E)
        come = Or(s.submitted[E] > 0, s.refused[E] > 0)
        return ForAll([E], Implies(is_own, Or(self.linked(s, E), in_hand, come)))

    @conjunct
    def refused_by_the_shut(self, s: SimpleNamespace) -> z3.BoolRef:
        """An executor that is not shut down has refused nothing."""
        return ForAll([E], And(0 <= s.refused[E], Or(s.shut, s.refused[E] == 0)))

    # -- the counters

    @conjunct
    def links_are_listed(self, s: SimpleNamespace) -> z3.BoolRef:
        """The linked entries are as many as the counter says."""
        place = s.row_place[E]
        within = And(1 <= N, N <= s.taskCounter)
        e = s.row[N]
        return And(
            0 <= s.taskCounter,
            ForAll(
                [E],
                Implies(
                    self.linked(s, E), And(1 <= place, place <= s.taskCounter, s.row[place] == E)
                ),
            ),
            ForAll([N], Implies(within, And(self.linked(s, e), s.row_place[e] == N))),
        )

    def counter_exact(self, s: SimpleNamespace) -> z3.BoolRef:
        """CounterExact: each linked entry has one place up to the counter, and each place one."""
        place, e = s.row_place[E], s.row[N]
        is_listed = And(1 <= place, place <= s.taskCounter, s.row[place] == E)
        within = And(1 <= N, N <= s.taskCounter)
        return And(
            0 <= s.taskCounter,
            ForAll([B, E], Implies(s.content[B][E] > 0, is_listed)),
            ForAll([N], Implies(within, And(self.linked(s, e), s.row_place[e] == N))),
        )

    def is_open(self, s: SimpleNamespace, e: z3.ExprRef) -> z3.BoolRef:
        """A program adds the entry, and this add has not returned."""
        t, k = s.thread_of[e], s.turn_of[e]
        return And(
            t != NO_THREAD,
            e != NO_ENTRY,
            1 <= k,
            k <= s.Program_length[t],
            s.Program_1_word[t][k] == OPERATION.add,
            s.Program_2_Entry[t][k] == e,
            Or(
                s.turn[t] <= k,
                And(s.turn[t] == k + 1, Or(at(s, t, *IN_ADD), enters_for(s, t, "A4"))),
            ),
        )

    @conjunct
    def adds_are_listed(self, s: SimpleNamespace) -> z3.BoolRef:
        """The adds that have not returned are as many as `adding` says."""
        place = s.open_place[E]
        within = And(1 <= N, N <= s.adding)
        e = s.open[N]
        return And(
            0 <= s.adding,
            ForAll(
                [E],
                Implies(self.is_open(s, E), And(1 <= place, place <= s.adding, s.open[place] == E)),
            ),
            ForAll([N], Implies(within, And(self.is_open(s, e), s.open_place[e] == N))),
        )

    # -- programs and the reaper

    @conjunct
    def is_somewhere(self, s: SimpleNamespace) -> z3.BoolRef:
        """A thread is at a label, or has ended."""
        return every_thread(Not(at(s, T, "Nowhere")))

    @conjunct
    def is_at_its_turn(self, s: SimpleNamespace) -> z3.BoolRef:
        """A thread is in the operation before its turn, and has done all of them at its end."""
        before = s.Program_1_word[T][s.turn[T] - 1]
        adds = Or(at(s, T, *IN_ADD), enters_for(s, T, "A4"))
        return every_thread(
            And(
                Implies(at(s, T, "Done"), s.turn[T] > s.Program_length[T]),
                Implies(at(s, T, "E1"), And(2 <= s.turn[T], before == OPERATION.execute)),
                Implies(adds, And(2 <= s.turn[T], s.turn[T] <= s.Program_length[T] + 1)),
                Implies(adds, before == OPERATION.add),
                Implies(self.reaps(s, T), And(2 <= s.turn[T], before == OPERATION.reap)),
                Implies(adds, s.Program_2_Entry[T][s.turn[T] - 1] == s.ae[T]),
            )
        )

    def reaps(self, s: SimpleNamespace, t: z3.ExprRef) -> z3.BoolRef:
        """The thread is in reap, or in a procedure that reap calls."""
        return Or(at(s, t, *IN_REAP, *IN_EXPIRE), enters_for(s, t, "F3"))

    @conjunct
    def reaps_until_it_is_over(self, s: SimpleNamespace) -> z3.BoolRef:
        """A reap returns once no entry is linked, and no add to come or in hand: it stays so."""
        t = s.reaper
        has_begun = And(1 <= K, K < s.turn[t], K <= s.Program_length[t])
        reap = s.Program_1_word[t][K] == OPERATION.reap
        is_unlinked = And(T != NO_THREAD, at(s, T, *UNLINKED))
        return And(
            ForAll([K], Implies(And(has_begun, reap), Or(s.over, self.reaps(s, t)))),
            Implies(s.over, And(s.taskCounter == 0, s.adding == 0)),
            ForAll([T], Implies(s.over, Not(is_unlinked))),
        )

    @conjunct
    def puts_back_what_is_due(self, s: SimpleNamespace) -> z3.BoolRef:
        """A bucket that was polled without the lock is still due when the reaper puts it back."""
        b = s.polled[T]
        return every_thread(
            And(
                Implies(at(s, T, "R2", "R3", "R8"), And(b != NO_BUCKET, s.key[b] <= s.now)),
                Implies(at(s, T, "R8"), s.queue[b] > 0),
            )
        )

    @conjunct
    def flush_holds_the_monitor(self, s: SimpleNamespace) -> z3.BoolRef:
        """The holder of the write lock holds the monitor of the bucket that it flushes."""
        w = s.writer
        return Or(
            s.flushing == NO_BUCKET,
            And(w != NO_THREAD, Or(at(s, w, *IN_FLUSH), enters_for(s, w, "F3"))),
        )


def without(
    s: SimpleNamespace, name: str, e: z3.ExprRef, length: z3.ArithRef
) -> dict[str, z3.ExprRef]:
    """A list and its places without an entry: its last one comes into that place."""
    array, places = getattr(s, name), getattr(s, f"{name}_place")
    place, last = places[e], array[length]
    return {name: Store(array, place, last), f"{name}_place": Store(places, last, place)}
