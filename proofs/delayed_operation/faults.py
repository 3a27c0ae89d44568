"""DelayedOperation's faults, by the names of ``mutants/delayed_operation``, and other controls.

The scope bounds how many threads begin which operations. The mutated model gets the program that
the trace itself is a run of.
"""

from __future__ import annotations

from typing import Any

from model.delayed_operation_properties import ATTEMPTS
from proofs.delayed_operation.mutants import (
    BlockingExpiresAnyway,
    BlockingUnannounced,
    CheckedTryExpiresAnyway,
    CheckedTryTestedThenSet,
    CheckedTryTriesAlone,
    CheckedTryUnannounced,
    ClearedLate,
    ForceWithoutLock,
    LockedTryExpiresAnyway,
    LockedTryTestedThenSet,
    LockedTryUnannounced,
    ReadEarly,
    TryOnceExpiresAnyway,
    TryOnceLoses,
    TryOnceTestedThenSet,
    TryPendingExpiresAnyway,
    TryPendingHeldLoses,
    TryPendingTestedThenSet,
    UncheckedTry,
    UnlockedTry,
    Waiting,
    WithoutNote,
    WithoutRetry,
)
from proofs.delayed_operation.steps import Operation
from proofs.delayed_operation.view import View
from wheelproof.prove import variants
from wheelproof.prove.ts.faults import Fault, Scope
from wheelproof.prove.ts.search import Roles, Taken


def scope(conditions: str, operations: int = 1, **begins: str) -> Scope:
    """Threads by name, each with the beginnings that it may take, and the needed conditions."""
    threads, elements = tuple(begins), tuple(conditions.split())
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
        {"Thread": threads, "Condition": elements},
        start,
        Roles({t: names.split() for t, names in begins.items()}, operations),
        {"needed": dict.fromkeys(elements, True), "unseen": {}},
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
            "a thread that leaves the note does not try again",
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
            unreached=(
                "a wait more breaks no safety property, and every one is proved of it too; "
                "the deadlock is with a lock of the callers' own, which the proof leaves out: "
                "TLC and the model have its trace"
            ),
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
            "a thread that makes a condition true does not try (a duty of the callers)",
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
    """The scenario whose program the trace is a run of.

    Its operation reads conditions in the order in which the trace does.
    """
    protocol = next(base.__name__ for base in fault.system.__mro__ if base.__name__ in ATTEMPTS)
    programs: dict[Any, list[list[Any]]] = {thread: [] for thread in fault.scope.elements["Thread"]}
    for step in trace:
        if step.action in BEGUN:
            thread, *condition = step.arguments
            programs[thread].append([BEGUN[step.action], *condition, OPERATION])
    read = [step.arguments[1] for step in trace if step.action in READING]
    return {
        "protocol": {OPERATION: protocol},
        "needs": {OPERATION: list(dict.fromkeys([*read, *fault.scope.elements["Condition"]]))},
        "completes": {OPERATION: []},
        "raises": [],
        "locking": [],
        "locks": ["outer"],
        "outer_of": {},
        "guard": {},
        "threads": programs,
    }


def view_of(fault: Fault, trace: list[Taken]) -> View:
    """The mutated model of that scenario, seen as the mutated system."""
    assert issubclass(fault.system, Operation)
    return View(
        variants.model("delayed_operation", scenario(fault, trace), fault.decision),
        OPERATION,
        fault.system,
    )
