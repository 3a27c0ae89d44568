"""Generators in a fingerprint: position, locals, and the generator that is delegated to."""

from __future__ import annotations

import pytest

from wheelproof.python import Unnamed
from wheelproof.python.state.canonical import Values


def fingerprint(generator, files=(__file__,)):
    return Values(files, None, None, ()).value(generator)


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


@pytest.mark.parametrize(
    "items",
    [
        [0, 0, 0],
        (0, 0, 0),
        "aaa",
        "\u00e9\u00e9\u00e9",
        b"aaa",
        range(3),
        range(2**70, 2**70 + 3),
    ],
)
@pytest.mark.parametrize("through", [iter, enumerate, zip, lambda items: zip(enumerate(items))])
def test_how_far_an_iterator_has_come_is_seen(items, through):
    def goes(items):
        for _ in through(items):
            yield 0

    generator, found = goes(items), []
    for _ in range(3):
        next(generator)
        found.append(fingerprint(generator))
    assert len(set(found)) == 3


@pytest.mark.parametrize("items", [{0: 0}, {0}, map(str, [0]), iter(list, 0)])
def test_an_iterator_that_shows_no_position_is_refused(items):
    def goes():
        for _ in items:
            yield 0

    generator = goes()
    next(generator)
    with pytest.raises(Unnamed, match="a value of type"):
        fingerprint(generator)


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
