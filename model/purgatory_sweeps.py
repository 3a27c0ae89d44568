"""The model of ``spec/Purgatory.tla``: its shards, and what goes through whole lists of them.

These are cancelForKey, purge and watched. The other procedures are in :mod:`model.purgatory`.
"""

from __future__ import annotations

from model.pluscal import BLOCKED, Process, Step
from model.purgatory_properties import NOWHERE, Properties


class Sweeps(Properties):
    """States of the model, with the steps of these three."""

    def shard_of(self, key: str) -> int:
        """The number of a key's shard."""
        return int(self.number[key]) % self.shards + 1

    def shut(self, shard: int) -> bool:
        """Take a shard's lock; False, with nothing changed, if a thread has it."""
        if self.shard[shard] is not None:
            return False
        self.shard[shard] = self.me
        return True

    def free(self, key: str, number: int, place: int) -> None:
        """Take an operation out of a list."""
        lists = self.content[key]
        mine = lists[number - 1]
        mine = (*mine[: place - 1], None, *mine[place:])
        self.content[key] = (*lists[: number - 1], mine, *lists[number:])

    def behind(self, shard: int, key: str | None) -> str | None:
        """The shard's key that has a list and comes next, in the order of hashes."""
        found = [
            (self.number[other], other)
            for other in self.keys
            if self.shard_of(other) == shard
            and self.list[other]
            and (key is None or self.number[key] < self.number[other])
        ]
        return min(found)[1] if found else None

    # -- cancelForKey with Watchers.cancel

    def F1(self, t: Process) -> Step:
        if not self.shut(self.shard_of(t.fk)):
            return BLOCKED

    def F2(self, t: Process) -> None:
        t.gone = self.list[t.fk]
        self.dropped |= {(t.fk, t.gone)}
        self.list[t.fk] = 0
        if not t.gone:
            t.pc = "F6"

    def F3(self, t: Process) -> None:
        t.left = self.first(t.fk, t.gone, 0)
        if t.left == NOWHERE:
            t.pc = "F6"

    def F4(self, t: Process) -> None:
        t.held = t.left
        place, operation = t.held
        t.left = self.first(t.fk, t.gone, place)
        self.taken[self.me] += (operation,)
        self.revoked |= {operation}
        self.call(t, "cancelTask", operation, back="F5")

    def F5(self, t: Process) -> None:
        self.free(t.fk, t.gone, t.held[0])
        t.pc = "F6" if t.left == NOWHERE else "F4"

    def F6(self, t: Process) -> None:
        self.shard[self.shard_of(t.fk)] = None
        self.leave(t)

    # -- purgeCompleted of one watcher list

    def H1(self, t: Process) -> None:
        t.some = self.first(t.hk, t.hw, 0)
        self.sweeps_on(t)

    def sweeps_on(self, t: Process) -> None:
        """To the operation that the iterator holds, or to the end of the list."""
        t.pc = "H4" if t.some == NOWHERE else "H0"

    def H0(self, t: Process) -> None:
        t.one = t.some
        t.some = self.first(t.hk, t.hw, t.one[0])
        t.pc = "H2"

    def H2(self, t: Process) -> None:
        if self.completed[t.one[1]]:
            t.pc = "H3"
        else:
            self.sweeps_on(t)

    def H3(self, t: Process) -> None:
        self.free(t.hk, t.hw, t.one[0])
        self.sweeps_on(t)

    def H4(self, t: Process) -> None:
        if self.empty(t.hk, t.hw):
            self.call(t, "removeKeyIfEmpty", t.hk, t.hw)
        else:
            self.leave(t)

    # -- the purge that follows each advance of the timer's clock

    def G1(self, t: Process) -> None:
        t.guess = self.estimated

    def G2(self, t: Process) -> None:
        if t.guess - self.delayed() <= self.interval:
            self.leave(t)

    def G3(self, t: Process) -> None:
        t.guess = self.delayed()

    def G4(self, t: Process) -> None:
        self.estimated = t.guess
        t.guess = 0

    def G0(self, t: Process) -> None:
        if t.at > self.shards:
            self.leave(t)

    def G5(self, t: Process) -> None:
        if not self.used[t.at]:
            t.at += 1
            t.pc = "G0"

    def G6(self, t: Process) -> None:
        t.swept = self.behind(t.at, t.swept)
        if t.swept is None:
            t.at += 1
            t.pc = "G0"
        else:
            self.call(t, "purgeCompleted", t.swept, self.list[t.swept], back="G6")

    # -- watched: the sum over all lists

    def N0(self, t: Process) -> None:
        if t.no > self.shards:
            self.leave(t)

    def N1(self, t: Process) -> None:
        if not self.used[t.no]:
            t.no += 1
            t.pc = "N0"

    def N2(self, t: Process) -> None:
        t.met = self.behind(t.no, t.met)
        if t.met is None:
            t.no += 1
            t.pc = "N0"
        else:
            t.its = self.list[t.met]

    def N4(self, t: Process) -> None:
        self.count[self.me] += len(self.given(t.met, t.its, 0))
        t.its = 0
        t.pc = "N2"
