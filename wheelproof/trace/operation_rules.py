"""The rules of delayed operations: the part of ``rules.TimerState`` that is about who completes an operation, and who must look at it again.

What is asked is what the model says at the grain of events. That no completion is lost is asked as what a thread owes: who did not get the lock leaves a note
(P5), who left the first one tries again, who lets the lock go while there is a note tries again (P4), and a note is cleared only before tryComplete (P2). A
thread that does anything else next has lost the completion, unless the operation is completed by then or somebody else has taken the note. With ``TryOnce``
nothing is owed: who brought a condition is not in a trace, and that protocol loses completions.
"""
from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from wheelproof.trace.events import Event, Refusal, last_lock

KINDS = frozenset(("op_new", "try_begin", "try_end", "pending_set", "pending_getset", "force_cas", "on_complete_begin", "on_complete_end", "on_expire"))
"""The kinds of an operation that these rules know; those of its watchers are the pipeline's."""

_OWED = {"note": "did not get the lock, and leaves no note", "again": "has left the first note, and does not try again",
         "look": "has let the lock go while there was a note, and does not try again"}


class Operation:
    """One operation. ``completed`` and ``pending`` are None while nothing is known of them; ``cleared`` counts how often its note was taken away."""

    __slots__ = ("protocol", "completed", "pending", "winner", "cause", "begun", "ended", "expired", "cleared")
    DEFAULTS: Mapping[str, Any] = {"protocol": "", "completed": None, "pending": None, "winner": 0, "cause": "", "begun": 0, "ended": 0, "expired": 0, "cleared": 0}

    def __init__(self, **known: Any) -> None:
        for name, value in {**self.DEFAULTS, **known}.items():
            setattr(self, name, value)

    def data(self) -> dict[str, Any]:
        """As a header's ``initial`` has it."""
        return {name: value for name, default in self.DEFAULTS.items() if (value := getattr(self, name)) != default}


class OperationRules:
    """``operations``: by id. ``variant``: the protocol of those that the header's ``initial`` does not tell of."""

    operations: dict[int, Operation]
    variant: str
    threads: dict[int, Any]
    holder: dict[str, int]

    def recorded(self, kind: str) -> bool:
        raise NotImplementedError

    def _look(self, name: str) -> None:
        raise NotImplementedError

    def _judges_of_operations(self) -> dict[str, Callable[[Event, Any], Refusal | None]]:
        return {"op_new": self._op_new, "try_begin": self._try_begin, "try_end": self._try_end, "pending_set": self._pending_set,
                "pending_getset": self._pending_getset, "force_cas": self._force_cas, "on_complete_begin": self._on_complete_begin,
                "on_complete_end": self._on_complete_end, "on_expire": self._on_expire, "thread_stop": self._thread_stop}

    def operation(self, number: int) -> Operation:
        found = self.operations.get(number)
        if found is None:
            found = self.operations[number] = Operation(protocol=self.variant)
        return found

    # -- what a thread owes

    def _owed(self, event: Event, thread: Any) -> Refusal | None:
        """Why the thread may not do this now: it has left an operation without anybody who looks."""
        if thread.duty is None or event["k"] == "lock_wait":
            return None
        what, number, cleared = thread.duty
        found = self.operations[number]
        if found.completed or what == "look" and found.cleared != cleared:
            return None
        self._look("NoLostCompletion")
        if event.get("op") == number and event["k"] == ("pending_getset" if what == "note" else "try_begin"):
            return None
        return Refusal("NoLostCompletion", f"thread {event['tid']} {_OWED[what]}: nobody looks at operation {number} for what it brought")

    # -- what is asked of each kind

    def _op_new(self, event: Event, thread: Any) -> Refusal | None:
        self._look("TypeOK")
        if event["op"] in self.operations:
            return Refusal("TypeOK", f"operation {event['op']} is made, and is there already")
        return None

    def _try_begin(self, event: Event, thread: Any) -> Refusal | None:
        found, number = self.operation(event["op"]), event["op"]
        seen, comes = event.get("pre", {}).get("completed"), event.get("res") != "false"
        if found.protocol != "Blocking" or found.completed is None:
            return None
        self._look("TryExcludesComplete")
        if found.completed and comes or seen is not None and seen != found.completed:
            return Refusal("TryExcludesComplete", f"an attempt finds operation {number} {'open' if comes else 'completed'}, and it is "
                                                  f"{'completed' if found.completed else 'open'}")
        return None

    def _try_end(self, event: Event, thread: Any) -> Refusal | None:
        found, number = self.operation(event["op"]), event["op"]
        if found.protocol == "Blocking" and self.recorded("try_begin"):
            self._look("TryExcludesComplete")
            if number not in thread.tries and found.completed:
                return Refusal("TryExcludesComplete", f"tryComplete was evaluated on operation {number}, which was completed before")
        if event.get("res") == "true" and self.recorded("force_cas"):
            self._look("CompletesOnce")
            if found.winner != event["tid"]:
                return Refusal("CompletesOnce", f"tryComplete says that thread {event['tid']} has completed operation {number}, and it has not")
        return None

    def _noted(self, event: Event, found: Operation) -> Refusal | None:
        seen = event.get("pre", {}).get("pending")
        self._look("NoLostCompletion")
        if seen is None or found.pending is None or seen == found.pending:
            return None
        return Refusal("NoLostCompletion", f"{event['k']} finds {'a' if seen else 'no'} note on operation {event['op']}, and there is {'one' if found.pending else 'none'}")

    def _pending_set(self, event: Event, thread: Any) -> Refusal | None:
        found, number = self.operation(event["op"]), event["op"]
        if refusal := self._noted(event, found):
            return refusal
        wipes = event.get("pre", {}).get("pending") and not event.get("post", {}).get("pending", False)
        if wipes and not found.completed and self.recorded("try_begin") and number not in thread.tries:
            return Refusal("NoLostCompletion", f"thread {event['tid']} takes the note off operation {number} after tryComplete: nobody looks for what it stands for")
        return None

    def _pending_getset(self, event: Event, thread: Any) -> Refusal | None:
        return self._noted(event, self.operation(event["op"]))

    def _force_cas(self, event: Event, thread: Any) -> Refusal | None:
        found, number = self.operation(event["op"]), event["op"]
        won, seen = event.get("res") == "true", event.get("pre", {}).get("completed")
        self._look("CompletedOnce")
        if won and found.completed:
            return Refusal("CompletedOnce", f"operation {number} is completed once more, by thread {event['tid']}")
        if won and found.protocol == "Blocking":
            self._look("TryExcludesComplete")
            if "oseq" not in event:
                return Refusal("TryExcludesComplete", f"thread {event['tid']} completes operation {number} without its lock: a tryComplete may run beside onComplete")
        if not won and found.completed is False:
            return Refusal("CompletesOnce", f"thread {event['tid']} does not complete operation {number}, which is open")
        if seen is not None and found.completed is not None and seen != found.completed:
            return Refusal("CompletedOnce", f"operation {number} is found {'completed' if seen else 'open'}, and it is {'completed' if found.completed else 'open'}")
        return None

    def _on_complete_begin(self, event: Event, thread: Any) -> Refusal | None:
        found, number, tid = self.operation(event["op"]), event["op"], event["tid"]
        self._look("CompletedOnce")
        if found.begun:
            return Refusal("CompletedOnce", f"onComplete of operation {number} runs once more")
        if self.recorded("force_cas") and found.winner != tid:
            who = f"thread {found.winner} has" if found.winner else "nobody has"
            return Refusal("CompletedOnce", f"thread {tid} runs onComplete of operation {number}, and {who} completed it")
        if found.protocol == "Blocking":
            self._look("TryExcludesComplete")
            other = next((name for name, each in self.threads.items() if name != tid and number in each.tries), None)
            if other is not None:
                return Refusal("TryExcludesComplete", f"onComplete of operation {number} begins while thread {other} is in its tryComplete")
        return None

    def _on_complete_end(self, event: Event, thread: Any) -> Refusal | None:
        found = self.operation(event["op"])
        self._look("CompletesOnce")
        if self.recorded("on_complete_begin") and found.begun <= found.ended:
            return Refusal("CompletesOnce", f"onComplete of operation {event['op']} ends, and has not begun")
        return None

    def _on_expire(self, event: Event, thread: Any) -> Refusal | None:
        found, number, tid = self.operation(event["op"]), event["op"], event["tid"]
        self._look("ExpiredByTimeoutOnly")
        if found.expired:
            return Refusal("TypeOK", f"operation {number} expires a second time")
        if self.recorded("force_cas"):
            if found.winner != tid:
                who = f"thread {found.winner}" if found.winner else "nobody"
                return Refusal("ExpiredByTimeoutOnly", f"thread {tid} runs onExpiration of operation {number}, which {who} has completed")
            if found.cause not in ("", "expiry"):
                return Refusal("ExpiredByTimeoutOnly", f"onExpiration of operation {number} runs, which {found.cause} has completed, not its timeout")
        if self.recorded("on_complete_end") and not found.ended:
            return Refusal("ExpiredByTimeoutOnly", f"onExpiration of operation {number} runs before its onComplete has ended")
        return None

    def _thread_stop(self, event: Event, thread: Any) -> Refusal | None:
        return next(self._unfinished(event["tid"]), None)

    def _unfinished(self, tid: int) -> Iterator[Refusal]:
        """What the thread has not done for the operations that it has completed."""
        for number, found in self.operations.items():
            if found.winner != tid:
                continue
            if not found.begun and self.recorded("on_complete_begin"):
                yield Refusal("CompletesOnce", f"thread {tid} has completed operation {number}, and does not run its onComplete")
            elif found.cause == "expiry" and found.ended and not found.expired and self.recorded("on_expire"):
                yield Refusal("TimeoutExpires", f"operation {number} was completed by its timeout, and its onExpiration does not run")

    def forgotten(self) -> Iterator[Refusal]:
        """What is wrong at the end of a whole trace."""
        for number, found in self.operations.items():
            if found.pending and not found.completed and found.protocol == "TryPending":
                yield Refusal("NoLostCompletion", f"operation {number} is open at the end, with a note that nobody has seen")
        for tid in {found.winner for found in self.operations.values()} - {0}:
            yield from self._unfinished(tid)

    # -- what each kind does

    def _take_operation(self, event: Event, thread: Any) -> None:
        kind, tid = event["k"], event["tid"]
        if kind != "lock_wait":
            thread.duty = None
        if kind == "lock_release":
            self._let_go(event, thread)
        if kind not in KINDS:
            return
        number = event["op"]
        found = self.operation(number)
        if kind == "op_new":
            found.completed = False
        elif kind == "try_begin":
            if event.get("res") != "false":
                thread.tries.append(number)
                lock = last_lock(event)
                if lock == f"op:{number}" and self.recorded("lock_release"):
                    self.holder[lock] = tid
            elif found.protocol == "TryPending" and self.recorded("pending_getset"):
                thread.duty = "note", number, found.cleared
        elif kind == "try_end":
            if number in thread.tries:
                thread.tries.remove(number)
        elif kind in ("pending_set", "pending_getset"):
            before, found.pending = event.get("pre", {}).get("pending", found.pending), event.get("post", {}).get("pending", kind == "pending_getset")
            found.cleared += not found.pending
            if kind == "pending_getset" and before is False and self.recorded("try_begin"):
                thread.duty = "again", number, found.cleared
        elif kind == "force_cas":
            if event.get("res") == "true":
                found.winner, found.cause = tid, event.get("cause", "")
            found.completed = True
        elif kind == "on_complete_begin":
            found.begun += 1
        elif kind == "on_complete_end":
            found.ended += event.get("res") != "raised"
            found.begun = max(found.begun, found.ended)
        elif kind == "on_expire":
            found.expired += 1

    def _let_go(self, event: Event, thread: Any) -> None:
        kind, _, number = (last_lock(event) or "").partition(":")
        if kind != "op" or not number.isdigit() or not self.recorded("try_begin"):
            return
        found = self.operations.get(int(number))
        if found is not None and found.protocol == "TryPending" and found.pending and not found.completed:
            thread.duty = "look", int(number), found.cleared
