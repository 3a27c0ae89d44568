"""The purgatory with the real timer: what waits, what an event ends, and what the timeout ends."""

from __future__ import annotations

import threading

import pytest

from impl.clock import VirtualClock
from impl.delayed_operation import DelayedOperation
from impl.delayed_operation_purgatory import DelayedOperationPurgatory
from impl.system_timer import SystemTimer
from impl.watcher_queue import WatcherQueue
from tests.impl.timing import Inline


class Operation(DelayedOperation):
    """Completes when ``ready``; writes down what was called."""

    __slots__ = ("ready", "calls")

    def __init__(self, delay_ms=100):
        super().__init__(delay_ms)
        self.ready, self.calls = False, []

    def try_complete(self):
        return self.ready and self.force_complete()

    def on_complete(self):
        self.calls.append("complete")

    def on_expiration(self):
        self.calls.append("expire")


def purgatory(**options):
    """A purgatory on a timer whose clock the test moves."""
    clock = VirtualClock()
    timer = SystemTimer(Inline(), 1, 20, 0, clock)
    options = {"reaper_enabled": False} | options
    return DelayedOperationPurgatory("test", timer, **options), timer, clock


def test_an_operation_that_can_complete_is_not_watched():
    held, *_ = purgatory()
    operation = Operation()
    operation.ready = True
    assert held.try_complete_else_watch(operation, ["k"])
    assert operation.calls == ["complete"] and held.watched() == held.num_delayed() == 0


def test_an_event_completes_what_waits_and_cancels_its_timeout():
    held, timer, clock = purgatory()
    operation, other = Operation(), Operation()
    assert not held.try_complete_else_watch(operation, ["k", "l"])
    assert not held.try_complete_else_watch(other, ["l"])
    assert held.watched() == 3 and held.num_delayed() == 2
    assert held.check_and_complete("k") == 0
    operation.ready = True
    assert held.check_and_complete("k") == 1
    assert operation.calls == ["complete"]
    assert held.watched() == 2 and held.num_delayed() == 1, "it is still in the list of l"
    assert held.check_and_complete("l") == 0 and held.watched() == 1
    clock.advance(200)
    while timer.advance_clock(0):
        pass
    assert operation.calls == ["complete"] and other.calls == ["complete", "expire"]


def test_a_key_without_a_list_is_checked_for_nothing():
    assert purgatory()[0].check_and_complete("k") == 0


def test_a_cancelled_key_gives_its_operations_back():
    held, *_ = purgatory()
    operation = Operation()
    held.try_complete_else_watch(operation, ["k", "l"])
    assert held.cancel_for_key("k") == [operation] and held.cancel_for_key("k") == []
    assert not operation.completed.get() and held.num_delayed() == 0 and held.watched() == 1


@pytest.mark.parametrize("interval, left", [(0, 0), (1, 1)])
def test_a_purge_drops_what_is_completed_if_there_is_more_than_the_interval(interval, left):
    held, *_ = purgatory(purge_interval=interval)
    operation = Operation()
    held.try_complete_else_watch(operation, ["k"])
    operation.force_complete()
    held.purge()
    assert held.watched() == left


def test_an_operation_without_a_key_is_refused():
    with pytest.raises(ValueError, match="keys is empty"):
        purgatory()[0].try_complete_else_watch(Operation(), [])


def test_a_queue_gives_one_operation_at_a_time():
    queue = WatcherQueue()
    assert queue.after(0) is None
    for each in "abcd":
        queue.add(each)
    assert [queue.after(place) for place in (0, 1, 4)] == [(1, "a"), (2, "b"), None]
    for place in (2, 2, 3):
        queue.discard(place)
    assert [queue.after(place) for place in (1, 2, 3)] == [(4, "d")] * 3
    queue.discard(4)
    assert [queue.after(place) for place in (1, 2, 3, 4)] == [None] * 4
    queue.add("e")
    assert [queue.after(place) for place in (1, 2, 4)] == [(5, "e")] * 3
    queue.discard(1)
    assert queue.after(0) == (5, "e") and queue.size() == 1


def test_what_on_complete_enters_behind_the_last_operation_is_not_tried():
    """As in Kafka: the iterator looks for the next operation before the last one is tried."""
    held, _, _ = purgatory()
    late = Operation()

    class Enters(Operation):
        __slots__ = ()

        def on_complete(self):
            super().on_complete()
            held.try_complete_else_watch(late, ["k"])
            late.ready = True

    first = Enters()
    held.try_complete_else_watch(first, ["k"])
    first.ready = True
    assert held.check_and_complete("k") == 1 and not late.calls and held.watched() == 1
    assert held.check_and_complete("k") == 1 and late.calls == ["complete"]


def test_threads_complete_each_operation_once():
    held, timer, clock = purgatory(shards=4)
    operations = [Operation(60_000) for _ in range(400)]

    def enter(part):
        for number in range(part, 400, 2):
            held.try_complete_else_watch(operations[number], [number % 7, 10 + number % 3])

    def bring(part):
        for number in range(part, 400, 2):
            operations[number].ready = True
            held.check_and_complete(number % 7)
            held.check_and_complete(10 + number % 3)

    threads = [threading.Thread(target=work, args=(p,)) for p in (0, 1) for work in (enter, bring)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(operation.calls == ["complete"] for operation in operations)
    for key in (*range(7), *range(10, 13)):
        held.check_and_complete(key)
    assert held.watched() == 0
    assert all(operation.timer_task_entry is None for operation in operations)
    # an entry that was cancelled while it was linked stays in its bucket until that expires
    clock.advance(61_000)
    while timer.advance_clock(0):
        pass
    assert held.num_delayed() == 0
    assert all(operation.calls == ["complete"] for operation in operations)
    assert all(not shard.watchers_by_key.lists for shard in held.shards)
