"""``wheelproof trace``: what it prints, what it writes, and its exit codes."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tests.nights import first
from tests.wheelproof.trace.recorded import ROOT
from wheelproof.cli import app
from wheelproof.errors import UsageError
from wheelproof.pipeline import law
from wheelproof.report import recorded
from wheelproof.trace.format import jsonl
from wheelproof.trace.judging.verdict import CONFORMS, VIOLATES

HERE = Path(__file__).parent
GOLDEN, BROKEN = HERE / "golden", HERE / "broken"


def invoke(*arguments):
    return CliRunner().invoke(app, ["trace", *map(str, arguments)])


def test_a_folder_is_checked_whole(tmp_path):
    result = invoke("check", GOLDEN)
    assert result.exit_code == 1
    assert f"{GOLDEN}/mutant_M8.jsonl:12: CheckedLive" in result.output
    assert "4 conforms, 9 violates of 13 traces" in result.output
    result = invoke("check", GOLDEN / "two_adders.jsonl", GOLDEN / "readd.jsonl", "--quiet")
    assert (
        result.exit_code == 0
        and result.output.startswith("2 conforms of 2 traces")
        and result.output.count("\n") == 1
    )


@pytest.mark.daily(3)
@pytest.mark.parametrize(
    ("files", "code", "message"),
    [
        (["broken/no_footer.jsonl"], 3, "incomplete"),
        (["broken/an_operation.jsonl"], 3, "out-of-model"),
        (["broken/no_tseq.jsonl"], 2, "1 unreadable"),
        (["broken/no_footer.jsonl", "golden/two_adders.jsonl"], 3, "1 conforms, 1 incomplete"),
        (["broken/no_tseq.jsonl", "golden/two_adders.jsonl"], 2, "1 conforms, 1 unreadable of 2"),
        (["broken/no_tseq.jsonl", "golden/mutant_M2.jsonl"], 1, "1 violates, 1 unreadable"),
        (["absent.jsonl"], 2, "no such file"),
    ],
)
def test_the_exit_code_is_that_of_the_worst(files, code, message):
    result = invoke("check", *[HERE / file for file in files])
    assert result.exit_code == code and message in result.output


def test_a_file_that_cannot_be_read_at_all_ends_no_other_s_check(tmp_path):
    pytest.importorskip("pyarrow", reason="the extra data is not installed")
    (tmp_path / "a.parquet").write_bytes(b"")
    (tmp_path / "b.jsonl.gz").write_bytes(b"no gzip")
    (tmp_path / "c.jsonl").write_bytes((GOLDEN / "readd.jsonl").read_bytes())
    result = invoke("check", tmp_path)
    assert (
        result.exit_code == 2
        and f"{tmp_path / 'c.jsonl'}: conforms" in result.output
        and "1 conforms, 2 unreadable of 3 traces" in result.output
    )
    assert (
        f"{tmp_path / 'a.parquet'}: cannot be read as Parquet" in result.stderr
        and f"{tmp_path / 'b.jsonl.gz'}: the compressed file" in result.stderr
    )


def test_folders_are_searched_all_the_way_down_and_none_is_passed_over_in_silence(
    tmp_path, monkeypatch
):
    from wheelproof.pipeline import runs

    for place in ("a.jsonl", "deep/er/b.jsonl", "deep/.c.jsonl", "_spark/d.jsonl", "deep/e.txt"):
        (tmp_path / place).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / place).write_bytes((GOLDEN / "readd.jsonl").read_bytes())
    result = invoke("check", tmp_path)
    assert result.exit_code == 0 and "2 conforms of 2 traces" in result.output
    assert [file.path for file in runs.find([tmp_path])] == [
        tmp_path / "a.jsonl",
        tmp_path / "deep/er/b.jsonl",
    ]
    scan = os.scandir

    def scandir(folder):
        if Path(folder).name == "er":
            raise PermissionError(13, "Permission denied", str(folder))
        return scan(folder)

    monkeypatch.setattr(os, "scandir", scandir)
    result = invoke("check", tmp_path)
    assert (
        result.exit_code == 2
        and f"{tmp_path / 'deep/er'}: this folder cannot be read (Permission denied)"
        in result.output
    )
    with pytest.raises(UsageError, match="cannot be read"):
        runs.find([tmp_path])


def test_an_empty_folder_is_nothing_checked(tmp_path):
    assert invoke("check", tmp_path).exit_code == 5


def test_verdicts_as_json():
    result = invoke("check", GOLDEN / "mutant_M2.jsonl", GOLDEN / "readd.jsonl", "--json")
    document = json.loads(result.output)
    assert [row["verdict"] for row in document["verdicts"]] == ["violates", "conforms"]
    finding = document["verdicts"][0]["findings"][0]
    assert (finding["line"], finding["property"], finding["event"]["k"]) == (
        8,
        "AtMostOneList",
        "list_add",
    )
    assert document["verdicts"][1]["applied"]["ExactlyItsList"] > 0


@pytest.mark.nightly
def test_replay_shows_what_was_looked_at_or_what_led_there():
    result = invoke("replay", GOLDEN / "readd.jsonl")
    assert result.exit_code == 0 and "looked at: AtMostOneList" in result.output
    result = invoke("replay", GOLDEN / "mutant_M1.jsonl")
    assert result.exit_code == 1
    assert "mutants/timer_task_list.py:" in result.output and "what led there" in result.output


@pytest.mark.nightly
def test_a_shrunk_trace_is_written_and_refused_again(tmp_path):
    result = invoke("shrink", GOLDEN / "mutant_M2.jsonl", "-o", tmp_path / "small.jsonl")
    assert result.exit_code == 1 and "2 of 10 events" in result.output
    assert law.of_file(tmp_path / "small.jsonl").verdict == VIOLATES
    assert len(list(jsonl.Reader(tmp_path / "small.jsonl"))) == 2
    assert invoke("shrink", GOLDEN / "readd.jsonl", "-o", tmp_path / "none.jsonl").exit_code == 5
    assert not (tmp_path / "none.jsonl").exists()


@pytest.mark.parametrize("name", first(["small.parquet", "small.jsonl.gz", "small.jsonl"]))
def test_a_shrunk_trace_is_of_the_form_that_its_name_says(tmp_path, name):
    pytest.importorskip("pyarrow", reason="the extra data is not installed")
    assert invoke("shrink", GOLDEN / "mutant_M2.jsonl", "-o", tmp_path / name).exit_code == 1
    assert law.of_file(tmp_path / name).verdict == VIOLATES
    assert [path.name for path in tmp_path.iterdir()] == [name]


@pytest.mark.parametrize(
    "command",
    [
        ("shrink", GOLDEN / "mutant_M2.jsonl"),
        ("record", "timer_task_list", "two_adders", "--subject", ROOT),
    ],
)
def test_what_is_no_trace_by_its_name_is_not_written(tmp_path, command):
    result = invoke(*command, "-o", tmp_path / "small.txt")
    assert (
        result.exit_code == 2
        and "end in .jsonl, .jsonl.gz, .parquet" in result.output
        and not list(tmp_path.iterdir())
    )


@pytest.mark.parametrize(
    "option", [("--memory", "4g"), ("--master", "local[1]"), ("--scratch", "x"), ("--output", "x")]
)
def test_what_is_spark_s_is_not_passed_over_in_silence(option):
    result = invoke("check", GOLDEN / "readd.jsonl", *option)
    assert (
        result.exit_code == 2 and option[0] in result.output and "--engine spark" in result.output
    )


def test_rules_in_bulk_are_checked_in_memory_too(tmp_path):
    file = GOLDEN / "mutant_M2.jsonl"
    result = invoke("check", file, "--engine", "memory", "--output", tmp_path)
    assert result.exit_code == 1 and "AtMostOneList: linked into" in result.output
    document = json.loads((tmp_path / "trace-check.json").read_text())
    assert document["runs"][0]["broken"] == {"AtMostOneList": 1}
    found = recorded.read(tmp_path)
    assert isinstance(found, recorded.Recorded) and found.runs == {"violates": 1}
    assert found.events == document["events"] > 0 and found.covered["kinds of event"][0] > 0
    assert invoke("check", GOLDEN / "readd.jsonl", "--engine", "memory").exit_code == 0


@pytest.mark.parametrize("option", [("--memory", "4g"), ("--master", "local[1]")])
def test_what_is_spark_s_is_refused_in_memory(option):
    result = invoke("check", GOLDEN / "readd.jsonl", "--engine", "memory", *option)
    assert result.exit_code == 2 and option[0] in result.output


@pytest.mark.parametrize("engine", ["model", "spark"])
def test_a_subject_that_is_not_there_is_reported(tmp_path, engine):
    result = invoke(
        "check", GOLDEN / "readd.jsonl", "--engine", engine, "--subject", tmp_path / "absent"
    )
    assert result.exit_code == 2 and "no such folder" in result.output


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("heap", "two_adders"), "no mechanism 'heap'"),
        (("timer_task_list", "no_such"), "has no scenario"),
        (("timer_task_list",), "No scenario is named"),
        (("timer_task_list", "two_adders", "--kinds", "list_link"), "no kind of event"),
        (("timer_task_list", "two_adders", "--kinds", ","), "names no kind"),
        (("timer_task_list", "two_adders", "--schedule", "x.json"), "its own scenario"),
        (("timer_task_list", "--random", "1", "--schedule", "x.json"), "its own scenario"),
        (("timer_task_list", "two_adders", "--mutant", "M99"), "no decision M99"),
    ],
)
def test_what_cannot_be_recorded_is_reported(tmp_path, arguments, message):
    result = invoke("record", *arguments, "-o", tmp_path / "x.jsonl", "--subject", ROOT)
    assert (
        result.exit_code == 2 and message in result.output and not (tmp_path / "x.jsonl").exists()
    )


@pytest.mark.parametrize(
    ("names", "least", "mutants"),
    [
        (["timing_wheel"], 5, 5),
        pytest.param([], 30, 53, marks=pytest.mark.nightly),
    ],
)
def test_the_examples_are_written_checked_and_rejected_by_their_names(
    tmp_path, names, least, mutants
):
    result = invoke("examples", *names, "-o", tmp_path, "--subject", ROOT)
    assert result.exit_code == 0
    files = sorted(tmp_path.iterdir())
    assert (
        f"{len(files)}" == str(len(re.findall(r": \d+ events\b", result.output)))
        and len(files) > least
    )
    result = invoke("check", tmp_path, "--json", "--subject", ROOT)
    verdicts = {row["file"]: row["verdict"] for row in json.loads(result.output)["verdicts"]}
    assert result.exit_code == 1 and verdicts == {
        str(file): VIOLATES if "-mutant-" in file.name else CONFORMS for file in files
    }
    refused = sum("-mutant-" in file.name for file in files)
    assert refused >= mutants
    if not names:
        page = (ROOT / "docs" / "trace-replay.md").read_text(encoding="utf-8")
        assert f"records {len(files)} traces of all" in page
        assert f"Each of these {refused} is refused" in page


@pytest.mark.nightly
def test_the_examples_of_one_mechanism_are_checked_and_shrunk(tmp_path):
    result = invoke(
        "examples", "timer_task_list", "--check", "-o", tmp_path / "again", "--subject", ROOT
    )
    assert (
        result.exit_code == 0
        and "8 of mutants: each as expected" in result.output
        and result.output.count("events show") == 8
    )
    assert invoke("examples", "heap", "-o", tmp_path, "--subject", ROOT).exit_code == 2


def test_examples_that_are_not_as_expected_are_a_finding(tmp_path, monkeypatch):
    monkeypatch.setattr(law, "judged", lambda read, found, applied: read.verdict)
    monkeypatch.setattr(law, "both", lambda rules, model: rules)
    result = invoke("examples", "timer_task_list", "--check", "-o", tmp_path, "--subject", ROOT)
    assert result.exit_code == 1 and "mutant-M9" in result.output.rpartition("not as expected")[2]


@pytest.mark.daily(2)
@pytest.mark.parametrize("engine", ["memory"])
@pytest.mark.parametrize("named", [True, False])
def test_outside_a_project_the_error_names_what_is_missing(engine, named, tmp_path):
    """A process that has not read this project's kinds: a trace that names kinds, and one that does
    not."""
    lines = (GOLDEN / "readd.jsonl").read_text(encoding="utf-8").splitlines(keepends=True)
    header = json.loads(lines[0])
    header["capture"] = {"mode": "full", **({"kinds": ["list_add"]} if named else {})}
    (tmp_path / "run.jsonl").write_text(json.dumps(header) + "\n" + "".join(lines[1:]))
    ended = subprocess.run(
        [sys.executable, "-m", "wheelproof", "trace", "check", "--engine", engine, "run.jsonl"],
        cwd=tmp_path,
        env={name: value for name, value in os.environ.items() if "PATH" in name[:4]},
        capture_output=True,
        text=True,
    )
    assert ended.returncode == 2
    assert "no folder traces" in ended.stderr and "--subject" in ended.stderr
    assert "is no kind of event" not in ended.stderr and "is no column" not in ended.stderr
