"""The rules of locks: who holds one, and in which order they may be wanted."""

from __future__ import annotations

from collections.abc import Iterator

from traces import wheel_rules
from traces.events import Refusal, Step, last_lock, wanted
from traces.facts import Facts, Judges
from traces.thread_state import ThreadState

_RANKS = {"timer": 0, "task": 1, "list": 2, "entry": 3}
"""Kind of lock -> its place in the order in which a timer's locks are taken."""


def _lock_acquire(facts: Facts, event: Step, thread: ThreadState) -> Refusal | None:
    held = [token[1] for token in event.get("ord", ()) if token[0] == "L"]
    if not held:
        return None
    *outer, lock = held
    tid = event["tid"]
    facts.look("NoDataRace")
    if facts.holder.get(lock, tid) != tid:
        return Refusal(
            "NoDataRace",
            f"{lock} is taken by thread {tid} while thread {facts.holder[lock]} holds it",
        )
    return _ordered(facts, lock, outer, thread)


def _ordered(facts: Facts, lock: str, outer: list[str], thread: ThreadState) -> Refusal | None:
    facts.look("NoDeadlock")
    rank = _RANKS.get(lock.partition(":")[0])
    flushed = {f"list:{bucket}" for _, bucket in thread.flushes}
    for other in outer:
        before = _RANKS.get(other.partition(":")[0])
        if rank is None or before is None or before < rank or (before == rank and other in flushed):
            continue
        return Refusal(
            "NoDeadlock",
            f"{lock} is wanted while {other} is held: the order is task, list, entry, and "
            "only a flush holds its list "
            "while it enters another",
        )
    return None


def _lock_wait(facts: Facts, event: Step, thread: ThreadState) -> Refusal | None:
    lock = wanted(event)
    if lock is None:
        return None
    held = [token[1] for token in event.get("ord", ()) if token[0] == "L"]
    if lock.startswith("op:") and (
        callers := [other for other in held if other.startswith("lock:")]
    ):
        return Refusal(
            "NoDeadlock",
            f"{lock} is waited for while {callers[0]} is held, and onComplete takes that "
            "inside the operation's lock",
        )
    if refusal := _ordered(facts, lock, held, thread):
        return refusal
    chain, tid = [event["tid"]], facts.holder.get(lock)
    while tid is not None and tid not in chain:
        chain.append(tid)
        tid = facts.holder.get(facts.waits.get(tid, ""))
    if tid == event["tid"]:
        return Refusal(
            "NoDeadlock", f"the threads {', '.join(map(str, chain))} wait for each other in a ring"
        )
    return None


def _lock_release(facts: Facts, event: Step, thread: ThreadState) -> Refusal | None:
    held = [token[1] for token in event.get("ord", ()) if token[0] == "L"]
    if held and facts.holder.get(held[-1], event["tid"]) != event["tid"]:
        return Refusal(
            "NoDataRace",
            f"{held[-1]} is let go by thread {event['tid']}, and thread "
            f"{facts.holder[held[-1]]} holds it",
        )
    return wheel_rules.left_keyed(facts, event, thread)


def left_with(facts: Facts, tid: int) -> Refusal | None:
    """A thread that ends has let go of every monitor: no other thread ever will."""
    facts.look("NoDeadlock")
    for lock, owner in facts.holder.items():
        if owner == tid and (facts.lets_go or not lock.startswith("op:")):
            return Refusal(
                "NoDeadlock",
                f"thread {tid} ends with {lock}: a thread that wants it waits for ever",
            )
    return None


def unguarded(facts: Facts) -> Iterator[Refusal]:
    """What is wrong at the end of a whole trace in which some take the timer's lock and others
    do not."""
    for tid in sorted(facts.bare) if facts.guarded else ():
        yield Refusal(
            "NoDataRace",
            f"thread {tid} adds tasks and holds no half of the lock under which others move "
            "the timer's clock or close it",
        )


def take(facts: Facts, event: Step, thread: ThreadState) -> None:
    """Take an event of a lock, or one that needs a lock."""
    kind, tid = event["k"], event["tid"]
    if kind == "lock_acquire":
        if lock := last_lock(event):
            facts.holder[lock] = tid
        facts.waits.pop(tid, None)
    elif kind == "rw_acquire":
        facts.guarded = True
    elif kind == "add_request" and not any(token[0] == "RW" for token in event.get("ord", ())):
        facts.bare.add(tid)
    elif kind == "lock_wait":
        if lock := wanted(event):
            facts.waits[tid] = lock
    elif kind == "lock_release" and (lock := last_lock(event)):
        facts.holder.pop(lock, None)


JUDGES: Judges = {
    "lock_acquire": _lock_acquire,
    "lock_release": _lock_release,
    "lock_wait": _lock_wait,
}
