"""A share group's fetches on real threads: records, acknowledgements, time-outs, a trimmed log."""

from __future__ import annotations

import threading

import pytest

from impl.share_fetch import DONE, FAILED, REFUSED, Batch, ShareFetch, SharePartition

PATIENCE_S = 20


class Behind(SharePartition):
    """Records come whenever a fetch has looked for some, and seen none, with the fetch lock."""

    __slots__ = ()

    def has_free(self) -> bool:
        free = super().has_free()
        if not free and not self.cache:
            self.append(1, 1)
        return free


def in_background(call, *arguments) -> threading.Thread:
    thread = threading.Thread(target=call, args=arguments, daemon=True)
    thread.start()
    return thread


def joined(thread: threading.Thread) -> None:
    thread.join(PATIENCE_S)
    assert not thread.is_alive()


def entered(partition: SharePartition) -> ShareFetch:
    fetch = ShareFetch(partition)
    fetch.enter()
    return fetch


@pytest.fixture
def partition() -> SharePartition:
    """A partition with one batch, which a test's first fetch acquires."""
    return SharePartition((Batch(1, 10),))


def test_a_fetch_gets_a_batch_and_the_next_one_waits_for_records(partition):
    first, second = entered(partition), entered(partition)
    assert first.result == (1, 10) and not second.completed
    partition.append(11, 12)
    assert second.result == (11, 12) and second.completed
    assert partition.watched.size() == 0


def test_a_release_counts_when_it_is_written(partition):
    first, second = entered(partition), entered(partition)
    partition.release(first)
    partition.check()
    assert not second.completed
    partition.end_write(fails=False)
    assert first.reply == DONE and second.result == (1, 10)


def test_records_that_are_accepted_are_gone(partition):
    first, second = entered(partition), entered(partition)
    partition.accept(first)
    partition.end_write(fails=False)
    assert partition.cache == () and not second.completed


def test_a_write_that_fails_gives_the_records_back_to_their_member(partition):
    first, second = entered(partition), entered(partition)
    partition.release(first)
    partition.end_write(fails=True)
    assert first.reply == FAILED and not second.completed
    assert partition.cache[0].is_held(first)


def test_a_write_that_fails_too_late_gives_the_records_to_the_next_member(partition):
    first, second = entered(partition), entered(partition)
    partition.release(first)
    partition.time_out(first)
    assert not second.completed
    partition.end_write(fails=True)
    assert second.result == (1, 10) and partition.cache[0].is_held(second)


def test_a_member_whose_time_is_up_acknowledges_in_vain(partition):
    first, second = entered(partition), entered(partition)
    partition.time_out(first)
    assert second.result == (1, 10)
    partition.release(first)
    assert first.reply == REFUSED and partition.cache[0].is_held(second)
    partition.end_write(fails=False)
    assert partition.cache[0].is_held(second)


def test_a_fetch_whose_time_is_up_is_answered_once(partition):
    first, second = entered(partition), entered(partition)
    second.expire()
    first.expire()
    assert first.result == (1, 10) and second.completed and second.result == ()
    partition.append(11, 12)
    assert second.result == () and partition.cache[1].is_free()


def test_a_fetch_takes_records_at_its_end_if_they_are_there():
    partition = SharePartition()
    fetch = entered(partition)
    partition.fetching.set(other := ShareFetch(partition))
    partition.append(1, 1)
    assert not fetch.completed
    partition.fetching.compare_and_set(other, None)
    fetch.expire()
    assert fetch.result == (1, 1)


def test_the_logs_start_cuts_a_batch_that_is_available(partition):
    partition.trim(5)
    assert entered(partition).result == (5, 10)
    partition.trim(3)
    assert partition.start == 5


@pytest.mark.parametrize("fails", [False, True])
def test_the_logs_start_leaves_a_batch_in_transition_whole(partition, fails):
    first = entered(partition)
    partition.release(first)
    partition.trim(5)
    assert partition.cache == (Batch(1, 10, owner=first, moving=True),)
    partition.end_write(fails)
    if fails:
        assert partition.cache[0].is_held(first)
    else:
        assert entered(partition).result == (5, 10)


def test_a_batch_before_the_logs_start_ends_with_its_time(partition):
    first = entered(partition)
    partition.trim(11)
    partition.time_out(first)
    assert partition.cache == ()


def test_records_that_come_behind_a_look_are_seen_by_the_second_one():
    fetch = entered(Behind())
    assert fetch.result == (1, 1)


@pytest.mark.parametrize("first, last, name", [(0, 1, "first"), (3, 2, "last")])
def test_records_have_offsets_in_their_order(first, last, name):
    with pytest.raises(ValueError, match=f"{name} is"):
        SharePartition().append(first, last)


def test_fetches_members_writes_and_times_side_by_side():
    """Each record is accepted once by its member, and no fetch waits while there are records."""
    partition, count = SharePartition(), 60
    accepted, ended = [], threading.Event()
    begun = threading.Barrier(5)

    def records() -> None:
        begun.wait()
        for offset in range(1, count + 1):
            partition.append(offset, offset)

    def writes() -> None:
        begun.wait()
        turn = 0
        while not ended.is_set():
            turn += 1
            partition.end_write(fails=turn % 3 == 0)

    def member() -> None:
        begun.wait()
        turn = 0
        while len(accepted) < count:
            turn += 1
            fetch = entered(partition)
            while not fetch.completed and len(accepted) < count:
                fetch.expire()
            if fetch.result and turn % 5 == 0:
                partition.time_out(fetch)
            elif fetch.result:
                settle(fetch, release=turn % 4 == 0)

    def settle(fetch: ShareFetch, release: bool) -> None:
        """Acknowledge until that is written."""
        while fetch.reply in (None, FAILED):
            (partition.release if release else partition.accept)(fetch)
            while fetch.reply == "pending":
                pass
        if fetch.reply == DONE and not release:
            accepted.append(fetch.result)

    threads = [in_background(call) for call in (records, member, member, member)]
    writer = in_background(writes)
    for thread in threads:
        joined(thread)
    ended.set()
    joined(writer)
    assert sorted(accepted) == [(offset, offset) for offset in range(1, count + 1)]
    assert partition.cache == () and partition.fetching.get() is None
