"""The engine against a machine of its own and against naive search, on random programs."""

import pytest

from tests.wheelproof.plain import oracle
from tests.wheelproof.plain.drawn import drawn

BY_DAY, BY_NIGHT, ROUND, TOGETHER = 300, 10_000, 100, 20


def _compared(seeds, naive):
    differences, compared = [], 0
    for seed in seeds:
        if seed % TOGETHER == 0:  # what the modules of earlier programs hold is put back, too
            explorer = oracle.Drawn()
        comparison = oracle.compared(explorer, drawn(seed), naive)
        compared += not comparison.skipped
        if comparison.difference:
            differences.append((seed, comparison.difference))
    assert differences == []
    return compared


@pytest.mark.parametrize("first", range(0, BY_DAY, ROUND))
def test_drawn_programs_have_the_outcomes_and_classes_of_the_references(first):
    compared = _compared(range(first, first + ROUND), naive=40)
    assert compared > ROUND * 0.9


@pytest.mark.nightly
@pytest.mark.parametrize("first", range(BY_DAY, BY_NIGHT, ROUND))
def test_many_drawn_programs_have_them(first):
    compared = _compared(range(first, first + ROUND), naive=oracle.NAIVE)
    assert compared > ROUND * 0.9
