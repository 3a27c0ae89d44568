"""The rules of locks: the part of ``rules.TimerState`` that is about who holds a lock, and in which
order locks may be wanted."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from traces.events import Refusal, Step, last_lock, wanted
from traces.thread_state import ThreadState

_RANKS = {"timer": 0, "task": 1, "list": 2, "entry": 3}
"""Kind of lock -> its place in the order in which a timer's locks are taken."""


class LockRules:
    """``holder``: lock -> the thread that has it; ``waits``: thread -> the lock that it waits for.
    ``guarded``: a thread has taken half of a timer's lock; ``bare``: threads that have added a task
    without."""

    holder: dict[str, int]
    guarded: bool
    bare: set[int]
    waits: dict[int, str]
    lets_go: bool

    def _look(self, name: str) -> None:
        raise NotImplementedError

    def _left_keyed(self, event: Step, thread: Any) -> Refusal | None:
        raise NotImplementedError

    def _judges_of_locks(self) -> dict[str, Callable[[Step, Any], Refusal | None]]:
        return {
            "lock_acquire": self._lock_acquire,
            "lock_release": self._lock_release,
            "lock_wait": self._lock_wait,
        }

    def _lock_acquire(self, event: Step, thread: ThreadState) -> Refusal | None:
        held = [token[1] for token in event.get("ord", ()) if token[0] == "L"]
        if not held:
            return None
        *outer, lock = held
        tid = event["tid"]
        self._look("NoDataRace")
        if self.holder.get(lock, tid) != tid:
            return Refusal(
                "NoDataRace",
                f"{lock} is taken by thread {tid} while thread {self.holder[lock]} holds it",
            )
        return self._ordered(lock, outer, thread)

    def _ordered(self, lock: str, outer: list[str], thread: ThreadState) -> Refusal | None:
        self._look("NoDeadlock")
        rank = _RANKS.get(lock.partition(":")[0])
        flushed = {f"list:{bucket}" for _, bucket in thread.flushes}
        for other in outer:
            before = _RANKS.get(other.partition(":")[0])
            if (
                rank is None
                or before is None
                or before < rank
                or (before == rank and other in flushed)
            ):
                continue
            return Refusal(
                "NoDeadlock",
                f"{lock} is wanted while {other} is held: the order is task, list, entry, and "
                "only a flush holds its list "
                "while it enters another",
            )
        return None

    def _lock_wait(self, event: Step, thread: ThreadState) -> Refusal | None:
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
        if refusal := self._ordered(lock, held, thread):
            return refusal
        chain, tid = [event["tid"]], self.holder.get(lock)
        while tid is not None and tid not in chain:
            chain.append(tid)
            tid = self.holder.get(self.waits.get(tid, ""))
        if tid == event["tid"]:
            return Refusal(
                "NoDeadlock",
                f"the threads {', '.join(map(str, chain))} wait for each other in a ring",
            )
        return None

    def _lock_release(self, event: Step, thread: ThreadState) -> Refusal | None:
        held = [token[1] for token in event.get("ord", ()) if token[0] == "L"]
        if held and self.holder.get(held[-1], event["tid"]) != event["tid"]:
            return Refusal(
                "NoDataRace",
                f"{held[-1]} is let go by thread {event['tid']}, and thread "
                f"{self.holder[held[-1]]} holds it",
            )
        return self._left_keyed(event, thread)

    def _left_with(self, tid: int) -> Refusal | None:
        """A thread that ends has let go of every monitor: no other thread ever will."""
        self._look("NoDeadlock")
        for lock, owner in self.holder.items():
            if owner == tid and (self.lets_go or not lock.startswith("op:")):
                return Refusal(
                    "NoDeadlock",
                    f"thread {tid} ends with {lock}: a thread that wants it waits for ever",
                )
        return None

    def unguarded(self) -> Iterator[Refusal]:
        """What is wrong at the end of a whole trace in which some take the timer's lock and others
        do not."""
        for tid in sorted(self.bare) if self.guarded else ():
            yield Refusal(
                "NoDataRace",
                f"thread {tid} adds tasks and holds no half of the lock under which others move "
                "the timer's clock or close it",
            )

    def _take_lock(self, event: Step) -> None:
        """Take an event of a lock, or one that needs a lock."""
        kind, tid = event["k"], event["tid"]
        if kind == "lock_acquire":
            if lock := last_lock(event):
                self.holder[lock] = tid
            self.waits.pop(tid, None)
        elif kind == "rw_acquire":
            self.guarded = True
        elif kind == "add_request" and not any(token[0] == "RW" for token in event.get("ord", ())):
            self.bare.add(tid)
        elif kind == "lock_wait":
            if lock := wanted(event):
                self.waits[tid] = lock
        elif kind == "lock_release" and (lock := last_lock(event)):
            self.holder.pop(lock, None)
