"""Claims about maybeTryComplete: schedules on the model and on the
implementation.
"""

from __future__ import annotations

import threading

import pytest

from impl.delayed_operation import (
    CheckedTry,
    DelayedOperation,
    LockedTry,
    TryOnce,
    TryPending,
)
from impl.runtime import Atomic
from model.delayed_operation import Model
from model.pluscal import DONE
from tests.impl.real_threads import MOMENT_S, PATIENCE_S, finished, started, until
from tests.model.delayed_operation import MECHANISM, scenario
from wheelproof.graph.explorer import explore
from wheelproof.graph.liveness import components

TRY = ["attempt", "o"]
UNLOCKED = (TryOnce, TryPending, LockedTry, CheckedTry)
"""The generations up to 4.0, whose completion takes no lock."""


# -- who tries again


def follow(model: Model, schedule: str) -> Model:
    """Take these steps, written ``thread.label``, and the silent steps that lie between them;
    AssertionError if one is not enabled.
    """
    state = model.initial()
    for step in schedule.split():
        thread, label = step.split(".")
        while True:
            mine = {
                at: after
                for index, at, after in model.successors(state)
                if model.threads[index] == thread
            }
            if label in mine:
                state = mine[label]
                break
            silent = mine.keys() & MECHANISM.silent
            assert silent, f"{thread} can take {sorted(mine)}, not {label}"
            state = mine[silent.pop()]
    model.load(state)
    return model


def program_counters(model: Model) -> dict[str, str]:
    return {name: process.pc for name, process in zip(model.threads, model.processes)}


def retriers(schedule: str, without: str = "") -> set[str]:
    """Who, while a holds the lock, is about to try again for it."""
    mechanism = MECHANISM.without(without)
    model = follow(mechanism.model_of(scenario(a=[TRY], b=[TRY], c=[TRY])), schedule)
    assert model.lock["o"].owner == "a"
    return {name for name, at in program_counters(model).items() if at == "P1"}


BOTH_LOSERS = "a.P1 b.P1 b.P5 a.P2 c.P1 c.P5 b.P6 c.P6"
"""b leaves its note before a clears it, c leaves one after that: each finds none."""
NO_LOSER = (
    "a.P1 a.P2 b.P1 b.P5 b.P6 b.P1 b.P5 b.P6 a.Y1 a.P3 a.P4 a.P6 a.P1 "  # a retries, b has returned
    "c.P1 c.P5 c.P6"
)
"""c finds the flag set that a, in its second hold of the lock, is about to clear."""
ONE_LOSER = "a.P1 a.P2 b.P1 c.P1 b.P5 c.P5 b.P6 c.P6"


def test_two_losers_may_try_again_while_one_thread_holds_the_lock():
    assert retriers(BOTH_LOSERS) == {"b", "c"}
    assert retriers(ONE_LOSER) == {"b"}
    assert retriers(NO_LOSER) == set()


def test_without_clearing_the_flag_first_one_loser_tries_again():
    """The control: with the flag cleared after tryComplete the losers find each other's note."""
    assert retriers("a.P1 b.P1 b.P5 c.P1 c.P5 b.P6 c.P6", "ClearedLate") == {"b"}


class CountedLock:
    """A re-entrant lock that counts, per thread, how often it tried for it."""

    def __init__(self) -> None:
        self.lock, self.tries = threading.RLock(), {}

    def acquire(self, blocking: bool) -> bool:
        me = threading.current_thread()
        self.tries[me] = self.tries.get(me, 0) + 1
        return self.lock.acquire(blocking)

    def release(self) -> None:
        self.lock.release()


class Moment(Atomic):
    """A flag before whose first reset something happens."""

    __slots__ = ("before_reset",)

    def set(self, value) -> None:
        happens, self.before_reset = self.before_reset, None
        if happens is not None:
            happens()
        super().set(value)


class GivesUp(Moment):
    """A flag that every setter finds set: a thread that misses the lock does not try again."""

    __slots__ = ()

    def get_and_set(self, value):
        super().get_and_set(value)
        return True


def tries_of_losers(early: bool, flag: type[Atomic] = Moment) -> list[int]:
    """How often two losers try for the lock, one after the other; the first one before the holder
    clears the flag, or after.
    """
    counts = []

    class Operation(TryPending):
        __slots__ = ()

        def try_complete(self):
            for _ in range(1 if early else 2):
                loses()
            return False

    operation = Operation(1)
    operation.lock = CountedLock()

    def attempt():
        operation.safe_try_complete()
        counts.append(operation.lock.tries[threading.current_thread()])

    def loses():
        if len(counts) < 2:
            assert all(finished(thread) for thread in started(attempt))

    operation.try_complete_pending = flag(False)
    operation.try_complete_pending.before_reset = loses if early else None
    operation.safe_try_complete()
    return counts


def test_the_implementation_has_both_losers_try_again_and_one():
    assert tries_of_losers(early=True) == [2, 2]
    assert tries_of_losers(early=False) == [2, 1]


def test_that_check_sees_a_protocol_whose_losers_do_not_try_again():
    assert tries_of_losers(early=True, flag=GivesUp) == [1, 1]


class Stuck(Atomic):
    """A flag that nothing clears."""

    __slots__ = ()

    def set(self, value):
        pass


def attempts_alone(is_set: bool, flag: type[Atomic] = Atomic, most: int = 3) -> int:
    """How often a thread that is alone calls tryComplete, ``most`` times at the most.

    ``is_set``: whether a thread that has returned has left the flag set.
    """
    calls = []

    class Operation(TryPending):
        __slots__ = ()

        def try_complete(self):
            calls.append("try")
            if len(calls) == most:
                self.completed.set(True)
            return False

    operation = Operation(1)
    operation.try_complete_pending = flag(is_set)
    operation.safe_try_complete()
    return len(calls)


def test_a_thread_alone_leaves_the_loop_because_it_has_cleared_the_flag():
    assert attempts_alone(is_set=False) == attempts_alone(is_set=True) == 1


def test_that_check_sees_a_flag_that_stays_set():
    assert attempts_alone(is_set=True, flag=Stuck) == 3
    assert attempts_alone(is_set=False, flag=Stuck) == 1, "a clear flag needs no write"


def completed_meanwhile(
    protocol: type[DelayedOperation], within_s: float = PATIENCE_S
) -> dict[str, bool]:
    """What A's attempt returns and `isCompleted` after it, and whether B has completed the
    operation by force while A was in tryComplete. A's condition holds.
    """
    by_b = []

    class Operation(protocol):
        __slots__ = ()

        def try_complete(self):
            (thread,) = started(lambda: by_b.append(self.force_complete()))
            finished(thread, within_s)
            return self.force_complete()

        def on_complete(self):
            pass

    operation = Operation(1)
    tried = operation.safe_try_complete()
    assert until(lambda: by_b)
    return {"tried": tried, "by_b": by_b[0], "completed": operation.is_completed()}


@pytest.mark.parametrize("protocol", UNLOCKED, ids=lambda protocol: protocol.__name__)
def test_a_try_fails_where_another_thread_has_completed_the_operation_meanwhile(protocol):
    assert completed_meanwhile(protocol) == {"tried": False, "by_b": True, "completed": True}


def test_that_check_sees_a_completion_that_waits_for_the_try():
    """Since 4.1 completion takes the lock: B waits until A has left, and comes too late."""
    found = completed_meanwhile(DelayedOperation, MOMENT_S)
    assert found == {"tried": True, "by_b": False, "completed": True}


TWO = {"a": [TRY], "b": [TRY]}


def tried_again(schedule: str, without: str = "") -> set[str]:
    """Which of two threads, after b has lost the lock to a, come to call tryComplete once more."""
    again = set()
    model = MECHANISM.without(without).model_of(scenario(**TWO))
    steps = schedule.split()
    for step in range(len(steps)):
        follow(model, " ".join(steps[: step + 1]))
        thread, label = steps[step].split(".")
        if label == "P2" and "b.P5" in steps[:step]:
            again.add(thread)
    assert set(program_counters(model).values()) <= {DONE, "T0"}, program_counters(model)
    return again


ONLY_THE_LOSER = "a.P1 a.P2 a.Y1 b.P1 b.P5 b.P6 a.P3 b.P1 b.P2 a.P4 a.P6 b.Y1 b.P3 b.P4 b.P6"
ONLY_THE_HOLDER = (
    "a.P1 a.P2 b.P1 b.P5 b.P6 b.P1 b.P5 b.P6 a.Y1 a.P3 a.P4 a.P6 a.P1 a.P2 a.Y1 a.P3 a.P4 a.P6"
)
BOTH = (
    "a.P1 a.P2 a.Y1 b.P1 b.P5 a.P3 a.P4 a.P6 a.P1 a.P2 a.Y1 a.P3 a.P4 a.P6 "
    "b.P6 b.P1 b.P2 b.Y1 b.P3 b.P4 b.P6"
)
NEITHER = "a.P1 a.P2 a.Y1 b.P1 a.P3 a.P4 a.P6 b.P5 b.P6"


def test_after_a_lost_try_one_of_two_threads_may_be_the_only_one_to_look_again():
    assert tried_again(ONLY_THE_LOSER) == {"b"}
    assert tried_again(ONLY_THE_HOLDER) == {"a"}
    assert tried_again(BOTH) == {"a", "b"}


def test_without_the_losers_second_try_there_may_be_none():
    """The control: if the loser does not try again itself, its note may come after the holder has
    looked for one.
    """
    assert tried_again(NEITHER, "NoRetry") == set()
    with pytest.raises(AssertionError):
        tried_again(NEITHER)


def turns(protocol: str) -> list[set[tuple[str, str]]]:
    """The cycles of two threads that attempt an operation whose condition never holds: the (thread,
    label) of their steps.
    """
    graph = explore(Model(scenario(protocol, **TWO)))
    found = []
    for part in components(graph, [True] * graph.distinct):
        inside = {
            (graph.model.threads[thread], label)
            for state in part
            for thread, label, after in graph.edges[state]
            if after in part
        }
        found += [inside] if inside else []
    return found


def test_two_callers_may_keep_each_other_trying_without_end():
    (cycle,) = turns("TryPending")
    assert {("a", "Y1"), ("b", "Y1"), ("a", "P5"), ("b", "P5")} <= cycle


def test_the_cycle_has_48_of_the_323_states():
    graph = explore(MECHANISM.model("two_callers"))
    sizes = [
        len(part)
        for part in components(graph, [True] * graph.distinct)
        if any(after in part for state in part for _, _, after in graph.edges[state])
    ]
    assert (sizes, graph.distinct) == ([48], 323)


@pytest.mark.parametrize("protocol", ["TryOnce", "LockedTry", "CheckedTry", "Blocking"])
def test_that_check_finds_no_cycle_where_no_thread_tries_again(protocol):
    assert turns(protocol) == []
