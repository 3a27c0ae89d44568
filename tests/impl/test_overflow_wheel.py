"""The double-checked parent in production, and rejected faults under control."""

from __future__ import annotations

import threading
from types import MemberDescriptorType

import pytest

from harness.overflow_wheel import START, Harness
from impl.overflow_wheel import Overflowing
from impl.runtime import NoMonitor
from tests.impl.packages import imported
from tests.impl.real_threads import MOMENT_S, PATIENCE_S, finished, started, until
from tests.model.overflow_wheel import MECHANISM


class Wheel(Overflowing):
    """Counts the wheels that are made, and lets a thread wait while it makes one."""

    __slots__ = ("made", "pause")

    def __init__(self, made, pause=None):
        super().__init__()
        self.made, self.pause = made, pause

    def new_parent(self):
        self.made.append(self)
        if self.pause is not None:
            self.pause.wait(PATIENCE_S)
        return Wheel(self.made)


# -- in production


def test_a_class_that_makes_no_parent_says_so():
    wheel = Overflowing()
    with pytest.raises(NotImplementedError):
        wheel.parent()
    assert wheel.overflow_wheel is None


def test_fields_are_slots():
    wheel = Wheel([])
    assert Overflowing.__slots__ == ("monitor", "overflow_wheel") and not hasattr(wheel, "__dict__")
    assert all(
        type(getattr(Overflowing, name)) is MemberDescriptorType for name in Overflowing.__slots__
    )


def test_the_module_needs_the_standard_library_alone():
    assert imported("import impl.overflow_wheel") == "impl"


def test_the_parent_is_made_when_it_is_needed_and_once():
    made = []
    wheel = Wheel(made)
    assert wheel.overflow_wheel is None and not made
    parent = wheel.parent()
    assert wheel.parent() is parent is wheel.overflow_wheel and made == [wheel]
    assert parent.overflow_wheel is None, "a parent has none until it is used, too"
    assert parent.parent() is not parent and made == [wheel, parent]


def test_a_wheel_that_cannot_make_one_says_so_and_gives_its_monitor_back():
    wheel = Overflowing()
    with pytest.raises(NotImplementedError):
        wheel.parent()
    assert wheel.overflow_wheel is None
    (thread,) = started(lambda: wheel.monitor.acquire() and wheel.monitor.release())
    assert finished(thread)


def test_all_threads_are_given_the_same_parent():
    for _ in range(50):
        made, given, start = [], [], threading.Barrier(4)
        wheel = Wheel(made)

        def ask():
            start.wait()
            given.append(wheel.parent())

        assert all(finished(thread) for thread in started(*[ask] * 4))
        assert len(made) == 1 and len(set(map(id, given))) == 1 and len(given) == 4


class Knocked:
    """A monitor that counts those who want it."""

    def __init__(self, monitor):
        self.monitor, self.wanted = monitor, []

    def __enter__(self):
        self.wanted.append(threading.get_ident())
        self.monitor.acquire()

    def __exit__(self, *exception):
        self.monitor.release()


def test_while_one_thread_makes_it_the_others_wait_and_see_nothing():
    made, pause, given = [], threading.Event(), []
    wheel = Wheel(made, pause)
    wheel.monitor = Knocked(wheel.monitor)
    threads = started(*[lambda: given.append(wheel.parent())] * 2)
    assert until(lambda: made and len(wheel.monitor.wanted) == 2)
    assert not finished(threads[0], MOMENT_S) and not finished(threads[1], MOMENT_S)
    assert wheel.overflow_wheel is None and not given and len(made) == 1
    pause.set()
    assert all(finished(thread) for thread in threads)
    assert len(made) == 1 and given[0] is given[1]


def test_without_the_monitor_both_make_one():
    """The barrier lets no thread past before both are at it."""
    made, given = [], []
    wheel = Wheel(made, threading.Barrier(2))
    wheel.monitor = NoMonitor()
    assert all(finished(thread) for thread in started(*[lambda: given.append(wheel.parent())] * 2))
    assert len(made) == 2


def test_what_is_made_is_complete():
    harness = Harness(MECHANISM.scenarios["two"])
    harness.place("a")
    assert harness.found["a"].wheel_and_time == (harness.wheel.overflow_wheel, START)
