"""TimingWheel with one decision taken away at a time; see ``mutants/timer_task_list.py`` for the rules."""
from __future__ import annotations

from impl import timing_wheel
from impl.runtime import NoMonitor
from impl.timing_wheel import NOT_QUEUED, bucket_expiration, bucket_index, expired, fits
from mapping import timing_wheel as users


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
            return self.parent().add(entry)  # update W5


class M12:
    """A flushed bucket keeps its key."""

    switch = "ResetKey"

    class Bucket(timing_wheel.Bucket):
        __slots__ = ()

        def flush(self, callback):
            with self.monitor:  # lock V1, unlock V3
                timing_wheel.TimerTaskList.flush(self, callback)
                self.expiration.get()  # read V2


class ResetLate:
    """The key is reset when the bucket's monitor has been given back."""

    switch = "ResetUnderMonitor"

    class Bucket(timing_wheel.Bucket):
        __slots__ = ()

        def flush(self, callback):
            with self.monitor:  # lock V1, unlock V3
                timing_wheel.TimerTaskList.flush(self, callback)
            self.expiration.set(NOT_QUEUED)  # write V2


class M13:
    """The wheel's users do not keep to the contract: they add while the clock advances."""

    switch = "KeepsContract"

    class World(users.World):
        def __init__(self, *arguments):
            super().__init__(*arguments)
            self.contract.read_lock = NoMonitor()


class M17_late:
    """What is due within the tick that has begun is put into the slot of that tick."""

    switch = "OverAtTick"

    class TimingWheel(timing_wheel.TimingWheel):
        __slots__ = ()

        def add(self, entry):
            if entry.cancelled():  # read W1
                return False
            deadline, current = entry.expiration_ms, self.current_time
            if deadline < current:
                return False
            if fits(deadline, current, self.interval):
                bucket = self.buckets[bucket_index(deadline, self.tick_ms, self.wheel_size)]
                bucket.add(entry)  # update W2
                if bucket.set_expiration(bucket_expiration(deadline, self.tick_ms)):
                    self.queue.offer(bucket)  # update W4
                return True
            return self.parent().add(entry)  # update W5


class M17_turn:
    """A turn has one tick too many."""

    switch = "WithinTurn"

    class TimingWheel(timing_wheel.TimingWheel):
        __slots__ = ()

        def add(self, entry):
            if entry.cancelled():  # read W1
                return False
            deadline, current = entry.expiration_ms, self.current_time
            if expired(deadline, current, self.tick_ms):
                return False
            if deadline <= current + self.interval:
                bucket = self.buckets[bucket_index(deadline, self.tick_ms, self.wheel_size)]
                bucket.add(entry)  # update W2
                if bucket.set_expiration(bucket_expiration(deadline, self.tick_ms)):
                    self.queue.offer(bucket)  # update W4
                return True
            return self.parent().add(entry)  # update W5


class M18:
    """A level takes the time as it is given."""

    switch = "ParentRounds"

    class TimingWheel(timing_wheel.TimingWheel):
        __slots__ = ()

        def advance_clock(self, time_ms):
            if time_ms >= self.current_time + self.tick_ms:
                self.current_time = time_ms  # write V4
                parent = self.overflow_wheel  # read V5
                if parent is not None:
                    parent.advance_clock(self.current_time)


class WrongSlot:
    """The slot is counted in milliseconds on every level."""

    switch = "DividesByTick"

    class TimingWheel(timing_wheel.TimingWheel):
        __slots__ = ()

        def add(self, entry):
            if entry.cancelled():  # read W1
                return False
            deadline, current = entry.expiration_ms, self.current_time
            if expired(deadline, current, self.tick_ms):
                return False
            if fits(deadline, current, self.interval):
                bucket = self.buckets[deadline % self.wheel_size]
                bucket.add(entry)  # update W2
                if bucket.set_expiration(bucket_expiration(deadline, self.tick_ms)):
                    self.queue.offer(bucket)  # update W4
                return True
            return self.parent().add(entry)  # update W5


class SaysNo:
    """Nobody learns that the wheel took the entry."""

    switch = "SaysWhatItTook"

    class TimingWheel(timing_wheel.TimingWheel):
        __slots__ = ()

        def add(self, entry):
            super().add(entry)
            return False
