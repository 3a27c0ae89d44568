"""The rules of delayed operations: who completes one, as the model says at the grain of events."""

from __future__ import annotations

from collections.abc import Iterator

from traces import attempt_rules, lock_rules
from traces.events import Refusal, Step, seen_by
from traces.facts import Facts, Judges
from traces.thread_state import ThreadState
from traces.watch_rules import where

_UNENDED = {"try": "TriesEnd", "complete": "CompletesOnce"}
"""A call that does not end -> the property that says so."""


# -- what is checked of each kind


def _op_new(facts: Facts, event: Step, thread: ThreadState) -> Refusal | None:
    facts.look("TypeOK")
    if event["op"] in facts.operations:
        return Refusal("TypeOK", f"operation {event['op']} is made, and is there already")
    return None


def _force_cas(facts: Facts, event: Step, thread: ThreadState) -> Refusal | None:
    found, number = facts.operation(event["op"]), event["op"]
    won, seen = event.get("res") == "true", event.get("pre", {}).get("completed")
    facts.look("CompletedOnce")
    if won and found.completed:
        return Refusal(
            "CompletedOnce", f"operation {number} is completed once more, by thread {event['tid']}"
        )
    if won and found.protocol == "Blocking":
        facts.look("TryExcludesComplete")
        if "oseq" not in event:
            return Refusal(
                "TryExcludesComplete",
                f"thread {event['tid']} completes operation {number} without its lock: a "
                "tryComplete may run beside onComplete",
            )
    if not won and found.completed is False:
        return Refusal(
            "CompletesOnce",
            f"thread {event['tid']} does not complete operation {number}, which is open",
        )
    within = ("try", number) in thread.inside
    if facts.recorded("try_begin") and (
        event.get("cause") == "event" and not within or event.get("cause") == "expiry" and within
    ):
        return Refusal(
            "CompletesOnce",
            f"operation {number} is completed by {'its timeout' if within else 'an event'}, "
            f"and thread {event['tid']} is {where(thread)}",
        )
    if seen is not None and found.completed is not None and seen != found.completed:
        return Refusal(
            "CompletedOnce",
            f"operation {number} is found {'completed' if seen else 'open'}, and it is "
            f"{'completed' if found.completed else 'open'}",
        )
    return None


def _on_complete_begin(facts: Facts, event: Step, thread: ThreadState) -> Refusal | None:
    found, number, tid = facts.operation(event["op"]), event["op"], event["tid"]
    facts.look("CompletedOnce")
    if found.begun:
        return Refusal("CompletedOnce", f"onComplete of operation {number} runs once more")
    if facts.recorded("force_cas") and found.winner != tid:
        who = f"thread {found.winner} has" if found.winner else "no thread has"
        return Refusal(
            "CompletedOnce",
            f"thread {tid} runs onComplete of operation {number}, and {who} completed it",
        )
    if found.task and not found.cancelled and facts.recorded("cancel"):
        return Refusal(
            "CompletesOnce",
            f"onComplete of operation {number} begins before its timer task is cancelled",
        )
    if found.protocol == "Blocking":
        facts.look("TryExcludesComplete")
        other = next(
            (
                name
                for name, each in facts.threads.items()
                if name != tid and ("try", number) in each.inside
            ),
            None,
        )
        if other is not None:
            return Refusal(
                "TryExcludesComplete",
                f"onComplete of operation {number} begins while thread {other} is in its "
                "tryComplete",
            )
    return None


def _on_complete_end(facts: Facts, event: Step, thread: ThreadState) -> Refusal | None:
    facts.look("CompletesOnce")
    if facts.recorded("on_complete_begin") and (
        not thread.inside or thread.inside[-1] != ("complete", event["op"])
    ):
        return Refusal(
            "CompletesOnce",
            f"onComplete of operation {event['op']} ends, and thread {event['tid']} is "
            f"{where(thread)}",
        )
    return None


def cancel_of(facts: Facts, event: Step) -> Refusal | None:
    """The cancel of an operation's timer task: by who completed it, once, before onComplete."""
    found, number, tid = facts.operation(event["op"]), event["op"], event["tid"]
    if not facts.recorded("force_cas"):
        return None
    facts.look("CompletedOnce")
    if (
        found.winner != tid
        or found.cancelled
        or found.begun
        or found.task not in (0, event["task"])
    ):
        return Refusal(
            "CompletedOnce",
            f"thread {tid} cancels the timer task of operation {number}, which is not what "
            "comes next for it",
        )
    return None


def _on_expire(facts: Facts, event: Step, thread: ThreadState) -> Refusal | None:
    found, number, tid = facts.operation(event["op"]), event["op"], event["tid"]
    facts.look("ExpiredByTimeoutOnly")
    if found.expired:
        return Refusal("TypeOK", f"operation {number} expires a second time")
    if facts.recorded("force_cas"):
        if found.winner != tid:
            who = f"thread {found.winner}" if found.winner else "no thread"
            return Refusal(
                "ExpiredByTimeoutOnly",
                f"thread {tid} runs onExpiration of operation {number}, which {who} has completed",
            )
        if found.cause not in ("", "expiry"):
            return Refusal(
                "ExpiredByTimeoutOnly",
                f"onExpiration of operation {number} runs, which {found.cause} has completed, "
                "not its timeout",
            )
    if facts.recorded("on_complete_end") and not found.ended:
        return Refusal(
            "ExpiredByTimeoutOnly",
            f"onExpiration of operation {number} runs before its onComplete has ended",
        )
    return None


def _thread_stop(facts: Facts, event: Step, thread: ThreadState) -> Refusal | None:
    if thread.inside:
        return Refusal(
            _UNENDED.get(thread.inside[-1][0], "BracketCloses"),
            f"thread {event['tid']} ends, and is {where(thread)}",
        )
    return next(unfinished(facts, event["tid"]), None) or lock_rules.left_with(facts, event["tid"])


def unfinished(facts: Facts, tid: int) -> Iterator[Refusal]:
    """What the thread has not done for the operations that it has completed, the last one that
    is known first: what led there is not far."""
    for number, found in reversed(facts.operations.items()):
        if found.winner != tid:
            continue
        if not found.begun and facts.recorded("on_complete_begin"):
            yield Refusal(
                "CompletesOnce",
                f"thread {tid} has completed operation {number}, and does not run its onComplete",
                number,
            )
        elif (
            found.cause == "expiry"
            and found.ended
            and not found.expired
            and facts.recorded("on_expire")
        ):
            yield Refusal(
                "TimeoutExpires",
                f"operation {number} was completed by its timeout, and its onExpiration does "
                "not run",
                number,
            )


def forgotten(facts: Facts) -> Iterator[Refusal]:
    """What is wrong at the end of a whole trace."""
    for number, found in facts.operations.items():
        if found.pending and not found.completed and found.protocol == "TryPending":
            yield Refusal(
                "NoLostCompletion",
                f"operation {number} is open at the end, with a note that no thread has seen",
            )
    for tid in {found.winner for found in facts.operations.values()} - {0}:
        yield from unfinished(facts, tid)


# -- what each kind does


def take(facts: Facts, event: Step, thread: ThreadState) -> None:
    kind, tid = event["k"], event["tid"]
    if kind != "lock_wait":
        thread.duty = None
    if kind == "lock_release":
        facts.lets_go = True
        attempt_rules.let_go(facts, event, thread)
    thread.stopped = kind == "thread_stop"
    if kind == "cancel" and "op" in event:
        facts.operation(event["op"]).cancelled = True
    if kind == "checkpoint" and "op" in event:
        seen, found = seen_by(event), facts.operation(event["op"])
        found.completed = seen.get("completed", found.completed)
        found.pending = seen.get("pending", found.pending)
    if kind not in _KINDS:
        return
    number = event["op"]
    found = facts.operation(number)
    if kind == "op_new":
        found.completed = False
    elif kind == "try_begin":
        attempt_rules.take_attempt(facts, event, thread, found)
    elif kind == "try_end":
        _leave(thread, ("try", number))
        found.tried = found.tried and found.winner != tid
    elif kind in ("pending_set", "pending_getset"):
        before, found.pending = (
            event.get("pre", {}).get("pending", found.pending),
            event.get("post", {}).get("pending", kind == "pending_getset"),
        )
        found.cleared += not found.pending
        if kind == "pending_getset" and before is False and facts.recorded("try_begin"):
            thread.duty = "again", number, found.cleared
    elif kind == "force_cas":
        if event.get("res") == "true":
            found.winner, found.cause, found.tried = (
                tid,
                event.get("cause", ""),
                ("try", number) in thread.inside,
            )
        found.completed = True
    elif kind == "on_complete_begin":
        found.begun += 1
        if facts.recorded("on_complete_end"):
            thread.inside.append(("complete", number))
    elif kind == "on_complete_end":
        found.ended += event.get("res") != "raised"
        _leave(thread, ("complete", number))
    elif kind == "on_expire":
        found.expired += 1


JUDGES: Judges = {
    **attempt_rules.JUDGES,
    "op_new": _op_new,
    "force_cas": _force_cas,
    "on_complete_begin": _on_complete_begin,
    "on_complete_end": _on_complete_end,
    "on_expire": _on_expire,
    "thread_stop": _thread_stop,
}
_KINDS = JUDGES.keys() - {"thread_stop"}
"""The kinds of an operation; those of its watchers are in ``watch_rules``."""


def _leave(thread: ThreadState, bracket: tuple[str, int]) -> None:
    if bracket in thread.inside:
        thread.inside.remove(bracket)
