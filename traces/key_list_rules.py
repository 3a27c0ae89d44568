"""The rules of a key's lists and of timeouts: the part of ``rules.TimerState`` that is about where
an operation waits.

A key has one list at a time. It is given up only when no operation waits in it, and an empty one
does not stay. Who enters an operation tries it once more after it is watched. The timer keeps no
operation that is completed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from traces.events import Refusal, Step
from traces.schema import NONE


class KeyListRules:
    """``list_of``: key -> the list that it has, 0 for none; ``members``: list -> the operations in
    it; ``timed``: the tasks that the timer has; ``untried``: operation -> the thread that has put
    it among watchers and not tried it since. ``purged``: a purge leaves no event of each operation.
    """

    list_of: dict[int, int]
    members: dict[int, dict[int, None]]
    timed: dict[int, None]
    untried: dict[int, int]
    purged: bool
    operations: dict[int, Any]

    def recorded(self, kind: str) -> bool:
        raise NotImplementedError

    def _look(self, name: str) -> None:
        raise NotImplementedError

    def _judges_of_key_lists(self) -> dict[str, Callable[[Step, Any], Refusal | None]]:
        return {"watchers_new": self._watchers_new, "watchers_remove": self._watchers_remove}

    # -- what is checked of each kind

    def _watchers_new(self, event: Step, thread: Any) -> Refusal | None:
        key, current = event["key"], self.list_of.get(event["key"], NONE)
        self._look("WatcherReachable")
        if current:
            return Refusal(
                "WatcherReachable",
                f"key {key} gets list {event['list']} of watchers, and has list {current}: no "
                "event of the key comes to what is put there",
            )
        return None

    def _watchers_remove(self, event: Step, thread: Any) -> Refusal | None:
        key, number = event["key"], event["list"]
        current = self.list_of.get(key)
        self._look("WatcherReachable")
        if current is not None and current != number:
            return Refusal(
                "WatcherReachable",
                f"key {key} gives up list {number} of watchers, and has "
                f"{f'list {current}' if current else 'none'}",
            )
        waiting = self._waiting(number)
        if waiting:
            return Refusal(
                "WatcherReachable",
                f"key {key} gives up list {number} of watchers, in which operation {waiting[0]} "
                "waits: no event of the key can complete it",
                waiting[0],
            )
        return None

    def _waiting(self, number: int) -> list[int]:
        """The operations in a list that are not completed."""
        return [
            each
            for each in self.members.get(number, ())
            if each not in self.operations or not self.operations[each].completed
        ]

    def _into_list(self, event: Step) -> Refusal | None:
        """Why an operation may not come into the list that the event names."""
        if "list" not in event or not self.recorded("watchers_new"):
            return None
        key, current = event["key"], self.list_of.get(event["key"])
        self._look("WatcherReachable")
        if current is not None and current != event["list"]:
            return Refusal(
                "WatcherReachable",
                f"operation {event['op']} is put into list {event['list']}, and key {key} has "
                f"{f'list {current}' if current else 'none'}: no event of the key comes to it",
            )
        return None

    def _tried_again(self, event: Step) -> Refusal | None:
        """Why tryCompleteElseWatch may not return: an event before the watch is seen by no try."""
        number, tid = event["op"], event["tid"]
        if not self.recorded("try_begin") or event.get("res") not in ("true", "false"):
            return None
        self._look("NoLostCompletion")
        if self.untried.get(number) == tid:
            return Refusal(
                "NoLostCompletion",
                f"thread {tid} leaves operation {number} to its watchers, and has not tried it "
                "since it was put there: no try sees an event that came before",
            )
        return None

    def left_over(self) -> Iterator[Refusal]:
        """What is wrong at the end of a whole trace: a timeout of what is completed, a list in
        which there is nothing."""
        for number in self.timed:
            found = self.operations.get(number)
            if found is not None:
                self._look("NoLeakedTimer")
                if found.completed:
                    yield Refusal(
                        "NoLeakedTimer",
                        f"operation {number} is completed, and the timer still has its task",
                        number,
                    )
        for key, number in self.list_of.items():
            if number and not self.purged:
                self._look("WatchedExact")
                if number in self.members and not self.members[number]:
                    yield Refusal(
                        "WatchedExact",
                        f"key {key} keeps list {number} of watchers, out of which every operation "
                        "was taken",
                    )

    # -- what each kind does

    def _take_key_lists(self, event: Step) -> None:
        kind = event["k"]
        if kind == "watchers_new":
            self.list_of[event["key"]] = event["list"]
        elif kind == "watchers_remove" or kind == "cancel_key_begin" and "key" in event:
            self.list_of[event["key"]] = NONE
        elif kind == "watch_add":
            self.untried[event["op"]] = event["tid"]
            if "list" in event:
                self.members.setdefault(event["list"], {})[event["op"]] = None
        elif kind == "watch_cancel" and "list" in event:
            self.members.get(event["list"], {}).pop(event["op"], None)
        elif kind == "try_begin" and self.untried.get(event["op"]) == event["tid"]:
            del self.untried[event["op"]]
        elif kind == "purge":
            self.purged = True
        elif kind == "add_request" and "task" in event:
            self.timed[event["task"]] = None
        elif kind in ("cancel", "task_run") and "task" in event:
            self.timed.pop(event["task"], None)
