"""Which orders of locks are inversions, and which are not."""

import re
import threading

import pytest

from tests.wheelproof.plain.lock_order import faulty, sound, turns
from tests.wheelproof.plain.lock_order.judged import (
    Pair,
    analysed,
    backwards,
    both_at_once,
    forwards,
    gated,
)
from wheelproof.plain.lock_order import findings, wrappers
from wheelproof.plain.lock_order.text import report


@pytest.mark.parametrize("program", faulty.PROGRAMS, ids=lambda program: program.__name__)
def test_an_inversion_is_named_with_both_stacks(program):
    result = analysed(program)
    (cycle,) = result.inversions
    assert len(cycle.orders) == faulty.PROGRAMS[program] and result.complete
    assert len({order.thread for order in cycle.orders}) == len(cycle.orders)
    for order in cycle.orders:
        assert order.test == f"test_{program.__name__}"
        for stack in (order.held_stack, order.taken_stack):
            assert stack[0].file in (faulty.__file__, turns.__file__) and stack[0].text
    assert not result.opposite


@pytest.mark.parametrize("program", sound.PROGRAMS, ids=lambda program: program.__name__)
def test_sound_orders_are_no_inversion(program):
    result = analysed(program)
    assert not result.cycles and result.complete
    assert result.locks and result.acquisitions


def test_each_stack_begins_where_the_lock_was_taken():
    (cycle,) = analysed(faulty.two_locks).inversions
    texts = {
        (order.thread, stack[0].within.rpartition(".")[2], stack[0].text)
        for order in cycle.orders
        for stack in (order.held_stack, order.taken_stack)
    }
    assert texts == {
        ("1 forwards", "forwards", "with first, second:"),
        ("2 backwards", "backwards", "with second, first:"),
    }
    held = {order.held.column for order in cycle.orders}
    assert len(held) == 2  # two locks of one line are two classes


def test_the_lock_of_a_signal_is_left_out_by_name():
    result = analysed(sound.signal)
    assert result.signals == 1
    assert "1 lock left out, given back by another thread" in " ".join(report(result, 200))


@pytest.mark.parametrize(
    ("parts", "opposite"),
    [
        ((forwards, backwards), 1),  # of different tests, by one thread
        ((both_at_once,), 1),  # of other locks of the same places
        ((forwards,), 0),
        ((forwards, gated(forwards)), 0),
        ((gated(forwards), gated(backwards)), 0),
        ((gated(forwards), backwards), 1),
        ((forwards, backwards, both_at_once), 1),  # stated once
    ],
)
def test_opposite_orders_of_classes_are_no_inversion_and_are_stated(parts, opposite):
    result = analysed(*parts)
    assert not result.inversions and len(result.opposite) == opposite
    printed = "\n".join(report(result, 80))
    assert ("opposite orders of 2 locks: A -> B -> A" in printed) == bool(opposite)


class Waiter:
    """A lock that waits for a signal; without one it is given back by its own thread."""

    def __init__(self):
        self.lock, self.signal = threading.Lock(), threading.Lock()
        self.signal.acquire()

    def wait(self):
        with self.lock:
            self.signal.acquire()


def signalled():
    waiter = Waiter()
    turns.run(waiter.signal.release, waiter.wait)


def unsignalled():
    waiter = Waiter()
    with waiter.lock:
        pass
    waiter.signal.release()
    waiter.wait()


def backwards_of_a_signal():
    waiter = Waiter()
    with waiter.lock:  # the signal is held
        waiter.signal.release()


@pytest.mark.parametrize("processes", [1, 2])
def test_locks_of_a_place_with_a_signal_are_no_class(processes):
    parts = (unsignalled, backwards_of_a_signal, signalled)
    assert len(analysed(*parts[:2]).opposite) == 1
    if processes == 1:
        assert not analysed(*parts).opposite
        return
    whole = findings.Findings()
    for some in (parts[:2], parts[2:]):
        whole.merge(findings.read(analysed(*some).document()))
    whole.compare_tests()
    assert not whole.opposite


def test_an_inversion_replaces_the_opposite_orders_of_its_places():
    def inverted():
        pair = Pair()

        def there():
            with pair.first, pair.second:
                pass

        def back():
            with pair.second, pair.first:
                pass

        turns.run(there, back)

    result = analysed(forwards, backwards, inverted)
    assert [cycle.kind for cycle in result.cycles] == ["inversion"]
    assert result.inversions[0].tests == ["test_inverted"]


def test_findings_of_several_processes_are_merged():
    parts = [analysed(part) for part in (forwards, faulty.two_locks, backwards)]
    whole = findings.Findings()
    for part in parts:
        whole.merge(findings.read(part.document()))
    assert not whole.opposite and len(whole.inversions) == 1
    whole.compare_tests()
    assert len(whole.opposite) == 1 and len(whole.inversions) == 1
    assert whole.locks == sum(part.locks for part in parts)
    assert whole.opposite[0].tests == ["test_forwards", "test_backwards"]


def test_orders_are_dropped_only_when_nothing_can_close_a_cycle_with_them(monkeypatch):
    monkeypatch.setattr("wheelproof.plain.lock_order.recording.COMPACTED", 0)
    analysis = findings.Analysis()
    analysis.recorder._limit = 0
    with wrappers.installed(analysis.recorder):
        a, b, c = threading.Lock(), threading.Lock(), threading.Lock()
        over = threading.Event()

        def stays():
            turns.nested(a, b)()
            begun.set()
            over.wait()
            turns.nested(b, c)()

        begun = threading.Event()
        thread = threading.Thread(target=stays)
        thread.start()
        begun.wait()
        for _ in range(3):
            turns.nested(a, c)()
            analysis.recorder.ends_test()
        assert {order.taken for order in analysis.recorder.all()} >= {b._identity, c._identity}
        turns.nested(c, a)()  # of the main thread alone
        analysis.recorder.ends_test()
        assert not analysis.findings.inversions
        turns.nested(c, b)()
        over.set()
        thread.join()
        analysis.recorder.ends_test()
        turns.nested(a, b)()
        analysis.recorder.ends_test()
    assert len(analysis.recorder.all()) == 0  # all threads but one have ended
    (cycle,) = analysis.end().inversions
    assert {order.thread for order in cycle.orders} == {"MainThread", thread.name}


def test_too_many_orders_are_stated_and_are_not_complete(monkeypatch):
    monkeypatch.setattr("wheelproof.plain.lock_order.recording.MOST", 1)
    result = analysed(faulty.philosophers)
    assert result.left_out == 2 and not result.complete
    assert "incomplete: 2 orders left out" in "\n".join(report(result, 80))


def test_a_search_that_is_cut_is_stated(monkeypatch):
    monkeypatch.setattr("wheelproof.plain.lock_order.cycles.STEPS", 1)
    result = analysed(faulty.two_locks)
    assert result.cut and not result.complete
    assert "incomplete: the search of cycles was cut" in report(result, 80)


@pytest.mark.parametrize(
    ("program", "names"),
    [
        (faulty.two_locks, ["first of two_locks", "second of two_locks"]),
        (faulty.two_locks_of_one_place, ["self.lock of Account.__init__"] * 2),
        (faulty.gates_of_their_own, ["a of gates_of_their_own", "b of gates_of_their_own"]),
        (faulty.philosophers, ["forks of philosophers.<locals>.<listcomp>"] * 3),
    ],
)
def test_a_lock_is_named_by_what_it_is_assigned_to(program, names):
    lines = report(analysed(program), 200)
    named = [line for line in lines if re.match("  [A-C]  ", line)]
    assert [line[5:].partition(", ")[0] for line in named] == names
    numbered = len(set(names)) < len(names)
    assert all(("of this place)" in line) == numbered for line in named)


@pytest.mark.parametrize("program", faulty.PROGRAMS, ids=lambda program: program.__name__)
def test_no_line_of_a_report_is_longer_than_the_width(program):
    result = analysed(program, forwards, backwards)
    for width in (60, 80):
        lines = report(result, width, every=True)
        assert max(map(len, lines)) <= width
        assert lines[-1] == "1 inversion, 1 of opposite orders"
