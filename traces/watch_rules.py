"""The rules of watchers: the part of ``rules.TimerState`` that is about the operations that an
event of a key can still complete.

``tryCompleteElseWatch`` tries an operation, puts it among the watchers of each of its keys, and
tries again, so that it may return true for an operation that is watched. ``checkAndComplete`` takes
the watchers of its key and tries each of them. An open operation that neither finds is orphaned:
only its timeout completes it. A check owes a try to those operations alone that were put among the
watchers under a lock that the check held later when it took them: without such a lock in both
events their order is not known.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from traces.events import Refusal, Step, columns

KINDS = frozenset(
    (
        "try_watch_begin",
        "try_watch_end",
        "watch_add",
        "watch_cancel",
        "check_begin",
        "check_end",
        "cancel_key_begin",
        "cancel_key_end",
        "purge",
    )
)
"""The kinds that these rules know."""

_BRACKETS = {
    "try_watch": ("watch", "op"),
    "check": ("check", "key"),
    "cancel_key": ("cancel_key", "key"),
}
"""Kind of event without its end -> the name of the bracket in ``inside``, and the column that says
what it is about."""


class WatchRules:
    """``watchers``: key -> operations that are in its list, with the locks under which they came
    there; ``watched``: operation -> the keys that it was ever put to; ``made``: operations whose
    making is in the trace; ``checks``: thread -> its open checks, each the operations that it still
    owes a try."""

    watchers: dict[int, dict[int, frozenset[str]]]
    watched: dict[int, set[int]]
    made: set[int]
    checks: dict[int, list[tuple[int, set[int]]]]
    operations: dict[int, Any]

    def recorded(self, kind: str) -> bool:
        raise NotImplementedError

    def _look(self, name: str) -> None:
        raise NotImplementedError

    def _into_list(self, event: Step) -> Refusal | None:
        raise NotImplementedError

    def _tried_again(self, event: Step) -> Refusal | None:
        raise NotImplementedError

    def _judges_of_watchers(self) -> dict[str, Callable[[Step, Any], Refusal | None]]:
        return {
            "watch_add": self._watch_add,
            "watch_cancel": self._watch_cancel,
            "try_watch_end": self._try_watch_end,
            "check_end": self._check_end,
            "cancel_key_end": self._bracket_ends,
        }

    def _completed(self, number: int) -> bool | None:
        """None where nothing is known of the operation."""
        found = self.operations.get(number)
        return None if found is None else found.completed

    # -- what is checked of each kind

    def _watch_add(self, event: Step, thread: Any) -> Refusal | None:
        number, key = event["op"], event["key"]
        self._look("WatchedOnce")
        if key in self.watched.get(number, ()):
            return Refusal(
                "WatchedOnce",
                f"operation {number} is put among the watchers of key {key} once more",
            )
        return self._into_list(event)

    def _watch_cancel(self, event: Step, thread: Any) -> Refusal | None:
        number, key = event["op"], event["key"]
        if not self.recorded("watch_add") or number not in self.made and number not in self.watched:
            return None
        self._look("WatchedOnce")
        if key not in self.watched.get(number, ()):
            return Refusal(
                "WatchedOnce",
                f"operation {number} is taken out of the watchers of key {key}, and was never "
                "among them",
            )
        return None

    def _try_watch_end(self, event: Step, thread: Any) -> Refusal | None:
        if refusal := self._bracket_ends(event, thread) or self._tried_again(event):
            return refusal
        number, result = event["op"], event["res"]
        if not self.recorded("watch_add") or result not in ("true", "false"):
            return None
        completed = self._completed(number)
        self._look("WatcherReachable")
        if result == "false" and not completed and not self.watched.get(number):
            return Refusal(
                "WatcherReachable",
                f"operation {number} is open and is left to be watched, and no key has it among "
                "its watchers: no event can complete it",
            )
        if (
            result == "true"
            and self.recorded("force_cas")
            and number in self.made
            and self.operations[number].winner != event["tid"]
        ):
            return Refusal(
                "WatcherReachable",
                f"tryCompleteElseWatch says that thread {event['tid']} has completed operation "
                f"{number}, and it has not: its timeout is not added",
            )
        return None

    def _check_end(self, event: Step, thread: Any) -> Refusal | None:
        if refusal := self._bracket_ends(event, thread):
            return refusal
        open_checks = self.checks.get(event["tid"])
        if not open_checks or not self.recorded("try_begin") or not self.recorded("force_cas"):
            return None
        key, due = open_checks[-1]
        left = sorted(
            number
            for number in due
            if not self._completed(number) and number in self.watchers.get(key, ())
        )
        self._look("WatcherReachable")
        if left:
            return Refusal(
                "WatcherReachable",
                f"operation {left[0]} is open and was put among the watchers of key {key} before "
                "the check of that key began, "
                f"and thread {event['tid']} has not tried it: no event of that key can complete it",
                left[0],
            )
        return None

    def _bracket_ends(self, event: Step, thread: Any) -> Refusal | None:
        bracket = _bracket(event)
        if bracket is None or not self.recorded(event["k"].removesuffix("end") + "begin"):
            return None
        self._look("BracketCloses")
        if not thread.inside or thread.inside[-1] != bracket:
            return Refusal(
                "BracketCloses",
                f"{event['k']} of {bracket[1]} comes, and thread {event['tid']} is {where(thread)}",
            )
        return None

    # -- what each kind does

    def _take_watchers(self, event: Step, thread: Any) -> None:
        kind, tid = event["k"], event["tid"]
        number, key = event.get("op"), event.get("key")
        open_checks = self.checks.get(tid, ())
        if kind in ("try_begin", "watch_cancel") and number is not None:
            for _, due in open_checks:
                due.discard(number)
        if kind == "op_new":
            self.made.add(event["op"])
        if kind not in KINDS:
            return
        if kind == "watch_add":
            self.watched.setdefault(event["op"], set()).add(event["key"])
            self.watchers.setdefault(event["key"], {})[event["op"]] = _locks(event)
        elif kind == "watch_cancel":
            self.watchers.get(event["key"], {}).pop(event["op"], None)
        elif kind == "cancel_key_end" and key is not None:
            self.watchers.pop(key, None)
        elif kind == "purge":
            for members in self.watchers.values():
                for each in [each for each in members if self._completed(each)]:
                    del members[each]
        if kind == "check_begin" and key is not None and self.recorded("check_end"):
            held = _locks(event)
            due = {
                each
                for each, under in self.watchers.get(key, {}).items()
                if under & held and not self._completed(each)
            }
            self.checks.setdefault(tid, []).append((key, due))
        elif kind == "check_end" and open_checks:
            self.checks[tid].pop()
        if (bracket := _bracket(event)) is None:
            return
        if kind.endswith("_begin") and self.recorded(kind.removesuffix("begin") + "end"):
            thread.inside.append(bracket)
        elif kind.endswith("_end") and bracket in thread.inside:
            thread.inside.remove(bracket)


def _bracket(event: Step) -> tuple[str, int] | None:
    """The bracket that the event opens or closes; None where it says not what it is about."""
    bracketed = event["k"].rpartition("_")[0]
    if bracketed not in _BRACKETS:
        return None
    name, column = _BRACKETS[bracketed]
    return (name, columns(event)[column]) if column in event else None


def _locks(event: Step) -> frozenset[str]:
    """The locks that are held, but for those of operations: a list of watchers has one of its
    own."""
    return frozenset(
        token[1]
        for token in event.get("ord", ())
        if token[0] == "L" and not token[1].startswith("op:")
    )


_WHERE = {
    "try": "in tryComplete of operation",
    "complete": "in onComplete of operation",
    "watch": "in tryCompleteElseWatch of operation",
    "check": "in checkAndComplete of key",
    "cancel_key": "in cancelForKey of key",
}


def where(thread: Any) -> str:
    """Where a thread is, for people."""
    if not thread.inside:
        return "in no call on an operation or a key"
    what, number = thread.inside[-1]
    return f"{_WHERE[what]} {number}"
