"""Faults of a timer with a purgatory, planted in a sound run, and the rules that must name them."""

from __future__ import annotations

import copy
from collections.abc import Callable

import key_lists
import purgatory
from planted import Event, Trace, first_of, setting, whole

from benchmarks import mutations


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
    events[first_of(events, "try_watch_end", op=_expired(events))]["res"] = "true"


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
    del events[first_of(events, "task_run", entry=_last_of(events, "task_run"))]


def _last_of(events: list[Event], kind: str) -> int:
    return [event["entry"] for event in events if event["k"] == kind][-1]


def _cleared_while_linked(events: list[Event]) -> None:
    """A cancel that unlinks nothing: the entry stays in its list, and the cancel says so."""
    unlinked = first_of(events, "list_remove", cause="cancel")
    cancel = next(
        event
        for event in events[unlinked:]
        if event["k"] == "cancel" and event["task"] == events[unlinked]["task"]
    )
    cancel["pre"]["list"] = events[unlinked]["list"]
    del events[unlinked]


def _published_twice(events: list[Event]) -> None:
    made = first_of(events, "overflow_create")
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
    made = first_of(events, "watchers_new")
    events.insert(made + 1, copy.deepcopy(events[made]))


def _left_timed(events: list[Event]) -> None:
    """An operation that is completed goes into the timer, as the last that its thread does."""
    request = events[first_of(events, "add_request")]
    stop = first_of(events, "thread_stop", tid=request["tid"])
    again = [
        copy.deepcopy(events[first_of(events, kind, tid=request["tid"])])
        for kind in ("rw_acquire", "add_request", "rw_release")
    ]
    again[1]["task"] = events[first_of(events, "force_cas", res="true")]["op"]
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


def _twice(kind: str) -> Callable[[list[Event]], None]:
    def change(events: list[Event]) -> None:
        index = first_of(events, kind)
        events.insert(index + 1, copy.deepcopy(events[index]))

    return change


def _another_task(events: list[Event]) -> None:
    """An operation that is one task when it is made, and another when it is completed."""
    completed = events[first_of(events, "force_cas")]
    made = events[first_of(events, "op_new", op=completed["op"])]
    made["task"], completed["task"] = 1, 2


def _made_too_late(events: list[Event]) -> None:
    made = events.pop(first_of(events, "wheel_new", level=2))
    events.insert(first_of(events, "overflow_create", level=2) + 1, made)


def _unpublished(events: list[Event]) -> None:
    del events[first_of(events, "overflow_create", level=2)]


PURGATORY: dict[str, tuple[Callable[[list[Event]], None], set[str]]] = {
    "left_unwatched": (_left_unwatched, {"WatcherReachable"}),
    "left_as_completed": (_left_as_completed, {"WatcherReachable"}),
    "passed_over": (_passed_over, {"CheckTriesWatcher"}),
    "never_ran": (_never_ran, {"HandedOverRuns"}),
    "linked_elsewhere": (
        setting("wheel_place", {"level": 1}, list=lambda bucket: bucket + 1),
        {"LinkedIntoPlaced"},
    ),
    "written_otherwise": (
        setting("set_entry", {}, post=lambda _: {"entry": 0}),
        {"WrittenObserved"},
    ),
    "published_twice": (_published_twice, {"OneOverflowWheel"}),
    "kept_monitor": (_kept_monitor, {"MonitorsReturned"}),
    "second_list": (_second_list, {"OneListOfKey"}),
    "another_list": (
        setting("watchers_remove", {}, list=lambda number: number + 100_000),
        {"GivesUpItsList"},
    ),
    "left_timed": (_left_timed, {"NoLeakedTimer"}),
    "not_tried_again": (_not_tried_again, {"TryAfterWatch"}),
    "cleared_while_linked": (_cleared_while_linked, {"CancelObserved", "CancelUnlinks"}),
    "stopped_twice": (_twice("thread_stop"), {"StopsLast"}),
    "bucket_twice": (_twice("bucket_new"), {"FreshList"}),
    "coarse_level": (
        setting("wheel_new", {"level": 2}, pre=lambda pre: {"key_ms": pre["key_ms"] + 1}),
        {"LevelBegins"},
    ),
    "level_stands_still": (setting("clock_advance", {}, level=lambda _: 2), {"LevelsAtOneTime"}),
    "clock_seen_late": (setting("wheel_place", {}, wheel_ms=lambda ms: ms - 1), {"ClockObserved"}),
    "another_delay": (
        setting("add_request", {}, delay_ms=lambda ms: ms + 1),
        {"DeadlineOfRequest"},
    ),
    "another_task": (_another_task, {"OperationKeepsTask"}),
    "made_too_late": (_made_too_late, {"MadeBeforePublished"}),
    "unpublished": (_unpublished, {"SafePublication"}),
    "completed_in_vain": (
        setting("try_watch_end", {"res": "true"}, res=lambda _: "false"),
        {"ResultOfCall"},
    ),
}
"""Faults of a timer with a purgatory, with the rules that must name them."""


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
        **{name: change for name, (change, _) in PURGATORY.items()},
    }.items():
        events = copy.deepcopy(sound)
        change(events)
        out[name] = whole(name, mutations.renumbered(events))
    return out
