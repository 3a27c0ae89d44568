"""What a program does before its threads start, and what else outlives a run."""

import contextvars
import threading
from unittest import mock

import pytest

from tests.wheelproof.plain.started import run
from wheelproof.plain import carriers, exploration
from wheelproof.plain.answers import Answer
from wheelproof.plain.exploration import Explorer, explore_program
from wheelproof.plain.state import State

LIMIT = 0
NAMES, COUNTS, SEEN = ["first"], {"first": 1}, set()
VARIABLE = contextvars.ContextVar("variable", default=0)


class Slotted:
    __slots__ = ("value",)


class Shared:
    limit = 0
    lock = threading.Lock()

    def __init__(self):
        self.value = 0


SLOTTED, KEPT = Slotted(), Shared()


def counter():
    count = 0

    def add():
        nonlocal count
        count += 1
        return count

    return add


ADD = counter()


def locked():
    with Shared.lock:
        KEPT.value += 1


def all_kinds():
    """Its set-up writes all kinds of objects that outlive a run."""
    global LIMIT
    assert (LIMIT, NAMES, COUNTS, SEEN, Shared.limit) == (0, ["first"], {"first": 1}, set(), 0)
    assert not hasattr(SLOTTED, "value") and KEPT.value == 0 and ADD() == 1
    LIMIT = Shared.limit = SLOTTED.value = KEPT.value = 1
    NAMES.append("second")
    COUNTS.update(second=2)
    SEEN.add(1)
    run(locked, locked, locked)
    assert KEPT.value == 4


def test_the_writes_of_a_set_up_are_put_back_without_an_announcement():
    explorer = Explorer(all_kinds)
    found = explorer.explore()
    execution = explorer.execution
    assert found.answer is Answer.EXHAUSTED, (found.reason, found.failure)
    assert execution.count > 10 and len(execution.set_up) > 7
    assert len(execution.locations) < 7  # of the last run: those of its threads
    assert not explorer.world.state.compare() and not explorer.world.state._unreported


def test_that_they_are_not_is_noticed(monkeypatch):
    restore = State.restore
    monkeypatch.setattr(State, "restore", lambda self, locations, _: restore(self, locations))
    monkeypatch.setattr(State, "compare", lambda self: False)
    assert explore_program(all_kinds).answer is not Answer.EXHAUSTED


def changed_by_foreign_code():
    assert LIMIT == 0, "an earlier run has left a patch"
    mock.patch(f"{__name__}.LIMIT", 1).start()
    run(locked, locked)


def changed_by_foreign_code_in_a_thread():
    assert LIMIT == 0, "an earlier run has left a patch"
    shared = Shared()

    def write():
        shared.value = 1

    def look():
        if shared.value:
            mock.patch(f"{__name__}.LIMIT", 1).start()

    run(write, look)


@pytest.mark.parametrize("program", [changed_by_foreign_code, changed_by_foreign_code_in_a_thread])
def test_what_nothing_announces_is_put_back(program, monkeypatch):
    monkeypatch.setattr(exploration, "DOUBTED", 1_000)
    found = explore_program(program)
    assert found.answer is not Answer.BUG, found.failure
    assert found.answer is not Answer.NONDETERMINISTIC, found.reason


def iterator_of_the_set_up():
    numbers = iter([1, 2, 3])
    taken = []
    run(lambda: taken.append(next(numbers)), lambda: taken.append(next(numbers)))
    assert taken == [1, 2]


def generator_of_the_set_up():
    taken = []

    def steps():
        yield from (1, 2, 3)

    numbers = steps()
    next(numbers)
    run(lambda: taken.append(next(numbers)), lambda: taken.append(next(numbers)))
    assert taken == [2, 3]


def mapped_in_the_set_up():
    taken, shared = [], Shared()

    def plus(number):
        return number + shared.value

    numbers = map(plus, [1, 2, 3])

    def write():
        shared.value = 1

    run(lambda: taken.append(next(numbers)), write)
    assert taken == [1]


def dictionary_of_the_set_up():
    shared = Shared()
    fields = shared.__dict__

    def by_item():
        fields["value"] += 1

    def by_attribute():
        shared.value += 1

    run(by_item, by_attribute)
    assert shared.value == 2


def loop_that_begins_in_it():
    shared, threads = Shared(), []

    def add():
        shared.value += 1

    for number in [0, 1]:
        threads.append(threading.Thread(target=add))
        threads[number].start()
    for thread in threads:
        thread.join()
    assert shared.value == 2


def method_that_is_called_in_it_and_returns_later():
    found, threads = {}, []

    class Key:
        def __hash__(self):
            if not threads:
                threads.append(threading.Thread(target=lambda: found.update(late=1)))
                threads[0].start()
            return 1

    found.setdefault(Key(), 0)
    threads[0].join()
    assert next(iter(found)) == "late"


@pytest.mark.parametrize(
    "program",
    [
        iterator_of_the_set_up,
        generator_of_the_set_up,
        mapped_in_the_set_up,
        dictionary_of_the_set_up,
        loop_that_begins_in_it,
        method_that_is_called_in_it_and_returns_later,
    ],
)
def test_a_race_on_an_object_of_the_set_up_is_found(program):
    assert explore_program(program).answer is Answer.BUG
    explorer = Explorer(program)
    explorer.judge = _Counting()
    assert explorer.explore().answer is Answer.EXHAUSTED
    assert explorer.judge.failed > 0


class _Counting(exploration.Judge):
    """Counts the failing runs whose set-up was not announced, and lets the search go on."""

    def __init__(self):
        self.failed = 0

    def __call__(self, execution):
        quiet = execution.set_up is not None and execution.executions > 1
        self.failed += quiet and bool(execution.failed)


def in_a_context_of_its_own():
    def body():
        assert VARIABLE.get() == 0
        VARIABLE.set(1)
        locked()

    assert VARIABLE.get() == 0
    VARIABLE.set(2)
    for _ in range(2):
        run(body, body)
    assert VARIABLE.get() == 2


def test_a_thread_has_no_context_of_an_earlier_one():
    found = explore_program(in_a_context_of_its_own, executions=500)
    assert found.failure is None
    assert 3 <= len(carriers._IDLE) < 20
