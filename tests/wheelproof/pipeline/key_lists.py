"""Purgatories whose lists of watchers come and go: given up when they are empty, while another
thread adds to one, soundly and as Kafka once did; and lists that stay."""

from __future__ import annotations

from typing import Any

from purgatory import Purgatory

from benchmarks.simulated_log import EVENTS


class Removing(Purgatory):
    """Lists of watchers that are removed when they are empty, while another thread has looked one
    up to add to it (KAFKA-2253).

    ``looks_again``: who adds finds the list that the key has then, as Kafka does since; else the
    operation goes into the list that was removed, which no check comes to. ``orphans``: operations
    that did.
    """

    looks_again = True

    def __init__(self, seed: int, operations: int) -> None:
        super().__init__(seed, operations)
        self.orphans: list[int] = []

    def watch(self, tid: int, op: int, key: int, parent: int) -> None:
        found, known = self.watchers.setdefault(key, []), self.list_of(tid, key, parent)
        if found and self.random.random() < 0.5:
            self.complete_all(next(each for each in EVENTS if each != tid), key)
        if self.looks_again or self.watchers.get(key) is found:
            return super().watch(tid, op, key, parent)
        self.emit(
            tid,
            "watch_add",
            ("L", f"watchers:{key}", "w"),
            op=op,
            key=key,
            list=known,
            parent=parent,
        )
        found.append(op)
        self.orphans.append(op)

    def complete_all(self, tid: int, key: int) -> None:
        """A check that completes each watcher of a key, and removes the list that it leaves
        empty."""
        span, members = self.span(), self.watchers.pop(key)
        self.emit(
            tid, "check_begin", ("L", f"watchers:{key}", "w"), key=key, span=span, phase="begin"
        )
        for op in members:
            if op not in self.completed:
                self.attempt(tid, op, True, parent=span)
            self.taken_out(tid, op, key, parent=span)
        self.give_up(tid, key, parent=span)
        self.emit(tid, "check_end", key=key, span=span, phase="end")


class Orphaning(Removing):
    """As Kafka did before KAFKA-2253 was solved."""

    looks_again = False


class Unpurged(Removing):
    """Neither a purge nor a cancelled key: a list leaves its key only where a check empties it."""

    def cancel_for_key(self, tid: int, key: int) -> None:
        pass

    def purge(self) -> None:
        pass

    def finish(self) -> None:
        """A check of each key that completes what waits there."""
        for key in sorted(self.lists):
            self.complete_all(EVENTS[0], key)


class Keeping(Unpurged):
    """An emptied list stays its key's."""

    def give_up(self, tid: int, key: int, **columns: Any) -> None:
        pass


RUNS = {
    "removing": Removing,
    "orphaning": Orphaning,
    "unpurged": Unpurged,
    "keeping": Keeping,
}
"""Name of a run -> what makes it."""
