"""SystemTimer with one decision taken away at a time; see ``mutants/timer_task_list.py`` for the rules."""
from __future__ import annotations

from impl import delay_queue, system_timer, timer_task_list, timing_wheel
from impl.runtime import NoMonitor
from impl.timing_wheel import bucket_expiration, bucket_index, expired, fits


class D1:
    """Kafka's order: the bucket that was polled without the lock is flushed first."""

    switch = "PutBack"

    class SystemTimer(system_timer.SystemTimer):
        __slots__ = ()

        def advance_clock(self, timeout_ms):
            bucket = self.queue.poll(timeout_ms)  # update R1
            if bucket is None:
                return False
            with self.lock.write_lock:  # lock R2, unlock R6
                while bucket is not None:
                    expiration = bucket.expiration.get()  # read R5
                    self.wheel.advance_clock(expiration)  # update R7
                    bucket.flush(self.reinsert)
                    bucket = self.queue.poll_now()  # update R4
            return True


class Recheck:
    """Under the write lock the queue's first bucket is taken instead if it is earlier than the one that was polled."""

    switch = "PutsBackAlways"

    class SystemTimer(system_timer.SystemTimer):
        __slots__ = ()

        def advance_clock(self, timeout_ms):
            bucket = self.queue.poll(timeout_ms)  # update R1
            if bucket is None:
                return False
            with self.lock.write_lock:  # lock R2, unlock R6
                bucket = Exchange.earlier(self.queue, bucket)  # update R3
                while bucket is not None:
                    expiration = bucket.expiration.get()  # read R5
                    self.wheel.advance_clock(expiration)  # update R7
                    bucket.flush(self.reinsert)
                    bucket = self.queue.poll_now()  # update R4
            return True


class Exchange(delay_queue.DelayQueue):
    """A queue of which one more thing is asked, in one step."""

    __slots__ = ()

    def earlier(self, bucket):
        """The first element if it is before ``bucket``, which then takes its place; else ``bucket``."""
        with self.gate:
            later = not self.heap or self.heap[0].compare_to(bucket) >= 0
        if later:
            return bucket
        head = self.poll_now()
        self.offer(bucket)
        return head


class M14:
    """The reaper waits for a bucket to be due, and takes it when it has the write lock."""

    switch = "PollsUnlocked"

    class SystemTimer(system_timer.SystemTimer):
        __slots__ = ()

        def advance_clock(self, timeout_ms):
            if not self.queue.due(timeout_ms):  # read R1
                return False
            with self.lock.write_lock:  # lock R2, unlock R6
                while (bucket := self.queue.poll_now()) is not None:  # update R4
                    expiration = bucket.expiration.get()  # read R5
                    self.wheel.advance_clock(expiration)  # update R7
                    bucket.flush(self.reinsert)
            return True


class M8:
    """An entry goes into a bucket although its task was cancelled."""

    switch = "CancelledTest"

    class TimingWheel(timing_wheel.TimingWheel):
        __slots__ = ()

        def add(self, entry):
            entry.cancelled()  # read W1
            deadline, current = entry.expiration_ms, self.current_time
            if expired(deadline, current, self.tick_ms):
                return False
            if fits(deadline, current, self.interval):
                bucket = self.buckets[bucket_index(deadline, self.tick_ms, self.wheel_size)]
                bucket.add(entry)  # update W2
                if bucket.set_expiration(bucket_expiration(deadline, self.tick_ms)):
                    self.queue.offer(bucket)  # update W4
                return True
            return self.parent().add(entry)


class M9:
    """A task is handed over although it was cancelled."""

    switch = "SubmitTest"

    class SystemTimer(system_timer.SystemTimer):
        __slots__ = ()

        def add_timer_task_entry(self, entry):
            if self.wheel.add(entry):
                return
            entry.cancelled()  # read K1
            self.executor.submit(entry)  # update K2


class M10:
    """Every link queues the bucket."""

    switch = "OfferIfChanged"

    class Bucket(timing_wheel.Bucket):
        __slots__ = ()

        def set_expiration(self, expiration_ms):
            self.expiration.get_and_set(expiration_ms)  # swap W3
            return True


class M11:
    """A bucket is keyed and queued before the entry is in it."""

    switch = "LinksFirst"

    class TimingWheel(timing_wheel.TimingWheel):
        __slots__ = ()

        def add(self, entry):
            if entry.cancelled():  # read W1
                return False
            deadline, current = entry.expiration_ms, self.current_time
            if expired(deadline, current, self.tick_ms):
                return False
            if fits(deadline, current, self.interval):
                bucket = self.buckets[bucket_index(deadline, self.tick_ms, self.wheel_size)]
                if bucket.set_expiration(bucket_expiration(deadline, self.tick_ms)):
                    self.queue.offer(bucket)  # update W4
                bucket.add(entry)  # update W2
                return True
            return self.parent().add(entry)


class M12:
    """A flushed bucket keeps its key."""

    switch = "ResetKey"

    class Bucket(timing_wheel.Bucket):
        __slots__ = ()

        def flush(self, callback):
            with self.monitor:  # lock V1, unlock V3
                timing_wheel.TimerTaskList.flush(self, callback)
                self.expiration.get()  # read V2


class M13:
    """Adders and the reaper do not exclude each other."""

    switch = "ReadLock"

    class SystemTimer(system_timer.SystemTimer):
        __slots__ = ()

        def __init__(self, *arguments):
            super().__init__(*arguments)
            self.lock.read_lock = NoMonitor()


class M15:
    """One bucket for each hold of the write lock."""

    switch = "Drains"

    class SystemTimer(system_timer.SystemTimer):
        __slots__ = ()

        def advance_clock(self, timeout_ms):
            bucket = self.queue.poll(timeout_ms)  # update R1
            if bucket is None:
                return False
            with self.lock.write_lock:  # lock R2, unlock R6
                self.queue.offer(bucket)  # update R3
                bucket = self.queue.poll_now()  # update R4
                if bucket is not None:
                    expiration = bucket.expiration.get()  # read R5
                    self.wheel.advance_clock(expiration)  # update R7
                    bucket.flush(self.reinsert)
            return True


class M17:
    """An entry is due a tick sooner."""

    switch = "DueAtTick"

    class TimingWheel(timing_wheel.TimingWheel):
        __slots__ = ()

        def add(self, entry):
            if entry.cancelled():  # read W1
                return False
            deadline, current = entry.expiration_ms, self.current_time
            if deadline <= current + self.tick_ms:
                return False
            if fits(deadline, current, self.interval):
                bucket = self.buckets[bucket_index(deadline, self.tick_ms, self.wheel_size)]
                bucket.add(entry)  # update W2
                if bucket.set_expiration(bucket_expiration(deadline, self.tick_ms)):
                    self.queue.offer(bucket)  # update W4
                return True
            return self.parent().add(entry)


class M19:
    """Nothing that leaves a bucket is taken off the counter."""

    switch = "CountAtUnlink"

    class Bucket(timing_wheel.Bucket):
        __slots__ = ()

        def remove(self, entry):
            with self.monitor:
                with entry.monitor:
                    if entry.list is self:
                        entry.next.prev = entry.prev
                        entry.prev.next = entry.next
                        entry.next = entry.prev = entry.list = None


class D6:
    """A refusal of the executor leaves the flush."""

    switch = "RefusalCaught"

    class SystemTimer(system_timer.SystemTimer):
        __slots__ = ()

        def reinsert(self, entry):
            self.add_timer_task_entry(entry)


class HandsOverAnyway:
    """An entry is handed over although it went into a bucket."""

    switch = "AddedWaits"

    class SystemTimer(system_timer.SystemTimer):
        __slots__ = ()

        def add_timer_task_entry(self, entry):
            self.wheel.add(entry)
            if not entry.cancelled():  # read K1
                self.executor.submit(entry)  # update K2


# -- mutants of a mechanism below: the atomic model cannot see them, a composed run must

class Unguarded:
    """A bucket links an entry without its monitor."""

    class Bucket(timing_wheel.Bucket):
        __slots__ = ("unguarded",)

        def __init__(self, *arguments):
            super().__init__(*arguments)
            self.unguarded = NoMonitor()

        def add(self, entry):
            done = False
            while not done:
                entry.remove()
                with self.unguarded:  # lock A1, unlock A11
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


class Unowned:
    """A bucket unlinks an entry without asking whether it still has it."""

    class Bucket(timing_wheel.Bucket):
        __slots__ = ()

        def remove(self, entry):
            with self.monitor:  # lock U1, unlock U11
                with entry.monitor:  # lock U2, unlock U10
                    entry.list  # read U3
                    entry.next.prev = entry.prev  # write U4
                    entry.prev.next = entry.next  # write U5
                    entry.next = None  # write U6
                    entry.prev = None  # write U7
                    entry.list = None  # write U8
                    self.task_counter.add_and_get(-1)  # update U9


class Peeks:
    """A bucket looks at an entry's link before it has the monitor; what it sees decides nothing that the check under the monitor would not."""

    class Bucket(timing_wheel.Bucket):
        __slots__ = ()

        def remove(self, entry):
            if entry.next is not None:
                super().remove(entry)


class SingleAttempt:
    """An entry's remove makes one attempt."""

    class TimerTaskEntry(timer_task_list.TimerTaskEntry):
        __slots__ = ()

        def remove(self):
            current = self.list  # read R1
            if current is not None:
                current.remove(self)
