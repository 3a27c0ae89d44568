"""P10, P11: a bucket is queued once per cycle, and the clocks never pass a queued bucket.

All buckets at once, one reaper, any number of adders, cancellers, entries and buckets. A thread's
place is the label of ``spec/SystemTimer.tla`` that it takes next. A bucket has its level's tick and
clock and its slot there, an entry its deadline. The terms of ``proofs.arith`` give an entry's
bucket and key, and a clock's advance. The conditions know only theorems about them (T17).

The delay queue is a heap: it hands out a smallest key as long as no key in it has changed
(`Heap.Queue`, A-HEAP), and any bucket after that. It is proved of all buckets together that none
changes, since each bucket's key is kept only while the heap has handed out the smallest of all.

Theorems: P10 a bucket is in the queue at most once, its key does not change while it is queued, and
with entries it is queued once no thread is at work. P11 the reaper has the earliest bucket, and
when the write lock is free, every queued key is past its level's clock.
"""

from __future__ import annotations

from types import SimpleNamespace

import z3
from z3 import And, Exists, ForAll, If, Implies, Not, Or

from proofs.arith.slots import slot as slot_of
from proofs.system_timer.reaping import ReaperSteps
from proofs.system_timer.steps import (
    ADDING,
    ENTERING,
    NO_BUCKET,
    NO_ENTRY,
    NO_THREAD,
    REAPING,
    B,
    E,
    T,
    is_at,
)
from wheelproof.prove.arithmetic import mod, mul
from wheelproof.prove.ts.system import (
    conjunct,
    safety,
)


class Buckets(ReaperSteps):
    """The invariant of a wheel's buckets, the delay queue's order and the read/write lock."""

    # -- the invariant: locks

    def writes(self, s: SimpleNamespace, t: z3.ExprRef) -> z3.BoolRef:
        return Or(is_at(s, t, *REAPING), And(is_at(s, t, *ENTERING), Not(s.reading[t])))

    @conjunct
    def one_reaper(self, s: SimpleNamespace) -> z3.BoolRef:
        """Only the reaper reaps."""
        reaping = Or(
            is_at(s, T, "R1", "R2", *REAPING), And(is_at(s, T, *ENTERING), Not(s.reading[T]))
        )
        return ForAll([T], Implies(reaping, T == s.reaper))

    @conjunct
    def reader_is_adding(self, s: SimpleNamespace) -> z3.BoolRef:
        """A holder of the read lock is in add or addTimerTaskEntry; add past its lock has it."""
        return ForAll(
            [T],
            And(
                Implies(s.reading[T], is_at(s, T, *ADDING, *ENTERING)),
                Implies(is_at(s, T, *ADDING), s.reading[T]),
            ),
        )

    @conjunct
    def writer_works_alone(self, s: SimpleNamespace) -> z3.BoolRef:
        """The write lock is held by exactly the thread that reaps, while no thread reads."""
        return And(
            ForAll([T], Implies(T != NO_THREAD, (s.writer == T) == self.writes(s, T))),
            ForAll([T], Implies(s.reading[T], s.writer == NO_THREAD)),
        )

    @conjunct
    def polled_while_reaping(self, s: SimpleNamespace) -> z3.BoolRef:
        """A thread with a polled bucket is between a poll and its key's reset; reaping has one."""
        inside = Or(
            is_at(s, T, "R2", "R3", "R5", "R7", "F2", "V2"),
            And(is_at(s, T, *ENTERING), Not(s.reading[T])),
        )
        return ForAll([T], (s.polled[T] != NO_BUCKET) == inside)

    @conjunct
    def chosen_takes_its_entry(self, s: SimpleNamespace) -> z3.BoolRef:
        """From W2 until its offer a thread has a bucket, whose level takes its entry into its slot.

        It offers no polled bucket.
        """
        return ForAll(
            [T],
            And(
                (s.into[T] != NO_BUCKET) == is_at(s, T, "W2", "W3", "W4"),
                Implies(s.into[T] != NO_BUCKET, self.takes(s, s.into[T], s.entry[T])),
                Implies(is_at(s, T, "W4"), s.into[T] != s.polled[T]),
            ),
        )

    # -- the invariant: the token

    def has_it(self, s: SimpleNamespace, t: z3.ExprRef, b: z3.ExprRef) -> z3.BoolRef:
        """The thread has the bucket out of the queue: to be offered, or polled and not reset."""
        return Or(And(is_at(s, t, "W4"), s.into[t] == b), s.polled[t] == b)

    @conjunct
    def token_is_held(self, s: SimpleNamespace) -> z3.BoolRef:
        """A bucket's token is held by exactly the thread that has the bucket out of the queue."""
        return ForAll(
            [B, T],
            Implies(And(B != NO_BUCKET, T != NO_THREAD), (s.token[B] == T) == self.has_it(s, T, B)),
        )

    @conjunct
    def keyed_means_one_token(self, s: SimpleNamespace) -> z3.BoolRef:
        """A bucket with a key is in the queue once, or with one thread; one without is neither."""
        return ForAll(
            [B],
            Implies(
                B != NO_BUCKET,
                And(
                    s.copies[B] == If(And(s.key[B] != -1, s.token[B] == NO_THREAD), 1, 0),
                    Implies(s.key[B] == -1, s.token[B] == NO_THREAD),
                ),
            ),
        )

    @conjunct
    def linked_means_keyed(self, s: SimpleNamespace) -> z3.BoolRef:
        """A bucket with an entry has a key, or a thread that is about to give it one."""
        return ForAll([B], Or(B == NO_BUCKET, s.key[B] != -1, self.to_be_keyed(s, B)))

    @conjunct
    def flushed_is_empty(self, s: SimpleNamespace) -> z3.BoolRef:
        """A bucket whose flush has found no entry left has none."""
        return ForAll([T, E], Implies(is_at(s, T, "V2"), Not(s.linked[E][s.polled[T]])))

    # -- the invariant: keys and clocks

    @conjunct
    def clocks_are_whole_ticks(self, s: SimpleNamespace) -> z3.BoolRef:
        """A level's clock is a multiple of its tick, and not past the time."""
        return ForAll(
            [B],
            Implies(
                B != NO_BUCKET,
                And(mod(s.clock[B], s.tick[B]) == 0, 0 <= s.clock[B], s.clock[B] <= s.now),
            ),
        )

    def works(self, s: SimpleNamespace, t: z3.ExprRef) -> z3.BoolRef:
        """The reaper has the write lock and advances the clocks, bucket by bucket."""
        return And(
            t != NO_THREAD,
            Or(
                is_at(s, t, "R4", "R5", "R7", "F2", "V2"),
                And(is_at(s, t, *ENTERING), Not(s.reading[t])),
            ),
        )

    @conjunct
    def key_is_ahead(self, s: SimpleNamespace) -> z3.BoolRef:
        """A key is its slot's, within the turn of its level's clock, and past that.

        While the reaper works, it may be the clock itself.
        """
        return ForAll(
            [B],
            Implies(
                And(B != NO_BUCKET, s.key[B] != -1),
                And(
                    mod(s.key[B], s.tick[B]) == 0,
                    slot_of(s.key[B], s.tick[B], s.size) == s.slot[B],
                    s.key[B] < s.clock[B] + mul(s.tick[B], s.size),
                    s.clock[B] <= s.key[B],
                    Or(s.clock[B] < s.key[B], self.works(s, s.writer)),
                ),
            ),
        )

    @conjunct
    def advances_to_the_earliest(self, s: SimpleNamespace) -> z3.BoolRef:
        """Under the write lock the polled bucket is due, of smallest key, and the next time."""
        w = s.writer
        return And(
            ForAll(
                [B],
                Implies(
                    And(w != NO_THREAD, B != NO_BUCKET, s.key[B] != -1),
                    And(
                        Implies(is_at(s, w, "R5"), s.key[s.polled[w]] <= s.key[B]),
                        Implies(is_at(s, w, "R7"), s.until[w] <= s.key[B]),
                    ),
                ),
            ),
            Implies(And(w != NO_THREAD, is_at(s, w, "R5")), s.key[s.polled[w]] <= s.now),
            Implies(And(w != NO_THREAD, is_at(s, w, "R7")), s.until[w] <= s.now),
        )

    @conjunct
    def no_key_has_changed(self, s: SimpleNamespace) -> z3.BoolRef:
        """No key changed while its bucket was in the queue, so that the heap is in order."""
        return Not(s.rekeyed)

    # -- safety

    @safety("P10")
    def queued_once(self, s: SimpleNamespace) -> z3.BoolRef:
        """A bucket is in the queue at most once."""
        return ForAll([B], Implies(B != NO_BUCKET, And(0 <= s.copies[B], s.copies[B] <= 1)))

    @safety("P10")
    def key_kept_while_queued(self, s: SimpleNamespace) -> z3.BoolRef:
        """A thread that is to give a bucket another key finds it keyless, unqueued, in no hands."""
        b, new = s.into[T], self.gives(s, s.into[T], s.entry[T])
        return ForAll(
            [T],
            Implies(
                And(is_at(s, T, "W3"), s.key[b] != new),
                And(s.key[b] == -1, s.copies[b] == 0, s.token[b] == NO_THREAD),
            ),
        )

    @safety("P10")
    def entries_are_queued(self, s: SimpleNamespace) -> z3.BoolRef:
        """A bucket with an entry is queued, or a thread is to queue, flush or key it."""
        return ForAll(
            [B],
            Or(B == NO_BUCKET, s.copies[B] == 1, s.token[B] != NO_THREAD, self.to_be_keyed(s, B)),
        )

    def to_be_keyed(self, s: SimpleNamespace, b: z3.ExprRef) -> z3.BoolRef:
        """The bucket is empty, or a thread that has linked an entry is about to read the key."""
        return Or(
            ForAll([E], Or(E == NO_ENTRY, Not(s.linked[E][b]))),
            Exists([T], And(is_at(s, T, "W3"), s.into[T] == b)),
        )

    @safety("P11")
    def heap_is_in_order(self, s: SimpleNamespace) -> z3.BoolRef:
        """No key changes while its bucket is queued: the heap always hands out a smallest key."""
        return Not(s.rekeyed)

    @safety("P11")
    def polled_is_earliest(self, s: SimpleNamespace) -> z3.BoolRef:
        """The bucket that the reaper polls under the write lock has the queue's smallest key."""
        return ForAll(
            [T, B],
            Implies(
                And(is_at(s, T, "R5"), B != NO_BUCKET, s.copies[B] > 0),
                s.key[s.polled[T]] <= s.key[B],
            ),
        )

    @safety("P11")
    def queued_is_past_clock(self, s: SimpleNamespace) -> z3.BoolRef:
        """When the write lock is free, a queued key is past its level's clock, within the turn."""
        return ForAll(
            [B],
            Implies(
                And(B != NO_BUCKET, s.writer == NO_THREAD, s.copies[B] > 0),
                And(s.key[B] > s.clock[B], s.key[B] < s.clock[B] + mul(s.tick[B], s.size)),
            ),
        )

    @safety("P11")
    def released_ahead(self, s: SimpleNamespace) -> z3.BoolRef:
        """The reaper frees the write lock only when its last poll found no queued bucket due."""
        return ForAll(
            [T, B],
            Implies(And(is_at(s, T, "R6"), B != NO_BUCKET, s.copies[B] > 0), s.key[B] > s.clock[B]),
        )
