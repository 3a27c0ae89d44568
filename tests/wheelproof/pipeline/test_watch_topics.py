"""A topic as the source of a watch, without a broker."""

from __future__ import annotations

import json
from pathlib import Path

import duckdb
import pytest
import watched

from traces.bulk import FAMILIES
from wheelproof import kept
from wheelproof.errors import ToolError, UsageError
from wheelproof.pipeline.watch import sinks, stream, topics
from wheelproof.pipeline.watch.source import Folder
from wheelproof.pipeline.watch.topics import Topic
from wheelproof.trace.topics import LINE, Address

TRACES = Path(__file__).parents[1] / "trace"
SOME = tuple(family for family in FAMILIES if family.name in ("threads", "lists", "tokens"))
TYPES = (
    "key binary, value binary, partition int, offset long, "
    "headers array<struct<key:string,value:binary>>"
)


def record(key, number, value, offset=0):
    headers = None if number is None else [("other", b"x"), (LINE, number)]
    return key, value, 1, offset, headers


def test_records_are_judged_as_the_lines_of_a_file(spark, tmp_path):
    file = TRACES / "golden" / "mutant_M8.jsonl"
    records = [
        record(b"M8", str(number).encode(), text, number)
        for number, text in enumerate(file.read_bytes().splitlines(), 1)
    ]
    strange = [
        record(None, b"1", b"{}", 7),
        record(b"M8", None, b"{}", 8),
        record(b"M8", b"one", b'{"footer":{}}', 9),
        record(b"M8", b"0", records[3][1], 10),
        record(b"bad", b"1", b"{ no json", 11),
        record(b"bad", b"2", None, 12),
        record(b"bad", b"3", b"\xff\xfe", 13),
    ]
    rows = topics.judged(spark.createDataFrame([*records, *strange], TYPES), "t").toArrow()
    with duckdb.connect(config={"threads": 1}) as connection:
        made = watched.Ledger(connection, SOME)
        with made.transaction():
            made.take(0, rows)
        report = watched.concluded(made)
    runs = {run["path"]: run for run in report.runs}
    assert {*runs} == {"t/M8", "t/bad", "t, partition 1"}
    assert runs["t/M8"]["verdict"] == "conforms"  # by these families
    assert runs["t/M8"]["events"] == len(records) - 2
    listed = [(row["file"], row["row"]) for row in report.quarantine]
    none = [("t, partition 1", row) for row in (8, 9, 10, 11)]
    assert listed == [*none, *[("t/bad", row) for row in (1, 2, 3)]]
    assert {row["reason"] for row in report.quarantine[:4]} == {topics.UNNAMED}
    assert all(Topic(Address("h:1", "t")).owns(name) for name in runs)


def test_a_word_of_the_command_line_is_a_folder_or_a_topic(tmp_path):
    assert isinstance(stream.source_of("kafka://h:1/t"), Topic)
    folder = stream.source_of(str(tmp_path))
    assert isinstance(folder, Folder)
    assert folder.owns(str(tmp_path.resolve() / "a.jsonl")) and not folder.owns("t/a")
    with pytest.raises(UsageError, match="no such folder"):
        Folder(tmp_path / "none").check(tmp_path)
    with pytest.raises(UsageError, match="is in the folder"):
        folder.check(tmp_path / "output")
    assert not Topic(Address("h:1", "t")).owns("t2/a")


def test_without_a_jar_the_exit_code_is_4(monkeypatch, tmp_path):
    monkeypatch.setattr(kept, "cache", lambda: tmp_path)
    monkeypatch.setenv("WHEELPROOF_OFFLINE", "1")
    with pytest.raises(ToolError, match="spark-sql-kafka") as raised:
        Topic(Address("h:1", "t")).settings()
    assert raised.value.exit_code == 4 and "network" in str(raised.value)


def test_a_jar_with_another_digest_is_refused(monkeypatch, tmp_path):
    monkeypatch.setattr(kept, "cache", lambda: tmp_path)
    monkeypatch.setenv("WHEELPROOF_OFFLINE", "1")
    for jar in topics.JARS:
        (tmp_path / jar.file_name).write_bytes(b"another")
    with pytest.raises(ToolError, match="pinned SHA-256"):
        topics.jars()


def test_lag_is_the_records_behind_the_last_micro_batch(tmp_path):
    offsets = tmp_path / "3"
    latest = {"0": 9, "1": 7, "2": 3}
    assert topics.behind(latest, offsets) == 19
    offsets.write_text('v1\n{"batchWatermarkMs":0}\n{"t":{"0":5,"1":7}}', encoding="utf-8")
    assert topics.behind(latest, offsets) == 7
    assert Topic(Address("h:1", "t")).lag({}, 3) == ("records", None)


def test_errors_of_a_broker_are_distinguished(monkeypatch, capsys):
    """Records that are gone end a watch, a broker that is away does not, and a defect is one."""
    topic, calls = Topic(Address("h:1", "t")), []
    monkeypatch.setattr(topics, "_await_port", lambda address: calls.append("port"))

    def there(spark, address):
        calls.append("there")
        if len(calls) < 4:
            raise ToolError("not yet")

    monkeypatch.setattr(topics, "there", there)
    monkeypatch.setattr(topics.time, "sleep", lambda seconds: None)
    away = Exception("caused by org.apache.kafka.common.errors.TimeoutException: timed out")
    assert topic.answers(None, away)
    assert calls == ["port", "there", "port", "there"]
    assert "waits for it" in capsys.readouterr().err
    assert not topic.answers(None, Exception("a defect"))
    with pytest.raises(ToolError, match="were removed"):
        topic.answers(None, Exception("[KAFKA_DATA_LOSS.INITIAL_OFFSET_NOT_FOUND] lost"))


def test_violations_as_json_lines_have_their_ids(capsys):
    violation = {"run_id": "r", "rule": "Rule", "tid": 1, "trusted": True}
    for sink in (sinks.JsonLines(), sinks.Text()):
        sink.tell({"r/Rule/-/1.2": violation, "other": violation})
    lines = capsys.readouterr().out.splitlines()
    assert [json.loads(line) for line in lines[:2]] == [
        {"id": name, **violation} for name in ("r/Rule/-/1.2", "other")
    ]
    assert lines[2].endswith("[r/Rule/-/1.2]")


def test_the_topic_of_violations_must_be_there(monkeypatch):
    def absent(spark, address, ask):
        raise RuntimeError("java: UnknownTopicOrPartitionException")

    monkeypatch.setattr(topics, "_answer", absent)
    with pytest.raises(UsageError, match="no topic t") as raised:
        topics.TopicSink(None, Address("h:1", "t"))
    assert "--create" in str(raised.value)
