"""Drawn programs: the reduced search has the outcomes of the search of all orders."""

import argparse
import random

import pytest

from tests.wheelproof.jvm.explore.driving import drive

BY_DAY = 300
RARE = (342, 364, 559, 780, 1127, 1642)
"""Programs behind those that show each other primitive, each with a conflict of a rare one."""
APART = {
    "PARK Drawn LockSupport.park": "without a time-out it is behind its unpark in every order",
    "ACCESS Drawn Thread.interrupted": "each of its conflicts is seen at the interrupt, too",
}
"""Primitives whose conflicts no program of these shows alone."""


def differences(first, count):
    """Programs whose outcomes differ, and how many were compared to the end."""
    answers = drive("oracle", str(first), str(count))
    whole = [answer for answer in answers if answer["ended"]]
    return [answer for answer in whole if answer["missing"] or answer["more"]], whole


def test_reduced_searches_have_all_outcomes():
    wrong, whole = differences(random.Random(46).randrange(1_000), BY_DAY)
    assert wrong == []
    assert len(whole) > BY_DAY * 0.9
    assert len({answer["full"] for answer in whole}) > BY_DAY / 6
    assert sum(answer["full"] for answer in whole) > 3 * sum(answer["reduced"] for answer in whole)


def test_a_search_that_ignores_conflicts_loses_outcomes():
    answers = drive("blind", "0", "40")
    assert any(answer["missing"] for answer in answers)


def test_a_search_that_is_deaf_to_one_primitive_loses_outcomes():
    answers = drive("deaf", *map(str, (*range(200), *RARE)))
    kinds = {answer["primitive"].split()[0] for answer in answers}
    assert kinds == {"ACCESS", "LOCK", "TRY", "REACQUIRE", "PARK", "JOIN", "UNLOCK", "END"}
    assert len(answers) > 20
    assert "ACCESS HashMap" in {answer["primitive"] for answer in answers}
    assert {answer["primitive"] for answer in answers if answer["seed"] < 0} == set(APART)


@pytest.mark.nightly
def test_reduced_searches_have_all_outcomes_of_many_programs():
    wrong, whole = differences(0, 10_000)
    assert wrong == [] and len(whole) > 9_000


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("count", type=int, nargs="?", default=10_000)
    wrong, whole = differences(0, parser.parse_args().count)
    print(f"{len(whole):,} programs compared, {len(wrong):,} differ")
    for answer in wrong:
        print(answer)
    raise SystemExit(bool(wrong))
