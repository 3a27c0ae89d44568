"""The runtime's own parts: a monitor that excludes no thread, and a memory without delay."""

from __future__ import annotations

import pytest

from impl.runtime import Memory, NoMonitor
from tests.impl.real_threads import finished, started


@pytest.mark.parametrize("arguments", [(), (True,), (False,)])
def test_a_monitor_that_excludes_no_thread_is_always_got(arguments):
    monitor = NoMonitor()
    assert monitor.acquire(*arguments) is True and monitor.acquire(*arguments) is True
    assert monitor.release() is None


def test_another_thread_gets_it_too():
    monitor, got = NoMonitor(), []
    with monitor:
        (thread,) = started(lambda: got.append(monitor.acquire(False)))
        assert finished(thread)
    assert got == [True]


def test_it_hides_no_exception():
    with pytest.raises(KeyError), NoMonitor():
        raise KeyError("inside")


def test_the_production_memory_delays_no_store():
    assert Memory().write_back("a", "next") is False
