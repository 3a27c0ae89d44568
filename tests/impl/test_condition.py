"""A condition does what the library's does. What interrupts do to it is in test_interrupts.py."""

from __future__ import annotations

import threading

import pytest

from impl.condition import Condition
from tests.impl.real_threads import PATIENCE_S, finished, started

LOCKS = (threading.RLock, threading.Lock)
KINDS = (Condition, threading.Condition)


@pytest.mark.parametrize("lock", LOCKS)
@pytest.mark.parametrize("kind", KINDS)
def test_a_wait_returns_whether_it_was_notified(kind, lock):
    condition, nothing = kind(lock()), []

    def notify():
        with condition:
            condition.notify()

    with condition:
        for timeout in (0, -1, 0.001):
            assert condition.wait(timeout) is False
        for timeout in (None, PATIENCE_S):
            (thread,) = started(notify)
            assert condition.wait(timeout) is True
            assert finished(thread)
        assert condition.wait_for(lambda: nothing, 0.001) == []
        condition.notify()
        assert condition.wait(0) is False, "a notification is not kept for a later wait"
    with condition:
        pass


@pytest.mark.parametrize("lock", LOCKS)
@pytest.mark.parametrize("kind", KINDS)
def test_without_the_lock_a_wait_is_refused(kind, lock):
    condition = kind(lock())
    with pytest.raises(RuntimeError, match="cannot wait on un-acquired lock"):
        condition.wait(0)
    with condition:
        condition.wait(0)


def test_who_holds_the_lock_owns_the_condition():
    condition = Condition(threading.RLock())
    assert not condition.owned()
    with condition:
        assert condition.owned()
