"""Programs that are right: every order of their threads is searched, and none fails."""

import concurrent.futures
import contextlib
import functools
import queue
import threading
from concurrent.futures import CancelledError, ThreadPoolExecutor

from tests.wheelproof.plain.started import run


def queue_hands_over():
    handed, got = queue.Queue(1), []
    run(lambda: [handed.put(1), handed.put(2)], lambda: got.extend([handed.get(), handed.get()]))
    assert got == [1, 2]


def priorities_are_kept():
    handed, got = queue.PriorityQueue(), []
    run(lambda: handed.put(2), lambda: handed.put(1), lambda: got.append(handed.get()))
    assert sorted([*got, handed.get()]) == [1, 2]


def simple_queue_hands_over():
    handed, got = queue.SimpleQueue(), []
    run(lambda: got.append(handed.get()), lambda: got.append(handed.get()), lambda: [
        handed.put(1), handed.put(2)
    ])  # fmt: skip
    assert sorted(got) == [1, 2]


def queue_is_joined():
    handed = queue.Queue(1)

    def work():
        while handed.get() is not None:
            handed.task_done()
        handed.task_done()

    worker = threading.Thread(target=work)
    worker.start()
    handed.put(1)
    handed.put(None)
    handed.join()
    worker.join()
    assert handed.unfinished_tasks == 0


def queue_times_out():
    handed, got = queue.Queue(), []

    def get():
        try:
            got.append(handed.get(timeout=1))
        except queue.Empty:
            got.append(None)

    run(get, lambda: handed.put(1))
    assert got in ([1], [None])


def semaphore_counts():
    semaphore, inside = threading.BoundedSemaphore(1), []

    def use():
        with semaphore:
            inside.append(1)
            assert len(inside) == 1
            inside.pop()

    run(use, use)


def semaphore_times_out():
    semaphore, got = threading.Semaphore(0), []
    run(lambda: got.append(semaphore.acquire(timeout=1)), semaphore.release)
    assert got == [True] or semaphore.acquire(blocking=False)


def event_wakes_all():
    event, seen = threading.Event(), []
    run(lambda: seen.append(event.wait()), lambda: seen.append(event.wait()), event.set)
    assert seen == [True, True]


def barrier_meets():
    barrier, seen = threading.Barrier(2), []
    run(lambda: seen.append(barrier.wait()), lambda: seen.append(barrier.wait()))
    assert sorted(seen) == [0, 1]


def barrier_meets_twice():
    barrier = threading.Barrier(2)

    def meet():
        barrier.wait()
        barrier.wait()

    run(meet, meet)


def condition_times_out():
    condition, ready, seen = threading.Condition(), [], []

    def wait():
        with condition:
            seen.append(condition.wait_for(lambda: ready, timeout=1))

    def notify():
        with condition:
            ready.append(1)
            condition.notify()

    run(wait, notify)
    assert len(seen) == 1


def reentrant_lock_is_taken_again():
    lock, total = threading.RLock(), [0]

    def add():
        with lock, lock:
            total[0] += 1

    run(add, add, add)
    assert total == [3]


def lazy_value_under_a_lock():
    lock, made = threading.Lock(), []

    def get():
        with lock:
            if not made:
                made.append(object())
        return made[0]

    run(get, get, get)
    assert len(made) == 1


@functools.lru_cache(maxsize=1)
def _next(number):
    return number + 1


def cached_function_answers():
    seen = []
    run(lambda: seen.append(_next(1)), lambda: seen.append(_next(1)))
    assert seen == [2, 2]


def timer_is_cancelled():
    fired = []
    timer = threading.Timer(1, lambda: fired.append(1))
    timer.start()
    timer.cancel()
    timer.join()
    assert len(fired) <= 1


def executor_answers():
    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(lambda: 7).result() == 7


def executor_is_shut_down_while_used():
    pool, seen = ThreadPoolExecutor(1), []

    def use():
        try:
            seen.append(pool.submit(lambda: 7).result())
        except RuntimeError:
            seen.append("closed")

    user = threading.Thread(target=use)
    user.start()
    pool.shutdown(wait=True)
    user.join()
    assert seen in ([7], ["closed"])


def executor_cancels_futures():
    pool = ThreadPoolExecutor(1)
    future = pool.submit(lambda: 1)
    pool.shutdown(wait=True, cancel_futures=True)
    with contextlib.suppress(CancelledError):
        assert future.result() == 1


def executor_is_left_open():
    pool = ThreadPoolExecutor(1)
    assert pool.submit(lambda: 7).result() == 7


def future_is_cancelled_or_done():
    future = concurrent.futures.Future()

    def compute():
        if future.set_running_or_notify_cancel():
            future.set_result(7)

    run(compute, future.cancel)
    assert future.cancelled() or future.result() == 7


def thread_data_is_apart():
    data, seen = threading.local(), []

    def use(value):
        data.value = value
        seen.append(data.value == value)

    run(lambda: use(1), lambda: use(2))
    assert seen == [True, True]


class Versions:
    """Readers that exclude writers."""

    def __init__(self):
        self.condition, self.readers, self.writing = threading.Condition(), 0, False
        self.value = 0

    def read(self):
        with self.condition:
            self.condition.wait_for(lambda: not self.writing)
            self.readers += 1
        first, second = self.value, self.value
        with self.condition:
            self.readers -= 1
            self.condition.notify_all()
        assert first == second

    def write(self):
        with self.condition:
            self.condition.wait_for(lambda: not self.writing and not self.readers)
            self.writing = True
        self.value += 1
        with self.condition:
            self.writing = False
            self.condition.notify_all()


def readers_exclude_writers():
    versions = Versions()
    run(versions.read, versions.write)
    assert versions.value == 1


def names_and_identities_differ():
    seen = []
    run(
        lambda: seen.append((threading.current_thread().name, threading.get_ident())),
        lambda: seen.append((threading.current_thread().name, threading.get_ident())),
    )
    assert len(set(seen)) == 2


def generators_run_in_one_thread_at_a_time():
    lock, values = threading.Lock(), []
    numbers = (number for number in range(4))

    def take():
        with lock:
            values.append(next(numbers))
        values.extend(number for number in range(1))

    run(take, take)
    assert sorted(values) == [0, 0, 0, 1]


CLASSES = [
    value
    for name, value in list(vars().items())
    if callable(value)
    and getattr(value, "__module__", "") == __name__
    and isinstance(value, type(run))
    and not name.startswith("_")
]
