"""The command of campaigns: what it refuses, with which exit code and remedy."""

import sys

import pytest
from typer.testing import CliRunner

from tests.examples.pages import wheelproof
from tests.found import ROOT
from wheelproof.campaign.driver import duration, line
from wheelproof.cli import app
from wheelproof.commands import campaigning
from wheelproof.errors import UsageError

SEMAPHORE = "tests.wheelproof.linearizability.subjects:Semaphore"


@pytest.mark.parametrize(
    ("arguments", "reported"),
    [
        (["nothing"], "no kind of campaign 'nothing'"),
        (["linearizable", SEMAPHORE], "Give them as --seeds 0:1000"),
        (["linearizable", SEMAPHORE, "--seeds", "5"], "--seeds 5 names no seeds"),
        (["linearizable", SEMAPHORE, "--seeds", "5:5"], "--seeds 5:5 names no seeds"),
        (["verify", "atomic", "--programs", "3"], "--programs means nothing"),
        (["verify", "--output", "impl/campaign"], "is the project's folder impl"),
    ],
)
def test_a_bad_input_is_refused(arguments, reported, tmp_path):
    output = [] if "--output" in arguments else ["--output", str(tmp_path / "c")]
    code, printed = wheelproof(ROOT, "campaign", *arguments, *output)
    assert code == 2, printed
    assert reported in " ".join(printed.split())
    assert not (tmp_path / "c" / "manifest.json").exists()


def test_without_pyspark_the_command_ends_with_4_and_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "pyspark", None)
    arguments = ["campaign", "linearizable", SEMAPHORE, "--seeds", "0:2"]
    ended = CliRunner().invoke(app, arguments)
    assert ended.exit_code == 4
    printed = " ".join(ended.output.split())
    assert "needs pyspark" in printed and "wheelproof[data]" in printed
    assert "make setup-data" in printed


def test_fresh_removes_the_files_of_a_campaign_and_nothing_else(tmp_path):
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(UsageError, match="is no campaign"):
        campaigning.clear(tmp_path)
    for name in ("manifest.json", "blocks/000000.parquet", "failures/a.json", "project.zip"):
        file = tmp_path / name
        file.parent.mkdir(exist_ok=True)
        file.write_text("")
    campaigning.clear(tmp_path)
    assert [file.name for file in tmp_path.iterdir()] == ["notes.txt"]


def test_progress_has_rate_and_remaining_time():
    assert line(40, 100, 30, 10.0) == "campaign: 40 of 100 units, 3.0/s, about 20 s left"
    assert line(40, 100, 0, 10.0) == "campaign: 40 of 100 units, 0.0/s"
    assert [duration(seconds) for seconds in (89, 600, 7_200)] == [
        "about 89 s",
        "about 10 min",
        "about 2 h",
    ]
