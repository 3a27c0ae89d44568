"""A reference whose operation takes several points: others may come between, and no more."""

import pytest

import wheelproof
from wheelproof.linearizability.reference import Waits, several_points
from wheelproof.plain.answers import Answer
from wheelproof.plain.calling import ExplorationFailed


class Pair:
    """Two values, which are read one after the other."""

    def __init__(self):
        self.values = [0, 0]

    def write(self, at: int):
        self.values[at] += 1

    def read(self):
        return self.values[0], self.values[1]


class Backwards(Pair):
    """A planted fault: they are read the other way round."""

    def read(self):
        second = self.values[1]
        return self.values[0], second


class AtOnce:
    """Reads both at one moment."""

    def __init__(self):
        self.values = [0, 0]

    def write(self, at):
        self.values[at] += 1

    def read(self):
        return tuple(self.values)


class InTwoPoints(AtOnce):
    @several_points
    def read(self):
        first = self.values[0]
        yield
        return first, self.values[1]


class Waiting(InTwoPoints):
    """Its read waits for the first value, and then for the second."""

    @several_points
    def read(self):
        if not self.values[0]:
            raise Waits
        yield
        if not self.values[1]:
            raise Waits
        return tuple(self.values)


PROGRAM = wheelproof.program([["read"], [("write", 0), ("write", 1)]])
"""A read can see the second write, and not the first one."""


@pytest.mark.daily(4)
@pytest.mark.parametrize(
    ("make", "reference", "answer"),
    [
        (Pair, AtOnce, Answer.BUG),
        (Pair, InTwoPoints, Answer.EXHAUSTED),
        (Backwards, InTwoPoints, Answer.EXHAUSTED),
        (Pair, Waiting, Answer.BUG),
    ],
)
def test_other_operations_may_come_where_it_yields(make, reference, answer):
    try:
        exploration = wheelproof.check(make, PROGRAM, reference=reference)
    except ExplorationFailed as failed:
        exploration = failed.exploration
    assert exploration.answer is answer, exploration.table


def test_the_order_of_the_points_is_kept():
    other = wheelproof.program([["read"], [("write", 1), ("write", 0)]])
    with pytest.raises(ExplorationFailed):
        wheelproof.check(Backwards, other, reference=InTwoPoints)
    assert wheelproof.check(Pair, other, reference=InTwoPoints).answer is Answer.EXHAUSTED
