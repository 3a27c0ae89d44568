"""The broker in memory, request by request, and with threads of its own."""

from __future__ import annotations

import threading

import pytest

from impl.broker.delayed_fetch import DelayedFetch, Fetched, FetchPartition
from impl.broker.delayed_produce import Appended, DelayedProduce
from impl.broker.partition import Error, Partition, TopicPartition
from impl.broker.replica_manager import ReplicaManager
from impl.broker.virtual_time import VirtualTime
from tests.impl.real_threads import HOUR_MS, PATIENCE_S, until

A, B, GONE = TopicPartition("a", 0), TopicPartition("b", 1), TopicPartition("gone", 0)


class Broker:
    """A broker in virtual time, and the answers with their times."""

    def __init__(self, min_isr=1):
        self.time, self.answers = VirtualTime(), []
        partitions = [Partition(name, [2, 3], min_isr) for name in (A, B)]
        self.of = ReplicaManager(partitions, self.time.timer, reaper=False)

    def answer(self, result):
        self.answers.append((self.time.now_ms(), result))

    def replicate(self, name, offset):
        for follower in (2, 3):
            self.of.follower_fetched(name, follower, offset)


@pytest.fixture
def broker():
    return Broker()


def test_a_topic_partition_is_a_key_and_has_a_name():
    assert str(A) == "a-0" and hash(A) == hash(TopicPartition("a", 0))


def test_with_one_ack_a_produce_is_answered_at_once(broker):
    broker.of.append(50, 1, {A: [5, 5], GONE: [1]}, broker.answer)
    assert broker.answers == [
        (0, {A: Appended(Error.NONE, 2), GONE: Appended(Error.UNKNOWN_TOPIC_OR_PARTITION, -1)})
    ]


def test_with_all_acks_it_waits_for_every_partition(broker):
    broker.of.append(50, -1, {A: [5], B: [5, 5], GONE: [1]}, broker.answer)
    broker.time.advance(10)
    broker.replicate(A, 1)
    broker.of.follower_fetched(B, 2, 2)
    assert broker.answers == []
    broker.of.follower_fetched(B, 3, 2)
    ((now, answer),) = broker.answers
    assert now == 10 and answer[A] == Appended(Error.NONE, 1)
    assert answer[B] == Appended(Error.NONE, 2)
    assert answer[GONE].error is Error.UNKNOWN_TOPIC_OR_PARTITION


def test_at_the_timeout_each_partition_has_its_own_error(broker):
    broker.of.append(50, -1, {A: [5], B: [5]}, broker.answer)
    broker.replicate(A, 1)
    broker.time.advance(49)
    assert broker.answers == []
    broker.time.advance(1)
    ((now, answer),) = broker.answers
    assert (now, answer[A].error, answer[B].error) == (50, Error.NONE, Error.REQUEST_TIMED_OUT)


def noted(kind):
    """A class of operations, and all that are made of it."""
    made = []

    class Noted(kind):
        __slots__ = ()

        def __init__(self, *arguments):
            super().__init__(*arguments)
            made.append(self)

    return Noted, made


def test_an_operation_keeps_what_its_timeout_has_ended(broker):
    broker.of.produce_class, produced = noted(DelayedProduce)
    broker.of.fetch_class, fetched = noted(DelayedFetch)
    broker.of.append(50, -1, {A: [5], B: [5]}, broker.answer)
    broker.of.append(50, -1, {A: [5]}, broker.answer)
    broker.of.fetch(50, 1, {B: FetchPartition(0)}, broker.answer)
    broker.of.fetch(50, 1, {A: FetchPartition(0)}, broker.answer)
    broker.replicate(A, 2)
    broker.time.advance(50)
    assert [each.expired for each in produced] == [(B,), ()]
    assert [each.expired for each in fetched] == [True, False]


def test_a_partition_that_is_gone_ends_what_waits_for_it(broker):
    broker.of.append(HOUR_MS, 1, {A: [1] * 4}, lambda answer: None)
    broker.replicate(A, 4)
    broker.of.delete_records(50, {A: 3}, broker.answer)
    broker.of.append(50, -1, {A: [1]}, broker.answer)
    broker.of.fetch(50, 1, {A: FetchPartition(4)}, broker.answer)
    assert broker.answers == []
    del broker.of.partitions[A]
    for purgatory in broker.of.purgatories.values():
        purgatory.check_and_complete(A)
    errors = [answer[A].error for _, answer in broker.answers]
    assert errors == [Error.UNKNOWN_TOPIC_OR_PARTITION] * 3


def test_too_few_replicas_in_sync_are_an_error_before_and_after_the_append():
    broker = Broker(min_isr=3)
    broker.of.append(50, -1, {A: [5]}, broker.answer)
    broker.of.follower_fetched(A, 2, 1)
    broker.of.shrink_isr(A, 3)
    assert broker.answers[0][1][A].error is Error.NOT_ENOUGH_REPLICAS_AFTER_APPEND
    broker.of.append(50, -1, {A: [5]}, broker.answer)
    assert broker.answers[1][1][A].error is Error.NOT_ENOUGH_REPLICAS


def test_a_change_of_leader_ends_produce_and_fetch(broker):
    broker.of.append(50, -1, {A: [5]}, broker.answer)
    broker.of.fetch(50, 1, {A: FetchPartition(0)}, broker.answer)
    broker.of.become_follower(A, 1, 0)
    errors = [answer[A].error for _, answer in broker.answers]
    assert errors == [Error.NOT_LEADER_OR_FOLLOWER] * 2


def test_a_consumer_waits_for_the_high_watermark_and_a_follower_does_not(broker):
    broker.of.append(HOUR_MS, 1, {A: [5, 6]}, lambda answer: None)
    broker.of.fetch(50, 11, {A: FetchPartition(0)}, broker.answer)
    assert broker.answers == []
    broker.of.fetch(50, 11, {A: FetchPartition(0)}, broker.answer, follower=2)
    assert broker.answers.pop() == (0, {A: Fetched(Error.NONE, 0, (5, 6))})
    broker.replicate(A, 2)
    assert broker.answers == [(0, {A: Fetched(Error.NONE, 2, (5, 6))})]


def test_a_fetch_of_too_little_is_answered_at_its_timeout_with_what_there_is(broker):
    broker.of.append(HOUR_MS, 1, {A: [5, 6]}, lambda answer: None)
    broker.of.fetch(50, 12, {A: FetchPartition(0)}, broker.answer)
    broker.replicate(A, 2)
    broker.time.advance(50)
    assert broker.answers == [(50, {A: Fetched(Error.NONE, 2, (5, 6))})]


def test_a_fetch_reads_no_more_than_it_wants_but_one_record(broker):
    broker.of.append(HOUR_MS, 1, {A: [5, 6, 7]}, lambda answer: None)
    broker.replicate(A, 3)
    for most, sizes in ((4, (5,)), (11, (5, 6)), (17, (5, 6))):
        broker.of.fetch(50, 1, {A: FetchPartition(0, most=most)}, broker.answer)
        assert broker.answers[-1][1][A].sizes == sizes


@pytest.mark.parametrize(
    ("wanted", "error"),
    [
        (FetchPartition(5), Error.OFFSET_OUT_OF_RANGE),
        (FetchPartition(0, epoch=0), Error.FENCED_LEADER_EPOCH),
        (FetchPartition(0, epoch=9), Error.UNKNOWN_LEADER_EPOCH),
    ],
)
def test_a_fetch_that_cannot_be_served_is_answered_at_once(broker, wanted, error):
    broker.of.become_leader(A, 4)
    broker.of.fetch(50, 1, {A: wanted}, broker.answer)
    assert broker.answers[0][1][A].error is error


def test_a_follower_with_another_log_learns_where_it_parts(broker):
    broker.of.append(HOUR_MS, 1, {A: [1, 1, 1]}, lambda answer: None)
    broker.of.become_leader(A, 2)
    broker.of.append(HOUR_MS, 1, {A: [1, 1, 1]}, lambda answer: None)
    wanted = FetchPartition(5, epoch=2, last_epoch=0)
    broker.of.fetch(50, 9, {A: wanted}, broker.answer, follower=2)
    assert broker.answers == [(0, {A: Fetched(Error.NONE, 0, (), 3)})]


def test_records_are_deleted_when_all_replicas_have_deleted_them(broker):
    broker.of.append(HOUR_MS, 1, {A: [1] * 4}, lambda answer: None)
    broker.replicate(A, 4)
    broker.of.delete_records(50, {A: 3, B: 7}, broker.answer)
    broker.of.follower_fetched(A, 2, 4, start=3)
    assert broker.answers == []
    broker.of.follower_fetched(A, 3, 4, start=3)
    ((_, answer),) = broker.answers
    assert answer[A] == (Error.NONE, 3) and answer[B].error is Error.OFFSET_OUT_OF_RANGE


def test_an_election_is_answered_when_the_metadata_name_the_leader(broker):
    broker.of.elect_leaders(50, {A: 2, B: 3, GONE: 1}, broker.answer)
    broker.of.metadata(A, 2)
    broker.of.metadata(B, 2)
    broker.time.advance(50)
    assert broker.answers == [
        (
            50,
            {
                A: Error.NONE,
                B: Error.REQUEST_TIMED_OUT,
                GONE: Error.UNKNOWN_TOPIC_OR_PARTITION,
            },
        )
    ]


def test_with_threads_and_real_time_every_request_is_answered_once():
    broker = ReplicaManager([Partition(A, [2])])
    answers, lock = [], threading.Lock()

    def note(result):
        with lock:
            answers.append(result[A].error)

    def produce():
        for _ in range(100):
            broker.append(5, -1, {A: [1]}, note)

    def replicate():
        for _ in range(100):
            broker.follower_fetched(A, 2, broker.view(A).end)

    threads = [threading.Thread(target=each) for each in (produce, replicate, produce, replicate)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE_S)
    assert until(lambda: len(answers) == 200)
    broker.shutdown()
    assert len(answers) == 200 and {*answers} <= {Error.NONE, Error.REQUEST_TIMED_OUT}
