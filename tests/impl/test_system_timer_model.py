"""SystemTimer driven by Hypothesis with its model as the oracle: all variables are compared."""

from functools import cache

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule, run_state_machine_as_test

from tests.impl.beside_model import Beside
from tests.model.artefacts import ROOT
from tests.model.system_timer import ARTEFACTS, MECHANISM, NAME
from tests.model.timing_wheel import levels_for
from tests.nights import only
from wheelproof.python import ControlledImplementation

SIZES = (20, 10, 8, 2, 3, 5)
"""The articles' wheels, and small ones."""

TASKS = ("a", "b")
TICKS = 45
"""How far the clock can go."""


@cache
def shipped():
    return ControlledImplementation.load(ROOT, NAME)


class Timer(RuleBasedStateMachine):
    """Every thread's program, and each entry's task and deadline, are drawn first.

    A scenario of the model fixes them. The thread that goes on is drawn afterwards, one operation
    at a time. The passing of time is an operation too.
    """

    subject, decision, beside = staticmethod(shipped), "", None

    @initialize(
        size=st.sampled_from(SIZES),
        cancelled=st.lists(st.sampled_from(TASKS), min_size=1, max_size=3),
        entries=st.lists(
            st.tuples(
                st.sampled_from(TASKS), st.one_of(st.integers(0, 8), st.integers(0, TICKS - 1))
            ),
            min_size=1,
            max_size=5,
            unique=True,
        ),
    )
    def begin(self, size, entries, cancelled):
        """``entries``: (task, deadline). The harness knows an entry of a task by its deadline."""
        tasks = {f"{task}{due}": task for task, due in entries}
        deadline = {f"{task}{due}": due for task, due in entries}
        known = set(tasks.values())
        cancels = [["cancel", task] for task in cancelled if task in known]
        scenario = {
            "wheel_size": size,
            "levels": levels_for(size, 0, [*deadline.values()]),
            "task_of": tasks,
            "deadline": deadline,
            "threads": {
                "adder": [["add", entry] for entry in tasks],
                "canceller": cancels,
                "clock": [["tick"]] * TICKS,
                "reaper": [["reap"]],
                "executor": [["execute"]] * 4,
                "closer": [["close"]],
            },
        }
        self.beside = Beside(
            self.subject(),
            MECHANISM.without(self.decision).model_of(scenario),
            MECHANISM.silent,
            scenario,
            {"R1"},
        )

    def go(self, thread):
        assert self.beside.let(thread), f"{thread} cannot go on, and no other thread is inside"

    @rule(times=st.integers(1, 3))
    def add(self, times):
        for _ in range(times):
            self.go("adder")

    @rule()
    def cancel(self):
        self.go("canceller")

    @rule(ms=st.one_of(st.integers(1, 5), st.integers(1, TICKS)))
    def pass_time(self, ms):
        for _ in range(ms):
            self.go("clock")

    @rule()
    def reap(self):
        """advanceClock once: nothing if no bucket is due."""
        self.go("reaper")

    @rule()
    def reap_the_next(self):
        """The same at the moment when there is a bucket to expire, if it comes."""
        while not self.beside.can_move("reaper") and self.beside.can_move("clock"):
            self.go("clock")
        self.go("reaper")

    @rule()
    def execute(self):
        """Its thread takes the first task and runs it, if one waits."""
        if self.beside.can_move("executor"):
            self.go("executor")

    @rule(really=st.integers(0, 9))
    def close(self, really):
        if really == 9:
            self.go("closer")

    def teardown(self):
        if self.beside is not None:
            self.beside.end()


class Interleaved(Timer):
    """The same, and an operation may be left in its middle for another: that is where D1 is."""

    def go(self, thread):
        self.beside.let(thread)

    @rule(
        thread=st.sampled_from(["adder", "canceller", "reaper", "closer"]), steps=st.integers(1, 12)
    )
    def some_steps(self, thread, steps):
        self.beside.some_steps(thread, steps)

    @rule()
    def add_while_the_reaper_waits(self):
        """The reaper has a bucket in its hand, and wants the lock; an adder was faster."""
        while not self.beside.can_move("reaper") and self.beside.can_move("clock"):
            self.go("clock")
        self.beside.some_steps("reaper", 1)
        self.go("adder")
        self.go("reaper")


@pytest.mark.fuzz
class TestTimer(Timer.TestCase):
    """Found by pytest; its length is the Hypothesis profile's."""


@pytest.mark.fuzz
class TestInterleaved(Interleaved.TestCase):
    """Found by pytest; its length is the Hypothesis profile's."""


# -- planted defects, each found by the same rules

LIST, WHEEL, TIMER = "impl.timer_task_list", "impl.timing_wheel", "impl.system_timer"

DEFECTS = {
    "FiresEarly": (
        "adder takes K1 next, W2 in the model",
        1,
        [
            (
                WHEEL,
                "return deadline_ms < current_ms + tick_ms",
                "return deadline_ms <= current_ms + tick_ms",
            )
        ],
    ),
    "LosesOnCascade": (
        "reaper takes F2 next, W1 in the model",
        3,
        [
            (
                TIMER,
                "bucket.flush(callback)",
                "bucket.flush(lambda entry: entry.expiration_ms <= expiration and callback(entry))",
            )
        ],
    ),
    "IgnoresCancelAfterReAdd": (
        "timerTaskEntry.[12]. is '[ab][0-9]+', None in the model",
        3,
        [
            (LIST, '__slots__ = ("delay_ms", ', '__slots__ = ("first", "delay_ms", '),
            (
                LIST,
                "        self.delay_ms = delay_ms\n",
                "        self.delay_ms = delay_ms\n        self.first = None\n",
            ),
            (
                LIST,
                "            self.timer_task_entry = entry  # write S3\n",
                "            self.timer_task_entry = entry  # write S3\n"
                "            self.first = self.first or entry\n",
            ),
            (
                LIST,
                "            if entry is not None:\n"
                "                entry.remove()\n"
                "            self.timer_task_entry = None",
                "            if entry is not self.first:\n"
                "                return\n"
                "            if entry is not None:\n"
                "                entry.remove()\n"
                "            self.timer_task_entry = None",
            ),
        ],
    ),
    "CounterDrifts": ("taskCounter.1. is", 2, [(LIST, "add_and_get(-1)", "add_and_get(-2)")]),
    "KafkasOrder": ("reaper takes R5 next, R3 in the model", 3, "D1"),
}


def planted(changes):
    """The implementation without a decision, or with texts in the place of others."""
    if isinstance(changes, str):
        return ARTEFACTS.mutant(changes)
    texts = {}
    for module, old, new in changes:
        text = texts.get(module) or (ROOT / module.replace(".", "/")).with_suffix(".py").read_text(
            encoding="utf-8"
        )
        assert text.count(old) == 1, f"{module}: {old!r} is there {text.count(old)} times"
        texts[module] = text.replace(old, new)
    return ControlledImplementation.load(ROOT, NAME, texts=texts, lint=False)


# A search ends at its first finding. The examples depend on the imported modules, whose constants
# it tries: it may need many.
SHORT = settings(
    max_examples=20_000,
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
    lines = "\n".join(found.value.__notes__).splitlines()
    return lines[lines.index("state = Planted()") :]


BY_DAY = "FiresEarly"
"""Without a model the other machine finds most others sooner."""


@pytest.mark.parametrize("name", only(DEFECTS, BY_DAY))
def test_a_planted_defect_is_found_with_a_minimal_program(name):
    says, operations, changes = DEFECTS[name]
    subject = planted(changes)
    with pytest.raises(AssertionError, match=f"^after [a-z]+\\.[A-Z]+[0-9]+: .*({says})") as found:
        run_state_machine_as_test(
            type("Planted", (Timer,), {"subject": staticmethod(lambda: subject)}), settings=SHORT
        )
    text = program(found)
    print(found.value.args[0], *text, sep="\n")
    compile("\n".join(text), "program", "exec")
    called = [
        line.partition("(")[0].removeprefix("state.") for line in text if line.startswith("state.")
    ]
    assert len(
        [
            rule
            for rule in called
            if rule in ("add", "cancel", "pass_time", "reap", "reap_the_next", "execute", "close")
        ]
    ) <= min(2 * operations + 2, 7)  # shrinking finds a local minimum


@pytest.mark.nightly
def test_Kafkas_order_on_both_sides_violates_what_it_should():
    """Defect D1: the two agree in every step, and it is the property that says no."""
    subject = planted("D1")
    with pytest.raises(
        AssertionError, match="^after reaper.[A-Z0-9]+: the model violates QueuedOnceWithItsKey"
    ) as found:
        run_state_machine_as_test(
            type(
                "Planted",
                (Interleaved,),
                {"subject": staticmethod(lambda: subject), "decision": "D1"},
            ),
            settings=SHORT,
        )
    text = program(found)
    print(found.value.args[0], *text, sep="\n")
    assert any("add_while_the_reaper_waits" in line or "some_steps" in line for line in text)
