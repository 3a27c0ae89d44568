"""The recorder itself: its locks are as real ones, and each of its faults is caught."""

import _thread
import copy
import gc
import pickle
import sys
import threading
import weakref

import pytest

from tests.wheelproof.plain.lock_order import faulty, sound, turns
from tests.wheelproof.plain.lock_order.judged import analysed, both_at_once
from wheelproof.plain.lock_order import wrappers
from wheelproof.plain.lock_order.recording import Recorder
from wheelproof.plain.lock_order.segments import Segment, Thread, overlap, past
from wheelproof.plain.lock_order.text import report


def test_segments_overlap_where_no_start_or_join_is_between():
    main = Thread("main", Segment())
    before = main.segment
    first = main.start("first")
    second = main.start("second")
    between = main.segment
    assert overlap(first.segment, second.segment) and overlap(first.segment, between)
    assert not overlap(before, first.segment) and not overlap(before, between)
    main.join(first)
    third = main.start("third")
    assert not overlap(first.segment, third.segment) and overlap(second.segment, third.segment)
    assert before.number in past([main.segment, second.segment], 0)
    assert first.segment.number not in past([main.segment, second.segment], 0)


def test_locks_are_as_the_real_ones():
    with wrappers.installed(Recorder(lambda orders: None)):
        lock, again = threading.Lock(), threading.RLock()
        assert isinstance(lock, type(_thread.allocate_lock()))
        assert isinstance(again, type(_thread.RLock()))
        assert not lock.locked() and lock.acquire() and lock.locked()
        assert lock.acquire(False) is False and lock.acquire(timeout=0) is False
        lock.release()
        with pytest.raises(RuntimeError, match="release unlocked lock"):
            lock.release()
        with pytest.raises(RuntimeError, match="cannot release un-acquired lock"):
            again.release()
        with pytest.raises(ValueError, match="can't specify a timeout for a non-blocking call"):
            lock.acquire(False, 1)
        with pytest.raises(TypeError):
            lock.acquire(timeout=None)
        for one in (lock, again):
            with pytest.raises(TypeError, match="cannot pickle"):
                pickle.dumps(one)
            with pytest.raises(TypeError, match="cannot pickle"):
                copy.deepcopy(one)
            assert weakref.ref(one)() is one
            with one as entered:
                assert entered is True


def test_all_is_put_back():
    def real():
        names = ("start", "join", "is_alive", "_bootstrap")
        of_threads = [getattr(threading.Thread, name) for name in names]
        return [threading.Lock, threading.RLock, faulty.Lock, faulty.RLock, *of_threads]

    before = real()
    with wrappers.installed(Recorder(lambda orders: None)):
        assert not any(one is other for one, other in zip(before, real(), strict=True))
    assert all(one is other for one, other in zip(before, real(), strict=True))


def test_the_makers_of_real_locks_stay(monkeypatch):
    """Also where a module has another name for the one that makes them."""
    maker = _thread.allocate_lock
    monkeypatch.setitem(sys.modules, "another_name", _thread)
    with wrappers.installed(Recorder(lambda orders: None)):
        assert _thread.allocate_lock is maker
        threading.Lock()


def test_a_recorder_within_another_one_sees_the_same():
    """As in a test of this file, where pytest records its locks."""
    with wrappers.installed(Recorder(lambda orders: None)):
        for program in (sound.order_before_start, sound.started_by_a_thread):
            assert not analysed(program).cycles
        assert len(analysed(faulty.order_after_start).inversions) == 1


def test_recorded_locks_die_as_real_ones():
    recorder = Recorder(lambda orders: None)
    with wrappers.installed(recorder):
        first, second = threading.Lock(), threading.RLock()
        turns.nested(first, second)()
        ends = [weakref.ref(first), weakref.ref(second)]
        del first, second
        gc.collect()
    assert [end() for end in ends] == [None, None] and recorder.kept == 1


def test_the_locks_of_threads_themselves_are_not_counted():
    def starts():
        thread = threading.Thread(target=lambda: None)
        thread.start()
        thread.join()

    assert analysed(starts).locks == 0
    assert report(analysed(starts), 80)[0].startswith("no lock was seen")


def test_a_raw_thread_can_overlap_with_all():
    def raw():
        a, b = threading.Lock(), threading.Lock()
        turns.nested(a, b)()
        over = threading.Event()

        def work():
            turns.nested(b, a)()
            over.set()

        _thread.start_new_thread(work, ())
        over.wait()

    (cycle,) = analysed(raw).inversions
    assert {order.thread for order in cycle.orders} == {"MainThread", "a thread of _thread"}


def ignored(*arguments):
    """A part of the recorder that does nothing."""


def broken(**methods):
    """Classes of locks with other methods, given the real class and the recorder."""
    real = wrappers.locks

    def locks(recorder):
        kinds = real(recorder)
        return tuple(
            type(kind.__name__, (kind,), {n: m(kind, recorder) for n, m in methods.items()})
            for kind in kinds
        )

    return locks


def deaf_release(kind, recorder):
    def _release_save(self):
        return wrappers.REAL_RLOCK._release_save(self), self._depth

    return _release_save


def each_entry(kind, recorder):
    def acquire(self, blocking=True, timeout=-1):
        thread = recorder.current()
        if blocking and timeout == -1 and thread.held[-1:] != [self._identity]:
            holders = [one for one in thread.held if one.lock is not self._identity]
            before, thread.held[:] = list(thread.held), holders
            recorder.waits(thread, self._identity, sys._getframe(1))
            thread.held[:] = before
        return kind.acquire(self, blocking, timeout)

    return acquire


def tries_wait(kind, recorder):
    def acquire(self, blocking=True, timeout=-1):
        recorder.waits(recorder.current(), self._identity, sys._getframe(1))
        return kind.acquire(self, blocking, timeout)

    return acquire


def deaf_try(kind, recorder):
    def acquire(self, blocking=True, timeout=-1):
        if blocking and timeout == -1:
            return kind.acquire(self)
        if kind.__name__ == "Lock":
            return self._real.acquire(blocking, timeout)
        return wrappers.REAL_RLOCK.acquire(self, blocking, timeout)

    return acquire


ORDERS, WRAPPERS = "wheelproof.plain.lock_order.findings", "wheelproof.plain.lock_order.wrappers"
RECORDER = "wheelproof.plain.lock_order.recording.Recorder"

FAULTS = {
    "gates are ignored": (f"{ORDERS}._mutual", lambda order: frozenset(), "gate"),
    "starts and joins are ignored": (
        f"{ORDERS}.overlap",
        lambda one, other: True,
        "order_before_start",
    ),
    "a thread overlaps with itself": (
        f"{ORDERS}._overlap",
        lambda one, other: True,
        "one_thread_alone",
    ),
    "a signal is a lock": (f"{RECORDER}.signals_with", ignored, "signal"),
    "a wait keeps its lock": (
        f"{WRAPPERS}.locks",
        broken(_release_save=deaf_release),
        "wait_gives_the_lock_back",
    ),
    "a lock is ordered each time that it is entered": (
        f"{WRAPPERS}.locks",
        broken(acquire=each_entry, __enter__=each_entry),
        "entered_again_within_another",
    ),
    "a try waits": (f"{WRAPPERS}.locks", broken(acquire=tries_wait), "try_lock"),
    "a try holds nothing": (f"{WRAPPERS}.locks", broken(acquire=deaf_try), "held_by_a_try"),
    "a class stands for its locks": (
        f"{ORDERS}.Arrow.__new__",
        staticmethod(
            lambda kind, held, taken, gates, order: tuple.__new__(
                kind, (getattr(held, "place", held), getattr(taken, "place", taken), gates, order)
            )
        ),
        "opposite orders of other locks",
    ),
}
"""Fault of the recorder -> what is changed, and a program that is judged wrongly then."""


@pytest.mark.parametrize("fault", FAULTS)
def test_faults_of_the_recorder_are_caught(monkeypatch, fault):
    where, changed, name = FAULTS[fault]
    monkeypatch.setattr(where, changed)
    if name == "opposite orders of other locks":
        assert len(analysed(both_at_once).inversions) == 1
        return
    program = getattr(faulty, name, None) or getattr(sound, name)
    result = analysed(program)
    assert bool(result.inversions) != (program in faulty.PROGRAMS)
