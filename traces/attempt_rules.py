"""The rules of attempts: who tries an operation, and who must look at it again.

That no completion is lost is checked as a duty of a thread. One that did not get the lock leaves a
note (P5), and tries again if it left the first one. One that lets the lock go while there is a note
tries again (P4), and one that has got it takes the note off before tryComplete (P2). A thread that
does anything else next has lost the completion. To try again is not required where the operation is
completed by then or another thread has taken the note. With ``TryOnce`` nothing is owed: the
thread that brought a condition is not in a trace, and that protocol loses completions.
"""

from __future__ import annotations

from traces.events import Refusal, Step, last_lock
from traces.facts import Facts, Judges
from traces.operation_state import Operation
from traces.thread_state import ThreadState
from traces.watch_rules import where

_OWED = {
    "note": ("pending_getset", "did not get the lock, and leaves no note"),
    "clear": ("pending_set", "has got the lock, and does not take the note off before it looks"),
    "again": ("try_begin", "has left the first note, and does not try again"),
    "look": ("try_begin", "has let the lock go while there was a note, and does not try again"),
}
"""What a thread owes -> the event that it must be, and what it means to do anything else."""


# -- what a thread owes


def owed(facts: Facts, event: Step, thread: ThreadState) -> Refusal | None:
    """Why the thread may not do this now: it has ended, or it has left an operation that
    no thread looks at."""
    if thread.stopped:
        return Refusal("Termination", f"thread {event['tid']} goes on after its last event")
    if thread.duty is None or event["k"] == "lock_wait":
        return None
    what, number, cleared = thread.duty
    found, (kind, failing) = facts.operations[number], _OWED[what]
    if what in ("again", "look") and (
        found.completed or what == "look" and found.cleared != cleared
    ):
        return None
    facts.look("NoLostCompletion")
    if event.get("op") == number and event["k"] == kind:
        return None
    return Refusal(
        "NoLostCompletion",
        f"thread {event['tid']} {failing}: no thread looks at operation {number} for what it "
        "brought",
    )


def _unlocked(facts: Facts, event: Step, what: str) -> Refusal | None:
    """Why an event cannot be one under the operation's lock although it says so."""
    lock = f"op:{event['op']}"
    if "oseq" not in event or not facts.lets_go or facts.holder.get(lock) == event["tid"]:
        return None
    return Refusal("NoDataRace", f"thread {event['tid']} {what} under {lock}, and does not hold it")


# -- what is checked of each kind


def _try_begin(facts: Facts, event: Step, thread: ThreadState) -> Refusal | None:
    found, number = facts.operation(event["op"]), event["op"]
    seen, comes = event.get("pre", {}).get("completed"), event.get("res") != "false"
    if comes:
        facts.look("OneTries")
        if other := next(
            (name for name, each in facts.threads.items() if ("try", number) in each.inside), None
        ):
            return Refusal(
                "OneTries",
                f"thread {event['tid']} begins tryComplete of operation {number} while thread "
                f"{other} is in it",
            )
    if found.protocol != "Blocking" or found.completed is None:
        return None
    facts.look("TryExcludesComplete")
    if found.completed and comes or seen is not None and seen != found.completed:
        return Refusal(
            "TryExcludesComplete",
            f"an attempt finds operation {number} {'open' if comes else 'completed'}, and it "
            "is "
            f"{'completed' if found.completed else 'open'}",
        )
    return None


def _try_end(facts: Facts, event: Step, thread: ThreadState) -> Refusal | None:
    found, number, tid = facts.operation(event["op"]), event["op"], event["tid"]
    inside = ("try", number) in thread.inside
    if found.protocol == "Blocking" and facts.recorded("try_begin"):
        facts.look("TryExcludesComplete")
        if not inside and found.completed:
            return Refusal(
                "TryExcludesComplete",
                f"tryComplete was evaluated on operation {number}, which was completed before",
            )
    if facts.recorded("try_begin"):
        facts.look("TriesEnd")
        if not thread.inside or thread.inside[-1] != ("try", number):
            return Refusal(
                "TriesEnd",
                f"tryComplete of operation {number} ends, and thread {tid} is {where(thread)}",
            )
    if event.get("res") in ("true", "false") and facts.recorded("force_cas"):
        facts.look("CompletesOnce")
        won = found.winner == tid and found.tried
        if won != (event["res"] == "true"):
            claimed, has = ("not completed", "") if won else ("completed", " not")
            return Refusal(
                "CompletesOnce",
                f"tryComplete says that thread {tid} has {claimed} operation {number}, and it "
                f"has{has}",
            )
    return _unlocked(facts, event, "ends tryComplete")


def _noted(facts: Facts, event: Step, found: Operation) -> Refusal | None:
    seen = event.get("pre", {}).get("pending")
    facts.look("NoLostCompletion")
    if seen is None or found.pending is None or seen == found.pending:
        return None
    return Refusal(
        "NoLostCompletion",
        f"{event['k']} finds {'a' if seen else 'no'} note on operation {event['op']}, and "
        f"there is {'one' if found.pending else 'none'}",
    )


def _pending_set(facts: Facts, event: Step, thread: ThreadState) -> Refusal | None:
    found, number = facts.operation(event["op"]), event["op"]
    if refusal := _noted(facts, event, found):
        return refusal
    if (
        facts.recorded("try_begin")
        and found.protocol == "TryPending"
        and (thread.duty or ())[:2] != ("clear", number)
    ):
        return Refusal(
            "NoLostCompletion",
            f"thread {event['tid']} takes the note off operation {number} and not before "
            "tryComplete: "
            "no thread looks for what it stands for",
        )
    return _unlocked(facts, event, "takes the note off")


def _pending_getset(facts: Facts, event: Step, thread: ThreadState) -> Refusal | None:
    found, number = facts.operation(event["op"]), event["op"]
    if refusal := _noted(facts, event, found):
        return refusal
    if (
        facts.recorded("try_begin")
        and found.protocol == "TryPending"
        and (thread.duty or ())[:2] != ("note", number)
    ):
        return Refusal(
            "NoLostCompletion",
            f"thread {event['tid']} leaves a note on operation {number} although no "
            "thread has kept it from the lock",
        )
    return None


JUDGES: Judges = {
    "try_begin": _try_begin,
    "try_end": _try_end,
    "pending_set": _pending_set,
    "pending_getset": _pending_getset,
}


# -- what an attempt does


def take_attempt(facts: Facts, event: Step, thread: ThreadState, found: Operation) -> None:
    number, lock = event["op"], last_lock(event)
    if event.get("res") == "false":
        if found.protocol == "TryPending" and facts.recorded("pending_getset"):
            thread.duty = "note", number, found.cleared
        return
    # Who enters an operation tries it first without its lock, and has no note to take off.
    entering = thread.inside[-1:] == [("watch", number)] and lock != f"op:{number}"
    if facts.recorded("try_end"):
        thread.inside.append(("try", number))
    if lock == f"op:{number}" and facts.recorded("lock_release"):
        facts.holder[lock] = event["tid"]
    if found.protocol == "TryPending" and facts.recorded("pending_set") and not entering:
        thread.duty = "clear", number, found.cleared


def let_go(facts: Facts, event: Step, thread: ThreadState) -> None:
    kind, _, number = (last_lock(event) or "").partition(":")
    if kind != "op" or not number.isdigit() or not facts.recorded("try_begin"):
        return
    found = facts.operations.get(int(number))
    if (
        found is not None
        and found.protocol == "TryPending"
        and found.pending
        and not found.completed
    ):
        thread.duty = "look", int(number), found.cleared
