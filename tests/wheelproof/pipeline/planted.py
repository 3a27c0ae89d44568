"""One fault for each rule that no change of `mutations.py` breaks, planted in a conforming run:
with these every rule is seen to fail.

``faults(events)`` gives rule -> (header, events, footer).
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import key_lists
import purgatory

from benchmarks import mutations
from benchmarks.simulated_log import TICK_MS, header
from traces.schema import NOT_QUEUED
from wheelproof.trace.format.tally import Tally

Event = dict[str, Any]
Trace = tuple[dict[str, Any], list[Event], dict[str, Any]]


def _first(events: list[Event], kind: str, **columns: Any) -> int:
    return next(
        index
        for index, event in enumerate(events)
        if event["k"] == kind and all(event.get(name) == value for name, value in columns.items())
    )


def _set(
    kind: str, columns: dict[str, Any], **values: Callable[[Any], Any]
) -> Callable[[list[Event]], None]:
    def change(events: list[Event]) -> None:
        event = events[_first(events, kind, **columns)]
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
    unlinked = _first(events, "list_remove", cause="cancel")
    del events[
        next(
            index
            for index in range(unlinked, len(events))
            if events[index]["k"] == "cancel" and events[index]["tid"] == events[unlinked]["tid"]
        )
    ]


def _retry_that_saw_another(events: list[Event]) -> None:
    linked = _first(events, "list_add")
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
    op = events[_first(events, "force_cas")]["op"]
    events[:] = [event for event in events if event["k"] != "force_cas" or event["op"] != op]
    [event for event in events if event["k"] == "pending_set" and event["op"] == op][-1]["post"] = {
        "pending": True
    }


def _tried_too_late(events: list[Event]) -> None:
    won = events[_first(events, "force_cas", res="true")]
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
    index = _first(events, "clock_advance")
    events.insert(index + 1, copy.deepcopy(events[index]))


def _half_kept(events: list[Event]) -> None:
    """A thread that does not give back the half of the timer's lock that it took last."""
    del events[max(index for index, event in enumerate(events) if event["k"] == "rw_release")]


def _reset_after_the_monitor(events: list[Event]) -> None:
    reset = events[_first(events, "bucket_expiry_set", key_ms=NOT_QUEUED)]
    reset["ord"] = tuple(token for token in reset["ord"] if token[1] != f"list:{reset['list']}")


def _reset_before_the_flush(events: list[Event]) -> None:
    """The reset of a bucket comes before its entries are taken out."""
    flushed = _first(events, "list_remove", cause="flush")
    reset = next(
        index
        for index in range(flushed, len(events))
        if events[index]["k"] == "bucket_expiry_set"
        and events[index]["key_ms"] == NOT_QUEUED
        and events[index]["list"] == events[flushed]["list"]
    )
    events.insert(flushed, events.pop(reset))


CHANGES: dict[str, Callable[[list[Event]], None]] = {
    "LevelBound": _set("wheel_place", {}, wheel_ms=lambda wheel: wheel - 100_000),
    "TimerLockReturned": _half_kept,
    "KeyAligned": _set("dq_offer", {}, key_ms=lambda key: key + 1),
    "KeyOfDeadline": _unkeyed_tick,
    "KeyChangeSeen": _set("bucket_expiry_set", {"res": "true"}, res=lambda _: "false"),
    "ExpiresNotEarly": _set(
        "force_cas", {"cause": "expiry", "res": "true"}, now_ms=lambda now: now - 100
    ),
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


def _expired(events: list[Event]) -> int:
    """An operation that its timeout completed, and that no check has taken out of its watchers."""
    taken_out = {event["op"] for event in events if event["k"] == "watch_cancel"}
    watched = {event["op"] for event in events if event["k"] == "watch_add"}
    return next(
        event["op"]
        for event in events
        if event["k"] == "force_cas"
        and event["cause"] == "expiry"
        and event["op"] in watched - taken_out
    )


def _left_unwatched(events: list[Event]) -> None:
    op = _expired(events)
    events[:] = [event for event in events if event["k"] != "watch_add" or event["op"] != op]


def _left_as_completed(events: list[Event]) -> None:
    events[_first(events, "try_watch_end", op=_expired(events))]["res"] = "true"


def _passed_over(events: list[Event]) -> None:
    """A check of a key finds other watchers than those that the operation was put into, and passes
    over an open one (KAFKA-2253)."""
    checks = {event["span"] for event in events if event["k"] == "check_begin"}
    won = {
        event["op"]: index
        for index, event in enumerate(events)
        if event["k"] == "force_cas" and event["res"] == "true"
    }
    for begun, event in enumerate(events):
        if event["k"] == "try_begin" and event["res"] == "true" and event.get("parent") in checks:
            of = [
                index
                for index in range(begun, len(events))
                if events[index].get("op") == event["op"] and events[index]["tid"] == event["tid"]
            ]
            ended = next((index for index in of if events[index]["k"] == "lock_release"), None)
            between = [index for index in of if ended is not None and index <= ended]
            if (
                ended is not None
                and won.get(event["op"], len(events)) > ended
                and not any(
                    events[index]["k"] == "pending_getset" and events[index]["op"] == event["op"]
                    for index in range(begun, ended)
                )
                and events[between[-2]]["res"] == "false"
            ):
                for index in reversed(between):
                    del events[index]
                return
    raise AssertionError("no check of this run has tried an operation in vain")


def _never_ran(events: list[Event]) -> None:
    """A task that was handed over, and none of its thread's first events."""
    del events[_first(events, "task_run", entry=_last_of(events, "task_run"))]


def _last_of(events: list[Event], kind: str) -> int:
    return [event["entry"] for event in events if event["k"] == kind][-1]


def _cleared_while_linked(events: list[Event]) -> None:
    """A cancel that unlinks nothing: the entry stays in its list, and the cancel says so."""
    unlinked = _first(events, "list_remove", cause="cancel")
    cancel = next(
        event
        for event in events[unlinked:]
        if event["k"] == "cancel" and event["task"] == events[unlinked]["task"]
    )
    cancel["pre"]["list"] = events[unlinked]["list"]
    del events[unlinked]


def _published_twice(events: list[Event]) -> None:
    made = _first(events, "overflow_create")
    events.insert(made + 1, copy.deepcopy(events[made]))


def _kept_monitor(events: list[Event]) -> None:
    """A thread that does not give back the monitor of a task that it took last."""
    del events[
        max(
            index
            for index, event in enumerate(events)
            if event["k"] == "lock_release" and event["ord"][-1][1].startswith("task:")
        )
    ]


def _second_list(events: list[Event]) -> None:
    made = _first(events, "watchers_new")
    events.insert(made + 1, copy.deepcopy(events[made]))


def _left_timed(events: list[Event]) -> None:
    """An operation that is completed goes into the timer, as the last that its thread does."""
    request = events[_first(events, "add_request")]
    stop = _first(events, "thread_stop", tid=request["tid"])
    again = [
        copy.deepcopy(events[_first(events, kind, tid=request["tid"])])
        for kind in ("rw_acquire", "add_request", "rw_release")
    ]
    again[1]["task"] = events[_first(events, "force_cas", res="true")]["op"]
    events[stop:stop] = again


def _not_tried_again(events: list[Event]) -> None:
    """Who has put an operation among its watchers leaves it there, and tries it no more."""
    for watched, event in enumerate(events):
        if event["k"] != "watch_add":
            continue
        ended = next(
            index
            for index in range(watched, len(events))
            if events[index]["k"] == "try_watch_end" and events[index]["op"] == event["op"]
        )
        of = [
            index
            for index in range(watched + 1, ended)
            if events[index].get("op") == event["op"] and events[index]["k"] != "watch_add"
        ]
        if [events[index]["k"] for index in of] == [
            "try_begin",
            "pending_set",
            "try_end",
            "lock_release",
        ]:
            for index in reversed(of):
                del events[index]
            return
    raise AssertionError("no operation of this run was tried again in vain")


PURGATORY: dict[str, tuple[Callable[[list[Event]], None], set[str], str]] = {
    "left_unwatched": (_left_unwatched, {"WatcherReachable"}, "WatcherReachable"),
    "left_as_completed": (_left_as_completed, {"WatcherReachable"}, "WatcherReachable"),
    "passed_over": (_passed_over, {"CheckTriesWatcher"}, "WatcherReachable"),
    "never_ran": (_never_ran, {"HandedOverRuns"}, "HandedOverRuns"),
    "linked_elsewhere": (
        _set("wheel_place", {"level": 1}, list=lambda bucket: bucket + 1),
        {"LinkedIntoPlaced"},
        "TypeOK",
    ),
    "written_otherwise": (
        _set("set_entry", {}, post=lambda _: {"entry": 0}),
        {"WrittenObserved"},
        "WrittenObserved",
    ),
    "published_twice": (_published_twice, {"OneOverflowWheel"}, "OneOverflowWheel"),
    "kept_monitor": (_kept_monitor, {"MonitorsReturned"}, "NoDeadlock"),
    "second_list": (_second_list, {"OneListOfKey"}, "WatcherReachable"),
    "another_list": (
        _set("watchers_remove", {}, list=lambda number: number + 100_000),
        {"GivesUpItsList"},
        "WatcherReachable",
    ),
    "left_timed": (_left_timed, {"NoLeakedTimer"}, "NoLeakedTimer"),
    "not_tried_again": (_not_tried_again, {"TryAfterWatch"}, "NoLostCompletion"),
    "cleared_while_linked": (_cleared_while_linked, {"CancelObserved"}, "CancelUnlinks"),
}
"""Faults of the watchers, of the executor and of a cancel, with the rules in bulk that must name
them and the property of replay that must."""


def of_purgatory() -> dict[str, Trace]:
    """Name -> a run of Kafka's purgatory with one of these faults; ``purgatory`` has none.

    ``removing`` and ``orphaning``: lists of watchers are removed when they are empty, soundly and
    as in KAFKA-2253. ``unpurged`` and ``keeping``: only checks empty them, and they stay.
    """
    sound, out = purgatory.Purgatory(1, 40).run(), {}
    for name, made in key_lists.RUNS.items():
        out[name] = whole(name, made(1, 40).run())
    for name, change in {
        "purgatory": lambda events: None,
        **{name: change for name, (change, _, _) in PURGATORY.items()},
    }.items():
        events = copy.deepcopy(sound)
        change(events)
        out[name] = whole(name, mutations.renumbered(events))
    return out


def whole(name: str, events: list[Event]) -> Trace:
    """The events with a header and the footer that fits them."""
    head = header(name)
    tally = Tally(head)
    for event in events:
        tally.count(event)
    return head, events, tally.footer()
