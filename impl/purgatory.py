"""The steps of Kafka's DelayedOperationPurgatory: operations wait for an event or their timeout.

``impl.delayed_operation_purgatory`` has the purgatory to use, with a timer and a thread of its own.

A thread tries an operation, adds it to the watcher list of each of its keys, and tries it again. An
event checks a key: every operation in the key's list is tried. What is not completed by then is in
the timer, which expires it.

Lock order: an operation's lock, a shard's, that of its map or of a list. The timer's come after an
operation's and a shard's. No lock of the purgatory is held while an operation is tried or
completed, so that an ``on_complete`` may use the purgatory again. A thread that goes through all
lists holds none either.

A comment ``# kind LABEL`` marks the line with the one shared operation of a step. The labels are
those of ``spec/Purgatory.tla``.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any, Protocol, runtime_checkable

from impl.arguments import able, whole
from impl.delayed_operation import DelayedOperation
from impl.runtime import Atomic, Lock
from impl.watcher_map import WatcherMap
from impl.watcher_queue import WatcherQueue


@runtime_checkable
class Timer(Protocol):
    """A timer that runs an operation when it is due. Kafka: ``Timer``."""

    def add(self, task: Any) -> None: ...

    def size(self) -> int: ...


class Watchers:
    """The watcher list of one key."""

    __slots__ = ("shard", "key", "queue")

    def __init__(self, shard: Shard, key: Hashable) -> None:
        self.shard, self.key = shard, key
        self.queue: WatcherQueue[DelayedOperation] = WatcherQueue()

    def try_complete_watched(self) -> int:
        """Try every operation, and drop those that are completed. Returns how many this completed.

        No lock but the tried operation's is held. As with Kafka's iterator the next operation is
        looked for before one is tried, so that what comes behind the last one is not tried.
        """
        completed = 0
        ahead = self.queue.after(0)  # read C4
        while ahead is not None:
            place, operation = ahead
            ahead = self.queue.after(place)  # read C0
            if not operation.completed.get():  # read C5
                if not operation.safe_try_complete():
                    continue
                completed += 1
            self.queue.discard(place)  # update C7
        left = self.queue.size()  # read C8
        if left == 0:
            self.shard.remove_key_if_empty(self)
        return completed

    def purge_completed(self) -> None:
        """Drop the operations that are completed, without trying any."""
        some = self.queue.after(0)  # read H1
        while some is not None:
            place, operation = some
            some = self.queue.after(place)  # read H0
            if operation.completed.get():  # read H2
                self.queue.discard(place)  # update H3
        left = self.queue.size()  # read H4
        if left == 0:
            self.shard.remove_key_if_empty(self)

    def cancel(self) -> list[DelayedOperation]:
        """Take the operations out, and cancel their timer tasks. None of them is completed."""
        left = self.queue.after(0)  # read F3
        taken = []
        while left is not None:
            place, operation = left
            left = self.queue.after(place)  # read F4
            taken.append(operation)
            operation.cancel()
            self.queue.discard(place)  # update F5
        return taken


class Shard:
    """The watcher lists of the keys with one hash, under one lock."""

    __slots__ = ("lock", "watchers_by_key")

    def __init__(self) -> None:
        self.lock = Lock()
        self.watchers_by_key: WatcherMap[Watchers] = WatcherMap()

    def new_watchers(self, key: Hashable) -> Watchers:
        """An empty list for a key that has none."""
        return Watchers(self, key)

    def watch(self, key: Hashable, operation: DelayedOperation) -> None:
        """Add an operation to the key's list.

        To get the list and to add to it is one section: a list is not removed in between.
        """
        with self.lock:  # lock W2, unlock W6
            watchers = self.watchers_by_key.get(key)  # read W3
            if watchers is None:
                watchers = self.new_watchers(key)
                self.watchers_by_key.put(key, watchers)  # change W4
            watchers.queue.add(operation)  # update W5

    def watchers_of(self, key: Hashable) -> Watchers | None:
        """The key's list, or None."""
        with self.lock:  # lock C1, unlock C3
            watchers = self.watchers_by_key.get(key)  # read C2
        return watchers

    def remove_key_if_empty(self, watchers: Watchers) -> None:
        """Remove a list if the key still has this one, and it is still empty."""
        with self.lock:  # lock R1, unlock R5
            current = self.watchers_by_key.get(watchers.key)  # read R2
            if current is watchers:
                left = watchers.queue.size()  # read R3
                if left == 0:
                    self.watchers_by_key.discard(watchers.key)  # change R4

    def cancel_for_key(self, key: Hashable) -> list[DelayedOperation]:
        """Remove the key's list, and take the operations out of the list and of the timer."""
        with self.lock:  # lock F1, unlock F6
            watchers = self.watchers_by_key.pop(key)  # change F2
            taken = [] if watchers is None else watchers.cancel()
            return taken


class Purgatory:
    """Operations that wait for events on keys, and for their timeouts.

    ``timer`` runs an operation when it is due. ``purge_interval``: how many completed operations
    may stay in the lists before ``purge`` drops them. ``estimated``: how many operations were
    watched and not yet purged. Kafka: ``DelayedOperationPurgatory``.
    """

    __slots__ = ("timer", "purge_interval", "shards", "estimated")

    def __init__(self, timer: Timer, purge_interval: int, shards: int) -> None:
        """Raises TypeError and ValueError for other arguments."""
        able("timer", timer, Timer)
        whole("purge_interval", purge_interval, least=0)
        whole("shards", shards, least=1)
        self.timer = timer
        self.purge_interval = purge_interval
        self.shards = tuple([self.new_shard() for _ in range(shards)])
        self.estimated = Atomic(0)

    def new_shard(self) -> Shard:
        """A shard without lists."""
        return Shard()

    def shard_of(self, key: Hashable) -> Shard:
        """The shard of the key's hash."""
        return self.shards[hash(key) % len(self.shards)]

    def try_complete_else_watch(
        self, operation: DelayedOperation, keys: Sequence[Hashable]
    ) -> bool:
        """Try to complete the operation; otherwise let it wait for its keys and its timeout.

        Returns whether this thread completed it. An event on a key after the operation was added to
        that key's list tries it. An event before that is seen by the second try.
        """
        if not keys:
            raise ValueError("an operation must wait for at least one key: keys is empty")
        if operation.safe_try_complete_or_else(self._watch, keys):
            return True
        if operation.completed.get():  # read A5
            return False
        self.timer.add(operation)  # update A6
        # An event may have completed the operation before the timer had its task.
        if operation.completed.get():  # read A7
            operation.cancel()
        return False

    def _watch(self, operation: DelayedOperation, keys: Sequence[Hashable]) -> None:
        for index in range(len(keys)):
            if not operation.completed.get():  # read W1
                self.shard_of(keys[index]).watch(keys[index], operation)
        self.estimated.add_and_get(1)  # update A3

    def check_and_complete(self, key: Hashable) -> int:
        """Try the operations that wait for a key. Returns how many this thread completed."""
        watchers = self.shard_of(key).watchers_of(key)
        if watchers is None:
            return 0
        return watchers.try_complete_watched()

    def cancel_for_key(self, key: Hashable) -> list[DelayedOperation]:
        """Stop watching a key, and return its operations. They are cancelled, and not completed."""
        return self.shard_of(key).cancel_for_key(key)

    def watched(self) -> int:
        """The number of places in all lists; an operation with two keys has two.

        No shard is locked: what comes and goes meanwhile may count or not.
        """
        total = 0
        for index in range(len(self.shards)):
            lists = self.shards[index].watchers_by_key
            place = None
            used = lists.was_used()  # read N1
            while used:
                found = lists.after(place)  # read N2
                if found is None:
                    break
                place, watchers = found
                size = watchers.queue.size()  # read N4
                total += size
        return total

    def num_delayed(self) -> int:
        """The number of operations in the timer.

        As in Kafka it counts an entry, too, that was cancelled while the timer linked it, until the
        entry's bucket expires (the timer's ``size``).
        """
        return self.timer.size()  # read M1

    def purge(self) -> None:
        """Drop completed operations from all lists, if there may be many of them.

        No shard is locked. As with Kafka's stream a shard that never had a list is passed over, and
        in another one each next list is looked for when the one before is through.
        """
        guess = self.estimated.get()  # read G1
        delayed = self.timer.size()  # read G2
        if guess - delayed <= self.purge_interval:
            return
        delayed = self.timer.size()  # read G3
        self.estimated.set(delayed)  # write G4
        for index in range(len(self.shards)):
            lists = self.shards[index].watchers_by_key
            place = None
            used = lists.was_used()  # read G5
            while used:
                found = lists.after(place)  # read G6
                if found is None:
                    break
                place, watchers = found
                watchers.purge_completed()
