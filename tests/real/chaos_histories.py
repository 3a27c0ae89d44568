"""Histories of an ensemble, and faults that can be planted in them."""

from __future__ import annotations

from collections import Counter

from impl.controller import CONTROLLER, EPOCH, PARTITION
from real.chaos.history import Change, Transaction
from real.chaos.judge import BOUND, TICK, Judge
from real.chaos.recording import Evidence

HAND, ONE, TWO = 1, 11, 12
HOMES = {ONE: "b1", TWO: "b2"}


class History:
    """A history in the folder /x, whose transactions are numbered one after the other."""

    def __init__(self):
        self.made: list[Transaction] = []
        self.versions: Counter[str] = Counter()
        self.session(HAND)
        nodes = [(EPOCH, "0"), (TICK, ""), (f"{PARTITION}-0", "0 0 0"), (f"{PARTITION}-1", "0 0 0")]
        self.add(HAND, *(Change("create", path, data) for path, data in nodes))
        self.session(ONE)
        self.session(TWO)

    def add(self, session, *parts, kind="parts"):
        placed = tuple(part._replace(path=f"/x{part.path}") for part in parts)
        self.made.append(Transaction(len(self.made) + 1, session, kind, placed))

    def session(self, session):
        self.add(session, kind="open")

    def close(self, session):
        self.add(session, kind="close")

    def put(self, path, data):
        self.versions[path] += 1
        return Change("put", path, data, self.versions[path])

    def node(self, session, ephemeral=True):
        return Change("create", CONTROLLER, HOMES[session], ephemeral=ephemeral)

    def elect(self, session, epoch):
        self.add(session, self.node(session), self.put(EPOCH, str(epoch)))

    def write(self, session, data, partition=0):
        put = self.put(f"{PARTITION}-{partition}", data)
        self.add(session, Change("check", EPOCH), put)

    def delete(self, session=HAND):
        self.add(session, Change("delete", CONTROLLER))

    def ticks(self, many, calm="calm 1"):
        for _ in range(many):
            self.add(HAND, self.put(TICK, calm))

    def judged(self) -> Judge:
        return Judge("/x", {HAND}, HOMES).follow(self.made)

    def broken(self):
        return [each.property for each in self.judged().violations]

    def evidence(self, *found) -> Evidence:
        return Evidence("/x", {HAND}, HOMES, tuple(self.made), found)


def sound() -> History:
    """Two elections, with writes, a change of an ISR, and the whole of a calm."""
    made = History()
    made.elect(ONE, 1)
    made.write(ONE, "1 1 0")
    made.write(HAND, "1 1 1")
    made.write(ONE, "2 1 1")
    made.close(ONE)
    made.elect(TWO, 2)
    made.write(TWO, "3 2 1")
    return made


def stale(made):
    made.write(ONE, "4 1 1")


def by_another(made):
    made.write(ONE, "4 2 1")


def over_an_isr(made):
    made.write(TWO, "4 2 0")


def twice(made):
    made.write(TWO, "3 2 1")


def same_epoch(made):
    made.delete()
    made.elect(ONE, 2)


def leap(made):
    made.delete()
    made.elect(ONE, 4)


def raised_twice(made):
    made.add(TWO, made.put(EPOCH, "3"))


def raised_by_another(made):
    made.add(ONE, made.put(EPOCH, "3"))


def no_epoch(made):
    made.delete()
    made.add(ONE, made.node(ONE))
    made.delete()


def persistent(made):
    made.delete()
    made.add(ONE, made.node(ONE, ephemeral=False), made.put(EPOCH, "3"))


def orphan(made):
    made.session(ONE)
    made.ticks(BOUND)


def vacancy(made):
    made.session(ONE)
    made.close(TWO)
    made.session(TWO)
    made.ticks(BOUND)


def stuck(made):
    """A candidate has no session, and the others elect and work."""
    for epoch in (3, 4):
        made.ticks(BOUND // 2)
        made.delete()
        made.elect(TWO, epoch)
        made.write(TWO, f"{made.versions[f'{PARTITION}-0']} {epoch} 1")


def restless(made):
    """Two elections, and no work."""
    made.session(ONE)
    made.ticks(BOUND // 2)
    made.delete()
    made.elect(ONE, 3)
    made.ticks(BOUND // 2)


FAULTS = [
    (stale, ["FencedWrites"]),
    (by_another, ["OneController"]),
    (over_an_isr, ["NoLostUpdate"]),
    (twice, ["NoLostUpdate"]),
    (same_epoch, ["EpochIncreases", "OneController"]),
    (leap, ["EpochIncreases"]),
    (raised_twice, ["EpochIncreases"]),
    (raised_by_another, ["EpochIncreases"]),
    (no_epoch, ["EpochIncreases"]),
    (persistent, ["TypeOK"]),
    (orphan, ["NoOrphan", "Elects"]),
    (vacancy, ["NoVacancy", "Elects"]),
    (stuck, ["NoDeadlock"]),
    (restless, ["Elects"]),
]
"""What plants a fault, and the properties that the history breaks then."""
