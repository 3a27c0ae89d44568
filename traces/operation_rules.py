"""The rules of delayed operations: the part of ``rules.TimerState`` that is about who completes an
operation. They check what the model says at the grain of events."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from traces.attempt_rules import AttemptRules
from traces.events import Refusal, Step
from traces.operation_state import Operation
from traces.watch_rules import where

KINDS = frozenset(
    (
        "op_new",
        "try_begin",
        "try_end",
        "pending_set",
        "pending_getset",
        "force_cas",
        "on_complete_begin",
        "on_complete_end",
        "on_expire",
    )
)
"""The kinds of an operation that these rules know; those of its watchers are in ``watch_rules``."""
_UNENDED = {"try": "TriesEnd", "complete": "CompletesOnce"}
"""A call that does not end -> the property that says so."""


class OperationRules(AttemptRules):
    """``variant``: the protocol of the operations that the header's ``initial`` does not tell
    of."""

    variant: str

    def _left_with(self, tid: int) -> Refusal | None:
        raise NotImplementedError

    def _judges_of_operations(self) -> dict[str, Callable[[Step, Any], Refusal | None]]:
        return {
            "op_new": self._op_new,
            "try_begin": self._try_begin,
            "try_end": self._try_end,
            "pending_set": self._pending_set,
            "pending_getset": self._pending_getset,
            "force_cas": self._force_cas,
            "on_complete_begin": self._on_complete_begin,
            "on_complete_end": self._on_complete_end,
            "on_expire": self._on_expire,
            "thread_stop": self._thread_stop,
        }

    def operation(self, number: int) -> Operation:
        found = self.operations.get(number)
        if found is None:
            found = self.operations[number] = Operation(protocol=self.variant)
        return found

    # -- what is checked of each kind

    def _op_new(self, event: Step, thread: Any) -> Refusal | None:
        self._look("TypeOK")
        if event["op"] in self.operations:
            return Refusal("TypeOK", f"operation {event['op']} is made, and is there already")
        return None

    def _force_cas(self, event: Step, thread: Any) -> Refusal | None:
        found, number = self.operation(event["op"]), event["op"]
        won, seen = event.get("res") == "true", event.get("pre", {}).get("completed")
        self._look("CompletedOnce")
        if won and found.completed:
            return Refusal(
                "CompletedOnce",
                f"operation {number} is completed once more, by thread {event['tid']}",
            )
        if won and found.protocol == "Blocking":
            self._look("TryExcludesComplete")
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
        if self.recorded("try_begin") and (
            event.get("cause") == "event"
            and not within
            or event.get("cause") == "expiry"
            and within
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

    def _on_complete_begin(self, event: Step, thread: Any) -> Refusal | None:
        found, number, tid = self.operation(event["op"]), event["op"], event["tid"]
        self._look("CompletedOnce")
        if found.begun:
            return Refusal("CompletedOnce", f"onComplete of operation {number} runs once more")
        if self.recorded("force_cas") and found.winner != tid:
            who = f"thread {found.winner} has" if found.winner else "no thread has"
            return Refusal(
                "CompletedOnce",
                f"thread {tid} runs onComplete of operation {number}, and {who} completed it",
            )
        if found.task and not found.cancelled and self.recorded("cancel"):
            return Refusal(
                "CompletesOnce",
                f"onComplete of operation {number} begins before its timer task is cancelled",
            )
        if found.protocol == "Blocking":
            self._look("TryExcludesComplete")
            other = next(
                (
                    name
                    for name, each in self.threads.items()
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

    def _on_complete_end(self, event: Step, thread: Any) -> Refusal | None:
        self._look("CompletesOnce")
        if self.recorded("on_complete_begin") and (
            not thread.inside or thread.inside[-1] != ("complete", event["op"])
        ):
            return Refusal(
                "CompletesOnce",
                f"onComplete of operation {event['op']} ends, and thread {event['tid']} is "
                f"{where(thread)}",
            )
        return None

    def _cancel_of(self, event: Step) -> Refusal | None:
        """The cancel of an operation's timer task: by who completed it, once, before onComplete."""
        found, number, tid = self.operation(event["op"]), event["op"], event["tid"]
        if not self.recorded("force_cas"):
            return None
        self._look("CompletedOnce")
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

    def _on_expire(self, event: Step, thread: Any) -> Refusal | None:
        found, number, tid = self.operation(event["op"]), event["op"], event["tid"]
        self._look("ExpiredByTimeoutOnly")
        if found.expired:
            return Refusal("TypeOK", f"operation {number} expires a second time")
        if self.recorded("force_cas"):
            if found.winner != tid:
                who = f"thread {found.winner}" if found.winner else "no thread"
                return Refusal(
                    "ExpiredByTimeoutOnly",
                    f"thread {tid} runs onExpiration of operation {number}, which {who} has "
                    "completed",
                )
            if found.cause not in ("", "expiry"):
                return Refusal(
                    "ExpiredByTimeoutOnly",
                    f"onExpiration of operation {number} runs, which {found.cause} has completed, "
                    "not its timeout",
                )
        if self.recorded("on_complete_end") and not found.ended:
            return Refusal(
                "ExpiredByTimeoutOnly",
                f"onExpiration of operation {number} runs before its onComplete has ended",
            )
        return None

    def _thread_stop(self, event: Step, thread: Any) -> Refusal | None:
        if thread.inside:
            return Refusal(
                _UNENDED.get(thread.inside[-1][0], "BracketCloses"),
                f"thread {event['tid']} ends, and is {where(thread)}",
            )
        return next(self._unfinished(event["tid"]), None) or self._left_with(event["tid"])

    def _unfinished(self, tid: int) -> Iterator[Refusal]:
        """What the thread has not done for the operations that it has completed, the last one that
        is known first: what led there is not far."""
        for number, found in reversed(self.operations.items()):
            if found.winner != tid:
                continue
            if not found.begun and self.recorded("on_complete_begin"):
                yield Refusal(
                    "CompletesOnce",
                    f"thread {tid} has completed operation {number}, and does not run its "
                    "onComplete",
                    number,
                )
            elif (
                found.cause == "expiry"
                and found.ended
                and not found.expired
                and self.recorded("on_expire")
            ):
                yield Refusal(
                    "TimeoutExpires",
                    f"operation {number} was completed by its timeout, and its onExpiration does "
                    "not run",
                    number,
                )

    def forgotten(self) -> Iterator[Refusal]:
        """What is wrong at the end of a whole trace."""
        for number, found in self.operations.items():
            if found.pending and not found.completed and found.protocol == "TryPending":
                yield Refusal(
                    "NoLostCompletion",
                    f"operation {number} is open at the end, with a note that no thread has seen",
                )
        for tid in {found.winner for found in self.operations.values()} - {0}:
            yield from self._unfinished(tid)

    # -- what each kind does

    def _take_operation(self, event: Step, thread: Any) -> None:
        kind, tid = event["k"], event["tid"]
        if kind != "lock_wait":
            thread.duty = None
        if kind == "lock_release":
            self.lets_go = True
            self._let_go(event, thread)
        thread.stopped = kind == "thread_stop"
        if kind == "cancel" and "op" in event:
            self.operation(event["op"]).cancelled = True
        if kind not in KINDS:
            return
        number = event["op"]
        found = self.operation(number)
        if kind == "op_new":
            found.completed = False
        elif kind == "try_begin":
            self._take_attempt(event, thread, found)
        elif kind == "try_end":
            _leave(thread, ("try", number))
            found.tried = found.tried and found.winner != tid
        elif kind in ("pending_set", "pending_getset"):
            before, found.pending = (
                event.get("pre", {}).get("pending", found.pending),
                event.get("post", {}).get("pending", kind == "pending_getset"),
            )
            found.cleared += not found.pending
            if kind == "pending_getset" and before is False and self.recorded("try_begin"):
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
            if self.recorded("on_complete_end"):
                thread.inside.append(("complete", number))
        elif kind == "on_complete_end":
            found.ended += event.get("res") != "raised"
            _leave(thread, ("complete", number))
        elif kind == "on_expire":
            found.expired += 1


def _leave(thread: Any, bracket: tuple[str, int]) -> None:
    if bracket in thread.inside:
        thread.inside.remove(bracket)
