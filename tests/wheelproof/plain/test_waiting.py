"""Waits with a time-out: one that is as long as can be is none."""

import queue
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.wheelproof.plain.started import run
from wheelproof.plain.answers import Answer, FailureKind
from wheelproof.plain.exploration import explore_program

SECONDS = threading.TIMEOUT_MAX
"""Of the waits of these programs. A test has them end after one second."""


def lock_is_taken():
    lock, got = threading.Lock(), []
    lock.acquire()
    run(lock.release, lambda: got.append(lock.acquire(timeout=SECONDS)))
    assert got == [True]


def event_is_set():
    event, got = threading.Event(), []
    run(event.set, lambda: got.append(event.wait(SECONDS)))
    assert got == [True]


def semaphore_is_freed():
    semaphore, got = threading.Semaphore(0), []
    run(semaphore.release, lambda: got.append(semaphore.acquire(timeout=SECONDS)))
    assert got == [True]


def thread_ends():
    thread = threading.Thread(target=lambda: None)
    thread.start()
    thread.join(SECONDS)
    assert not thread.is_alive()


def item_comes():
    handed = queue.Queue()
    run(lambda: handed.put(1), lambda: handed.get(timeout=SECONDS))


def barrier_is_full():
    barrier = threading.Barrier(2)
    run(lambda: barrier.wait(SECONDS), lambda: barrier.wait(SECONDS))


def result_comes():
    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(lambda: 1).result(SECONDS) == 1


PROGRAMS = [
    lock_is_taken,
    event_is_set,
    semaphore_is_freed,
    thread_ends,
    item_comes,
    barrier_is_full,
    result_comes,
]


@pytest.mark.daily(6)
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_the_longest_time_out_never_fires(program):
    found = explore_program(program)
    assert found.answer is Answer.EXHAUSTED, (found.reason, found.failure)


@pytest.mark.daily(7)
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_a_shorter_one_does(program, monkeypatch):
    monkeypatch.setattr(threading, "TIMEOUT_MAX", SECONDS / 3)
    monkeypatch.setattr("_thread.TIMEOUT_MAX", SECONDS / 3)
    found = explore_program(program)
    assert found.answer is Answer.BUG and found.failure.preemptions == 0, found.reason


def no_thread_sets():
    event = threading.Event()
    run(lambda: event.is_set(), lambda: event.wait(SECONDS))


def sleeps_for_ever():
    seen = []
    run(lambda: seen.append(1), lambda: (seen.append(2), time.sleep(SECONDS)))


def too_long():
    errors = []

    def wait():
        try:
            threading.Lock().acquire(timeout=2 * SECONDS)
        except OverflowError as error:
            errors.append(error)

    run(wait, wait)
    assert len(errors) == 2


def test_a_wait_for_ever_that_nothing_ends_is_a_deadlock():
    found = explore_program(no_thread_sets)
    assert found.failure.kind is FailureKind.LOST_WAKE_UP
    found = explore_program(sleeps_for_ever)
    assert found.failure.kind is FailureKind.DEADLOCK
    assert [wait.awaited for wait in found.failure.waits][1:] == ["the end of its sleep"]


def test_no_time_out_is_longer():
    assert explore_program(too_long).answer is Answer.EXHAUSTED
