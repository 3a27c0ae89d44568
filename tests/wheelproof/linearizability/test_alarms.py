"""Alarms that may be no bug have a word and a remedy, and the remedy helps."""

import queue
import threading

import pytest

import wheelproof
from tests.docs.reading import ROOT
from tests.wheelproof.plain import faulty
from wheelproof.plain.answers import Answer
from wheelproof.plain.calling import ExplorationFailed

ONCE = wheelproof.program(threads=[["emit"], ["emit"]])


class Emitter:
    """A handler runs once; ``emit`` says whether there was one, and looks too early."""

    def __init__(self):
        self.handlers, self.ran, self.lock = ["once"], 0, threading.Lock()

    def emit(self):
        present = bool(self.handlers)
        with self.lock:
            if self.handlers:
                self.handlers.pop()
                self.ran += 1
        return present


class RaisingEmitter(Emitter):
    """A second call that looks too early raises an exception."""

    def emit(self):
        if not self.handlers:
            return False
        with self.lock:
            self.handlers.pop()
            self.ran += 1
        return True


class TwiceEmitter(Emitter):
    """A handler runs twice: no order has that."""

    def emit(self):
        present = bool(self.handlers)
        if present:
            self.handlers = []
            with self.lock:
                self.ran += 1
        return present


class Adapter:
    """An operation makes two calls of a sound class."""

    def __init__(self):
        self.queue = queue.Queue()

    def put_first(self, item: int):
        if self.queue.empty():
            self.queue.put(item)
        return self.queue.qsize()


class Till:
    """A fault within its own code."""

    def __init__(self):
        self.lock, self.money = threading.Lock(), 2

    def pay_out(self):
        with self.lock:
            left = self.money
        with self.lock:
            self.money = left - 1
            return self.money


class Swapping:
    """A waiter finds nothing while another operation has the item."""

    def __init__(self):
        self.items = queue.Queue()
        self.items.put(1)

    def swap(self):
        self.items.put(self.items.get())

    def look(self):
        item = self.items.get(timeout=1)
        self.items.put(item)
        return item


class Mailbox:
    """A reader that times out finds nothing, as one that comes first does."""

    def __init__(self):
        self.items = queue.Queue()

    def post(self, item: int):
        self.items.put(item)

    def read(self):
        try:
            return self.items.get(timeout=1)
        except queue.Empty:
            return None


class Room:
    """A lost update, after which the class refuses a call."""

    def __init__(self):
        self.count = 0

    def enter(self):
        self.count = self.count + 1

    def leave(self):
        if self.count == 0:
            raise RuntimeError("the room is empty")
        self.count = self.count - 1


def ran(emitter):
    return emitter.ran


def failing(subject, program, **options):
    with pytest.raises(ExplorationFailed) as failed:
        wheelproof.check(subject, program, **options)
    exploration = failed.value.exploration
    assert exploration.answer is Answer.BUG, exploration.reason
    return " ".join(line.strip() for line in exploration.table)


def passing(subject, program, **options):
    return wheelproof.check(subject, program, **options)


def test_a_result_that_says_who_was_first():
    text = failing(Emitter, ONCE, observe=ran)
    assert "perhaps it is no bug of the class: who was first: " in text
    assert "explains all but the results of emit" in text and 'ignore_results="emit"' in text
    assert passing(Emitter, ONCE, observe=ran, ignore_results="emit")
    assert "who was first" not in failing(TwiceEmitter, ONCE, observe=ran)


def test_an_exception_does_not_say_who_was_first():
    text = failing(RaisingEmitter, ONCE, observe=ran)
    assert "raises IndexError" in text and "who was first" not in text


def test_an_operation_that_is_several_calls():
    program = wheelproof.program(threads=[[("put_first", 1)], [("put_first", 2)]])
    text = failing(Adapter, program)
    assert "several calls: " in text and "between the calls that put_first makes" in text
    assert "one call for each operation" in text
    program = wheelproof.program(threads=[["pay_out"], ["pay_out"]])
    assert "several calls" not in failing(Till, program)


def test_a_time_out_that_fires_early():
    program = wheelproof.program(threads=[["look"], ["swap"]])
    text = failing(Swapping, program, time_outs="any")
    assert "early time-out: " in text and 'Remedy: time_outs="last"' in text
    answer = passing(Swapping, program, time_outs="last")
    assert answer.answer is Answer.BOUNDED and "time-outs come last" in answer.reason
    program = wheelproof.program(threads=[["pay_out"], ["pay_out"]])
    assert "early time-out" not in failing(Till, program, time_outs="any")


@pytest.mark.daily(3)
@pytest.mark.parametrize(
    ("time_outs", "answer"),
    [("last", Answer.BOUNDED), ("any", Answer.EXHAUSTED), ("lenient", Answer.EXHAUSTED)],
)
def test_only_time_outs_at_any_moment_are_exhausted(time_outs, answer):
    program = wheelproof.program(threads=[["read"], [("post", 1)]])
    exploration = passing(Mailbox, program, time_outs=time_outs)
    assert exploration.answer is answer
    assert ("after a time-out fits any" in exploration.reason) == (time_outs == "lenient")


@pytest.mark.nightly
def test_an_order_that_may_be_forbidden():
    program = wheelproof.program(threads=[["enter"], ["enter"]], suffix=["leave", "leave"])
    text = failing(Room, program)
    assert "forbidden order: leave() is refused: RuntimeError (the room is empty)" in text
    assert "Remedy: if the documentation forbids this order of calls, fewer operations" in text
    program = wheelproof.program(threads=[["open"], ["wait"]])
    assert "forbidden order: T2 wait() waits for ever" in failing(faulty.Gate, program)
    program = wheelproof.program(threads=[["pay_out"], ["pay_out"]])
    assert "forbidden order" not in failing(Till, program)


def test_the_page_has_each_word():
    page = (ROOT / "docs" / "fuzzing.md").read_text(encoding="utf-8")
    for word in (
        "who was first",
        "several calls",
        "early time-out",
        "forbidden order",
        "own model",
    ):
        assert f"| *{word}* |" in page
