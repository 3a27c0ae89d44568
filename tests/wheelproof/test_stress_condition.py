"""The condition of stress is the project's own, with another order of waking."""

import threading

import pytest

from wheelproof.stress.loading import any_waiter


class Owned(threading.Condition):
    """A project's condition, with a method of its own."""

    def owned(self):
        return self._is_owned()


def test_a_projects_condition_keeps_its_methods():
    condition = any_waiter(Owned, threading.RLock)(threading.RLock())
    assert not condition.owned()
    with condition:
        assert condition.owned()
        condition.notify()


@pytest.mark.parametrize("open_to_all, locks", [("Lock", [threading.Lock()]), ("Monitor", [])])
def test_a_condition_on_a_lock_that_excludes_no_thread_checks_none(open_to_all, locks):
    any_waiter(Owned, threading.Lock, open_to_all)(*locks).notify()
    with pytest.raises(RuntimeError):
        any_waiter(Owned, threading.Lock)(*locks).notify()


def test_a_condition_without_a_lock_gets_a_monitor_that_is_observed():
    made = []

    def monitor():
        made.append(threading.RLock())
        return made[-1]

    condition = any_waiter(Owned, monitor)()
    with condition:
        assert len(made) == 1 and made[0]._is_owned()


def test_any_of_the_waiters_is_woken():
    """CPython's condition wakes the first; here another one is woken first in some round."""
    firsts, changed = set(), any_waiter(Owned, threading.RLock)
    for _ in range(60):
        condition = changed(threading.RLock())
        ready, woken, order = threading.Semaphore(0), threading.Semaphore(0), []

        def wait(name, condition=condition, ready=ready, woken=woken, order=order):
            with condition:
                ready.release()
                condition.wait()
                order.append(name)
            woken.release()

        threads = []
        for name in "ab":
            threads.append(threading.Thread(target=wait, args=(name,)))
            threads[-1].start()
            ready.acquire()
        for _ in threads:
            with condition:
                condition.notify()
            woken.acquire()
        for thread in threads:
            thread.join()
        firsts.add(order[0])
    assert firsts == {"a", "b"}
