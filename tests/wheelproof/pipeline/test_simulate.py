"""The simulated timer is the one that the rules of replay know: what Spark is measured on, and what
is changed for its tests, is sound event by event."""

import json

import pytest
from pyarrow import parquet as columns

from benchmarks import generate
from benchmarks.simulate import Simulator
from benchmarks.simulated_log import REAPER, header
from traces.shrink import renumbered
from wheelproof.pipeline import runs
from wheelproof.trace.format import parquet
from wheelproof.trace.format.tally import Tally
from wheelproof.trace.judging import replay
from wheelproof.trace.judging.verdict import CONFORMS, VIOLATES, Verdict

WATCHING = ("try_watch_begin", "try_watch_end", "watch_add", "watch_cancel")
"""Kinds that the rules of replay do not know."""


def judged(head: dict, events: list[dict]) -> Verdict:
    """What replay says of the events, those of watchers taken out."""
    left = renumbered(
        [
            {name: value for name, value in event.items() if name != "parent"}
            for event in events
            if event["k"] not in WATCHING
        ]
    )
    tally = Tally(head)
    for event in left:
        tally.count(event)
    return replay.replay_events(head, left, tally.footer())


@pytest.mark.parametrize("seed", range(6))
def test_a_simulated_run_is_sound(seed):
    verdict = judged(header("run"), Simulator(seed, 60).run())
    assert (verdict.verdict, verdict.findings) == (CONFORMS, ())
    assert all(
        verdict.applied[name]
        for name in (
            "EveryTimerFires",
            "NotEarly",
            "NoLostCompletion",
            "CompletesOnce",
            "QueuedOnceWithItsKey",
            "SlotInRange",
        )
    )


def test_blocks_one_after_the_other_are_sound(tmp_path):
    generate.write(tmp_path / "run", "run", generate.block(3, 25), 3, 1)
    head = json.loads((tmp_path / "run" / runs.HEADER_FILE).read_text())
    named = columns.read_table(
        tmp_path / "run" / "events" / "part-00000.parquet"
    ).replace_schema_metadata(parquet.schema(head).metadata)
    columns.write_table(named, tmp_path / "named.parquet")
    verdict = judged(head, [event for _, event in parquet.Reader(tmp_path / "named.parquet")])
    assert (verdict.verdict, verdict.findings) == (CONFORMS, ())


class AfterTheFlush(Simulator):
    """Hands over what is due when the flush is over: an entry that falls in between has lost it."""

    def hand_over(self, tid, entry, held):
        if tid != REAPER or not held:
            return super().hand_over(tid, entry, held)
        self.late.append(entry)
        return False

    def advance(self, until):
        self.late = []
        super().advance(until)
        for entry in self.late:
            if self.hand_over(REAPER, entry, ()):
                self.run_task(entry)


def test_a_run_that_is_not_would_be_refused():
    verdict = judged(header("run"), AfterTheFlush(3, 25).run())
    assert (verdict.verdict, verdict.first.property) == (VIOLATES, "EveryTimerFires")
