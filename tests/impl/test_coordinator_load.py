"""A coordinator's load on real threads: whose load counts, the high watermark, the writes."""

from __future__ import annotations

import threading

import pytest

from impl.coordinator_load import (
    ACTIVE,
    ANSWERED,
    FAILED,
    LOADING,
    REFUSED,
    CoordinatorRuntime,
    Loader,
    Log,
    Write,
)

PATIENCE_S = 20


class Partition:
    """A partition whose log ends at ``end``, with its coordinator."""

    def __init__(self, end: int = 3, high_watermark: int = 3, loader: type = Loader) -> None:
        self.log = Log(end, high_watermark)
        self.loader = loader(self.log)
        self.coordinator = CoordinatorRuntime(self.log, self.loader)

    @property
    def state(self) -> str | None:
        context = self.coordinator.current
        return context and context.state


class LateEvent(Loader):
    """A follower fetches when a load has read the high watermark, and before its event."""

    __slots__ = ()

    def read(self, context) -> None:
        super().read(context)
        self.log.fetched()


@pytest.fixture
def partition() -> Partition:
    return Partition()


def in_background(call, *arguments) -> threading.Thread:
    thread = threading.Thread(target=call, args=arguments, daemon=True)
    thread.start()
    return thread


def joined(thread: threading.Thread) -> None:
    thread.join(PATIENCE_S)
    assert not thread.is_alive()


def test_a_coordinator_serves_when_its_load_has_ended(partition):
    partition.coordinator.lead(1)
    assert partition.state == LOADING
    assert partition.coordinator.write(Write()) == REFUSED
    partition.loader.load()
    assert partition.state == ACTIVE and partition.coordinator.current.applied == 3
    assert partition.coordinator.write(Write()) == ANSWERED


def test_a_load_of_an_earlier_leadership_counts_for_nothing(partition):
    partition.coordinator.lead(1)
    partition.coordinator.follow(2)
    partition.coordinator.lead(3)
    partition.loader.load()
    assert partition.state == LOADING and partition.coordinator.current.applied == 0
    partition.loader.load()
    assert partition.state == ACTIVE and partition.coordinator.current.epoch == 3


def test_a_load_that_fails_fails_its_own_context_alone(partition):
    partition.coordinator.lead(1)
    partition.log.leads = False
    partition.loader.load()
    assert partition.state == FAILED and partition.log.listener is None
    partition.coordinator.follow(2)
    partition.coordinator.lead(3)
    partition.loader.load()
    assert partition.state == ACTIVE


def test_a_later_epoch_without_an_unload_goes_on_with_the_load(partition):
    partition.coordinator.lead(1)
    partition.coordinator.lead(2)
    partition.coordinator.resign(2)
    partition.loader.load()
    assert partition.state == ACTIVE and not partition.loader.loads


@pytest.mark.parametrize("rises", ["before the load", "between load and event", "afterwards"])
def test_no_high_watermark_is_missed(rises):
    loader = LateEvent if rises == "between load and event" else Loader
    partition = Partition(end=3, high_watermark=2, loader=loader)
    partition.coordinator.lead(1)
    if rises == "before the load":
        partition.log.fetched()
    partition.loader.load()
    if rises == "afterwards":
        partition.log.fetched()
    assert partition.state == ACTIVE and partition.coordinator.current.committed == 3


def test_a_write_waits_for_the_high_watermark():
    partition = Partition(end=3, high_watermark=2)
    partition.coordinator.lead(1)
    partition.loader.load()
    write = Write()
    client = in_background(partition.coordinator.write, write)
    partition.log.fetched()
    joined(client)
    assert write.result == ANSWERED


def test_a_write_that_waits_is_refused_by_an_unload():
    partition = Partition(end=3, high_watermark=2)
    partition.coordinator.lead(1)
    partition.loader.load()
    write = Write()
    client = in_background(partition.coordinator.write, write)
    partition.coordinator.follow(2)
    joined(client)
    assert write.result == REFUSED and partition.state is None


def test_leaderships_loads_and_writes_side_by_side():
    """At last the newest leadership serves, and each write has its reply."""
    partition = Partition(end=200, high_watermark=0)
    begun, writes = threading.Barrier(4), [Write() for _ in range(200)]

    def leaderships() -> None:
        begun.wait()
        for epoch in range(1, 60, 2):
            partition.coordinator.lead(epoch)
            partition.coordinator.follow(epoch + 1)
        partition.coordinator.lead(61)

    def loads() -> None:
        begun.wait()
        for _ in range(2_000):
            partition.loader.load()

    def fetches() -> None:
        begun.wait()
        for _ in range(200):
            partition.log.fetched()

    def clients() -> None:
        begun.wait()
        for write in writes:
            partition.coordinator.write(write)

    threads = [in_background(call) for call in (leaderships, loads, fetches, clients)]
    for thread in threads:
        joined(thread)
    while partition.loader.loads:
        partition.loader.load()
    context = partition.coordinator.current
    assert context.state == ACTIVE and context.epoch == 61
    assert context.applied == context.committed == 200
    assert {write.result for write in writes} <= {ANSWERED, REFUSED}
