"""Replay on golden traces, and on golden traces with one event damaged: every damage is seen, or
shown to change nothing."""

from __future__ import annotations

import copy
import json
from collections import Counter
from pathlib import Path

import pytest

from wheelproof.pipeline import law
from wheelproof.trace.format import jsonl
from wheelproof.trace.format.schema import NUMBERED
from wheelproof.trace.format.tally import Tally, line_of
from wheelproof.trace.judging import replay
from wheelproof.trace.judging.verdict import CONFORMS, INCOMPLETE, OUT_OF_MODEL, VIOLATES

GOLDEN = Path(__file__).parent / "golden"
FIRST = {
    "FlushWithoutMonitor": "StepFollows",
    "M1": "ExactlyItsList",
    "M2": "AtMostOneList",
    "M3": "AtMostOneList",
    "M4": "BracketCloses",
    "M8": "CheckedLive",
    "M9": "CheckBeforeHandOver",
    "M19": "ExactlyItsList",
    "M19_underflow": "ExactlyItsList",
}
"""Mutant -> the rule that its golden trace breaks first."""
CONFORMING = sorted(path for path in GOLDEN.glob("*.jsonl") if not path.stem.startswith("mutant_"))


@pytest.mark.daily(2)
@pytest.mark.parametrize("path", CONFORMING, ids=lambda path: path.stem)
def test_a_golden_trace_of_the_implementation_conforms(path):
    verdict = law.of_file(path)
    assert (verdict.verdict, verdict.findings) == (CONFORMS, ())
    assert verdict.events > 10 and verdict.applied["ExactlyItsList"] > 0


@pytest.mark.daily(4)
@pytest.mark.parametrize("path", sorted(GOLDEN.glob("mutant_*.jsonl")), ids=lambda path: path.stem)
def test_a_golden_trace_of_a_mutant_is_refused_by_its_rule_at_its_line(path):
    verdict = law.of_file(path)
    assert verdict.verdict == VIOLATES
    assert verdict.first.property == FIRST[path.stem.removeprefix("mutant_")]
    if verdict.first.line == 0:  # a bracket that no event closes
        assert path.stem == "mutant_M4"
        return
    lines = path.read_bytes().splitlines(keepends=True)
    assert lines[verdict.first.line - 1] == line_of(verdict.first.event)


# -- damage: each event of each conforming trace, dropped, doubled, swapped, retargeted, retimed


def read(path):
    reader = jsonl.Reader(path)
    return reader.header, [event for _, event in reader], reader.footer


def renumbered(events):
    """The same events with numbers of their own, as a recorder would have given them that did not
    see what is gone, or saw what is new."""
    threads, tokens, out = Counter(), Counter(), []
    for lc, event in enumerate(events, 1):
        event = copy.deepcopy(event)
        threads[event["tid"]] += 1
        event |= {"tseq": threads[event["tid"]], "lc": lc}
        for column in NUMBERED:
            event.pop(column, None)
        if "ord" in event:
            renewed = []
            for kind, name, _, mode in event["ord"]:
                tokens[kind, name] += kind == "L" or kind == "V" and mode in ("w", "cas+")
                renewed.append((kind, name, tokens[kind, name], mode))
            event["ord"] = tuple(renewed)
            kind, name, _, mode = renewed[-1]
            tokens[kind, name] += (
                kind == "RW" and mode == "w" and event["k"] in ("lock_release", "rw_release")
            )  # a write hold is over
        out.append(event)
    return out


def footer_of(header, events):
    tally = Tally(header)
    for event in events:
        tally.count(event)
    return tally.footer()


def judged(header, events):
    return law.verdict_on(header, events, footer_of(header, events))


def damages(events):
    """(what was done, the events after it), with numbers that hide it as well as they can."""
    ids = {
        column: sorted({event[column] for event in events if column in event})
        for column in ("entry", "list", "task")
    }
    for number, event in enumerate(events):
        kind, place = event["k"], event["lc"]
        yield f"drop {kind}@{place}", events[:number] + events[number + 1 :]
        yield f"duplicate {kind}@{place}", events[: number + 1] + events[number:]
        later = next(
            (n for n in range(number + 1, len(events)) if events[n]["tid"] == event["tid"]), None
        )
        if later is not None:
            swapped = list(events)
            swapped[number], swapped[later] = swapped[later], swapped[number]
            yield f"swap {kind}@{place} {events[later]['k']}", swapped
        for column, known in ids.items():
            for other in known:
                if column in event and other != event[column]:
                    moved = dict(event, **{column: other})
                    yield (
                        f"retarget {kind}@{place} {column}",
                        [*events[:number], moved, *events[number + 1 :]],
                    )


HARMLESS = ("lock_acquire", "lock_release", "lock_wait")
"""A lock's events change no list, task or counter. Dropped, doubled or moved they are seen by their
numbers, which this test repairs."""


@pytest.mark.daily(3)
@pytest.mark.parametrize("path", CONFORMING, ids=lambda path: path.stem)
def test_no_damage_is_taken_for_the_original(path):
    """With the numbers as they were recorded every damage is seen, whatever the event."""
    header, events, footer = read(path)
    verdicts = law.verdicts_on([(header, damaged, footer) for _, damaged in damages(events)])
    for (what, damaged), verdict in zip(damages(events), verdicts, strict=True):
        assert verdict.verdict != CONFORMS or what.startswith(("swap", "retarget")), what
        tally = Tally(header)
        for event in damaged:
            tally.count(event)
        if damaged != events:
            assert tally.sha256 != footer["sha256"], what


@pytest.mark.daily(4)
@pytest.mark.parametrize("path", CONFORMING, ids=lambda path: path.stem)
def test_damage_that_is_hidden_by_new_numbers_is_seen_by_the_rules(path):
    """The rules alone, without numbers that give the damage away: what survives is listed here,
    each with the reason."""
    header, events, _ = read(path)
    assert judged(header, renumbered(events)).verdict == CONFORMS
    changed = [
        (what, renumbered(damaged))
        for what, damaged in damages(events)
        if what.split()[1].split("@")[0] not in HARMLESS
    ]
    verdicts = law.verdicts_on([(header, after, footer_of(header, after)) for _, after in changed])
    survived = [
        what
        for (what, _), verdict in zip(changed, verdicts, strict=True)
        if verdict.verdict == CONFORMS
    ]
    unexplained = [what for what in survived if not explained(what)]
    assert len(changed) > 10 and not unexplained, unexplained


def explained(what: str) -> bool:
    """Why a damage that survives is another run of the model, not an unseen fault."""
    action, kind, *rest = what.replace("@", " ").split()
    return (
        # a second look reads the same; a look that leads to nothing need not have been taken
        (kind == "cancel_check" and action in ("duplicate", "drop", "swap"))
        # the token of the counter orders it, and no other thread moved
        or (action == "swap" and rest[-1] in (*HARMLESS, "cancel_check"))
        # the flush of an empty list is over before it begins; its bracket has a number of its own
        or (kind == "flush_begin" and action == "swap")
        # the last link of an entry: what is left is a thread that takes the monitors, finds nothing
        # to remove and lets go
        or (kind == "list_add" and action == "drop")
        # a task that is cancelled once more; a cancel after which no thread looks
        or (kind == "cancel" and action in ("duplicate", "drop"))
    )


def test_a_kind_that_is_not_of_the_format_is_named():
    header, events, _ = read(CONFORMING[0])
    strange = {"tid": 9, "tseq": 1, "lc": 99, "k": "warp", "phase": "atomic", "op": 5, "key": 6}
    verdict = judged(header, [*events, strange])
    assert verdict.verdict == OUT_OF_MODEL and "no warp" in verdict.first.message


def test_without_order_tokens_nothing_follows():
    header, events, _ = read(GOLDEN / "two_adders.jsonl")
    bare = [
        {name: value for name, value in event.items() if name != "ord"}
        for event in events
        if event["k"] in ("list_add", "list_remove")
    ]
    assert judged(header, renumbered(bare)).verdict == INCOMPLETE
    spread = [
        dict(event, ord=tuple((*token, token[2] + 1) for token in event["ord"])) for event in events
    ]
    assert law.verdict_on(header, spread, None).verdict == INCOMPLETE


def test_the_order_of_the_lines_does_not_matter(tmp_path):
    header, events, footer = read(GOLDEN / "readd.jsonl")
    footer = {name: value for name, value in footer.items() if name != "sha256"}
    jsonl.write(tmp_path / "reversed.jsonl", header, reversed(events), footer)
    assert law.of_file(tmp_path / "reversed.jsonl").verdict == CONFORMS


def test_a_file_far_out_of_order_is_sorted_as_a_whole(tmp_path, monkeypatch):
    monkeypatch.setattr(replay, "BUFFER", 3)
    test_the_order_of_the_lines_does_not_matter(tmp_path)


def test_what_lies_beyond_the_cut_is_no_evidence(tmp_path):
    """A recording that was switched off thread by thread: the last events of some are there, those
    of others are not."""
    header, events, _ = read(GOLDEN / "two_adders.jsonl")
    adds = [number for number, event in enumerate(events) if event["k"] == "list_add"]
    lost = renumbered(
        [event for number, event in enumerate(events) if number != adds[0]]
    )  # a link that was not recorded ...
    faulty = next(event for event in lost if event["k"] == "list_remove")
    tally = Tally(header)
    for event in lost:
        tally.count(event)
    assert law.verdict_on(header, lost, tally.footer()).verdict == VIOLATES
    entry = next(token for token in faulty["ord"] if token[1].startswith("entry:"))
    cut = {
        f"L {entry[1]}": entry[2] - 2
    }  # ... and its removal lie beyond what is known to be whole
    assert law.verdict_on(header, lost, tally.footer(cut=cut)).verdict == CONFORMS
    jsonl.write(tmp_path / "cut.jsonl", header, lost, cut=cut)
    assert law.of_file(tmp_path / "cut.jsonl").verdict == CONFORMS
    jsonl.write(tmp_path / "late.jsonl", header, lost, cut={f"L {entry[1]}": entry[2]})
    assert law.of_file(tmp_path / "late.jsonl").verdict == VIOLATES


def test_another_spelling_of_the_same_lines_has_the_same_hash(tmp_path):
    lines = [
        json.dumps(json.loads(line), indent=None)
        for line in (GOLDEN / "readd.jsonl").read_text().splitlines()
    ]
    (tmp_path / "spaced.jsonl").write_text("\n".join(lines) + "\n")
    assert lines[1] != (GOLDEN / "readd.jsonl").read_text().splitlines()[1]
    assert law.of_file(tmp_path / "spaced.jsonl").verdict == CONFORMS
