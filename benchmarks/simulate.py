"""A timer with a purgatory on a virtual clock, one step at a time: a source of conforming traces in
the full schema.

It is written from the algorithm, not from the rules, and knows no concurrency: threads take turns
at whole operations, so that the position of an event in the run is a Lamport clock. Every class of
event that the rules look at occurs, and so does every order token. At the end the timer is empty
and its clock has made whole turns of its coarsest wheel, so that runs can be put one after the
other.
"""

from __future__ import annotations

import heapq
import random
from collections import Counter
from typing import Any

from traces.schema import NOT_QUEUED
from wheelproof.trace.format.schema import MINOR, SCHEMA

Event = dict[str, Any]
Token = tuple[str, str, str]
"""Kind, id and mode: the number is given when the event is written."""

TICK_MS, WHEEL_SIZE, LEVELS = 2, 8, 3
TURN_MS = TICK_MS * WHEEL_SIZE**LEVELS
ADDERS, REAPER, EXECUTOR, EVENTS = (1, 2, 3, 4), 5, 6, (7, 8)
THREADS = {
    **{str(tid): f"adder-{tid}" for tid in ADDERS},
    str(REAPER): "reaper",
    str(EXECUTOR): "executor",
    **{str(tid): f"request-{tid}" for tid in EVENTS},
}
FIRST_LIST, FIRST_KEY, FIRST_ID = 1, 500, 1001
"""Ids of the lists and of the watched keys, which outlive a block of events; all others come from
FIRST_ID on."""

COUNTER, QUEUE, TIMER = ("V", "counter:1", "w"), ("L", "queue:2", "w"), "timer:3"


def header(run_id: str, threads: dict[str, str] = THREADS) -> dict[str, Any]:
    """The header of a trace that is made of this simulator's events."""
    return {
        "schema": SCHEMA,
        "schema_minor": MINOR,
        "run_id": run_id,
        "producer": {"name": "wheelproof.simulate", "lang": "Python"},
        "variant": "TryPending",
        "config": {"tick_ms": TICK_MS, "wheel_size": WHEEL_SIZE, "start_ms": 0, "levels": LEVELS},
        "clock": {"kind": "virtual", "virtual": True},
        "threads": threads,
        "capture": {"mode": "full"},
        "initial": {"lists": {}, "tasks": {}, "counters": {"counter:1": 0}},
    }


class Simulator:
    """``events`` after :meth:`run`: in the order of their Lamport clocks. ``period_ms``: whole
    turns of the coarsest wheel."""

    def __init__(self, seed: int, operations: int) -> None:
        self.random = random.Random(seed)
        self.operations = operations
        self.events: list[Event] = []
        self.numbers: Counter[str] = (
            Counter()
        )  # of a lock the last number, of a word the version, of a thread the last event
        self.next_id, self.spans = FIRST_ID, 0
        self.now = self.wheel = self.linked = 0
        self.keys: dict[int, int] = {}  # list -> key
        self.members: dict[int, list[int]] = {}  # list -> entries
        self.where: dict[int, int] = {}  # entry -> list
        self.deadline: dict[int, int] = {}
        self.owner: dict[int, int] = {}  # entry -> task
        self.operation: dict[int, int] = {}  # task -> op
        self.completed: set[int] = set()
        self.live: dict[int, int] = {}  # task -> entry
        self.watched: dict[int, int] = {}  # op -> key
        self.queue: list[tuple[int, int]] = []

    # -- what an event is

    def emit(self, tid: int, kind: str, *tokens: Token, **columns: Any) -> None:
        name = f"t {tid}"
        self.numbers[name] += 1
        event: Event = {
            "tid": tid,
            "tseq": self.numbers[name],
            "lc": len(self.events) + 1,
            "k": kind,
            "phase": columns.pop("phase", "atomic"),
            **columns,
        }
        written = []
        for what, who, mode in tokens:
            counted = f"{what} {who}"
            if what == "L" or mode in ("w", "cas+") and what == "V":
                self.numbers[counted] += 1
            written.append((what, who, self.numbers[counted], mode))
            for prefix, column in (("entry:", "eseq"), ("list:", "lseq"), ("op:", "oseq")):
                if what == "L" and who == f"{prefix}{event.get(prefix[:-1])}":
                    event[column] = self.numbers[counted]
        if written:
            event["ord"] = tuple(written)
        self.events.append(event)

    def fresh(self) -> int:
        self.next_id += 1
        return self.next_id - 1

    def span(self) -> int:
        self.spans += 1
        return self.spans

    # -- the wheel

    def place(self, tid: int, entry: int, held: tuple[Token, ...]) -> bool:
        """Put an entry into its bucket; False where it is due. ``held``: tokens of what the caller
        holds."""
        deadline, task = self.deadline[entry], self.owner[entry]
        common = {"entry": entry, "task": task, "exp_ms": deadline}
        if self.live[task] != entry:
            self.emit(tid, "wheel_reject", *held, **common, wheel_ms=self.wheel, cause="cancel")
            return True
        if deadline < self.wheel + TICK_MS:
            self.emit(tid, "wheel_reject", *held, **common, wheel_ms=self.wheel, cause="due")
            return False
        level, tick = 1, TICK_MS
        while deadline >= self.wheel - self.wheel % tick + tick * WHEEL_SIZE:
            level, tick = level + 1, tick * WHEEL_SIZE
        vid, key = deadline // tick, deadline - deadline % tick
        bucket = FIRST_LIST + (level - 1) * WHEEL_SIZE + vid % WHEEL_SIZE
        self.emit(
            tid,
            "wheel_place",
            *held,
            **common,
            level=level,
            bucket=vid % WHEEL_SIZE,
            vid=vid,
            wheel_ms=self.wheel,
        )
        self.link(tid, entry, bucket, held)
        before, self.keys[bucket] = self.keys.get(bucket, NOT_QUEUED), key
        self.emit(
            tid,
            "bucket_expiry_set",
            *held,
            ("V", f"list:{bucket}.expiration", "w"),
            list=bucket,
            level=level,
            exp_ms=deadline,
            key_ms=key,
            pre={"key_ms": before},
            post={"key_ms": key},
            res="true" if before != key else "false",
        )
        if before != key:
            heapq.heappush(self.queue, (key, bucket))
            self.emit(tid, "dq_offer", *held, QUEUE, list=bucket, key_ms=key)
        return True

    def link(self, tid: int, entry: int, bucket: int, held: tuple[Token, ...]) -> None:
        self.linked += 1
        self.where[entry] = bucket
        self.members.setdefault(bucket, []).append(entry)
        self.emit(
            tid,
            "list_add",
            *held,
            ("L", f"list:{bucket}", "w"),
            ("L", f"entry:{entry}", "w"),
            COUNTER,
            entry=entry,
            task=self.owner[entry],
            list=bucket,
            exp_ms=self.deadline[entry],
            pre={"list": 0},
            post={"list": bucket, "counter": self.linked},
        )

    def unlink(self, tid: int, entry: int, cause: str, held: tuple[Token, ...]) -> None:
        bucket = self.where.pop(entry)
        self.members[bucket].remove(entry)
        self.linked -= 1
        own = (
            ()
            if any(token[1] == f"list:{bucket}" for token in held)
            else (("L", f"list:{bucket}", "w"),)
        )
        self.emit(
            tid,
            "list_remove",
            *held,
            *own,
            ("L", f"entry:{entry}", "w"),
            COUNTER,
            entry=entry,
            task=self.owner[entry],
            list=bucket,
            exp_ms=self.deadline[entry],
            pre={"list": bucket},
            post={"list": 0, "counter": self.linked},
            cause=cause,
        )

    def check(self, tid: int, entry: int, held: tuple[Token, ...]) -> bool:
        task = self.owner[entry]
        cancelled = self.live[task] != entry
        self.emit(
            tid,
            "cancel_check",
            *held,
            ("V", f"task:{task}.timer_task_entry", "r"),
            task=task,
            entry=entry,
            pre={"entry": self.live[task]},
            res="true" if cancelled else "false",
        )
        return cancelled

    def hand_over(self, tid: int, entry: int, held: tuple[Token, ...]) -> bool:
        """Whether the executor got the entry: it is cancelled else."""
        if self.check(tid, entry, held):
            return False
        self.emit(
            tid,
            "expire_submit",
            *held,
            entry=entry,
            task=self.owner[entry],
            exp_ms=self.deadline[entry],
            now_ms=self.now,
            wheel_ms=self.wheel,
        )
        return True

    # -- operations

    def add(self, tid: int) -> int:
        """A request: an operation that cannot complete yet, watched, with its timeout in the
        timer."""
        op, task, entry, delay = (
            self.fresh(),
            self.fresh(),
            self.fresh(),
            self.random.choice((0, 1, 3, 9, 17, 40, 150, 300, 700)),
        )
        lock: Token = ("L", f"op:{op}", "w")
        key = FIRST_KEY + self.random.randrange(8)
        self.emit(tid, "op_new", op=op, delay_ms=delay)
        watching = self.span()
        self.emit(tid, "try_watch_begin", op=op, key=key, span=watching, phase="begin")
        self.emit(tid, "try_begin", lock, op=op, res="true", parent=watching)
        self.emit(
            tid,
            "pending_set",
            lock,
            ("V", f"op:{op}.pending", "w"),
            op=op,
            parent=watching,
            post={"pending": False},
        )
        self.emit(tid, "try_end", lock, op=op, res="false", parent=watching)
        self.watched[op] = key
        self.emit(tid, "watch_add", ("L", f"watchers:{key}", "w"), op=op, key=key, parent=watching)
        self.emit(tid, "try_watch_end", op=op, key=key, span=watching, phase="end", res="false")
        self.deadline[entry], self.owner[entry], self.operation[task], self.live[task] = (
            self.now + delay,
            task,
            op,
            0,
        )
        self.emit(
            tid,
            "entry_new",
            entry=entry,
            task=task,
            exp_ms=self.now + delay,
            delay_ms=delay,
            now_ms=self.now,
        )
        self.set_entry(tid, task, entry)
        self.insert(tid, entry)
        return task

    def set_entry(self, tid: int, task: int, entry: int) -> None:
        monitor: Token = ("L", f"task:{task}", "w")
        before = self.live[task]
        if before and before in self.where:
            self.unlink(tid, before, "readd", (monitor,))
        self.live[task] = entry
        self.emit(
            tid,
            "set_entry",
            monitor,
            ("V", f"task:{task}.timer_task_entry", "w"),
            task=task,
            entry=entry,
            pre={"entry": before},
            post={"entry": entry},
        )

    def insert(self, tid: int, entry: int) -> None:
        held: tuple[Token, ...] = (("RW", TIMER, "r"),)
        self.emit(tid, "rw_acquire", *held)
        due = (
            not self.check(tid, entry, held)
            and not self.place(tid, entry, held)
            and self.hand_over(tid, entry, held)
        )
        self.emit(tid, "rw_release", *held)
        if due:
            self.run_task(entry)

    def add_again(self, tid: int, task: int) -> None:
        """The same task with another delay: a new entry, and the old one leaves its list."""
        if self.operation[task] in self.completed:
            return
        entry, delay = self.fresh(), self.random.choice((5, 60, 400))
        self.deadline[entry], self.owner[entry] = self.now + delay, task
        self.emit(
            tid,
            "entry_new",
            entry=entry,
            task=task,
            exp_ms=self.now + delay,
            delay_ms=delay,
            now_ms=self.now,
        )
        self.set_entry(tid, task, entry)
        self.insert(tid, entry)

    def force(
        self, tid: int, op: int, task: int, cause: str, held: tuple[Token, ...], **columns: Any
    ) -> bool:
        won = op not in self.completed
        self.completed.add(op)
        self.emit(
            tid,
            "force_cas",
            *held,
            ("V", f"op:{op}.completed", "cas+" if won else "cas-"),
            op=op,
            cause=cause,
            res="true" if won else "false",
            pre={"completed": not won},
            post={"completed": True},
            **columns,
        )
        if won:
            self.cancel(tid, task, held)
            body = self.span()
            self.emit(tid, "on_complete_begin", *held, op=op, span=body, phase="begin")
            self.emit(tid, "on_complete_end", *held, op=op, span=body, phase="end")
        return won

    def cancel(self, tid: int, task: int, held: tuple[Token, ...]) -> None:
        monitor: Token = ("L", f"task:{task}", "w")
        entry = self.live[task]
        if entry in self.where:
            self.unlink(tid, entry, "cancel", (*held, monitor))
        self.live[task] = 0
        self.emit(
            tid,
            "cancel",
            *held,
            monitor,
            ("V", f"task:{task}.timer_task_entry", "w"),
            task=task,
            pre={"entry": entry},
            post={"entry": 0},
        )

    def event(self, tid: int, task: int) -> None:
        """An event that may complete an operation: another thread that brings one meanwhile leaves
        its note, which is seen."""
        op = self.operation[task]
        if op in self.completed:
            self.emit(
                tid,
                "watch_cancel",
                ("L", f"watchers:{self.watched[op]}", "w"),
                op=op,
                key=self.watched[op],
            )
            return
        lock: Token = ("L", f"op:{op}", "w")
        holds = self.random.random() < 0.6
        self.emit(tid, "try_begin", lock, op=op, res="true")
        self.emit(
            tid, "pending_set", lock, ("V", f"op:{op}.pending", "w"), op=op, post={"pending": False}
        )
        noted = self.random.random() < 0.2
        if noted:
            other = next(each for each in EVENTS if each != tid)
            for was in (
                False,
                True,
            ):  # who leaves the first note tries again; the second is for nobody to see
                self.emit(other, "try_begin", op=op, res="false")
                self.emit(
                    other,
                    "pending_getset",
                    ("V", f"op:{op}.pending", "w"),
                    op=op,
                    pre={"pending": was},
                    post={"pending": True},
                )
        if holds:
            self.force(tid, op, task, "event", (lock,))
        self.emit(tid, "try_end", lock, op=op, res="true" if holds else "false")
        if noted and not holds:
            self.emit(tid, "try_begin", lock, op=op, res="true")
            self.emit(
                tid,
                "pending_set",
                lock,
                ("V", f"op:{op}.pending", "w"),
                op=op,
                post={"pending": False},
            )
            self.emit(tid, "try_end", lock, op=op, res="false")

    def run_task(self, entry: int) -> None:
        task, deadline = self.owner[entry], self.deadline[entry]
        op = self.operation[task]
        self.emit(EXECUTOR, "task_run", entry=entry, task=task, exp_ms=deadline)
        if self.force(EXECUTOR, op, task, "expiry", (), exp_ms=deadline, now_ms=self.now):
            self.emit(EXECUTOR, "on_expire", op=op)

    # -- time

    def advance(self, until: int) -> None:
        """The reaper takes every bucket whose key is reached, and adds its entries again or hands
        them over."""
        while self.queue and self.queue[0][0] <= until:
            key, bucket = heapq.heappop(self.queue)
            self.now = max(self.now, key)
            held: tuple[Token, ...] = (("RW", TIMER, "w"),)
            self.emit(REAPER, "dq_poll", QUEUE, list=bucket, key_ms=key, now_ms=self.now)
            self.emit(REAPER, "rw_acquire", *held)
            if key - key % TICK_MS > self.wheel:
                self.wheel = key - key % TICK_MS
                self.emit(REAPER, "clock_advance", *held, wheel_ms=self.wheel, now_ms=self.now)
            walk, inside = self.span(), (*held, ("L", f"list:{bucket}", "w"))
            self.emit(REAPER, "flush_begin", *inside, list=bucket, span=walk, phase="begin")
            due = []
            for entry in list(self.members[bucket]):
                self.unlink(REAPER, entry, "flush", inside)
                self.emit(REAPER, "reinsert", *inside, entry=entry, task=self.owner[entry])
                if (
                    not self.check(REAPER, entry, inside)
                    and not self.place(REAPER, entry, inside)
                    and self.hand_over(REAPER, entry, inside)
                ):
                    due.append(entry)
            self.emit(REAPER, "flush_end", *inside, list=bucket, span=walk, phase="end")
            before, self.keys[bucket] = self.keys[bucket], NOT_QUEUED
            self.emit(
                REAPER,
                "bucket_expiry_set",
                *inside,
                ("V", f"list:{bucket}.expiration", "w"),
                list=bucket,
                key_ms=NOT_QUEUED,
                pre={"key_ms": before},
                post={"key_ms": NOT_QUEUED},
                res="true",
            )
            self.emit(REAPER, "rw_release", *held)
            self.numbers[f"RW {TIMER}"] += 1
            for entry in due:
                self.run_task(entry)
        self.now = max(self.now, until)

    def run(self) -> list[Event]:
        """All operations, until the timer is empty and the clock has made whole turns."""
        tasks: list[int] = []
        for _ in range(self.operations):
            self.advance(self.now + self.random.choice((0, 0, 0, 1, 2)))
            tasks.append(self.add(self.random.choice(ADDERS)))
            if self.random.random() < 0.5:
                self.event(self.random.choice(EVENTS), self.random.choice(tasks[-40:]))
            if self.random.random() < 0.1:
                self.add_again(self.random.choice(ADDERS), self.random.choice(tasks[-20:]))
            if self.random.random() < 0.05:
                task = self.random.choice(tasks[-40:])
                self.force(self.random.choice(EVENTS), self.operation[task], task, "forced", ())
        self.advance(self.now + TURN_MS)
        assert not self.linked and not self.queue
        self.period_ms = (self.now // TURN_MS + 1) * TURN_MS
        self.now = self.wheel = self.period_ms
        held: Token = ("RW", TIMER, "w")
        self.emit(REAPER, "rw_acquire", held)
        self.emit(REAPER, "clock_advance", held, wheel_ms=self.wheel, now_ms=self.now)
        self.emit(REAPER, "rw_release", held)
        self.numbers[f"RW {TIMER}"] += 1
        return self.events
