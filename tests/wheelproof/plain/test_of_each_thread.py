"""Attributes of which each thread has its own, and weak references, which have none."""

import threading
import weakref

import pytest

from tests.wheelproof.plain.started import run
from wheelproof.plain.answers import Answer
from wheelproof.plain.exploration import WARM_UP, explore_program


class Counting(threading.local):
    total = 0

    def __init__(self):
        self.count = 1

    def add(self):
        self.count += 1
        return self.count


class Referred:
    lock = threading.Lock()


class Counted(weakref.ref):
    """Counts its calls."""

    def __call__(self):
        self.calls = getattr(self, "calls", 0) + 1
        return super().__call__()


def locked(body):
    def called():
        with Referred.lock:
            pass
        body()

    return called


def attributes_of_a_thread():
    data = threading.local()

    def body():
        data.count = 0
        data.count += 1
        assert data.count == 1

    run(locked(body), locked(body))


def attributes_of_a_subclass():
    data = Counting()

    def body():
        assert (data.add(), data.add()) == (2, 3)

    run(locked(body), locked(body))


def weak_values():
    referred, values = Referred(), weakref.WeakValueDictionary()
    values["a"] = referred

    def body():
        assert values["a"] is values.get("a") is referred

    run(locked(body), locked(body))


@pytest.mark.parametrize("program", [attributes_of_a_thread, attributes_of_a_subclass, weak_values])
def test_they_do_not_race(program):
    found = explore_program(program)
    assert found.answer is Answer.EXHAUSTED, (found.reason, found.failure)
    assert found.executions == WARM_UP + 2 and not found.racy_places


def attribute_of_the_class():
    data = Counting()

    def body():
        Counting.total += 1
        assert data.total > 0

    run(body, body)
    assert Counting.total == 2


def object_that_two_threads_keep():
    data, counts = threading.local(), [0]

    def body():
        data.counts = counts
        data.counts[0] += 1

    run(body, body)
    assert counts == [2]


def reference_with_a_state():
    referred = Referred()
    reference = Counted(referred)
    run(reference, reference)
    assert reference.calls == 2


@pytest.mark.parametrize(
    "program", [attribute_of_the_class, object_that_two_threads_keep, reference_with_a_state]
)
def test_what_they_share_does(program):
    assert explore_program(program).answer is Answer.BUG
