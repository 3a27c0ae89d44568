"""Programs of a timer's calls, and how they are drawn."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from hypothesis import strategies as st

from wheelproof.linearizability.programs import Call, Program

ADD, CANCEL, WAIT = "add", "cancel", "wait"
"""The calls: ``add`` has a delay, ``cancel`` the number of an action, ``wait`` a time."""

CALLS = 8
"""Calls of one thread alone, at most."""


@dataclass(frozen=True)
class Way:
    """A way to run programs.

    ``programs``: a strategy for them, by the tick in milliseconds. ``times``: so many are drawn for
    each that the user asks for. ``first``: those that come before.
    """

    name: str
    programs: Callable[[int], st.SearchStrategy[Program]]
    times: int
    first: tuple[Program, ...] = ()


def _adds(times: st.SearchStrategy[int]) -> st.SearchStrategy[Call]:
    return times.map(lambda delay: Call(ADD, (delay,)))


def _waits(times: st.SearchStrategy[int]) -> st.SearchStrategy[Call]:
    return times.map(lambda time: Call(WAIT, (time,)))


def _cancels(limit: int) -> st.SearchStrategy[Call]:
    return st.integers(1, limit).map(lambda number: Call(CANCEL, (number,)))


def _of_one_thread(tick: int) -> st.SearchStrategy[Program]:
    times = st.one_of(st.integers(0, 5 * tick), st.integers(0, 50 * tick))
    adds = _adds(times)
    call = st.one_of(adds, _cancels(CALLS), _waits(times))
    calls = st.tuples(adds, st.lists(call, max_size=CALLS - 1))
    return calls.map(lambda parts: Program((), (tuple(_with_targets([parts[0], *parts[1]])),)))


def _with_targets(calls: Sequence[Call]) -> Iterator[Call]:
    """The calls, where each cancellation is of an action that has been added."""
    add_count = 0
    for call in calls:
        add_count += call.name == ADD
        if call.name == CANCEL:
            yield Call(CANCEL, ((call.arguments[0] - 1) % add_count + 1,))
        else:
            yield call


def _of_two_threads(tick: int) -> st.SearchStrategy[Program]:
    """Up to two actions, then a moment at which two threads add and cancel."""
    times = st.sampled_from([0, tick, 2 * tick, 5 * tick])  # few, so that moments meet
    adds, call = _adds(times), st.one_of(_cancels(3), _adds(times))
    prefix = st.tuples(st.lists(adds, max_size=2), st.lists(_waits(times), max_size=1))
    thread = st.lists(call, min_size=1, max_size=2).map(tuple)
    return st.builds(
        Program, prefix.map(lambda parts: (*parts[0], *parts[1])), st.tuples(thread, thread)
    )


SMALLEST = Program((), ((Call(ADD, (0,)),), (Call(CANCEL, (1,)),)))
"""The smallest program in which a cancellation can come too late."""

IN_ONE_THREAD = Way("in one thread", _of_one_thread, 4)
UNDER_THREADS = Way("under threads", _of_two_threads, 1, (SMALLEST,))
WAYS = (IN_ONE_THREAD, UNDER_THREADS)
