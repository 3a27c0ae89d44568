"""The harness of DelayedOperation: its operations and its refinement mapping."""

import pytest

from harness.delayed_operation import Failed, Harness, LockedTimer, shared
from impl import delayed_operation as impl
from model.delayed_operation import Model
from tests.model.delayed_operation import MECHANISM, PROTOCOLS, ROOT, STEM, scenario
from wheelproof.explore import ControlledImplementation

C1, C2 = ["deliver", "c1", "o"], ["deliver", "c2", "o"]


def visible(model, state):
    pieces = dict(zip(model.variables, model.pieces(state)))
    return {name: value for name, value in pieces.items() if name not in model.AUXILIARY}


@pytest.mark.parametrize("name", MECHANISM.scenarios)
def test_a_scenario_begins_in_the_models_initial_state(name):
    model = Model(MECHANISM.scenarios[name])
    assert shared(Harness(MECHANISM.scenarios[name])) == visible(model, model.initial())


def test_the_variables_are_the_models_without_its_history():
    model = Model(scenario(a=[]))
    assert set(shared(Harness(scenario(a=[])))) == set(model.variables) - model.AUXILIARY
    assert model.AUXILIARY == {"won", "raised", "winner", "expiredBy", "gaveUp"}


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("raises, locking", [((), ()), (("o",), ("o",)), (("p",), ("o", "p"))])
def test_a_thread_alone_ends_in_the_models_state(protocol, raises, locking):
    """Production classes against the model: after each event of a program, all visible variables."""
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


CHANGES = {
    "ready": lambda w: w.conditions["c2"].set(True),
    "completed": lambda w: w.operations["p"].completed.set(True),
    "pending": lambda w: w.operations["p"].try_complete_pending.set(True),
    "armed": lambda w: w.operations["o"].timer_task.cancel(),
    "completions": lambda w: w.operations["o"].completions.add_and_get(1),
    "expirations": lambda w: w.operations["p"].on_expiration(),
}


@pytest.mark.parametrize("variable", CHANGES)
def test_a_changed_object_is_a_changed_variable(variable):
    harness = Harness(scenario(a=[]))
    before = shared(harness)
    CHANGES[variable](harness)
    after = shared(harness)
    assert {name for name in before if before[name] != after[name]} == {variable}


@pytest.mark.parametrize(
    "variable, label, program",
    [("lock", "H1", [["hold", "p"]]), ("outer", "G1", [["deliver_holding", "c1", "o"]])],
)
def test_a_held_lock_is_a_changed_variable(variable, label, program):
    run = ControlledImplementation.load(ROOT, STEM).begin(scenario(a=program))
    assert run.labels == [label]
    before = run.shared()
    run.step(0)
    after = run.shared()
    run.end()
    assert {name for name in before if before[name] != after[name]} == {variable}
    assert ("a", 1) in after[variable] and set(CHANGES) | {"lock", "outer"} == set(after)


def test_every_changeable_object_has_its_variable():
    assert set(CHANGES) == set(shared(Harness(scenario(a=[])))) - {"lock", "outer"}


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_the_worked_operation_is_of_the_protocols_class(protocol):
    operation = Harness(scenario(protocol, a=[])).operations["o"]
    assert isinstance(operation, getattr(impl, protocol)) and not hasattr(operation, "__dict__")
    assert isinstance(operation.timer_task, LockedTimer) == (protocol == "Blocking"), (
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


def test_every_operation_of_a_program_is_a_method():
    operations = {
        step[0]
        for of in MECHANISM.scenarios.values()
        for program in of["threads"].values()
        for step in program
    }
    assert operations == {"deliver", "deliver_holding", "attempt", "hold", "expire"}
    assert all(callable(getattr(Harness, operation)) for operation in operations)
