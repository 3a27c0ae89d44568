"""The recorder: which locks a thread holds when it takes another one.

A thread that tries a lock, or takes it with a time-out, does not wait for ever: that makes no
order, but it holds the lock. An order is recorded before its thread waits: a deadlock that happens
is recorded, too.
"""

from __future__ import annotations

import itertools
import threading
import weakref
from collections.abc import Callable
from types import CodeType, FrameType
from typing import Any, NamedTuple

from wheelproof.plain.lock_order.places import Place
from wheelproof.plain.lock_order.segments import Held, Segment, Thread, past

DEEP = 24
"""Frames of a stack, at most."""

MOST = 200_000
"""Orders that are kept at a time, at most. More make the run's report incomplete, which it says."""

COMPACTED = 1_000
"""Orders at which those are dropped that no later one can close a cycle with."""

OWN = __file__.rpartition("/")[0]

Stack = tuple[tuple[CodeType, int], ...]
"""Code and instruction of each frame, the innermost first."""


class Identity:
    """A lock, for as long as its orders are kept. ``signal``: another thread gave it back.

    ``number`` counts the locks of one place. The lock itself is not kept alive.
    """

    __slots__ = ("lock", "number", "place", "serial", "signal")

    def __init__(self, lock: Any, place: Place, serial: int, number: int) -> None:
        self.lock = weakref.ref(lock)
        self.place, self.serial, self.number = place, serial, number
        self.signal = False


class Order(NamedTuple):
    """A thread took a lock and held another one. ``gates``: all that it held."""

    held: Identity
    taken: Identity
    thread: Thread
    name: str
    segment: Segment
    gates: frozenset[Identity]
    test: str
    held_stack: Stack
    taken_stack: Stack


class Recorder:
    """The orders of a run.

    ``examples``: places of held and taken lock and of the gates -> an order for each of some tests.
    ``compacting`` is called with all orders before some of them are dropped.
    """

    TESTS = 4
    """Tests of which examples are kept."""

    def __init__(self, compacting: Callable[[list[Order]], None]) -> None:
        self.test = ""
        self.orders: dict[tuple[int, int], list[Order]] = {}
        self.kept = self.left_out = self.signals = self.acquisitions = 0
        self.signalling: set[Place] = set()
        self.examples: dict[tuple[Place, Place, frozenset[Place]], dict[str, Order]] = {}
        self.numbers: dict[Place, int] = {}
        self.threads: set[int] = set()
        self.live: set[Thread] = set()
        self._serials = itertools.count(1)
        self._local = threading.local()
        self._compacting, self._limit = compacting, COMPACTED
        self.main = self.enter(Thread("MainThread", Segment()))

    # -- threads

    def enter(self, thread: Thread) -> Thread:
        """A thread begins, in which this is called."""
        self._local.thread = thread
        self.live.add(thread)
        return thread

    def leave(self, thread: Thread) -> None:
        """A thread ends."""
        self.live.discard(thread)

    def current(self) -> Thread:
        """The calling thread. One that was not started by ``threading`` can overlap with all."""
        thread: Thread | None = getattr(self._local, "thread", None)
        return self.enter(Thread("a thread of _thread", Segment())) if thread is None else thread

    # -- locks

    def identity(self, lock: Any, place: Place) -> Identity:
        number = self.numbers[place] = self.numbers.get(place, 0) + 1
        return Identity(lock, place, next(self._serials), number)

    def waits(self, thread: Thread, lock: Identity, frame: FrameType) -> None:
        """A thread is about to take a lock, and waits until it has it."""
        if thread.held and not thread.busy:
            thread.busy = True
            try:
                self._add_orders(thread, lock, frame)
            finally:
                thread.busy = False

    def takes(self, thread: Thread, lock: Identity, frame: FrameType) -> None:
        """A thread has taken a lock."""
        self.acquisitions += 1
        thread.held.append(Held(lock, _stack(frame)))

    def releases(self, owner: Thread, lock: Identity) -> None:
        """A lock is given back, by whichever thread."""
        for index in range(len(owner.held) - 1, -1, -1):
            if owner.held[index].lock is lock:
                del owner.held[index]
                return

    def signals_with(self, lock: Identity) -> None:
        """A lock was given back by a thread that had not taken it: its orders are none."""
        if not lock.signal:
            lock.signal = True
            self.signals += 1
            self.signalling.add(lock.place)

    def _add_orders(self, thread: Thread, lock: Identity, frame: FrameType) -> None:
        if any(holding.lock is lock for holding in thread.held):
            return  # it waits for itself, until another thread gives it back
        self.threads.add(thread.number)
        gates = frozenset([holding.lock for holding in thread.held])
        for holding in tuple(thread.held):
            pair = self.orders.setdefault((holding.lock.serial, lock.serial), [])
            for earlier in reversed(pair):
                if (
                    earlier.thread is thread
                    and earlier.segment is thread.segment
                    and earlier.test == self.test
                    and earlier.gates == gates
                ):
                    break
            else:
                order = Order(
                    holding.lock, lock, thread, _name(thread), thread.segment, gates, self.test,
                    holding.stack, _stack(frame),
                )  # fmt: skip
                self._keep(order, pair)

    def _keep(self, order: Order, pair: list[Order]) -> None:
        if self.kept >= MOST:
            self.left_out += 1
            return
        pair.append(order)
        self.kept += 1
        places = frozenset([gate.place for gate in order.gates])
        tests = self.examples.setdefault((order.held.place, order.taken.place, places), {})
        if order.test not in tests and len(tests) < self.TESTS:
            tests[order.test] = order

    # -- tests

    def ends_test(self) -> None:
        """A test is over. Orders are dropped where they have become many."""
        self.test = ""
        if self.kept > self._limit:
            self._compact()

    def all(self) -> list[Order]:
        """The orders that are kept."""
        return [order for pair in list(self.orders.values()) for order in list(pair)]

    def _compact(self) -> None:
        """Drop the orders that are before all that the threads still do.

        The orders of a cycle overlap, so that such a one closes none with a later order.
        """
        orders = self.all()
        self.orders = {}
        self._compacting(orders)
        thread = self.current()
        thread.segment = Segment(thread.segment)
        least = min(order.segment.number for order in orders)
        past_numbers = past([segment.segment for segment in list(self.live)], least)
        rest = [order for order in orders if order.segment.number not in past_numbers]
        for order in rest:
            self.orders.setdefault((order.held.serial, order.taken.serial), []).append(order)
        self.kept = len(rest)
        self._limit = max(COMPACTED, 2 * self.kept)


def _name(thread: Thread) -> str:
    """Its name now, where ``threading`` has it."""
    real = threading._active.get(threading.get_ident())  # type: ignore[attr-defined]
    return thread.name if real is None else str(real.name)


def _stack(frame: FrameType | None) -> Stack:
    """The frames from one on, without those of the recorder."""
    stack: list[tuple[CodeType, int]] = []
    while frame is not None and len(stack) < DEEP:
        code = frame.f_code
        if not code.co_filename.startswith(OWN):
            stack.append((code, frame.f_lasti))
        frame = frame.f_back
    return tuple(stack)
