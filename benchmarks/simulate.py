"""A timer with a purgatory on a virtual clock, one step at a time: conforming traces in the full
schema.

It is written from the algorithm, not from the rules, and has no concurrency. Every class of event
that a rule applies to occurs, and so does every order token. At the end the timer is empty and its
clock has made whole turns of its coarsest wheel, so that runs can be put one after the other.
"""

from __future__ import annotations

import random
from typing import Any

from benchmarks.simulated_log import (
    ADDERS,
    EVENTS,
    EXECUTOR,
    FIRST_KEY,
    REAPER,
    TIMER,
    TURN_MS,
    Token,
)
from benchmarks.simulated_wheel import Wheel
from traces.events import Event


class Simulator(Wheel):
    """``events`` after :meth:`run`. ``period_ms``: whole turns of the coarsest wheel."""

    def __init__(self, seed: int, operations: int) -> None:
        super().__init__()
        self.random = random.Random(seed)
        self.operations = operations
        self.operation: dict[int, int] = {}  # task -> op
        self.completed: set[int] = set()
        self.watched: dict[int, int] = {}  # op -> key

    def add(self, tid: int) -> int:
        """A request: an operation that cannot complete yet, watched, with its timeout in the
        timer."""
        op, task, entry, delay = (
            self.fresh(),
            self.fresh(),
            self.fresh(),
            self.random.choice((0, 1, 3, 9, 17, 40, 150, 300, 700)),
        )
        key = FIRST_KEY + self.random.randrange(8)
        self.emit(tid, "op_new", op=op, delay_ms=delay)
        watching = self.span()
        self.emit(tid, "try_watch_begin", op=op, key=key, span=watching, phase="begin")
        self.attempt(tid, op, watching)
        self.watched[op] = key
        self.emit(tid, "watch_add", ("L", f"watchers:{key}", "w"), op=op, key=key, parent=watching)
        self.attempt(tid, op, watching)
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

    def attempt(self, tid: int, op: int, parent: int) -> None:
        """An attempt to complete an operation whose condition does not hold."""
        lock: Token = ("L", f"op:{op}", "w")
        self.emit(tid, "try_begin", lock, op=op, res="true", parent=parent)
        self.emit(
            tid,
            "pending_set",
            lock,
            ("V", f"op:{op}.pending", "w"),
            op=op,
            parent=parent,
            post={"pending": False},
        )
        self.emit(tid, "try_end", lock, op=op, res="false", parent=parent)

    def insert(self, tid: int, entry: int) -> None:
        """Add an entry to the timer, or run it where it is due."""
        locks: tuple[Token, ...] = (("RW", TIMER, "r"),)
        self.emit(tid, "rw_acquire", *locks)
        due = (
            not self.check(tid, entry, locks)
            and not self.place(tid, entry, locks)
            and self.hand_over(tid, entry, locks)
        )
        self.emit(tid, "rw_release", *locks)
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
        self, tid: int, op: int, task: int, cause: str, locks: tuple[Token, ...], **columns: Any
    ) -> bool:
        """Complete an operation; whether this call did it."""
        won = op not in self.completed
        self.completed.add(op)
        self.emit(
            tid,
            "force_cas",
            *locks,
            ("V", f"op:{op}.completed", "cas+" if won else "cas-"),
            op=op,
            cause=cause,
            res="true" if won else "false",
            pre={"completed": not won},
            post={"completed": True},
            **columns,
        )
        if won:
            self.cancel(tid, task, locks)
            body = self.span()
            self.emit(tid, "on_complete_begin", *locks, op=op, span=body, phase="begin")
            self.emit(tid, "on_complete_end", *locks, op=op, span=body, phase="end")
        return won

    def event(self, tid: int, task: int) -> None:
        """An event that may complete an operation. Another thread may bring one meanwhile, and
        leave a note."""
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
        has_note = self.random.random() < 0.2
        if has_note:
            event = next(event for event in EVENTS if event != tid)
            for was in (False, True):  # the note counts once, however many threads leave it
                self.emit(event, "try_begin", op=op, res="false")
                self.emit(
                    event,
                    "pending_getset",
                    ("V", f"op:{op}.pending", "w"),
                    op=op,
                    pre={"pending": was},
                    post={"pending": True},
                )
        if holds:
            self.force(tid, op, task, "event", (lock,))
        self.emit(tid, "try_end", lock, op=op, res="true" if holds else "false")
        if has_note and not holds:
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
        """The executor runs a task: the operation times out unless it is complete."""
        task, deadline = self.owner[entry], self.deadline[entry]
        op = self.operation[task]
        self.emit(EXECUTOR, "task_run", entry=entry, task=task, exp_ms=deadline)
        if self.force(EXECUTOR, op, task, "expiry", (), exp_ms=deadline, now_ms=self.now):
            self.emit(EXECUTOR, "on_expire", op=op)

    def advance(self, until: int) -> None:
        """Let time pass: the reaper takes every bucket whose key is reached."""
        while self.queue and self.queue[0][0] <= until:
            for entry in self.poll():
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
        lock: Token = ("RW", TIMER, "w")
        self.emit(REAPER, "rw_acquire", lock)
        self.emit(REAPER, "clock_advance", lock, wheel_ms=self.wheel, now_ms=self.now)
        self.emit(REAPER, "rw_release", lock)
        self.numbers[f"RW {TIMER}"] += 1
        return self.events
