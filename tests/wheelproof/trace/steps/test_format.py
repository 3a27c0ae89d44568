"""The file of a step recording: what is written is read again, and what is none is refused."""

from __future__ import annotations

import json

import pytest

from tests.wheelproof.trace.steps.followed import mechanisms
from wheelproof.errors import UsageError
from wheelproof.trace.steps.format import is_recording, read
from wheelproof.trace.steps.record import record


@pytest.fixture(scope="module")
def run():
    return record(mechanisms()["one_shot"], "two", "two")


@pytest.mark.parametrize("name", ["run.jsonl", "run.jsonl.gz"])
def test_what_is_written_is_read_again(tmp_path, run, name):
    run.write(tmp_path / name)
    assert is_recording(tmp_path / name)
    again = read(tmp_path / name)
    assert (again.header, list(again.events), again.complete) == (
        run.header,
        run.events,
        True,
    )


@pytest.mark.parametrize(
    "line, change, says",
    [
        (1, {"schema": "wheelproof.steps/2"}, "no header of wheelproof.steps/1"),
        (1, {"threads": None}, "threads is missing"),
        (1, {"program": {}}, "program has no threads"),
        (2, {"k": "jump"}, "'jump' is no kind of event"),
        (2, {"seq": "1"}, "seq is missing, or not of type int"),
        (3, {"ord": []}, "the footer's sha256 is that of other lines"),
    ],
)
def test_what_is_no_recording_is_refused_with_its_line(tmp_path, run, line, change, says):
    file = tmp_path / "run.jsonl"
    run.write(file)
    lines = [json.loads(text) for text in file.read_text().splitlines()]
    lines[line - 1] |= change
    file.write_text("".join(json.dumps(each, separators=(",", ":")) + "\n" for each in lines))
    with pytest.raises(UsageError, match=r"run\.jsonl") as caught:
        read(file)
    assert says in str(caught.value)


def test_a_text_that_is_no_json_is_refused(tmp_path):
    file = tmp_path / "run.jsonl"
    file.write_text("nothing\n")
    assert not is_recording(file)
    with pytest.raises(UsageError, match=r"run\.jsonl:1: is no JSON"):
        read(file)


def test_a_file_that_is_cut_off_is_not_complete(tmp_path, run):
    file = tmp_path / "run.jsonl"
    run.write(file)
    file.write_bytes(b"".join(file.read_bytes().splitlines(keepends=True)[:-1]))
    assert not read(file).complete


def test_a_damaged_archive_is_no_recording(tmp_path, run):
    file = tmp_path / "run.jsonl.gz"
    run.write(file)
    file.write_bytes(b"x" + file.read_bytes()[1:])
    assert not is_recording(file)
    with pytest.raises(UsageError, match="is damaged, or is none"):
        read(file)


def test_an_archive_that_is_cut_off_is_not_complete(tmp_path, run):
    file = tmp_path / "run.jsonl.gz"
    run.write(file)
    whole = len(read(file).events)
    file.write_bytes(file.read_bytes()[:-12])
    cut = read(file)
    assert not cut.complete and len(cut.events) <= whole
