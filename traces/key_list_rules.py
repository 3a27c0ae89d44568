"""The rules of a key's lists and of timeouts: where an operation waits.

A key has one list at a time. It is given up only when no operation waits in it, and an empty one
does not stay. Who enters an operation tries it once more after it is watched. The timer keeps no
operation that is completed.
"""

from __future__ import annotations

from collections.abc import Iterator

from traces.events import Refusal, Step
from traces.facts import Facts, Judges
from traces.schema import NONE
from traces.thread_state import ThreadState

# -- what is checked of each kind


def _watchers_new(facts: Facts, event: Step, thread: ThreadState) -> Refusal | None:
    key, current = event["key"], facts.list_of.get(event["key"], NONE)
    facts.look("WatcherReachable")
    if current:
        return Refusal(
            "WatcherReachable",
            f"key {key} gets list {event['list']} of watchers, and has list {current}: no "
            "event of the key comes to what is put there",
        )
    return None


def _watchers_remove(facts: Facts, event: Step, thread: ThreadState) -> Refusal | None:
    key, number = event["key"], event["list"]
    current = facts.list_of.get(key)
    facts.look("WatcherReachable")
    if current is not None and current != number:
        return Refusal(
            "WatcherReachable",
            f"key {key} gives up list {number} of watchers, and has "
            f"{f'list {current}' if current else 'none'}",
        )
    waiting = _waiting(facts, number)
    if waiting:
        return Refusal(
            "WatcherReachable",
            f"key {key} gives up list {number} of watchers, in which operation {waiting[0]} "
            "waits: no event of the key can complete it",
            waiting[0],
        )
    return None


def _waiting(facts: Facts, number: int) -> list[int]:
    """The operations in a list that are not completed."""
    return [
        each
        for each in facts.members.get(number, ())
        if each not in facts.operations or not facts.operations[each].completed
    ]


def into_list(facts: Facts, event: Step) -> Refusal | None:
    """Why an operation may not come into the list that the event names."""
    if "list" not in event or not facts.recorded("watchers_new"):
        return None
    key, current = event["key"], facts.list_of.get(event["key"])
    facts.look("WatcherReachable")
    if current is not None and current != event["list"]:
        return Refusal(
            "WatcherReachable",
            f"operation {event['op']} is put into list {event['list']}, and key {key} has "
            f"{f'list {current}' if current else 'none'}: no event of the key comes to it",
        )
    return None


def tried_again(facts: Facts, event: Step) -> Refusal | None:
    """Why tryCompleteElseWatch may not return: an event before the watch is seen by no try."""
    number, tid = event["op"], event["tid"]
    if not facts.recorded("try_begin") or event.get("res") not in ("true", "false"):
        return None
    facts.look("NoLostCompletion")
    if facts.untried.get(number) == tid:
        return Refusal(
            "NoLostCompletion",
            f"thread {tid} leaves operation {number} to its watchers, and has not tried it "
            "since it was put there: no try sees an event that came before",
        )
    return None


def left_over(facts: Facts) -> Iterator[Refusal]:
    """What is wrong at the end of a whole trace: a timeout of what is completed, a list in
    which there is nothing."""
    for number in facts.timed:
        found = facts.operations.get(number)
        if found is not None:
            facts.look("NoLeakedTimer")
            if found.completed:
                yield Refusal(
                    "NoLeakedTimer",
                    f"operation {number} is completed, and the timer still has its task",
                    number,
                )
    for key, number in facts.list_of.items():
        if number and not facts.purged:
            facts.look("WatchedExact")
            if number in facts.members and not facts.members[number]:
                yield Refusal(
                    "WatchedExact",
                    f"key {key} keeps list {number} of watchers, out of which every operation "
                    "was taken",
                )


# -- what each kind does


def take(facts: Facts, event: Step, thread: ThreadState) -> None:
    kind = event["k"]
    if kind == "watchers_new":
        facts.list_of[event["key"]] = event["list"]
    elif kind == "watchers_remove" or kind == "cancel_key_begin" and "key" in event:
        facts.list_of[event["key"]] = NONE
    elif kind == "watch_add":
        facts.untried[event["op"]] = event["tid"]
        if "list" in event:
            facts.members.setdefault(event["list"], {})[event["op"]] = None
    elif kind == "watch_cancel" and "list" in event:
        facts.members.get(event["list"], {}).pop(event["op"], None)
    elif kind == "try_begin" and facts.untried.get(event["op"]) == event["tid"]:
        del facts.untried[event["op"]]
    elif kind == "purge":
        facts.purged = True
    elif kind == "add_request" and "task" in event:
        facts.timed[event["task"]] = None
    elif kind in ("cancel", "task_run") and "task" in event:
        facts.timed.pop(event["task"], None)


JUDGES: Judges = {"watchers_new": _watchers_new, "watchers_remove": _watchers_remove}
