"""A hierarchical timing wheel on a virtual clock, which emits the events of its steps."""

from __future__ import annotations

import heapq

from benchmarks.simulated_log import (
    COUNTER,
    FIRST_LIST,
    QUEUE,
    REAPER,
    TICK_MS,
    TIMER,
    WHEEL_SIZE,
    Log,
    Token,
)
from traces.schema import NOT_QUEUED


class Wheel(Log):
    """Buckets, the queue of their keys, and the entry that each task has. Times are in ms."""

    def __init__(self) -> None:
        super().__init__()
        self.now = self.wheel = self.linked = 0
        self.keys: dict[int, int] = {}  # list -> key
        self.members: dict[int, list[int]] = {}  # list -> entries
        self.where: dict[int, int] = {}  # entry -> list
        self.deadline: dict[int, int] = {}
        self.owner: dict[int, int] = {}  # entry -> task
        self.live: dict[int, int] = {}  # task -> entry
        self.queue: list[tuple[int, int]] = []

    def place(self, tid: int, entry: int, locks: tuple[Token, ...]) -> bool:
        """Put an entry into its bucket; False where it is due. ``locks``: tokens of the locks that
        the caller holds."""
        deadline, task = self.deadline[entry], self.owner[entry]
        common = {"entry": entry, "task": task, "exp_ms": deadline}
        if self.live[task] != entry:
            self.emit(tid, "wheel_reject", *locks, **common, wheel_ms=self.wheel, cause="cancel")
            return True
        if deadline < self.wheel + TICK_MS:
            self.emit(tid, "wheel_reject", *locks, **common, wheel_ms=self.wheel, cause="due")
            return False
        level, tick = 1, TICK_MS
        while deadline >= self.wheel - self.wheel % tick + tick * WHEEL_SIZE:
            level, tick = level + 1, tick * WHEEL_SIZE
        vid, key = deadline // tick, deadline - deadline % tick
        bucket = FIRST_LIST + (level - 1) * WHEEL_SIZE + vid % WHEEL_SIZE
        self.emit(
            tid,
            "wheel_place",
            *locks,
            **common,
            level=level,
            bucket=vid % WHEEL_SIZE,
            vid=vid,
            wheel_ms=self.wheel,
        )
        self.link(tid, entry, bucket, locks)
        before, self.keys[bucket] = self.keys.get(bucket, NOT_QUEUED), key
        self.emit(
            tid,
            "bucket_expiry_set",
            *locks,
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
            self.emit(tid, "dq_offer", *locks, QUEUE, list=bucket, key_ms=key)
        return True

    def link(self, tid: int, entry: int, bucket: int, locks: tuple[Token, ...]) -> None:
        """Put an entry into a bucket's list."""
        self.linked += 1
        self.where[entry] = bucket
        self.members.setdefault(bucket, []).append(entry)
        self.emit(
            tid,
            "list_add",
            *locks,
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

    def unlink(self, tid: int, entry: int, cause: str, locks: tuple[Token, ...]) -> None:
        """Take an entry out of its list."""
        bucket = self.where.pop(entry)
        self.members[bucket].remove(entry)
        self.linked -= 1
        monitor = (
            ()
            if any(token[1] == f"list:{bucket}" for token in locks)
            else (("L", f"list:{bucket}", "w"),)
        )
        self.emit(
            tid,
            "list_remove",
            *locks,
            *monitor,
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

    def check(self, tid: int, entry: int, locks: tuple[Token, ...]) -> bool:
        """Whether the entry is cancelled."""
        task = self.owner[entry]
        is_cancelled = self.live[task] != entry
        self.emit(
            tid,
            "cancel_check",
            *locks,
            ("V", f"task:{task}.timer_task_entry", "r"),
            task=task,
            entry=entry,
            pre={"entry": self.live[task]},
            res="true" if is_cancelled else "false",
        )
        return is_cancelled

    def hand_over(self, tid: int, entry: int, locks: tuple[Token, ...]) -> bool:
        """Give the entry to the executor; False where it is cancelled."""
        if self.check(tid, entry, locks):
            return False
        self.emit(
            tid,
            "expire_submit",
            *locks,
            entry=entry,
            task=self.owner[entry],
            exp_ms=self.deadline[entry],
            now_ms=self.now,
            wheel_ms=self.wheel,
        )
        return True

    def set_entry(self, tid: int, task: int, entry: int) -> None:
        """Give a task its entry. An entry before it leaves its list."""
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

    def cancel(self, tid: int, task: int, locks: tuple[Token, ...]) -> None:
        """Take a task's entry out of its list and away from the task."""
        monitor: Token = ("L", f"task:{task}", "w")
        entry = self.live[task]
        if entry in self.where:
            self.unlink(tid, entry, "cancel", (*locks, monitor))
        self.live[task] = 0
        self.emit(
            tid,
            "cancel",
            *locks,
            monitor,
            ("V", f"task:{task}.timer_task_entry", "w"),
            task=task,
            pre={"entry": entry},
            post={"entry": 0},
        )

    def poll(self) -> list[int]:
        """The reaper takes the earliest bucket, and adds its entries again or hands them over; the
        latter are returned."""
        key, bucket = heapq.heappop(self.queue)
        self.now = max(self.now, key)
        locks: tuple[Token, ...] = (("RW", TIMER, "w"),)
        self.emit(REAPER, "dq_poll", QUEUE, list=bucket, key_ms=key, now_ms=self.now)
        self.emit(REAPER, "rw_acquire", *locks)
        if key - key % TICK_MS > self.wheel:
            self.wheel = key - key % TICK_MS
            self.emit(REAPER, "clock_advance", *locks, wheel_ms=self.wheel, now_ms=self.now)
        flush, inside = self.span(), (*locks, ("L", f"list:{bucket}", "w"))
        self.emit(REAPER, "flush_begin", *inside, list=bucket, span=flush, phase="begin")
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
        self.emit(REAPER, "flush_end", *inside, list=bucket, span=flush, phase="end")
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
        self.emit(REAPER, "rw_release", *locks)
        self.numbers[f"RW {TIMER}"] += 1
        return due
