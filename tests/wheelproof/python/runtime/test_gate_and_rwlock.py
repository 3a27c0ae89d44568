"""The read/write lock and the gate: in production on real threads, under control as steps."""

import math
import threading
import time

import pytest

from impl import read_write_lock, runtime
from tests.impl.real_threads import HOUR_MS, MOMENT_S, PATIENCE_S, finished, started, until
from wheelproof.python import (
    ControlledImplementation,
    RaceDetector,
    RuleBroken,
    random_schedules,
)
from wheelproof.python.findings import Crashed

SOURCE = """
from __future__ import annotations
from impl.runtime import Atomic, Gate, Plain, ReadWriteLock

class Shelf:
    __slots__ = ("lock", "gate", "items", "seen", "written")
    written: Plain[int]

    def __init__(self):
        self.lock, self.gate = ReadWriteLock(), Gate()
        self.items, self.seen, self.written = Atomic(0), Atomic(0), 0

    def look(self):
        with self.lock.read_lock:  # lock L1, unlock L3
            self.seen.add_and_get(1)  # update L2

    def peek(self):
        with self.lock.read_lock:  # lock K1, unlock K3
            found = self.written  # read K2
        return found

    def change(self):
        with self.lock.write_lock:  # lock C1, unlock C3
            self.written = self.written + 1  # write C2

    def twice(self):
        with self.lock.read_lock:  # lock T1, unlock T4
            with self.lock.read_lock:  # lock T2, unlock T3
                pass

    def put(self):
        with self.gate:  # lock P1, unlock P3
            self.items.add_and_get(1)  # update P2
            self.gate.notify()

    def wait_ms(self):
        return 1 - self.items.get()

    def take(self):
        self.gate.acquire_when(self.wait_ms, 200)  # lock G1
        self.items.add_and_get(-1)  # update G2
        self.gate.release()  # unlock G3
"""
HARNESS = """
from impl import shelf
SUBJECT = ("impl.shelf",)

class Harness:
    def __init__(self, scenario, impl=shelf):
        self.shelf = impl.Shelf()
        self.names = {"shelf": self.shelf}
    def look(self): self.shelf.look()
    def peek(self): return self.shelf.peek()
    def change(self): self.shelf.change()
    def twice(self): self.shelf.twice()
    def put(self): self.shelf.put()
    def take(self): self.shelf.take()

def shared(harness):
    lock = harness.shelf.lock
    readers = tuple(t.name for t in lock.readers)
    return {"readers": readers, "writer": lock.writer and lock.writer.name}
"""


def shelf(tmp_path, *changes):
    text = SOURCE
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    for artefact, content in (("impl", text), ("harness", HARNESS)):
        (tmp_path / artefact).mkdir(exist_ok=True)
        (tmp_path / artefact / "shelf.py").write_text(content, encoding="utf-8")
    return ControlledImplementation.load(tmp_path, "shelf")


def begin(implementation, **threads):
    return implementation.begin(
        {
            "threads": {
                name: [[operation] for operation in operations.split()]
                for name, operations in threads.items()
            }
        }
    )


def test_readers_share_and_a_writer_is_alone(tmp_path):
    run = begin(shelf(tmp_path), a="look", b="look", c="change")
    run.step(1)
    run.step(0)
    assert run.shared() == {"readers": ("a", "b"), "writer": None} and set(run.enabled()) == {0, 1}
    for thread in (0, 0, 1, 1):
        run.step(thread)
    assert run.enabled() == {2: "C1"}
    run.step(2)
    assert run.shared() == {"readers": (), "writer": "c"}
    run.end()
    run = begin(shelf(tmp_path), a="look", c="change")
    run.step(1)
    assert run.enabled() == {1: "C2"}
    run.end()


def test_the_order_of_readers_is_no_state(tmp_path):
    implementation, table, seen = shelf(tmp_path), {}, []
    for order in ((0, 1), (1, 0)):
        run = implementation.begin({"threads": {"a": [["look"]], "b": [["look"]]}}, intern=table)
        for thread in order:
            run.step(thread)
        seen.append(run.fingerprint())
    assert seen[0] == seen[1]


def test_a_thread_that_holds_the_lock_must_not_ask_again(tmp_path):
    run = begin(shelf(tmp_path), a="twice")
    run.step(0)
    with pytest.raises(RuleBroken, match="not re-entrant"):
        run.step(0)
    lock = runtime.ReadWriteLock()
    for outer in (lock.read_lock, lock.write_lock):
        for inner in (lock.read_lock, lock.write_lock):
            with outer, pytest.raises(RuntimeError, match="not re-entrant"), inner:
                pass
    with lock.write_lock:  # nothing was left behind
        pass


def test_reader_and_writer_are_ordered_and_two_writing_readers_are_not(tmp_path):
    scenario = {"threads": {"a": [["change"]], "b": [["peek"]], "c": [["change"]]}}
    assert (
        random_schedules(shelf(tmp_path), scenario, schedules=60, race=RaceDetector()).races == ()
    )
    planted = shelf(
        tmp_path, ("self.lock.write_lock:  # lock C1", "self.lock.read_lock:  # lock C1")
    )
    assert random_schedules(planted, scenario, schedules=60, race=RaceDetector()).races


def test_a_gate_admits_when_something_is_due(tmp_path):
    run = begin(shelf(tmp_path), a="take", b="put")
    assert run.threads[0].label == "G1" and run.enabled() == {1: "P1"}
    run.step(1)
    run.step(1)
    assert run.enabled() == {1: "P3"}  # due, but the gate is taken
    run.step(1)
    assert run.enabled() == {0: "G1"}
    for _ in range(3):
        run.step(0)
    assert run.done
    run.end()


def test_a_gate_that_stays_closed_is_a_deadlock(tmp_path):
    assert (
        random_schedules(
            shelf(tmp_path),
            {"threads": {"a": [["take"]], "b": [["take"]], "c": [["put"]]}},
            schedules=5,
        ).figures["deadlocks"]
        == 5
    )
    always = shelf(tmp_path, ("return 1 - self.items.get()", "return 0"))
    assert (
        random_schedules(
            always, {"threads": {"a": [["take"]], "b": [["take"]]}}, schedules=5
        ).figures["deadlocks"]
        == 0
    )


# -- production


def run_all(*bodies):
    assert all(finished(thread) for thread in started(*bodies))


def test_production_readers_meet_and_writers_do_not():
    lock, together, inside, most = (
        runtime.ReadWriteLock(),
        threading.Barrier(3, timeout=PATIENCE_S),
        [0],
        [0],
    )

    def read():
        with lock.read_lock:
            together.wait()

    run_all(read, read, read)
    assert not together.broken

    def write():
        for _ in range(200):
            with lock.write_lock:
                inside[0] += 1
                most[0] = max(most[0], inside[0])
                inside[0] -= 1

    def look():
        for _ in range(200):
            with lock.read_lock:
                most[0] = max(most[0], inside[0] + 1)

    run_all(write, write, look)
    assert most[0] == 1


def test_production_gate_waits_until_due_notified_or_out_of_time():
    """No thread waits an hour: each that ends was let in by something else."""
    gate, due = runtime.Gate(), [math.inf]
    began = time.monotonic()
    run_all(lambda: (gate.acquire_when(lambda: due[0], 20), gate.release()))
    assert time.monotonic() - began > 0.015
    began = time.monotonic()
    run_all(
        lambda: (
            gate.acquire_when(lambda: (began + 0.06 - time.monotonic()) * 1000, HOUR_MS),
            gate.release(),
        )
    )
    assert time.monotonic() - began > 0.055
    taken = []

    def take():
        gate.acquire_when(lambda: due[0], HOUR_MS)
        taken.append(due[0])
        due[0] = math.inf
        gate.release()

    def give():
        for _ in range(3):
            with gate:
                due[0] = 0
                gate.notify()
            while due[0] == 0:
                time.sleep(0.001)

    run_all(take, take, take, give)
    assert taken == [0, 0, 0]


class AllAtOnce:
    """``threads`` wait at a gate until all is due: the leader finds out and wakes the others."""

    def __init__(self, gate, threads):
        self.gate, self.count, self.left, self.called = gate, threads, threads, set()
        self.threads = started(*[self.take] * threads)

    def wait_ms(self):
        """Called with the lock held. The last one waits too, so that only the leader is awake."""
        me, known = threading.get_ident(), len(self.called)
        self.called.add(me)
        return 0 if known == self.count else 5

    def take(self):
        self.gate.acquire_when(self.wait_ms, HOUR_MS)
        self.left -= 1
        self.gate.release()


def test_production_gate_hands_the_lead_on_and_is_free_after_an_error():
    """Each who leaves wakes the next."""
    gate = runtime.Gate()
    all_at_once = AllAtOnce(gate, 4)
    assert all(finished(thread) for thread in all_at_once.threads) and all_at_once.left == 0
    with pytest.raises(ZeroDivisionError):
        gate.acquire_when(lambda: 1 // 0, 10)
    with gate:
        pass


class Selfish(runtime.Gate):
    """A mutant that does not hand the lead on."""

    def release(self):
        self.due.release()


def test_a_gate_that_does_not_hand_the_lead_on_leaves_the_others_asleep():
    gate = Selfish()
    all_at_once = AllAtOnce(gate, 4)
    assert until(lambda: all_at_once.left == 3)
    time.sleep(MOMENT_S)
    assert all_at_once.left == 3
    with gate:
        gate.due.notify_all()
    assert all(finished(thread) for thread in all_at_once.threads)


class _Impolite(read_write_lock.ReadLock):
    """A reader that goes before a writer who waits."""

    __slots__ = ()

    def __enter__(self):
        of = self.of
        with of.changed:
            while of.writer is not None:
                of.changed.wait()
            of.readers = of.readers | {threading.get_ident()}


class Impolite(runtime.ReadWriteLock):
    """A mutant whose readers may keep a writer out for ever."""

    __slots__ = ()

    def __init__(self):
        super().__init__()
        self.read_lock = _Impolite(self)


def order_of_entry(lock, within_s):
    """A reader is in, a writer waits, another reader comes.

    Returns the thread that enters beside the first reader within ``seconds``, and the order of
    both.
    """
    order = []

    def enter(half, name):
        with half:
            order.append(name)

    with lock.read_lock:
        (writer,) = started(lambda: enter(lock.write_lock, "writer"))
        assert until(lambda: lock.waiting)
        (reader,) = started(lambda: enter(lock.read_lock, "reader"))
        finished(reader, within_s)
        before = [*order]
    assert finished(writer) and finished(reader)
    return before, order


def test_a_waiting_writer_goes_before_readers_that_come_later():
    assert order_of_entry(runtime.ReadWriteLock(), MOMENT_S) == ([], ["writer", "reader"])


def test_that_check_sees_a_reader_that_goes_first():
    assert order_of_entry(Impolite(), PATIENCE_S) == (["reader"], ["reader", "writer"])


def test_a_wait_that_is_no_function_is_refused(tmp_path):
    swapped = shelf(
        tmp_path, ("acquire_when(self.wait_ms, 200)", "acquire_when(200, self.wait_ms)")
    )
    with pytest.raises(Crashed, match="acquire_when got 200, which is no function"):
        begin(swapped, a="take").step(0)
