"""The production classes driven by one thread beside the model: equal after every operation."""

from types import SimpleNamespace

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule, run_state_machine_as_test

from harness.timer_task_list import Harness, shared
from impl import timer_task_list as impl
from model.pluscal import DONE
from model.timer_task_list import Model
from tests.model.drawing import objects
from tests.model.timer import MECHANISM, NAME, ROOT
from tests.nights import by_night
from wheelproof import isolated

THREAD = "a"


class Interrupted(Exception):
    """What the callback raises."""


class BothRuntimes(RuleBasedStateMachine):
    """The implementation's objects and the model in place; each rule is one operation on both."""

    classes = impl
    """The namespace of the implementation: a planted defect is put here."""

    @initialize(scenario=objects(entries=4))
    def begin(self, scenario):
        self.scenario = scenario | {"threads": {THREAD: []}}
        self.harness = Harness(self.scenario, self.classes)
        self.model = Model(self.scenario)
        self.visible = [name for name in self.model.variables if name not in self.model.AUXILIARY]
        self.lists, self.entries = list(scenario["lists"]), list(scenario["task_of"])
        self.tasks = list(self.harness.tasks)
        self.go_on()
        self.compare()

    # -- both sides

    def pick(self, names, index):
        return names[index % len(names)]

    def both(self, operation, *arguments):
        getattr(self.harness, operation)(*arguments)
        self.continue_model(operation, *arguments)
        self.compare()

    def continue_model(self, operation, *arguments, until=DONE, times=1):
        """Append an operation to the thread's program; step to the given occurrence of a label."""
        self.model.program[THREAD].append([operation, *arguments])
        thread = self.model.processes[0]
        thread.pc = "T0"
        self.go_on(until, times)

    def go_on(self, until=DONE, times=1):
        thread = self.model.processes[0]
        while True:
            if thread.pc == until:
                times -= 1
                if not times:
                    return
            assert self.model.step(0), f"the model is blocked at {thread.pc}"

    def compare(self):
        state = self.model.freeze()
        pieces = dict(zip(self.model.variables, self.model.pieces(state)))
        for name, value in shared(self.harness).items():
            assert value == pieces[name], f"{name} differs from the model's"
        assert set(self.visible) == set(shared(self.harness))
        for name in (*self.model.INVARIANTS, "Termination"):
            assert self.model.holds(name, state), f"{name} does not hold in the model"

    # -- operations

    index = st.integers(0, 11)

    @rule(bucket=index, entry=index)
    def add(self, bucket, entry):
        self.both("add", self.pick(self.lists, bucket), self.pick(self.entries, entry))

    @rule(entry=index)
    def remove(self, entry):
        self.both("remove", self.pick(self.entries, entry))

    @rule(task=index)
    def cancel(self, task):
        self.both("cancel", self.pick(self.tasks, task))

    @rule(bucket=index, entry=index)
    def schedule(self, bucket, entry):
        self.both("schedule", self.pick(self.lists, bucket), self.pick(self.entries, entry))

    @rule(bucket=index)
    def expire(self, bucket):
        self.both("expire", self.pick(self.lists, bucket))

    @rule(bucket=index, destination=index)
    def flush(self, bucket, destination):
        source, target = self.pick(self.lists, bucket), self.pick(self.lists, destination)
        if source != target:  # into itself it would go round for ever
            self.both("flush", source, target)

    @rule(bucket=index, entry=index)
    def remove_from(self, bucket, entry):
        """TimerTaskList.remove of a list that need not have the entry, as when remove is late."""
        name, link = self.pick(self.lists, bucket), self.pick(self.entries, entry)
        self.harness.lists[name].remove(self.harness.entries[link])
        thread = self.model.processes[0]
        self.model.me = THREAD
        self.model.call(thread, "unlink", name, link, back=DONE)
        self.go_on()
        self.compare()

    @rule(bucket=index, destination=index, fails_at=st.integers(1, 4))
    def flush_with_an_exception(self, bucket, destination, fails_at):
        """The callback raises at the n-th entry: that one is out, and the lock is given back."""
        source, target = self.pick(self.lists, bucket), self.pick(self.lists, destination)
        if source == target or len(self.model.members(source)) < fails_at:
            return
        calls = 0

        def callback(entry):
            nonlocal calls
            calls += 1
            if calls == fails_at:
                raise Interrupted
            self.harness.requeue(entry, self.harness.lists[target])

        with pytest.raises(Interrupted):
            self.harness.lists[source].flush(callback)
        # the model: on to the check of that entry, which does not return to the flush but out of it
        self.continue_model("flush", source, target, until="K1", times=fails_at)
        thread = self.model.processes[0]
        self.model.leave(thread)
        assert thread.pc == "F2"
        thread.pc = "F4"
        self.go_on()
        self.compare()


@pytest.mark.fuzz
class TestBothRuntimes(BothRuntimes.TestCase):
    """Found by pytest; its length is the Hypothesis profile's."""


# -- planted defects, each found by the same rules


class CounterNotDecremented(impl.TimerTaskList):
    __slots__ = ()

    def remove(self, entry):
        linked = entry.list is self
        super().remove(entry)
        if linked:
            self.task_counter.add_and_get(1)


class LinkedAtTheHead(impl.TimerTaskList):
    __slots__ = ()

    def add(self, entry):
        super().add(entry)
        last, root = entry, self.root
        if root.next is not last:
            last.prev.next, root.prev = root, last.prev
            last.next, last.prev = root.next, root
            root.next.prev = last
            root.next = last


class FlushedOn(impl.TimerTaskList):
    """An exception of the callback does not end the bisimulation: the rest is taken out too."""

    __slots__ = ()

    def flush(self, callback):
        try:
            super().flush(callback)
        except Interrupted:
            super().flush(lambda entry: None)
            raise


def mutant(decision):
    """The list's class of the implementation without a decision."""
    name = f"impl.{NAME}"
    return isolated.load(ROOT, name, MECHANISM.without(decision).modules).TimerTaskList


def planted(**classes):
    names = {name: value for name, value in vars(impl).items() if isinstance(value, type)}
    return type("Planted", (BothRuntimes,), {"classes": SimpleNamespace(**names | classes)})


# Ends at the first finding. The examples depend on the imported modules: it may need many.
SMALL = settings(
    max_examples=10_000,
    stateful_step_count=15,
    deadline=None,
    database=None,
    derandomize=True,
    print_blob=False,
    suppress_health_check=list(HealthCheck),
    phases=[Phase.generate],
)


@pytest.mark.parametrize(
    "cls, variable",
    [
        (mutant("M1"), "next"),
        by_night((mutant("M19"), "taskCounter")),
        (CounterNotDecremented, "taskCounter"),
        by_night((LinkedAtTheHead, "next")),
        by_night((FlushedOn, "next")),
    ],
    ids=[
        "M1",
        "M19",
        "counter not decremented",
        "linked at the head",
        "flushed on after an exception",
    ],
)
def test_a_planted_defect_is_found(cls, variable):
    with pytest.raises(AssertionError, match=f"^{variable} differs from the model's"):
        run_state_machine_as_test(planted(TimerTaskList=cls), settings=SMALL)


def test_nothing_planted_is_nothing_found():
    run_state_machine_as_test(planted(), settings=settings(SMALL, max_examples=20))


def test_what_matters_only_between_threads_is_not_found_here():
    """M3 drops the second look at entry.list, which one thread never needs: see bisimulation."""
    run_state_machine_as_test(
        planted(TimerTaskList=mutant("M3")), settings=settings(SMALL, max_examples=20)
    )
