"""The engine against a machine of its own and against naive search, on random programs."""

import pytest

from tests.wheelproof.plain import oracle
from tests.wheelproof.plain.drawn import drawn
from wheelproof.plain.exploration import Explorer
from wheelproof.plain.operations import Ending
from wheelproof.plain.schedulers import optimal_dpor

BY_DAY, BY_NIGHT, ROUND, TOGETHER = 100, 10_000, 100, 20


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


def test_drawn_programs_have_the_outcomes_and_classes_of_the_references():
    compared = _compared(range(BY_DAY), naive=40)
    assert compared > BY_DAY * 0.9


@pytest.mark.nightly
@pytest.mark.parametrize("first", range(BY_DAY, BY_NIGHT, ROUND))
def test_many_drawn_programs_have_them(first):
    compared = _compared(range(first, first + ROUND), naive=oracle.NAIVE)
    assert compared > ROUND * 0.9


def _in_vain(seeds):
    """The share of runs of optimal DPOR that are no class of their own."""
    explorer, runs, classes = oracle.Drawn(), 0, 0
    for seed in seeds:
        comparison = oracle.compared(explorer, drawn(seed), naive=0, most=500)
        assert comparison.difference == ""
        if not comparison.skipped:
            runs, classes = runs + comparison.optimal_runs, classes + comparison.classes
    return (runs - classes) / runs


def test_optimal_dpor_makes_few_runs_in_vain():
    assert 0 <= _in_vain(range(30)) < 0.01


def test_without_a_look_at_the_tree_it_makes_more(monkeypatch):
    monkeypatch.setattr(optimal_dpor, "_is_weak_initial", lambda *_: False)
    assert _in_vain(range(30)) > 0.02


HIDDEN = """
import threading

class Shared:
    pass

def main():
    shared, first, second = Shared(), threading.Lock(), threading.Lock()

    def write():
        shared.x = 1

    def nested():
        with first, second:
            pass

    def alternate():
        with first:
            pass
        with second, first:
            pass
        shared.x = 2

    threads = [threading.Thread(target=target) for target in (write, nested, alternate)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
"""
"""Two threads come to wait for each other while the third one, which sleeps, could go on."""


def test_a_wait_that_ends_a_redundant_run_is_reversed():
    explorer = Explorer(None)
    explorer.program = explorer.world.make("hidden", HIDDEN, "<hidden>").main
    for site in explorer.world.sites:
        site.visible = site.text.startswith("shared.x")
    for search in (oracle.ClassesOfDPOR(), oracle.ClassesOfOptimalDPOR()):
        classes = set()
        while not search.over:
            ending = explorer.run(search)
            explorer.failing = None
            if ending is not Ending.REDUNDANT:
                classes.add(frozenset(search.events))
        assert len(classes) == 7  # as naive search finds in 3,378 runs
