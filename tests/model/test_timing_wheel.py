"""The model of TimingWheel: its arithmetic of one level, and who expires or withdraws alone."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from impl import timing_wheel as impl
from model.pluscal import DONE, FREE
from model.timing_wheel import Model
from tests.model.timing_wheel import MECHANISM, levels_for, scenario

# -- a thread alone


def adds(of, rest):
    """The scenario with one thread, which adds every entry and then does the rest."""
    return dict(of) | {"threads": {"a": [*(["add", entry] for entry in of["deadline"]), *rest]}}


def run(of, choose=min):
    """The model after all threads have ended, its invariants true at each step.

    ``choose``: picks the thread that moves, from the indices of those that can.
    """
    machine = Model(of)
    while moves := {thread: state for thread, _, state in machine.successors(machine.freeze())}:
        machine.load(moves[choose(moves)])
        assert not [name for name in Model.INVARIANTS if not getattr(machine, name)()]
    assert all(process.pc == DONE for process in machine.processes)
    return machine


def meant(of):
    """The results of an expirer after all are added: the due entries, deadlines, last time.

    The due entries come at once, then the others in the order of their deadlines.
    """
    deadline, start = of["deadline"], of["start"]
    waiting = [entry for entry in deadline if deadline[entry] > start]
    over = [entry for entry in deadline if entry not in waiting]
    return {*over}, sorted(deadline[entry] for entry in waiting), max([start, *deadline.values()])


@st.composite
def wheels(draw):
    size, start = draw(st.integers(2, 4)), draw(st.integers(0, 9))
    due = draw(st.lists(st.integers(0, start + size**3), min_size=1, max_size=4))
    return scenario(size, start, {f"e{i}": deadline for i, deadline in enumerate(due)})


@given(wheels())
def test_who_expires_alone_hands_everything_over_in_time(of):
    at_once, later, end = meant(of)
    machine = run(adds(of, [["expire"]]))
    assert {*machine.handed[: len(at_once)]} == at_once
    assert [of["deadline"][entry] for entry in machine.handed[len(at_once) :]] == later
    assert machine.current[1] == end and not machine.queue and not machine.task_counter
    assert all(
        machine.current[level] == machine.trim(end, level) for level in range(1, machine.made + 1)
    )
    assert all(
        machine.key[bucket] == -1
        and machine.monitor[bucket] == FREE
        and not machine.content[bucket]
        for bucket in machine.buckets
    )
    assert machine.EveryTimerFires()


@given(wheels())
def test_who_withdraws_alone_gets_everything_and_the_clock_stands(of):
    machine = run(adds(of, [["withdraw"]]))
    assert {*machine.handed} == {*of["deadline"]} and len(machine.handed) == len(of["deadline"])
    assert machine.current[1] == of["start"] and not machine.queue and machine.EveryTimerFires()


@given(wheels())
def test_a_level_is_made_for_who_needs_it_and_starts_where_the_one_below_is(of):
    machine = run(adds(of, []))
    needed = [
        levels_for(of["wheel_size"], of["start"], [deadline])
        for deadline in of["deadline"].values()
    ]
    assert machine.made == max(needed)
    assert [machine.current[level] for level in range(1, machine.made + 1)] == [
        machine.trim(of["start"], level) for level in range(1, machine.made + 1)
    ]
    assert all(
        machine.current[level] == -1 for level in range(machine.made + 1, machine.levels + 1)
    )


@given(st.data(), wheels())
def test_in_whatever_order_everything_is_handed_over_once(data, of):
    """Adders of one entry each, and an expirer, in any order."""
    threads = {entry: [["add", entry]] for entry in of["deadline"]} | {"reaper": [["expire"]]}
    machine = run(
        dict(of) | {"threads": threads},
        choose=lambda moves: data.draw(st.sampled_from(sorted(moves))),
    )
    assert {*machine.handed} == {*of["deadline"]} and machine.EveryTimerFires()


# -- the wheel's arithmetic


class Absolute(Model):
    """A model that keeps an entry's slot by the milliseconds of its deadline."""

    def slot_of(self, time, level):
        return (level - 1) * self.wheel_size + time % self.wheel_size + 1


def disagreement(model, deadline, current, level):
    """The places where the model's arithmetic of one level differs from the implementation's."""
    model.current[level], model.deadline["e"] = current, deadline
    tick, size = model.wheel_size ** (level - 1), model.wheel_size
    bucket = (level - 1) * size + impl.bucket_index(deadline, tick, size) + 1
    says = {
        "trim": (model.trim(deadline, level), impl.trim(deadline, tick)),
        "expired": (model.expired("e", level), impl.expired(deadline, current, tick)),
        "fits": (model.fits("e", level), impl.fits(deadline, current, tick * size)),
        "slot": (model.slot("e", level), bucket),
        "level": (model.level_of(bucket), level),
        "key": (model.key_for("e", level), impl.bucket_expiration(deadline, tick)),
    }
    return {name for name, (mine, others) in says.items() if mine != others}


@given(st.integers(2, 9), st.integers(1, 5), st.integers(0, 10**6), st.integers(0, 10**6))
def test_the_models_arithmetic_is_the_implementations(size, level, deadline, ticks):
    of = scenario(size, deadline={"e": deadline}, levels=5, a=[])
    current = ticks * size ** (level - 1)
    assert not disagreement(Model(of), deadline, current, level)
    # at the borders, too
    for near in (
        current - 1,
        current,
        current + size ** (level - 1) - 1,
        current + size ** (level - 1),
        current + size**level - 1,
        current + size**level,
    ):
        assert not disagreement(Model(of), max(near, 0), current, level)


@pytest.mark.parametrize(
    "decision, where, differs",
    [
        ("WrongSlot", (6, 0, 2), {"slot"}),
        ("M17_late", (5, 3, 2), {"expired"}),
        ("M17_turn", (9, 0, 2), {"fits"}),
    ],
)
def test_that_comparison_sees_another_arithmetic(decision, where, differs):
    of = scenario(3, deadline={"e": 0}, levels=2, a=[])
    assert disagreement(
        MECHANISM.without(decision).model_of(of), *where
    ) == differs and not disagreement(Model(of), *where)


def test_that_comparison_sees_slots_that_are_counted_otherwise():
    of = scenario(3, deadline={"e": 0}, levels=2, a=[])
    assert disagreement(Absolute(of), 6, 0, 2) == {"slot"}
