"""Kafka's TimerTask, TimerTaskEntry and TimerTaskList: a bucket of the timing wheel.

Lock order: a task's monitor, then a list's, then an entry's. Only ``flush`` holds one list while it
enters another. So two flushes in opposite directions must not run at once: the timer holds its
write lock during a flush.

A comment ``# kind LABEL`` marks the line with the one shared operation of a step. The labels are
those of ``spec/TimerTaskList.tla``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from impl.arguments import whole
from impl.runtime import Atomic, Monitor, Plain, Volatile


class TimerTask:
    """Work that is due ``delay_ms`` milliseconds after it was added, unless it is cancelled first.

    ``timer_task_entry`` is the task's entry in the timer. None: cancelled, or never added. Kafka:
    ``org.apache.kafka.server.util.timer.TimerTask``.
    """

    __slots__ = ("delay_ms", "monitor", "timer_task_entry")

    timer_task_entry: Volatile[TimerTaskEntry | None]

    def __init__(self, delay_ms: int) -> None:
        """Raises TypeError for a delay that is no int. One below 0 is due at once."""
        whole("delay_ms", delay_ms)
        self.delay_ms = delay_ms
        self.monitor = Monitor()
        self.timer_task_entry = None

    def cancel(self) -> None:
        """Take the task out of the timer: no later check lets it run, unless it is added again."""
        with self.monitor:  # lock C1, unlock C4
            entry = self.timer_task_entry  # read C2
            if entry is not None:
                entry.remove()
            self.timer_task_entry = None  # write C3

    def set_timer_task_entry(self, entry: TimerTaskEntry) -> None:
        """Make ``entry`` the task's only live entry: a previous one leaves its list."""
        with self.monitor:  # lock S1, unlock S4
            old = self.timer_task_entry  # read S2
            if old is not None and old is not entry:
                old.remove()
            self.timer_task_entry = entry  # write S3

    def run(self) -> None:
        """Do the work that is due. A subclass defines it."""
        raise NotImplementedError(f"{type(self).__name__} does not say what is due: override run()")


class TimerTaskEntry:
    """One link of a list's ring, for one task, due at ``expiration_ms`` by the timer's clock.

    ``list`` is the list that has the entry. ``next`` and ``prev`` are guarded by that list's
    monitor. A list's sentinel is an entry without a task. Kafka: ``TimerTaskEntry``.
    """

    __slots__ = ("timer_task", "expiration_ms", "monitor", "list", "next", "prev")

    # A sentinel has no task, and an entry that is in no list has no neighbours.
    timer_task: Any
    list: Volatile[TimerTaskList | None]
    next: Plain[Any]
    prev: Plain[Any]

    def __init__(self, timer_task: TimerTask | None, expiration_ms: int) -> None:
        self.timer_task = timer_task
        self.expiration_ms = expiration_ms
        self.monitor = Monitor()
        self.list = self.next = self.prev = None
        if timer_task is not None:
            timer_task.set_timer_task_entry(self)

    def cancelled(self) -> bool:
        """Whether the task was cancelled, or added again with another entry. Takes no lock."""
        return self.timer_task.timer_task_entry is not self  # read K1

    def remove(self) -> None:
        """Leave the list that has the entry; again, while other threads put it into another one.

        It may miss an entry that a flush holds between two lists. That flush checks ``cancelled``.
        """
        while (current := self.list) is not None:  # read R1
            current.remove(self)


class TimerTaskList:
    """A bucket: a doubly linked ring around the sentinel ``root``, guarded by a re-entrant monitor.

    ``task_counter`` is shared by all buckets of a timer and counts linked entries. Kafka:
    ``TimerTaskList``.
    """

    __slots__ = ("task_counter", "monitor", "root")

    def __init__(self, task_counter: Atomic[int]) -> None:
        self.task_counter = task_counter
        self.monitor = Monitor()
        self.root = TimerTaskEntry(None, -1)
        self.root.next = self.root.prev = self.root

    def add(self, entry: TimerTaskEntry) -> None:
        """Link ``entry`` at the tail, out of any list that has it."""
        done = False
        while not done:
            # No lock is held here: a thread that waits for this list may hold the entry's list.
            entry.remove()
            with self.monitor:  # lock A1, unlock A11
                with entry.monitor:  # lock A2, unlock A10
                    if entry.list is None:  # read A3
                        tail = self.root.prev
                        entry.next = self.root  # write A4
                        entry.prev = tail  # write A5
                        entry.list = self  # write A6
                        tail.next = entry  # write A7
                        self.root.prev = entry  # write A8
                        self.task_counter.add_and_get(1)  # update A9
                        done = True

    def remove(self, entry: TimerTaskEntry) -> None:
        """Unlink ``entry`` if this list still has it."""
        with self.monitor:  # lock U1, unlock U11
            with entry.monitor:  # lock U2, unlock U10
                if entry.list is self:  # read U3
                    entry.next.prev = entry.prev  # write U4
                    entry.prev.next = entry.next  # write U5
                    entry.next = None  # write U6
                    entry.prev = None  # write U7
                    entry.list = None  # write U8
                    self.task_counter.add_and_get(-1)  # update U9

    def flush(self, callback: Callable[[TimerTaskEntry], None]) -> None:
        """Take the entries out, head first, and hand each to ``callback``. Holds the monitor."""
        with self.monitor:  # lock F1, unlock F4
            while (head := self.root.next) is not self.root:  # read F2
                self.remove(head)
                callback(head)
