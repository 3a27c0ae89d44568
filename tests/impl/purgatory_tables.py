"""The purgatory as a class whose operations are drawn, and the table that says what they should do.

An operation waits for its keys. Its condition is that one of them is open, and its time is up after
five milliseconds. The timer is the real one; its time passes in a call.
"""

from __future__ import annotations

import threading
from collections import defaultdict

from tests.impl.purgatories import Held
from wheelproof.linearizability.reference import several_points

DELAY = 5


class Drawn:
    """The purgatory. ``entered``: for each operation its keys, and how it has ended."""

    def __init__(self):
        self.held, self.reaper = Held(), threading.Lock()
        self.opened, self.entered = set(), []

    def enter(self, keys: str):
        entry = [keys]
        self.entered.append(entry)
        operation = self.held.operation(
            DELAY,
            try_complete=lambda: not self.opened.isdisjoint(keys) and operation.force_complete(),
            on_complete=lambda: entry.append("completes"),
            on_expiration=lambda: entry.append("expires"),
        )
        return self.held.purgatory.try_complete_else_watch(operation, tuple(keys))

    def open(self, key: str):
        self.opened.add(key)

    def check(self, key: str):
        return self.held.purgatory.check_and_complete(key)

    def cancel(self, key: str):
        self.held.purgatory.cancel_for_key(key)

    def advance(self):
        with self.reaper:
            self.held.leap(DELAY)
            self.held.run_due()

    def state(self):
        lists = {
            key: sum(not operation.is_completed() for operation in operations)
            for key, operations in self.held.lists().items()
        }
        return shown(self.entered, lists, self.held.purgatory.num_delayed())


def shown(entered, lists, delayed):
    """The ends of operations, how many wait in each list, and how many are in the timer."""
    ends = sorted(map(" ".join, entered))
    return ends, {key: count for key, count in lists.items() if count}, delayed


class Table:
    """Deadlines and lists. Each operation comes at one moment, but what tries several operations.

    ``lists``: key -> entries that wait for it. ``due``: the number of an entry -> its deadline.
    """

    def __init__(self):
        self.now, self.opened = 0, set()
        self.entered, self.lists, self.due = [], defaultdict(list), {}

    def enter(self, keys):
        number, done = len(self.entered), not self.opened.isdisjoint(keys)
        self.entered.append([keys, *["completes"] * done])
        if not done:
            for key in keys:
                self.lists[key].append(number)
            self.due[number] = self.now + DELAY
        return done

    def open(self, key):
        self.opened.add(key)

    @several_points
    def check(self, key):
        completed = 0
        for number in list(self.lists[key]):
            if self._waits(number) and not self.opened.isdisjoint(self.entered[number][0]):
                self._end(number, "completes")
                completed += 1
            yield
        return completed

    def cancel(self, key):
        for number in self.lists.pop(key, ()):
            self.due.pop(number, None)

    @several_points
    def advance(self):
        self.now += DELAY
        for number in [number for number, deadline in self.due.items() if deadline <= self.now]:
            yield
            if number in self.due:
                self._end(number, "completes", "expires")

    def _waits(self, number):
        return len(self.entered[number]) == 1

    def _end(self, number, *how):
        self.entered[number] += how
        self.due.pop(number, None)
        for numbers in self.lists.values():
            if number in numbers:
                numbers.remove(number)

    def state(self):
        return shown(self.entered, {k: len(v) for k, v in self.lists.items()}, len(self.due))


def at_once(subject):
    """The state where no thread moves."""
    return subject.state()


def in_the_end(subject):
    """The state once the time of all that waits is up."""
    for _ in subject.advance() or ():
        pass
    return subject.state()
