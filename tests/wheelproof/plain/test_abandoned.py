"""Threads that catch what ends them once their run is over."""

import subprocess
import sys
import threading
from pathlib import Path

import pytest

from tests.wheelproof.plain.started import run
from wheelproof.plain import abandoned, columns, execution
from wheelproof.plain.answers import Answer, FailureKind
from wheelproof.plain.exploration import Explorer, explore_program

ROOT = Path(__file__).resolve().parents[3]


def bare_except(lock):
    while True:
        try:  # noqa: SIM105
            lock.acquire()
        except:  # noqa: E722
            pass


def except_of_the_base(lock):
    while True:
        try:
            lock.acquire()
        except BaseException:
            continue


def continue_in_finally(lock):
    while True:
        try:
            lock.acquire()
        finally:
            continue  # noqa: B012


def return_in_finally(lock):
    def take():
        try:
            lock.acquire()
        finally:
            return  # noqa: B012

    while True:
        take()


def group_of_the_base(lock):
    while True:
        try:
            lock.acquire()
        except* BaseException:
            pass


class Swallows:
    def __enter__(self):
        return self

    def __exit__(self, *exception):
        return True


def manager_that_swallows(lock):
    while True:
        with Swallows():
            lock.acquire()


class Counter:
    count = 0


def accesses_of_a_field(lock):
    counter = Counter()
    try:  # noqa: SIM105 - suppress would end the thread
        lock.acquire()
    except BaseException:
        pass
    while True:
        try:  # noqa: SIM105
            counter.count += 1
        except BaseException:
            pass


def starts_of_threads(lock):
    while True:
        try:
            thread = threading.Thread(target=lock.acquire)
            thread.start()
            thread.join()
        except BaseException:
            pass


def loop_without_accesses(lock):
    try:  # noqa: SIM105 - suppress would end the thread
        lock.acquire()
    except BaseException:
        pass
    while True:
        pass


def end_at_last(lock):
    for _ in range(abandoned.PATIENCE + 1):
        try:
            lock.acquire()
        except BaseException:
            continue


SPINNING = [
    bare_except, except_of_the_base, continue_in_finally, return_in_finally, group_of_the_base,
    manager_that_swallows, accesses_of_a_field, starts_of_threads,
]  # fmt: skip


def program_with(body):
    """A program that ends while a daemon waits in a loop."""

    def program():
        never, lock = threading.Lock(), threading.Lock()
        never.acquire()
        threading.Thread(target=body, args=(never,), daemon=True).start()

        def use():
            with lock:
                pass

        run(use, use)

    return program


def explored(body, **limits):
    explorer = Explorer(None, **limits)
    module = explorer.world.load(__name__)
    explorer.program = module.program_with(getattr(module, body.__name__))
    return explorer.explore()


@pytest.mark.daily(8)
@pytest.mark.parametrize("body", SPINNING, ids=lambda body: body.__name__)
def test_a_thread_that_catches_its_end_is_abandoned_and_named(body):
    found = explored(body)
    assert found.answer is Answer.EXHAUSTED
    assert any(f"Thread-1 ({body.__name__}), {__file__}:" in name for name in found.abandoned)
    assert "catches what ends it, and was abandoned: Thread-1" in columns.text(found)


def test_a_thread_that_ends_at_last_is_not_abandoned():
    found = explored(end_at_last)
    assert found.answer is Answer.EXHAUSTED and found.abandoned == ()


def test_a_thread_that_ends_at_last_is_abandoned_with_less_patience(monkeypatch):
    monkeypatch.setattr(execution, "PATIENCE", abandoned.PATIENCE - 1)
    assert "Thread-1 (end_at_last), " in explored(end_at_last).abandoned[0]


def fails_beside_a_loop():
    lock = threading.Lock()
    lock.acquire()
    threading.Thread(target=except_of_the_base, args=(lock,), daemon=True).start()
    lock.acquire()


def test_a_failure_beside_such_a_thread_is_shown():
    found = explore_program(fails_beside_a_loop)
    assert found.answer is Answer.BUG and found.failure.kind is FailureKind.DEADLOCK
    assert "Thread-1 (except_of_the_base), " in found.abandoned[0]


def test_too_many_of_them_are_no_pass(monkeypatch):
    monkeypatch.setattr(abandoned, "MOST", 10)
    found = explored(bare_except)
    assert found.answer is Answer.BUDGET and "too many abandoned threads" in found.reason
    assert found.executions == 10


def test_the_watchdog_abandons_a_thread_that_does_nothing(monkeypatch):
    monkeypatch.setattr(abandoned, "MOST_BUSY", 2)
    found = explored(loop_without_accesses)
    assert found.answer is Answer.BUDGET and found.executions == 2
    assert "while True:" in found.abandoned[0] or "pass" in found.abandoned[0]


def test_the_interpreter_ends_after_such_a_thread():
    program = (
        "from wheelproof.plain.exploration import explore_program\n"
        "from tests.wheelproof.plain import test_abandoned\n"
        "print(explore_program(test_abandoned.fails_beside_a_loop).answer)\n"
    )
    ended = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "bug\n", "")
