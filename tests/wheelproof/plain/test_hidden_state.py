"""Loops that poll, and whose state is in no variable, go on: no order of them is left out."""

import collections
import threading
import time

import pytest

from tests.wheelproof.plain import hidden_state
from tests.wheelproof.plain.started import run
from wheelproof.plain import objects, polling
from wheelproof.plain.answers import Answer
from wheelproof.plain.exploration import Explorer, explore_program

FLAG = [0]


def sleeps():
    time.sleep(0.1)


def looks():
    FLAG[0]


def ends_first(loop, pause):
    """A program that fails where the thread with the loop comes before the other one."""

    def program():
        order = []

        def loops():
            loop(pause)
            order.append("loop")

        def writes():
            order.append("other")
            FLAG[0] = 1

        run(loops, writes)
        assert order != ["loop", "other"]

    return program


@pytest.mark.daily(4)
@pytest.mark.parametrize("pause", [sleeps, looks])
@pytest.mark.parametrize("loop", hidden_state.LOOPS, ids=lambda loop: loop.__name__)
def test_a_loop_ends_before_the_other_thread_moves(loop, pause):
    answer = explore_program(ends_first(loop, pause), executions=3_000)
    assert answer.answer is Answer.BUG and "Assertion" in str(answer.failure), answer


def no_step(self, iterator):
    pass


def no_change(self):
    pass


@pytest.mark.parametrize(
    ("loop", "place", "name", "value"),
    [
        (hidden_state.equal_items, polling.Polling, "steps", no_step),
        (hidden_state.iterator_of_a_class, polling.Polling, "steps", no_step),
        (hidden_state.comparisons_of_a_list, polling, "beneath_other_code", lambda frame: False),
        (hidden_state.replacements, polling, "beneath_other_code", lambda frame: False),
        (hidden_state.context, polling.Polling, "changes", no_change),
        (
            hidden_state.order_of_keys,
            objects,
            "_CONTAINERS",
            tuple(kind for kind in objects._CONTAINERS if kind is not collections.OrderedDict),
        ),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_without_its_note_it_would_pass(loop, place, name, value, monkeypatch):
    monkeypatch.setattr(place, name, value)
    assert explore_program(ends_first(loop, sleeps)).answer is Answer.EXHAUSTED


# -- loops without a pause


def two_flags():
    first, second = [False], [False]

    def spin():
        while not (first[0] or second[0]):
            pass

    run(spin, lambda: first.__setitem__(0, True), lambda: second.__setitem__(0, True))


def end_of_a_thread():
    order = []
    thread = threading.Thread(target=lambda: order.append(1))
    thread.start()
    while thread.is_alive():
        pass
    assert order


def deadline_of_a_look():
    flag = [False]

    def spin():
        end = time.monotonic() + 1
        while not flag[0] and time.monotonic() < end:
            pass

    run(spin, lambda: flag.__setitem__(0, True))


def turns():
    turn, order = [0], []

    def take(number):
        for _ in range(2):
            while turn[0] != number:
                pass
            order.append(number)
            turn[0] = 1 - number

    run(lambda: take(0), lambda: take(1))
    assert order == [0, 1, 0, 1]


def peterson(turn_first=False):
    """G. L. Peterson: Myths About the Mutual Exclusion Problem, IPL 12(3), 1981."""
    wants, turn, inside = [False, False], [0], [0]

    def enter(number):
        if turn_first:
            turn[0] = 1 - number
        wants[number] = True
        if not turn_first:
            turn[0] = 1 - number
        while wants[1 - number] and turn[0] == 1 - number:
            pass
        inside[0] += 1
        assert inside[0] == 1
        inside[0] -= 1
        wants[number] = False

    run(lambda: enter(0), lambda: enter(1))


def peterson_with_the_turn_first():
    peterson(turn_first=True)


@pytest.mark.parametrize(
    "program", [two_flags, end_of_a_thread, deadline_of_a_look, turns, peterson]
)
def test_a_loop_without_a_pause_is_searched_to_the_end(program):
    answer = explore_program(program, executions=5_000)
    assert answer.answer is Answer.EXHAUSTED, (answer.reason, answer.failure)


def test_what_such_a_loop_lets_through_is_a_bug():
    answer = explore_program(peterson_with_the_turn_first, executions=5_000)
    assert answer.answer is Answer.BUG and "Assertion" in str(answer.failure)


def nothing_to_see():
    flag = [False]

    def spin():
        while not flag[0]:
            pass

    def look():
        if flag[0]:
            flag[0] = True

    run(spin, look)


def test_a_loop_that_no_thread_ends_is_endless():
    failure = explore_program(nothing_to_see).failure
    assert failure is not None and failure.kind.value == "endless loop"


def counts_until_it_is_stopped():
    class Worker:
        stopped, count = False, 0

        def work(self):
            while not self.stopped:
                self.count += 1

    worker = Worker()
    thread = threading.Thread(target=worker.work)
    thread.start()
    worker.stopped = True
    thread.join()


def test_a_loop_that_changes_something_is_no_pass():
    assert explore_program(counts_until_it_is_stopped, executions=60).answer is Answer.BUDGET


def livelock():
    turn = [0]

    def first():
        while turn[0] != 2:
            turn[0] = 1

    def second():
        while turn[0] != 2:
            turn[0] = 0

    run(first, second)


def test_a_search_of_runs_that_do_not_end_is_given_up():
    explorer = Explorer(livelock)
    explorer.execution.most_points = 200
    answer = explorer.explore()
    assert answer.answer is Answer.BUDGET and answer.executions < 100
