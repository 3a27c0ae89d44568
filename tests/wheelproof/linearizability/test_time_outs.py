"""A result after a time-out fits every order, and no other result does."""

import threading
import time

import pytest

import wheelproof
from tests.nights import only
from tests.wheelproof.linearizability.test_alarms import Swapping, failing, passing
from wheelproof.plain.answers import Answer


class Item:
    """A thing of which there is one."""


class Pool:
    """Lends an item. ``swap`` has it for a moment, in which a borrower's time-out is over."""

    def __init__(self):
        self.changed, self.items = threading.Condition(), [Item(), Item()]

    def borrow(self):
        with self.changed:
            if not self.changed.wait_for(lambda: self.items, timeout=1):
                return None
            return self.items.pop()

    def give_back(self, item):
        with self.changed:
            self.items.append(item)
            self.changed.notify()

    def swap(self):
        first, second = self.borrow(), self.borrow()
        if first is not None:
            self.give_back(first)
        if second is not None:
            self.give_back(second)


class SharingPool(Pool):
    """A planted fault: two may look at one item before either takes it."""

    def borrow(self):
        with self.changed:
            if not self.changed.wait_for(lambda: self.items, timeout=1):
                return None
            item = self.items[-1]
        with self.changed:
            if item in self.items:
                self.items.remove(item)
        return item


class Polite(Swapping):
    """Its time-out is a deadline of its own."""

    def __init__(self):
        self.changed, self.item = threading.Condition(), 1

    def swap(self):
        with self.changed:
            item, self.item = self.item, None
        with self.changed:
            self.item = item
            self.changed.notify()

    def look(self):
        until = time.monotonic() + 1
        with self.changed:
            while self.item is None:
                left = until - time.monotonic()
                if left <= 0:
                    return None
                self.changed.wait(left)
            return self.item


class Joining:
    """Waits for a thread of its own by a join."""

    def __init__(self):
        self.go = threading.Event()
        self.ends, self.ran = threading.Thread(target=self.run, daemon=True), 0
        self.ends.start()

    def run(self):
        self.go.wait()
        self.ran = 1

    def start(self):
        self.go.set()

    def ask(self):
        self.ends.join(1)
        return not self.ends.is_alive()


class Counter(Polite):
    """A planted fault: calls are counted without the lock."""

    def __init__(self):
        super().__init__()
        self.count = 0

    def look(self):
        super().look()
        self.count = self.count + 1
        return self.count


class Lazy(Pool):
    """A planted fault: who gives back wakes no thread."""

    def give_back(self, item):
        with self.changed:
            self.items.append(item)

    def await_one(self):
        with self.changed:
            while not self.items:
                self.changed.wait()


EARLY = {
    "a queue": (Swapping, [["look"], ["swap"]]),
    "a deadline": (Polite, [["look"], ["swap"]]),
    "objects": (Pool, [["borrow"], ["swap"]]),
}


@pytest.mark.parametrize("name", only(EARLY, "objects"))
def test_an_early_time_out_is_an_alarm_but_where_it_fits_every_order(name):
    make, threads = EARLY[name]
    program = wheelproof.program(threads)
    failing(make, program, time_outs="any")
    assert passing(make, program, time_outs="lenient").answer is Answer.EXHAUSTED


def test_a_join_with_a_time_out_counts():
    program = wheelproof.program([["ask"], ["start"]])
    assert "fits any" in passing(Joining, program, time_outs="lenient").reason


FAULTY = {
    "an item for two": (SharingPool, [["borrow"], ["borrow"]]),
    "a lost update": (Counter, [["look"], ["look"]]),
    "a lost wake-up": (Lazy, [["await_one"], ["swap"]]),
}


@pytest.mark.parametrize("name", only(FAULTY, "an item for two"))
def test_a_fault_beside_time_outs_is_rejected(name):
    make, threads = FAULTY[name]
    failing(make, wheelproof.program(threads), time_outs="lenient")
