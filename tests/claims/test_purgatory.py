"""Claims about what enters a purgatory: whom it lets wait, and what a key stands for."""

from __future__ import annotations

import threading

import pytest

from impl.clock import VirtualClock
from impl.delayed_operation import (
    CheckedTry,
    DelayedOperation,
    LockedTry,
    TryOnce,
    TryPending,
)
from impl.purgatory import Purgatory, Shard
from impl.system_timer import SystemTimer
from tests.impl.real_threads import MOMENT_S, PATIENCE_S, finished, started, until
from tests.impl.timing import Inline

TRY_LOCK, BLOCKING = (TryOnce, TryPending), (LockedTry, CheckedTry, DelayedOperation)
"""The generations whose tries never wait for the operation's lock, and those whose tries do."""


class Work:
    """An operation of some protocol whose condition never holds; it counts its tries."""

    def __init__(self, lock=None) -> None:
        super().__init__(100, lock)
        self.tries = 0

    def try_complete(self) -> bool:
        self.tries += 1
        return False

    def on_complete(self) -> None:
        pass


def work(protocol: type[DelayedOperation], lock=None) -> DelayedOperation:
    return type(protocol.__name__, (Work, protocol), {})(lock)


def purgatory(kind: type[Purgatory] = Purgatory) -> Purgatory:
    return kind(SystemTimer(Inline(), clock=VirtualClock(0)), 1000, 1)


# -- who waits


class Waits(Purgatory):
    """A purgatory in which a thread waits until its operation is completed."""

    __slots__ = ()

    def try_complete_else_watch(self, operation, keys) -> bool:
        done = super().try_complete_else_watch(operation, keys)
        return done or until(operation.is_completed)


def returns(protocol: type[DelayedOperation], kind: type[Purgatory] = Purgatory) -> bool:
    """Whether a thread that enters an operation comes back while neither its condition holds nor
    its time has come.
    """
    held, operation = purgatory(kind), work(protocol)
    (thread,) = started(lambda: held.try_complete_else_watch(operation, ["k"]))
    back = (
        finished(thread, MOMENT_S if kind is Waits else PATIENCE_S)
        and not operation.completed.get()
    )
    operation.force_complete()
    assert finished(thread)
    return back


@pytest.mark.parametrize("protocol", TRY_LOCK + BLOCKING)
def test_who_enters_an_operation_does_not_wait_for_its_condition_or_its_time(protocol):
    assert returns(protocol)


def test_that_check_sees_a_purgatory_that_waits():
    assert not returns(DelayedOperation, Waits)


def waits_for_the_lock(protocol: type[DelayedOperation], within_s: float) -> bool:
    """Whether a thread that enters an operation waits while another one holds its lock."""
    lock = threading.RLock()
    held, operation = purgatory(), work(protocol, lock)
    with lock:
        (thread,) = started(lambda: held.try_complete_else_watch(operation, ["k"]))
        waits = not finished(thread, within_s)
    assert finished(thread)
    return waits


@pytest.mark.parametrize("protocol", BLOCKING)
def test_since_2_7_who_enters_an_operation_may_wait_for_its_lock(protocol):
    assert waits_for_the_lock(protocol, MOMENT_S)


@pytest.mark.parametrize("protocol", TRY_LOCK)
def test_up_to_2_6_it_may_not(protocol):
    assert not waits_for_the_lock(protocol, PATIENCE_S)


# -- what a key stands for


class OneEach(Shard):
    """Lists of one operation each: a key stands for the last one."""

    __slots__ = ()

    def watch(self, key, operation) -> None:
        self.cancel_for_key(key)
        super().watch(key, operation)


def tried(shard: type[Shard] = Shard) -> tuple[list[int], list[int]]:
    """How often two operations with the keys k, and k and l, are tried by an event on k, and by one
    on l.
    """
    held, one, two = purgatory(), work(DelayedOperation), work(DelayedOperation)
    held.shards = (shard(),)
    held.try_complete_else_watch(one, ["k"])
    held.try_complete_else_watch(two, ["k", "l"])
    counts = []
    for key in "kl":
        one.tries = two.tries = 0
        held.check_and_complete(key)
        counts.append([one.tries, two.tries])
    of_k, of_l = counts
    return of_k, of_l


def test_several_operations_wait_under_one_key_and_one_operation_under_several():
    assert tried() == ([1, 1], [0, 1])


def test_that_check_sees_a_purgatory_with_one_operation_a_key():
    assert tried(OneEach) == ([0, 1], [0, 1])
