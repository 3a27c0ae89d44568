"""Recordings as records, without a broker."""

from __future__ import annotations

import gzip
import sys
from pathlib import Path

import pytest

from wheelproof.errors import ToolError, UsageError
from wheelproof.trace import publishing, topics
from wheelproof.trace.publishing import Publisher, Recording, name_of
from wheelproof.trace.topics import Address, parsed

GOLDEN = Path(__file__).parent / "golden"


@pytest.mark.parametrize(
    ("text", "servers", "topic"),
    [
        ("kafka://127.0.0.1:9092/t", "127.0.0.1:9092", "t"),
        ("kafka://[::1]:9092/a.b-c_1", "[::1]:9092", "a.b-c_1"),
        ("kafka://one:1,two.example:65535/t", "one:1,two.example:65535", "t"),
    ],
)
def test_an_address_is_read_and_written_as_it_was(text, servers, topic):
    assert parsed(text) == Address(servers, topic)
    assert str(parsed(text)) == text


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("kafka://h:1", "names no topic"),
        ("http://h:1/t", "names no topic"),
        ("kafka:///t", "nothing is no HOST:PORT"),
        ("kafka://h/t", "h is no HOST:PORT"),
        ("kafka://h:0/t", "h:0 is no HOST:PORT"),
        ("kafka://h:65536/t", "h:65536 is no HOST:PORT"),
        ("kafka://h:1,/t", "nothing is no HOST:PORT"),
        ("kafka://h:1/", "nothing is no name"),
        ("kafka://h:1/a/b", "a/b is no name"),
        ("kafka://h:1/..", ".. is no name"),
        ("kafka://h:1/" + "a" * 250, "is no name"),
    ],
)
def test_an_address_with_a_fault_is_refused(text, fault):
    with pytest.raises(UsageError) as raised:
        parsed(text)
    assert fault in str(raised.value)


class Client:
    """A client that takes records; each tenth has no room at first."""

    def __init__(self):
        self.records, self.calls, self.flushed = [], 0, 0

    def produce(self, topic, value, key, headers, on_delivery):
        self.calls += 1
        if self.calls % 10 == 0:
            raise BufferError
        self.records.append((topic, key, dict(headers), value))

    def poll(self, seconds):
        return 0

    def flush(self, seconds):
        self.flushed += 1
        return 0


@pytest.fixture
def client(monkeypatch):
    made = Client()
    monkeypatch.setattr(Publisher, "_client", lambda publisher: made)
    monkeypatch.setattr(Publisher, "check", lambda publisher, create: None)
    return made


def test_each_line_is_a_record_with_its_recording_and_its_number(client, capsys):
    paths = [GOLDEN / "readd.jsonl", GOLDEN / "mutant_M8.jsonl"]
    assert publishing.run(paths, Address("h:1", "t"), False, None) == 0
    for path in paths:
        lines = path.read_bytes().splitlines()
        key = name_of(lines[0], path).encode()
        own = [record for record in client.records if record[1] == key]
        assert [record[3] for record in own] == lines
        numbers = [int(record[2][topics.LINE]) for record in own]
        assert numbers == [*range(1, len(lines) + 1)]
    assert client.calls > len(client.records)
    assert client.flushed
    assert "to its footer" in capsys.readouterr().out


def test_a_file_that_grows_is_followed_to_its_footer(client, tmp_path, monkeypatch):
    """The file comes later, and its lines in pieces that end within a line."""
    text = (GOLDEN / "readd.jsonl").read_bytes()
    file, at = tmp_path / "grown.jsonl", [0]

    def grow(seconds):
        end = at[0] + 700
        with file.open("ab") as growing:
            growing.write(text[at[0] : end])
        at[0] = end

    monkeypatch.setattr(publishing.time, "sleep", grow)
    assert publishing.run([file], Address("h:1", "t"), True, None) == 0
    assert [record[3] for record in client.records] == text.splitlines()


def test_what_is_no_whole_line_is_not_sent(client, tmp_path, capsys):
    file = tmp_path / "cut.jsonl"
    file.write_bytes(b'{"run_id":"cut"}\n{"tid":1')
    assert publishing.run([file], Address("h:1", "t"), False, None) == 0
    assert [record[1:] for record in client.records] == [
        (b"cut", {topics.LINE: b"1"}, b'{"run_id":"cut"}')
    ]
    assert "without a footer" in capsys.readouterr().out


def test_two_recordings_of_one_name_are_refused(client, tmp_path):
    for name in ("a", "b"):
        (tmp_path / f"{name}.jsonl").write_bytes(b'{"run_id":"same"}\n')
    paths = sorted(tmp_path.iterdir())
    with pytest.raises(UsageError, match="one run_id, same"):
        publishing.run(paths, Address("h:1", "t"), False, None)


def test_a_damaged_file_and_another_kind_of_file_are_refused(client, tmp_path):
    file = tmp_path / "damaged.jsonl.gz"
    file.write_bytes(gzip.compress((GOLDEN / "readd.jsonl").read_bytes())[:200])
    with pytest.raises(UsageError, match="cannot be read"):
        publishing.run([file], Address("h:1", "t"), False, None)
    with pytest.raises(UsageError, match="cannot be followed"):
        publishing.run([file], Address("h:1", "t"), True, None)


def test_a_record_that_is_not_taken_ends_it(client):
    class Refusal:
        def str(self):
            return "message timed out"

    publisher = Publisher(Address("h:1", "t"))
    publisher._sent(None, None)
    publisher.flush()
    publisher._sent(Refusal(), None)
    with pytest.raises(ToolError, match="message timed out"):
        publisher.flush()


def test_a_header_without_a_name_gives_that_of_the_file(tmp_path):
    assert name_of(b"{ no json", Path("x/some.jsonl.gz")) == "some"
    assert name_of(b'{"run_id":""}', Path("some.jsonl")) == "some"
    recording = Recording(Path("x.jsonl"), (GOLDEN / "readd.jsonl").open("rb"))
    assert sum(1 for _ in recording.added()) == recording.lines
    assert recording.ended
    recording.file.close()


def test_without_the_client_the_remedy_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "confluent_kafka", None)
    with pytest.raises(ToolError, match="confluent-kafka") as raised:
        Publisher(Address("h:1", "t"))
    assert "setup-kafka" in str(raised.value)


def test_no_broker_is_exit_code_4():
    pytest.importorskip("confluent_kafka", reason="the extra `kafka` is not installed")
    import socket

    with socket.socket() as taken:  # bound, and never listened on
        taken.bind(("127.0.0.1", 0))
        address = Address(f"127.0.0.1:{taken.getsockname()[1]}", "t")
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(topics, "ANSWER_SECONDS", 1)
            with pytest.raises(ToolError, match="No broker of Kafka answers") as raised:
                Publisher(address).check(None)
    assert raised.value.exit_code == 4
