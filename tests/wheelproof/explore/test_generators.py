"""Generators in a fingerprint: position, locals, and the generator that is delegated to."""

from __future__ import annotations

import pytest

from wheelproof.explore import Unnamed
from wheelproof.explore.generators import of_generator
from wheelproof.explore.positions import Positions


def value(local):
    """Atoms and generators; the tool's own has all other values."""
    return local if isinstance(local, (int, str, type(None))) else fingerprint(local)


def fingerprint(generator, files=(__file__,)):
    return of_generator(generator, files, Positions(), None, value)


def asks(first):
    reply = yield first
    reply = yield from repeats(reply)
    yield "last"


def repeats(count):
    for number in range(count):
        again = yield number
        count = count if again is None else again
    return "done"


def advanced(first, *replies):
    generator = asks(first)
    next(generator)
    for reply in replies:
        generator.send(reply)
    return generator


def test_equal_generators_are_equal():
    assert fingerprint(asks(1)) == fingerprint(asks(1))
    assert fingerprint(advanced(1, 3)) == fingerprint(advanced(1, 3))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (asks(1), asks(2)),
        (asks(1), advanced(1)),
        (advanced(1), advanced(1, 3)),
        (advanced(1, 3), advanced(1, 4)),
        (advanced(1, 3), advanced(1, 3, None)),
        (advanced(1, 3, None), advanced(1, 3, 9)),
    ],
)
def test_positions_and_locals_tell_generators_apart(one, other):
    assert fingerprint(one) != fingerprint(other)


def test_one_that_has_ended_has_no_locals():
    assert fingerprint(ended(asks(1))) == fingerprint(ended(asks(2)))


def ended(generator):
    generator.close()
    return generator


def test_the_code_of_others_is_refused():
    with pytest.raises(Unnamed, match="the generator asks, which runs or is not"):
        fingerprint(asks(1), files=())


def test_one_that_runs_is_refused():
    def runs():
        yield fingerprint(itself)

    itself = runs()
    with pytest.raises(Unnamed, match="which runs or is not"):
        next(itself)
