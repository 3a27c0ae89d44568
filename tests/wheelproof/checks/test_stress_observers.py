"""Real threads at primitives: two in one lock, and results that no order of operations gives."""

import threading

import pytest

from impl import runtime
from wheelproof.stress import faults, linear
from wheelproof.stress.observed import OBSERVERS, Observer

# -- observed primitives


def primitive(name, build=None):
    """An observer, and an observed primitive: the production one, or one with a fault."""
    observer = Observer()
    inner = getattr(runtime, name) if build is None else build(runtime)
    return observer, OBSERVERS[name](name, inner, observer)()


def inside_both(enter_one, enter_two):
    """Two threads enter, one after the other, and the second while the first is inside."""
    entered, leave = threading.Event(), threading.Event()

    def first():
        with enter_one:
            entered.set()
            leave.wait()

    thread = threading.Thread(target=first)
    thread.start()
    entered.wait()
    with enter_two:
        leave.set()
    thread.join()


@pytest.mark.parametrize("name", ["Lock", "Monitor"])
def test_two_threads_inside_a_lock(name):
    observer, lock = primitive(name, faults.open_lock)
    inside_both(lock, lock)
    assert observer.findings == [("Exclusion", f"two threads are inside one {name}")]


@pytest.mark.parametrize("name", ["Lock", "Monitor"])
@pytest.mark.parametrize("build", [None, faults.open_lock], ids=["sound", "open"])
def test_a_thread_whose_time_is_up_is_not_inside_a_lock(name, build):
    observer, lock = primitive(name, build)
    got = []
    with lock:
        thread = threading.Thread(target=lambda: got.append(lock.acquire(timeout=0.01)))
        thread.start()
        thread.join()
    expected = [] if build is None else [("Exclusion", f"two threads are inside one {name}")]
    assert (got, observer.findings) == ([build is not None], expected)


def test_a_reader_beside_a_writer_and_the_other_way_round():
    for one, two, says in [
        ("write_lock", "read_lock", "a reader enters"),
        ("read_lock", "write_lock", "a writer enters"),
        ("write_lock", "write_lock", "a writer enters"),
    ]:
        observer, lock = primitive("ReadWriteLock", faults.open_read_write_lock)
        inside_both(getattr(lock, one), getattr(lock, two))
        ((property, found),) = observer.findings
        assert property == "Exclusion" and found.startswith(says)


def test_two_readers_are_no_finding():
    observer, lock = primitive("ReadWriteLock")
    inside_both(lock.read_lock, lock.read_lock)
    assert not observer.findings


def test_two_threads_at_an_open_gate():
    observer, gate = primitive("Gate", faults.open_gate)
    inside_both(gate, gate)
    assert observer.findings == [("Exclusion", "two threads are inside one Gate")]


def test_a_monitor_entered_twice_by_one_thread_is_no_finding():
    observer, monitor = primitive("Monitor")
    with monitor, monitor:
        pass
    assert not observer.findings and observer.used == {"Monitor"}


# -- orders of operations on an atomic variable


def op(name, *arguments, result, begun=1, ended=2, thread=0):
    return linear.Operation(thread, name, arguments, result, begun, ended)


@pytest.mark.parametrize(
    "history, last, fits",
    [
        ([op("add_and_get", 1, result=1), op("add_and_get", 1, result=2)], 2, True),
        ([op("add_and_get", 1, result=2), op("add_and_get", 1, result=1)], 2, True),
        ([op("add_and_get", 1, result=1), op("add_and_get", 1, result=1)], 1, False),
        (
            [
                op("add_and_get", 1, result=2, begun=1, ended=2),
                op("add_and_get", 1, result=1, begun=3, ended=4),
            ],
            2,
            False,
        ),
        (
            [op("compare_and_set", 0, 5, result=True), op("compare_and_set", 0, 7, result=True)],
            7,
            False,
        ),
        (
            [op("compare_and_set", 0, 5, result=True), op("compare_and_set", 0, 7, result=False)],
            5,
            True,
        ),
        (
            [op("compare_and_set", 0, 5, result=True), op("compare_and_set", 0, 7, result=False)],
            7,
            False,
        ),
        ([op("get_and_set", 5, result=0), op("get_and_set", 7, result=0)], 7, False),
        ([op("get_and_set", 5, result=7), op("get_and_set", 7, result=0)], 5, True),
        ([op("set", 5, result=None), op("set", 7, result=None)], 5, True),
        ([op("set", 5, result=None), op("set", 7, result=None)], 9, False),
        ([], 0, True),
        ([], 1, False),
    ],
)
def test_results_fit_an_order_or_do_not(history, last, fits):
    assert linear.explains(0, history, last) is fits


def test_a_long_history_is_cut():
    """And may then not be found wrong: the last value is not compared."""
    history = [
        op("add_and_get", 1, result=number + 1, begun=2 * number, ended=2 * number + 1)
        for number in range(linear.MOST + 5)
    ]
    assert linear.explains(0, history, 999)
    assert not linear.explains(0, history[:5] + history[4:], 999)
