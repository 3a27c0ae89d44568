"""Reading and writing JSON Lines: nothing is lost, and what is wrong is reported by file, line and
field."""

from __future__ import annotations

import gzip
import json
import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.wheelproof.trace.drawing import HEADERS, events
from wheelproof.errors import ToolError, UsageError
from wheelproof.pipeline import law
from wheelproof.trace.format import jsonl
from wheelproof.trace.format.parts import TraceError, event_of
from wheelproof.trace.format.schema import NAMES
from wheelproof.trace.format.tally import line_of
from wheelproof.trace.judging.verdict import CONFORMS, INCOMPLETE

HERE = Path(__file__).parent
GOLDEN = sorted((HERE / "golden").glob("*.jsonl"))
BROKEN = tomllib.loads((HERE / "broken/expected.toml").read_text())


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.stem)
def test_a_golden_file_is_written_again_byte_for_byte(path, tmp_path):
    reader = jsonl.Reader(path)
    found = [event for _, event in reader]
    jsonl.write(tmp_path / "again.jsonl", reader.header, found, reader.footer)
    assert (tmp_path / "again.jsonl").read_bytes() == path.read_bytes()
    jsonl.write(tmp_path / "counted.jsonl", reader.header, found)
    counted = jsonl.Reader(tmp_path / "counted.jsonl")
    assert [event for _, event in counted] == found
    old, new = (
        {
            name: value
            for name, value in footer.items()
            if name not in ("tokens", "per_token_last_seq")
        }
        for footer in (reader.footer, counted.footer)
    )
    assert new == old and "tokens" in counted.footer and "per_token_last_seq" in reader.footer


@given(HEADERS, st.lists(events(), max_size=6))
def test_what_is_written_is_read(tmp_path_factory, header, drawn):
    path = tmp_path_factory.mktemp("drawn") / "trace.jsonl"
    jsonl.write(path, header, drawn)
    reader = jsonl.Reader(path)
    assert [event for _, event in reader] == drawn
    assert reader.header == header and reader.footer["events"] == len(drawn)


@given(events())
def test_null_and_absent_are_one_thing(event):
    filled = dict.fromkeys(NAMES) | json.loads(line_of(event))
    assert event_of(filled, "x", 1) == event
    assert line_of(event_of(filled, "x", 1)) == line_of(event)


def test_the_corpus_and_its_table_are_the_same_files():
    assert {path.stem for path in (HERE / "broken").glob("*.jsonl")} == set(BROKEN)


@pytest.mark.parametrize("name", sorted(name for name in BROKEN if "error" in BROKEN[name]))
def test_a_broken_file_is_refused_with_line_and_field(name):
    expected, path = BROKEN[name], HERE / "broken" / f"{name}.jsonl"
    with pytest.raises(TraceError) as caught:
        for _ in jsonl.Reader(path):
            pass
    error = caught.value
    assert expected["error"] in error.message
    assert (error.line, error.field) == (expected["line"], expected["field"])
    assert f"{path}:{expected['line']}:" in str(error) and error.remedy


@pytest.mark.daily(12)
@pytest.mark.parametrize("name", sorted(name for name in BROKEN if "verdict" in BROKEN[name]))
def test_a_well_formed_file_that_is_not_whole_never_conforms(name):
    expected = BROKEN[name]
    verdict = law.of_file(HERE / "broken" / f"{name}.jsonl")
    assert verdict.verdict in expected["verdict"].split() and verdict.verdict != CONFORMS
    assert set(expected["rule"].split()) <= {finding.property for finding in verdict.findings}


def test_a_newer_minor_version_may_have_more_columns(tmp_path):
    text = (
        (HERE / "golden/two_adders.jsonl")
        .read_text()
        .replace('"schema_minor":0', '"schema_minor":99')
        .replace('"k":', '"colour":3,"k":')
    )
    (tmp_path / "newer.jsonl").write_text(text)
    reader = jsonl.Reader(tmp_path / "newer.jsonl")
    assert all("colour" not in event for _, event in reader) and reader.unknown == {"colour"}
    assert law.of_file(tmp_path / "newer.jsonl").verdict == CONFORMS


def test_a_compressed_file_is_read_and_one_that_is_cut_is_incomplete(tmp_path):
    packed = gzip.compress((HERE / "golden/two_adders.jsonl").read_bytes())
    (tmp_path / "whole.jsonl.gz").write_bytes(packed)
    (tmp_path / "cut.jsonl.gz").write_bytes(packed[:-40])
    assert law.of_file(tmp_path / "whole.jsonl.gz").verdict == CONFORMS
    assert law.of_file(tmp_path / "cut.jsonl.gz").verdict == INCOMPLETE


def test_a_write_that_fails_leaves_the_old_file(tmp_path):
    path = tmp_path / "trace.jsonl"
    path.write_text("before")

    def breaks():
        yield event_of(
            {"tid": 1, "tseq": 1, "lc": 1, "k": "thread_start", "phase": "atomic"}, "x", 1
        )
        raise RuntimeError

    header = jsonl.Reader(GOLDEN[0]).header
    with pytest.raises(RuntimeError):
        jsonl.write(path, header, breaks())
    assert path.read_text() == "before" and list(tmp_path.iterdir()) == [path]
    with pytest.raises(ToolError):
        jsonl.write(path / "below.jsonl", header, [])
    with pytest.raises(UsageError):
        jsonl.Reader(tmp_path / "absent.jsonl")


def _packed(change):
    return change(gzip.compress((HERE / "golden/two_adders.jsonl").read_bytes()))


@pytest.mark.daily(3)
@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda whole: gzip.decompress(whole), "damaged, or is none"),
        (lambda whole: whole[:-8] + bytes(4) + whole[-4:], "damaged, or is none"),
        (lambda whole: whole[:60] + bytes(16) + whole[76:], "damaged, or is none"),
        (lambda whole: whole + b"more", "damaged, or is none"),
        (lambda whole: whole[:6], "cut off"),
    ],
)
def test_what_is_no_sound_gzip_is_no_trace(tmp_path, change, message):
    (tmp_path / "whole.jsonl.gz").write_bytes(_packed(lambda whole: whole))
    assert law.of_file(tmp_path / "whole.jsonl.gz").verdict == CONFORMS
    path = tmp_path / "broken.jsonl.gz"
    path.write_bytes(_packed(change))
    with pytest.raises(TraceError, match=message) as caught:
        for _ in jsonl.Reader(path):
            pass
    assert (
        str(caught.value).startswith(f"{path}: ") and caught.value.line == 0
    )  # the whole file: no line is named


@pytest.mark.daily(2)
@pytest.mark.parametrize(
    ("name", "cut", "line", "message"),
    [
        ("cut.jsonl", slice(-300), 20, "the line is cut off"),
        ("cut.jsonl.gz", slice(-4), 0, "the compressed file is cut off"),
    ],
)
def test_where_a_file_breaks_off_is_reported_before_what_follows_from_it(
    tmp_path, name, cut, line, message
):
    whole = (HERE / "golden/two_adders.jsonl").read_bytes()
    path = tmp_path / name
    path.write_bytes(gzip.compress(whole)[cut] if name.endswith(".gz") else whole[cut])
    verdict = law.of_file(path)
    assert verdict.verdict == INCOMPLETE
    assert (verdict.first.property, verdict.first.line) == (
        "Footer",
        line,
    ) and message in verdict.first.message
    path.write_bytes(gzip.compress(whole) if name.endswith(".gz") else whole)
    assert law.of_file(path).verdict == CONFORMS


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b'{"tid":1\xff}\n', "no UTF-8: byte 0xff at 8"),
        (b'{"a":' * 200_000 + b"\n", "nested too deeply"),
        (b'{"tid":' + b"9" * 5_000 + b"}\n", "too many digits"),
        ((HERE / "golden/two_adders.jsonl").read_bytes(), "a second header"),
    ],
)
def test_what_is_wrong_with_a_line_is_reported_in_the_format_s_words(tmp_path, text, message):
    header = (HERE / "golden/two_adders.jsonl").read_bytes().partition(b"\n")[0]
    (tmp_path / "x.jsonl").write_bytes(header + b"\n" + text)
    with pytest.raises(TraceError, match=message) as caught:
        list(jsonl.Reader(tmp_path / "x.jsonl"))
    assert (
        caught.value.line == 2
        and "sys." not in str(caught.value)
        and "codec" not in str(caught.value)
    )


@pytest.mark.daily(2)
@pytest.mark.parametrize(
    "change",
    [
        lambda text: b"\xef\xbb\xbf" + text,
        lambda text: text.replace(b"\n", b"\r\n"),
        lambda text: text.rstrip(b"\n"),
    ],
)
def test_a_byte_order_mark_and_other_ends_of_lines_change_nothing(tmp_path, change):
    text = (HERE / "golden/two_adders.jsonl").read_bytes()
    assert change(text) != text
    (tmp_path / "x.jsonl").write_bytes(change(text))
    assert law.of_file(tmp_path / "x.jsonl").verdict == CONFORMS
