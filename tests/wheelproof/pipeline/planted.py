"""One fault for each rule that no change of `mutations.py` breaks, planted in a conforming run:
with these every rule is seen to fail.

``faults(events)`` gives rule -> (header, events, footer).
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

from benchmarks import mutations
from benchmarks.simulated_log import TICK_MS, header
from traces.schema import NOT_QUEUED
from wheelproof.trace.format.tally import Tally

Event = dict[str, Any]
Trace = tuple[dict[str, Any], list[Event], dict[str, Any]]


def first_of(events: list[Event], kind: str, **columns: Any) -> int:
    return next(
        index
        for index, event in enumerate(events)
        if event["k"] == kind and all(event.get(name) == value for name, value in columns.items())
    )


def setting(
    kind: str, columns: dict[str, Any], **values: Callable[[Any], Any]
) -> Callable[[list[Event]], None]:
    def change(events: list[Event]) -> None:
        event = events[first_of(events, kind, **columns)]
        for name, value in values.items():
            event[name] = value(event.get(name))

    return change


def _unkeyed_tick(events: list[Event]) -> None:
    event = next(
        event
        for event in events
        if event["k"] == "bucket_expiry_set" and event["key_ms"] >= 0 and event["level"] == 1
    )
    event["key_ms"] += TICK_MS


def _cancel_left_out(events: list[Event]) -> None:
    unlinked = first_of(events, "list_remove", cause="cancel")
    del events[
        next(
            index
            for index in range(unlinked, len(events))
            if events[index]["k"] == "cancel" and events[index]["tid"] == events[unlinked]["tid"]
        )
    ]


def _retry_that_saw_another(events: list[Event]) -> None:
    linked = first_of(events, "list_add")
    events.insert(
        linked + 1,
        {
            "tid": events[linked]["tid"],
            "tseq": 0,
            "lc": 0,
            "k": "list_add_retry",
            "phase": "atomic",
            "entry": events[linked]["entry"],
            "list": events[linked]["list"],
            "pre": {"list": events[linked]["list"] + 1},
        },
    )


def _lost(events: list[Event]) -> None:
    events.insert(
        50,
        {"tid": events[49]["tid"], "tseq": 0, "lc": 0, "k": "drop", "phase": "atomic", "count": 3},
    )


def _note_never_seen(events: list[Event]) -> None:
    op = events[first_of(events, "force_cas")]["op"]
    events[:] = [event for event in events if event["k"] != "force_cas" or event["op"] != op]
    [event for event in events if event["k"] == "pending_set" and event["op"] == op][-1]["post"] = {
        "pending": True
    }


def _tried_too_late(events: list[Event]) -> None:
    won = events[first_of(events, "force_cas", res="true")]
    for kind, result in (("try_begin", "true"), ("try_end", "false")):
        events.append(
            {
                "tid": won["tid"],
                "tseq": 0,
                "lc": 0,
                "k": kind,
                "phase": "atomic",
                "op": won["op"],
                "ord": (("L", f"op:{won['op']}", 0, "w"),),
                "res": result,
            }
        )


def _advanced_twice(events: list[Event]) -> None:
    index = first_of(events, "clock_advance")
    events.insert(index + 1, copy.deepcopy(events[index]))


def _half_kept(events: list[Event]) -> None:
    """A thread that does not give back the half of the timer's lock that it took last."""
    del events[max(index for index, event in enumerate(events) if event["k"] == "rw_release")]


def _reset_after_the_monitor(events: list[Event]) -> None:
    reset = events[first_of(events, "bucket_expiry_set", key_ms=NOT_QUEUED)]
    reset["ord"] = tuple(token for token in reset["ord"] if token[1] != f"list:{reset['list']}")


def _reset_before_the_flush(events: list[Event]) -> None:
    """The reset of a bucket comes before its entries are taken out."""
    flushed = first_of(events, "list_remove", cause="flush")
    reset = next(
        index
        for index in range(flushed, len(events))
        if events[index]["k"] == "bucket_expiry_set"
        and events[index]["key_ms"] == NOT_QUEUED
        and events[index]["list"] == events[flushed]["list"]
    )
    events.insert(flushed, events.pop(reset))


def _handed_over_after_the_flush(events: list[Event]) -> None:
    """What a flush finds due is checked once more and handed over when the flush is over."""
    begun = first_of(events, "flush_begin")
    refused = next(
        event
        for event in events[begun:]
        if event["k"] == "wheel_reject" and event["cause"] == "due"
    )
    at, tid = events.index(refused), refused["tid"]
    deferred = [
        event
        for event in events[at:]
        if event["k"] in ("cancel_check", "expire_submit")
        and (event["tid"], event["entry"]) == (tid, refused["entry"])
    ]
    rest = [event for event in events if not any(event is one for one in deferred)]
    reset = next(
        index
        for index in range(at, len(rest))
        if rest[index]["k"] == "bucket_expiry_set" and rest[index]["key_ms"] == NOT_QUEUED
    )
    events[:] = [*rest[: reset + 1], *deferred, *rest[reset + 1 :]]


CHANGES: dict[str, Callable[[list[Event]], None]] = {
    "RefusedGoesOn": _handed_over_after_the_flush,
    "LevelBound": setting("wheel_place", {}, wheel_ms=lambda wheel: wheel - 100_000),
    "TimerLockReturned": _half_kept,
    "KeyAligned": setting("dq_offer", {}, key_ms=lambda key: key + 1),
    "KeyOfDeadline": _unkeyed_tick,
    "KeyChangeSeen": setting("bucket_expiry_set", {"res": "true"}, res=lambda _: "false"),
    "ExpiresNotEarly": setting(
        "force_cas", {"cause": "expiry", "res": "true"}, now_ms=lambda now: now - 100
    ),
    "NotEarly": setting("expire_submit", {}, wheel_ms=lambda wheel: wheel - 100),
    "PolledWhenReady": setting("dq_poll", {}, now_ms=lambda now: now - 100),
    "NothingDropped": _lost,
    "CancelAfterUnlink": _cancel_left_out,
    "RetrySeesOwner": _retry_that_saw_another,
    "NoLostCompletion": _note_never_seen,
    "FirstAttemptWins": setting("force_cas", {"res": "true"}, res=lambda _: "false"),
    "TryExcludesComplete": _tried_too_late,
    "ForcedUnderLock": lambda events: None,
    "AdvanceByLevels": _advanced_twice,
    "ResetUnderMonitor": _reset_after_the_monitor,
    "ResetWhenEmpty": _reset_before_the_flush,
    "StepFollows": lambda events: None,
    "ThreadEnd": lambda events: None,
    "TokenEnd": lambda events: None,
    "TokenTotals": lambda events: None,
}
BLOCKING = ("TryExcludesComplete", "ForcedUnderLock")
"""Rules of another protocol: its name in the header is enough of a fault, for the run is one of the
pending protocol."""


def faults(conforming: list[Event]) -> dict[str, Trace]:
    out = {}
    for rule, change in CHANGES.items():
        head, events = header(f"planted-{rule}"), copy.deepcopy(conforming)
        change(events)
        mutations.renumbered(events)
        if rule == "StepFollows":
            head["spec"] = {
                "module": "SystemTimer"
            }  # which sets a new entry after it has the lock, and takes no other steps beside
        if rule in BLOCKING:
            head["variant"] = "Blocking"
        tally = Tally(head)
        for event in events:
            tally.count(event)
        footer = tally.footer()
        if rule == "ThreadEnd":
            name = next(iter(footer["per_thread_last_tseq"]))
            footer["per_thread_last_tseq"][name] += 2
        if rule == "TokenTotals":  # as if the last event that bore one had been lost
            footer["tokens"]["L queue"]["count"] += 1
        if rule == "TokenEnd":  # a footer as it was before minor version 2
            del footer["tokens"]
            footer["per_token_last_seq"] = {
                "L queue:2": 1
                + max(
                    token[2]
                    for event in events
                    for token in event.get("ord", ())
                    if token[1] == "queue:2"
                )
            }
        out[rule] = head, events, footer
    return out


def whole(name: str, events: list[Event]) -> Trace:
    """The events with a header and the footer that fits them."""
    head = header(name)
    tally = Tally(head)
    for event in events:
        tally.count(event)
    return head, events, tally.footer()
