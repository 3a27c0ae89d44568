"""OverflowWheel without a decision: its marks, and the memory that makes the difference."""

import pytest

from tests.model.overflow_wheel import ARTEFACTS, MECHANISM, NAME, ROOT
from wheelproof.graph.explorer import explore
from wheelproof.python import (
    ControlledImplementation,
    RaceDetector,
    random_schedules,
)
from wheelproof.python.runtime.store_buffer import DelayedField

MARKS = {
    "PlainWheel": ("Overflowing", "overflow_wheel"),
    "M6": ("TimerTaskEntry", "list"),
    "M7": ("TimerTask", "timer_task_entry"),
}
"""Decision -> the class and its field that is volatile."""


@pytest.mark.parametrize("name", MARKS)
def test_a_mark_is_all_that_changes(name):
    _, field = MARKS[name]
    (file,) = [file for file in MECHANISM.decisions[name].files if file.startswith("impl/")]
    changed, old = (
        text.splitlines()
        for text in (MECHANISM.without(name).texts[file], (ROOT / file).read_text(encoding="utf-8"))
    )
    (pair,) = [
        pair
        for pair in zip(old, changed, strict=True)
        if pair[0] != pair[1] and not pair[0].startswith("from impl.runtime import ")
    ]
    assert pair[0].strip().startswith(f"{field}: Volatile[") and pair[1] == pair[0].replace(
        "Volatile[", "Plain["
    )


@pytest.mark.parametrize("name", MARKS)
def test_only_a_mutants_plain_field_is_delayed(name):
    owner, field = MARKS[name]
    plain, mutated = ControlledImplementation.load(ROOT, NAME), ARTEFACTS.mutant(name)

    def descriptor(subject):
        run = subject.begin(MECHANISM.scenarios["cancelled"])
        holder = {
            "Overflowing": run.harness.wheel,
            "TimerTaskEntry": run.harness.entry,
            "TimerTask": run.harness.task,
        }[owner]
        run.end()
        return getattr(type(holder), field)

    assert isinstance(descriptor(mutated), DelayedField) and not isinstance(
        descriptor(plain), DelayedField
    )


# -- memory makes the difference: where stores arrive at once, a lost decision breaks nothing


def without_ways(scenario, keep=()):
    """The scenario's threads alone, and those of its ways to memory whose field is kept."""
    threads = {
        name: program
        for name, program in scenario["threads"].items()
        if program[0][0] != "memory" or program[0][2] in keep
    }
    return dict(scenario) | {"threads": threads}


class AtOnce:
    """A model whose plain stores are in memory at once, as CPython's are."""

    def delay(self, written):
        self.bring((written,))


def at_once(name, of):
    """That model without a decision."""
    return type("Model", (AtOnce, MECHANISM.without(name).model_module.Model), {})(of)


@pytest.mark.parametrize("name", MARKS)
def test_without_delays_a_plain_field_breaks_nothing(name):
    """What interleaving alone can do: the reason why these mutants need a memory."""
    mutant = MECHANISM.mutants[name]
    of = without_ways(MECHANISM.scenarios[mutant.scenario])
    model = at_once(name, of)
    graph = explore(model)
    assert not [state for state in graph.states if not model.holds(mutant.property, state)]
    slow = MECHANISM.without(name).model(mutant.scenario)
    assert [state for state in explore(slow).states if not slow.holds(mutant.property, state)]


@pytest.mark.parametrize("name", ["M16"])
def test_the_second_look_is_needed_without_delays_too(name):
    mutant = MECHANISM.mutants[name]
    model = at_once(name, without_ways(MECHANISM.scenarios["two"]))
    assert [state for state in explore(model).states if not model.holds(mutant.property, state)]


def test_the_wheel_is_half_built_only_if_the_reference_overtakes_its_time():
    """Without its own way to memory the reference comes by the monitor, which brings the time."""
    for keep, half_built in ((("current_time",), False), (("overflow_wheel",), True)):
        model = MECHANISM.without("PlainWheel").model_of(
            without_ways(MECHANISM.scenarios["two"], keep)
        )
        assert (
            any(not model.holds("SafePublication", state) for state in explore(model).states)
            == half_built
        )


# -- data races


@pytest.mark.parametrize("name", MARKS)
def test_a_plain_field_is_a_data_race(name):
    owner, field = MARKS[name]
    assert MECHANISM.mutants[name].data_race
    detector = RaceDetector()
    random_schedules(
        ARTEFACTS.mutant(name),
        MECHANISM.scenarios[MECHANISM.mutants[name].scenario],
        schedules=40,
        seed=5,
        race=detector,
    )
    # a wheel that is seen half-built is read without an order, too
    assert (
        f"{owner}.{field}"
        in {race.field for race in detector.found}
        <= {f"{owner}.{field}", "Clock.current_time"}
    )
