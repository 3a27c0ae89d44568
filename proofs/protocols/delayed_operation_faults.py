"""DelayedOperation's systems with one decision taken away, by the names of ``mutants/delayed_operation``; and its controls.

Each is a class that overrides what carries the decision. The scope says how many threads begin
what; the scenario that the mutated model is given is the program that the trace itself is a run of.
"""

from __future__ import annotations

from typing import Any

import z3
from z3 import Not, Store

from model.delayed_operation import ATTEMPTS
from proofs.protocols import mutated
from proofs.protocols.delayed_operation import (
    Blocking,
    CheckedTry,
    LockedTry,
    TryOnce,
    TryPending,
    TryPendingHeld,
)
from proofs.protocols.delayed_operation_steps import CONDITION, THREAD, ComparedAndSet, Operation
from proofs.protocols.delayed_operation_view import View
from proofs.protocols.faults import Fault, Scope
from proofs.ts import Enumeration, Step, action, safety, when
from proofs.ts_search import Roles, Taken


class TestedThenSet(ComparedAndSet):
    """completed is tested in one step and set in another."""

    FORCING = (*ComparedAndSet.FORCING, "X2")
    STILL_OPEN = ("X1", "X2")

    @action(t=THREAD)
    def sets_completed(self, s, t) -> Step:
        return when(self.is_at(s, t, "X1"), Not(s.completed), at=self.go(s, t, "X2"))

    @action(t=THREAD)
    def sets_completed_late(self, s, t) -> Step:
        return when(self.is_at(s, t, "X2"), at=self.go(s, t, "X3"), **self.wins(s, t))


class LockedTryTestedThenSet(TestedThenSet, LockedTry):
    PLACES = Enumeration("LockedTryTestedThenSetPlace", "Idle S1 Y1 S2 X1 X2 X3 D1 X4 T1 V1 H2")


class CheckedTryTestedThenSet(TestedThenSet, CheckedTry):
    PLACES = Enumeration("CheckedTryTestedThenSetPlace", "Idle B1 B2 Y1 B3 X1 X2 X3 D1 X4 T1 V1 H2")


class TryOnceTestedThenSet(TestedThenSet, TryOnce):
    PLACES = Enumeration("TryOnceTestedThenSetPlace", "Idle O1 O2 Y1 X1 X2 X3 D1 X4 T1 V1")


class TryPendingTestedThenSet(TestedThenSet, TryPending):
    PLACES = Enumeration(
        "TryPendingTestedThenSetPlace", "Idle P1 P2 Y1 P3 P4 P5 P6 X1 X2 X3 D1 X4 T1 V1"
    )


class WithoutNote(TryPending):
    """Who does not get the lock leaves no note."""

    @action(t=THREAD)
    def leaves_note(self, s, t) -> Step:
        return when(self.is_at(s, t, "P5"), at=self.go(s, t, "P6"))


class ClearedLate(TryPending):
    """The note is cleared after tryComplete."""

    BACK = "P2"

    @action(t=THREAD)
    def gets_lock(self, s, t) -> Step:
        return when(self.is_at(s, t, "P1"), s.owner == THREAD.null, at=self.go(s, t, "Y1"), owner=t)

    @action(t=THREAD)
    def clears_note(self, s, t) -> Step:
        return when(self.is_at(s, t, "P2"), at=self.go(s, t, "P3"), pending=z3.BoolVal(False))


class ReadEarly(TryPending):
    """The note is read before the lock is given back."""

    BACK = "P4"
    LOCKED = (*TryPending.LOCKED, "P4")
    NOTED = ("P3", "P6")

    @action(t=THREAD)
    def reads_note(self, s, t) -> Step:
        return when(
            self.is_at(s, t, "P4"), at=self.go(s, t, "P3"), retry=Store(s.retry, t, s.pending)
        )

    @action(t=THREAD)
    def unlocks(self, s, t) -> Step:
        return when(self.is_at(s, t, "P3"), at=self.go(s, t, "P6"), owner=THREAD.null)


class WithoutRetry(TryPending):
    """Who leaves a note never tries again itself."""

    @action(t=THREAD)
    def leaves_note(self, s, t) -> Step:
        return when(self.is_at(s, t, "P5"), at=self.go(s, t, "P6"), pending=z3.BoolVal(True))


class Waiting(TryPending):
    """The lock is waited for: one step less than TryPending has, so that every property of it holds."""

    does_not_get_lock = None


class UnlockedTry(LockedTry):
    """tryComplete runs without the operation's lock."""

    LOCKED = ("H2",)

    @action(t=THREAD)
    def locks(self, s, t) -> Step:
        return when(self.is_at(s, t, "S1"), at=self.go(s, t, "Y1"))

    @action(t=THREAD)
    def unlocks(self, s, t) -> Step:
        return when(self.is_at(s, t, "S2"), at=self.go(s, t, "Idle"))


class UncheckedTry(Blocking):
    """tryComplete runs on an operation that is completed already."""

    @action(t=THREAD)
    def finds_open(self, s, t) -> Step:
        return when(self.is_at(s, t, "B2"), at=self.go(s, t, "Y1"))

    need_not_try = None


class ForceWithoutLock(Blocking):
    """forceComplete holds no lock."""

    INSIDE = ()

    @action(t=THREAD)
    def locks_to_force(self, s, t) -> Step:
        return when(self.is_at(s, t, "L2"), at=self.go(s, t, "L3"))

    @action(t=THREAD)
    def unlocks_after_force(self, s, t) -> Step:
        return when(self.is_at(s, t, "L7"), **self.returned(s, t))


class ExpiresAnyway(Operation):
    """onExpiration runs for a thread that did not complete the operation."""

    @action(t=THREAD)
    def expires(self, s, t) -> Step:
        return when(self.is_at(s, t, "T1"), at=self.go(s, t, "V1"), won=Store(s.won, t, False))


class TryOnceExpiresAnyway(ExpiresAnyway, TryOnce):
    pass


class TryPendingExpiresAnyway(ExpiresAnyway, TryPending):
    pass


class LockedTryExpiresAnyway(ExpiresAnyway, LockedTry):
    pass


class CheckedTryExpiresAnyway(ExpiresAnyway, CheckedTry):
    pass


class BlockingExpiresAnyway(ExpiresAnyway, Blocking):
    pass


class Unannounced(Operation):
    """A thread that makes a condition true does not try the operation."""

    @action(t=THREAD, c=CONDITION, begins=True)
    def delivers(self, s, t, c) -> Step:
        return when(self.is_at(s, t, "Idle"), ready=Store(s.ready, c, True))


class LockedTryUnannounced(Unannounced, LockedTry):
    pass


class CheckedTryUnannounced(Unannounced, CheckedTry):
    pass


class BlockingUnannounced(Unannounced, Blocking):
    pass


class CheckedTryTriesAlone(CheckedTry):
    """CheckedTry with the safety property of Blocking, which it does not have."""

    try_excludes_complete = Blocking.try_excludes_complete


class TryOnceLoses(TryOnce):
    """TryOnce, asked for what it does not have."""

    @safety("P7")
    def no_completion_lost(self, s):
        """P7, of TryOnce."""
        return self.nothing_lost(s)


class TryPendingHeldLoses(TryPendingHeld):
    """TryPending with strangers in its lock, asked for what it does not have."""

    @safety("P7")
    def no_completion_lost(self, s):
        """P7, of TryPending with strangers."""
        return self.nothing_lost(s)


def scope(conditions: str, operations: int = 1, **begins: str) -> Scope:
    """Threads by name, each with the beginnings that it may take; the conditions, all of them needed."""
    threads, needed = tuple(begins), tuple(conditions.split())
    start = {
        "at": dict.fromkeys(threads, "Idle"),
        "via": dict.fromkeys(threads, "none"),
        "seen": {},
        "won": {},
        "retry": {},
        "ready": {},
        "completed": False,
        "armed": True,
        "owner": None,
        "depth": 0,
        "pending": False,
        "completions": 0,
        "expirations": 0,
        "winner": None,
        "expired": {},
    }
    return Scope(
        {"Thread": threads, "Condition": needed},
        start,
        Roles({t: names.split() for t, names in begins.items()}, operations),
        {"needed": dict.fromkeys(needed, True), "unseen": {}},
    )


EVERYTHING = scope(
    "c1 c2",
    a="delivers attempts holds_lock",
    b="delivers attempts runs is_completed_by_another holds_lock",
    operations=2,
)
ONE_EVENT = scope("c1", a="delivers attempts", b="delivers attempts")
TWO_EVENTS = scope("c1 c2", a="delivers", b="delivers")
TIMEOUT = scope("c1", a="delivers", x="runs")

FAULTS = {
    fault.name: fault
    for fault in (
        Fault(
            "P1",
            "completed is tested in one step and set in another",
            TryPendingTestedThenSet,
            TIMEOUT,
            "completed_once",
            "P6.TryPending",
            "P1",
            "CompletedOnce",
        ),
        Fault(
            "P9",
            "no note is left",
            WithoutNote,
            TWO_EVENTS,
            "no_completion_lost",
            "P7.TryPending",
            "P9",
            "NoLostCompletion",
        ),
        Fault(
            "ClearedLate",
            "the note is cleared after tryComplete",
            ClearedLate,
            TWO_EVENTS,
            "no_completion_lost",
            "P7.TryPending",
            "ClearedLate",
            "NoLostCompletion",
        ),
        Fault(
            "ReadEarly",
            "the note is read before the lock is given back",
            ReadEarly,
            TWO_EVENTS,
            "no_completion_lost",
            "P7.TryPending",
            "ReadEarly",
            "NoLostCompletion",
        ),
        Fault(
            "NoRetry",
            "who leaves the note does not try again",
            WithoutRetry,
            TWO_EVENTS,
            "no_completion_lost",
            "P7.TryPending",
            "NoRetry",
            "NoLostCompletion",
        ),
        Fault(
            "BlockingTry",
            "the lock is waited for",
            Waiting,
            TIMEOUT,
            decision="BlockingTry",
            property="NoDeadlock",
            unreached="a wait more breaks no safety property, and every one is proved of it too; the deadlock is with a lock of the callers' own, "
            "which the proof leaves out: TLC and the model have its trace",
        ),
        Fault(
            "UnlockedTry",
            "tryComplete runs without the lock",
            UnlockedTry,
            ONE_EVENT,
            "one_tries",
            "P6.LockedTry",
            "UnlockedTry",
            "OneTries",
        ),
        Fault(
            "checked_try_beside_complete",
            "the timeout completes the operation beside a tryComplete (KAFKA-19312)",
            CheckedTryTriesAlone,
            TIMEOUT,
            "try_excludes_complete",
            "P6.CheckedTry",
            property="TryAlwaysExcludesComplete",
        ),
        Fault(
            "P10",
            "tryComplete does not look at completed",
            UncheckedTry,
            ONE_EVENT,
            "try_excludes_complete",
            "P6.Blocking",
            "P10",
            "TryExcludesComplete",
        ),
        Fault(
            "P11",
            "forceComplete holds no lock",
            ForceWithoutLock,
            TIMEOUT,
            "try_excludes_complete",
            "P6.Blocking",
            "P11",
            "TryExcludesComplete",
        ),
        Fault(
            "P12",
            "onExpiration runs for a loser",
            TryPendingExpiresAnyway,
            TIMEOUT,
            "expired_by_timeout_only",
            "P8.TryPending",
            "P12",
            "ExpiredByTimeoutOnly",
        ),
        Fault(
            "P12_twice",
            "onExpiration runs for every run of the timer",
            TryPendingExpiresAnyway,
            scope("c1", x="runs", y="runs"),
            "expires_once",
            "P8.TryPending",
            "P12",
            "TypeOK",
        ),
        Fault(
            "article_lost_completion",
            "TryOnce: no thread looks at the condition that came while another thread was looking",
            TryOnceLoses,
            TWO_EVENTS,
            "no_completion_lost",
            "P7.TryPending",
            property="NoLostCompletion",
        ),
        Fault(
            "pending_holder",
            "a stranger in the lock passes the note over (KAFKA-8334)",
            TryPendingHeldLoses,
            scope("c1", a="delivers", h="holds_lock"),
            "no_completion_lost",
            "P7.TryPending",
            property="NoLostCompletion",
        ),
        Fault(
            "TryOnce_P1",
            "completed is tested in one step and set in another",
            TryOnceTestedThenSet,
            TIMEOUT,
            "completed_once",
            "P6.TryOnce",
            "P1",
            "CompletedOnce",
        ),
        Fault(
            "TryOnce_P12",
            "onExpiration runs for a loser",
            TryOnceExpiresAnyway,
            TIMEOUT,
            "expired_by_timeout_only",
            "P8.TryOnce",
            "P12",
            "ExpiredByTimeoutOnly",
        ),
        Fault(
            "LockedTry_P1",
            "completed is tested in one step and set in another",
            LockedTryTestedThenSet,
            TIMEOUT,
            "completed_once",
            "P6.LockedTry",
            "P1",
            "CompletedOnce",
        ),
        Fault(
            "LockedTry_P12",
            "onExpiration runs for a thread that did not complete",
            LockedTryExpiresAnyway,
            TIMEOUT,
            "expired_by_timeout_only",
            "P8.LockedTry",
            "P12",
            "ExpiredByTimeoutOnly",
        ),
        Fault(
            "LockedTry_unannounced",
            "a thread that makes a condition true does not try (a duty of the callers)",
            LockedTryUnannounced,
            scope("c1", a="delivers"),
            "no_completion_lost",
            "P7.LockedTry",
        ),
        Fault(
            "CheckedTry_P1",
            "completed is tested in one step and set in another",
            CheckedTryTestedThenSet,
            TIMEOUT,
            "completed_once",
            "P6.CheckedTry",
            "P1",
            "CompletedOnce",
        ),
        Fault(
            "CheckedTry_P12",
            "onExpiration runs for a thread that did not complete",
            CheckedTryExpiresAnyway,
            TIMEOUT,
            "expired_by_timeout_only",
            "P8.CheckedTry",
            "P12",
            "ExpiredByTimeoutOnly",
        ),
        Fault(
            "CheckedTry_unannounced",
            "a thread that makes a condition true does not try (a duty of the callers)",
            CheckedTryUnannounced,
            scope("c1", a="delivers"),
            "no_completion_lost",
            "P7.CheckedTry",
        ),
        Fault(
            "Blocking_P12",
            "onExpiration runs for a loser",
            BlockingExpiresAnyway,
            TIMEOUT,
            "expired_by_timeout_only",
            "P8.Blocking",
            "P12",
            "ExpiredByTimeoutOnly",
        ),
        Fault(
            "unannounced",
            "who makes a condition true does not try (the callers' duty, no decision of the operation's)",
            BlockingUnannounced,
            scope("c1", a="delivers"),
            "no_completion_lost",
            "P7.Blocking",
        ),
    )
}

OPERATION = "o"
BEGUN = {"attempts": "attempt", "delivers": "deliver", "runs": "expire", "holds_lock": "hold"}
"""A beginning action's operation in a scenario's program."""
READING = ("reads_false", "reads_true", "reads_last_true")


def scenario(fault: Fault, trace: list[Taken]) -> dict[str, Any]:
    """The scenario whose program the trace is a run of; its operation reads conditions in the order in which the trace does."""
    protocol = next(base.__name__ for base in fault.system.__mro__ if base.__name__ in ATTEMPTS)
    programs: dict[str, list] = {thread: [] for thread in fault.scope.elements["Thread"]}
    for taken in trace:
        if taken.action in BEGUN:
            thread, *condition = taken.arguments
            programs[thread].append([BEGUN[taken.action], *condition, OPERATION])
    read = [taken.arguments[1] for taken in trace if taken.action in READING]
    return {
        "protocol": {OPERATION: protocol},
        "needs": {OPERATION: list(dict.fromkeys([*read, *fault.scope.elements["Condition"]]))},
        "completes": {OPERATION: []},
        "raises": [],
        "locking": [],
        "threads": programs,
    }


def view_of(fault: Fault, trace: list[Taken]) -> View:
    """The mutated model of that scenario, seen as the mutated system."""
    return View(
        mutated.model("delayed_operation", scenario(fault, trace), fault.decision),
        OPERATION,
        fault.system,
    )
