"""The model of DelayedOperation: the events of a single thread."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from model.delayed_operation import OUTER, Model
from model.pluscal import FREE
from tests.model.alone import ended, meant_for_operations, operations_of
from tests.model.delayed_operation import PROTOCOLS, scenario
from tests.model.test_decisions import C1, C2, C3, HOLD, RUN, TRY


def run(of):
    return ended("delayed_operation", of)


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize(
    "program, completed, expired",
    [
        ([], 0, 0),
        ([TRY], 0, 0),
        ([C1], 0, 0),
        ([C2], 0, 0),
        ([HOLD], 0, 0),
        ([C1, C2], 1, 0),
        ([C2, C1], 1, 0),
        ([C1, C2, TRY, C1], 1, 0),
        ([C1, HOLD, C2], 1, 0),
        ([RUN], 1, 1),
        ([RUN, RUN], 1, 1),
        ([RUN, C1, C2], 1, 1),
        ([C1, C2, RUN], 1, 0),
        ([["deliver_holding", "c1", "o"], C2], 1, 0),
    ],
)
def test_events_alone(protocol, program, completed, expired):
    machine = run(scenario(protocol, a=program))
    assert (machine.completions["o"], machine.expirations["o"]) == (completed, expired)
    assert machine.completed["o"] == (not machine.armed["o"]) == bool(completed)
    assert machine.winner["o"] == ("a" if completed else None) and machine.expired_by["o"] == (
        frozenset("a") if expired else frozenset()
    )
    assert machine.completions["p"] == machine.expirations["p"] == 0


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_on_complete_completes_another_one_and_itself_never_again(protocol):
    machine = run(scenario(protocol, completes={"o": ["p"]}, a=[C1, C2]))
    assert operations_of(machine)[1] == {"o": 1, "p": 1} and operations_of(machine)[2] == {
        "o": 0,
        "p": 0,
    }
    machine = run(scenario(protocol, completes={"o": ["p"], "p": ["o"]}, a=[C3, RUN]))
    assert operations_of(machine)[1] == {"o": 1, "p": 1} and not machine.won["a"], (
        "o was complete when its timer came"
    )
    machine = run(scenario(protocol, completes={"o": ["o"]}, a=[C1, C2, TRY]))
    assert operations_of(machine)[1] == {"o": 1, "p": 0}


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("program", [[C1, C2], [RUN], [C1, C2, TRY, RUN]])
def test_what_on_complete_raises_leaves_the_operation_completed_and_its_lock_free(
    protocol, program
):
    machine = run(scenario(protocol, raises=("o",), a=program))
    assert machine.completed["o"] and machine.completions["o"] == 1 and not machine.armed["o"]
    assert machine.lock["o"] == FREE and machine.expirations["o"] == 0


@st.composite
def alone(draw):
    """A scenario of one thread, whatever onComplete does."""
    name = st.sampled_from("op")
    event = st.one_of(
        st.sampled_from([C1, C2, C3, ["deliver_holding", "c1", "o"], ["deliver", "c3", "o"]]),
        st.tuples(st.sampled_from(["attempt", "hold", "expire"]), name).map(list),
    )
    following = st.lists(name, max_size=1)
    return scenario(
        draw(st.sampled_from(PROTOCOLS)),
        completes={"o": draw(following), "p": draw(following)},
        raises=tuple(draw(st.sets(name))),
        locking=tuple(draw(st.sets(name))),
        a=draw(st.lists(event, max_size=8)),
    )


@given(alone())
def test_a_thread_alone_does_what_flags_do(of):
    machine = run(of)
    assert operations_of(machine) == meant_for_operations(of)
    assert (
        all(machine.lock[name] == FREE for name in machine.operations)
        and machine.outer[OUTER] == FREE
    )
    assert not any(machine.pending[name] for name in machine.operations), (
        "no thread was there to leave a note"
    )
    for name in Model.INVARIANTS:
        # an event that is brought to the wrong operation is seen by no thread
        assert (
            getattr(machine, name)()
            or name == "NoLostCompletion"
            and ["deliver", "c3", "o"] in of["threads"]["a"]
        ), name
    assert machine.Termination()
