"""Real threads that go one after the other, so that none of them comes to a deadlock.

Events order them, and neither starts nor joins do.
"""

import threading
from contextlib import contextmanager
from threading import Lock, Thread


def run(*works):
    """Run functions in threads that overlap, each after the one before."""
    turns = [threading.Event() for _ in range(len(works) + 1)]

    def turn(work, before, after):
        before.wait()
        try:
            work()
        finally:
            after.set()

    threads = [
        Thread(target=turn, args=(work, *turns[at : at + 2]), name=f"{at + 1} {work.__name__}")
        for at, work in enumerate(works)
    ]
    for thread in threads:
        thread.start()
    turns[0].set()
    for thread in threads:
        thread.join()


@contextmanager
def trying(lock, **how):
    assert lock.acquire(**how)
    try:
        yield
    finally:
        lock.release()


def nested(*locks):
    """A function that takes locks one within the other."""

    def work():
        for lock in locks:
            lock.acquire()
        for lock in reversed(locks):
            lock.release()

    work.__name__ = "nested"
    return work


def overlapping(*works):
    threads = [Thread(target=work) for work in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


class Account:
    def __init__(self):
        self.lock = Lock()
        self.balance = 1

    def transfer(self, other):
        with self.lock, other.lock:
            self.balance -= 1
            other.balance += 1
