"""Programs that depend on identities of objects, and on the order of sets."""

import copy
import dataclasses
import sys
import threading

from tests.wheelproof.plain.started import run

CALLS = []


class Token:
    def __init__(self, *parts):
        self.parts, self.lock = parts, threading.Lock()

    def __deepcopy__(self, memo):
        memo[id(self)] = new = Token()
        new.parts = copy.deepcopy(self.parts, memo)
        return new


def set_of_objects_decides():
    first = next(iter({Token(number) for number in range(9)})).parts[0]

    def add():
        CALLS.append(first)
        if first % 2:
            CALLS.append(first)

    run(add, add)


def locks_in_the_order_of_their_identities():
    tokens = [Token(), Token()]

    def take(pair):
        one, two = sorted(pair, key=lambda token: id(token.lock))
        with one.lock, two.lock:
            pass

    run(lambda: take(tokens), lambda: take(tokens[::-1]))


def copy_that_knows_itself():
    token, seen = Token([]), []
    token.parts = [token]
    run(lambda: seen.append(copy.deepcopy(token)), lambda: seen.append(token))
    assert len({one for one in seen if one.parts[0] is one}) == 2


@dataclasses.dataclass(frozen=True)
class Point:
    x: int


def equal_objects_are_one_in_a_set():
    run(lambda: CALLS.append(Point(1)), lambda: CALLS.append(Point(1)))
    assert len(set(CALLS)) == 1 and Point.__mro__[-1] is object


def addresses_decide():
    turn = len(sys.held) % 7
    objects = [object() for _ in range(50)]
    kept = objects[turn:] + objects[:turn]  # other numbers even where the addresses are in order
    order = [kept.index(one) for one in set(kept)]
    sys.held.append(kept)

    def add():
        for _ in range(order[0] % 2 + order[1] % 2 + order[2] % 2):
            CALLS.append(1)

    run(add, add)


EXHAUSTED = [
    set_of_objects_decides,
    locks_in_the_order_of_their_identities,
    copy_that_knows_itself,
    equal_objects_are_one_in_a_set,
]
