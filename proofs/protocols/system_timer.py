"""P10, P11: a bucket of the timer is queued exactly once per cycle, and the clock never passes a queued bucket.

One bucket, one reaper, any number of adders, cancellers, closers and entries, with the others seen only by what they do to the clock and the locks.
A thread's place is the label of ``spec/SystemTimer.tla`` that it takes next. The wheel's arithmetic enters where it is proved:
``window`` is the key that the bucket gives at the level's clock of now, -1 for the clock's own slot (T2, T3, T4); an advance leaves it
alone where the bucket's key is still ahead (T6, T7), and it is always past the clock (T4, T9).
Theorems: P10 the bucket is in the queue at most once, its key does not change while it is queued, and with entries it is queued once
nobody is at work; P11 when the write lock is free, a queued key is past the clock.
"""
from __future__ import annotations

from types import SimpleNamespace

import z3
from z3 import And, Exists, ForAll, If, Implies, Not, Or, Store

from proofs.ts import WHOLE, Enumeration, Step, System, action, array, conjunct, nullable, safety, sort, when

THREAD = sort("Thread", null="nobody")
ENTRY = sort("Entry", null="no_entry")
NOBODY, NO_ENTRY = THREAD.null, ENTRY.null
PLACE = Enumeration("TimerPlace", "Idle A1 A2 A3 A4 W1 W2 W3 W4 K1 K2 X1 B1 B2 B3 R1 R2 R3 R4 R5 R7 F2 V2 R6")
POLLED = Enumeration("Polled", "none this other")
BOOL, INT = z3.BoolSort(), z3.IntSort()
T, U = THREAD.consts("thread other")
E = ENTRY.consts("each")[0]

ADDING = ("A2", "A3", "A4")
ENTERING = ("W1", "W2", "W3", "W4", "K1", "K2")
"""Places in addTimerTaskEntry, which an adder calls under the read lock and the reaper under the write lock."""
REAPING = ("R3", "R4", "R5", "R7", "F2", "V2", "R6")


def is_at(s: SimpleNamespace, t: z3.ExprRef, *places: str) -> z3.BoolRef:
    """The thread is at one of these places."""
    alternatives = [s.at[t] == getattr(PLACE, place) for place in places]
    return Or(alternatives) if len(alternatives) > 1 else alternatives[0]


def go(s: SimpleNamespace, t: z3.ExprRef, place: str) -> z3.ExprRef:
    return Store(s.at, t, getattr(PLACE, place))


class Bucket(System):
    """One bucket of a wheel, the delay queue's order, and the lock that adders share and the reaper has alone."""

    SORTS = (THREAD, ENTRY)
    STATES = "one bucket of the timer"
    VARIABLES = {
        "at": array(THREAD, PLACE), "reading": array(THREAD, BOOL), "writer": THREAD.z3,
        "entry": array(THREAD, ENTRY), "mine": array(THREAD, BOOL),                    # what it puts, and whether into this bucket
        "polled": array(THREAD, POLLED), "due": array(THREAD, INT), "until": array(THREAD, INT),
        "linked": array(ENTRY, BOOL), "key": INT, "copies": INT,
        "window": INT, "clock": INT, "now": INT,
        "token": THREAD.z3,                                                           # history: who has the bucket out of the queue
    }

    RIGID = {"reaper": THREAD.z3}

    def given(self, s):
        return [s.reaper != NOBODY]

    def initially(self, s):
        return [ForAll([T], And(is_at(s, T, "Idle"), Not(s.reading[T]), s.entry[T] == NO_ENTRY, Not(s.mine[T]), s.polled[T] == POLLED.none,
                                s.due[T] == 0, s.until[T] == 0)),
                ForAll([E], Not(s.linked[E])), s.writer == NOBODY, s.token == NOBODY, s.key == -1, s.copies == 0,
                s.clock == 0, s.now >= 0, Or(s.window == -1, s.window > 0)]

    def entry_done(self, s: SimpleNamespace, t: z3.ExprRef) -> dict[str, z3.ExprRef]:
        """The updates of a return from addTimerTaskEntry: to the adder's unlock, or to the reaper's walk."""
        return {"at": Store(s.at, t, If(s.reading[t], PLACE.A4, PLACE.F2)), "entry": Store(s.entry, t, NO_ENTRY), "mine": Store(s.mine, t, False)}

    def this(self, s: SimpleNamespace, t: z3.ExprRef) -> z3.BoolRef:
        return s.polled[t] == POLLED.this

    def other(self, s: SimpleNamespace, t: z3.ExprRef) -> z3.BoolRef:
        return s.polled[t] == POLLED.other

    # -- SystemTimer.add, TimerTask.cancel, close, time

    @action(t=THREAD, e=ENTRY, begins=True)
    def adds(self, s, t, e) -> Step:
        return when(is_at(s, t, "Idle"), at=go(s, t, "A1"), entry=Store(s.entry, t, e))

    @action(t=THREAD, begins=True)
    def cancels(self, s, t) -> Step:
        return when(is_at(s, t, "Idle"), at=go(s, t, "X1"))

    @action(t=THREAD, begins=True)
    def closes(self, s, t) -> Step:
        return when(is_at(s, t, "Idle"), at=go(s, t, "B1"))

    @action(t=THREAD, begins=True)
    def reaps(self, s, t) -> Step:
        return when(is_at(s, t, "Idle"), t == s.reaper, at=go(s, t, "R1"))

    @action(t=THREAD, begins=True)
    def time_passes(self, s, t) -> Step:
        return when(is_at(s, t, "Idle"), now=s.now + 1)

    @action(t=THREAD)
    def enters_to_read(self, s, t) -> Step:
        return when(is_at(s, t, "A1"), s.writer == NOBODY, at=go(s, t, "A2"), reading=Store(s.reading, t, True))

    @action(t=THREAD)
    def is_refused(self, s, t) -> Step:
        return when(is_at(s, t, "A1"), s.writer == NOBODY, at=go(s, t, "A4"), reading=Store(s.reading, t, True), entry=Store(s.entry, t, NO_ENTRY))

    @action(t=THREAD)
    def reads_time(self, s, t) -> Step:
        return when(is_at(s, t, "A2"), at=go(s, t, "A3"))

    @action(t=THREAD, d=nullable(ENTRY))
    def replaces(self, s, t, d) -> Step:
        return when(is_at(s, t, "A3"), at=go(s, t, "W1"), linked=Store(s.linked, d, False))

    @action(t=THREAD)
    def leaves_reading(self, s, t) -> Step:
        return when(is_at(s, t, "A4"), at=go(s, t, "Idle"), reading=Store(s.reading, t, False))

    @action(t=THREAD, d=nullable(ENTRY))
    def removes(self, s, t, d) -> Step:
        return when(is_at(s, t, "X1"), at=go(s, t, "Idle"), linked=Store(s.linked, d, False))

    def alone(self, s: SimpleNamespace) -> z3.BoolRef:
        return And(s.writer == NOBODY, ForAll([U], Not(s.reading[U])))

    @action(t=THREAD)
    def locks_to_close(self, s, t) -> Step:
        return when(is_at(s, t, "B1"), self.alone(s), at=go(s, t, "B2"), writer=t)

    @action(t=THREAD)
    def refuses_from_now_on(self, s, t) -> Step:
        return when(is_at(s, t, "B2"), at=go(s, t, "B3"))

    @action(t=THREAD)
    def unlocks_after_close(self, s, t) -> Step:
        return when(is_at(s, t, "B3"), at=go(s, t, "Idle"), writer=NOBODY)

    # -- SystemTimer.addTimerTaskEntry with TimingWheel.add

    @action(t=THREAD)
    def goes_here(self, s, t) -> Step:
        return when(is_at(s, t, "W1"), s.window != -1, at=go(s, t, "W2"), mine=Store(s.mine, t, True))

    @action(t=THREAD)
    def goes_elsewhere(self, s, t) -> Step:
        return when(is_at(s, t, "W1"), at=go(s, t, "W2"))

    @action(t=THREAD)
    def is_due_or_cancelled(self, s, t) -> Step:
        return when(is_at(s, t, "W1"), at=go(s, t, "K1"))

    @action(t=THREAD)
    def links(self, s, t) -> Step:
        return when(is_at(s, t, "W2"), at=go(s, t, "W3"), linked=Store(s.linked, s.entry[t], Or(s.mine[t], s.linked[s.entry[t]])))

    @action(t=THREAD)
    def finds_its_key(self, s, t) -> Step:
        return when(is_at(s, t, "W3"), Implies(s.mine[t], s.key == s.window), **self.entry_done(s, t))

    @action(t=THREAD)
    def sets_key(self, s, t) -> Step:
        return when(is_at(s, t, "W3"), s.mine[t], s.key != s.window, at=go(s, t, "W4"), key=s.window, token=t)

    @action(t=THREAD)
    def sets_other_key(self, s, t) -> Step:
        return when(is_at(s, t, "W3"), Not(s.mine[t]), at=go(s, t, "W4"))

    @action(t=THREAD)
    def offers(self, s, t) -> Step:
        return when(is_at(s, t, "W4"), s.mine[t], copies=s.copies + 1, token=NOBODY, **self.entry_done(s, t))

    @action(t=THREAD)
    def offers_other(self, s, t) -> Step:
        return when(is_at(s, t, "W4"), Not(s.mine[t]), **self.entry_done(s, t))

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

    @action(t=THREAD)
    def polls_unlocked(self, s, t) -> Step:
        return when(is_at(s, t, "R1"), s.copies > 0, s.key <= s.now, at=go(s, t, "R2"), copies=s.copies - 1, token=t,
                    polled=Store(s.polled, t, POLLED.this))

    @action(t=THREAD)
    def polls_other_unlocked(self, s, t) -> Step:
        return when(is_at(s, t, "R1"), at=go(s, t, "R2"), polled=Store(s.polled, t, POLLED.other))

    @action(t=THREAD)
    def is_over(self, s, t) -> Step:
        return when(is_at(s, t, "R1"), at=go(s, t, "Idle"))

    @action(t=THREAD)
    def locks_to_reap(self, s, t) -> Step:
        return when(is_at(s, t, "R2"), self.alone(s), at=go(s, t, "R3"), writer=t)

    @action(t=THREAD)
    def puts_back(self, s, t) -> Step:
        return when(is_at(s, t, "R3"), self.this(s, t), at=go(s, t, "R4"), copies=s.copies + 1, token=NOBODY,
                    polled=Store(s.polled, t, POLLED.none))

    @action(t=THREAD)
    def puts_other_back(self, s, t) -> Step:
        return when(is_at(s, t, "R3"), self.other(s, t), at=go(s, t, "R4"), polled=Store(s.polled, t, POLLED.none))

    @action(t=THREAD)
    def polls(self, s, t) -> Step:
        return when(is_at(s, t, "R4"), s.copies > 0, s.key <= s.now, at=go(s, t, "R5"), copies=s.copies - 1, token=t,
                    polled=Store(s.polled, t, POLLED.this), due=Store(s.due, t, s.key))

    @action(t=THREAD, y=WHOLE)
    def polls_other(self, s, t, y) -> Step:
        return when(is_at(s, t, "R4"), 0 <= y, y <= s.now, Implies(s.copies > 0, y <= s.key), at=go(s, t, "R5"),
                    polled=Store(s.polled, t, POLLED.other), due=Store(s.due, t, y))

    @action(t=THREAD)
    def finds_none_due(self, s, t) -> Step:
        return when(is_at(s, t, "R4"), Implies(s.copies > 0, s.key > s.now), at=go(s, t, "R6"))

    @action(t=THREAD)
    def reads_key(self, s, t) -> Step:
        return when(is_at(s, t, "R5"), at=go(s, t, "R7"), until=Store(s.until, t, If(self.this(s, t), s.key, s.due[t])), due=Store(s.due, t, 0))

    @action(t=THREAD, w=WHOLE)
    def advances(self, s, t, w) -> Step:
        clock = If(s.until[t] > s.clock, s.until[t], s.clock)
        return when(is_at(s, t, "R7"),
                    Or(w == -1, w > clock), Implies(And(s.key != -1, s.key > clock), w == s.window), Implies(s.key == clock, w == -1),
                    at=go(s, t, "F2"), clock=clock, window=w, until=Store(s.until, t, 0))

    @action(t=THREAD, e=ENTRY)
    def takes_head(self, s, t, e) -> Step:
        return when(is_at(s, t, "F2"), self.this(s, t), s.linked[e], at=go(s, t, "W1"), linked=Store(s.linked, e, False), entry=Store(s.entry, t, e))

    @action(t=THREAD, e=ENTRY)
    def takes_other_head(self, s, t, e) -> Step:
        return when(is_at(s, t, "F2"), self.other(s, t), at=go(s, t, "W1"), entry=Store(s.entry, t, e))

    @action(t=THREAD)
    def is_empty(self, s, t) -> Step:
        return when(is_at(s, t, "F2"), ForAll([E], Implies(self.this(s, t), Not(s.linked[E]))), at=go(s, t, "V2"))

    @action(t=THREAD)
    def resets_key(self, s, t) -> Step:
        return when(is_at(s, t, "V2"), self.this(s, t), at=go(s, t, "R4"), key=z3.IntVal(-1), token=NOBODY, polled=Store(s.polled, t, POLLED.none))

    @action(t=THREAD)
    def resets_other_key(self, s, t) -> Step:
        return when(is_at(s, t, "V2"), self.other(s, t), at=go(s, t, "R4"), polled=Store(s.polled, t, POLLED.none))

    @action(t=THREAD)
    def unlocks_after_reap(self, s, t) -> Step:
        return when(is_at(s, t, "R6"), at=go(s, t, "R1"), writer=NOBODY)

    # -- the invariant: locks

    def writes(self, s: SimpleNamespace, t: z3.ExprRef) -> z3.BoolRef:
        return Or(is_at(s, t, "B2", "B3", *REAPING), And(is_at(s, t, *ENTERING), Not(s.reading[t])))

    @conjunct
    def one_reaper(self, s):
        """Only the reaper reaps."""
        reaping = Or(is_at(s, T, "R1", "R2", *REAPING), And(is_at(s, T, *ENTERING), Not(s.reading[T])))
        return ForAll([T], Implies(reaping, T == s.reaper))

    @conjunct
    def reader_is_adding(self, s):
        """Who holds the read lock is in add, or in addTimerTaskEntry; who is in add past its lock holds it."""
        return ForAll([T], And(Implies(s.reading[T], is_at(s, T, *ADDING, *ENTERING)), Implies(is_at(s, T, *ADDING), s.reading[T])))

    @conjunct
    def writer_works_alone(self, s):
        """The write lock is held by exactly the thread that reaps or closes, while nobody reads."""
        return And(ForAll([T], Implies(T != NOBODY, (s.writer == T) == self.writes(s, T))), ForAll([T], Implies(s.reading[T], s.writer == NOBODY)))

    @conjunct
    def polled_while_reaping(self, s):
        """Who has polled a bucket is between a poll and its key's reset; who reaps there has one."""
        inside = Or(is_at(s, T, "R2", "R3", "R5", "R7", "F2", "V2"), And(is_at(s, T, *ENTERING), Not(s.reading[T])))
        return ForAll([T], (s.polled[T] != POLLED.none) == inside)

    @conjunct
    def mine_while_entering(self, s):
        """A thread has chosen this bucket from W2 on until it has offered it, at a window that is there."""
        return ForAll([T], Implies(s.mine[T], And(is_at(s, T, "W2", "W3", "W4"), s.window != -1)))

    # -- the invariant: the token

    def has_it(self, s: SimpleNamespace, t: z3.ExprRef) -> z3.BoolRef:
        """The thread has the bucket out of the queue: about to offer it, or polled and not reset."""
        return Or(And(is_at(s, t, "W4"), s.mine[t]), self.this(s, t))

    @conjunct
    def token_is_held(self, s):
        """The token is held by exactly the thread that has the bucket out of the queue."""
        return ForAll([T], Implies(T != NOBODY, (s.token == T) == self.has_it(s, T)))

    @conjunct
    def keyed_means_one_token(self, s):
        """A bucket with a key is in the queue once, or with one thread; one without is neither."""
        return And(s.copies == If(And(s.key != -1, s.token == NOBODY), 1, 0), Implies(s.key == -1, s.token == NOBODY))

    @conjunct
    def linked_means_keyed(self, s):
        """A bucket with an entry has a key, or a thread that is about to give it one."""
        return Or(s.key != -1, self.to_be_keyed(s))

    # -- the invariant: keys and the clock

    def ahead(self, s: SimpleNamespace) -> z3.BoolRef:
        """The bucket's key is past the clock, and the one that the window gives."""
        return And(s.key > s.clock, s.key == s.window)

    @conjunct
    def window_is_ahead(self, s):
        """The key that the bucket gives is past the clock, which is not past the time."""
        return And(Or(s.window == -1, s.window > s.clock), 0 <= s.clock, s.clock <= s.now, s.key >= -1)

    @conjunct
    def key_is_ahead(self, s):
        """While the reaper is not between polls under the write lock, a key is ahead of the clock."""
        return Implies(And(s.key != -1, Not(self.works(s, s.writer))), self.ahead(s))

    def works(self, s: SimpleNamespace, t: z3.ExprRef) -> z3.BoolRef:
        """The reaper has the write lock and advances the clock, bucket by bucket."""
        return And(t != NOBODY, Or(is_at(s, t, "R4", "R5", "R7", "F2", "V2"), And(is_at(s, t, *ENTERING), Not(s.reading[t]))))

    @conjunct
    def key_is_not_passed(self, s):
        """While the reaper works, a key is ahead of the clock, or just reached and then in no window; if polled, it is what it is told."""
        w = s.writer
        return Implies(And(s.key != -1, self.works(s, w)), And(
            Or(self.ahead(s), And(s.key == s.clock, s.window == -1)),
            Implies(is_at(s, w, "R5"), And(s.due[w] <= s.key, s.due[w] <= s.now, 0 <= s.due[w])),
            Implies(is_at(s, w, "R7"), And(s.until[w] <= s.key, s.until[w] <= s.now, 0 <= s.until[w])),
            Implies(And(self.this(s, w), is_at(s, w, "R5")), s.key <= s.now), Implies(And(self.this(s, w), is_at(s, w, "R7")), s.until[w] == s.key),
            Implies(And(self.this(s, w), Not(is_at(s, w, "R5", "R7"))), And(s.key == s.clock, s.window == -1))))

    @conjunct
    def told_what_is_due(self, s):
        """What the reaper is told to advance to is not past the time."""
        return ForAll([T], And(Implies(is_at(s, T, "R5"), And(0 <= s.due[T], s.due[T] <= s.now)),
                               Implies(is_at(s, T, "R7"), And(0 <= s.until[T], s.until[T] <= s.now))))

    @conjunct
    def flushed_is_empty(self, s):
        """A bucket whose flush has found no entry left has none."""
        return ForAll([T, E], Implies(And(is_at(s, T, "V2"), self.this(s, T)), Not(s.linked[E])))

    # -- safety

    @safety("P10")
    def queued_once(self, s):
        """The bucket is in the queue at most once."""
        return And(0 <= s.copies, s.copies <= 1)

    @safety("P10")
    def key_kept_while_queued(self, s):
        """Who is about to give the bucket another key finds it without one: not in the queue, and with nobody."""
        return ForAll([T], Implies(And(is_at(s, T, "W3"), s.mine[T], s.key != s.window), And(s.key == -1, s.copies == 0, s.token == NOBODY)))

    @safety("P10")
    def entries_are_queued(self, s):
        """A bucket with an entry is in the queue, or with a thread that offers or flushes it, or a thread has linked and is to give it a key."""
        return Or(s.copies == 1, s.token != NOBODY, self.to_be_keyed(s))

    def to_be_keyed(self, s: SimpleNamespace) -> z3.BoolRef:
        """The bucket has no entry, or a thread that has linked one and is about to look at the key."""
        return Or(ForAll([E], Or(E == NO_ENTRY, Not(s.linked[E]))), Exists([T], And(is_at(s, T, "W3"), s.mine[T])))

    @safety("P11")
    def queued_is_past_clock(self, s):
        """When the write lock is free, the key of a queued bucket is past the clock, so that adders find its window."""
        return Implies(And(s.writer == NOBODY, s.copies > 0), And(s.key > s.clock, s.key == s.window))

    @safety("P11")
    def released_ahead(self, s):
        """The reaper gives the write lock back only when the bucket is not queued or not due at its last look."""
        return ForAll([T], Implies(And(is_at(s, T, "R6"), s.copies > 0), s.key > s.clock))
