"""The system of several conditions with one decision taken away; its traces are its own."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import z3
from z3 import And, ForAll, If, Not, Or, Store

from proofs.several_conditions.system import (
    KEY,
    NO_LIST,
    PLACE,
    THREAD,
    WATCHERS,
    K,
    Watching,
    go,
    is_at,
)
from wheelproof.prove.ts.faults import Fault, Scope
from wheelproof.prove.ts.search import Roles, Taken
from wheelproof.prove.ts.system import Step, action, array, when


class WithoutSecondTry(Watching):
    """After watching, the operation is not tried again (Kafka P3)."""

    @action(t=THREAD)
    def watches_all(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(is_at(s, t, "Watch"), ForAll([K], s.watched[K]), at=go(s, t, "Unlock"))


class WatchesAfterTrying(Watching):
    """The second try comes before the last key is watched."""

    @action(t=THREAD)
    def watches_all(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(is_at(s, t, "Watch"), at=go(s, t, "Again"), seen=s.unseen)


class OrphanedList(Watching):
    """A key's list is looked up in one step and added to in another (P6, KAFKA-2253).

    In between it may be taken away.
    """

    VARIABLES = {**Watching.VARIABLES, "got": array(KEY, WATCHERS)}

    def initially(self, s: SimpleNamespace) -> list[z3.BoolRef]:
        return [*super().initially(s), ForAll([K], s.got[K] == NO_LIST)]

    @action(t=THREAD, k=KEY, w=WATCHERS)
    def gets_list(self, s: SimpleNamespace, t: z3.ExprRef, k: z3.ExprRef, w: z3.ExprRef) -> Step:
        fresh = And(s.list_of[k] == NO_LIST, Not(s.has[w]), ForAll([K], s.list_of[K] != w))
        return when(
            is_at(s, t, "Watch"),
            Not(s.watched[k]),
            s.got[k] == NO_LIST,
            Or(s.list_of[k] == w, fresh),
            list_of=Store(s.list_of, k, w),
            got=Store(s.got, k, w),
        )

    @action(t=THREAD, k=KEY)
    def watches(self, s: SimpleNamespace, t: z3.ExprRef, k: z3.ExprRef) -> Step:
        return when(
            is_at(s, t, "Watch"),
            Not(s.watched[k]),
            s.got[k] != NO_LIST,
            has=Store(s.has, s.got[k], True),
            watched=Store(s.watched, k, True),
        )


class WithoutLock(Watching):
    """An event's thread tries the operation beside its registration."""

    @action(t=THREAD)
    def locks(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(
            is_at(s, t, "C2"), at=Store(s.at, t, If(s.completed, PLACE.C4, PLACE.C3)), seen=s.unseen
        )


def scope(conditions: str, keys: str, **begins: str) -> Scope:
    """Conditions, each with a key of its own where there are as many; the thread r registers."""
    threads, events, names = tuple(begins), tuple(conditions.split()), tuple(keys.split())
    start: dict[str, Any] = {name: {} for name in OrphanedList.VARIABLES} | {
        "at": dict.fromkeys(threads, "Idle"),
        "event": dict.fromkeys(threads, events[0]),
        "owner": None,
        "registered": False,
        "completed": False,
    }
    return Scope(
        {"Thread": threads, "Key": names, "Condition": events, "Watchers": ("w", "v")},
        start,
        Roles({t: text.split() for t, text in begins.items()}),
        {
            "registrar": "r",
            "key_of": {c: names[i % len(names)] for i, c in enumerate(events)},
            "unseen": {},
        },
    )


EVERYTHING = scope("c1", "k1", r="registers", a="happens", b="happens")
ONE = scope("c1", "k1", r="registers", a="happens")
TWO = scope("c1 c2", "k1 k2", r="registers", a="happens", b="happens")

FAULTS = {
    fault.name: fault
    for fault in (
        Fault(
            "no second try",
            "the operation is not tried again after it is watched",
            WithoutSecondTry,
            ONE,
            "no_event_lost",
            "P9.Conditions",
        ),
        Fault(
            "tries before it watches",
            "the second try comes before the last key is watched",
            WatchesAfterTrying,
            ONE,
            "no_event_lost",
            "P9.Conditions",
        ),
        Fault(
            "orphaned list",
            "an operation is added to a list that was taken away",
            OrphanedList,
            ONE,
            "open_is_reachable",
            "P9.Conditions",
        ),
        Fault(
            "orphaned list, two keys",
            "and its last event is lost",
            OrphanedList,
            TWO,
            "no_event_lost",
            "P9.Conditions",
        ),
        Fault(
            "no lock",
            "an event's thread does not wait for the lock",
            WithoutLock,
            TWO,
            "try_excludes_complete",
            "P9.Conditions",
        ),
    )
}


def view_of(fault: Fault, trace: list[Taken]) -> Any:
    """No model follows these traces."""
    raise NotImplementedError
