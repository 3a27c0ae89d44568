"""A timer with a purgatory as Kafka has it, and every kind of event of the format: an independent
source of sound traces.

``tryCompleteElseWatch`` tries an operation, puts it among the watchers of its keys, and tries
again, which may complete it (`safeTryCompleteOrElse`); ``checkAndComplete`` takes all watchers of a
key; ``cancelForKey`` cancels them; the reaper purges completed ones. Locks, the making of levels
and buckets, reads of words and a checkpoint are in the trace, each where Kafka's text has it.
"""

from __future__ import annotations

import copy
from typing import Any

from benchmarks import mutations
from benchmarks.simulate import Simulator
from benchmarks.simulated_log import (
    ADDERS,
    EVENTS,
    EXECUTOR,
    FIRST_KEY,
    FIRST_LIST,
    LEVELS,
    REAPER,
    TICK_MS,
    TIMER,
    TURN_MS,
    WHEEL_SIZE,
    Token,
)
from wheelproof.trace.format.event import Event

KEYS = 4


class Purgatory(Simulator):
    """``second``: operations that the second try of tryCompleteElseWatch completed."""

    def __init__(self, seed: int, operations: int) -> None:
        super().__init__(seed, operations)
        self.watchers: dict[int, list[int]] = {}  # key -> operations
        self.lists: dict[int, int] = {}  # key -> the list that it has
        self.task_of: dict[int, int] = {}
        self.second: list[int] = []

    def emit(self, tid: int, kind: str, *tokens: Token, **columns: Any) -> None:
        """As the simulator's; the wheel names the bucket that it has chosen."""
        if kind == "wheel_place":
            columns["list"] = FIRST_LIST + (columns["level"] - 1) * WHEEL_SIZE + columns["bucket"]
        super().emit(tid, kind, *tokens, **columns)

    # -- what is beside the timer's own steps

    def make_wheels(self, tid: int) -> None:
        tick = TICK_MS
        for level in range(1, LEVELS + 1):
            for slot in range(WHEEL_SIZE):
                self.emit(
                    tid,
                    "bucket_new",
                    list=FIRST_LIST + (level - 1) * WHEEL_SIZE + slot,
                    level=level,
                    bucket=slot,
                )
            self.emit(tid, "wheel_new", level=level, wheel_ms=0, pre={"key_ms": tick})
            if level > 1:
                self.emit(
                    tid, "overflow_create", ("V", f"wheel:{level - 1}.overflow", "w"), level=level
                )
            tick *= WHEEL_SIZE

    def locked(self, tid: int, lock: str, **columns: Any) -> None:
        self.emit(tid, "lock_acquire", ("L", lock, "w"), **columns)

    def unlocked(self, tid: int, lock: str, **columns: Any) -> None:
        self.emit(tid, "lock_release", ("L", lock, "w"), **columns)

    def cancel(self, tid: int, task: int, held: tuple[Token, ...]) -> None:
        """As the simulator's, and the cancel says that no list had the entry."""
        super().cancel(tid, task, held)
        self.events[-1]["pre"]["list"] = 0

    def set_entry(self, tid: int, task: int, entry: int, held: tuple[Token, ...] = ()) -> None:
        if self.random.random() < 0.1:
            self.emit(tid, "lock_wait", *held, task=task)
        self.emit(tid, "lock_acquire", *held, ("L", f"task:{task}", "w"), task=task)
        before = self.live[task]
        if before and before in self.where:
            self.unlink(tid, before, "readd", (*held, ("L", f"task:{task}", "w")))
        self.live[task] = entry
        self.emit(
            tid,
            "set_entry",
            *held,
            ("L", f"task:{task}", "w"),
            ("V", f"task:{task}.timer_task_entry", "w"),
            task=task,
            entry=entry,
            pre={"entry": before},
            post={"entry": entry},
        )
        self.emit(tid, "lock_release", *held, ("L", f"task:{task}", "w"), task=task)

    def to_timer(self, tid: int, task: int, delay: int) -> None:
        """SystemTimer.add: the clock is read, the entry made and set, and the wheel called, all
        under the read lock."""
        entry, held = self.fresh(), (("RW", TIMER, "r"),)
        self.deadline[entry], self.owner[entry] = self.now + delay, task
        span = self.span()
        self.emit(tid, "add_begin", task=task, span=span, phase="begin")
        if delay == 17:
            self.emit(tid, "fault", delay_ms=1)
        self.emit(tid, "rw_acquire", *held)
        self.emit(tid, "add_request", *held, task=task, now_ms=self.now, delay_ms=delay)
        self.emit(
            tid,
            "entry_new",
            *held,
            entry=entry,
            task=task,
            exp_ms=self.now + delay,
            delay_ms=delay,
            now_ms=self.now,
        )
        self.set_entry(tid, task, entry, held)
        due = (
            not self.check(tid, entry, held)
            and not self.place(tid, entry, held)
            and self.hand_over(tid, entry, held)
        )
        self.emit(tid, "rw_release", *held)
        if entry in self.where and self.random.random() < 0.2:
            self.emit(
                tid,
                "owner_read",
                ("V", f"entry:{entry}.list", "r"),
                entry=entry,
                pre={"list": self.where[entry]},
            )
            self.emit(
                tid,
                "list_add_retry",
                ("L", f"entry:{entry}", "w"),
                entry=entry,
                list=self.where[entry],
                pre={"list": self.where[entry]},
            )
        self.emit(tid, "add_end", task=task, span=span, phase="end", res="none")
        if due:
            self.run_task(entry)

    def run_task(self, entry: int) -> None:
        super().run_task(entry)
        self.emit(EXECUTOR, "task_done", entry=entry, task=self.owner[entry], res="none")

    # -- operations

    def attempt(self, tid: int, op: int, completes: bool, **columns: Any) -> bool:
        """One evaluation of tryComplete under the operation's lock; whether it completed the
        operation."""
        lock: Token = ("L", f"op:{op}", "w")
        self.emit(tid, "try_begin", lock, op=op, res="true", **columns)
        self.emit(
            tid, "pending_set", lock, ("V", f"op:{op}.pending", "w"), op=op, post={"pending": False}
        )
        noted = self.random.random() < 0.1
        if noted:
            other = next(each for each in EVENTS if each != tid)
            for was in (
                False,
                True,
            ):  # who leaves the first note tries again; the second is for no thread to see
                self.emit(other, "try_begin", op=op, res="false")
                self.emit(
                    other,
                    "pending_getset",
                    ("V", f"op:{op}.pending", "w"),
                    op=op,
                    pre={"pending": was},
                    post={"pending": True},
                )
        won = completes and self.force(tid, op, self.task_of[op], "event", (lock,))
        self.emit(tid, "try_end", lock, op=op, res="true" if won else "false")
        self.unlocked(tid, f"op:{op}", op=op)
        return won or noted and self.attempt(tid, op, completes, **columns)

    def add(self, tid: int) -> int:
        op = task = self.fresh()
        delay = self.random.choice((0, 1, 3, 9, 17, 40, 150, 300, 700))
        self.operation[task], self.task_of[op], self.live[task] = task and op, task, 0
        keys = sorted(
            self.random.sample(range(FIRST_KEY, FIRST_KEY + KEYS), self.random.choice((1, 1, 2)))
        )
        self.emit(tid, "op_new", op=op, delay_ms=delay)
        watching = self.span()
        self.emit(tid, "try_watch_begin", op=op, span=watching, phase="begin")
        won = self.attempt(tid, op, self.random.random() < 0.1, parent=watching)
        if not won:
            for key in keys:
                self.watch(tid, op, key, watching)
            won = self.attempt(tid, op, self.random.random() < 0.2, parent=watching)
            self.second += [op] if won else []
        self.watched[op] = keys[0]
        self.emit(
            tid, "try_watch_end", op=op, span=watching, phase="end", res="true" if won else "false"
        )
        if not won:
            self.to_timer(tid, task, delay)
        return task

    def watch(self, tid: int, op: int, key: int, parent: int) -> None:
        self.watchers.setdefault(key, []).append(op)
        self.emit(
            tid,
            "watch_add",
            ("L", f"watchers:{key}", "w"),
            op=op,
            key=key,
            list=self.list_of(tid, key, parent),
            parent=parent,
        )

    def list_of(self, tid: int, key: int, parent: int) -> int:
        """The key's list, made where it has none."""
        if key not in self.lists:
            self.lists[key] = self.fresh()
            self.emit(
                tid,
                "watchers_new",
                ("L", f"watchers:{key}", "w"),
                key=key,
                list=self.lists[key],
                parent=parent,
            )
        return self.lists[key]

    def give_up(self, tid: int, key: int, **columns: Any) -> None:
        """Remove the key's list, if nothing is in it."""
        if key in self.lists and not self.watchers.get(key):
            self.emit(
                tid,
                "watchers_remove",
                ("L", f"watchers:{key}", "w"),
                key=key,
                list=self.lists.pop(key),
                **columns,
            )

    def taken_out(self, tid: int, op: int, key: int, **columns: Any) -> None:
        self.emit(tid, "watch_cancel", op=op, key=key, list=self.lists[key], **columns)

    def add_again(self, tid: int, task: int) -> None:
        if self.operation[task] not in self.completed:
            self.to_timer(tid, task, self.random.choice((5, 60, 400)))

    def event(self, tid: int, task: int) -> None:
        """checkAndComplete: all watchers of a key are tried, and completed ones are taken out."""
        key, span = self.watched[self.operation[task]], self.span()
        self.emit(
            tid, "check_begin", ("L", f"watchers:{key}", "w"), key=key, span=span, phase="begin"
        )
        for op in list(self.watchers.get(key, ())):
            if op in self.completed or self.attempt(
                tid, op, self.random.random() < 0.3, parent=span
            ):
                self.watchers[key].remove(op)
                self.taken_out(tid, op, key, parent=span)
        self.give_up(tid, key, parent=span)
        self.emit(tid, "check_end", key=key, span=span, phase="end")

    def cancel_for_key(self, tid: int, key: int) -> None:
        span = self.span()
        self.emit(
            tid,
            "cancel_key_begin",
            ("L", f"watchers:{key}", "w"),
            key=key,
            span=span,
            phase="begin",
        )
        for op in self.watchers.pop(key, []):
            if op not in self.completed:
                self.cancel(tid, self.task_of[op], ())
            self.taken_out(tid, op, key, parent=span)
        self.lists.pop(key, None)
        self.emit(tid, "cancel_key_end", key=key, span=span, phase="end")

    def purge(self) -> None:
        for key, members in self.watchers.items():
            self.watchers[key] = [op for op in members if op not in self.completed]
        self.emit(REAPER, "purge")
        for key in list(self.watchers):
            self.give_up(REAPER, key)

    def checkpoint(self, tid: int) -> None:
        entry = next(iter(self.where), None)
        if entry is not None:
            self.emit(
                tid,
                "checkpoint",
                entry=entry,
                list=self.where[entry],
                post={"list": self.where[entry]},
            )

    def advance(self, until: int) -> None:
        if self.queue and self.queue[0][0] <= until:
            key, bucket = self.queue[0]
            self.emit(REAPER, "dq_ready", list=bucket, key_ms=key)
        super().advance(until)

    def finish(self) -> None:
        """What comes last."""

    def run(self) -> list[Event]:
        everyone = (*ADDERS, REAPER, EXECUTOR, *EVENTS)
        for tid in everyone:
            self.emit(tid, "thread_start")
        self.make_wheels(ADDERS[0])
        tasks: list[int] = []
        for number in range(self.operations):
            self.advance(self.now + self.random.choice((0, 0, 0, 1, 2)))
            tasks.append(self.add(self.random.choice(ADDERS)))
            if self.random.random() < 0.4:
                self.event(self.random.choice(EVENTS), self.random.choice(tasks[-40:]))
            if self.random.random() < 0.1:
                self.add_again(self.random.choice(ADDERS), self.random.choice(tasks[-20:]))
            if number % 10 == 7:
                self.cancel_for_key(
                    self.random.choice(EVENTS), FIRST_KEY + self.random.randrange(KEYS)
                )
                self.purge()
                self.checkpoint(ADDERS[0])
        self.advance(self.now + TURN_MS)
        assert not self.linked and not self.queue
        self.finish()
        for tid in everyone:
            self.emit(tid, "thread_stop")
        return self.events


def every_kind(run: list[Event]) -> list[Event]:
    """The run with an event of the one kind that a whole run does not have."""
    events = copy.deepcopy(run)
    lost = {"tid": events[19]["tid"], "tseq": 0, "lc": 0, "k": "drop", "phase": "atomic"}
    events.insert(20, {**lost, "count": 1})
    return mutations.renumbered(events)
