"""Recordings of Kafka's timers as runs of ``spec/SystemTimer.tla``: the programs of the threads,
and the events as ``kafka_timer.toml`` speaks of them.

A recorder sees the steps of threads. Their programs are inferred here, and so are the steps that
are one in the specification and two in Kafka. docs/trace-replay.md lists it all.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias, cast, overload

from traces import initial
from traces.events import Event, columns, observed, read
from wheelproof.protocols import Scenario
from wheelproof.trace.format.heads import Header
from wheelproof.trace.model.inferred import Item, Passing, Run

LONGEST = 10_000_000
"""Milliseconds that a run may take: each is a step of the model's clock."""

CLOCK = "time"
"""The thread of the program whose steps let time pass."""

ADDS, REAPS, RUNS = 0, 1, 2
ROLES = ("adder", "reaper", "executor")
"""The roles of a thread. One that is more than one of them is so many threads of the program: the
events have one order, and it keeps that of the thread."""

BESIDE = frozenset(
    (
        "thread_start",
        "thread_stop",
        "add_begin",
        "add_end",
        "entry_new",
        "bucket_new",
        "task_done",
        "fault",
        "op_new",
        "try_begin",
        "try_end",
        "force_cas",
        "on_complete_begin",
        "on_complete_end",
        "on_expire",
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
"""Kinds that are no step of a timer."""

MONITOR = {"flush_begin": "lock_acquire", "flush_end": "lock_release"}
"""A flush holds the monitor of its bucket from its first event to its last."""

DROPPED = frozenset(("timer", "span", "parent", "op", "ord", "eseq", "lseq", "oseq", "cause"))
"""Columns that the model's steps do not have."""

HIGHEST = 62
"""Levels of a wheel at most: the ticks of two buckets are 64 bits wide then."""

Part: TypeAlias = "slice[int | None, int | None, int | None]"


class Ticks(Sequence[list[str]]):
    """The clock's program: a tick, so often."""

    def __init__(self, length: int) -> None:
        self.length = length

    def __len__(self) -> int:
        return self.length

    @overload
    def __getitem__(self, number: int) -> list[str]: ...
    @overload
    def __getitem__(self, number: Part) -> Ticks: ...
    def __getitem__(self, number: int | Part) -> list[str] | Ticks:
        if isinstance(number, slice):
            return Ticks(len(range(self.length)[number]))
        if not 0 <= number < self.length:
            raise IndexError(number)
        return ["tick"]


@dataclass(frozen=True)
class Recorded:
    """One event. ``at``: its place among all; ``before``: that of its thread's event before it, -1
    for none."""

    at: int
    before: int
    line: int
    event: Event


def infer(header: Header, events: Sequence[tuple[int, Event]]) -> Iterator[Run]:
    """A run for each timer that is made in the events, in Kafka's order of steps."""
    timers: dict[int, list[Recorded]] = defaultdict(list)
    last: dict[int, int] = {}
    for at, (line, record) in enumerate(events):
        event = read(record)
        timers[event.get("timer", 0)].append(Recorded(at, last.get(event["tid"], -1), line, event))
        last[event["tid"]] = at
    for timer, records in timers.items():
        if any(record.event["k"] == "bucket_new" for record in records):
            run = _Timer(header, timer, records, last).run()
            if run is not None:
                yield run


class _Timer:
    """The knowledge of one timer while its events go by."""

    def __init__(
        self,
        header: Header,
        timer: int,
        events: list[Recorded],
        last: Mapping[int, int],
    ) -> None:
        self.header, self.timer, self.events, self.last = header, timer, events, last
        self.operations: dict[tuple[int, int], list[list[str | None]]] = defaultdict(list)
        self.items: list[tuple[int, int, Item]] = []  # place, rank there, item
        self.names: dict[int, str | int] = {}
        self.task_of: dict[str, str] = {}
        self.deadline: dict[str, int] = {}
        self.adding: dict[int, list[str | None]] = {}  # thread -> the operation of its open add
        self.requested: dict[int, Event] = {}  # thread -> the clock read of its open add
        self.reaping: set[int] = set()
        self.unlinking: dict[int, Recorded] = {}  # thread -> its unlink, before the word's write
        self.linked: dict[int, Recorded] = {}  # entry -> its last link, where it is linked
        self.outside: tuple[int, str] | None = None
        self.size = self.levels = 0
        self.start = self.clock = -1

    def run(self) -> Run | None:
        """The run; None where nothing happens to the timer."""
        self._measure()
        for record in self.events:
            if self.outside is not None:
                break
            self._take(record)
        for record in self.unlinking.values():
            self._unwritten(record)
        for tid, operation in self.adding.items():
            self._add_unfinished(operation, self.requested.get(tid))
        items = self._items_in_order()
        if not items and self.outside is None:
            return None
        threads = self._threads()
        program: Scenario = {
            "timer": "KafkaTimer",
            "wheel_size": self.size,
            "levels": self.levels,
            "task_of": self.task_of,
            "deadline": self.deadline,
            "threads": {
                **{threads[_number(*key)]: program for key, program in self.operations.items()},
                CLOCK: Ticks(self.clock - self.start),
            },
        }
        levels = range(1, self.levels + 1)
        name = str(self.header.get("names", {}).get(str(self.timer), "the timer"))
        return Run(
            f"{name} ({self.timer})" if self.timer else name,
            "SystemTimer",
            "kafka_timer",
            program,
            threads,
            self.names,
            {
                "now": self.start,
                "current": {
                    level: self.start - self.start % self.size ** (level - 1) for level in levels
                },
            },
            items,
            self.outside,
        )

    def _items_in_order(self) -> list[Item]:
        """The items in their order, without the cancels of tasks that this timer never gets."""
        tasks: set[object] = set(self.task_of.values())
        for program in self.operations.values():
            program[:] = [step for step in program if step[0] != "cancel" or step[1] in tasks]
        return [
            item
            for _, _, item in sorted(self.items, key=lambda item: item[:2])
            if not self._of_nothing(item, tasks)
        ]

    def _of_nothing(self, item: Item, tasks: set[object]) -> bool:
        """Whether it is the cancel of a task that the timer never gets, which finds no entry."""
        event = item.what
        return (
            not isinstance(event, Passing)
            and event["k"] == "cancel"
            and self.names[columns(event)["task"]] not in tasks
            and not observed(read(event))[0].get("entry")
        )

    def _measure(self) -> None:
        """The wheels: their size, how many levels were made, and when the clock begins."""
        config = self.header.get("config", {})
        buckets, tick = {}, config.get("tick_ms", 1)
        self.start = config.get("start_ms", -1)
        for record in self.events:
            event = record.event
            if event["k"] == "bucket_new":
                buckets[event["list"]] = event.get("level", 1), event.get("bucket", 0)
            elif event["k"] == "wheel_new" and event.get("level", 1) == 1:
                self.start = event.get("wheel_ms", self.start)
                tick = observed(event)[0].get("key_ms", tick)
        self.size = sum(level == 1 for level, _ in buckets.values())
        if self.size == 0 or max(level for level, _ in buckets.values()) > HIGHEST:
            self.outside = self.events[0].line, "its buckets are of no wheel that there can be"
            self.size, buckets = 1, {}
        # One level more than was made: an entry may be on its way there where the recording ends.
        self.levels = max((level for level, _ in buckets.values()), default=0) + 1
        self.names |= {
            bucket: (level - 1) * self.size + slot + 1 for bucket, (level, slot) in buckets.items()
        }
        self.clock = self.start
        if self.outside is not None:
            return
        line = self.events[0].line
        if self.start < 0:
            self.outside = line, "no event and no config says when the wheel's clock begins"
        elif len(set(buckets.values())) < len(buckets):
            self.outside = line, "two of its buckets are one slot"
        elif tick != 1:
            self.outside = line, f"the lowest wheel's tick is {tick} ms, and the model's is 1"
        elif any(initial.read(self.header.get("initial")).get("lists", {}).values()):
            self.outside = line, "it begins with entries in its lists"

    def _threads(self) -> dict[int, str]:
        """The threads of the program: one for each role of a recorded thread."""
        names = {int(tid): name for tid, name in self.header["threads"].items()}
        twice = {name for name, count in Counter(names.values()).items() if count > 1} | {CLOCK}
        roles: dict[int, list[int]] = defaultdict(list)
        for tid, role in self.operations:
            roles[tid].append(role)
        return {
            _number(tid, role): names.get(tid, "thread")
            + (f" {tid}" if names.get(tid, CLOCK) in twice else "")
            + (f" as {ROLES[role]}" if len(thread_roles) > 1 else "")
            for tid, thread_roles in roles.items()
            for role in thread_roles
        }

    # -- operations

    def _add_unfinished(self, operation: list[str | None], request: Event | None) -> None:
        """An add whose entry is made after the events end. Its clock read names its task."""
        cells: Event = request or cast(Event, {})
        task = f"t{cells['task']}" if request else "unknown"
        deadline = cells.get("now_ms", 0) + cells.get("delay_ms", 0)
        self._entry(operation, f"unknown {len(self.task_of)}", task, deadline)

    def _entry(self, operation: list[str | None], entry: str, task: str, deadline: int) -> None:
        if operation[1] is None:
            operation[1] = entry
            self.task_of[entry], self.deadline[entry] = task, deadline

    def _role(self, event: Event) -> int:
        """The thread's role in this event. Notes operations that begin."""
        tid, kind = event["tid"], event["k"]
        if kind == "task_run":
            role = RUNS
            self.operations[tid, role].append(["execute"])
        elif kind == "cancel":
            role = ADDS
            self.operations[tid, role].append(["cancel", f"t{event['task']}"])
        elif kind == "rw_acquire" and _reads(event):
            role = ADDS
            self.adding[tid] = ["add", None]
            self.operations[tid, role].append(self.adding[tid])
        elif kind in ("dq_poll", "rw_acquire") or tid in self.reaping:
            role = REAPS
            self.reaping.add(tid)
            self.operations.setdefault((tid, role), [["reap"]])
        else:
            role = ADDS
            self.operations.setdefault((tid, role), [])  # a thread without any takes no step
        return role

    # -- events

    def _take(self, record: Recorded) -> None:
        event = record.event
        kind, tid = event["k"], event["tid"]
        if kind == "entry_new":
            entry, task = f"e{event['entry']}", f"t{event['task']}"
            self.names |= {event["entry"]: entry, event["task"]: task}
            if tid in self.adding:
                self._entry(self.adding[tid], entry, task, event.get("exp_ms", 0))
        elif kind in ("add_request", "cancel"):
            self.names[event["task"]] = f"t{event['task']}"
            if kind == "add_request":
                self.requested[tid] = event
        if kind in BESIDE or kind == "wheel_new" and event.get("level", 1) == 1:
            return
        role = self._role(event)
        if kind == "list_remove" and role == ADDS:
            self.unlinking[tid] = record
            return
        if kind == "list_remove":
            self.linked.pop(event["entry"], None)
        elif kind == "list_add":
            self.linked[event["entry"]] = record
        elif kind in ("cancel", "set_entry"):
            self._word(record, role)
            return
        elif kind == "expire_submit" and event.get("res") == "raised":
            self.outside = record.line, "the executor refuses a task, and no event says since when"
            return
        if kind in ("dq_poll", "expire_submit") and "now_ms" in event:
            self._time(record, event["now_ms"])
            if self.outside is not None:
                return
        self._item(record.at, record.line, self._event_in_table(event, role))
        if kind == "rw_release":
            self.reaping.discard(tid)
            self.adding.pop(tid, None)
            self.requested.pop(tid, None)

    def _word(self, record: Recorded, role: int) -> None:
        """A task's word is written: one step with the unlink before it, where there was one.

        A thread that finds no list has the entry writes afterwards. Where another thread has linked
        the entry in between, the step was before that link.
        """
        old = observed(record.event)[0].get("entry", 0)
        unlink = self.unlinking.pop(record.event["tid"], None)
        if unlink is not None and (unlink.at, unlink.event["entry"]) == (record.before, old):
            self._item(unlink.at, unlink.line, self._joint_step(record.event, unlink.event, role))
            return
        if unlink is not None:
            self._unwritten(unlink)
        event = self._event_in_table(record.event, role)
        before = {**observed(event)[0]}
        before.pop("list", None)
        columns(event).update(pre=before, res="false")
        link = self.linked.get(old)
        if link is not None and link.at < record.before and initial.numbered_late(self.header):
            self.outside = (
                record.line,
                f"entry {old} was seen in no list before its unlink has a number: "
                "the model follows a recording whose header names list_remove in capture.before",
            )
        elif link is not None and link.at > record.before:
            self._item(link.at, record.line, event, -1)
        else:
            self._item(record.at, record.line, event)

    def _joint_step(self, word: Event, unlink: Event, role: int) -> Event:
        """The step that is an unlink and the write of a task's word."""
        self.linked.pop(unlink["entry"], None)
        (before, after), (_, unlink_after) = observed(word), observed(unlink)
        event = self._event_in_table(word, role)
        columns(event).update(pre={**before, "list": unlink["list"]}, res="true")
        columns(event)["post"] = {**unlink_after, **after}
        columns(event)["post"].pop("list", None)
        return event

    def _unwritten(self, unlink: Recorded) -> None:
        """An unlink after which the word's write does not come. Unless the thread has no event
        after it, that is no step of the model."""
        tid, event = unlink.event["tid"], self._event_in_table(unlink.event, ADDS)
        if self.last[tid] == unlink.at and "task" in event:
            word = {**columns(unlink.event)}
            for name in ("entry", "list", "exp_ms", "post"):
                word.pop(name, None)
            word |= {"k": "set_entry" if tid in self.adding else "cancel"}
            word |= {"pre": {"entry": unlink.event["entry"]}}
            if tid not in self.adding:
                self.operations[tid, ADDS].append(["cancel", f"t{event['task']}"])
            event = self._joint_step(cast(Event, word), unlink.event, ADDS)
        self._item(unlink.at, unlink.line, event)

    def _time(self, record: Recorded, now: int) -> None:
        if now > self.start + LONGEST:
            self.outside = record.line, f"it takes more than {LONGEST:,} ms"
        elif now > self.clock:
            passing = Passing(CLOCK, "C1", now - self.clock)
            self.items.append((record.at, -2, Item(record.line, passing)))
            self.clock = now

    def _item(self, at: int, line: int, event: Event, rank: int = 0) -> None:
        self.items.append((at, rank, Item(line, event)))

    def _event_in_table(self, event: Event, role: int) -> Event:
        """The event as the table has it."""
        kind = event["k"]
        cells = {name: value for name, value in columns(event).items() if name not in DROPPED}
        cells |= {"tid": _number(event["tid"], role), "k": MONITOR.get(kind, kind)}
        if kind in MONITOR:
            cells["phase"] = "atomic"
        elif kind in ("dq_offer", "expire_submit"):
            cells["res"] = "true"
        elif kind == "clock_advance":
            cells.setdefault("level", 1)
        elif kind == "add_request" and {"now_ms", "delay_ms"} <= cells.keys():
            cells["exp_ms"] = cells["now_ms"] + cells["delay_ms"]
        return cast(Event, cells)


def _number(tid: int, role: int) -> int:
    """The number of a thread of the program."""
    return tid * len(ROLES) + role


def _reads(event: Event) -> bool:
    """Whether a half of a read/write lock is the one for reading."""
    return any(token[0] == "RW" and token[3] == "r" for token in event.get("ord", ()))
