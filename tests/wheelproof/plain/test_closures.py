"""Variables of closures: each call of a function has its own."""

import collections
import threading

import pytest

from tests.wheelproof.plain.started import run
from wheelproof.plain.answers import Answer, FailureKind
from wheelproof.plain.exploration import WARM_UP, explore_program


class Shared:
    lock = threading.Lock()


def counter():
    count = 0

    def add():
        nonlocal count
        count += 1
        return count

    return add


KEPT = counter()


def nested():
    total = 0

    def inner():
        part = 0

        def add():
            nonlocal total, part
            total += 1
            part += 1
            return total, part

        return add

    first, second = inner(), inner()
    return first(), second(), first()


def decorated(function):
    calls = 0

    def called():
        nonlocal calls
        calls += 1
        return function()

    return called


def of_two_calls():
    with Shared.lock:
        pass
    add = counter()
    assert (add(), add()) == (1, 2)


def of_nested_calls():
    with Shared.lock:
        pass
    assert nested() == ((1, 1), (2, 1), (3, 2))


def of_a_class_that_is_made():
    with Shared.lock:
        pass
    assert collections.namedtuple("Pair", "first second")(1, 2).second == 2


def their_names(given=1):
    with Shared.lock:
        pass
    value = 0

    def reader():
        return value

    def steps():
        nonlocal value
        value += 1
        yield sorted(locals()), sorted(vars()), dir()

    value = 1
    assert next(steps()) == (["value"],) * 3
    assert list(locals()) == list(vars()) and dir() == ["given", "reader", "steps", "value"]


def their_cells():
    with Shared.lock:
        pass
    function = decorated(len)
    assert function.__code__.co_freevars[:2] == ("calls", "function")
    assert function.__closure__[0].cell_contents == 0


@pytest.mark.parametrize(
    "body",
    [of_two_calls, of_nested_calls, of_a_class_that_is_made, their_names, their_cells],
    ids=lambda body: body.__name__,
)
def test_closures_of_two_threads_share_nothing(body):
    found = explore_program(lambda: run(body, body))
    assert found.answer is Answer.EXHAUSTED, (found.reason, found.failure)
    assert found.executions == WARM_UP + 2 and not found.racy_places  # the lock has two orders


def two_factories_before_the_threads():
    first, second = counter(), counter()
    run(lambda: (first(), first()), lambda: (second(), second()))
    assert (first(), second()) == (3, 3)


def one_closure():
    add = counter()
    run(add, add)
    assert add() == 3


def a_closure_of_the_module():
    assert KEPT() == 1, "an earlier run has called it"
    run(KEPT, lambda: None)
    assert KEPT() == 3


def a_closure_of_the_module_in_both():
    run(KEPT, KEPT)
    assert KEPT() == 3


@pytest.mark.parametrize("program", [two_factories_before_the_threads, a_closure_of_the_module])
def test_what_one_thread_uses_is_sound(program):
    found = explore_program(program)
    assert (found.failure, found.racy_places) == (None, ())


@pytest.mark.parametrize("program", [one_closure, a_closure_of_the_module_in_both])
def test_one_closure_of_two_threads_races(program):
    found = explore_program(program)
    assert found.answer is Answer.BUG and found.failure.kind is FailureKind.ASSERTION
    assert {place.text for place in found.racy_places} >= {"count", "count ="}
