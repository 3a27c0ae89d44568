"""What Kafka's own tests of its purgatory demand, of these classes.

Kafka: ``DelayedOperationTest``; those of ``DelayedFuture`` are in ``test_delayed_future.py``.
"""

from __future__ import annotations

import random
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from impl.clock import VirtualClock
from impl.delayed_operation import DelayedOperation, LockedTry, TryPending
from impl.delayed_operation_purgatory import DelayedOperationPurgatory
from impl.system_timer import SystemTimer
from tests.impl.real_threads import HOUR_MS, MOMENT_S, PATIENCE_S, finished, started, until
from tests.impl.timing import Inline


class Request(DelayedOperation):
    """Completes when ``completable``."""

    __slots__ = ("completable", "over", "expired")

    def __init__(self, delay_ms, *arguments):
        super().__init__(delay_ms, *arguments)
        self.completable, self.expired = False, False
        self.over = threading.Event()

    def try_complete(self):
        return self.completable and self.force_complete()

    def on_complete(self):
        self.over.set()

    def on_expiration(self):
        self.expired = True


@pytest.fixture
def held():
    """A purgatory whose time stands still, without a reaper."""
    timer = SystemTimer(Inline(), clock=VirtualClock())
    with DelayedOperationPurgatory("mock", timer, reaper_enabled=False) as purgatory:
        yield purgatory


def owned(lock):
    """Whether another thread does not get the lock."""
    found = []

    def attempt():
        had = lock.acquire(blocking=False)
        found.append(not had)
        if had:
            lock.release()

    (thread,) = started(attempt)
    assert finished(thread)
    return found.pop()


def test_an_operation_is_entered_under_its_lock(held):
    class Looks(Request):
        __slots__ = ("seen",)

        def try_complete(self):
            self.seen.append(owned(self.lock))
            return False

    operation = Looks(HOUR_MS)
    operation.seen = []
    held.try_complete_else_watch(operation, ["key"])
    assert operation.seen == [True, True] and not owned(operation.lock)


def test_the_action_runs_only_if_the_first_try_fails():
    actions = []
    passing, failing = Request(HOUR_MS), Request(HOUR_MS)
    passing.completable = True
    assert passing.safe_try_complete_or_else(lambda given: actions.append(given))
    assert actions == [] and passing.is_completed()
    assert not failing.safe_try_complete_or_else(lambda given: actions.append(given))
    assert actions == [failing] and not failing.is_completed()


def test_requests_are_satisfied_by_the_events_of_their_keys(held):
    first, second = Request(HOUR_MS), Request(HOUR_MS)
    assert held.check_and_complete("one") == 0, "nothing waits"
    assert not held.try_complete_else_watch(first, ["one"])
    assert held.check_and_complete("one") == 0, "it is not satisfied"
    assert not held.try_complete_else_watch(second, ["two"])
    assert held.check_and_complete("two") == 0
    first.completable = True
    assert held.check_and_complete("one") == 1 and held.check_and_complete("one") == 0
    second.completable = True
    assert held.check_and_complete("two") == 1 and held.check_and_complete("two") == 0
    assert not first.expired and not second.expired


def test_a_request_expires_after_its_time_and_not_before(held):
    clock = held.timer.clock
    soon, far = Request(20), Request(200_000)
    for each in (soon, far):
        assert not held.try_complete_else_watch(each, ["one"])
    clock.advance(19)
    assert not held.advance_clock(0) and not soon.is_completed()
    clock.advance(1)
    while held.advance_clock(0):
        pass
    assert soon.is_completed() and soon.expired and not far.is_completed()


def test_a_request_expires_in_real_time_and_at_once_if_its_time_is_over():
    with DelayedOperationPurgatory("real") as purgatory:
        for delay in (20, 0, -1):
            request = Request(delay)
            purgatory.try_complete_else_watch(request, ["one"])
            assert request.over.wait(PATIENCE_S) and until(lambda request=request: request.expired)


def test_checks_of_keys_drop_what_is_completed(held):
    requests = [Request(HOUR_MS) for _ in range(3)]
    for number, request in enumerate(requests, 1):
        held.try_complete_else_watch(request, [f"key{each}" for each in range(number)])
    assert (held.num_delayed(), held.watched()) == (3, 6)
    for left, request in ((2, requests[1]), (1, requests[2])):
        request.completable = True
        request.try_complete()
        assert held.num_delayed() == left, "a completed request leaves the timer at once"
    for key, left in (("key0", 4), ("key1", 2), ("key2", 1)):
        held.check_and_complete(key)
        assert held.watched() == left


def test_a_cancelled_key_returns_its_operations_and_no_other(held):
    requests = [Request(HOUR_MS) for _ in range(3)]
    for request, key in zip(requests, ("a", "a", "b")):
        held.try_complete_else_watch(request, [key])
    assert held.cancel_for_key("a") == requests[:2]
    assert (held.num_delayed(), held.watched()) == (1, 1)
    assert not any(each.is_completed() for each in requests)


def test_a_key_without_operations_has_nothing_to_cancel(held):
    assert held.cancel_for_key("a") == []


def test_a_completed_request_is_dropped_from_all_keys_by_the_reaper():
    with DelayedOperationPurgatory("reaped", purge_interval=0) as purgatory:
        request = Request(HOUR_MS)
        purgatory.try_complete_else_watch(request, ["a", "b", "c"])
        request.completable = True
        assert purgatory.check_and_complete("a") == 1
        assert until(lambda: purgatory.watched() == 0)


# -- threads


@pytest.mark.parametrize("protocol", [DelayedOperation, LockedTry, TryPending])
def test_events_of_many_threads_complete_every_request(protocol):
    """Each request waits for several attempts: an attempt of any thread counts."""
    chance = random.Random(7)

    class Attempted(protocol):
        __slots__ = ("left", "key", "over")

        def try_complete(self):
            self.left = max(self.left - 1, 0)
            return self.left == 0 and self.force_complete()

        def on_complete(self):
            self.over.append(self.key)

        def on_expiration(self):
            self.over.append("expired")

    with DelayedOperationPurgatory("threads", shards=3) as purgatory, ThreadPoolExecutor(4) as pool:
        requests, over = [], []
        for key in range(50):
            request = Attempted(HOUR_MS)
            request.left, request.key, request.over = chance.randint(3, 12), key, over
            requests.append(request)
            assert not purgatory.try_complete_else_watch(request, [key])

        def checks(seed):
            mine = random.Random(seed)
            while any(not each.is_completed() for each in requests):
                purgatory.check_and_complete(mine.randrange(50))
                for each in range(50):
                    purgatory.check_and_complete(each)

        for each in [pool.submit(checks, seed) for seed in range(4)]:
            each.result(PATIENCE_S)
        assert sorted(over) == list(range(50)) and purgatory.num_delayed() == 0


@pytest.mark.parametrize("given", [False, True])
def test_an_event_waits_for_the_operations_lock_and_completes_it(held, given):
    lock = threading.RLock() if given else None
    request = Request(HOUR_MS, lock)
    assert (request.lock is lock) == given
    held.try_complete_else_watch(request, ["key"])
    request.completable = True
    with request.lock:
        (thread,) = started(lambda: held.check_and_complete("key"))
        assert not finished(thread, MOMENT_S) and not request.is_completed()
    assert finished(thread) and request.is_completed()
