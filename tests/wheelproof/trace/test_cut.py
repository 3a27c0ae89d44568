"""What lies beyond a footer's cut is no evidence, nor is what follows from it, whatever moment each
of its numbers is of."""

from __future__ import annotations

from pathlib import Path

import pytest

from wheelproof.pipeline import law
from wheelproof.trace.format import jsonl
from wheelproof.trace.format.tally import Tally
from wheelproof.trace.judging import cut as cuts
from wheelproof.trace.judging.verdict import CONFORMS, INCOMPLETE, VACUOUS, VIOLATES

GOLDEN = Path(__file__).parent / "golden"


def read(name):
    reader = jsonl.Reader(GOLDEN / f"{name}.jsonl")
    return reader.header, [event for _, event in reader]


def judged(header, events, limits):
    footer = Tally(header)
    for event in events:
        footer.count(event)
    return law.verdict_on(header, events, footer.footer(cut=limits))


def places(events):
    return sorted(
        {
            (f"{kind} {name}", seq)
            for event in events
            for kind, name, seq, *_ in event.get("ord", ())
        }
    )


def all_cuts(header, events):
    """The verdicts where one token after the other is the first beyond the cut."""
    tally = Tally(header)
    for event in events:
        tally.count(event)
    traces = [(header, events, tally.footer(cut={key: seq - 1})) for key, seq in places(events)]
    return [verdict.verdict for verdict in law.verdicts_on(traces)]


@pytest.mark.daily(4)
@pytest.mark.parametrize("name", ["readd", "expire_two_cancels", "flush_add_cancel", "two_adders"])
def test_no_cut_of_one_token_makes_a_sound_trace_violate(name):
    header, events = read(name)
    assert judged(header, events, {}).verdict == CONFORMS
    verdicts = all_cuts(header, events)
    assert len(verdicts) > 10 and set(verdicts) <= {CONFORMS, INCOMPLETE}


@pytest.mark.daily(3)
@pytest.mark.parametrize("name", ["mutant_M2", "mutant_M8", "mutant_M19"])
def test_what_is_before_the_cut_is_still_refused(name):
    header, events = read(name)
    failed = judged(header, events, {}).first
    last = dict(places(event for event in events if event["lc"] <= failed.event["lc"]))
    found = judged(header, events, last).first
    assert (found.property, found.event) == (failed.property, failed.event)
    token = next(token for token in failed.event["ord"] if token[0] == "L")
    assert judged(header, events, {f"L {token[1]}": token[2] - 1}).verdict != VIOLATES


def within(events, limits):
    """The events before the cut."""
    cut = cuts.Cut(limits)
    return [item for item in events if not (cut and cut.crossed(item[1]))]


def event(tid, lc, *tokens):
    return lc, {"tid": tid, "tseq": lc, "lc": lc, "k": "task_run", "phase": "atomic", "ord": tokens}


def test_readers_are_beyond_only_after_what_is_written_beyond():
    lock = [
        event(1, 1, ("RW", "timer:1", 0, "r")),
        event(2, 2, ("RW", "timer:1", 0, "r"), ("V", "list:7.key", 5, "w")),
        event(3, 3, ("RW", "timer:1", 0, "r")),
        event(4, 4, ("RW", "timer:1", 0, "w")),
        event(5, 5, ("RW", "timer:1", 1, "r")),
        event(3, 6),
        event(6, 7, ("V", "list:7.key", 5, "r")),
        event(7, 8, ("V", "list:7.key", 4, "r")),
    ]
    assert [line for line, _ in within(lock, {"V list:7.key": 4})] == [1, 3, 6, 8]
    assert len(within(lock, {"V list:7.key": 5})) == len(within(lock, None)) == 8


def test_a_trace_in_which_no_rule_has_anything_to_look_at_does_not_conform():
    header, events = read("readd")
    nothing = judged(header, events, dict.fromkeys((key for key, _ in places(events)), 0))
    assert (
        nothing.verdict == VACUOUS
        and nothing.first.property == "Rules"
        and "starts and ends of threads alone" in nothing.first.message
    )
    assert judged(header, events, None).verdict == CONFORMS
