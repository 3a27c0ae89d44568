"""An access comes before the locks of its operation: no run calls the operation after it."""

import threading

import pytest

import wheelproof
from tests.nights import first
from wheelproof.plain.answers import Answer


class Peeking:
    """Reads without its lock, which it takes for something else."""

    def __init__(self):
        self.value, self.lock = 0, threading.Lock()

    def read(self):
        value = self.value
        with self.lock:
            return value

    def write(self):
        self.value = 1


class Late(Peeking):
    """Writes once it has given its lock back."""

    def write(self):
        with self.lock:
            pass
        self.value = 1


class Item(Peeking):
    """The value is that of a dictionary."""

    def __init__(self):
        super().__init__()
        self.values = {}

    def read(self):
        value = self.values.get("a", 0)
        with self.lock:
            return value

    def write(self):
        self.values["a"] = 1


@pytest.mark.parametrize("make", first([Peeking, Late, Item]))
def test_it_is_no_alarm(make):
    for threads in ([["read"], ["write"]], [["write"], ["read"]], [["read", "read"], ["write"]]):
        answer = wheelproof.check(make, wheelproof.program(threads))
        assert answer.answer is Answer.EXHAUSTED
