"""The engine against a machine of its own and against naive search, on random programs."""

import pytest

from tests.wheelproof.plain import oracle
from tests.wheelproof.plain.drawn import drawn

BY_DAY, BY_NIGHT, ROUND = 300, 10_000, 100


@pytest.fixture(scope="module")
def explorer():
    return oracle.Drawn()


def _compared(explorer, seeds, naive):
    differences, compared = [], 0
    for seed in seeds:
        comparison = oracle.compared(explorer, drawn(seed), naive)
        compared += not comparison.skipped
        if comparison.difference:
            differences.append((seed, comparison.difference))
    assert differences == []
    return compared


@pytest.mark.parametrize("first", range(0, BY_DAY, ROUND))
def test_drawn_programs_have_the_outcomes_and_classes_of_the_references(explorer, first):
    compared = _compared(explorer, range(first, first + ROUND), naive=40)
    assert compared > ROUND * 0.9


@pytest.mark.nightly
@pytest.mark.parametrize("first", range(BY_DAY, BY_NIGHT, ROUND))
def test_many_drawn_programs_have_them(explorer, first):
    compared = _compared(explorer, range(first, first + ROUND), naive=oracle.NAIVE)
    assert compared > ROUND * 0.9
