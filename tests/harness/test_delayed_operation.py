"""The harness of DelayedOperation: one thread, its classes, and exceptions of onComplete."""

import pytest

from harness.delayed_operation import Failed, Harness, LockedWork, shared
from impl import delayed_operation as impl
from model.delayed_operation import Model
from tests.harness.mapping import visible
from tests.model.delayed_operation import PROTOCOLS, scenario

C1, C2 = ["deliver", "c1", "o"], ["deliver", "c2", "o"]


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("raises, locking", [((), ()), (("o",), ("o",)), (("p",), ("o", "p"))])
def test_a_thread_alone_ends_in_the_models_state(protocol, raises, locking):
    """Production classes against the model: all visible variables, after each event."""
    program = [
        C1,
        ["expire", "p"],
        ["hold", "o"],
        ["attempt", "o"],
        C2,
        ["deliver_holding", "c3", "p"],
        ["expire", "o"],
    ]
    for length in range(len(program) + 1):
        of = scenario(
            protocol, completes={"o": ["p"]}, raises=raises, locking=locking, a=program[:length]
        )
        harness, model = Harness(of), Model(of)
        for operation, *arguments in of["threads"]["a"]:
            getattr(harness, operation)(*arguments)
        while model.step(0):
            pass
        assert shared(harness) == visible(model, model.freeze())


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_the_worked_operation_is_of_the_protocols_class(protocol):
    operation = Harness(scenario(protocol, a=[])).operations["o"]
    assert isinstance(operation, getattr(impl, protocol)) and not hasattr(operation, "__dict__")
    assert isinstance(operation, LockedWork) == (protocol == "Blocking"), (
        "its cancel has a name of its own"
    )


def test_a_mutants_class_takes_the_place_of_the_implementations():
    class Other(impl.TryPending):
        __slots__ = ()

    class namespace:
        TryPending = Other

    assert isinstance(Harness(scenario(a=[]), namespace).operations["o"], Other)


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_what_on_complete_raises_ends_at_the_event_and_nothing_else_does(protocol, monkeypatch):
    harness = Harness(scenario(protocol, raises=("o",), a=[]))
    with pytest.raises(Failed):
        harness.operations["o"].run()
    harness = Harness(scenario(protocol, raises=("o",), a=[]))
    harness.expire("o")
    assert harness.operations["o"].completed.get()
    other = Harness(scenario(protocol, a=[]))
    monkeypatch.setattr(type(other.operations["o"]), "on_complete", lambda self: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        other.expire("o")
