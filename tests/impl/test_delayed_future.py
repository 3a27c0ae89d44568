"""DelayedFuture and its purgatory: the last future, or the timeout, calls back once."""

from __future__ import annotations

import threading
from concurrent.futures import Future

from impl.clock import VirtualClock
from impl.delayed_future import DelayedFuture, DelayedFuturePurgatory
from impl.system_timer import SystemTimer
from tests.impl.real_threads import HOUR_MS, PATIENCE_S, until
from tests.impl.timing import Inline


def done(value):
    future = Future()
    future.set_result(value)
    return future


class Call:
    """A callback that notes the sum of the results, and the thread that it runs on."""

    def __init__(self, futures):
        self.futures, self.sums, self.threads = futures, [], []
        self.over = threading.Event()

    def __call__(self):
        results = [each.result() for each in self.futures if each.exception() is None]
        self.sums.append(sum(results))
        self.threads.append(threading.current_thread().name)
        self.over.set()


def has_thread(name):
    return any(each.name.startswith(f"DelayedExecutor-{name}") for each in threading.enumerate())


def test_futures_that_are_done_call_back_at_once_on_the_callers_thread():
    with DelayedFuturePurgatory("done") as purgatory:
        futures = [done(10), done(11)]
        call = Call(futures)
        operation = purgatory.try_complete_else_watch(HOUR_MS, futures, call)
        assert operation.is_completed() and call.sums == [21]
        assert call.threads == [threading.current_thread().name]
        assert not has_thread("done"), "there was nothing to do for it"


def test_no_future_calls_back_at_once():
    with DelayedFuturePurgatory("none") as purgatory:
        call = Call([])
        assert purgatory.try_complete_else_watch(HOUR_MS, [], call).is_completed()
        assert call.sums == [0]


def test_the_last_future_calls_back_on_the_purgatorys_own_thread():
    with DelayedFuturePurgatory("last") as purgatory:
        futures = [Future(), Future(), done(3)]
        call = Call(futures)
        operation = purgatory.try_complete_else_watch(HOUR_MS, futures, call)
        futures[0].set_result(1)
        assert not operation.is_completed() and not has_thread("last")
        futures[1].set_exception(ValueError("one of them fails"))
        assert call.over.wait(PATIENCE_S) and call.sums == [4]
        assert call.threads[0].startswith("DelayedExecutor-last")
        assert operation.is_completed() and until(lambda: purgatory.purgatory.num_delayed() == 0)


def test_the_timeout_ends_the_futures_that_are_open():
    with DelayedFuturePurgatory("late") as purgatory:
        futures = [done(5), Future(), Future()]
        call = Call(futures)
        operation = purgatory.try_complete_else_watch(3, futures, call)
        assert call.over.wait(PATIENCE_S) and call.sums == [5] and operation.is_completed()
        assert [str(each.exception()) for each in futures[1:]] == [
            "the future was not done within 3 ms"
        ] * 2
        assert futures[0].result() == 5


def test_a_future_that_is_done_as_the_time_is_over_keeps_its_result():
    class Racing(Future):
        def done(self):
            was = super().done()
            if wanted:
                wanted.pop()
                self.set_result(7)
            return was

    wanted = []
    future = Racing()
    call = Call([future])
    operation = DelayedFuture(1, [future], call)
    assert not operation.safe_try_complete()
    wanted.append("its owner completes it now")
    operation.run()
    assert call.sums == [7] and operation.is_completed()


def test_timeouts_pass_in_virtual_time_without_a_reaper():
    clock = VirtualClock()
    timer = SystemTimer(Inline(), clock=clock)
    with DelayedFuturePurgatory("virtual", timer, reaper_enabled=False) as purgatory:
        call = Call([Future()])
        operation = purgatory.try_complete_else_watch(50, call.futures, call)
        clock.advance(49)
        while purgatory.purgatory.advance_clock(0):
            pass
        assert not operation.is_completed()
        clock.advance(1)
        while purgatory.purgatory.advance_clock(0):
            pass
        assert operation.is_completed() and call.sums == [0]
        assert "'virtual', without a reaper" in repr(purgatory)


def test_a_future_that_is_done_after_shutdown_completes_nothing():
    purgatory = DelayedFuturePurgatory("closed")
    call = Call([Future()])
    operation = purgatory.try_complete_else_watch(HOUR_MS, call.futures, call)
    purgatory.shutdown()
    call.futures[0].set_result(1)
    assert not operation.is_completed() and call.sums == []
