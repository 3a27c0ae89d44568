"""Interrupts at every place of the purgatory's operations: what each may lose, and nothing else.

An interrupt may come wherever CPython looks for one: ``tests.impl.test_interrupts`` raises at each
of these places in turn. The table of ``docs/mechanisms/purgatory.md`` says what may be lost.
"""

from __future__ import annotations

import itertools
from bisect import insort
from dataclasses import dataclass, field

import pytest

from impl.clock import VirtualClock
from impl.delayed_operation import DelayedOperation
from impl.delayed_operation_purgatory import DelayedOperationPurgatory
from impl.parted_timer import PartedTimer
from impl.purgatory import Watchers
from impl.system_timer import SystemTimer
from impl.watcher_map import WatcherMap
from impl.watcher_queue import WatcherQueue
from tests.impl.purgatories import ByHand
from tests.impl.real_threads import finished, started
from tests.impl.test_interrupts import interrupted_at

SHORT_MS, LONG_MS = 5, 50


class Operation(DelayedOperation):
    """Completes when it is ready. ``begun`` and ``ended``: how often ``on_complete`` did."""

    def __init__(self, delay_ms=LONG_MS):
        super().__init__(delay_ms)
        self.ready, self.begun, self.ended, self.expired = False, 0, 0, 0
        self.tried = 0

    def try_complete(self):
        self.tried += 1
        return self.ready and self.force_complete()

    def on_complete(self):
        self.begun += 1
        len(())  # a place
        self.ended += 1

    def on_expiration(self):
        self.expired += 1


@dataclass
class Scene:
    """A purgatory with operations that wait: ``first`` and ``last`` with key k, ``other`` with l.

    ``own``: the operations that the interrupted call is about.
    """

    timer: SystemTimer
    purgatory: DelayedOperationPurgatory
    first: Operation = field(default_factory=lambda: Operation(SHORT_MS))
    last: Operation = field(default_factory=Operation)
    other: Operation = field(default_factory=Operation)
    new: Operation = field(default_factory=Operation)
    same: Operation | None = None

    @property
    def entered(self):
        """Whether a call was about ``new``."""
        return self.new.tried > 0

    def watched(self):
        return [self.first, self.last, self.other, self.new]

    def run_due(self):
        self.timer.executor.executor.drain()


def scene(kind=PartedTimer):
    timer = kind(None, 1, 20, 0, VirtualClock())
    timer.executor.executor = ByHand("timer", lambda: None)
    purgatory = DelayedOperationPurgatory("p", timer, 0, reaper_enabled=False, shards=1)
    made = Scene(timer, purgatory)
    for operation, key in ((made.first, "k"), (made.last, "k"), (made.other, "l")):
        purgatory.try_complete_else_watch(operation, [key])
    return made


def expire_first(made):
    made.timer.clock.advance(SHORT_MS)
    made.purgatory.advance_clock(0)


def complete_first(made):
    made.first.ready = True
    made.purgatory.check_and_complete("k")


def run_first(made):
    made.first.run()


CALLS = {
    "try_complete_else_watch": lambda made: made.purgatory.try_complete_else_watch(
        made.new, ["k", "m"]
    ),
    "check_and_complete": complete_first,
    "cancel_for_key": lambda made: made.purgatory.cancel_for_key("k"),
    "purge": lambda made: made.purgatory.purge(),
    "advance_clock": expire_first,
    "run": run_first,
    "watched": lambda made: made.purgatory.watched(),
    "num_delayed": lambda made: made.purgatory.num_delayed(),
}
"""Operation -> a call of it."""

LOSES = {
    "try_complete_else_watch": {"new": {"events", "timeout"}},
    "check_and_complete": {"first": {"completion"}},
    "cancel_for_key": {"first": {"events", "timeout"}, "last": {"events", "timeout"}},
    "purge": {},
    "advance_clock": {each: {"timeout"} for each in ("first", "last", "other")},
    "run": {"first": {"completion", "expiration"}},
    "watched": {},
    "num_delayed": {},
}
"""Operation -> what an interrupt of a call may take from which operation: exactly that.

``completion``: it is completed, and ``on_complete`` has not ended. ``events``: no event on its keys
completes it. ``timeout``: it never expires. ``expiration``: it expires without ``on_expiration``.
"""


def events(made):
    """Each key has its event, twice: what waits is ready."""
    for operation in made.watched():
        operation.ready = True
    for key in ("k", "l", "m") * 2:
        made.purgatory.check_and_complete(key)


def time(made):
    """Time passes until all is due."""
    for _ in range(2):
        made.timer.clock.advance(2 * LONG_MS)
        made.purgatory.advance_clock(0)
        made.run_due()


def lost(made, after):
    """(operation, what it has lost) where only ``after`` happens once a call was interrupted."""
    raised = []

    def body():
        try:
            after(made)
        except Exception as error:
            raised.append(type(error).__name__)

    (thread,) = started(body)
    assert finished(thread), "a lock is held"
    for error in raised:
        yield "later calls", error
    for name in ("first", "last", "other", "new"):
        operation = getattr(made, name)
        assert operation.begun <= 1 and operation.expired <= 1, "done twice"
        if operation is made.new and not made.entered:
            continue
        if not operation.completed.get():
            yield name, "events" if after is events else "timeout"
        elif not operation.ended:
            yield name, "completion"
        elif after is time and not operation.ready and not operation.expired:
            yield name, "expiration"


def losses(call, make=scene):
    """(places of a call, what is lost of which operation where it is interrupted at them)."""
    found = {}
    for place in itertools.count():
        for after in (events, time):
            made = make()
            if call == "purge":
                made.first.ready = made.first.force_complete()
            if not interrupted_at(place, lambda made=made: CALLS[call](made)):
                return place, found
            for name, what in lost(made, after):
                found.setdefault(name, set()).add(what)


@pytest.mark.parametrize("call", CALLS)
def test_an_interrupted_call_loses_what_the_page_says_and_nothing_else(call):
    places, found = losses(call)
    assert places >= 3 and found == LOSES[call]


def test_a_call_that_is_not_interrupted_loses_nothing():
    for call, after in itertools.product(CALLS, (events, time)):
        if call == "cancel_for_key":
            continue
        made = scene()
        CALLS[call](made)
        assert dict(lost(made, after)) == {}


# -- controls


class PopsFirst(WatcherQueue):
    """A queue that takes the neighbours away one call after the other, as it did."""

    __slots__ = ()

    def discard(self, place):
        with self.lock:
            if place in self.operations:
                self.operations.pop(place)
                last, nearest = self.before.pop(place), self.following.pop(place)
                self.following[last], self.before[nearest] = nearest, last


class PlaceFirst(WatcherMap):
    """A map that gives a key its place a call before its list, as it did."""

    __slots__ = ()

    def _add(self, key, watchers):
        self.places[key] = place = hash(key), 0
        insort(self.order, place)
        self.lists[place] = watchers


class Rebuilds(Watchers):
    """A list that is emptied first, and gets back what is not completed."""

    __slots__ = ()

    def try_complete_watched(self):
        queue, completed = self.queue, 0
        self.queue = WatcherQueue()
        ahead = queue.after(0)
        while ahead is not None:
            place, operation = ahead
            done = operation.safe_try_complete()
            completed += done
            if not done:
                self.queue.add(operation)
            ahead = queue.after(place)
        return completed


def with_queue(made):
    for watchers in made.purgatory.shards[0].watchers_by_key.lists.values():
        queue = PopsFirst()
        for operation in watchers.queue.operations.values():
            queue.add(operation)
        watchers.queue = queue


def with_map(made):
    lists = PlaceFirst()
    for key in ("k", "l"):
        lists.put(key, made.purgatory.shards[0].watchers_by_key.get(key))
    made.purgatory.shards[0].watchers_by_key = lists


def with_watchers(made):
    lists = made.purgatory.shards[0].watchers_by_key
    for key in ("k", "l"):
        watchers = Rebuilds(made.purgatory.shards[0], key)
        watchers.queue = lists.get(key).queue
        lists.put(key, watchers)


@pytest.mark.parametrize(
    ("call", "change"),
    [
        ("check_and_complete", with_queue),
        ("purge", with_queue),
        ("try_complete_else_watch", with_map),
        ("check_and_complete", with_watchers),
    ],
)
def test_that_check_sees_a_change_after_which_others_lose_something(call, change):
    def make():
        made = scene()
        change(made)
        return made

    assert losses(call, make)[1] != LOSES[call]


def test_a_flush_in_one_hold_may_lose_the_rest_of_its_bucket_too():
    def make():
        made = scene(SystemTimer)
        made.same = Operation(SHORT_MS)
        made.purgatory.try_complete_else_watch(made.same, ["l"])
        return made

    left = 0
    for place in itertools.count():
        made = make()
        if not interrupted_at(place, lambda made=made: expire_first(made)):
            break
        time(made)
        left = max(left, (not made.first.ended) + (not made.same.ended))
    assert left == 2
