"""P9.Conditions: with several conditions no completion is lost, however lists come and go.

The specification of the purgatory has one condition for each operation, and ``purgatory`` has its
proof. Here one operation has any number of conditions, each read in a step of its own, and each
with a key. The thread that enters it (under its lock: try, watch every key, try again) and any
number of threads whose events make a condition true and then check its key are those of
generation L. A key's list is made, and taken away when it is empty, in one step under the shard's
lock. No specification has several conditions: no edge of a model is compared with this system.
"""

from __future__ import annotations

from types import SimpleNamespace

import z3
from z3 import And, Exists, ForAll, If, Implies, Not, Or, Store

from wheelproof.prove.ts.system import (
    Enumeration,
    Step,
    System,
    action,
    array,
    conjunct,
    safety,
    sort,
    when,
)

THREAD = sort("Thread", null="no_thread")
KEY = sort("Key")
CONDITION = sort("Condition")
WATCHERS = sort("Watchers", null="no_list")
NO_THREAD, NO_LIST = THREAD.null, WATCHERS.null
PLACE = Enumeration("WatchPlace", "Idle Try Watch Again Unlock C1 C2 C3 C4")
BOOL = z3.BoolSort()
T, U = THREAD.consts("thread other")
K = KEY.consts("one_key")[0]
C, D = CONDITION.consts("condition another")
W = WATCHERS.consts("watchers")[0]


def is_at(s: SimpleNamespace, t: z3.ExprRef, *places: str) -> z3.BoolRef:
    """The thread is at one of these places."""
    alternatives = [s.at[t] == getattr(PLACE, place) for place in places]
    return Or(alternatives) if len(alternatives) > 1 else alternatives[0]


def go(s: SimpleNamespace, t: z3.ExprRef, place: str) -> z3.ExprRef:
    return Store(s.at, t, getattr(PLACE, place))


class Watching(System):
    """An operation that is registered once, and the events that are to complete it."""

    SORTS = (THREAD, KEY, CONDITION, WATCHERS)
    STATES = "one operation and its keys"
    VARIABLES = {
        "at": array(THREAD, PLACE),
        "event": array(THREAD, CONDITION),
        "owner": THREAD.z3,
        "registered": BOOL,
        "ready": array(CONDITION, BOOL),
        "seen": array(CONDITION, BOOL),
        "completed": BOOL,
        "list_of": array(KEY, WATCHERS),
        "has": array(WATCHERS, BOOL),
        "watched": array(KEY, BOOL),
    }
    RIGID = {
        "registrar": THREAD.z3,
        "key_of": array(CONDITION, KEY),
        "unseen": array(CONDITION, BOOL),
    }

    def given(self, s: SimpleNamespace) -> list[z3.BoolRef]:
        return [s.registrar != NO_THREAD, ForAll([C], Not(s.unseen[C]))]

    def initially(self, s: SimpleNamespace) -> list[z3.BoolRef]:
        return [
            ForAll([T], is_at(s, T, "Idle")),
            s.owner == NO_THREAD,
            Not(s.registered),
            Not(s.completed),
            ForAll([C], And(Not(s.ready[C]), Not(s.seen[C]))),
            ForAll([K], And(s.list_of[K] == NO_LIST, Not(s.watched[K]))),
            ForAll([W], Not(s.has[W])),
        ]

    # -- tryCompleteElseWatch

    @action(t=THREAD, begins=True)
    def registers(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(
            is_at(s, t, "Idle"),
            t == s.registrar,
            Not(s.registered),
            s.owner == NO_THREAD,
            at=go(s, t, "Try"),
            owner=t,
            registered=z3.BoolVal(True),
            seen=s.unseen,
        )

    @action(t=THREAD, k=KEY, w=WATCHERS)
    def watches(self, s: SimpleNamespace, t: z3.ExprRef, k: z3.ExprRef, w: z3.ExprRef) -> Step:
        fresh = And(s.list_of[k] == NO_LIST, Not(s.has[w]), ForAll([K], s.list_of[K] != w))
        return when(
            is_at(s, t, "Watch"),
            Not(s.watched[k]),
            Or(s.list_of[k] == w, fresh),
            list_of=Store(s.list_of, k, w),
            has=Store(s.has, w, True),
            watched=Store(s.watched, k, True),
        )

    @action(t=THREAD)
    def watches_all(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(
            is_at(s, t, "Watch"), ForAll([K], s.watched[K]), at=go(s, t, "Again"), seen=s.unseen
        )

    @action(t=THREAD)
    def returns(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(is_at(s, t, "Unlock"), at=go(s, t, "Idle"), owner=NO_THREAD)

    # -- tryComplete, under the lock: one condition a step

    def trying(self, s: SimpleNamespace, t: z3.ExprRef) -> z3.BoolRef:
        return is_at(s, t, "Try", "Again", "C3")

    @action(t=THREAD, c=CONDITION)
    def reads_false(self, s: SimpleNamespace, t: z3.ExprRef, c: z3.ExprRef) -> Step:
        then = If(is_at(s, t, "Try"), PLACE.Watch, If(is_at(s, t, "Again"), PLACE.Unlock, PLACE.C4))
        return when(self.trying(s, t), Not(s.seen[c]), Not(s.ready[c]), at=Store(s.at, t, then))

    @action(t=THREAD, c=CONDITION)
    def reads_true(self, s: SimpleNamespace, t: z3.ExprRef, c: z3.ExprRef) -> Step:
        return when(self.trying(s, t), Not(s.seen[c]), s.ready[c], seen=Store(s.seen, c, True))

    @action(t=THREAD)
    def completes(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        then = If(is_at(s, t, "C3"), PLACE.C4, PLACE.Unlock)
        return when(
            self.trying(s, t),
            ForAll([C], s.seen[C]),
            at=Store(s.at, t, then),
            completed=z3.BoolVal(True),
        )

    # -- an event, and checkAndComplete under its key

    @action(t=THREAD, c=CONDITION, begins=True)
    def happens(self, s: SimpleNamespace, t: z3.ExprRef, c: z3.ExprRef) -> Step:
        return when(
            is_at(s, t, "Idle"),
            at=go(s, t, "C1"),
            ready=Store(s.ready, c, True),
            event=Store(s.event, t, c),
        )

    def is_watched(self, s: SimpleNamespace, t: z3.ExprRef) -> z3.BoolRef:
        """The operation is among the watchers of the event's key."""
        watchers = s.list_of[s.key_of[s.event[t]]]
        return And(watchers != NO_LIST, s.has[watchers])

    @action(t=THREAD)
    def finds_operation(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(is_at(s, t, "C1"), self.is_watched(s, t), at=go(s, t, "C2"))

    @action(t=THREAD)
    def finds_nothing(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(is_at(s, t, "C1"), Not(self.is_watched(s, t)), at=go(s, t, "Idle"))

    @action(t=THREAD)
    def locks(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(
            is_at(s, t, "C2"),
            s.owner == NO_THREAD,
            at=Store(s.at, t, If(s.completed, PLACE.C4, PLACE.C3)),
            owner=t,
            seen=s.unseen,
        )

    @action(t=THREAD)
    def unlocks(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(is_at(s, t, "C4"), at=go(s, t, "Idle"), owner=NO_THREAD)

    # -- lists of watchers: what is completed is taken out, and a list that is empty is taken away

    @action(t=THREAD, w=WATCHERS)
    def takes_completed_out(self, s: SimpleNamespace, t: z3.ExprRef, w: z3.ExprRef) -> Step:
        return when(is_at(s, t, "Idle"), s.completed, has=Store(s.has, w, False))

    @action(t=THREAD, k=KEY)
    def removes_key_if_empty(self, s: SimpleNamespace, t: z3.ExprRef, k: z3.ExprRef) -> Step:
        return when(
            is_at(s, t, "Idle"),
            s.list_of[k] != NO_LIST,
            Not(s.has[s.list_of[k]]),
            list_of=Store(s.list_of, k, NO_LIST),
        )

    # -- the invariant

    @conjunct
    def lock_has_its_holder(self, s: SimpleNamespace) -> z3.BoolRef:
        """The operation's lock is held by exactly the thread that registers it or tries it."""
        holds = is_at(s, T, "Try", "Watch", "Again", "Unlock", "C3", "C4")
        return And(
            is_at(s, NO_THREAD, "Idle"),
            ForAll([T], Implies(T != NO_THREAD, (s.owner == T) == holds)),
        )

    @conjunct
    def registrar_registers(self, s: SimpleNamespace) -> z3.BoolRef:
        """Only the registrar registers, once; before, the operation is open, unlisted, unfound."""
        return And(
            ForAll(
                [T],
                Implies(
                    is_at(s, T, "Try", "Watch", "Again", "Unlock"),
                    And(T == s.registrar, s.registered),
                ),
            ),
            Implies(
                Not(s.registered),
                And(Not(s.completed), ForAll([K], Not(s.watched[K])), ForAll([W], Not(s.has[W]))),
            ),
            ForAll([T], Implies(is_at(s, T, "C2", "C3"), s.registered)),
        )

    @conjunct
    def open_while_tried(self, s: SimpleNamespace) -> z3.BoolRef:
        """No other thread completes the operation while it is registered or tried."""
        return ForAll([T], Implies(is_at(s, T, "Try", "Watch", "Again", "C3"), Not(s.completed)))

    @conjunct
    def seen_is_ready(self, s: SimpleNamespace) -> z3.BoolRef:
        """A condition that was read as true is true."""
        return ForAll([C], Implies(s.seen[C], s.ready[C]))

    @conjunct
    def watched_is_found(self, s: SimpleNamespace) -> z3.BoolRef:
        """Under a key that it watches, an operation that is not completed is found."""
        return ForAll(
            [K],
            Implies(
                And(s.watched[K], Not(s.completed)),
                And(s.list_of[K] != NO_LIST, s.has[s.list_of[K]]),
            ),
        )

    @conjunct
    def all_watched(self, s: SimpleNamespace) -> z3.BoolRef:
        """From the second try on, the operation watches every key, unless it is completed."""
        before = is_at(s, s.registrar, "Try", "Watch")
        return ForAll([K], Or(Not(s.registered), before, s.completed, s.watched[K]))

    def all_ready(self, s: SimpleNamespace) -> z3.BoolRef:
        return ForAll([C], s.ready[C])

    @conjunct
    def ready_is_looked_at(self, s: SimpleNamespace) -> z3.BoolRef:
        """Once every condition holds, an open operation is about to be tried.

        The registrar tries it, or an event's thread.
        """
        return Or(
            s.completed,
            Not(s.registered),
            Not(self.all_ready(s)),
            is_at(s, s.registrar, "Try", "Watch", "Again"),
            Exists([T], is_at(s, T, "C1", "C2", "C3")),
        )

    # -- safety

    @safety("P9")
    def no_event_lost(self, s: SimpleNamespace) -> z3.BoolRef:
        """A registered operation whose conditions all hold is completed once all threads rest."""
        return Implies(
            And(s.registered, ForAll([T], is_at(s, T, "Idle")), self.all_ready(s)), s.completed
        )

    @safety("P9")
    def open_is_reachable(self, s: SimpleNamespace) -> z3.BoolRef:
        """A registered operation that is not completed is found under each of its keys."""
        is_open = And(s.registered, Not(is_at(s, s.registrar, "Try", "Watch")), Not(s.completed))
        return Implies(is_open, ForAll([K], And(s.list_of[K] != NO_LIST, s.has[s.list_of[K]])))

    @safety("P9")
    def try_excludes_complete(self, s: SimpleNamespace) -> z3.BoolRef:
        """tryComplete does not run on an operation that is completed."""
        return ForAll([T], Implies(self.trying(s, T), Not(s.completed)))

    @safety("P9")
    def completed_when_ready(self, s: SimpleNamespace) -> z3.BoolRef:
        """The operation is completed only when every condition was read, and is true."""
        return ForAll(
            [T], Implies(And(self.trying(s, T), ForAll([C], s.seen[C])), self.all_ready(s))
        )
