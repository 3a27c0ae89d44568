"""Loops that poll: an iteration that changes nothing is not repeated, and deadlines pass."""

import datetime
import queue
import threading
import time

import pytest

from tests.wheelproof.plain.started import run
from wheelproof.plain import polling
from wheelproof.plain.answers import Answer, FailureKind
from wheelproof.plain.exploration import Explorer, explore_program
from wheelproof.plain.instrument import containers


class Plain:
    def __init__(self):
        self.x = self.y = 0


def deadline_of_a_sleeper():
    plain = Plain()

    def wait():
        end = time.monotonic() + 60
        while not plain.x and time.monotonic() < end:
            time.sleep(0.01)

    run(wait, lambda: setattr(plain, "x", 1))


def deadline_alone():
    end, seen = time.time() + 3600, []
    run(lambda: seen.append(1), lambda: seen.append(2))
    while time.time() < end:
        time.sleep(0.5)


def deadline_of_a_spinner():
    seen = []
    thread = threading.Thread(target=lambda: seen.append(1))
    thread.start()
    end = datetime.datetime.now() + datetime.timedelta(seconds=5)
    while not seen and datetime.datetime.now() < end:
        pass
    thread.join()


def deadline_of_a_consumer():
    handed, got = queue.Queue(), []

    def take():
        end = time.monotonic() + 3
        while (left := end - time.monotonic()) > 0:
            try:
                got.append(handed.get(timeout=min(left, 0.1)))
                break
            except queue.Empty:
                continue

    run(take, lambda: handed.put(1))


def objects_of_an_iteration():
    """Each iteration makes objects, and drops them."""
    plain = Plain()

    def finished():
        parts = [Plain() for _ in range(2)]
        for part in parts:
            part.x = plain.x
        return all(part.x for part in parts)

    def wait():
        while not finished():
            time.sleep(0.01)

    run(wait, lambda: setattr(plain, "x", 1))


def value_that_comes_back():
    plain = Plain()

    def wait():
        while not plain.x:
            plain.y += 1
            plain.y -= 1
            time.sleep(0.01)

    run(wait, lambda: setattr(plain, "x", 1))


def two_waits_in_an_iteration():
    plain, lock = Plain(), threading.Lock()

    def wait():
        while not plain.x:
            if lock.acquire(blocking=False):
                lock.release()
            time.sleep(0.01)

    run(wait, lambda: setattr(plain, "x", 1))


EXHAUSTED = [
    deadline_of_a_sleeper,
    deadline_alone,
    deadline_of_a_spinner,
    deadline_of_a_consumer,
    objects_of_an_iteration,
    value_that_comes_back,
    two_waits_in_an_iteration,
]


def deadline_that_passes_too_early():
    plain = Plain()
    thread = threading.Thread(target=lambda: setattr(plain, "x", 1))
    thread.start()
    end = time.monotonic() + 5
    while not plain.x:
        assert time.monotonic() < end
        time.sleep(0.01)
    thread.join()


def each_iteration_frees():
    """The library's own fields are state, too."""
    semaphore, plain = threading.Semaphore(0), Plain()

    def wait():
        for _ in iter(int, 1):
            semaphore.release()
            time.sleep(0.1)
            assert semaphore._value < 3
            if plain.x:
                break

    run(wait, lambda: setattr(plain, "y", 1))


def change_between_two_looks():
    """The first look of an iteration sees the old value, the second one the new."""
    plain, seen = Plain(), []

    def wait():
        while not plain.y:
            if plain.x:
                seen.append(1)
                break
            time.sleep(0.1)
            if plain.x:
                time.sleep(0.1)

    run(wait, lambda: setattr(plain, "x", 1))
    assert not seen


BUGS = [deadline_that_passes_too_early, each_iteration_frees, change_between_two_looks]


@pytest.mark.daily(9)
@pytest.mark.parametrize("program", EXHAUSTED, ids=lambda program: program.__name__)
def test_a_loop_that_polls_is_searched_to_the_end(program):
    found = explore_program(program, executions=5_000)
    assert found.answer is Answer.EXHAUSTED, (found.reason, found.failure)


@pytest.mark.daily(3)
@pytest.mark.parametrize("program", BUGS, ids=lambda program: program.__name__)
def test_a_loop_that_fails_is_a_bug(program):
    found = explore_program(program)
    assert found.answer is Answer.BUG, found.reason


def test_a_deadline_that_never_passes_is_an_endless_loop(monkeypatch):
    monkeypatch.setattr(polling, "YEAR", 0)
    found = explore_program(deadline_alone)
    assert found.failure.kind is FailureKind.ENDLESS


@pytest.mark.daily(2)
@pytest.mark.parametrize(
    ("program", "function", "value"),
    [
        (objects_of_an_iteration, "garbage", lambda kept: lambda value: False),
        (value_that_comes_back, "content", lambda name, kept: object()),
    ],
)
def test_a_change_that_stays_is_repeated(program, function, value, monkeypatch):
    monkeypatch.setattr(polling, function, value)
    explorer = Explorer(program)
    explorer.execution.most_points = 200
    assert explorer.explore().answer is Answer.BUDGET


class Zone(datetime.tzinfo):
    """As those of pytz: each of its times comes from a method in C."""

    def utcoffset(self, when):
        return datetime.timedelta(0)

    dst = utcoffset

    def fromutc(self, when):
        return super().fromutc(when)


ZONE = Zone()


def polls_in_a_zone():
    stopped = threading.Event()

    def poll():
        while not stopped.is_set():
            ZONE.fromutc(datetime.datetime.now(ZONE))
            stopped.wait(1)

    thread = threading.Thread(target=poll)
    thread.start()
    stopped.set()
    thread.join()


def test_a_method_in_c_of_a_type_without_state_is_no_write():
    assert explore_program(polls_in_a_zone, executions=1_000).answer is Answer.EXHAUSTED


def test_a_type_that_is_not_known_to_have_no_state_is_written(monkeypatch):
    types = containers.IMMUTABLE - {datetime.tzinfo}
    monkeypatch.setattr(containers, "IMMUTABLE", types)
    explorer = Explorer(polls_in_a_zone, executions=30)
    explorer.execution.most_points = 200
    assert explorer.explore().answer is Answer.BUDGET


def waits_beside_a_poller(daemon):
    stopped, never = threading.Event(), threading.Event()

    def poll():
        while not stopped.wait(1):
            pass

    threading.Thread(target=poll, daemon=daemon).start()
    never.wait()


def waits_beside_a_daemon():
    waits_beside_a_poller(True)


def waits_beside_a_thread():
    waits_beside_a_poller(False)


@pytest.mark.daily(2)
@pytest.mark.parametrize(
    ("program", "kind"),
    [
        (waits_beside_a_daemon, FailureKind.LOST_WAKE_UP),
        (waits_beside_a_thread, FailureKind.ENDLESS),
    ],
)
def test_a_wait_that_only_a_polling_daemon_outlives_is_for_ever(program, kind):
    failure = explore_program(program).failure
    assert failure.kind is kind
    waiting = [wait.thread for wait in failure.waits]
    assert waiting == ["MainThread"] * (kind is FailureKind.LOST_WAKE_UP)
