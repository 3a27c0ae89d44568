"""One fault for each rule that no change of `mutations.py` breaks, planted in a conforming run: with these every rule is seen to fail.

``faults(events)`` gives rule -> (header, events, footer).
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import mutations

from wheelproof.pipeline.simulate import TICK_MS, header
from wheelproof.trace.jsonl import Tally

Event = dict[str, Any]
Trace = tuple[dict[str, Any], list[Event], dict[str, Any]]


def _first(events: list[Event], kind: str, **columns: Any) -> int:
    return next(index for index, event in enumerate(events) if event["k"] == kind and all(event.get(name) == value for name, value in columns.items()))


def _set(kind: str, columns: dict[str, Any], **values: Callable[[Any], Any]) -> Callable[[list[Event]], None]:
    def change(events: list[Event]) -> None:
        event = events[_first(events, kind, **columns)]
        for name, value in values.items():
            event[name] = value(event.get(name))
    return change


def _unkeyed_tick(events: list[Event]) -> None:
    event = next(event for event in events if event["k"] == "bucket_expiry_set" and event["key_ms"] >= 0 and event["level"] == 1)
    event["key_ms"] += TICK_MS


def _cancel_left_out(events: list[Event]) -> None:
    unlinked = _first(events, "list_remove", cause="cancel")
    del events[next(index for index in range(unlinked, len(events)) if events[index]["k"] == "cancel" and events[index]["tid"] == events[unlinked]["tid"])]


def _retry_that_saw_another(events: list[Event]) -> None:
    linked = _first(events, "list_add")
    events.insert(linked + 1, {"tid": events[linked]["tid"], "tseq": 0, "lc": 0, "k": "list_add_retry", "phase": "atomic", "entry": events[linked]["entry"], "list": events[linked]["list"],
                               "pre": {"list": events[linked]["list"] + 1}})


def _lost(events: list[Event]) -> None:
    events.insert(50, {"tid": events[49]["tid"], "tseq": 0, "lc": 0, "k": "drop", "phase": "atomic", "count": 3})


def _note_never_seen(events: list[Event]) -> None:
    op = events[_first(events, "force_cas")]["op"]
    events[:] = [event for event in events if event["k"] != "force_cas" or event["op"] != op]
    [event for event in events if event["k"] == "pending_set" and event["op"] == op][-1]["post"] = {"pending": True}


def _tried_too_late(events: list[Event]) -> None:
    won = events[_first(events, "force_cas", res="true")]
    for kind, result in (("try_begin", "true"), ("try_end", "false")):
        events.append({"tid": won["tid"], "tseq": 0, "lc": 0, "k": kind, "phase": "atomic", "op": won["op"], "ord": (("L", f"op:{won['op']}", 0, "w"),), "res": result})


def _advanced_twice(events: list[Event]) -> None:
    index = _first(events, "clock_advance")
    events.insert(index + 1, copy.deepcopy(events[index]))


CHANGES: dict[str, Callable[[list[Event]], None]] = {
    "KeyAligned": _set("dq_offer", {}, key_ms=lambda key: key + 1),
    "KeyOfDeadline": _unkeyed_tick,
    "KeyChangeSeen": _set("bucket_expiry_set", {"res": "true"}, res=lambda _: "false"),
    "ExpiresNotEarly": _set("force_cas", {"cause": "expiry", "res": "true"}, now_ms=lambda now: now - 100),
    "NotEarly": _set("expire_submit", {}, wheel_ms=lambda wheel: wheel - 100),
    "PolledWhenReady": _set("dq_poll", {}, now_ms=lambda now: now - 100),
    "NothingDropped": _lost,
    "CancelAfterUnlink": _cancel_left_out,
    "RetrySeesOwner": _retry_that_saw_another,
    "NoLostCompletion": _note_never_seen,
    "FirstAttemptWins": _set("force_cas", {"res": "true"}, res=lambda _: "false"),
    "TryExcludesComplete": _tried_too_late,
    "ForcedUnderLock": lambda events: None,
    "AdvanceByLevels": _advanced_twice,
    "StepFollows": lambda events: None,
    "ThreadEnd": lambda events: None,
}
BLOCKING = ("TryExcludesComplete", "ForcedUnderLock")
"""Rules of another protocol: its name in the header is enough of a fault, for the run is one of the pending protocol."""


def faults(conforming: list[Event]) -> dict[str, Trace]:
    out = {}
    for rule, change in CHANGES.items():
        head, events = header(f"planted-{rule}"), copy.deepcopy(conforming)
        change(events)
        mutations.renumbered(events)
        if rule == "StepFollows":
            head["spec"] = {"module": "SystemTimer"}  # which sets a new entry after it has the lock, and takes no other steps beside
        if rule in BLOCKING:
            head["variant"] = "Blocking"
        tally = Tally(head)
        for event in events:
            tally.count(event)
        footer = tally.footer()
        if rule == "ThreadEnd":
            name = next(iter(footer["per_thread_last_tseq"]))
            footer["per_thread_last_tseq"][name] += 2
        out[rule] = head, events, footer
    return out
