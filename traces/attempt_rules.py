"""The rules of attempts: the part of ``rules.TimerState`` that is about who tries an operation, and
who must look at it again.

That no completion is lost is checked as a duty of a thread. One that did not get the lock leaves a
note (P5), and tries again if it left the first one. One that lets the lock go while there is a note
tries again (P4), and one that has got it takes the note off before tryComplete (P2). A thread that
does anything else next has lost the completion. To try again is not required where the operation is
completed by then or another thread has taken the note. With ``TryOnce`` nothing is owed: the
thread that brought a condition is not in a trace, and that protocol loses completions.
"""

from __future__ import annotations

from typing import Any

from traces.events import Refusal, Step, last_lock
from traces.operation_state import Operation
from traces.watch_rules import where

_OWED = {
    "note": ("pending_getset", "did not get the lock, and leaves no note"),
    "clear": ("pending_set", "has got the lock, and does not take the note off before it looks"),
    "again": ("try_begin", "has left the first note, and does not try again"),
    "look": ("try_begin", "has let the lock go while there was a note, and does not try again"),
}
"""What a thread owes -> the event that it must be, and what it means to do anything else."""


class AttemptRules:
    """``operations``: by id. ``lets_go``: the trace has shown a lock let go."""

    operations: dict[int, Operation]
    threads: dict[int, Any]
    holder: dict[str, int]
    lets_go: bool

    def recorded(self, kind: str) -> bool:
        raise NotImplementedError

    def operation(self, number: int) -> Operation:
        raise NotImplementedError

    def _look(self, name: str) -> None:
        raise NotImplementedError

    # -- what a thread owes

    def _owed(self, event: Step, thread: Any) -> Refusal | None:
        """Why the thread may not do this now: it has ended, or it has left an operation that
        no thread looks at."""
        if thread.stopped:
            return Refusal("Termination", f"thread {event['tid']} goes on after its last event")
        if thread.duty is None or event["k"] == "lock_wait":
            return None
        what, number, cleared = thread.duty
        found, (kind, failing) = self.operations[number], _OWED[what]
        if what in ("again", "look") and (
            found.completed or what == "look" and found.cleared != cleared
        ):
            return None
        self._look("NoLostCompletion")
        if event.get("op") == number and event["k"] == kind:
            return None
        return Refusal(
            "NoLostCompletion",
            f"thread {event['tid']} {failing}: no thread looks at operation {number} for what it "
            "brought",
        )

    def _unlocked(self, event: Step, what: str) -> Refusal | None:
        """Why an event cannot be one under the operation's lock although it says so."""
        lock = f"op:{event['op']}"
        if "oseq" not in event or not self.lets_go or self.holder.get(lock) == event["tid"]:
            return None
        return Refusal(
            "NoDataRace", f"thread {event['tid']} {what} under {lock}, and does not hold it"
        )

    # -- what is checked of each kind

    def _try_begin(self, event: Step, thread: Any) -> Refusal | None:
        found, number = self.operation(event["op"]), event["op"]
        seen, comes = event.get("pre", {}).get("completed"), event.get("res") != "false"
        if comes:
            self._look("OneTries")
            if other := next(
                (name for name, each in self.threads.items() if ("try", number) in each.inside),
                None,
            ):
                return Refusal(
                    "OneTries",
                    f"thread {event['tid']} begins tryComplete of operation {number} while thread "
                    f"{other} is in it",
                )
        if found.protocol != "Blocking" or found.completed is None:
            return None
        self._look("TryExcludesComplete")
        if found.completed and comes or seen is not None and seen != found.completed:
            return Refusal(
                "TryExcludesComplete",
                f"an attempt finds operation {number} {'open' if comes else 'completed'}, and it "
                "is "
                f"{'completed' if found.completed else 'open'}",
            )
        return None

    def _try_end(self, event: Step, thread: Any) -> Refusal | None:
        found, number, tid = self.operation(event["op"]), event["op"], event["tid"]
        inside = ("try", number) in thread.inside
        if found.protocol == "Blocking" and self.recorded("try_begin"):
            self._look("TryExcludesComplete")
            if not inside and found.completed:
                return Refusal(
                    "TryExcludesComplete",
                    f"tryComplete was evaluated on operation {number}, which was completed before",
                )
        if self.recorded("try_begin"):
            self._look("TriesEnd")
            if not thread.inside or thread.inside[-1] != ("try", number):
                return Refusal(
                    "TriesEnd",
                    f"tryComplete of operation {number} ends, and thread {tid} is {where(thread)}",
                )
        if event.get("res") in ("true", "false") and self.recorded("force_cas"):
            self._look("CompletesOnce")
            won = found.winner == tid and found.tried
            if won != (event["res"] == "true"):
                claimed, has = ("not completed", "") if won else ("completed", " not")
                return Refusal(
                    "CompletesOnce",
                    f"tryComplete says that thread {tid} has {claimed} operation {number}, and it "
                    f"has{has}",
                )
        return self._unlocked(event, "ends tryComplete")

    def _noted(self, event: Step, found: Operation) -> Refusal | None:
        seen = event.get("pre", {}).get("pending")
        self._look("NoLostCompletion")
        if seen is None or found.pending is None or seen == found.pending:
            return None
        return Refusal(
            "NoLostCompletion",
            f"{event['k']} finds {'a' if seen else 'no'} note on operation {event['op']}, and "
            f"there is {'one' if found.pending else 'none'}",
        )

    def _pending_set(self, event: Step, thread: Any) -> Refusal | None:
        found, number = self.operation(event["op"]), event["op"]
        if refusal := self._noted(event, found):
            return refusal
        if (
            self.recorded("try_begin")
            and found.protocol == "TryPending"
            and (thread.duty or ())[:2] != ("clear", number)
        ):
            return Refusal(
                "NoLostCompletion",
                f"thread {event['tid']} takes the note off operation {number} and not before "
                "tryComplete: "
                "no thread looks for what it stands for",
            )
        return self._unlocked(event, "takes the note off")

    def _pending_getset(self, event: Step, thread: Any) -> Refusal | None:
        found, number = self.operation(event["op"]), event["op"]
        if refusal := self._noted(event, found):
            return refusal
        if (
            self.recorded("try_begin")
            and found.protocol == "TryPending"
            and (thread.duty or ())[:2] != ("note", number)
        ):
            return Refusal(
                "NoLostCompletion",
                f"thread {event['tid']} leaves a note on operation {number} although no "
                "thread has kept it from the lock",
            )
        return None

    # -- what an attempt does

    def _take_attempt(self, event: Step, thread: Any, found: Operation) -> None:
        number, lock = event["op"], last_lock(event)
        if event.get("res") == "false":
            if found.protocol == "TryPending" and self.recorded("pending_getset"):
                thread.duty = "note", number, found.cleared
            return
        # Who enters an operation tries it first without its lock, and has no note to take off.
        entering = thread.inside[-1:] == [("watch", number)] and lock != f"op:{number}"
        if self.recorded("try_end"):
            thread.inside.append(("try", number))
        if lock == f"op:{number}" and self.recorded("lock_release"):
            self.holder[lock] = event["tid"]
        if found.protocol == "TryPending" and self.recorded("pending_set") and not entering:
            thread.duty = "clear", number, found.cleared

    def _let_go(self, event: Step, thread: Any) -> None:
        kind, _, number = (last_lock(event) or "").partition(":")
        if kind != "op" or not number.isdigit() or not self.recorded("try_begin"):
            return
        found = self.operations.get(int(number))
        if (
            found is not None
            and found.protocol == "TryPending"
            and found.pending
            and not found.completed
        ):
            thread.duty = "look", int(number), found.cleared
