"""What closes at the end of its block, and what warns when it becomes garbage open."""

from __future__ import annotations

import gc
import threading
import warnings
from types import SimpleNamespace

import pytest

from impl.clock import VirtualClock
from impl.system_timer import SystemTimer
from impl.system_timer_reaper import SystemTimerReaper
from impl.unclosed import Closing
from tests.impl.real_threads import finished
from tests.impl.timers import Drained, Task


def test_a_block_closes_once_also_where_it_raises():
    closed = []

    class Noted(Closing):
        def close(self):
            closed.append(self)

    with Noted() as first:
        assert closed == []
    assert closed == [first]
    with pytest.raises(LookupError), Noted() as second:
        raise LookupError
    assert closed == [first, second]
    with pytest.raises(NotImplementedError):
        Closing().close()


def warned(make):
    """The warnings while what ``make`` returns becomes garbage."""
    gc.freeze()  # the search goes through what is made from now on
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        made = make()
        del made
        gc.collect()
    return [str(each.message) for each in caught if each.category is ResourceWarning]


def test_a_reaper_that_was_not_closed_warns_and_its_thread_ends():
    threads = []

    def left():
        reaper = SystemTimerReaper("left", SystemTimer())
        threads.append(reaper.thread)
        return reaper

    assert "the reaper 'left' was not closed" in warned(left)[0]
    assert finished(threads[0])


def test_the_owner_of_a_reaper_warns_and_has_it_end():
    reaper = SimpleNamespace(stopping=threading.Event(), thread=SimpleNamespace(name="its own"))

    class Owner(Closing):
        def __init__(self):
            self.reaper = reaper

    texts = warned(Owner)
    assert texts == ["the reaper 'its own' was not closed: call close(), or use with"]
    assert reaper.stopping.is_set() and warned(Owner) == [], "one that ends does not warn"


def test_a_timer_with_its_own_thread_that_was_not_closed_warns():
    def left():
        timer = SystemTimer(clock=VirtualClock())
        timer.add(Task(0))
        return timer

    (text,) = warned(left)
    assert text.startswith("<SystemTimer of 20 x 1 ms, 0 waiting> was not closed")


def test_what_was_closed_and_what_has_no_thread_warns_not():
    def closed():
        reaper = SystemTimerReaper("closed", timer := SystemTimer())
        timer.add(Task(0))
        reaper.close()
        return reaper

    assert warned(closed) == warned(SystemTimer) == warned(lambda: SystemTimer(Drained())) == []
