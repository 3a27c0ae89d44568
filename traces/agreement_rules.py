"""The rules of what an event says beside its step: that it agrees with itself, and with what other
events say of the same objects.

They are the part of ``rules.TimerState`` checked last, for every kind: an id keeps its task, a
bucket its place, and a clock its time. Each needs columns that an event may leave out, and checks
nothing without them.
"""

from __future__ import annotations

from typing import Any

from traces.events import Refusal, Step, observed
from traces.schema import NONE


class AgreementRules:
    """``places``: list -> (level, slot), as far as they were named; ``levels``: those that were
    made in the trace; ``tasks_of``: operation -> its task; ``won_inside``: operations that were
    completed inside their tryCompleteElseWatch."""

    kinds: frozenset[str] | None
    tick_ms: int | None
    wheel_size: int | None
    timer: int
    task_of: dict[int, int]
    published: set[tuple[int, int] | str]
    places: dict[int, tuple[int | None, int | None]]
    levels: set[tuple[int, int]]
    tasks_of: dict[int, int]
    won_inside: set[tuple[int, int]]

    @property
    def wheel_ms(self) -> int | None:
        raise NotImplementedError

    def recorded(self, kind: str) -> bool:
        raise NotImplementedError

    def _look(self, name: str) -> None:
        raise NotImplementedError

    def named(self, kind: str) -> bool:
        """The header says that events of this kind are in the trace, by name."""
        return self.kinds is not None and kind in self.kinds

    # -- what is checked

    def _agrees(self, event: Step, thread: Any) -> Refusal | None:
        return (
            self._keeps_task(event)
            or self._keeps_place(event)
            or self._at_clock(event)
            or self._as_requested(event, thread)
            or self._as_placed(event, thread)
            or self._as_published(event)
            or self._as_tried(event)
        )

    def _keeps_task(self, event: Step) -> Refusal | None:
        """An entry is one of one task, and an operation is one task."""
        task = event.get("task")
        if task is None:
            return None
        entries = {event["entry"]} if "entry" in event else set()
        entries |= {
            seen
            for part in observed(event)
            if (seen := part.get("entry")) and event["k"] in ("set_entry", "cancel")
        }
        for entry in sorted(entries):
            self._look("TypeOK")
            if self.task_of.get(entry, task) != task:
                return Refusal(
                    "TypeOK",
                    f"entry {entry} is one of task {self.task_of[entry]}, and here of task "
                    f"{task}: an entry keeps its task",
                )
        if "op" in event:
            self._look("TypeOK")
            if self.tasks_of.get(event["op"], task) != task:
                return Refusal(
                    "TypeOK",
                    f"operation {event['op']} has the task {self.tasks_of[event['op']]}, and here "
                    f"the task {task}",
                )
        return None

    def _keeps_place(self, event: Step) -> Refusal | None:
        """A bucket is in one slot of one level."""
        bucket = event.get("list")
        if bucket is None or bucket not in self.places:
            return None
        self._look("TypeOK")
        for name, here, known in zip(
            ("level", "slot"),
            (event.get("level"), event.get("bucket")),
            self.places[bucket],
            strict=True,
        ):
            if here is not None and known is not None and here != known:
                return Refusal(
                    "TypeOK", f"list {bucket} has the {name} {known}, and here the {name} {here}"
                )
        return None

    def _at_clock(self, event: Step) -> Refusal | None:
        """Who is inside the timer's lock sees the wheel's clock where the last advance has put it,
        or that of its level."""
        seen = event.get("wheel_ms")
        if (
            seen is None
            or event["k"] not in ("wheel_place", "wheel_reject", "expire_submit")
            or self.wheel_ms is None
            or not self.named("clock_advance")
            or not self.tick_ms
            or not self.wheel_size
            or not any(token[0] == "RW" for token in event.get("ord", ()))
        ):
            return None
        self._look("ClockObserved")
        tick = self.tick_ms * self.wheel_size ** (event.get("level", 1) - 1)
        lowest = self.wheel_ms - self.wheel_ms % self.tick_ms
        if seen in (self.wheel_ms, lowest, lowest - lowest % tick):
            return None
        return Refusal(
            "ClockObserved",
            f"{event['k']} sees the wheel's clock at {seen} ms, and it is {self.wheel_ms} ms",
        )

    def _as_requested(self, event: Step, thread: Any) -> Refusal | None:
        """An entry is made for the task that the thread was handed, and its deadline is the clock
        that was read and the delay."""
        if event["k"] != "entry_new":
            return None
        task, deadline = event.get("task"), event.get("exp_ms")
        if not self.named("add_request"):
            return None
        self._look("DeadlineOfDelay")
        handed, now, delay = thread.request
        if handed != task:
            return Refusal(
                "DeadlineOfDelay",
                f"an entry is made for task {task}, and the thread was handed "
                f"{f'task {handed}' if handed else 'none'} last",
            )
        if None not in (now, delay, deadline) and deadline != now + delay:
            return Refusal(
                "DeadlineOfDelay",
                f"entry {event['entry']} is due at {deadline} ms, and its task was handed over at "
                f"{now} ms with a delay of {delay} ms",
            )
        return None

    def _as_placed(self, event: Step, thread: Any) -> Refusal | None:
        """Who has chosen a bucket for an entry links it there."""
        if event["k"] != "list_add" or thread.placed[0] != event["entry"] or not thread.placed[1]:
            return None
        self._look("LinkedIntoPlaced")
        if thread.placed[1] == event["list"]:
            return None
        return Refusal(
            "LinkedIntoPlaced",
            f"entry {event['entry']} is linked into list {event['list']}, and the wheel chose "
            f"list {thread.placed[1]}",
        )

    def _as_published(self, event: Step) -> Refusal | None:
        """A level that was made in the trace takes entries once it was published."""
        level = event.get("level", 1)
        if (
            event["k"] != "wheel_place"
            or level == 1
            or (self.timer, level) not in self.levels
            or not self.named("overflow_create")
        ):
            return None
        self._look("SafePublication")
        if (self.timer, level) in self.published:
            return None
        return Refusal(
            "SafePublication", f"an entry is placed in level {level}, which no thread has published"
        )

    def _as_tried(self, event: Step) -> Refusal | None:
        """tryCompleteElseWatch says true where its thread has completed the operation inside it."""
        if event["k"] != "try_watch_end" or event.get("res") != "false":
            return None
        if (event["tid"], event["op"]) in self.won_inside:
            return Refusal(
                "CompletesOnce",
                f"tryCompleteElseWatch says that thread {event['tid']} has not completed "
                f"operation {event['op']}, and it has",
            )
        return None

    # -- what each event tells

    def _take_agreement(self, event: Step, thread: Any) -> None:
        kind = event["k"]
        if "task" in event:
            for part in observed(event):
                if kind in ("set_entry", "cancel") and (seen := part.get("entry")):
                    self.task_of.setdefault(seen, event["task"])
            if "op" in event:
                self.tasks_of.setdefault(event["op"], event["task"])
        if "list" in event and kind != "checkpoint":
            level, slot = self.places.get(event["list"], (None, None))
            self.places[event["list"]] = (
                event.get("level") if level is None else level,
                event.get("bucket") if slot is None else slot,
            )
        if kind == "add_request":
            thread.request = event.get("task", NONE), event.get("now_ms"), event.get("delay_ms")
        elif kind == "entry_new":
            thread.request = NONE, None, None
        elif kind == "wheel_place":
            thread.placed = event["entry"], event.get("list", NONE)
        elif kind == "list_add":
            thread.placed = NONE, NONE
        elif kind == "wheel_new" and "level" in event:
            self.levels.add((self.timer, event["level"]))
        elif (
            kind == "force_cas"
            and event.get("res") == "true"
            and ("watch", event["op"]) in thread.inside
        ):
            self.won_inside.add((event["tid"], event["op"]))
