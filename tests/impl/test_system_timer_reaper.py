"""SystemTimerReaper in production: its thread's name and kind, and what it asks of its timer."""

from __future__ import annotations

import threading
import time

import pytest

from impl.clock import VirtualClock
from impl.system_timer import SystemTimer
from impl.system_timer_reaper import POLL_MS, SystemTimerReaper
from tests.impl.real_threads import HOUR_MS, PATIENCE_S, finished
from tests.impl.timers import Task

KAFKAS_MS = 200
"""How long Kafka's reaper waits at a time, in milliseconds."""


class Timer:
    """Notes its calls, the times to wait and whether its reaper lived when it closed."""

    def __init__(self) -> None:
        self.waits: set[int] = set()
        self.closed: list[bool] = []
        self.reaper: SystemTimerReaper | None = None

    def advance_clock(self, timeout_ms: int) -> bool:
        self.waits.add(timeout_ms)
        time.sleep(0.001)
        return False

    def wake(self) -> None:
        pass

    def close(self) -> None:
        self.closed.append(self.reaper.thread.is_alive())


def test_its_thread_has_the_name_and_keeps_no_process_from_ending():
    timer = Timer()
    reaper = timer.reaper = SystemTimerReaper("expirations", timer)
    assert (reaper.thread.name, reaper.thread.daemon) == ("expirations", True)
    while not timer.waits:
        time.sleep(0.001)
    reaper.close()
    assert timer.waits == {KAFKAS_MS} == {POLL_MS} and timer.closed == [False]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ((Timer(), "reaper"), "the thread's name, which comes first, is "),
        ((Timer(), Timer()), "the thread's name, which comes first, is "),
        (("a", "b"), "the timer, which comes second, is 'b'"),
        (
            ("a", None),
            "the timer, which comes second, is None, and must be an object",
        ),
        (("a", SystemTimer), "the timer, which comes second, is <class"),
        (("a", threading.Event()), "with the methods of impl.system_timer_reaper.Timed"),
    ],
)
def test_what_it_is_not_made_of_is_refused_before_a_thread_starts(arguments, says):
    before = threading.active_count()
    with pytest.raises(TypeError, match=says):
        SystemTimerReaper(*arguments)
    assert threading.active_count() == before


def test_it_is_a_timer_itself_and_closes_at_the_end_of_its_block():
    ran = threading.Event()
    with SystemTimerReaper("reaper", SystemTimer()) as reaper:
        reaper.add(far := Task(HOUR_MS))
        assert reaper.size() == 1 and not reaper.advance_clock(0)
        assert repr(reaper) == (
            "<SystemTimerReaper 'reaper', running, of <SystemTimer of 20 x 1 ms, 1 waiting>>"
        )
        far.cancel()
        reaper.add(Task(5, then=ran.set))
        assert ran.wait(PATIENCE_S)
    assert not reaper.thread.is_alive() and "'reaper', closed" in repr(reaper)
    with SystemTimerReaper("outer", SystemTimerReaper("inner", SystemTimer())) as outer:
        inner = outer.timer
    assert not inner.thread.is_alive()


def test_a_timer_closes_at_the_end_of_its_block():
    with SystemTimer(clock=VirtualClock()) as timer:
        timer.add(Task(0))
    with pytest.raises(RuntimeError, match="after shutdown"):
        timer.add(Task(0))


@pytest.mark.parametrize(
    "error",
    [each("of the poll") for each in (LookupError, SystemExit, KeyboardInterrupt, GeneratorExit)],
    ids=lambda error: type(error).__name__,
)
def test_the_death_of_its_thread_is_logged_and_adds_raise_with_the_cause(
    error, caplog, monkeypatch
):
    monkeypatch.setattr(threading, "excepthook", lambda what: None)
    added = []

    class Raising(Timer):
        add = staticmethod(added.append)

        def advance_clock(self, timeout_ms):
            raise error

    timer = Raising()
    reaper = timer.reaper = SystemTimerReaper("short", timer)
    assert finished(reaper.thread)
    with pytest.raises(
        RuntimeError, match="the reaper 'short' has died of .*of the poll"
    ) as caught:
        reaper.add(Task(5))
    assert caught.value.__cause__ is error and added == []
    (record,) = caplog.records
    assert record.getMessage() == "the reaper 'short' has died, and no task that waits fires"
    assert record.exc_info[1] is error and "'short', dead" in repr(reaper)
    reaper.close()
    assert timer.closed == [False]


def test_a_close_with_a_bound_says_that_the_thread_has_not_ended_and_may_be_called_again():
    go = threading.Event()

    class Stuck(Timer):
        def advance_clock(self, timeout_ms):
            go.wait(PATIENCE_S)
            return False

    timer = Stuck()
    reaper = timer.reaper = SystemTimerReaper("stuck", timer)
    with pytest.raises(TimeoutError, match="the reaper 'stuck' has not ended within 0.01 s"):
        reaper.close(timeout_s=0.01)
    assert timer.closed == []
    go.set()
    reaper.close(timeout_s=PATIENCE_S)
    assert timer.closed == [False]
