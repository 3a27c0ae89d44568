"""Claims about forceComplete and timeouts: schedules on the model and on the implementation."""

from __future__ import annotations

import ast
import inspect

import pytest

from impl import delayed_operation
from impl.clock import VirtualClock
from impl.delayed_operation import (
    Blocking,
    CheckedTry,
    DelayedOperation,
    LockedTry,
    TryOnce,
    TryPending,
)
from impl.system_timer import SystemTimer
from model.delayed_operation import Model
from tests.impl.timing import Inline
from tests.model.delayed_operation import scenario
from wheelproof.graph.explorer import explore

TRY = ["attempt", "o"]
GENERATIONS = (TryOnce, TryPending, LockedTry, CheckedTry, Blocking)


# -- what completes an operation


def completed_without_its_conditions(threads: dict[str, list[list[str]]]) -> bool:
    """Whether the model reaches a state in which the operation is completed and one of its
    conditions does not hold.
    """
    graph = explore(Model(scenario(**threads)))
    for state in graph.states:
        graph.model.load(state)
        if graph.model.completed["o"] and not all(
            graph.model.ready[name] for name in graph.model.needs["o"]
        ):
            return True
    return False


DELIVER = {"a": [["deliver", "c1", "o"]], "b": [["deliver", "c2", "o"]]}


def test_without_a_timeout_an_operation_is_completed_when_its_conditions_hold():
    assert not completed_without_its_conditions(DELIVER)


def test_with_a_timeout_it_may_be_completed_before():
    assert completed_without_its_conditions(DELIVER | {"x": [["expire", "o"]]})


def completers(source: str) -> set[str]:
    """The methods that write to ``self.completed``, as ``Class.method``, without constructors."""
    found = set()
    for part in ast.walk(ast.parse(source)):
        for method in part.body if isinstance(part, ast.ClassDef) else ():
            for node in ast.walk(method):
                if (
                    isinstance(node, ast.Attribute)
                    and ast.unparse(node.value) == "self.completed"
                    and node.attr != "get"
                ):
                    found.add(f"{part.name}.{method.name}")
    return found


def test_completed_is_set_in_force_complete_alone():
    assert completers(inspect.getsource(delayed_operation)) == {
        "DelayedOperation.force_complete",
        "UnlockedCompletion.force_complete",
    }


def test_that_check_sees_another_writer():
    source = inspect.getsource(delayed_operation).replace(
        "            self.on_expiration()", "            self.completed.set(True)"
    )
    assert "DelayedOperation.run" in completers(source)


# -- the timeout


class Work:
    """An operation of some protocol that waits for ``ready``."""

    def __init__(self, delay_ms: int) -> None:
        super().__init__(delay_ms)
        self.ready, self.seen = False, []

    def try_complete(self) -> bool:
        return self.ready and self.force_complete()

    def on_complete(self) -> None:
        self.seen.append("complete")

    def on_expiration(self) -> None:
        self.seen.append("expire")


class Idle(Work):
    """The same with an expiry that does nothing."""

    def run(self) -> None:
        pass


def waiting(protocol: type[DelayedOperation], work: type = Work, delay_ms: int = 30):
    """An operation in a timer on virtual time, with a timeout."""
    timer = SystemTimer(Inline(), clock=VirtualClock(0))
    operation = type(protocol.__name__, (work, protocol), {})(delay_ms)
    timer.add(operation)
    return timer, operation


def forced_in_time(protocol: type[DelayedOperation], work: type = Work) -> list[str]:
    """What happens to an operation whose condition never holds, at its time; nothing before it."""
    timer, operation = waiting(protocol, work)
    timer.clock.advance(29)
    timer.advance_clock(0)
    operation.safe_try_complete()
    assert operation.seen == []
    timer.clock.advance(1)
    timer.advance_clock(0)
    timer.advance_clock(0)
    return operation.seen


@pytest.mark.parametrize("protocol", GENERATIONS)
def test_what_is_not_completed_in_time_is_completed_by_force(protocol):
    assert forced_in_time(protocol) == ["complete", "expire"]


@pytest.mark.parametrize("protocol", GENERATIONS)
def test_that_check_sees_an_expiry_that_does_nothing(protocol):
    assert forced_in_time(protocol, Idle) == []


def late_but_complete(protocol: type[DelayedOperation], work: type = Work) -> list[str]:
    """The deadline has passed and the timer has not been looked at; then the condition comes true,
    and then the timer runs.
    """
    timer, operation = waiting(protocol, work)
    timer.clock.advance(45)
    operation.ready = True
    operation.safe_try_complete()
    timer.advance_clock(0)
    return operation.seen


class Strict(Work):
    """An operation that looks at the time itself and is not completed after its deadline, except by
    expiry.
    """

    def try_complete(self) -> bool:
        return False


@pytest.mark.parametrize("protocol", GENERATIONS)
def test_a_request_may_be_completed_after_its_deadline(protocol):
    assert late_but_complete(protocol) == ["complete"]


@pytest.mark.parametrize("protocol", GENERATIONS)
def test_that_check_sees_an_operation_that_expires_at_its_deadline(protocol):
    assert late_but_complete(protocol, Strict) == ["complete", "expire"]
