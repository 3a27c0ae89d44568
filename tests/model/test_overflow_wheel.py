"""The model of OverflowWheel: one thread, which sees no memory, and what a memory does."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from model.overflow_wheel import MONITORS, START, Model
from model.pluscal import DONE, FREE
from tests.model.alone import at_random, meant_for_overflow, overflow_of
from tests.model.overflow_wheel import scenario

PLACE, ADD, CANCEL, CHECK = ["place", "a"], ["add"], ["cancel"], ["check"]


class Plain(Model):
    """The model without any volatile field."""

    VOLATILE = frozenset()


# -- a thread alone


@pytest.mark.parametrize(
    "linked, program, expected",
    [
        (False, [], (0, False, True, 0)),
        (False, [PLACE], (1, False, True, 0)),
        (False, [PLACE, PLACE, PLACE], (1, False, True, 0)),
        (False, [ADD], (0, True, True, 0)),
        (True, [CANCEL], (0, False, False, 0)),
        (False, [ADD, CANCEL, CHECK], (0, False, False, 0)),
        (True, [CHECK, CHECK, CANCEL, CHECK], (0, False, False, 2)),
        (True, [ADD], (0, True, True, 0)),
        (True, [CANCEL, ADD], (0, True, False, 0)),
        (True, [CANCEL, ADD, CANCEL], (0, True, False, 0)),
    ],
)
@pytest.mark.parametrize("model", [Model, Plain])
def test_operations_alone(linked, program, expected, model):
    of = scenario(linked, a=program)
    assert overflow_of(at_random(model(of))) == meant_for_overflow(of) == expected
    assert overflow_of(at_random(model(of), max)) == expected, "memory goes first, or last"


@given(
    st.data(),
    st.booleans(),
    st.lists(st.sampled_from([PLACE, CANCEL, CHECK]), max_size=4),
    st.booleans(),
)
def test_a_thread_alone_sees_no_memory(data, linked, program, plain):
    """Whenever its stores reach memory: it reads its own at once."""
    of = scenario(linked, a=program)
    machine = at_random(
        (Plain if plain else Model)(of),
        lambda moves: data.draw(st.sampled_from(sorted(moves))),
    )
    assert overflow_of(machine) == meant_for_overflow(of)
    assert machine.task_counter == (machine.list == "l") and not machine.buffer
    assert machine.found_time["a"] == (START if machine.made else None) and machine.found_wheel[
        "a"
    ] == ("w1" if machine.made else None)
    assert all(machine.monitor[name] == FREE for name in MONITORS)
    for name in Model.INVARIANTS:
        assert getattr(machine, name)(), name
    assert machine.Termination()


# -- memory


def at(*stores, me="b", **places):
    """A model that waits, with these stores on their way, about to move as thread ``me``."""
    machine = Plain(scenario(a=[PLACE], b=[["place", "b"]]))
    machine.me = me
    machine.buffer = tuple(
        (thread, field, where, value, frozenset(marks))
        for thread, field, where, value, marks in stores
    )
    for name, value in places.items():
        setattr(machine, name, value)
    return machine


def test_who_acquires_brings_what_others_have_released_and_nothing_else():
    machine = at(
        ("a", "list", "e", "l", {"task"}),
        ("a", "current_time", "w1", START, {"wheel"}),
        ("b", "overflow_wheel", "w0", "w1", {"task"}),
        ("a", "timer_task_entry", "x", None, {"wheel", "task"}),
    )
    machine.observe("task")
    assert machine.list == "l" and machine.timer_task_entry is None
    assert machine.overflow_wheel is None and machine.current_time["w1"] is None
    assert [store[:2] for store in machine.buffer] == [
        ("a", "current_time"),
        ("b", "overflow_wheel"),
    ]
    machine.observe("wheel")
    assert machine.current_time["w1"] == START and [store[0] for store in machine.buffer] == ["b"]


def test_who_releases_marks_his_own_stores():
    machine = at(("a", "list", "e", "l", set()), ("b", "list", "e", None, {"task"}))
    machine.publish("bucket")
    assert [store[4] for store in machine.buffer] == [
        frozenset(),
        {"task", "bucket"},
    ] and machine.list is None


def test_a_thread_reads_its_newest_store_and_not_the_others():
    machine = at(
        ("b", "list", "e", "l", set()),
        ("a", "list", "e", None, set()),
        ("b", "current_time", "w1", START, set()),
    )
    assert machine.look("list") == "l" and machine.look("current_time", "w1") == START
    assert machine.look("current_time", "w2") is None, "of another object"
    machine.me = "a"
    assert machine.look("list") is None and machine.look("overflow_wheel") is None


def test_of_two_stores_into_one_field_the_later_one_stays():
    machine = at(
        ("a", "list", "e", "l", {"task"}), ("a", "list", "e", None, {"task"}), list="before"
    )
    machine.observe("task")
    assert machine.list is None


def test_the_way_of_a_field_takes_its_oldest_store_first():
    machine = Model(scenario(fields=("list",), a=[PLACE]))
    machine.buffer = (
        ("a", "current_time", "w1", START, frozenset()),
        ("a", "list", "e", "l", frozenset()),
        ("a", "list", "e", None, frozenset()),
    )
    assert machine.step(1) == "W1" and machine.list == "l" and len(machine.buffer) == 2
    assert machine.step(1) == "W2" and machine.step(1) == "W1" and machine.list is None
    assert machine.step(1) == "W2" and machine.step(1) is None, (
        "a store into another field, and a thread that has not ended"
    )
    machine.processes[0].pc = DONE
    assert machine.step(1) == "W1" and machine.processes[1].pc == DONE
