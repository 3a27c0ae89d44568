"""Files that people write: what is no file, and what is too much, is refused with its place."""

from __future__ import annotations

import gzip
import os

import pytest

from wheelproof import reading
from wheelproof.errors import LONGEST, UsageError, shortened


@pytest.fixture
def file(tmp_path):
    return tmp_path / "some.toml"


def refusal(read, file):
    with pytest.raises(reading.Unreadable) as raised:
        read(file)
    return str(raised.value)


@pytest.mark.parametrize("read", [reading.content, reading.text, reading.tables])
@pytest.mark.parametrize(
    ("make", "says"),
    [
        (os.mkdir, "it is a folder"),
        (os.mkfifo, "it is a named pipe"),
        (lambda path: path.symlink_to("/dev/zero"), "it is a device"),
        (lambda path: path.symlink_to(path.name), "a link that leads back to itself"),
        (lambda path: None, "No such file"),
    ],
)
def test_what_is_no_file_is_refused_and_not_waited_for(file, read, make, says):
    make(file)
    assert f"{file}: " in (message := refusal(read, file)) and says in message
    assert reading.there(file) is os.path.lexists(file)


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"one = 1\ntwo = '\xe9'\n", ":2: byte 0xe9 is no UTF-8. Save the file as UTF-8."),
        (b"\xef\xbb\xbfone = 1\n", ":1: begins with a byte order mark."),
        (b"one = 1\n\n\0", ":3: has a NUL byte."),
        (b"one = ", ": not valid TOML: "),
        (b"one = " + b"[" * 5_000, ": not valid TOML: it is nested too deeply."),
        (b"one = " + b"9" * 5_000, ": not valid TOML: "),
    ],
)
def test_a_text_that_is_none_is_refused_with_its_line(file, content, says):
    file.write_bytes(content)
    assert f"{file}{says}" in refusal(reading.tables, file)


def test_a_file_that_is_too_large_is_not_read(file):
    file.write_bytes(b"x" * 11)
    assert reading.content(file, 11) == b"x" * 11
    with pytest.raises(UsageError, match="has more than"):
        reading.content(file, 10)


def test_lines_end_as_pythons_do(file):
    file.write_bytes(b"a\r\nb\rc\n")
    assert reading.text(file) == "a\nb\nc\n"


@pytest.mark.parametrize("name", ["some.jsonl", "some.jsonl.gz"])
def test_a_line_and_a_sum_of_lines_are_bounded(tmp_path, monkeypatch, name):
    file = tmp_path / name
    text = b"12345\n1234567890\n"
    file.write_bytes(gzip.compress(text) if name.endswith("gz") else text)

    def lines(most=0):
        with reading.unpacked(file) as stream:
            return list(reading.lines(stream, file, most))

    assert lines() == text.splitlines(keepends=True)
    with pytest.raises(reading.Unreadable, match=f"{name}:2: what is before this"):
        lines(10)
    monkeypatch.setattr(reading, "LINE", 8)
    with pytest.raises(reading.Unreadable, match=f"{name}:2: the line has more than"):
        lines()


def test_an_archive_without_its_end_is_cut_short_and_a_damaged_one_is_not(tmp_path):
    file = tmp_path / "some.gz"
    for content, kind in (
        (gzip.compress(b"x" * 99)[:-9], reading.CutShort),
        (b"no archive", reading.Unreadable),
    ):
        file.write_bytes(content)
        with pytest.raises(reading.Unreadable) as raised, reading.unpacked(file) as stream:
            stream.read()
        assert type(raised.value) is kind


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("x = 1\ndef (:\n", "a.py:2: this is not Python: invalid syntax."),
        ("x = " + "-" * 90_000 + "1", "a.py"),
        ("x = " + "9" * 5_000, "a.py"),
        ("x = '\0'", "a.py"),
    ],
)
def test_a_source_that_is_no_python_is_refused(text, says):
    assert says in refusal(lambda file: reading.tree(text, file), "a.py")


def test_a_message_is_cut_and_says_by_how_much():
    assert shortened("short") == "short"
    message = shortened(f"it is {'w' * 1_000_000}, not one.")
    assert len(message) < 500 and "1,000,000 characters), not one." in message
    assert len(shortened("many words " * 10_000)) <= LONGEST
