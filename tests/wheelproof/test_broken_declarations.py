"""A declaration that is no TOML ends every command in the same way."""

import json
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from wheelproof.cli import app
from wheelproof.counterexample.document import Counterexample, Step
from wheelproof.errors import UsageError

RECORDING = Path(__file__).parent / "trace" / "golden" / "mutant_M8.jsonl"

READ = {
    "verify": "",
    "prove": "",
    "mutate": "--list",
    "campaign": "verify",
    "locks": "",
    "jvm": "",
    "list": "",
    "models": "",
    "mutant": "thing/M1",
    "replay": "trace.json",
    "doctor": "",
    "trace record": "thing two",
    "trace examples": "",
    "trace watch": ".",
}
"""Command -> its arguments."""

READ_NONE = {
    *("explore", "export", "fuzz", "init", "show", "tla", "translate"),
    *("trace check", "trace publish", "trace replay", "trace shrink"),
}
"""Commands that read a file that they are given, and no declaration."""


def commands():
    found = typer.main.get_command(app).commands
    return {
        name if inner is None else f"{name} {inner}"
        for name, command in found.items()
        for inner in getattr(command, "commands", [None])
    }


@pytest.fixture
def broken(tmp_path, monkeypatch):
    """A project whose declaration lacks a bracket, with a counterexample."""
    (tmp_path / "spec").mkdir()
    (tmp_path / "spec" / "Thing.toml").write_text("[mechanism\n")
    (tmp_path / "spec" / "Thing.tla").write_text("---- MODULE Thing ----\n====\n")
    TRACE.write(tmp_path / "trace.json")
    monkeypatch.chdir(tmp_path)
    return tmp_path


TRACE = Counterexample(
    "thing", "tlc", "two", "two", "Safe", "because", ("a",), {}, (Step("a", "A1", "lock"),)
)


def run(command):
    return CliRunner().invoke(app, [*command.split(), *READ.get(command, "").split()])


def test_no_command_is_forgotten():
    assert commands() == READ.keys() | READ_NONE


@pytest.mark.parametrize("command", READ)
def test_it_ends_with_2_and_names_the_file(broken, command):
    ended = run(command)
    assert ended.exit_code == UsageError.exit_code, ended.output
    assert "spec/Thing.toml: not valid TOML" in " ".join(ended.output.split())


def test_a_sound_declaration_is_not_refused(broken):
    (broken / "spec" / "Thing.toml").write_text(
        '[mechanism]\nmodule = "Thing"\n[properties.invariant]\nSafe = "nothing bad"\n'
        '[labels]\nlock = ["A1"]\n[scenarios.two]\nthreads = { a = [["go"]] }\n[configs.two]\n'
    )
    ended = run("list")
    assert ended.exit_code == 0 and "not valid TOML" not in ended.output


@pytest.mark.parametrize("command", sorted(READ_NONE & {"show", "export"}))
def test_a_command_that_reads_no_declaration_does_its_work(broken, command):
    arguments = [command, "trace.json", *(["--to", "itf"] if command == "export" else [])]
    ended = CliRunner().invoke(app, arguments)
    assert ended.exit_code == 0, ended.output
    assert command == "show" or json.loads(ended.stdout)["#meta"]
