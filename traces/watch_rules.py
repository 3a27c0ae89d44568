"""The rules of watchers: the operations that an event of a key can still complete.

``tryCompleteElseWatch`` tries an operation, puts it among the watchers of each of its keys, and
tries again, so that it may return true for an operation that is watched. ``checkAndComplete`` takes
the watchers of its key and tries each of them. An open operation that neither finds is orphaned:
only its timeout completes it. A check owes a try to those operations alone that were put among the
watchers under a lock that the check held later when it took them: without such a lock in both
events their order is not known.
"""

from __future__ import annotations

from traces import key_list_rules
from traces.events import Refusal, Step, columns
from traces.facts import Facts, Judges
from traces.thread_state import ThreadState

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


def _completed(facts: Facts, number: int) -> bool | None:
    """None where nothing is known of the operation."""
    found = facts.operations.get(number)
    return None if found is None else found.completed


# -- what is checked of each kind


def _watch_add(facts: Facts, event: Step, thread: ThreadState) -> Refusal | None:
    number, key = event["op"], event["key"]
    facts.look("WatchedOnce")
    if key in facts.watched.get(number, ()):
        return Refusal(
            "WatchedOnce", f"operation {number} is put among the watchers of key {key} once more"
        )
    return key_list_rules.into_list(facts, event)


def _watch_cancel(facts: Facts, event: Step, thread: ThreadState) -> Refusal | None:
    number, key = event["op"], event["key"]
    if not facts.recorded("watch_add") or number not in facts.made and number not in facts.watched:
        return None
    facts.look("WatchedOnce")
    if key not in facts.watched.get(number, ()):
        return Refusal(
            "WatchedOnce",
            f"operation {number} is taken out of the watchers of key {key}, and was never "
            "among them",
        )
    return None


def _try_watch_end(facts: Facts, event: Step, thread: ThreadState) -> Refusal | None:
    if refusal := _bracket_ends(facts, event, thread) or key_list_rules.tried_again(facts, event):
        return refusal
    number, result = event["op"], event["res"]
    if not facts.recorded("watch_add") or result not in ("true", "false"):
        return None
    completed = _completed(facts, number)
    facts.look("WatcherReachable")
    if result == "false" and not completed and not facts.watched.get(number):
        return Refusal(
            "WatcherReachable",
            f"operation {number} is open and is left to be watched, and no key has it among "
            "its watchers: no event can complete it",
        )
    if (
        result == "true"
        and facts.recorded("force_cas")
        and number in facts.made
        and facts.operations[number].winner != event["tid"]
    ):
        return Refusal(
            "WatcherReachable",
            f"tryCompleteElseWatch says that thread {event['tid']} has completed operation "
            f"{number}, and it has not: its timeout is not added",
        )
    return None


def _check_end(facts: Facts, event: Step, thread: ThreadState) -> Refusal | None:
    if refusal := _bracket_ends(facts, event, thread):
        return refusal
    open_checks = facts.checks.get(event["tid"])
    if not open_checks or not facts.recorded("try_begin") or not facts.recorded("force_cas"):
        return None
    key, due = open_checks[-1]
    left = sorted(
        number
        for number in due
        if not _completed(facts, number) and number in facts.watchers.get(key, ())
    )
    facts.look("WatcherReachable")
    if left:
        return Refusal(
            "WatcherReachable",
            f"operation {left[0]} is open and was put among the watchers of key {key} before "
            "the check of that key began, "
            f"and thread {event['tid']} has not tried it: no event of that key can complete it",
            left[0],
        )
    return None


def _bracket_ends(facts: Facts, event: Step, thread: ThreadState) -> Refusal | None:
    bracket = _bracket(event)
    if bracket is None or not facts.recorded(event["k"].removesuffix("end") + "begin"):
        return None
    facts.look("BracketCloses")
    if not thread.inside or thread.inside[-1] != bracket:
        return Refusal(
            "BracketCloses",
            f"{event['k']} of {bracket[1]} comes, and thread {event['tid']} is {where(thread)}",
        )
    return None


# -- what each kind does


def take(facts: Facts, event: Step, thread: ThreadState) -> None:
    kind, tid = event["k"], event["tid"]
    number, key = event.get("op"), event.get("key")
    open_checks = facts.checks.get(tid, ())
    if kind in ("try_begin", "watch_cancel") and number is not None:
        for _, due in open_checks:
            due.discard(number)
    if kind == "op_new":
        facts.made.add(event["op"])
    if kind not in KINDS:
        return
    if kind == "watch_add":
        facts.watched.setdefault(event["op"], set()).add(event["key"])
        facts.watchers.setdefault(event["key"], {})[event["op"]] = _locks(event)
    elif kind == "watch_cancel":
        facts.watchers.get(event["key"], {}).pop(event["op"], None)
    elif kind == "cancel_key_end" and key is not None:
        facts.watchers.pop(key, None)
    elif kind == "purge":
        for members in facts.watchers.values():
            for each in [each for each in members if _completed(facts, each)]:
                del members[each]
    if kind == "check_begin" and key is not None and facts.recorded("check_end"):
        held = _locks(event)
        due = {
            each
            for each, under in facts.watchers.get(key, {}).items()
            if under & held and not _completed(facts, each)
        }
        facts.checks.setdefault(tid, []).append((key, due))
    elif kind == "check_end" and open_checks:
        facts.checks[tid].pop()
    if (bracket := _bracket(event)) is None:
        return
    if kind.endswith("_begin") and facts.recorded(kind.removesuffix("begin") + "end"):
        thread.inside.append(bracket)
    elif kind.endswith("_end") and bracket in thread.inside:
        thread.inside.remove(bracket)


JUDGES: Judges = {
    "watch_add": _watch_add,
    "watch_cancel": _watch_cancel,
    "try_watch_end": _try_watch_end,
    "check_end": _check_end,
    "cancel_key_end": _bracket_ends,
}


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


def where(thread: ThreadState) -> str:
    """Where a thread is, for people."""
    if not thread.inside:
        return "in no call on an operation or a key"
    what, number = thread.inside[-1]
    return f"{_WHERE[what]} {number}"
