"""What a header says is looked at before the first event: whatever its objects have inside, a check
ends with a field and a sentence, or with a verdict."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.wheelproof.trace.recorded import ROOT
from wheelproof.pipeline import law
from wheelproof.trace.format import jsonl
from wheelproof.trace.format.parts import TraceError
from wheelproof.trace.format.schema import HEADER
from wheelproof.trace.judging.verdict import CONFORMS, VERDICTS

WHOLE = [
    json.loads(line)
    for line in (Path(__file__).parent / "golden/readd.jsonl").read_text().splitlines()
]
HEAD, FOOTER = WHOLE[0], WHOLE[-1]["footer"]

WRONG = [
    ("threads", {"x": "y"}, "thread ids"),
    ("threads", {"1": 5}, "thread ids"),
    ("capture", [], "an object"),
    ("capture", {"mode": "sometimes"}, "full, sampled"),
    ("capture", {"mode": "full", "kinds": 5}, "array of kinds"),
    ("capture", {"mode": "full", "kinds": "list_add"}, "array of kinds"),
    ("capture", {"mode": "full", "kinds": ["list_ad"]}, "'list_ad' is no kind"),
    ("clock", {"kind": "sundial"}, "monotonic, virtual, wall, none"),
    ("config", {"tick_ms": "one"}, "tick_ms"),
    ("config", {"tick_ms": 0}, "from 1 on"),
    ("config", {"start_ms": 1.5}, "start_ms"),
    ("spec", ["x"], "an object"),
    ("spec", {"module": 5}, "module"),
    ("sources", {"a": 1}, "array of strings"),
    ("names", {"e": "x"}, "names"),
    ("program", {"threads": 5}, "threads"),
    ("program", {"threads": {"a": [[]]}}, "threads"),
    ("initial", [], "an object"),
    ("initial", {"lists": {"x": [1]}}, '"7":[17,18]'),
    ("initial", {"lists": {"7": ["a"]}}, "lists"),
    ("initial", {"counters": {"1": 0}}, "counter:1"),
    ("initial", {"keys": {"1": "x"}}, "keys"),
    ("initial", {"tasks": {"1": -1}}, "0 for none"),
    ("initial", {"operations": {"1": 5}}, '"pending":false'),
    ("initial", {"operations": {"1": {"pending": 1}}}, "no truth value"),
]


def written(path: Path, header: dict, footer: dict = FOOTER) -> Path:
    footer = {name: value for name, value in footer.items() if name != "sha256"}
    path.write_text(
        "".join(json.dumps(line) + "\n" for line in (header, *WHOLE[1:-1], {"footer": footer}))
    )
    return path


def test_the_header_conforms_as_it_stands(tmp_path):
    assert law.of_file(written(tmp_path / "x.jsonl", HEAD)).verdict == CONFORMS


@pytest.mark.daily(12)
@pytest.mark.parametrize(
    ("field", "value", "message"),
    WRONG,
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_rules_could_not_use_is_refused_by_its_field(tmp_path, field, value, message):
    with pytest.raises(TraceError) as caught:
        law.of_file(written(tmp_path / "x.jsonl", HEAD | {field: value}))
    assert (caught.value.line, caught.value.field) == (1, field) and message in caught.value.message


@pytest.mark.daily(2)
@pytest.mark.parametrize(("field", "value"), [("events", -1), ("dropped", -1)])
def test_a_footer_counts_from_nought(tmp_path, field, value):
    with pytest.raises(TraceError, match="from 0 on"):
        law.of_file(written(tmp_path / "x.jsonl", HEAD, FOOTER | {field: value}))


ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 9) | st.text("k1:", max_size=3),
    lambda inner: (
        st.lists(inner, max_size=2)
        | st.dictionaries(
            st.sampled_from(
                [
                    "1",
                    "7",
                    "x",
                    "lists",
                    "tasks",
                    "counters",
                    "keys",
                    "operations",
                    "pending",
                    "kinds",
                    "mode",
                    "threads",
                ]
            ),
            inner,
            max_size=3,
        )
    ),
    max_leaves=6,
)


@pytest.mark.daily(3)
@pytest.mark.parametrize("field", ["initial", "config", "spec", "program"])
def test_null_and_absent_mean_the_same_inside_too(tmp_path, field):
    known = {
        "initial": ("keys", "operations", "queued"),
        "config": ("tick_ms", "start_ms"),
        "spec": ("git",),
        "program": ("threads",),
    }[field]
    path = written(tmp_path / "x.jsonl", HEAD | {field: HEAD.get(field, {}) | dict.fromkeys(known)})
    assert law.of_file(path).verdict == CONFORMS
    assert jsonl.Reader(path).header.get(field, {}) == HEAD.get(field, {})


@pytest.mark.nightly
@given(
    st.sampled_from([field.name for field in HEADER if field.name not in ("schema", "run_id")]),
    ANYTHING,
)
@example("initial", {"lists": None})
def test_no_header_ends_a_check_amid_its_events(tmp_path_factory, field, value):
    path = written(tmp_path_factory.mktemp("drawn") / "x.jsonl", HEAD | {field: value})
    try:
        assert law.of_file(path).verdict in VERDICTS
    except TraceError as error:
        assert error.line == 1 and error.remedy


def test_the_example_of_the_format_page_is_a_trace_that_conforms(tmp_path):
    text = (ROOT / "docs/trace-format.md").read_text().partition("```\n")[2].partition("```")[0]
    path = tmp_path / "page.jsonl"
    path.write_text(text)
    verdict = law.of_file(path)
    assert verdict.verdict == CONFORMS and verdict.applied["CounterExact"] == 2
    path.write_text(text.replace('"counter:1":0', '"counter:1":5'))
    assert law.of_file(path).first.property == "CounterExact"
