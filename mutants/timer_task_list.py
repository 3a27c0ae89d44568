"""TimerTaskList with one decision taken away at a time.

Each class names the switch of ``spec/TimerTaskList.tla`` that it turns off, and overrides what carries the decision. A
lock or a test that is taken away keeps its step, so that the mutated spec, model and implementation keep equal graphs.
"""
from __future__ import annotations

from impl import timer_task_list as impl
from impl.runtime import NoMonitor
from mapping import timer_task_list as mapping


class M1:
    """remove asks only whether the entry is linked somewhere, as Kafka did before KAFKA-2226."""

    switch = "OwnershipTest"

    class TimerTaskList(impl.TimerTaskList):
        __slots__ = ()

        def remove(self, entry):
            with self.monitor:  # lock U1, unlock U11
                with entry.monitor:  # lock U2, unlock U10
                    if entry.list is not None:  # read U3
                        entry.next.prev = entry.prev  # write U4
                        entry.prev.next = entry.next  # write U5
                        entry.next = None  # write U6
                        entry.prev = None  # write U7
                        entry.list = None  # write U8
                        self.task_counter.add_and_get(-1)  # update U9


class M2:
    """An entry's monitor excludes nobody."""

    switch = "EntryMonitor"

    class TimerTaskEntry(impl.TimerTaskEntry):
        __slots__ = ()

        def __init__(self, timer_task, expiration_ms):
            super().__init__(timer_task, expiration_ms)
            self.monitor = NoMonitor()


class M3:
    """add links the entry wherever it is by then."""

    switch = "NullTest"

    class TimerTaskList(impl.TimerTaskList):
        __slots__ = ()

        def add(self, entry):
            entry.remove()
            with self.monitor:  # lock A1, unlock A11
                with entry.monitor:  # lock A2, unlock A10
                    entry.list  # read A3
                    tail = self.root.prev
                    entry.next = self.root  # write A4
                    entry.prev = tail  # write A5
                    entry.list = self  # write A6
                    tail.next = entry  # write A7
                    self.root.prev = entry  # write A8
                    self.task_counter.add_and_get(1)  # update A9


class M4:
    """add holds its own monitor while it removes the entry from another list."""

    switch = "RemoveFirst"

    class TimerTaskList(impl.TimerTaskList):
        __slots__ = ()

        def add(self, entry):
            done = False
            while not done:
                with self.monitor:  # lock A1, unlock A11
                    entry.remove()
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


class M5:
    """remove makes one attempt."""

    switch = "RemoveRetries"

    class TimerTaskEntry(impl.TimerTaskEntry):
        __slots__ = ()

        def remove(self):
            current = self.list  # read R1
            if current is not None:
                current.remove(self)


class M8:
    """An entry goes into another bucket although its task was cancelled."""

    switch = "CancelledTest"

    class World(mapping.World):
        def requeue(self, entry, bucket):
            _ = entry.cancelled()
            bucket.add(entry)


class M9:
    """An entry goes to the executor although its task was cancelled."""

    switch = "SubmitTest"

    class World(mapping.World):
        def submit(self, entry):
            _ = entry.cancelled()
            self.submitted.add_and_get(1)  # update K2


class M19:
    """remove decrements the counter whether it unlinks or not."""

    switch = "CountAtUnlink"

    class TimerTaskList(impl.TimerTaskList):
        __slots__ = ()

        def remove(self, entry):
            with self.monitor:  # lock U1, unlock U11
                with entry.monitor:  # lock U2, unlock U10
                    if entry.list is self:  # read U3
                        entry.next.prev = entry.prev  # write U4
                        entry.prev.next = entry.next  # write U5
                        entry.next = None  # write U6
                        entry.prev = None  # write U7
                        entry.list = None  # write U8
                    self.task_counter.add_and_get(-1)  # update U9


class FlushWithoutMonitor:
    """flush walks the ring with nobody excluded."""

    switch = "FlushHoldsMonitor"

    class TimerTaskList(impl.TimerTaskList):
        __slots__ = ()

        def flush(self, callback):
            monitor = NoMonitor()
            with monitor:  # lock F1, unlock F4
                while (head := self.root.next) is not self.root:  # read F2
                    self.remove(head)
                    callback(head)


class UnguardedTask:
    """A task's monitor excludes nobody."""

    switch = "TaskMonitor"

    class TimerTask(impl.TimerTask):
        __slots__ = ()

        def __init__(self, delay_ms):
            super().__init__(delay_ms)
            self.monitor = NoMonitor()
