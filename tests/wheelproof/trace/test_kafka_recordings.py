"""Recordings of Apache Kafka's released classes (4.3.0), made by an agent that knows nothing of
these rules: sound ones conform, and D1 is named."""

from __future__ import annotations

from pathlib import Path

import pytest

from wheelproof.pipeline import law
from wheelproof.trace.format import jsonl

FOLDER = Path(__file__).parent / "kafka"
SOUND = ("timer", "purgatory", "in_time")


@pytest.mark.daily(2)
@pytest.mark.parametrize("name", SOUND)
def test_a_sound_run_of_kafka_conforms(name):
    verdict = law.of_file(FOLDER / f"{name}.jsonl.gz")
    assert (verdict.verdict, verdict.findings) == ("conforms", ())
    assert (
        verdict.events > 100
        and verdict.applied["KeyBeforeDeadline"]
        and verdict.applied["HandedOverRuns"]
    )


def test_an_operation_of_kafka_is_watched_and_tried_twice():
    """What Kafka does by itself: each operation that is left is watched by two keys, and each of
    its two attempts is recorded."""
    events = [event for _, event in jsonl.Reader(FOLDER / "purgatory.jsonl.gz")]
    left = [
        event["op"] for event in events if event["k"] == "try_watch_end" and event["res"] == "false"
    ]
    assert len(left) > 2 and all(
        sum(event["k"] == "watch_add" and event["op"] == op for event in events) == 2 for op in left
    )
    verdict = law.of_file(FOLDER / "purgatory.jsonl.gz")
    assert verdict.applied["WatcherReachable"] > 2 and verdict.applied["WatchedOnce"] > 4


def test_a_run_of_kafka_whose_bucket_is_given_another_key_is_rejected_by_name():
    """D1: a stalled add moves the key of a bucket that is queued, and an entry fires 371 ms
    late."""
    verdict = law.of_file(FOLDER / "late.jsonl.gz")
    assert verdict.verdict == "violates"
    assert [finding.property for finding in verdict.findings if finding.event] == [
        "QueuedOnceWithItsKey",
        "KeyBeforeDeadline",
        "QueuedOnceWithItsKey",
    ]
