"""The bare timing wheel driven by Hypothesis beside a dict; all properties after every rule."""

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    rule,
    run_state_machine_as_test,
)

from impl.clock import VirtualClock
from impl.delay_queue import DelayQueue
from impl.runtime import Atomic
from impl.timer_task_list import TimerTask, TimerTaskEntry
from impl.timing_wheel import trim
from tests.impl import timing
from tests.impl.timers import Recording, RecordingWheel
from tests.nights import by_night, only

SIZES = (20, 10, 8, 2, 3, 5)
"""The articles' wheels, and small ones."""

LATE_MS = 1 << 40
"""The queue's clock: every bucket can be taken, and the wheel's own clock is the only time."""

NAMES = (
    "SlotInRange",
    "NotCurrentSlot",
    "OneKeyPerSlot",
    "KeyWindow",
    "DemotionDescends",
    "LevelBound",
    "QueuedOnceWithItsKey",
    "KeyBeforeDeadline",
    "NotEarly",
    "LatenessBound",
    "CounterExact",
    "HoldsWhatWaits",
)


class Wheels(RuleBasedStateMachine):
    """``waiting``: number of an entry -> deadline.

    The clock goes to a bucket's key when the queue gives it out, or on past all that was due.

    ``looked_at``: the properties that are checked; a control of one property checks that one alone.
    """

    wheel_class, looked_at = RecordingWheel, NAMES

    @initialize(size=st.sampled_from(SIZES), tick=st.sampled_from([1, 3]), start=st.integers(0, 50))
    def begin(self, size, tick, start):
        self.size, self.tick = size, tick
        self.wheel = self.wheel_class(
            tick, size, start, Atomic(0), DelayQueue(), VirtualClock(LATE_MS)
        )
        self.time = trim(start, tick)
        self.entries, self.waiting = {}, {}

    # -- what is looked at

    def holds(self, name, condition, says):
        assert condition or name not in self.looked_at, f"{name}: {says}"

    def levels(self):
        """Number of each level, from 1, its tick by the definition, and the level."""
        return [
            (number, self.tick * self.size ** (number - 1), level)
            for number, level in enumerate(timing.levels(self.wheel), 1)
        ]

    def buckets(self):
        """Number and tick of the level, its clock, slot and bucket, and its entries' numbers."""
        number = {id(entry): name for name, entry in self.entries.items()}
        for level, tick, wheel in self.levels():
            for slot, bucket in enumerate(wheel.buckets):
                names, entry = [], bucket.root.next
                while entry is not bucket.root:
                    names.append(number[id(entry)])
                    entry = entry.next
                yield level, tick, wheel.current_time, slot, bucket, names

    def goes(self, name, out_of=None):
        """An entry is put into the wheel, out of a bucket of a level or from outside."""
        deadline, entry = self.waiting[name], self.entries[name]
        due = trim(deadline, self.tick) <= self.time
        taken = self.wheel.add(entry)
        if not taken:
            del self.waiting[name]
            self.holds(
                "NotEarly", due, f"entry {name}, due at {deadline}, is handed over at {self.time}"
            )
            return
        self.holds(
            "LatenessBound", not due, f"entry {name}, due at {deadline}, waits on at {self.time}"
        )
        self.rounds += 1
        assert self.rounds < 1000, "an entry goes round in circles"
        if (where := timing.place(self.wheel, entry)) is None:
            return  # HoldsWhatWaits says so
        level, slot, key = where
        _, tick, wheel = self.levels()[level - 1]
        clock, window = wheel.current_time, tick * (self.size - 1)
        goes = (
            f"entry {name}, due at {deadline}, goes into slot {slot} of level {level} "
            f"under the key {key}; the level's clock is at {clock}"
        )
        self.holds("NotCurrentSlot", slot != clock // tick % self.size, goes)
        self.holds("KeyWindow", clock < key <= clock + window, goes)
        ahead = (deadline - self.time) // self.tick
        self.holds(
            "LevelBound",
            ahead < self.size**level and (level == 1 or ahead >= self.size ** (level - 2)),
            f"entry {name}, {ahead} ticks ahead, is on level {level}",
        )
        self.holds(
            "DemotionDescends",
            out_of is None or level < out_of,
            f"entry {name} goes from level {out_of} to level {level}",
        )

    def expire(self):
        """The earliest bucket is taken, the clocks reach its key, and it is flushed."""
        bucket = self.wheel.queue.poll_now()
        key = bucket.expiration.get()
        level = next(level for level, _, _, _, other, _ in self.buckets() if other is bucket)
        number = {id(entry): name for name, entry in self.entries.items()}
        self.time = max(self.time, trim(key, self.tick))
        self.wheel.advance_clock(key)
        bucket.flush(lambda entry: self.goes(number[id(entry)], level))

    @invariant()
    def every_property_holds(self):
        if not hasattr(self, "wheel"):
            return
        heap, linked = self.wheel.queue.heap, []
        for level, tick, clock, slot, bucket, names in self.buckets():
            linked += names
            deadlines = [self.waiting.get(name) for name in names]
            if None in deadlines:
                continue  # it is linked and does not wait: HoldsWhatWaits
            key, of = bucket.expiration.get(), f"slot {slot} of level {level}"
            keys = {trim(deadline, tick) for deadline in deadlines}
            self.holds(
                "SlotInRange",
                all(deadline // tick % self.size == slot for deadline in deadlines),
                f"{of} has the deadlines {deadlines}",
            )
            self.holds(
                "OneKeyPerSlot", len(keys) <= 1, f"{of} has entries of the keys {sorted(keys)}"
            )
            self.holds(
                "QueuedOnceWithItsKey",
                heap.count(bucket) <= 1
                and (not names or bucket in heap)
                and not bucket.rekeyed
                and (not names or {key} == keys),
                f"{of}, with the key {key}, is queued {heap.count(bucket)} times; "
                f"the keys of its entries are {sorted(keys)}; "
                f"new keys while queued: {bucket.rekeyed}",
            )
            if bucket in heap:
                # at the clock: another bucket of this key was taken first
                self.holds(
                    "KeyWindow",
                    clock <= key <= clock + tick * (self.size - 1),
                    f"{of}, whose clock is at {clock}, has the key {key}",
                )
                self.holds(
                    "KeyBeforeDeadline",
                    all(key <= deadline for deadline in deadlines),
                    f"{of}, with the key {key}, has the deadlines {deadlines}",
                )
        self.holds(
            "HoldsWhatWaits",
            sorted(linked) == sorted(self.waiting),
            f"{sorted(linked)} are linked, and {sorted(self.waiting)} wait",
        )
        counted = self.wheel.task_counter.get()
        self.holds(
            "CounterExact",
            counted == len(linked),
            f"{counted} are counted, and {len(linked)} are linked",
        )
        if (
            not heap or heap[0].expiration.get() > self.time
        ):  # else another bucket of the same key was taken first
            late = [
                deadline
                for deadline in self.waiting.values()
                if trim(deadline, self.tick) <= self.time
            ]
            self.holds(
                "LatenessBound",
                not late,
                f"at {self.time} entries with the deadlines {late} still wait",
            )

    # -- operations

    ahead = st.one_of(st.integers(0, 8), st.integers(0, 70), st.integers(0, 1500))

    @rule(ahead=ahead)
    def add(self, ahead):
        self.rounds, name = 0, len(self.entries)
        self.waiting[name] = self.time + ahead
        self.entries[name] = TimerTaskEntry(TimerTask(0), self.time + ahead)
        self.goes(name)

    @rule(which=st.integers(0, 9))
    def remove(self, which):
        if self.entries:
            name = which % len(self.entries)
            self.entries[name].timer_task.cancel()
            self.waiting.pop(name, None)

    @rule()
    def expire_next(self):
        self.rounds = 0
        if len(self.wheel.queue):
            self.expire()

    @rule(ms=ahead)
    def advance(self, ms):
        """Buckets are flushed in the order of their keys, then the clock goes on to a time."""
        self.rounds, to, heap = 0, self.time + ms, self.wheel.queue.heap
        while heap and heap[0].expiration.get() <= to:
            self.expire()
        self.time = trim(to, self.tick)
        self.wheel.advance_clock(to)


@pytest.mark.fuzz
class TestWheels(Wheels.TestCase):
    """Found by pytest; its length is the Hypothesis profile's."""


# -- planted defects: each property rejects one by itself


class LosesOnCascade(RecordingWheel):
    """What comes down from a higher level is taken, and put nowhere."""

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.known = set()

    def add(self, entry):
        if entry in self.known and entry.expiration_ms >= self.current_time + self.tick_ms:
            return True
        self.known.add(entry)
        return super().add(entry)


class Drifting(Recording):
    """An entry that leaves alone, and not with its bucket, is still counted."""

    def remove(self, entry):
        alone = entry.list is self and not self.monitor._is_owned()
        super().remove(entry)
        if alone:
            self.task_counter.add_and_get(1)


class CounterDrifts(RecordingWheel):
    bucket = Drifting


class WrongInterval(RecordingWheel):
    """The overflow wheel's tick is two turns."""

    def new_parent(self):
        return type(self)(
            2 * self.interval,
            self.wheel_size,
            self.current_time,
            self.task_counter,
            self.queue,
            self.clock,
        )


class SlotAtCurrentTick(timing.Hooked):
    """An entry due within the current tick goes into that tick's slot, which is over (M17)."""

    def due(self, deadline):
        return deadline < self.current_time


class SlotOfTwoTicks(timing.Hooked):
    """Two ticks share a slot."""

    def slot(self, deadline):
        return deadline // (2 * self.tick_ms) % self.wheel_size


def recording(mutant):
    """The mutant, with buckets that note their keys."""
    return type(mutant.__name__, (RecordingWheel, mutant), {})


DEFECTS = {
    "SlotInRange": timing.NextSlot,
    "NotCurrentSlot": timing.WideTurn,
    "OneKeyPerSlot": SlotOfTwoTicks,
    "KeyWindow": timing.KeyIsEnd,
    "DemotionDescends": timing.OneTickOnly,
    "LevelBound": WrongInterval,
    "QueuedOnceWithItsKey": timing.OffersAlways,
    "KeyBeforeDeadline": timing.KeyIsEnd,
    "NotEarly": timing.DueEarly,
    "LatenessBound": SlotAtCurrentTick,
    "CounterExact": CounterDrifts,
    "HoldsWhatWaits": LosesOnCascade,
}
"""Property -> what it rejects while nothing else is looked at."""

ALSO = [
    ("NotCurrentSlot", SlotAtCurrentTick),
    ("KeyWindow", timing.Unrounded),
    ("SlotInRange", timing.SlotOfDelay),
    ("NotEarly", WrongInterval),
]


BY_DAY = ("DemotionDescends", "KeyBeforeDeadline", "LatenessBound", "NotEarly")
"""Properties whose defects are found soon."""


def planted(wheel, *looked_at):
    return type(
        "Planted",
        (Wheels,),
        {
            "wheel_class": wheel if issubclass(wheel, RecordingWheel) else recording(wheel),
            "looked_at": looked_at or NAMES,
        },
    )


# A search ends at its first finding. The examples depend on the imported modules, whose constants
# it tries: it may need many.
SHORT = settings(
    max_examples=50_000,
    stateful_step_count=6,
    deadline=None,
    database=None,
    derandomize=True,
    print_blob=False,
    report_multiple_bugs=False,
    suppress_health_check=list(HealthCheck),
    phases=[Phase.generate, Phase.shrink],
)


def program(found):
    """The minimal program that Hypothesis prints with a failure."""
    lines = "\n".join(found.value.__notes__).splitlines()
    return lines[lines.index("state = Planted()") :]


@pytest.mark.parametrize(
    "name, wheel",
    [*only(DEFECTS.items(), *BY_DAY), *map(by_night, ALSO)],
    ids=lambda value: getattr(value, "__name__", value),
)
def test_a_planted_defect_is_rejected_by_one_property(name, wheel):
    with pytest.raises(AssertionError, match=f"^{name}: ") as found:
        run_state_machine_as_test(planted(wheel, name), settings=SHORT)
    text = program(found)
    print(*text, sep="\n")
    compile("\n".join(text), "program", "exec")
    called = [
        line.partition("(")[0].removeprefix("state.") for line in text if line.startswith("state.")
    ]
    assert (
        len([rule for rule in called if rule in ("add", "remove", "expire_next", "advance")]) <= 6
    )  # shrinking finds a local minimum


def test_every_property_rejects_something():
    assert set(DEFECTS) == set(NAMES)


@pytest.mark.parametrize("wheel", [RecordingWheel, timing.Hooked])
def test_nothing_planted_is_nothing_found(wheel):
    run_state_machine_as_test(
        planted(wheel),
        settings=settings(SHORT, max_examples=40, stateful_step_count=20, phases=[Phase.generate]),
    )
