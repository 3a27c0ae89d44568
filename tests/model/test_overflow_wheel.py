"""The model of OverflowWheel: one thread, memory, and total properties that can fail.

A thread alone sees no memory. A memory does what its steps say.
"""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from model.overflow_wheel import MONITORS, START, Model
from model.pluscal import DONE, FREE, Monitor
from tests.model.overflow_wheel import FIELDS, MECHANISM, model_graph, scenario

PLACE, ADD, CANCEL, CHECK = ["place", "a"], ["add"], ["cancel"], ["check"]


class Plain(Model):
    """The model without any volatile field."""

    VOLATILE = frozenset()


# -- a thread alone


def meant(program, linked):
    """(wheels made, linked, current, submitted) when no thread interferes."""
    made, current, submitted = 0, True, 0
    for name, *_ in program:
        if name == "place":
            made = 1
        elif name == "add":
            linked = True
        elif name == "cancel":
            linked, current = linked and not current, False
        else:
            submitted += current
    return made, linked, current, submitted


def run(machine, choose=min):
    """A model after all have ended. ``choose``: who moves, of the indices of those that can."""
    while True:
        moves = {thread: state for thread, _, state in machine.successors(machine.freeze())}
        if not moves:
            break
        machine.load(moves[choose(moves)])
    assert all(process.pc == DONE for process in machine.processes)
    return machine


def seen(machine):
    return machine.made, machine.list == "l", machine.timer_task_entry == "e", machine.submitted


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
    assert seen(run(model(of))) == meant(program, linked) == expected
    assert seen(run(model(of), max)) == expected, "memory goes first, or last"


@given(
    st.data(),
    st.booleans(),
    st.lists(st.sampled_from([PLACE, CANCEL, CHECK]), max_size=4),
    st.booleans(),
)
def test_a_thread_alone_sees_no_memory(data, linked, program, plain):
    """Whenever its stores reach memory: it reads its own at once."""
    machine = run(
        (Plain if plain else Model)(scenario(linked, a=program)),
        lambda moves: data.draw(st.sampled_from(sorted(moves))),
    )
    assert seen(machine) == meant(program, linked)
    assert machine.task_counter == (machine.list == "l") and not machine.buffer
    assert machine.found_time["a"] == (START if machine.made else None) and machine.found_wheel[
        "a"
    ] == ("w1" if machine.made else None)
    assert all(machine.monitor[name] == FREE for name in MONITORS)
    for name in Model.INVARIANTS:
        assert getattr(machine, name)(), name
    assert machine.Termination()


@pytest.mark.parametrize("decision", MECHANISM.decisions)
def test_every_decision_matters_between_threads_only(decision):
    program = [CHECK, PLACE, PLACE, CANCEL, CHECK]
    assert seen(run(MECHANISM.without(decision).model_of(scenario(True, a=program)))) == meant(
        program, True
    )


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


# -- properties


def corrupted(pcs=(), **places):
    machine = Model(scenario(a=[PLACE], b=[CANCEL]))
    for place, value in places.items():
        variable, _, name = place.partition("__")
        if name:
            getattr(machine, variable)[name] = value
        else:
            setattr(machine, variable, value)
    for process, pc in zip(machine.processes, pcs):
        process.pc = pc
    return machine


LINKING, UNLINKING = ("a", "list", "e", "l", frozenset()), ("b", "list", "e", None, frozenset())
BROKEN = {
    "SafePublication": [
        {"found_wheel__a": "w1"},
        {"found_wheel__b": "w1", "found_time__b": "later"},
    ],
    "OneOverflowWheel": [{"found_wheel__a": "w1", "found_wheel__b": "w2"}],
    "CancelUnlinks": [
        {"unlinked": True, "list": "l"},
        {"unlinked": True, "buffer": (UNLINKING, LINKING)},
    ],
    "CancelWins": [{"slipped": True}],
}
EXCUSED = {
    "SafePublication": [
        {"found_wheel__a": "w1", "found_time__a": START},
        {"current_time__w1": None, "overflow_wheel": "w1"},
    ],
    "OneOverflowWheel": [{"found_wheel__a": "w1", "found_wheel__b": "w1", "made": 2}],
    "CancelUnlinks": [
        {"list": "l", "revoked": True},
        {"unlinked": True, "list": "l", "buffer": (LINKING, UNLINKING)},
    ],
    "CancelWins": [{"revoked": True, "submitted": 1}],
}


@pytest.mark.parametrize("name", BROKEN)
def test_every_invariant_holds_at_first_and_can_be_false(name):
    machine = Model(scenario(a=[PLACE], b=[CANCEL]))
    assert machine.holds(name, machine.initial())
    for places in BROKEN[name]:
        assert not getattr(corrupted(**places), name)(), places
    for places in EXCUSED[name]:
        assert getattr(corrupted(**places), name)(), places


def test_every_invariant_has_such_a_state():
    of_states = {name for name, of in MECHANISM.properties.items() if of.kind == "invariant"}
    assert (
        set(BROKEN)
        == set(EXCUSED)
        == of_states
        == set(Model.INVARIANTS)
        == set(MECHANISM.invariants)
    )


@given(st.data())
def test_every_property_is_total(data):
    draw, value = data.draw, st.sampled_from(["a", "w1", "w0", "e", "l", START, None, 20])
    machine = Model(scenario(a=[PLACE], b=[CANCEL]))
    store = st.tuples(
        st.sampled_from("ab"),
        st.sampled_from(FIELDS),
        value,
        value,
        st.frozensets(st.sampled_from(MONITORS)),
    )
    machine.buffer = tuple(draw(st.lists(store, max_size=3)))
    machine.overflow_wheel, machine.list, machine.timer_task_entry = (
        draw(value),
        draw(value),
        draw(value),
    )
    for function in machine.found_wheel, machine.found_time, machine.wheel, machine.time:
        function["a"] = draw(value)
    machine.late, machine.unlinked, machine.slipped = (
        draw(st.frozensets(st.sampled_from("ab"))),
        draw(st.booleans()),
        draw(st.booleans()),
    )
    machine.monitor["task"] = draw(st.builds(Monitor, value, st.integers(-1, 2)))
    for process in machine.processes:
        process.pc = draw(st.sampled_from(["T0", "O1", "O3", "R1", "K1", "W1", DONE]))
    for name in (*Model.INVARIANTS, *Model.WITNESSES, "Termination"):
        assert getattr(machine, name)() in (True, False), name


@pytest.mark.parametrize(
    "name, within, without",
    [
        ("HalfBuilt", "two", "cancelled"),
        ("ComesTooLate", "three", "cancelled"),
        ("CancelledWhenLinked", "cancelled", "two"),
        ("CheckedAfterCancel", "cancelled", "two"),
    ],
)
def test_a_witness_is_reached_where_its_scenario_is(name, within, without):
    graph, other = model_graph(within), model_graph(without)
    reached = [graph.model.holds(name, state) for state in graph.states]
    assert any(reached) and not all(reached) and not reached[0]
    assert not any(other.model.holds(name, state) for state in other.states)


def test_termination_is_not_so_at_first():
    machine = Model(scenario(a=[]))
    assert (
        not machine.holds("Termination", machine.initial())
        and run(Model(scenario(a=[]))).Termination()
    )
