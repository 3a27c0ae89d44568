"""The races of an exploration: both accesses of each, with their threads and locks."""

import threading

import pytest

from tests.wheelproof.plain import faulty, sound
from tests.wheelproof.plain.started import run
from tests.wheelproof.plain.test_explore import Counter
from wheelproof.plain import races
from wheelproof.plain.columns import text
from wheelproof.plain.exploration import Explorer
from wheelproof.plain.races import Races


def explored(program, **options):
    explorer = Explorer(program, **options)
    explorer.reports_races = True
    return explorer.explore()


PROGRAMS = [*faulty.CLASSES, *sound.CLASSES]


@pytest.mark.daily(55)
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_each_racy_place_has_a_race_under_no_common_lock(program):
    exploration = explored(program)
    assert exploration.unpaired == ()
    ends = [access for race in exploration.races for access in race.accesses]
    lines = {(place.file, place.line) for place in exploration.racy_places}
    assert {(end.place.file, end.place.line) for end in ends} == lines
    for race in exploration.races:
        first, second = race.accesses
        assert first.thread != second.thread and "write" in (first.operation, second.operation)
        assert not set(first.locks) & set(second.locks)


class Guarded(Counter):
    """Threads that count under the lock, under another one, and under none."""

    def __init__(self):
        super().__init__()
        self.lock, self.other = threading.Lock(), threading.Lock()

    def guarded(self):
        with self.lock:
            self.increment()

    def elsewhere(self):
        with self.other:
            self.increment()


def ordered():
    """Two threads race; the main thread counts before they start and after they end."""
    counter = Counter()
    counter.increment()
    run(counter.increment, counter.increment)
    counter.increment()


def one_without_the_lock():
    counter = Guarded()
    run(counter.guarded, counter.guarded, counter.increment)


def two_locks():
    counter = Guarded()
    run(counter.guarded, counter.elsewhere)


def benign():
    seen = []

    def one():
        seen.append(1)

    def two():
        seen.append(2)

    run(one, two)
    assert sorted(seen) == [1, 2]


@pytest.fixture
def pairs(monkeypatch):
    """The threads of all races, also of those of the same two places."""
    threads = set()
    add = Races.add

    def added(self, target, first, second):
        threads.add(frozenset((first.access.thread, second.access.thread)))
        add(self, target, first, second)

    monkeypatch.setattr(Races, "add", added)
    return threads


FIRST, SECOND, THIRD = "Thread-1 (increment)", "Thread-2 (increment)", "Thread-3 (increment)"
LOCKED = ("Thread-1 (guarded)", "Thread-2 (guarded)")


def test_starts_and_joins_order_accesses(pairs):
    explored(ordered)
    assert pairs == {frozenset((FIRST, SECOND))}


def test_a_lock_orders_accesses(pairs):
    explored(one_without_the_lock)
    assert pairs == {frozenset((locked, THIRD)) for locked in LOCKED}


@pytest.mark.daily(2)
@pytest.mark.parametrize("program", [ordered, one_without_the_lock])
def test_the_report_depends_on_what_is_ordered(pairs, monkeypatch, program):
    """The control of the two tests above: clocks that see no lock and no join."""
    monkeypatch.setattr(races, "_raise", lambda clock, other: None)
    explored(program)
    assert ("MainThread" in frozenset().union(*pairs)) == (program is ordered)
    assert (frozenset(LOCKED) in pairs) == (program is one_without_the_lock)


def test_both_locks_of_a_race_are_named():
    exploration = explored(two_locks)
    held = {(access.thread, access.locks) for race in exploration.races for access in race.accesses}
    assert held == {
        ("Thread-1 (guarded)", ("Guarded.lock",)),
        ("Thread-2 (elsewhere)", ("Guarded.other",)),
    }
    lines = text(exploration)
    assert "Thread-1 (guarded) reads it, holding Guarded.lock" in lines
    assert "Thread-2 (elsewhere) writes it, holding Guarded.other" in lines


def test_an_exhausted_program_has_a_report():
    exploration = explored(benign)
    lines = text(exploration).splitlines()
    assert lines[0].startswith("exhausted: ") and len(exploration.races) == 1
    shown = [line.rpartition(": ")[2] for line in lines if "seen.append" in line]
    assert shown == ["seen.append(1)", "seen.append(2)"]


def test_a_program_without_a_race_has_an_empty_report():
    exploration = explored(sound.queue_hands_over)
    assert exploration.races == () and text(exploration).endswith("\nno two accesses race")


def test_no_race_is_looked_for_without_the_option():
    exploration = Explorer(benign).explore()
    assert exploration.races is None and "nothing orders" not in text(exploration)


@pytest.mark.nightly
def test_the_runs_that_look_for_races_do_not_count():
    for program in (benign, two_locks, sound.queue_hands_over):
        with_races, without = explored(program), Explorer(program).explore()
        assert with_races.executions == without.executions
        assert (with_races.points, with_races.accesses) == (without.points, without.accesses)
        assert with_races.answer == without.answer


def test_a_racy_place_that_is_not_seen_again_is_named(monkeypatch):
    monkeypatch.setattr(races, "MOST", 0)
    exploration = explored(benign)
    assert exploration.unpaired == exploration.racy_places and exploration.races == ()
    assert text(exploration, 200).count("racy, in an order that was not seen again: ") == 2


@pytest.mark.daily(3)
@pytest.mark.parametrize("program", [ordered, two_locks, benign])
def test_no_line_is_longer_than_the_width(program):
    for width in (60, 80):
        assert max(map(len, text(explored(program), width).splitlines())) <= width
