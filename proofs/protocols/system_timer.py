"""P10, P11: a bucket of the timer is queued exactly once per cycle, and the clocks never pass a queued bucket.

All buckets at once, one reaper, any number of adders, cancellers, entries and buckets. A thread's
place is the label of ``spec/SystemTimer.tla`` that it takes next. A bucket has its level's tick and
clock and its slot there, an entry its deadline; which bucket takes an entry under which key, and
how a clock advances, are the terms of ``proofs.arith``, of which the conditions know only theorems
(T17). The delay queue is a heap: it hands out a smallest key as long as no key in it has changed
(A-HEAP), and any bucket after that. That none changes is proved of all buckets together, since each
bucket's key is kept only while the heap has handed out the smallest of all. Theorems: P10 a bucket
is in the queue at most once, its key does not change while it is queued, and with entries it is
queued once nobody is at work; P11 the reaper has the earliest bucket, and when the write lock is
free, every queued key is past its level's clock.
"""

from __future__ import annotations

from types import SimpleNamespace

import z3
from z3 import And, Exists, ForAll, If, Implies, Not, Or, Store

from proofs.arith import order
from proofs.arith.clock import advanced
from proofs.arith.slots import key as key_of
from proofs.arith.slots import slot as slot_of
from proofs.arith.slots import taken
from proofs.arithmetic import mod, mul
from proofs.ts import (
    Enumeration,
    Everywhere,
    Step,
    System,
    action,
    array,
    conjunct,
    nullable,
    safety,
    sort,
    when,
)

THREAD = sort("Thread", null="nobody")
ENTRY = sort("Entry", null="no_entry")
BUCKET = sort("Bucket", null="no_bucket")
NOBODY, NO_ENTRY, NO_BUCKET = THREAD.null, ENTRY.null, BUCKET.null
PLACE = Enumeration(
    "TimerPlace", "Idle A1 A2 A3 A4 W1 W2 W3 W4 K1 K2 X1 R1 R2 R3 R4 R5 R7 F2 V2 R6"
)
BOOL, INT = z3.BoolSort(), z3.IntSort()
T, U = THREAD.consts("thread other")
E = ENTRY.consts("each")[0]
B, C = BUCKET.consts("bucket another")

ADDING = ("A2", "A3", "A4")
ENTERING = ("W1", "W2", "W3", "W4", "K1", "K2")
"""Places in addTimerTaskEntry, which an adder calls under the read lock and the reaper under the write lock."""
REAPING = ("R3", "R4", "R5", "R7", "F2", "V2", "R6")
STATEMENTS = order.THEORY.statements()


def is_at(s: SimpleNamespace, t: z3.ExprRef, *places: str) -> z3.BoolRef:
    """The thread is at one of these places."""
    alternatives = [s.at[t] == getattr(PLACE, place) for place in places]
    return Or(alternatives) if len(alternatives) > 1 else alternatives[0]


def go(s: SimpleNamespace, t: z3.ExprRef, place: str) -> z3.ExprRef:
    return Store(s.at, t, getattr(PLACE, place))


class Buckets(System):
    """The buckets of a wheel, the delay queue's order, and the lock that adders share and the reaper has alone."""

    SORTS = (THREAD, ENTRY, BUCKET)
    STATES = "all buckets of the timer"
    VARIABLES = {
        "at": array(THREAD, PLACE),
        "reading": array(THREAD, BOOL),
        "writer": THREAD.z3,
        "entry": array(THREAD, ENTRY),
        "into": array(THREAD, BUCKET),  # what it puts, and into which bucket
        "polled": array(THREAD, BUCKET),
        "until": array(THREAD, INT),
        "linked": array(ENTRY, BUCKET, BOOL),
        "key": array(BUCKET, INT),
        "copies": array(BUCKET, INT),
        "clock": array(BUCKET, INT),
        "now": INT,  # the clock is that of the bucket's level
        "token": array(BUCKET, THREAD),
        "rekeyed": BOOL,  # history: who has it out of the queue; a queued key changed
    }

    RIGID = {
        "reaper": THREAD.z3,
        "deadline": array(ENTRY, INT),
        "tick": array(BUCKET, INT),
        "slot": array(BUCKET, INT),
        "size": INT,
        "nowhere": array(BUCKET, BOOL),
    }

    def given(self, s):
        return [
            s.reaper != NOBODY,
            s.size >= 1,
            ForAll([B], Implies(B != NO_BUCKET, s.tick[B] >= 1)),
            ForAll([B], Not(s.nowhere[B])),
        ]

    def initially(self, s):
        return [
            ForAll(
                [T],
                And(
                    is_at(s, T, "Idle"),
                    Not(s.reading[T]),
                    s.entry[T] == NO_ENTRY,
                    s.into[T] == NO_BUCKET,
                    s.polled[T] == NO_BUCKET,
                    s.until[T] == 0,
                ),
            ),
            ForAll([E, B], Not(s.linked[E][B])),
            s.writer == NOBODY,
            Not(s.rekeyed),
            s.now >= 0,
            ForAll(
                [B],
                Implies(
                    B != NO_BUCKET,
                    And(
                        s.token[B] == NOBODY,
                        s.key[B] == -1,
                        s.copies[B] == 0,
                        mod(s.clock[B], s.tick[B]) == 0,
                        0 <= s.clock[B],
                        s.clock[B] <= s.now,
                    ),
                ),
            ),
        ]

    # -- the wheel's arithmetic

    def takes(self, s: SimpleNamespace, b: z3.ExprRef, e: z3.ExprRef) -> z3.BoolRef:
        """A bucket's level takes an entry at its clock, into this slot."""
        due = s.deadline[e]
        return And(
            taken(due, s.clock[b], s.tick[b], s.size), slot_of(due, s.tick[b], s.size) == s.slot[b]
        )

    def gives(self, s: SimpleNamespace, b: z3.ExprRef, e: z3.ExprRef) -> z3.ExprRef:
        """The key that an entry gives a bucket."""
        return key_of(s.deadline[e], s.tick[b])

    def theorems(self, s, name, values):
        """T17, of the bucket that an entry goes into, and of every bucket when the clocks advance."""
        instance = lambda statement, **terms: STATEMENTS[statement].at(terms)
        insert = lambda t: instance(
            "T17-insert",
            e=s.deadline[s.entry[t]],
            x=s.key[s.into[t]],
            c=s.clock[s.into[t]],
            t=s.tick[s.into[t]],
            w=s.size,
        )
        if name in ("finds_its_key", "sets_key"):
            t = values["t"]
            given = instance(
                "T17-key",
                e=s.deadline[s.entry[t]],
                c=s.clock[s.into[t]],
                t=s.tick[s.into[t]],
                w=s.size,
            )
            return {"T17-insert #1": insert(t), "T17-key #1": given}
        if name == "advances":
            return {
                "T17-clock #1": ForAll(
                    [B], instance("T17-clock", c=s.clock[B], p=s.until[values["t"]], t=s.tick[B])
                )
            }
        return {"T17-insert #1": ForAll([T], insert(T))} if not name else {}

    def entry_done(self, s: SimpleNamespace, t: z3.ExprRef) -> dict[str, z3.ExprRef]:
        """The updates of a return from addTimerTaskEntry: to the adder's unlock, or to the reaper's walk."""
        return {
            "at": Store(s.at, t, If(s.reading[t], PLACE.A4, PLACE.F2)),
            "entry": Store(s.entry, t, NO_ENTRY),
            "into": Store(s.into, t, NO_BUCKET),
        }

    def first(self, s: SimpleNamespace, b: z3.ExprRef) -> z3.BoolRef:
        """The heap hands out this bucket, which is due: one of smallest key, if no key in the heap has changed."""
        return And(
            s.copies[b] > 0,
            s.key[b] <= s.now,
            ForAll([C], Or(s.rekeyed, C == NO_BUCKET, s.copies[C] <= 0, s.key[b] <= s.key[C])),
        )

    def taken_out(self, s: SimpleNamespace, t: z3.ExprRef, b: z3.ExprRef) -> dict[str, z3.ExprRef]:
        """The updates of a poll."""
        return {
            "copies": Store(s.copies, b, s.copies[b] - 1),
            "token": Store(s.token, b, t),
            "polled": Store(s.polled, t, b),
        }

    # -- SystemTimer.add, TimerTask.cancel, time

    @action(t=THREAD, e=ENTRY, begins=True)
    def adds(self, s, t, e) -> Step:
        return when(is_at(s, t, "Idle"), at=go(s, t, "A1"), entry=Store(s.entry, t, e))

    @action(t=THREAD, begins=True)
    def cancels(self, s, t) -> Step:
        return when(is_at(s, t, "Idle"), at=go(s, t, "X1"))

    @action(t=THREAD, begins=True)
    def reaps(self, s, t) -> Step:
        return when(is_at(s, t, "Idle"), t == s.reaper, at=go(s, t, "R1"))

    @action(t=THREAD, begins=True)
    def time_passes(self, s, t) -> Step:
        return when(is_at(s, t, "Idle"), now=s.now + 1)

    @action(t=THREAD)
    def enters_to_read(self, s, t) -> Step:
        return when(
            is_at(s, t, "A1"),
            s.writer == NOBODY,
            at=go(s, t, "A2"),
            reading=Store(s.reading, t, True),
        )

    @action(t=THREAD)
    def reads_time(self, s, t) -> Step:
        return when(is_at(s, t, "A2"), at=go(s, t, "A3"))

    @action(t=THREAD, d=nullable(ENTRY))
    def replaces(self, s, t, d) -> Step:
        return when(is_at(s, t, "A3"), at=go(s, t, "W1"), linked=Store(s.linked, d, s.nowhere))

    @action(t=THREAD)
    def leaves_reading(self, s, t) -> Step:
        return when(is_at(s, t, "A4"), at=go(s, t, "Idle"), reading=Store(s.reading, t, False))

    @action(t=THREAD, d=nullable(ENTRY))
    def removes(self, s, t, d) -> Step:
        return when(is_at(s, t, "X1"), at=go(s, t, "Idle"), linked=Store(s.linked, d, s.nowhere))

    def alone(self, s: SimpleNamespace) -> z3.BoolRef:
        return And(s.writer == NOBODY, ForAll([U], Not(s.reading[U])))

    # -- SystemTimer.addTimerTaskEntry with TimingWheel.add

    @action(t=THREAD, b=BUCKET)
    def goes_into(self, s, t, b) -> Step:
        return when(
            is_at(s, t, "W1"),
            self.takes(s, b, s.entry[t]),
            at=go(s, t, "W2"),
            into=Store(s.into, t, b),
        )

    @action(t=THREAD)
    def is_due_or_cancelled(self, s, t) -> Step:
        return when(is_at(s, t, "W1"), at=go(s, t, "K1"))

    @action(t=THREAD)
    def links(self, s, t) -> Step:
        e = s.entry[t]
        return when(
            is_at(s, t, "W2"),
            at=go(s, t, "W3"),
            linked=Store(s.linked, e, Store(s.linked[e], s.into[t], True)),
        )

    @action(t=THREAD)
    def finds_its_key(self, s, t) -> Step:
        return when(
            is_at(s, t, "W3"),
            s.key[s.into[t]] == self.gives(s, s.into[t], s.entry[t]),
            **self.entry_done(s, t),
        )

    @action(t=THREAD)
    def sets_key(self, s, t) -> Step:
        b, new = s.into[t], self.gives(s, s.into[t], s.entry[t])
        return when(
            is_at(s, t, "W3"),
            s.key[b] != new,
            at=go(s, t, "W4"),
            key=Store(s.key, b, new),
            token=Store(s.token, b, t),
            rekeyed=Or(s.rekeyed, s.copies[b] > 0),
        )

    @action(t=THREAD)
    def offers(self, s, t) -> Step:
        b = s.into[t]
        return when(
            is_at(s, t, "W4"),
            copies=Store(s.copies, b, s.copies[b] + 1),
            token=Store(s.token, b, NOBODY),
            **self.entry_done(s, t),
        )

    @action(t=THREAD)
    def is_not_run(self, s, t) -> Step:
        return when(is_at(s, t, "K1"), **self.entry_done(s, t))

    @action(t=THREAD)
    def is_to_be_run(self, s, t) -> Step:
        return when(is_at(s, t, "K1"), at=go(s, t, "K2"))

    @action(t=THREAD)
    def hands_over(self, s, t) -> Step:
        return when(is_at(s, t, "K2"), **self.entry_done(s, t))

    # -- SystemTimer.advanceClock

    @action(t=THREAD, b=BUCKET)
    def polls_unlocked(self, s, t, b) -> Step:
        return when(
            is_at(s, t, "R1"), self.first(s, b), at=go(s, t, "R2"), **self.taken_out(s, t, b)
        )

    @action(t=THREAD)
    def is_over(self, s, t) -> Step:
        return when(is_at(s, t, "R1"), at=go(s, t, "Idle"))

    @action(t=THREAD)
    def locks_to_reap(self, s, t) -> Step:
        return when(is_at(s, t, "R2"), self.alone(s), at=go(s, t, "R3"), writer=t)

    @action(t=THREAD)
    def puts_back(self, s, t) -> Step:
        b = s.polled[t]
        return when(
            is_at(s, t, "R3"),
            at=go(s, t, "R4"),
            copies=Store(s.copies, b, s.copies[b] + 1),
            token=Store(s.token, b, NOBODY),
            polled=Store(s.polled, t, NO_BUCKET),
        )

    @action(t=THREAD, b=BUCKET)
    def polls(self, s, t, b) -> Step:
        return when(
            is_at(s, t, "R4"), self.first(s, b), at=go(s, t, "R5"), **self.taken_out(s, t, b)
        )

    @action(t=THREAD)
    def finds_none_due(self, s, t) -> Step:
        return when(
            is_at(s, t, "R4"),
            ForAll([B], Or(s.rekeyed, B == NO_BUCKET, s.copies[B] <= 0, s.key[B] > s.now)),
            at=go(s, t, "R6"),
        )

    @action(t=THREAD)
    def reads_key(self, s, t) -> Step:
        return when(
            is_at(s, t, "R5"), at=go(s, t, "R7"), until=Store(s.until, t, s.key[s.polled[t]])
        )

    @action(t=THREAD)
    def advances(self, s, t) -> Step:
        return when(
            is_at(s, t, "R7"),
            at=go(s, t, "F2"),
            until=Store(s.until, t, 0),
            clock=Everywhere(
                B, If(B == NO_BUCKET, s.clock[B], advanced(s.clock[B], s.until[t], s.tick[B]))
            ),
        )

    @action(t=THREAD, e=ENTRY)
    def takes_head(self, s, t, e) -> Step:
        return when(
            is_at(s, t, "F2"),
            s.linked[e][s.polled[t]],
            at=go(s, t, "W1"),
            entry=Store(s.entry, t, e),
            linked=Store(s.linked, e, Store(s.linked[e], s.polled[t], False)),
        )

    @action(t=THREAD)
    def is_empty(self, s, t) -> Step:
        return when(
            is_at(s, t, "F2"), ForAll([E], Not(s.linked[E][s.polled[t]])), at=go(s, t, "V2")
        )

    @action(t=THREAD)
    def resets_key(self, s, t) -> Step:
        b = s.polled[t]
        return when(
            is_at(s, t, "V2"),
            at=go(s, t, "R4"),
            key=Store(s.key, b, z3.IntVal(-1)),
            token=Store(s.token, b, NOBODY),
            polled=Store(s.polled, t, NO_BUCKET),
            rekeyed=Or(s.rekeyed, s.copies[b] > 0),
        )

    @action(t=THREAD)
    def unlocks_after_reap(self, s, t) -> Step:
        return when(is_at(s, t, "R6"), at=go(s, t, "R1"), writer=NOBODY)

    # -- the invariant: locks

    def writes(self, s: SimpleNamespace, t: z3.ExprRef) -> z3.BoolRef:
        return Or(is_at(s, t, *REAPING), And(is_at(s, t, *ENTERING), Not(s.reading[t])))

    @conjunct
    def one_reaper(self, s):
        """Only the reaper reaps."""
        reaping = Or(
            is_at(s, T, "R1", "R2", *REAPING), And(is_at(s, T, *ENTERING), Not(s.reading[T]))
        )
        return ForAll([T], Implies(reaping, T == s.reaper))

    @conjunct
    def reader_is_adding(self, s):
        """Who holds the read lock is in add, or in addTimerTaskEntry; who is in add past its lock holds it."""
        return ForAll(
            [T],
            And(
                Implies(s.reading[T], is_at(s, T, *ADDING, *ENTERING)),
                Implies(is_at(s, T, *ADDING), s.reading[T]),
            ),
        )

    @conjunct
    def writer_works_alone(self, s):
        """The write lock is held by exactly the thread that reaps, while no thread reads."""
        return And(
            ForAll([T], Implies(T != NOBODY, (s.writer == T) == self.writes(s, T))),
            ForAll([T], Implies(s.reading[T], s.writer == NOBODY)),
        )

    @conjunct
    def polled_while_reaping(self, s):
        """Who has polled a bucket is between a poll and its key's reset; who reaps there has one."""
        inside = Or(
            is_at(s, T, "R2", "R3", "R5", "R7", "F2", "V2"),
            And(is_at(s, T, *ENTERING), Not(s.reading[T])),
        )
        return ForAll([T], (s.polled[T] != NO_BUCKET) == inside)

    @conjunct
    def chosen_takes_its_entry(self, s):
        """A thread has a bucket from W2 on until it has offered it, whose level takes the thread's entry into its slot; it offers no polled one."""
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
        """The thread has the bucket out of the queue: about to offer it, or polled and not reset."""
        return Or(And(is_at(s, t, "W4"), s.into[t] == b), s.polled[t] == b)

    @conjunct
    def token_is_held(self, s):
        """A bucket's token is held by exactly the thread that has the bucket out of the queue."""
        return ForAll(
            [B, T],
            Implies(And(B != NO_BUCKET, T != NOBODY), (s.token[B] == T) == self.has_it(s, T, B)),
        )

    @conjunct
    def keyed_means_one_token(self, s):
        """A bucket with a key is in the queue once, or with one thread; one without is neither."""
        return ForAll(
            [B],
            Implies(
                B != NO_BUCKET,
                And(
                    s.copies[B] == If(And(s.key[B] != -1, s.token[B] == NOBODY), 1, 0),
                    Implies(s.key[B] == -1, s.token[B] == NOBODY),
                ),
            ),
        )

    @conjunct
    def linked_means_keyed(self, s):
        """A bucket with an entry has a key, or a thread that is about to give it one."""
        return ForAll([B], Or(B == NO_BUCKET, s.key[B] != -1, self.to_be_keyed(s, B)))

    @conjunct
    def flushed_is_empty(self, s):
        """A bucket whose flush has found no entry left has none."""
        return ForAll([T, E], Implies(is_at(s, T, "V2"), Not(s.linked[E][s.polled[T]])))

    # -- the invariant: keys and clocks

    @conjunct
    def clocks_are_whole_ticks(self, s):
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
            t != NOBODY,
            Or(
                is_at(s, t, "R4", "R5", "R7", "F2", "V2"),
                And(is_at(s, t, *ENTERING), Not(s.reading[t])),
            ),
        )

    @conjunct
    def key_is_ahead(self, s):
        """A key is its slot's, within the turn of its level's clock, and past that; while the reaper works, it may be the clock itself."""
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
    def advances_to_the_earliest(self, s):
        """Under the write lock the polled bucket is due and has the smallest key; the reaper advances to that key."""
        w = s.writer
        return And(
            ForAll(
                [B],
                Implies(
                    And(w != NOBODY, B != NO_BUCKET, s.key[B] != -1),
                    And(
                        Implies(is_at(s, w, "R5"), s.key[s.polled[w]] <= s.key[B]),
                        Implies(is_at(s, w, "R7"), s.until[w] <= s.key[B]),
                    ),
                ),
            ),
            Implies(And(w != NOBODY, is_at(s, w, "R5")), s.key[s.polled[w]] <= s.now),
            Implies(And(w != NOBODY, is_at(s, w, "R7")), s.until[w] <= s.now),
        )

    @conjunct
    def no_key_has_changed(self, s):
        """No key changed while its bucket was in the queue, so that the heap is in order."""
        return Not(s.rekeyed)

    # -- safety

    @safety("P10")
    def queued_once(self, s):
        """A bucket is in the queue at most once."""
        return ForAll([B], Implies(B != NO_BUCKET, And(0 <= s.copies[B], s.copies[B] <= 1)))

    @safety("P10")
    def key_kept_while_queued(self, s):
        """Who is about to give a bucket another key finds it without one: not in the queue, and with nobody."""
        b, new = s.into[T], self.gives(s, s.into[T], s.entry[T])
        return ForAll(
            [T],
            Implies(
                And(is_at(s, T, "W3"), s.key[b] != new),
                And(s.key[b] == -1, s.copies[b] == 0, s.token[b] == NOBODY),
            ),
        )

    @safety("P10")
    def entries_are_queued(self, s):
        """A bucket with an entry is in the queue, or with a thread that offers or flushes it, or a thread has linked and is to give it a key."""
        return ForAll(
            [B], Or(B == NO_BUCKET, s.copies[B] == 1, s.token[B] != NOBODY, self.to_be_keyed(s, B))
        )

    def to_be_keyed(self, s: SimpleNamespace, b: z3.ExprRef) -> z3.BoolRef:
        """The bucket has no entry, or a thread that has linked one and is about to look at the key."""
        return Or(
            ForAll([E], Or(E == NO_ENTRY, Not(s.linked[E][b]))),
            Exists([T], And(is_at(s, T, "W3"), s.into[T] == b)),
        )

    @safety("P11")
    def heap_is_in_order(self, s):
        """No key changes while its bucket is in the queue: the heap always hands out a smallest key."""
        return Not(s.rekeyed)

    @safety("P11")
    def polled_is_earliest(self, s):
        """The bucket that the reaper polls under the write lock has the smallest key of all in the queue."""
        return ForAll(
            [T, B],
            Implies(
                And(is_at(s, T, "R5"), B != NO_BUCKET, s.copies[B] > 0),
                s.key[s.polled[T]] <= s.key[B],
            ),
        )

    @safety("P11")
    def queued_is_past_clock(self, s):
        """When the write lock is free, the key of a queued bucket is past its level's clock, within the turn."""
        return ForAll(
            [B],
            Implies(
                And(B != NO_BUCKET, s.writer == NOBODY, s.copies[B] > 0),
                And(s.key[B] > s.clock[B], s.key[B] < s.clock[B] + mul(s.tick[B], s.size)),
            ),
        )

    @safety("P11")
    def released_ahead(self, s):
        """The reaper gives the write lock back only when no queued bucket was due at its last look."""
        return ForAll(
            [T, B],
            Implies(And(is_at(s, T, "R6"), B != NO_BUCKET, s.copies[B] > 0), s.key[B] > s.clock[B]),
        )
