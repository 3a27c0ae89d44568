"""What the command prints of a report: which runs it names, and a run that other
rules find sound. No Spark: the report is at hand."""

import json
from pathlib import Path

import pytest

from wheelproof.pipeline import command, quarantine, runs
from wheelproof.trace.format import jsonl
from wheelproof.trace.format.parts import TraceError
from wheelproof.trace.format.tally import header_line, line_of

RULE = {
    "family": "tokens",
    "says": "",
    "unit": "token",
    "applied": 3,
    "broken": 1,
    "verdict": "violated",
}


def printed(violations, explanations=()):
    document = {
        "runs": [],
        "rules": {"TokenOnce": RULE},
        "violations": violations,
        "violated": len(violations),
        "explanations": explanations,
        "quarantine": [],
        "quarantined": 0,
    }
    return command._violations(document)


def test_a_violation_names_its_place_its_thread_and_its_things():
    lines = printed(
        [
            {
                "rule": "TokenOnce",
                "file": "a.jsonl",
                "line": 7,
                "tid": 2,
                "tseq": 5,
                "token": "L list:1",
                "detail": "w 1 at lc 2 after 1 at lc 2",
                "trusted": True,
            },
            {"rule": "CompletesOnce", "op": 9, "detail": "no end", "trusted": False},
            {"rule": "TokenEnd", "detail": "ends early", "trusted": True},
        ]
    )
    assert lines == [
        "a.jsonl:7: TokenOnce: w 1 at lc 2 after 1 at lc 2 (thread 2, token L list:1)",
        "CompletesOnce: no end (op 9) [events are missing: only a sign of that]",
        "TokenEnd: ends early",
    ]


def test_one_rule_that_is_broken_all_over_hides_no_other():
    many = [
        {"run_id": run, "rule": rule, "detail": f"{run} {rule} {at}", "trusted": True}
        for run, rule, count in (
            ("a", "CounterExact", 500),
            ("a", "TokenOnce", 2),
            ("b", "CounterExact", 30),
        )
        for at in range(count)
    ]
    *lines, more = printed(many)
    shown = [line.partition(": ")[2] for line in lines]
    assert len(shown) == command.SHOWN and more == f"({532 - command.SHOWN} more)"
    assert [name.rpartition(" ")[0] for name in shown] == ["a CounterExact"] * 9 + [
        "a TokenOnce"
    ] * 2 + ["b CounterExact"] * 9
    assert shown == sorted(shown, key=[each["detail"] for each in many].index) and len(
        set(shown)
    ) == len(shown)
    assert printed(many[:3]) == [
        "CounterExact: a CounterExact 0",
        "CounterExact: a CounterExact 1",
        "CounterExact: a CounterExact 2",
    ]


@pytest.mark.parametrize(
    ("explanation", "lines"),
    [
        (
            {
                "property": "CheckedLive",
                "message": "a check",
                "shrunk": ["line 2: a: list_add(e7)"],
            },
            ["r: CheckedLive: a check", "    line 2: a: list_add(e7)"],
        ),
        (
            {"not_shrunk": "x.jsonl:4: field k: is missing."},
            ["r: not shrunk: x.jsonl:4: field k: is missing."],
        ),
    ],
)
def test_explanation_of_a_run_is_reported_with_its_events(explanation, lines):
    assert printed([], [{"run": "r", "path": "x.jsonl", **explanation}]) == lines


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "the line is empty"),
        ('{"tid":' + "9" * 5_000 + "}", "too many digits"),
        ('{"tid":NaN}', "NaN is no number here"),
        ("[1]", "no JSON object but [1]"),
        ('{"a":' * 200_000, "nested too deeply"),
        ('{"tid":1,"tseq":1,"lc":1,"k":"warp","phase":"atomic"}', "'warp' is no kind"),
        (
            '{"tid":1,"tseq":1,"lc":3.0,"k":"task_run","phase":"atomic"}',
            "field lc: must be an integer of 64 bits, not 3.0",
        ),
        ('{"tid":1,"tseq":1,"lc":1,"k":"task_run","phase":"atomic"}', ""),
    ],
)
def test_a_quarantined_line_has_the_reason_of_the_reader_of_single_traces(text, message):
    found = quarantine.reason_of_line(text, Path("x.jsonl"), 4)
    assert (
        message in found
        and bool(message) == bool(found)
        and "sys." not in found
        and not found.startswith("x.jsonl")
    )


@pytest.mark.parametrize(("cut", "problems"), [(None, 0), ({}, 0), ({"L list:1": 2}, 1)])
def test_a_run_that_was_cut_is_not_taken_for_whole_evidence(tmp_path, cut, problems):
    reader = jsonl.Reader(Path(__file__).parents[1] / "trace/golden/readd.jsonl")
    jsonl.write(tmp_path / "run.jsonl", reader.header, [event for _, event in reader], cut=cut)
    first, *_, last = (tmp_path / "run.jsonl").read_text().splitlines()
    found = runs.gather(runs.find([tmp_path]), {0: [("header", 1, first), ("footer", 34, last)]})
    assert len(found[0].problems) == problems and all(
        "has a cut" in problem for problem in found[0].problems
    )


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("header.json", b'{"schema":"\xff"}', "no UTF-8"),
        ("header.json", b"[1]", "no JSON object but"),
        ("header.json", b"", "is empty"),
        ("header.json", b'{"a":' * 100_000, "nested too deeply"),
        ("footer.json", b"nothing", "no JSON object"),
        ("footer.json", b'{"footer":[]}', "must be an object"),
        ("footer.json", b'{"footer":{"events":-1}}', "per_thread_last_tseq"),
    ],
)
def test_a_header_or_footer_beside_parts_is_refused_with_its_file(tmp_path, name, text, message):
    reader = jsonl.Reader(Path(__file__).parents[1] / "trace/golden/readd.jsonl")
    (tmp_path / "part.jsonl").write_bytes(b"".join(line_of(event) for _, event in reader))
    (tmp_path / "header.json").write_bytes(header_line(reader.header))
    (tmp_path / "footer.json").write_text(json.dumps(reader.footer))
    assert runs.gather(runs.find([tmp_path]), {})[0].problems == []
    (tmp_path / name).write_bytes(text)
    with pytest.raises(TraceError, match=message) as caught:
        runs.gather(runs.find([tmp_path]), {})
    assert str(tmp_path / name) in str(caught.value)
