"""A timer on virtual time that notes its moves, and changed wheels, for the articles' examples."""

from __future__ import annotations

from impl.clock import VirtualClock
from impl.delay_queue import FOREVER_MS
from impl.system_timer import SystemTimer
from impl.timer_task_list import TimerTask, TimerTaskEntry
from impl.timing_wheel import NOT_QUEUED, TimingWheel

MOVES = 10_000
"""More moves than any example makes: a mutant that puts entries back for ever ends here."""


class Inline:
    """An executor that runs tasks at once, on the caller's thread with the timer's locks held.

    A :class:`Note` does not mind that.
    """

    def submit(self, function, *arguments) -> None:
        function(*arguments)


class Note(TimerTask):
    """A task that notes when it runs."""

    __slots__ = ("clock", "ran_at")

    def __init__(self, delay_ms: int, clock: VirtualClock) -> None:
        super().__init__(delay_ms)
        self.clock, self.ran_at = clock, []

    def run(self) -> None:
        self.ran_at.append(self.clock.hi_res_clock_ms())


class Noting(SystemTimer):
    """A SystemTimer on virtual time. ``moves``: (wheel clock, deadline, place) per insertion."""

    __slots__ = ("moves",)

    def __init__(
        self, wheel: type[TimingWheel], tick_ms: int, wheel_size: int, start_ms: int = 0
    ) -> None:
        clock = VirtualClock(start_ms)
        super().__init__(Inline(), tick_ms, wheel_size, start_ms, clock)
        self.wheel = wheel(tick_ms, wheel_size, start_ms, self.task_counter, self.queue, clock)
        self.moves = []

    def add_timer_task_entry(self, entry: TimerTaskEntry) -> None:
        super().add_timer_task_entry(entry)
        assert len(self.moves) < MOVES, (
            f"the entry due at {entry.expiration_ms} ms goes round in circles"
        )
        self.moves.append((self.wheel.current_time, entry.expiration_ms, place(self.wheel, entry)))

    def reinsert(self, entry: TimerTaskEntry) -> None:
        """As the timer does, but what is raised, such as the assertion above, ends the flush."""
        self.add_timer_task_entry(entry)

    def put(self, *delays_ms: int) -> list[Note]:
        tasks = [Note(delay, self.clock) for delay in delays_ms]
        for task in tasks:
            self.add(task)
        return tasks

    def to(self, time_ms: int) -> None:
        """Let the time come to ``time_ms``; the reaper works at each moment at which it has to."""
        while (wait := self.queue.wait_ms()) < FOREVER_MS and self.clock.hi_res_clock_ms() + max(
            wait, 0
        ) <= time_ms:
            self.clock.advance(max(wait, 0))
            assert self.advance_clock(0), (
                "the queue says that a bucket is due, and the timer finds none"
            )
        self.clock.advance(time_ms - self.clock.hi_res_clock_ms())


def levels(wheel: TimingWheel) -> list[TimingWheel]:
    found = []
    while wheel is not None:
        found.append(wheel)
        wheel = wheel.overflow_wheel
    return found


def clocks(wheel: TimingWheel) -> list[int]:
    """The clock of every level, lowest first."""
    return [level.current_time for level in levels(wheel)]


def place(wheel: TimingWheel, entry: TimerTaskEntry) -> tuple[int, int, int] | None:
    """Level (from 1), slot (from 0) and key of the bucket that has the entry; None if none has."""
    for number, level in enumerate(levels(wheel), 1):
        for slot, bucket in enumerate(level.buckets):
            if entry.list is bucket:
                return number, slot, bucket.expiration.get()
    return None


class Hooked(TimingWheel):
    """The wheel with each decision of ``add`` as its own method. No mutant: every check passes."""

    __slots__ = ()

    def due(self, deadline: int) -> bool:
        return deadline < self.current_time + self.tick_ms

    def fits(self, deadline: int) -> bool:
        return deadline < self.current_time + self.interval

    def slot(self, deadline: int) -> int:
        return deadline // self.tick_ms % self.wheel_size

    def key(self, deadline: int) -> int:
        return deadline - deadline % self.tick_ms

    def offers(self, bucket, key: int) -> bool:
        return bucket.set_expiration(key)

    def add(self, entry: TimerTaskEntry) -> bool:
        deadline = entry.expiration_ms
        if entry.cancelled() or self.due(deadline):
            return False
        if self.fits(deadline):
            bucket = self.buckets[self.slot(deadline)]
            bucket.add(entry)
            if self.offers(bucket, self.key(deadline)):
                self.queue.offer(bucket)
            return True
        return self.parent().add(entry)


class WideTurn(Hooked):
    """A level takes what lies one tick beyond its turn."""

    __slots__ = ()

    def fits(self, deadline: int) -> bool:
        return deadline < self.current_time + self.interval + self.tick_ms


class NarrowTurn(Hooked):
    """A level leaves its last slot to the level above."""

    __slots__ = ()

    def fits(self, deadline: int) -> bool:
        return deadline < self.current_time + self.interval - self.tick_ms


class NextSlot(Hooked):
    """Slots are counted from 1."""

    __slots__ = ()

    def slot(self, deadline: int) -> int:
        return (deadline // self.tick_ms + 1) % self.wheel_size


class SlotOfDelay(Hooked):
    """The slot follows from how far off the deadline is, as an article has it for 33 s and 39 s."""

    __slots__ = ()

    def slot(self, deadline: int) -> int:
        return (deadline - self.current_time) // self.tick_ms % self.wheel_size


class KeyIsDeadline(Hooked):
    """A bucket expires with its earliest entry, as two articles have it."""

    __slots__ = ()

    def key(self, deadline: int) -> int:
        return deadline

    def offers(self, bucket, key: int) -> bool:
        old = bucket.expiration.get()
        return (old == NOT_QUEUED or key < old) and bucket.set_expiration(key)


class KeyIsEnd(Hooked):
    """A bucket expires when its time is over."""

    __slots__ = ()

    def key(self, deadline: int) -> int:
        return super().key(deadline) + self.tick_ms


class OffersAlways(Hooked):
    """Every add queues the bucket."""

    __slots__ = ()

    def offers(self, bucket, key: int) -> bool:
        return bucket.set_expiration(key) or True


class DueEarly(Hooked):
    """What is due within the next tick counts as due."""

    __slots__ = ()

    def due(self, deadline: int) -> bool:
        return deadline <= self.current_time + self.tick_ms


class Unrounded(Hooked):
    """The clock is set to the time as it is."""

    __slots__ = ()

    def __init__(self, tick_ms, wheel_size, start_ms, *others) -> None:
        super().__init__(tick_ms, wheel_size, start_ms, *others)
        self.current_time = start_ms

    def advance_clock(self, time_ms: int) -> None:
        if time_ms >= self.current_time + self.tick_ms:
            self.current_time = time_ms
            if self.overflow_wheel is not None:
                self.overflow_wheel.advance_clock(time_ms)


class OneTickOnly(Hooked):
    """The clock moves on by one tick at a time, however much has passed."""

    __slots__ = ()

    def advance_clock(self, time_ms: int) -> None:
        if time_ms >= self.current_time + self.tick_ms:
            self.current_time += self.tick_ms
            if self.overflow_wheel is not None:
                self.overflow_wheel.advance_clock(self.current_time)


class NoCascade(Hooked):
    """The level above does not get the time."""

    __slots__ = ()

    def advance_clock(self, time_ms: int) -> None:
        if time_ms >= self.current_time + self.tick_ms:
            self.current_time = time_ms - time_ms % self.tick_ms


class CountsApart(Hooked):
    """Each bucket counts its own entries."""

    __slots__ = ()

    def __init__(self, *arguments) -> None:
        super().__init__(*arguments)
        for bucket in self.buckets:
            bucket.task_counter = type(self.task_counter)(0)


class Clamping(Hooked):
    """Bad arguments are made good in silence."""

    __slots__ = ()

    def __init__(self, tick_ms, wheel_size, start_ms, *others) -> None:
        super().__init__(max(tick_ms, 1), max(wheel_size, 2), max(start_ms, 0), *others)


class AllLevelsAtOnce(Hooked):
    """Four levels are made in advance."""

    __slots__ = ()

    def __init__(self, tick_ms, *others) -> None:
        super().__init__(tick_ms, *others)
        if self.interval < 10_000:
            self.parent()
