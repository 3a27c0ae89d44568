"""The read/write lock and the gate: in production on real threads, under control as steps."""
import math
import threading
import time

import pytest

from impl import runtime
from wheelproof.explore import RaceDetector, RuleBroken, Subject, walk

SOURCE = """
from __future__ import annotations
from impl.runtime import Atomic, Gate, Plain, ReadWriteLock

class Shelf:
    __slots__ = ("lock", "gate", "items", "seen", "written")
    written: Plain[int]

    def __init__(self):
        self.lock, self.gate, self.items, self.seen, self.written = ReadWriteLock(), Gate(), Atomic(0), Atomic(0), 0

    def look(self):
        with self.lock.read_lock:  # lock L1, unlock L3
            self.seen.add_and_get(1)  # update L2

    def peek(self):
        with self.lock.read_lock:  # lock K1, unlock K3
            return self.written  # read K2

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
MAPPING = """
from impl import shelf
SUBJECT = ("impl.shelf",)

class World:
    def __init__(self, scenario, impl=shelf):
        self.shelf = impl.Shelf()
        self.names = {"shelf": self.shelf}
    def look(self): self.shelf.look()
    def peek(self): self.shelf.peek()
    def change(self): self.shelf.change()
    def twice(self): self.shelf.twice()
    def put(self): self.shelf.put()
    def take(self): self.shelf.take()

def shared(world):
    lock = world.shelf.lock
    return {"readers": tuple(t.name for t in lock.readers), "writer": lock.writer and lock.writer.name}
"""


def shelf(tmp_path, *changes):
    text = SOURCE
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    for floor, content in (("impl", text), ("mapping", MAPPING)):
        (tmp_path / floor).mkdir(exist_ok=True)
        (tmp_path / floor / "shelf.py").write_text(content, encoding="utf-8")
    return Subject.load(tmp_path, "shelf")


def begin(subject, **threads):
    return subject.begin({"threads": {name: [[operation] for operation in operations.split()] for name, operations in threads.items()}})


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
    subject, table, seen = shelf(tmp_path), {}, []
    for order in ((0, 1), (1, 0)):
        run = subject.begin({"threads": {"a": [["look"]], "b": [["look"]]}}, intern=table)
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


def test_reader_and_writer_are_ordered_and_two_readers_who_write_are_not(tmp_path):
    scenario = {"threads": {"a": [["change"]], "b": [["peek"]], "c": [["change"]]}}
    assert walk(shelf(tmp_path), scenario, walks=60, race=RaceDetector()).races == ()
    planted = shelf(tmp_path, ("self.lock.write_lock:  # lock C1", "self.lock.read_lock:  # lock C1"))
    assert walk(planted, scenario, walks=60, race=RaceDetector()).races


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


def test_a_gate_that_nobody_opens_is_a_deadlock(tmp_path):
    assert walk(shelf(tmp_path), {"threads": {"a": [["take"]], "b": [["take"]], "c": [["put"]]}}, walks=5).figures["deadlocks"] == 5
    always = shelf(tmp_path, ("return 1 - self.items.get()", "return 0"))
    assert walk(always, {"threads": {"a": [["take"]], "b": [["take"]]}}, walks=5).figures["deadlocks"] == 0


# -- production


def run_all(*bodies):
    threads = [threading.Thread(target=body, daemon=True) for body in bodies]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)
    assert not any(thread.is_alive() for thread in threads)


def test_production_readers_meet_and_writers_do_not():
    lock, together, inside, most = runtime.ReadWriteLock(), threading.Barrier(3, timeout=10), [0], [0]

    def read():
        with lock.read_lock:
            together.wait()

    run_all(read, read, read)

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
    gate, due = runtime.Gate(), [math.inf]
    started = time.monotonic()
    gate.acquire_when(lambda: due[0], 20)
    gate.release()
    assert 0.015 < time.monotonic() - started < 5
    gate.acquire_when(lambda: (started + 0.06 - time.monotonic()) * 1000, 10_000)
    gate.release()
    assert 0.055 < time.monotonic() - started < 5
    taken = []

    def take():
        gate.acquire_when(lambda: due[0], 10_000)
        due[0] = math.inf
        taken.append(time.monotonic())
        gate.release()

    def give():
        for _ in range(3):
            time.sleep(0.02)
            with gate:
                due[0] = 0
                gate.notify()
            while due[0] == 0:
                time.sleep(0.001)

    before = time.monotonic()
    run_all(take, take, take, give)
    assert len(taken) == 3 and max(taken) - before < 5


def test_production_gate_hands_the_lead_on_and_is_free_after_an_error():
    # All is due at once after one delay: the leader wakes itself, and each who leaves wakes the next.
    gate, at, left = runtime.Gate(), time.monotonic() + 0.03, [4]

    def wait_ms():
        return (at - time.monotonic()) * 1000 if left[0] else math.inf

    def take():
        gate.acquire_when(wait_ms, 10_000)
        left[0] -= 1
        gate.release()

    before = time.monotonic()
    run_all(take, take, take, take)
    assert left == [0] and time.monotonic() - before < 5
    with pytest.raises(ZeroDivisionError):
        gate.acquire_when(lambda: 1 // 0, 10)
    with gate:
        pass


def test_a_gate_that_does_not_hand_the_lead_on_leaves_the_others_asleep():
    class Selfish(runtime.Gate):
        def release(self):
            self._due.release()

    gate, at, done = Selfish(), time.monotonic() + 0.03, []

    def take():
        gate.acquire_when(lambda: (at - time.monotonic()) * 1000, 400)
        done.append(time.monotonic() - at)
        gate.release()

    run_all(take, take)
    assert max(done) > 0.3


def test_a_waiting_writer_goes_before_readers_that_come_later():
    lock, order = runtime.ReadWriteLock(), []

    def enter(half, name):
        with half:
            order.append(name)

    with lock.read_lock:
        writer = threading.Thread(target=enter, args=(lock.write_lock, "writer"))
        writer.start()
        while not lock._waiting:
            time.sleep(0.001)
        reader = threading.Thread(target=enter, args=(lock.read_lock, "reader"))
        reader.start()
        reader.join(0.05)
        assert order == [], "neither is in while the first reader is"
    writer.join(5)
    reader.join(5)
    assert order == ["writer", "reader"]
