"""The condition of stress is the project's own, with another order of waking."""

import threading

from wheelproof.stress.loading import any_waiter


class Owned(threading.Condition):
    """A project's condition, with a method of its own."""

    def owned(self):
        return self._is_owned()


def test_a_projects_condition_keeps_its_methods():
    condition = any_waiter(Owned, careless=False)(threading.RLock())
    assert not condition.owned()
    with condition:
        assert condition.owned()
        condition.notify()


def test_a_careless_condition_checks_no_lock():
    any_waiter(Owned, careless=True)(threading.Lock()).notify()


def test_any_of_the_waiters_is_woken():
    """CPython's condition wakes the first; here another one is woken first in some round."""
    firsts, changed = set(), any_waiter(Owned, careless=False)
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
