"""The rules of lists and tasks: the part of ``rules.TimerState`` that is about entries.

They check links, unlinks, checks and hand-overs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from traces.events import Refusal, Step, counter_of
from traces.schema import NONE, NOT_QUEUED
from traces.thread_state import ThreadState


class ListRules:
    """``rings``: list -> its entries, head first; ``where``: entry -> the list that has it;
    ``linked_at``: entry -> the clock of its last link. ``entry_of``: task -> its entry.
    ``counters``: by name. ``handed``: entries that the executor has taken and not run;
    ``runs_named``: a run of a task has named its entry.
    """

    rings: dict[int, dict[int, None]]
    where: dict[int, int]
    linked_at: dict[int, int]
    entry_of: dict[int, int]
    counters: dict[str, int]
    keys: dict[int, int]
    handed: dict[int, None]
    runs_named: bool
    tick_ms: int | None
    _over: Callable[[Step], Refusal | None]
    _cancel_of: Callable[[Step], Refusal | None]
    _taken: Callable[[Step], Refusal | None]

    @property
    def wheel_ms(self) -> int | None:
        raise NotImplementedError

    def recorded(self, kind: str) -> bool:
        raise NotImplementedError

    def _look(self, name: str) -> None:
        raise NotImplementedError

    def _judges_of_lists(self) -> dict[str, Callable[[Step, Any], Refusal | None]]:
        return {
            "list_add": self._list_add,
            "list_remove": self._list_remove,
            "list_add_retry": self._list_add_retry,
            "cancel_check": self._cancel_check,
            "expire_submit": self._expire_submit,
            "cancel": self._cancel,
            "set_entry": self._set_entry,
            "flush_begin": self._flush_begin,
            "flush_end": self._flush_end,
            "task_run": self._task_run,
        }

    def _list_add(self, event: Step, thread: ThreadState) -> Refusal | None:
        entry, bucket = event["entry"], event["list"]
        here = self.where.get(entry, NONE)
        self._look("AtMostOneList")
        if here == bucket:
            return Refusal(
                "RingWellFormed",
                f"entry {entry} is linked into list {bucket}, which has it already",
            )
        # where the entry's monitor is held, who links it could see that it is in another ring, and
        # tears it out of that
        if here and "eseq" in event:
            return Refusal(
                "RingWellFormed",
                f"entry {entry} is linked into list {bucket} by a thread that has its monitor,"
                f" while list {here} has it: that ring is broken",
            )
        if here:
            return Refusal(
                "AtMostOneList",
                f"entry {entry} is linked into list {bucket} while list {here} has it",
            )
        if self.recorded("cancel_check") and (thread.flushes or thread.checked == (entry, True)):
            self._look("CancelWins")
            if not thread.flushes:
                return Refusal(
                    "CancelWins",
                    f"entry {entry}, whose task was found cancelled, is put into list {bucket}",
                )
            if thread.checked != (entry, False):
                what = (
                    "whose task was found cancelled"
                    if thread.checked == (entry, True)
                    else "that was not checked"
                )
                return Refusal(
                    "CancelWins", f"a flush puts entry {entry}, {what}, into list {bucket}"
                )
        if refusal := self._over(event):
            return refusal
        return self._counted(event, 1)

    def _list_add_retry(self, event: Step, thread: ThreadState) -> Refusal | None:
        """Who tries again has seen, with the entry's monitor held, that a list has the entry."""
        seen, entry = event.get("pre", {}).get("list"), event["entry"]
        if seen is None or "eseq" not in event:
            return None
        self._look("ExactlyItsList")
        if seen != self.where.get(entry, NONE):
            return Refusal(
                "ExactlyItsList",
                f"entry {entry} is found in list {seen or 'none'}, and list"
                f" {self.where.get(entry) or 'none'} has it",
            )
        return None

    def _list_remove(self, event: Step, thread: ThreadState) -> Refusal | None:
        entry, bucket = event["entry"], event["list"]
        here = self.where.get(entry, NONE)
        self._look("ExactlyItsList")
        if not here:
            left = event.get("post", {}).get("counter", 0)
            name = "TypeOK" if left < 0 else "CounterExact"
            return Refusal(
                name,
                f"entry {entry} is taken out of list {bucket}, and no list has it"
                + (f": the counter is {left}" if left < 0 else ""),
            )
        if here != bucket and event.get("post", {}).get("list") == here:
            return Refusal(
                "CounterExact",
                f"entry {entry} is counted out of list {bucket}, and stays where it is, in list"
                f" {here}",
            )
        if here != bucket:
            return Refusal(
                "RingWellFormed",
                f"entry {entry} is taken out of list {bucket}, and list {here} has it: that ring is"
                " changed without its monitor",
            )
        if event.get("cause") == "flush":
            if refusal := self._handed_on(thread):
                return refusal
            self._look("RingWellFormed")
            if "exp_ms" in event and self.keys.get(bucket, NOT_QUEUED) != NOT_QUEUED:
                self._look("KeyBeforeDeadline")
                if self.keys[bucket] > event["exp_ms"]:
                    return Refusal(
                        "KeyBeforeDeadline",
                        f"entry {entry}, due at {event['exp_ms']} ms, is in list {bucket}, whose"
                        f" key is {self.keys[bucket]} ms",
                    )
            head = next(iter(self.rings[bucket]))
            if head != entry:
                return Refusal(
                    "RingWellFormed",
                    f"a flush of list {bucket} takes entry {entry}, and entry {head} is its head",
                )
        return self._counted(event, -1)

    def _counted(self, event: Step, delta: int) -> Refusal | None:
        seen = event.get("post", {}).get("counter")
        name = counter_of(event)
        if seen is None or name is None:
            return None
        self._look("CounterExact")
        if name in self.counters and self.counters[name] + delta != seen:
            return Refusal(
                "CounterExact",
                f"{name} is {seen} after {event['k']}, and was {self.counters[name]} before",
            )
        return Refusal("TypeOK", f"{name} is {seen}") if seen < 0 else None

    def _cancel_check(self, event: Step, thread: ThreadState) -> Refusal | None:
        task, entry = event["task"], event["entry"]
        self._look("CancelWins")
        if task not in self.entry_of:
            return None
        current = self.entry_of[task]
        seen = event.get("pre", {}).get("entry")
        if seen is not None and seen != current:
            return Refusal(
                "CancelWins",
                f"a check reads entry {seen} of task {task}, and its entry is {current or 'none'}",
            )
        if "res" in event and event["res"] != ("false" if current == entry else "true"):
            found = "cancelled" if event["res"] == "true" else "live"
            return Refusal(
                "CancelWins",
                f"a check finds entry {entry} {found}, and its task's entry is {current or 'none'}",
            )
        return None

    def _expire_submit(self, event: Step, thread: ThreadState) -> Refusal | None:
        entry, emptied = event["entry"], event.get("cause") == "shutdown"
        if emptied and thread.hand != entry:
            return Refusal(
                "RunsOncePerAdd",
                f"entry {entry} is handed over because the timer is emptied, by a thread that has"
                " not taken it out of a list",
            )
        if self.recorded("cancel_check") and not emptied:
            self._look("CancelWins")
            if thread.checked != (entry, False):
                what = (
                    "whose task was found cancelled"
                    if thread.checked == (entry, True)
                    else "that was not checked"
                )
                again = (
                    " once more"
                    if thread.fired == entry and thread.checked != (entry, True)
                    else ""
                )
                return Refusal("CancelWins", f"entry {entry}, {what}{again}, is handed over{again}")
        here = self.where.get(entry, NONE)
        if here and self.recorded("list_remove"):
            self._look("FiredOnce")
            if any(bucket == here for _, bucket in thread.flushes):
                return Refusal(
                    "CounterExact",
                    f"entry {entry} is handed over by a flush, and was not counted out of list"
                    f" {here}",
                )
            return Refusal(
                "FiredOnce",
                f"entry {entry} is handed over while list {here} has it, which will hand it over"
                " again",
            )
        if "exp_ms" in event and self.wheel_ms is not None and self.tick_ms and not emptied:
            self._look("NotEarly")
            if event["exp_ms"] >= self.wheel_ms + self.tick_ms:
                return Refusal(
                    "NotEarly",
                    f"entry {entry}, due at {event['exp_ms']} ms, is handed over while the wheel's"
                    f" clock is {self.wheel_ms} ms",
                )
        if thread.flushes:
            self._look("RunsOncePerAdd")
            if thread.hand != entry:
                return Refusal(
                    "RunsOncePerAdd",
                    f"entry {entry} is handed over by a flush that has not taken it out of a list",
                )
        return None

    def _task_run(self, event: Step, thread: ThreadState) -> Refusal | None:
        entry = event.get("entry")
        if entry is None or not self.recorded("expire_submit"):
            return self._taken(event)
        self._look("RunsOncePerAdd")
        self._look("HandedOverRuns")
        if entry in self.handed:
            return None
        return Refusal(
            "RunsOncePerAdd",
            f"entry {entry} runs, and was not handed over since it was made, or ran already",
        )

    def _cancel(self, event: Step, thread: ThreadState) -> Refusal | None:
        return (self._cancel_of(event) if "op" in event else self._was(event)) or self._unlinked(
            event, thread
        )

    def _unlinked(self, event: Step, thread: ThreadState) -> Refusal | None:
        """Who clears a task's entry has taken it out of its list.

        A link that comes after the thread has looked is another matter: a flush puts it there.
        """
        before = event.get("pre", {})
        entry = before.get("entry", self.entry_of.get(event["task"], NONE))
        seen = before.get("list")
        if not entry or not self.recorded("list_remove") or not self.recorded("list_add"):
            return None
        self._look("CancelUnlinks")
        bucket = self.where.get(entry, NONE)
        if seen or bucket and self.linked_at.get(entry, 0) < max(thread.lc, 1):
            return Refusal(
                "CancelUnlinks",
                f"the entry of task {event['task']} is cleared, and entry {entry} was not taken out"
                f" of list {seen or bucket} before",
            )
        return None

    def unrun(self) -> Iterator[Refusal]:
        """What the executor has taken and not run, at the end of a whole trace whose runs of tasks
        name their entries."""
        if not self.runs_named:
            return
        for entry in self.handed:
            yield Refusal(
                "HandedOverRuns", f"entry {entry} was handed over to the executor, and never runs"
            )

    def _set_entry(self, event: Step, thread: ThreadState) -> Refusal | None:
        return self._was(event)

    def _was(self, event: Step) -> Refusal | None:
        task = event["task"]
        seen = event.get("pre", {}).get("entry")
        if seen is not None and self.entry_of.get(task, seen) != seen:
            return Refusal(
                "CancelWins",
                f"{event['k']} finds entry {seen or 'none'} of task {task}, and its entry is"
                f" {self.entry_of[task] or 'none'}",
            )
        return None

    def _flush_begin(self, event: Step, thread: ThreadState) -> Refusal | None:
        return None

    def _flush_end(self, event: Step, thread: ThreadState) -> Refusal | None:
        if not thread.flushes or thread.flushes[-1] != (event["span"], event["list"]):
            return Refusal(
                "ExactlyItsList",
                f"a flush of list {event['list']} ends that the thread has not begun last",
            )
        if refusal := self._handed_on(thread):
            return refusal
        if left := self.rings.get(event["list"]):
            return Refusal(
                "RingWellFormed",
                f"a flush of list {event['list']} ends while entry {next(iter(left))} is its head",
            )
        return None

    def _handed_on(self, thread: ThreadState) -> Refusal | None:
        """A flush that has found an entry live puts it into a list or hands it over before it does
        anything else."""
        if not self.recorded("cancel_check") or not self.recorded("expire_submit"):
            return None
        self._look("EveryTimerFires")
        if thread.hand and thread.checked[0] != thread.hand:
            return Refusal(
                "EveryTimerFires",
                f"a flush has taken out entry {thread.hand}, and goes on without having checked it",
            )
        if thread.hand:
            return Refusal(
                "EveryTimerFires",
                f"a flush has taken out entry {thread.hand}, which is live, and hands it nowhere",
            )
        return None
