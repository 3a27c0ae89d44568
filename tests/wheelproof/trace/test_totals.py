"""A footer of bounded size: totals of the tokens' classes, by which every loss is noticed, and the
older footer that names each token."""

from __future__ import annotations

import copy
import json
from pathlib import Path

import pytest

from wheelproof.pipeline import law
from wheelproof.trace.format import jsonl, totals
from wheelproof.trace.format.jsonl import Reader
from wheelproof.trace.format.parts import TraceError, footer_of
from wheelproof.trace.format.tally import Tally

GOLDEN = sorted(
    path
    for path in (Path(__file__).parent / "golden").glob("*.jsonl")
    if not path.stem.startswith("mutant_")
)


def read(path):
    reader = Reader(path)
    return reader.header, [event for _, event in reader], reader.footer


def counted(header, events):
    tally = Tally(header)
    for event in events:
        tally.count(event)
    return tally.footer()


def hidden(events, footer):
    """A footer whose counts and ends of threads are those of what is left, so that only the tokens
    can show the loss."""
    threads = {}
    for event in events:
        threads[str(event["tid"])] = max(threads.get(str(event["tid"]), 0), event["tseq"])
    return {**footer, "events": len(events), "per_thread_last_tseq": threads}


def without(events, number):
    """The events but for one, each thread numbered anew: a recorder that has lost it without
    knowing so."""
    out, lost = [], events[number]
    for index, event in enumerate(copy.deepcopy(events)):
        if index != number:
            event["tseq"] -= event["tid"] == lost["tid"] and event["tseq"] > lost["tseq"]
            out.append(event)
    return out


@pytest.mark.daily(3)
@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.stem)
def test_a_lost_event_that_bears_a_token_is_noticed_wherever_it_was_by_the_totals_alone(path):
    header, events, _ = read(path)
    footer = counted(header, events)
    del footer["sha256"]
    bearers = [
        number
        for number, event in enumerate(events)
        if any(len(token) == 4 for token in event.get("ord", ()))
    ]
    assert len(bearers) > 10
    rests = [without(events, number) for number in bearers]
    whole, *verdicts = law.verdicts_on(
        [(header, events, footer), *[(header, rest, hidden(rest, footer)) for rest in rests]]
    )
    assert whole.verdict == "conforms"
    for number, verdict in zip(bearers, verdicts, strict=True):
        assert verdict.verdict != "conforms"
        assert any(
            finding.property == "Footer" and "of the tokens" in finding.message
            for finding in verdict.findings
        ), (number, verdict.findings)


@pytest.mark.daily(3)
@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.stem)
def test_a_file_that_ends_early_is_incomplete_whichever_footer_it_has(path, tmp_path):
    header, events, old = read(path)
    paths = []
    for footer in (old, counted(header, events)):
        footer = {name: value for name, value in footer.items() if name != "sha256"}
        for count in (1, len(events) // 2, len(events) - 1):
            paths.append(tmp_path / f"{len(paths)}.jsonl")
            jsonl.write(paths[-1], header, events[:count], hidden(events[:count], footer))
    for path, verdict in law.verdicts(paths, lambda path: "the table alone judges"):
        assert verdict.verdict == "incomplete", (path, verdict.findings)
        assert any("Footer" == finding.property for finding in verdict.findings)


def test_other_numbers_with_the_same_count_contradict_the_footer():
    header, events, _ = read(GOLDEN[0])
    for what in totals.NAMES[1:]:
        footer = counted(header, events)
        footer["tokens"]["L list"][what] += 1
        verdict = law.verdict_on(header, events, footer)
        assert (
            verdict.verdict == "out-of-model" and f"L list the {what} is" in verdict.first.message
        )


def test_a_footer_that_names_each_token_is_read_still():
    header, events, footer = read(GOLDEN[0])
    assert "per_token_last_seq" in footer and "tokens" not in footer and header["schema_minor"] < 2
    assert law.verdict_on(header, events, footer).verdict == "conforms"
    footer["per_token_last_seq"]["L list:1"] += 1
    assert law.verdict_on(header, events, footer).verdict == "incomplete"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda footer: footer.pop("tokens"), "no lost token is noticed"),
        (lambda footer: footer.update(tokens=[]), "must be an object"),
        (lambda footer: footer["tokens"]["L list"].pop("sum"), "must have count, max, sum"),
        (lambda footer: footer["tokens"]["L list"].update(max=-1), "from 0 on"),
        (lambda footer: footer["tokens"]["L list"].update(count=True), "from 0 on"),
    ],
)
def test_a_footer_without_totals_or_with_wrong_ones_is_refused(change, message):
    footer = counted(*read(GOLDEN[0])[:2])
    footer_of(copy.deepcopy(footer), "x", 1)
    change(footer)
    with pytest.raises(TraceError, match=message):
        footer_of(footer, "x", 1)


def synthetic(entries):
    """Tokens of so many entries, each with a monitor and a word of its own, as a timer's run of
    millions of events has them."""
    found = totals.Totals()
    for entry in range(1, entries + 1):
        found.count(
            (
                ("L", f"entry:{entry}", 1, "w"),
                ("L", f"entry:{entry}", 2, "w"),
                ("V", f"task:{entry}.timerTaskEntry", 1, "w"),
                ("L", "list:1", entry, "w"),
            )
        )
    return found


def test_the_footer_does_not_grow_with_the_number_of_tokens():
    small, large = synthetic(100), synthetic(200_000)
    assert len(json.dumps(large.data())) < len(json.dumps(small.data())) + 50 < 400
    assert large.classes["L entry"] == [400_000, 2, 600_000]
    assert large.classes["L list"] == [200_000, 200_000, 200_000 * 200_001 // 2 % totals.MODULUS]


def test_the_lost_end_of_one_token_of_many_is_noticed():
    whole, lost = synthetic(20_000), synthetic(20_000)
    lost.classes["L entry"] = [lost.classes["L entry"][0] - 1, 2, lost.classes["L entry"][2] - 2]
    assert list(lost.against(whole.data())) == [
        (True, "of the tokens L entry the count is 40000 in the footer, and 39999 here")
    ]
    assert list(whole.against(whole.data())) == []
    assert [more for more, _ in whole.against(lost.data())] == [False]
