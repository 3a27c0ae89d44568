"""The simulated timer keeps the rules: Spark is measured on it, and its runs are changed for
tests."""

import json

import pytest
from pyarrow import parquet as columns

from benchmarks import generate
from benchmarks.simulate import Simulator
from benchmarks.simulated_log import header
from wheelproof.pipeline import law, runs
from wheelproof.trace.format import parquet
from wheelproof.trace.format.tally import Tally
from wheelproof.trace.judging.verdict import CONFORMS, VIOLATES, Verdict


def judged(head: dict, events: list[dict]) -> Verdict:
    tally = Tally(head)
    for event in events:
        tally.count(event)
    return law.verdict_on(head, events, tally.footer())


@pytest.mark.daily(3)
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


class HandsOverTwice(Simulator):
    """Hands over each entry twice."""

    def hand_over(self, tid, entry, held):
        super().hand_over(tid, entry, held)
        return super().hand_over(tid, entry, held)


def test_a_run_that_is_not_sound_is_refused():
    verdict = judged(header("run"), HandsOverTwice(3, 25).run())
    assert verdict.verdict == VIOLATES
    assert "FiredOnce" in {finding.property for finding in verdict.findings}
