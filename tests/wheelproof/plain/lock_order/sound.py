"""Programs of real threads in which locks are taken in orders that close no cycle."""

import threading
from concurrent.futures import ThreadPoolExecutor
from threading import Condition, Lock, RLock, Thread

from tests.wheelproof.plain.lock_order.turns import Account, nested, overlapping, run, trying


def entered_again():
    lock = RLock()
    run(nested(lock, lock), nested(lock, lock))


def entered_again_within_another():
    lock, other = RLock(), Lock()
    run(nested(lock, other, lock), nested(lock, other))


def condition_entered_again():
    condition, other = Condition(), RLock()
    run(nested(condition, other, condition, other), nested(condition, condition, other))


def gate():
    gate, a, b = Lock(), Lock(), Lock()
    run(nested(gate, a, b), nested(gate, b, a))


def gate_taken_by_a_try():
    gate, a, b = RLock(), Lock(), Lock()

    def tries():
        with trying(gate, blocking=False):
            nested(b, a)()

    run(nested(gate, a, b), tries)


def gate_of_two_in_three():
    gate, a, b, c = Condition(), Lock(), Lock(), Lock()
    run(nested(gate, a, b), nested(b, c), nested(gate, c, a))


def try_lock():
    a, b = Lock(), Lock()

    def tries():
        with b, trying(a, blocking=False):
            pass

    run(nested(a, b), tries)


def time_out():
    a, b = Lock(), RLock()

    def tries():
        with b, trying(a, timeout=1):
            pass

    run(nested(a, b), tries)


def try_of_a_condition():
    a, condition = RLock(), Condition()

    def tries():
        with condition, trying(a, blocking=False):
            pass

    def times():
        with condition, trying(a, timeout=1):
            pass

    run(nested(a, condition), tries, times)


def order_before_start():
    a, b = Lock(), Lock()
    nested(a, b)()
    run(nested(b, a))


def one_thread_after_the_other():
    a, b = Lock(), Lock()
    run(nested(a, b))
    run(nested(b, a))


def started_by_a_thread():
    a, b = Lock(), RLock()

    def starts():
        nested(a, b)()
        run(nested(b, a))

    run(starts)


def one_pool_after_the_other():
    a, b = Lock(), Lock()
    for locks in ((a, b), (b, a)):
        with ThreadPoolExecutor(1) as pool:
            pool.submit(nested(*locks)).result()


def seen_to_have_ended():
    a, b = Lock(), Lock()
    thread = Thread(target=nested(a, b))
    thread.start()
    while thread.is_alive():
        pass
    run(nested(b, a))


def wait_gives_the_lock_back():
    condition, other = Condition(), Lock()
    ready = threading.Event()

    def waits():
        with condition:
            ready.set()
            condition.wait()
        with other:
            pass

    def notifies():
        ready.wait()
        with other, condition:
            condition.notify()

    overlapping(waits, notifies)


def wait_of_a_plain_lock():
    condition, other = Condition(Lock()), RLock()

    def waits():
        with condition:
            condition.wait(0.001)
        with other:
            pass

    run(waits, nested(other, condition))


def wait_of_a_lock_entered_twice():
    condition, other = Condition(RLock()), Lock()

    def waits():
        with condition, condition:
            condition.wait_for(lambda: False, 0.001)
        with other:
            pass

    run(waits, nested(other, condition))


def one_thread_alone():
    a, b = Lock(), Lock()

    def both():
        nested(a, b)()
        nested(b, a)()

    run(both)


def signal():
    """A lock that one thread takes and another one gives back orders nothing."""
    lock, done = Lock(), Lock()
    done.acquire()

    def gives_back():
        done.release()

    run(gives_back, nested(lock, done), nested(done, lock))


def by_a_key():
    """Two locks of one class, one within the other, as the key orders them."""
    accounts = [Account() for _ in range(3)]
    run(
        lambda: accounts[0].transfer(accounts[1]),
        lambda: accounts[1].transfer(accounts[2]),
        lambda: accounts[0].transfer(accounts[2]),
    )


PROGRAMS = (
    entered_again,
    entered_again_within_another,
    condition_entered_again,
    gate,
    gate_taken_by_a_try,
    gate_of_two_in_three,
    try_lock,
    time_out,
    order_before_start,
    one_thread_after_the_other,
    started_by_a_thread,
    one_pool_after_the_other,
    seen_to_have_ended,
    wait_gives_the_lock_back,
    wait_of_a_plain_lock,
    wait_of_a_lock_entered_twice,
    one_thread_alone,
    signal,
    by_a_key,
    try_of_a_condition,
)
