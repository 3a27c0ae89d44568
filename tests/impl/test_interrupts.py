"""Interrupts at every place of the read/write lock and the timer: none leaves a lock behind.

Two ways to drive them. A profiler raises at the n-th place at which CPython looks for interrupts
that a call of Python or C makes, for every n; a second time, at each place of the release that the
first one causes. Signals raise in the main thread of another process, wherever it is, while a
second thread contends; loops and waits are among those places.
"""

from __future__ import annotations

import contextlib
import itertools
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from impl.clock import VirtualClock
from impl.condition import Condition
from impl.parted_timer import PartedTimer
from impl.read_write_lock import ReadWriteLock
from impl.system_timer import KafkaTimer, SystemTimer
from tests.impl.real_threads import finished, started
from tests.impl.timers import Drained, Task

ROOT = Path(__file__).resolve().parents[2]
INTERRUPTS = 3000


class Interrupt(BaseException):
    """What a signal or another thread raises."""


def interrupted_at(place, body):
    """Run ``body``, and raise at the place with this number; False if it has not so many.

    Python functions that begin and calls of C that return are the places.
    """
    left = itertools.count(-place)

    def profile(frame, event, argument):
        if event in ("call", "c_return") and next(left) == 0:
            raise Interrupt

    try:
        sys.setprofile(profile)
        try:
            body()
        finally:
            sys.setprofile(None)
    except Interrupt:
        return True
    return next(left) > 1_000_000  # never: the body was not interrupted


def everywhere(make, body, free):
    """(how often ``body`` was interrupted, after how many of these ``free`` was false)."""
    kept = 0
    for place in itertools.count():
        made = make()
        if not interrupted_at(place, lambda made=made: body(made)):
            return place, kept
        kept += not free(made)


def used(half, *, lets_go):
    """A use of the lock that releases it as the timer does, or does not."""

    def body(lock):
        try:
            with getattr(lock, half):
                pass
        except BaseException:
            if lets_go:
                lock.let_go()
            raise

    return body


def free(lock):
    """Whether a writer gets in at once, and the lock has forgotten everyone else."""
    if (lock.readers, lock.writer, lock.waiting) != (frozenset(), None, 0):
        return False
    (thread,) = started(lambda: used("write_lock", lets_go=False)(lock))
    return finished(thread)


@pytest.mark.parametrize("half", ["read_lock", "write_lock"])
def test_an_interrupt_at_no_call_leaves_the_lock_taken(half):
    places, kept = everywhere(ReadWriteLock, used(half, lets_go=True), free)
    assert places > 10 and kept == 0


@pytest.mark.parametrize("half", ["read_lock", "write_lock"])
def test_without_letting_go_some_do(half):
    assert everywhere(ReadWriteLock, used(half, lets_go=False), free)[1] > 0


def looks_once(condition):
    """A wait that nothing ends but its time, which is over."""
    condition.wait(0)


@pytest.mark.parametrize(("kind", "sound"), [(Condition, True), (threading.Condition, False)])
def test_an_interrupted_wait_raises_with_the_lock_and_the_librarys_may_not(kind, sound):
    def make():
        made = kind(threading.RLock())
        made.acquire()
        return made

    def holds(condition):
        """Whether this thread holds the lock, and no notification would go to it."""
        return condition._is_owned() and not condition._waiters

    places, lost = everywhere(make, looks_once, holds)
    assert places > 5 and (lost == 0) is sound


@pytest.mark.parametrize(("kind", "sound"), [(Condition, True), (threading.Condition, False)])
def test_an_interrupt_before_a_block_releases_the_lock_and_the_librarys_may_not(kind, sound):
    def block(condition):
        with condition:
            pass

    def released(condition):
        got = []
        (thread,) = started(lambda: got.append(condition.acquire(blocking=False)))
        return finished(thread) and got == [True]

    lost = everywhere(lambda: kind(threading.RLock()), block, released)[1]
    assert (lost == 0) is sound


def waiting_timer(kind):
    timer = kind(Drained(), 1, 20, 0, VirtualClock())
    timer.add(Task(5))
    timer.clock.advance(5)
    return timer


def timer_free(timer):
    """Whether a writer gets in, the queue takes and gives, and a parted timer has another turn."""
    queue = []

    def use():
        with getattr(timer, "expiring", contextlib.nullcontext()):
            queue.append(timer.queue.poll_now())

    (thread,) = started(use)
    return free(timer.lock) and finished(thread) and bool(queue)


@pytest.mark.parametrize("kind", [SystemTimer, KafkaTimer, PartedTimer])
@pytest.mark.parametrize(
    "body",
    [
        lambda timer: timer.add(Task(3)),
        lambda timer: timer.add(Task(0)),
        lambda timer: timer.advance_clock(0),
        lambda timer: timer.advance_clock(1),
    ],
)
def test_an_interrupt_at_no_call_leaves_a_lock_of_the_timer_taken(body, kind):
    places, kept = everywhere(lambda: waiting_timer(kind), body, timer_free)
    assert places > 20 and kept == 0


class Again(SystemTimer):
    """Its first release is interrupted at the place ``second``; ``again``: it has so many."""

    __slots__ = ("second", "again")
    twice = True

    def let_go(self):
        second, self.second = self.second, None
        if second is not None:
            self.again = interrupted_at(second, super().let_go)
            if self.again:
                raise Interrupt
        elif self.twice:
            super().let_go()


class Once(Again):
    """Releases no second time."""

    __slots__ = ()
    twice = False


def pairs(kind, body):
    """(how many pairs of interrupts end ``body`` and its release, how many leave a lock taken)."""
    found = kept = 0
    for first in itertools.count():
        for second in itertools.count():
            timer = waiting_timer(kind)
            timer.second, timer.again = second, False
            if not interrupted_at(first, lambda timer=timer: body(timer)):
                return found, kept
            if not timer.again:
                break
            found += 1
            lock, gate = timer.lock, timer.queue.gate.due
            mine = lock.changed.owned() or gate.owned()
            kept += mine or (lock.readers, lock.writer, lock.waiting) != (frozenset(), None, 0)


@pytest.mark.parametrize(("kind", "sound"), [(Again, True), (Once, False)])
@pytest.mark.parametrize(
    "body", [lambda timer: timer.add(Task(3)), lambda timer: timer.advance_clock(0)]
)
def test_a_second_interrupt_during_the_release_leaves_no_lock_taken(body, kind, sound):
    found, kept = pairs(kind, body)
    assert found > 500 and (kept == 0) is sound


def test_a_refusal_is_no_interrupt():
    lock = ReadWriteLock()
    with lock.read_lock:
        with pytest.raises(RuntimeError, match="not re-entrant"):
            used("write_lock", lets_go=True)(lock)
        assert lock.readers == {threading.get_ident()}


CHILD = """
import random, signal, sys, threading, time

from impl.parted_timer import PartedTimer
from impl.read_write_lock import ReadWriteLock

lets_go, count = sys.argv[1] == "lets go", int(sys.argv[2])


class Interrupt(BaseException):
    pass


def interrupt(number, frame):
    raise Interrupt


def other(lock, stopped):
    while not stopped.is_set():
        with lock.write_lock:
            pass
        with lock.read_lock:
            time.sleep(0.0001)


def use(lock):
    while True:
        for half in lock.read_lock, lock.write_lock:
            try:
                with half:
                    pass
            except BaseException:
                if lets_go:
                    lock.let_go()
                raise


def fresh():
    lock, stopped = ReadWriteLock(), threading.Event()
    thread = threading.Thread(target=other, args=(lock, stopped), daemon=True)
    thread.start()
    return lock, stopped, thread


signal.signal(signal.SIGALRM, interrupt)
draw, me, kept, wrong = random.Random(7), threading.get_ident(), 0, 0
lock, stopped, thread = fresh()
for _ in range(count):
    try:
        signal.setitimer(signal.ITIMER_REAL, draw.uniform(0.00002, 0.0006))
        use(lock)
    except Interrupt:
        pass
    except RuntimeError:
        wrong += 1
    signal.setitimer(signal.ITIMER_REAL, 0)
    if me in lock.readers or lock.writer == me or wrong:
        kept += 1
        if not lets_go:
            break
if not kept:
    stopped.set()
    thread.join(60)
    with lock.write_lock:
        assert (lock.readers, lock.writer, lock.waiting) == (frozenset(), me, 0)
print(kept, wrong, thread.is_alive() and not kept)
"""


def signalled(how):
    """The numbers (locks left taken, errors, whether a thread hangs) of a process of signals."""
    done = subprocess.run(
        [sys.executable, "-c", CHILD, how, str(INTERRUPTS)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


def test_no_signal_leaves_the_lock_taken():
    assert signalled("lets go") == ["0", "0", "False"]


def test_without_letting_go_some_signal_does():
    assert signalled("keeps")[0] == "1"
