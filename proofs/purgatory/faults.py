"""The purgatory's faults, by the names of ``mutants/purgatory``, and other controls.

A trace is one of the proof's system. That the mutated model is the mutated system, edge by edge,
and breaks the same formula, is a test.
"""

from __future__ import annotations

from typing import Any

from proofs.purgatory import mutants
from proofs.purgatory.ranked import EntererHelps, NoFairTimer
from proofs.purgatory.system import Purgatory
from wheelproof.prove.ts.faults import Fault, Scope
from wheelproof.prove.ts.search import Roles, Taken

ENDED = {
    "registrar": None,
    "taker": None,
    "owner": None,
    "outer": None,
    "winner": None,
    "depth": 0,
    "completions": 0,
    "expirations": 0,
}


def scope(operations: int = 1, **begins: str) -> Scope:
    """One key in one shard, two lists, and threads with the beginnings that each may take."""
    threads, lists = tuple(begins), ("w", "v")
    places = {"at": "Idle", "via": "none", "result": "lost", "tour": "Out", "section": "Aside"}
    start: dict[str, Any] = {
        **{name: {} for name in Purgatory.VARIABLES},
        **dict.fromkeys(("begun", "entered", "ready", "completed", "revoked", "armed"), False),
        **{name: dict.fromkeys(threads, place) for name, place in places.items()},
        **ENDED,
    }
    return Scope(
        {"Thread": threads, "Key": ("k",), "Shard": ("h",), "Watchers": lists},
        start,
        Roles({t: names.split() for t, names in begins.items()}, operations),
        {
            "shard_of": {"k": "h"},
            "key_of": dict.fromkeys(lists, "k"),
            "keyed": {"k": True},
            "unset": {},
        },
    )


EVERYTHING = scope(
    2,
    r="comes_to_enter comes_to_enter_holding lets_callers_lock_go comes_to_run",
    a="delivers checks forces comes_to_watch_another comes_to_remove comes_to_cancel "
    "purges another_is_to_lock holds_callers_lock",
)
EVENT = scope(r="comes_to_enter", a="delivers")
TIMEOUT = scope(r="comes_to_enter", x="comes_to_run")
FORCED = scope(r="comes_to_enter", f="forces")
BESIDE = scope(r="comes_to_enter", x="comes_to_run", a="delivers")
BESIDE_CHECK = scope(r="comes_to_enter", a="checks")
HELD = scope(r="comes_to_enter", a="delivers", c="holds_callers_lock")
RANKED = scope(r="comes_to_enter", x="comes_to_run", a="checks")
"""Runs in which a thread waits for each kind of lock."""
REMOVED = scope(2, r="comes_to_enter", b="comes_to_watch_another comes_to_remove")

FAULTS = {
    fault.name: fault
    for fault in (
        Fault(
            "P1",
            "completed is not read again under the lock",
            mutants.CompletesAgain,
            scope(f="forces", g="forces"),
            "completed_once",
            "P6",
        ),
        Fault(
            "P12",
            "onExpiration runs for a thread that did not complete the operation",
            mutants.ExpiresAnyway,
            BESIDE,
            "expired_by_timeout_only",
            "P8",
        ),
        Fault(
            "P6",
            "an operation is added to a list without the shard's lock",
            mutants.AddsUnlocked,
            REMOVED,
            "watcher_reachable",
            "P9",
        ),
        Fault(
            "P7",
            "a list is removed although the key has another one by now",
            mutants.RemovesAnother,
            scope(
                3,
                r="comes_to_enter",
                b="comes_to_watch_another comes_to_remove",
                c="comes_to_remove",
            ),
            "watcher_reachable",
            "P9",
        ),
        Fault(
            "StillEmpty",
            "a list is removed although it is no longer empty",
            mutants.RemovesUsed,
            REMOVED,
            "watcher_reachable",
            "P9",
        ),
        Fault(
            "RemovedUnlocked",
            "a list is removed without the shard's lock",
            mutants.RemovesUnlocked,
            REMOVED,
            "watcher_reachable",
            "P9",
        ),
        Fault(
            "P2",
            "the timer task is cancelled after onComplete",
            mutants.CancelsLate,
            EVENT,
            "no_leaked_timer",
            "P14",
        ),
        Fault(
            "P4",
            "an operation is not looked at again when the timer has it",
            mutants.NotLookedAtAgain,
            EVENT,
            "no_leaked_timer",
            "P14",
        ),
        Fault(
            "P4_count",
            "the same: the timer has what nothing waits for",
            mutants.NotLookedAtAgain,
            EVENT,
            "num_delayed_exact",
            "P14",
        ),
        Fault(
            "timer forgets",
            "the timer does not keep what it is given",
            mutants.TimerForgets,
            EVENT,
            "waiting_is_timed",
            "P14",
        ),
        Fault(
            "timer forgets, never completed",
            "the timer does not keep what it is given",
            mutants.TimerForgets,
            EVENT,
            "helper_can_step",
            "P15",
        ),
        Fault(
            "no fair timer",
            "the timer need not take what it has",
            NoFairTimer,
            EVENT,
            "helper_can_step",
            "P15",
        ),
        Fault(
            "shard is kept",
            "a thread keeps a shard's lock",
            mutants.KeepsShard,
            BESIDE_CHECK,
            "helper_can_step",
            "P15",
        ),
        Fault(
            "forgets when locked",
            "the timer's thread does not wait for the operation's lock",
            mutants.GivesUp,
            BESIDE,
            "helper_can_step",
            "P15",
        ),
        Fault(
            "waits before onComplete",
            "the thread that completes the operation waits for the callers' lock first",
            mutants.WaitsBefore,
            HELD,
            "helper_can_step",
            "P15",
        ),
        Fault(
            "the one that waits helps",
            "the thread that enters the operation is taken to step although it waits for a shard",
            EntererHelps,
            BESIDE_CHECK,
            "helper_can_step",
            "P15",
        ),
        Fault(
            "P5",
            "an operation is entered without its lock",
            mutants.EntersUnlocked,
            EVENT,
            "try_excludes_complete",
            "P6.InOrder",
        ),
        Fault(
            "P10",
            "tryComplete runs on an operation that is completed",
            mutants.TriesCompleted,
            BESIDE,
            "try_excludes_complete",
            "P6.InOrder",
        ),
        Fault(
            "P11",
            "forceComplete holds no lock",
            mutants.ForcesUnlocked,
            BESIDE,
            "try_excludes_complete",
            "P6.InOrder",
        ),
        Fault(
            "forced before",
            "a caller completes the operation before it is entered (a duty of the callers)",
            mutants.ForcedBefore,
            FORCED,
            "try_excludes_complete",
            "P6.InOrder",
        ),
        Fault(
            "P3",
            "an operation is not tried again after it is watched",
            mutants.NotTriedAgain,
            EVENT,
            "no_completion_lost",
            "P7.InOrder",
        ),
        Fault(
            "raises before",
            "another one's onComplete raises in the traversal (a duty of the callers)",
            mutants.RaisesBefore,
            EVENT,
            "no_completion_lost",
            "P7.InOrder",
        ),
    )
}


def view_of(fault: Fault, trace: list[Taken]) -> Any:
    """No model follows these traces."""
    raise NotImplementedError
