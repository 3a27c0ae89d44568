"""SystemTimer driven by Hypothesis on virtual time, beside a dict of deadlines as oracle."""

import logging

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

from impl.system_timer import SystemTimer
from tests.impl.timers import (
    Interposed,
    KafkasOrder,
    Peek,
    Recheck,
    Recording,
    RecordingWheel,
    Task,
    buckets,
    build,
    link,
    linked,
)

TASKS = 5
SIZES = (20, 10, 8, 2, 3, 5)
"""The articles' wheels, and small ones."""


class OfTheTask(Exception):
    """What a task raises."""


class Scripted(Task):
    """Does what the machine has in store for it, once."""

    def __init__(self, name, machine):
        super().__init__(0, machine.timer.clock, name=name)
        self.machine = machine

    def run(self):
        super().run()
        self.machine.runs(self.name)


class Timers(RuleBasedStateMachine):
    """``waiting``: task -> deadline.

    An entry is handed over at the first advance that reaches its tick, or by an add that finds its
    tick reached. It is not handed over before, nor twice, nor after a cancel or another add.
    """

    timer_class, wheel_class, task_class = SystemTimer, RecordingWheel, Scripted
    ordered = True
    """Whether one advance hands over in the order of deadlines, a stalled add's too."""

    @initialize(size=st.sampled_from(SIZES), tick=st.sampled_from([1, 3]), start=st.integers(0, 30))
    def begin(self, size, tick, start):
        self.tick = tick
        self.timer = build(
            self.timer_class,
            self.wheel_class,
            tick_ms=tick,
            wheel_size=size,
            start_ms=start,
            queue=Interposed(),
        )
        self.tasks = [self.task_class(name, self) for name in range(TASKS)]
        self.waiting, self.handed, self.ran = {}, [], []
        self.script = {name: [] for name in range(TASKS)}

    # -- the oracle

    @property
    def now(self):
        return self.timer.clock.hi_res_clock_ms()

    def tick_of(self, deadline):
        return deadline - deadline % self.tick

    def settle(self):
        """Account for what was handed over since the last look."""
        new = [task.name for task in self.timer.executor.executor.handed[len(self.handed) :]]
        at = []
        for name in new:
            assert name in self.waiting, f"task {name} was handed over, and does not wait"
            deadline = self.waiting.pop(name)
            assert self.tick_of(deadline) <= self.now, (
                f"task {name} is early: due at {deadline}, handed over at {self.now}"
            )
            at.append(self.tick_of(deadline))
        assert not self.ordered or at == sorted(at), (
            f"tasks {new} were not handed over in the order of their deadlines"
        )
        self.handed += new

    def runs(self, name):
        """A task runs: its script's operations count as if they were done outside."""
        self.ran.append(name)
        if not self.script[name]:
            return
        action, *arguments = self.script[name].pop(0)
        if action == "raise":
            raise OfTheTask
        {"add": self.put, "cancel": self.take}[action](*arguments)

    def put(self, name, delay):
        task = self.tasks[name]
        task.delay_ms = delay
        self.timer.add(task)
        self.waiting[name] = self.now + delay
        self.settle()

    def take(self, name):
        self.tasks[name].cancel()
        self.waiting.pop(name, None)

    def expire(self):
        self.timer.advance_clock(0)
        self.settle()
        for name, deadline in self.waiting.items():
            assert self.tick_of(deadline) > self.now, (
                f"task {name} is late: due at {deadline}, and not handed over at {self.now}"
            )

    @invariant()
    def holds_what_waits(self):
        if not hasattr(self, "timer"):
            return
        self.timer.executor.executor.drain()
        assert self.ran == self.handed, "each task that was handed over runs once"
        held = sorted(entry.timer_task.name for entry in linked(self.timer))
        assert held == sorted(self.waiting), (
            f"the timer holds {held}, and {sorted(self.waiting)} wait"
        )
        assert self.timer.size() == len(held), (
            f"the size is {self.timer.size()}, and the timer holds {held}"
        )

    # -- operations

    task = st.integers(0, TASKS - 1)
    delay = st.one_of(st.integers(0, 8), st.integers(0, 70), st.integers(0, 1500))
    stall = st.integers(0, 12)
    action = st.one_of(
        st.tuples(st.just("add"), task, delay),
        st.tuples(st.just("cancel"), task),
        st.just(("raise",)),
    )

    @rule(task=task, delay=delay)
    def add(self, task, delay):
        self.put(task, delay)

    @rule(task=task)
    def cancel(self, task):
        self.take(task)

    @rule(task=task, action=action)
    def when_it_runs(self, task, action):
        self.script[task].append(action)

    @rule(ms=st.one_of(delay, st.just(200_000)))
    def advance(self, ms):
        self.timer.clock.advance(ms)
        self.expire()

    @rule(task=task, delay=delay, stall=stall)
    def stalled_add(self, task, delay, stall):
        """An add reads the clock, time passes, the reaper polls, the add and the reaper go on."""
        deadline = self.now + delay

        def go_on():
            link(self.timer, self.tasks[task], deadline)
            self.waiting[task] = deadline
            self.settle()

        self.timer.clock.advance(stall)
        self.timer.queue.then = go_on
        self.expire()
        if self.timer.queue.then is not None:
            self.timer.queue.then = None
            go_on()

    @rule(task=task, before=st.integers(1, 3))
    def stalled_across(self, task, before):
        """The same with a stall to the next bucket's time, the deadline just before it."""
        if len(self.timer.queue):
            stall = self.timer.queue.wait_ms()
            self.stalled_add(task, max(stall - before, 0), stall)

    @rule()
    def to_the_next_bucket(self):
        if len(self.timer.queue):
            self.timer.clock.advance(self.timer.queue.wait_ms())
            self.expire()

    @rule(really=st.integers(0, 9))
    def close(self, really):
        if really == 9:
            self.timer.close()  # leaves the executor alone, which is not its own


@pytest.fixture(autouse=True)
def quiet():
    """Tasks that raise are logged, which is not what is looked at here."""
    logger = logging.getLogger("impl.task_executor")
    logger.disabled = True
    yield
    logger.disabled = False


@pytest.mark.fuzz
class TestTimers(Timers.TestCase):
    """Found by pytest; its length is the Hypothesis profile's."""


# -- planted defects, each found by the same rules


class FiresEarly(RecordingWheel):
    """An entry of the next tick counts as due."""

    def add(self, entry):
        if not entry.cancelled() and entry.expiration_ms < self.current_time + 2 * self.tick_ms:
            return False
        return super().add(entry)


class LosesOnCascade(SystemTimer):
    """What a flush does not hand over it lets go, instead of putting it into a lower level."""

    def add_timer_task_entry(self, entry):
        flushing = any(bucket.monitor._is_owned() for bucket in buckets(self))
        if not flushing or entry.expiration_ms < self.wheel.current_time + self.wheel.tick_ms:
            super().add_timer_task_entry(entry)


class IgnoresCancelAfterReAdd(Scripted):
    """Cancel takes the first entry out that the task ever had."""

    first = None

    def set_timer_task_entry(self, entry):
        super().set_timer_task_entry(entry)
        self.first = self.first or entry

    def cancel(self):
        if self.timer_task_entry is self.first:
            super().cancel()


class Drifting(Recording):
    """An entry that leaves from behind another is still counted."""

    def remove(self, entry):
        behind = entry.list is self and entry.prev is not self.root
        super().remove(entry)
        if behind:
            self.task_counter.add_and_get(1)


class CounterDrifts(RecordingWheel):
    bucket = Drifting


def planted(timer=SystemTimer, wheel=RecordingWheel, task=Scripted, ordered=True):
    return type(
        "Planted",
        (Timers,),
        {"timer_class": timer, "wheel_class": wheel, "task_class": task, "ordered": ordered},
    )


# A search ends at its first finding. The examples depend on the imported modules, whose constants
# it tries: it may need many.
SHORT = settings(
    max_examples=50_000,
    stateful_step_count=8,
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
    text = "\n".join(found.value.__notes__)
    lines = text.splitlines()
    return lines[lines.index("state = Planted()") :]


def by_night(*values):
    return pytest.param(*values, marks=pytest.mark.nightly)


@pytest.mark.parametrize(
    "planting, says, operations",
    [
        ({"wheel": FiresEarly}, "is early", 1),
        by_night({"timer": LosesOnCascade}, "the timer holds", 2),
        by_night({"task": IgnoresCancelAfterReAdd}, "the timer holds", 3),
        by_night({"wheel": CounterDrifts}, "the size is", 3),
        by_night({"timer": KafkasOrder}, "not handed over in the order of their deadlines", 3),
        by_night({"timer": KafkasOrder, "ordered": False}, "is late", 2),
    ],
    ids=[
        "FiresEarly",
        "LosesOnCascade",
        "IgnoresCancelAfterReAdd",
        "CounterDrifts",
        "KafkasOrder, order",
        "KafkasOrder",
    ],
)
def test_a_planted_defect_is_found_with_a_minimal_program(planting, says, operations):
    with pytest.raises(AssertionError, match=says) as found:
        run_state_machine_as_test(planted(**planting), settings=SHORT)
    text = program(found)
    print(*text, sep="\n")
    compile("\n".join(text), "program", "exec")
    called = [
        line.partition("(")[0].removeprefix("state.") for line in text if line.startswith("state.")
    ]
    called = [name for name in called if name not in ("begin", "holds_what_waits", "teardown")]
    # Shrinking finds a local minimum. Which one depends on the constants of the imported modules.
    assert len(called) <= min(2 * operations + 2, SHORT.stateful_step_count - 1)
    if planting.get("timer") is KafkasOrder:
        assert called[-1].startswith("stalled")


@pytest.mark.nightly
@pytest.mark.parametrize("timer", [SystemTimer, Peek, Recheck])
def test_nothing_planted_is_nothing_found(timer):
    run_state_machine_as_test(
        planted(timer),
        settings=settings(SHORT, max_examples=100, stateful_step_count=30, phases=[Phase.generate]),
    )
