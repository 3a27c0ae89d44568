"""Programs of real threads in which locks are taken in orders that close a cycle."""

import threading
from threading import Condition, Lock, RLock, Thread

from tests.wheelproof.plain.lock_order.turns import Account, nested, run, trying


def two_locks():
    first, second = Lock(), Lock()

    def forwards():
        with first, second:
            pass

    def backwards():
        with second, first:
            pass

    run(forwards, backwards)


def lock_and_condition():
    lock, condition = RLock(), Condition()

    def waiter():
        lock.acquire()
        condition.acquire()
        condition.release()
        lock.release()

    def notifier():
        with condition:
            condition.notify_all()
            with lock:
                pass

    run(waiter, notifier)


def two_locks_of_one_place():
    one, other = Account(), Account()
    run(lambda: one.transfer(other), lambda: other.transfer(one))


def three_classes():
    a, b, c = Lock(), RLock(), Condition()
    run(nested(a, b), nested(b, c), nested(c, a))


def philosophers():
    forks = [Lock() for _ in range(3)]
    run(*(nested(forks[seat], forks[(seat + 1) % 3]) for seat in range(3)))


def three_with_one_between():
    a, b, c, between = Lock(), Lock(), Lock(), Lock()

    def with_one_between():
        with a, trying(between, blocking=False), b:
            pass

    run(with_one_between, nested(b, c), nested(c, a))


def gate_of_one_thread():
    gate, a, b = Lock(), Lock(), Lock()
    run(nested(gate, a, b), nested(b, a))


def gates_of_their_own():
    gates, a, b = [Lock() for _ in range(2)], Lock(), Lock()
    run(nested(gates[0], a, b), nested(gates[1], b, a))


def gate_given_back():
    gate, a, b = Lock(), Lock(), Lock()

    def hand_over_hand():
        with gate:
            b.acquire()
        with a:
            b.release()

    run(nested(gate, a, b), hand_over_hand)


def held_by_a_try():
    a, b = Lock(), RLock()

    def tries():
        with trying(b, blocking=False), a:
            pass

    run(nested(a, b), tries)


def held_with_a_time_out():
    a, b = RLock(), Lock()

    def tries():
        with trying(b, timeout=1), a:
            pass

    run(nested(a, b), tries)


def failed_try():
    """The lock is not held after a try that fails, and is taken in earnest then."""
    a, b = Lock(), Lock()

    def tries():
        with b:
            assert a.acquire(timeout=1)
            assert not a.acquire(False)
            a.release()
            with a:
                pass

    run(nested(a, b), tries)


def order_after_start():
    a, b = Lock(), Lock()
    over = threading.Event()

    def other():
        over.wait()
        nested(b, a)()

    thread = Thread(target=other)
    thread.start()
    nested(a, b)()
    over.set()
    thread.join()


def join_with_a_time_out():
    a, b = Lock(), Lock()
    over = threading.Event()

    def other():
        over.wait()
        nested(b, a)()

    thread = Thread(target=other, name="other")
    thread.start()
    thread.join(0.001)
    assert thread.is_alive()
    nested(a, b)()
    over.set()
    thread.join()


def thread_outside_of_the_chain():
    a, b = Lock(), Lock()
    over = threading.Event()

    def first():
        over.wait()
        nested(a, b)()

    outside, chain = Thread(target=first), Thread(target=lambda: None)
    outside.start()
    chain.start()
    chain.join()
    later = Thread(target=nested(b, a))
    later.start()
    later.join()
    over.set()
    outside.join()


def wait_with_an_outer_lock():
    """A wait takes its lock again while the inner one is held."""
    lock, condition = Lock(), Condition()

    def waits():
        with condition, lock:
            condition.wait(0.001)

    run(waits, nested(condition, lock))


def wait_with_a_plain_lock():
    lock, condition = RLock(), Condition(Lock())

    def waits():
        with condition, lock:
            condition.wait(0.001)

    run(waits, nested(condition, lock))


def wait_for_with_a_nested_lock():
    lock, condition = Lock(), Condition()

    def waits():
        with condition, condition, lock:
            condition.wait_for(lambda: False, 0.001)

    run(waits, nested(condition, lock))


PROGRAMS = {
    two_locks: 2,
    lock_and_condition: 2,
    two_locks_of_one_place: 2,
    three_classes: 3,
    philosophers: 3,
    three_with_one_between: 3,
    gate_of_one_thread: 2,
    gates_of_their_own: 2,
    gate_given_back: 2,
    held_by_a_try: 2,
    held_with_a_time_out: 2,
    failed_try: 2,
    order_after_start: 2,
    join_with_a_time_out: 2,
    thread_outside_of_the_chain: 2,
    wait_with_an_outer_lock: 2,
    wait_with_a_plain_lock: 2,
    wait_for_with_a_nested_lock: 2,
}
"""Program -> locks of its one inversion."""
