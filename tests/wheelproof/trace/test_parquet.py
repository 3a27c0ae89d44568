"""JSON Lines to Parquet and back: nothing is lost."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.wheelproof.trace.drawing import HEADERS, events
from wheelproof.errors import UsageError
from wheelproof.trace.format import jsonl, parquet
from wheelproof.trace.format.parts import TraceError
from wheelproof.trace.format.schema import NAMES
from wheelproof.trace.format.tally import header_line

pytest.importorskip("pyarrow", reason="the extra data is not installed")

GOLDEN = sorted((Path(__file__).parent / "golden").glob("*.jsonl"))


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.stem)
def test_a_golden_file_comes_back_byte_for_byte(path, tmp_path):
    reader = jsonl.Reader(path)
    parquet.write(
        tmp_path / "trace.parquet", reader.header, [event for _, event in reader], reader.footer
    )
    back = parquet.Reader(tmp_path / "trace.parquet")
    jsonl.write(tmp_path / "back.jsonl", back.header, [event for _, event in back], back.footer)
    assert (tmp_path / "back.jsonl").read_bytes() == path.read_bytes()


@given(HEADERS, st.lists(events(), max_size=6))
def test_any_trace_comes_back_as_it_was(tmp_path_factory, header, drawn):
    folder = tmp_path_factory.mktemp("drawn")
    jsonl.write(folder / "trace.jsonl", header, drawn)
    first = jsonl.Reader(folder / "trace.jsonl")
    given_events = [event for _, event in first]
    parquet.write(folder / "trace.parquet", first.header, given_events, first.footer)
    back = parquet.Reader(folder / "trace.parquet")
    assert [event for _, event in back] == given_events
    assert back.header == first.header and back.footer == first.footer
    jsonl.write(folder / "again.jsonl", back.header, (event for _, event in back), back.footer)
    assert (folder / "again.jsonl").read_bytes() == (folder / "trace.jsonl").read_bytes()


def test_the_columns_are_the_schema_s_whatever_the_events_have(tmp_path):
    reader = jsonl.Reader(GOLDEN[0])
    parquet.write(tmp_path / "none.parquet", reader.header, [])
    assert tuple(parquet.schema().names) == NAMES
    assert parquet.Reader(tmp_path / "none.parquet")._file.schema_arrow.names == list(NAMES)


def test_a_file_that_is_no_trace_is_refused(tmp_path):
    (tmp_path / "text.parquet").write_text("no")
    with pytest.raises(UsageError, match="cannot be read as Parquet"):
        parquet.Reader(tmp_path / "text.parquet")
    import pyarrow
    import pyarrow.parquet

    pyarrow.parquet.write_table(pyarrow.table({"tid": [1]}), tmp_path / "other.parquet")
    with pytest.raises(TraceError, match="no header"):
        parquet.Reader(tmp_path / "other.parquet")


def test_a_file_without_a_footer_has_none(tmp_path):
    reader = jsonl.Reader(GOLDEN[0])
    parquet.write(tmp_path / "cut.parquet", reader.header, [event for _, event in reader], None)
    assert parquet.Reader(tmp_path / "cut.parquet").footer is None


def test_a_damaged_file_is_no_trace(tmp_path):
    reader, path = jsonl.Reader(GOLDEN[0]), tmp_path / "trace.parquet"
    parquet.write(path, reader.header, [event for _, event in reader], reader.footer)
    assert list(parquet.Reader(path))
    whole = path.read_bytes()
    for broken in (whole[:-20], whole[:0], whole[:8] + bytes(400) + whole[408:]):
        path.write_bytes(broken)
        with pytest.raises(TraceError, match="cannot be read as Parquet") as caught:
            list(parquet.Reader(path))
        assert str(caught.value).startswith(f"{path}: ")


def test_tokens_of_another_shape_are_reported_by_row_and_field(tmp_path):
    import pyarrow
    import pyarrow.parquet

    reader, path = jsonl.Reader(GOLDEN[0]), tmp_path / "trace.parquet"
    metadata = {parquet.HEADER_KEY: header_line(reader.header)}
    row = {"tid": 1, "tseq": 1, "lc": 1, "k": "thread_start", "phase": "atomic"}
    for tokens in (["L list:1"], [{"kind": "L", "seq": 1}], 7):
        pyarrow.parquet.write_table(
            pyarrow.Table.from_pylist([row | {"ord": tokens}]).replace_schema_metadata(metadata),
            path,
        )
        with pytest.raises(TraceError) as caught:
            list(parquet.Reader(path))
        assert (caught.value.line, caught.value.field) == (1, "ord")
    pyarrow.parquet.write_table(
        pyarrow.Table.from_pylist([row]).replace_schema_metadata(metadata), path
    )
    assert [event["k"] for _, event in parquet.Reader(path)] == ["thread_start"]
