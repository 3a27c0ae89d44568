"""The engine against a machine of its own and against naive search, on random programs."""

import pytest

from tests.nights import by_night
from tests.wheelproof.plain import oracle
from tests.wheelproof.plain.drawn import POLLING, drawn
from wheelproof.plain.exploration import Explorer
from wheelproof.plain.operations import Ending
from wheelproof.plain.schedulers import optimal_dpor

BY_DAY, A_CASE = 300, 50
"""Programs by day, and those of one test: it has none in common with the others."""

NAIVE, EVERYWHERE = 40, 200
"""Runs by day, at most: of naive search, and of the search in which each place is a point."""

BY_NIGHT, ROUND, TOGETHER = 10_000, 100, 20


def _compared(seeds, naive, everywhere=oracle.MOST):
    differences, comparisons = [], []
    for seed in seeds:
        if seed % TOGETHER == 0 or not comparisons:  # the modules of earlier ones are put back
            explorer = oracle.Drawn()
        comparison = oracle.compared(explorer, drawn(seed), naive, everywhere=everywhere)
        comparisons.append(comparison)
        if comparison.difference:
            differences.append((seed, comparison.difference))
    assert differences == []
    return [comparison for comparison in comparisons if not comparison.skipped]


@pytest.mark.parametrize("first", range(0, BY_DAY, A_CASE))
def test_drawn_programs_have_the_outcomes_and_classes_of_the_references(first):
    compared = _compared(range(first, first + A_CASE), NAIVE, EVERYWHERE)
    assert len(compared) > A_CASE * 0.9
    assert sum(comparison.whole for comparison in compared) > A_CASE * 0.9
    assert sum(comparison.naive_whole for comparison in compared) > A_CASE * 0.1


@pytest.mark.nightly
@pytest.mark.parametrize("first", range(BY_DAY, BY_NIGHT, ROUND))
def test_many_drawn_programs_have_them(first):
    compared = _compared(range(first, first + ROUND), oracle.NAIVE)
    assert len(compared) > ROUND * 0.9


LOOKS = 40
"""Programs by day whose threads look again and again; ten times as many by night."""


@pytest.mark.parametrize("first", [0, *(by_night(number) for number in range(1, 10))])
def test_programs_that_poll_have_the_outcomes_of_the_reference(first):
    differences = []
    for seed in range(first * LOOKS, (first + 1) * LOOKS):
        if seed % TOGETHER == 0:
            explorer = oracle.Drawn()
        # how often a thread looks before it waits is no class of its own
        comparison = oracle.compared(explorer, drawn(seed, POLLING), naive=0, everywhere=EVERYWHERE)
        if comparison.difference:
            differences.append((seed, comparison.difference))
    assert differences == []


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


def classes(search, source, is_point):
    """The classes of all runs of a program whose points are the places with such a text."""
    explorer = Explorer(None)
    explorer.program = explorer.world.make("drawn", source, "<drawn>").main
    for site in explorer.world.sites:
        site.visible = is_point(site.text)
    explorer.run(oracle.ClassesOfDPOR())
    explorer.grew()  # for as many threads as there are
    outcome = set()
    while not search.over:
        ending = explorer.run(search)
        explorer.failing = None
        if ending is not Ending.REDUNDANT:
            outcome.add(frozenset(search.events))
    return outcome


def test_a_wait_that_ends_a_redundant_run_is_reversed():
    for search in (oracle.ClassesOfDPOR(), oracle.ClassesOfOptimalDPOR()):
        # as naive search finds in 3,378 runs
        assert len(classes(search, HIDDEN, lambda text: text.startswith("shared.x"))) == 7


LEAF = """
import threading

class Shared:
    x = 0

def main():
    shared, lock = Shared(), threading.Lock()

    def write():
        shared.x = 1

    def locked():
        with lock:
            shared.x

    def add():
        shared.x += 1

    def read():
        shared.x

    threads = [threading.Thread(target=target) for target in (write, locked, add, read)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
"""
"""Without a run that shows what `locked` reads, its acquisition may be planned a second time."""


def test_a_sequence_is_added_below_the_leaf_with_which_it_begins(monkeypatch):
    expected = classes(oracle.ClassesOfDPOR(), LEAF, lambda text: "shared." in text)
    assert classes(oracle.ClassesOfOptimalDPOR(), LEAF, lambda text: "shared." in text) == expected
    monkeypatch.setattr(optimal_dpor, "_lengthen", lambda *_: None)
    fewer = classes(oracle.ClassesOfOptimalDPOR(), LEAF, lambda text: "shared." in text)
    assert fewer < expected
