"""Rows, exit codes and results.json: what may be green, and the message for a damaged file."""

import itertools
import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wheelproof import documents
from wheelproof.errors import UsageError
from wheelproof.verdict import PROVES_NOTHING, Results, Row, Verdict, exit_code, judge, read_results

WORDS = list(Verdict)


def row(verdict="exhaustive", expected="exhaustive", name="n", **more):
    return judge("m", "tlc", name, expected=expected, verdict=verdict, **more)


def violated(**more):
    return row("violated", "violated", **more)


@pytest.mark.parametrize(("expected", "verdict"), list(itertools.product(WORDS, WORDS)))
def test_only_the_expected_word_that_shows_something_is_in_order(expected, verdict):
    judged = row(verdict, expected, expected_property="P", property="P")
    assert judged.ok == (expected == verdict and verdict not in PROVES_NOTHING)
    assert judged.ok == (judged.why == "")
    assert (
        exit_code([judged])
        == {
            True: 0,
            False: {"refused": 2, "error": 4, "vacuous": 5, "inconclusive": 3}.get(verdict, 1),
        }[judged.ok]
    )


def test_a_violation_is_in_order_by_the_expected_property_only():
    assert violated(expected_property="P", property="P").ok
    wrong = violated(expected_property="P", property="Q")
    assert not wrong.ok and "P" in wrong.why and "Q" in wrong.why
    assert not violated(expected_property="P").ok
    assert not violated(property="P").ok


def test_a_fault_and_an_explanation_stand_in_why():
    judged = row(fault="TLC counts 7 states, 8 are declared", why="seen on state 3")
    assert not judged.ok and exit_code([judged]) == 1
    assert judged.why == "TLC counts 7 states, 8 are declared; seen on state 3"
    assert row(why="only noted").ok


@pytest.mark.parametrize("verdict", WORDS)
def test_a_row_cannot_be_declared_in_order_against_its_verdict(verdict):
    contradiction = {
        "mechanism": "m",
        "layer": "tlc",
        "name": "n",
        "expected": Verdict.PROVED,
        "verdict": verdict,
        "ok": True,
    }
    if verdict is Verdict.PROVED:
        Row(**contradiction)
    else:
        with pytest.raises(ValueError):
            Row(**contradiction)


def test_an_unknown_word_is_refused():
    with pytest.raises(ValueError):
        row("passed")


def test_nothing_checked_is_not_green():
    assert exit_code([]) == 5


def test_the_gravest_code_counts():
    by_code = {
        0: row(),
        4: row("error"),
        1: violated(expected_property="P", property="Q"),
        5: row("vacuous"),
        3: row("inconclusive"),
    }
    for codes in itertools.chain.from_iterable(
        itertools.combinations(by_code, size) for size in range(1, 6)
    ):
        want = next((code for code in (1, 4, 5, 3) if code in codes), 0)
        for order in itertools.permutations(codes):
            assert exit_code(by_code[code] for code in order) == want


def test_a_tool_that_failed_does_not_hide_a_finding():
    deadlock = row("violated", property="NoDeadlock")
    assert exit_code([row("error"), deadlock]) == 1
    assert exit_code([row("error"), row()]) == 4, "without a finding the failure has its own code"


texts = st.text(max_size=8)
rows = st.builds(
    judge,
    texts,
    texts,
    texts,
    expected=st.sampled_from(WORDS),
    verdict=st.sampled_from(WORDS),
    expected_property=st.none() | texts,
    property=st.none() | texts,
    fault=texts,
    why=texts,
    bound=texts,
    figures=st.dictionaries(texts, st.integers() | texts | st.none(), max_size=3),
    seconds=st.integers(0, 10**6).map(lambda number: number / 1000),
    trace=st.none() | texts,
)


@given(
    st.lists(rows, max_size=4, unique_by=Row.title),
    st.dictionaries(texts, texts, max_size=3),
    st.booleans(),
)
def test_results_survive_the_file(tmp_path_factory, some, tools, complete):
    path = tmp_path_factory.mktemp("results") / "results.json"
    results = replace(Results.begin(tools), rows=tuple(some), complete=complete)
    results.write(path)
    assert read_results(path) == results
    assert path.read_text(encoding="utf-8") == documents.encode(results.document())
    assert [file.name for file in path.parent.iterdir()] == ["results.json"]


@pytest.fixture
def written(tmp_path):
    path = tmp_path / "build" / "results.json"
    replace(Results.begin({"tlc": "2.18"}), rows=(row(), row(name="other")), complete=True).write(
        path
    )
    return path


def change(path, **fields):
    document = json.loads(path.read_text())
    for place, value in fields.items():
        target = document
        *way, last = place.split("__")
        for key in way:
            target = target[int(key) if key.isdigit() else key]
        if value is ...:
            del target[last]
        else:
            target[last] = value
    path.write_text(json.dumps(document))


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"schema": "wheelproof.results/1"}, "results/1"),
        ({"schema": ...}, "no schema"),
        ({"rows": {}}, "field rows must be an array"),
        ({"rows__0__verdict": "passed"}, "field rows[0].verdict must be one of proved"),
        ({"rows__0__verdict": ...}, "field rows[0].verdict is missing"),
        ({"rows__1__ok": 1}, "field rows[1].ok must be true or false"),
        ({"rows__1__verdict": "vacuous"}, "field rows[1].ok contradicts"),
        ({"rows__1__seconds": -1}, "field rows[1].seconds must be a number that is not negative"),
        ({"rows__1__seconds": float("nan")}, "NaN is not allowed"),
        ({"rows__1__name": "n"}, "several rows are called m / tlc / n"),
        ({"tools__tlc": None}, "field tools.tlc must be a string"),
    ],
)
def test_a_damaged_file_is_refused_with_its_place(written, fields, message):
    assert read_results(written).complete
    change(written, **fields)
    with pytest.raises(UsageError) as refused:
        read_results(written)
    assert message in str(refused.value) and str(written) in str(refused.value)


@pytest.mark.parametrize("content", [b"", b"[]", b"{", b"\xff\xfe{}", b"[" * 100_000])
def test_what_is_no_document_is_refused(tmp_path, content):
    path = tmp_path / "results.json"
    path.write_bytes(content)
    with pytest.raises(UsageError):
        read_results(path)


def test_a_missing_file_is_refused(tmp_path):
    with pytest.raises(UsageError, match="cannot be read"):
        read_results(tmp_path / "results.json")


def test_the_file_of_an_older_run_is_refused(written):
    assert read_results(written, run=read_results(written).run)
    with pytest.raises(UsageError, match="of another run"):
        read_results(written, run=Results.begin({}).run)


def test_a_writing_that_fails_leaves_the_old_file(written, monkeypatch):
    old = written.read_bytes()
    monkeypatch.setattr(
        "pathlib.Path.replace",
        lambda *_: (_ for _ in ()).throw(OSError(28, "No space left on device")),
    )
    with pytest.raises(Exception, match="No space left"):
        Results.begin({}).write(written)
    assert written.read_bytes() == old and len(list(written.parent.iterdir())) == 1
