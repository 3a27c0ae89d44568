"""Answers of an exploration on small programs."""

import threading

from wheelproof.plain.answers import Answer, FailureKind
from wheelproof.plain.exploration import explore_program


class Counter:
    def __init__(self):
        self.count = 0

    def increment(self):
        self.count += 1


def lost_update():
    counter = Counter()
    threads = [threading.Thread(target=counter.increment) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert counter.count == 2


def guarded():
    counter, lock = Counter(), threading.Lock()

    def work():
        with lock:
            counter.increment()

    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert counter.count == 2


def two_locks():
    first, second = threading.Lock(), threading.Lock()

    def forwards():
        with first, second:
            pass

    def backwards():
        with second, first:
            pass

    threads = [threading.Thread(target=forwards), threading.Thread(target=backwards)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def waits_too_late():
    condition = threading.Condition()

    def notify():
        with condition:
            condition.notify()

    thread = threading.Thread(target=notify)
    thread.start()
    with condition:
        condition.wait()
    thread.join()


def alone():
    counter = Counter()
    counter.increment()
    assert counter.count == 1


def test_a_lost_update_is_a_bug_with_one_preemption():
    found = explore_program(lost_update)
    assert found.answer is Answer.BUG
    assert found.failure.kind is FailureKind.ASSERTION
    assert found.failure.preemptions == 1 and found.failure.minimal
    assert [place.text for place in found.racy_places] == ["self.count", "self.count ="]


def test_a_guarded_counter_is_exhausted_without_a_racy_place():
    found = explore_program(guarded)
    assert found.answer is Answer.EXHAUSTED, found
    assert found.racy_places == ()


def test_two_locks_in_two_orders_are_a_deadlock_with_its_cycle():
    found = explore_program(two_locks)
    assert found.failure.kind is FailureKind.DEADLOCK
    assert sorted(found.failure.cycle) == ["Thread-1 (forwards)", "Thread-2 (backwards)"]


def test_a_notification_before_the_wait_is_a_lost_wake_up():
    found = explore_program(waits_too_late)
    assert found.failure.kind is FailureKind.LOST_WAKE_UP


def test_a_program_of_one_thread_is_vacuous():
    assert explore_program(alone).answer is Answer.VACUOUS


def test_functions_within_a_function_share_its_variables():
    total, lock = 0, None

    def add():
        nonlocal total
        with lock:
            total += 1

    def program():
        nonlocal lock
        lock = threading.Lock()
        threads = [threading.Thread(target=add) for _ in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert total == 2

    found = explore_program(program)
    assert found.answer is Answer.EXHAUSTED, found.reason
    assert total == 0


def one_fails_after(first, second):
    """The first thread raises an exception once the second one has."""
    failed = threading.Event()

    def follow():
        failed.wait()
        raise first

    def lead():
        try:
            raise second
        finally:
            failed.set()

    threads = [threading.Thread(target=follow), threading.Thread(target=lead)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def late_error():
    one_fails_after(ValueError("late"), KeyError("early"))


def late_exit():
    one_fails_after(ValueError("late"), SystemExit())


def test_the_failure_that_comes_first_is_reported():
    for program, message in (
        (late_error, "KeyError in Thread-2 (lead): 'early'"),
        (late_exit, "ValueError in Thread-1 (follow): late"),
    ):
        found = explore_program(program)
        assert found.failure.message == message
        assert type(found.failure.exception).__name__ == message.partition(" ")[0]
