"""Searches by the number of preemptions: runs with fewer of them come first."""

import threading

import pytest

from tests.wheelproof.plain import faulty
from tests.wheelproof.plain.started import run
from wheelproof.plain import exploration
from wheelproof.plain.answers import Answer
from wheelproof.plain.exploration import Explorer, explore_program
from wheelproof.plain.schedulers.bounded import Bounded
from wheelproof.plain.schedulers.deepening import Deepening


class Shared:
    def __init__(self):
        self.ready = False
        self.count = 0


def early_race_before_many():
    """A search in depth reverses the first race of a run last."""
    shared = Shared()

    def announce():
        shared.ready = True
        for _ in range(5):
            shared.count += 1

    def look():
        ready = shared.ready
        for _ in range(5):
            shared.count += 1
        assert ready

    thread = threading.Thread(target=look)
    thread.start()
    announce()
    thread.join()


def preemptions(scheduler, program):
    """The preemptions of the runs of a search, in order."""
    explorer, counts = Explorer(program), []
    explorer.explore()
    explorer.observe = lambda execution: counts.append(execution.preemptions)
    with explorer.ready():
        while not scheduler.over:
            explorer.run(scheduler)
            explorer.failing = None
    return counts


def two_counts():
    shared = Shared()

    def count():
        shared.count += 1
        shared.count += 1

    run(count, count)


def test_runs_with_fewer_preemptions_come_first():
    search = Deepening(2)
    counts = preemptions(search, two_counts)
    fewer = preemptions(Deepening(1), two_counts)
    assert counts[: len(fewer)] == fewer and max(fewer) == 1 and max(counts) == 2
    assert search.refused and search.complete == 2


@pytest.mark.nightly
def test_a_search_in_depth_makes_them_in_another_order():
    fewer = preemptions(Deepening(1), two_counts)
    assert preemptions(Bounded(2), two_counts).index(2) < len(fewer)


def test_without_a_bound_it_ends_after_all_runs():
    search = Deepening()
    counts = preemptions(search, two_counts)
    assert search.over and not search.refused and max(counts) > 2


@pytest.mark.daily(2)
@pytest.mark.parametrize(
    ("alone", "answer"), [(exploration.ALONE, Answer.BUG), (10**9, Answer.BUDGET)]
)
def test_a_long_search_goes_by_the_preemptions_besides(alone, answer, monkeypatch):
    monkeypatch.setattr(exploration, "WARM_UP", 0)
    monkeypatch.setattr(exploration, "ALONE", alone)
    explorer = Explorer(early_race_before_many, executions=1_500)
    for site in explorer.world.sites:
        site.visible = site.text.startswith("shared.")
    assert explorer.explore().answer is answer


def test_a_budget_says_which_orders_were_run(monkeypatch):
    monkeypatch.setattr(exploration, "ALONE", 0)
    found = explore_program(long_and_sound, executions=600)
    assert found.answer is Answer.BUDGET
    assert found.reason.endswith("every order with at most 1 preemptions was run")


def test_runs_that_were_cut_are_not_among_them(monkeypatch):
    monkeypatch.setattr(exploration, "ALONE", 0)
    explorer = Explorer(long_and_sound, executions=600)
    explorer.execution.most_points = 10
    found = explorer.explore()
    assert found.answer is Answer.BUDGET and "some runs were ended" in found.reason


def long_and_sound():
    shared = Shared()

    def count():
        for _ in range(6):
            shared.count += 1

    run(count, count)


def test_the_first_failure_within_a_bound_has_the_fewest_preemptions():
    failure = explore_program(faulty.lost_update, bound=2).failure
    assert failure.preemptions == 1 and failure.minimal
