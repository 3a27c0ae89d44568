"""The timing wheel driven by Hypothesis with its model as the oracle: all variables compared."""

from functools import cache

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule, run_state_machine_as_test

from model.timing_wheel import Model
from tests.impl.beside_model import Beside
from tests.model.timing_wheel import ARTEFACTS, MECHANISM, NAME, ROOT, levels_for
from tests.nights import only
from wheelproof.python import ControlledImplementation

SIZES = (20, 10, 8, 2, 3, 5)
"""The articles' wheels, and small ones."""

BUCKETS = 60
"""More than any drawn scenario has, or a step of the model would take too long."""


@cache
def shipped():
    return ControlledImplementation.load(ROOT, NAME)


class Wheel(RuleBasedStateMachine):
    """The entries and their deadlines are drawn first, since a scenario of the model fixes them.

    The time of each add, and the operations between adds, are drawn afterwards.
    """

    subject = staticmethod(shipped)
    beside = None

    @initialize(
        size=st.sampled_from(SIZES),
        start=st.integers(0, 45),
        ahead=st.lists(
            st.one_of(st.integers(-2, 8), st.integers(0, 70), st.integers(0, 399)),
            min_size=1,
            max_size=6,
        ),
    )
    def begin(self, size, start, ahead):
        deadlines = [max(start + ms, 0) for ms in ahead]
        while size * levels_for(size, start, deadlines) > BUCKETS:
            deadlines = [start + (deadline - start) // 2 for deadline in deadlines]
        deadline = {f"e{number}": due for number, due in enumerate(deadlines)}
        scenario = {
            "wheel_size": size,
            "levels": levels_for(size, start, deadlines),
            "start": start,
            "deadline": deadline,
            "threads": {
                "adder": [["add", entry] for entry in deadline],
                "reaper": [["expire"]],
                "withdrawer": [["withdraw"]],
            },
        }
        self.beside = Beside(
            self.subject(), Model(scenario), MECHANISM.silent, scenario, {"P1", "Q1"}
        )

    def go(self, thread):
        assert self.beside.let(thread), f"{thread} cannot go on, and no other thread is inside"

    @rule(times=st.integers(1, 3))
    def add(self, times):
        for _ in range(times):
            self.go("adder")

    @rule(times=st.integers(1, 3))
    def expire(self, times):
        """The earliest bucket is taken, the clocks reach its key, it is flushed."""
        for _ in range(times):
            self.go("reaper")

    @rule(really=st.integers(0, 4))
    def withdraw(self, really):
        """The earliest bucket is emptied, and the clocks stand still."""
        if really == 4:
            self.go("withdrawer")

    def teardown(self):
        if self.beside is not None:
            self.beside.end()


class Interleaved(Wheel):
    """The same, and an operation may be left in its middle for another.

    But the clocks stand still while a bucket is withdrawn: in the middle of one of the two the
    other does not begin.
    """

    APART = {"reaper": "withdrawer", "withdrawer": "reaper"}

    def go(self, thread):
        if self.may(thread):
            self.beside.let(thread)

    @rule(thread=st.sampled_from(["adder", "reaper", "withdrawer"]), steps=st.integers(1, 12))
    def some_steps(self, thread, steps):
        if self.may(thread):
            self.beside.some_steps(thread, steps)

    def may(self, thread):
        return thread not in self.APART or self.beside.at_rest(self.APART[thread])


@pytest.mark.fuzz
class TestWheel(Wheel.TestCase):
    """Found by pytest; its length is the Hypothesis profile's."""


@pytest.mark.fuzz
class TestInterleaved(Interleaved.TestCase):
    """Found by pytest; its length is the Hypothesis profile's."""


def test_a_bucket_is_not_expired_while_another_one_is_withdrawn():
    """A withdrawn bucket keeps its key until it is empty; the clocks must not pass it."""
    machine = Interleaved()
    machine.begin(size=8, start=0, ahead=[1, 2, 66])
    machine.add(times=3)
    machine.some_steps(steps=8, thread="withdrawer")
    assert not machine.may("reaper") and machine.may("withdrawer")
    before = machine.beside.state
    machine.expire(times=1)
    assert machine.beside.state == before
    machine.some_steps(steps=12, thread="withdrawer")
    while not machine.may("reaper"):
        machine.some_steps(steps=1, thread="withdrawer")
    machine.expire(times=1)
    assert machine.beside.state != before
    machine.teardown()


# -- planted defects, each found by the same rules

LIST, WHEEL = "impl.timer_task_list", "impl.timing_wheel"

DEFECTS = {
    "FiresEarly": (
        "adder takes K2 next, W2 in the model",
        2,
        (
            WHEEL,
            "return deadline_ms < current_ms + tick_ms",
            "return deadline_ms <= current_ms + tick_ms",
        ),
    ),
    "LosesOnCascade": (
        "reaper takes F2 next, W1 in the model",
        3,
        (
            "harness.timing_wheel",
            "bucket.flush(self.put)",
            "bucket.flush(lambda entry: entry.expiration_ms <= expiration and self.put(entry))",
        ),
    ),
    "CounterDrifts": ("taskCounter.1. is", 2, (LIST, "add_and_get(-1)", "add_and_get(-2)")),
    "WrongInterval": (
        "made.1. is 1, 2 in the model",
        1,
        (WHEEL, "            self.interval,\n", "            2 * self.interval,\n"),
    ),
    "SlotAtCurrentTick": (
        "adder takes W2 next, K2 in the model",
        1,
        (WHEEL, "return deadline_ms < current_ms + tick_ms", "return deadline_ms < current_ms"),
    ),
    "M12": ("key.[0-9]+. is", 2, "M12"),
    "M18": ("current.2. is", 3, "M18"),
    "WrongSlot": ("content.[0-9]+. is", 2, "WrongSlot"),
    "NarrowTurn": (
        "adder takes W5 next, W2 in the model",
        2,
        (
            WHEEL,
            "return deadline_ms < current_ms + interval_ms",
            "return deadline_ms < current_ms + interval_ms - 1",
        ),
    ),
}


def planted(change):
    """The implementation without a decision, or with a text in the place of another."""
    if isinstance(change, str):
        return ARTEFACTS.mutant(change)
    module, old, new = change
    text = (ROOT / module.replace(".", "/")).with_suffix(".py").read_text(encoding="utf-8")
    assert text.count(old) == 1, f"{module}: {old!r} is there {text.count(old)} times"
    return ControlledImplementation.load(
        ROOT, NAME, texts={module: text.replace(old, new)}, lint=False
    )


# A search ends at its first finding. The examples depend on the imported modules, whose constants
# it tries: it may need many.
SHORT = settings(
    max_examples=20_000,
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


@pytest.mark.parametrize("name", only(DEFECTS, "WrongInterval"))
def test_a_planted_defect_is_found_with_a_minimal_program(name):
    says, operations, change = DEFECTS[name]
    subject = planted(change)
    with pytest.raises(AssertionError, match=f"^after [a-z]+\\.[A-Z]+[0-9]+: .*({says})") as found:
        run_state_machine_as_test(
            type("Planted", (Wheel,), {"subject": staticmethod(lambda: subject)}), settings=SHORT
        )
    text = program(found)
    print(found.value.args[0], *text, sep="\n")
    compile("\n".join(text), "program", "exec")
    called = [
        line.partition("(")[0].removeprefix("state.") for line in text if line.startswith("state.")
    ]
    assert len([rule for rule in called if rule in ("add", "expire", "withdraw")]) <= min(
        2 * operations + 1, 5
    )  # shrinking finds a local minimum
