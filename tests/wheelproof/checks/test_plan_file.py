"""The file of a plan, and the command that writes it."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from wheelproof import cli, project, starter
from wheelproof.checks import planned as planning
from wheelproof.checks import prove, verify
from wheelproof.commands import planning as command
from wheelproof.errors import UsageError
from wheelproof.events import VerifyOptions
from wheelproof.project import planned

ROOT = Path(__file__).resolve().parents[3]
NAME = "my_lock"


@pytest.fixture
def root(tmp_path):
    """A project with a plan."""
    starter.write(tmp_path, NAME)
    command.add(tmp_path, project.find(tmp_path)[NAME])
    return tmp_path


def test_a_plan_is_read_as_it_was_written(root):
    there = planned.read(root / "spec")
    assert sum(map(len, there.values())) == 17
    there["later"] = {
        ("mutant", f"a rather long name of a mutant, {number}"): planned.Planned(
            "nightly", {"fast": {"mutants": 2}, "nightly": {"mutants": number, "more": {"A": 2}}}
        )
        for number in range(7)
    }
    planned.write(root / "spec", there)
    assert planned.read(root / "spec") == there
    text = (root / "spec" / planned.FILE).read_text(encoding="utf-8")
    assert max(map(len, text.splitlines())) <= planned.WIDTH


@pytest.mark.parametrize(
    "change, message",
    [
        ({"rows": {"daily": {}}}, "rows.daily is no profile: fast or nightly"),
        ({"rows": {"fast": {"magic": ["X"]}}}, "rows.fast.magic has 'magic', which is no layer"),
        ({"rows": {"fast": {"tlc": "X"}}}, "rows.fast.tlc must be an array"),
        ({"rows": {"fast": {"tlc": ["X", "X"]}}}, "has the row tlc / X, which is there twice"),
        ({"rows": {"fast": {"tlc": ["X"]}, "nightly": {"tlc, graph": ["X"]}}}, "there twice"),
        ({"figures": {"fast": {"tlc": [{"n": 1, "rows": ["Y"]}]}}}, "Y, which is no row of layer"),
        ({"figures": {"fast": {"tlc": [{"rows": ["X"]}]}}}, "must stand beside one figure"),
        ({"figures": {"fast": {"tlc": [{"n": -1, "rows": ["X"]}]}}}, "tlc[0].n must be a number"),
        (
            {"figures": {"fast": {"tlc": [{"n": 1, "rows": ["X"]}] * 2}}},
            "X, whose n are there twic",
        ),
        ({"figures": None}, "figures must be an object"),
    ],
)
def test_a_wrong_plan_ends_a_run_before_its_checks(root, change, message):
    plan = {"rows": {"fast": {"tlc": ["X"]}}, "figures": {}} | change
    document = {"schema": planned.SCHEMA, "mechanisms": {NAME: plan}}
    (root / "spec" / planned.FILE).write_text(json.dumps(document), encoding="utf-8")
    with pytest.raises(UsageError) as refused:
        verify.run(VerifyOptions((), None, "fast", root, root / "build", 1))
    assert f"{root / 'spec' / planned.FILE}: field mechanisms.{NAME}." in str(refused.value)
    assert message in str(refused.value)
    assert not (root / "build").exists()


def test_the_command_prints_each_difference_and_writes_the_plan(root, capsys):
    file = root / "spec" / planned.FILE
    before = file.read_bytes()
    command.update(root, project.find(root), True)
    assert capsys.readouterr().out == f"{file}: 17 checks, as it was\n"
    assert file.read_bytes() == before
    (root / "mutants" / NAME / "KeepsLock.md").unlink()
    text = file.read_text(encoding="utf-8")
    file.write_text(re.sub(r'"declared": \d+', '"declared": 99', text), encoding="utf-8")
    ended = CliRunner().invoke(cli.app, ["list", NAME, "--update-plan", "--subject", str(root)])
    assert ended.exit_code == 0 and set(ended.output.splitlines()) == {
        f"less: {NAME} / mutant / KeepsLock",
        f"{NAME} / coverage / labels: declared 99 -> 5",
        f"{file}: 16 checks, written",
    }
    command.update(root, {}, True)
    assert capsys.readouterr().out.startswith(f"less: {NAME} / tlc / translation\n")


@pytest.mark.parametrize("others", [["--json"], ["--config", "two_adders"], ["--update-counts"]])
def test_the_command_takes_mechanisms_alone(root, others):
    ended = CliRunner().invoke(cli.app, ["list", "--update-plan", "--subject", str(root), *others])
    assert ended.exit_code == 2


def test_no_run_writes_the_plan(root):
    file = root / "spec" / planned.FILE
    os.utime(file, ns=(1, 1))
    before = file.read_bytes()
    (root / "mutants" / NAME / "KeepsLock.md").unlink()
    for arguments in (
        ["verify", "--layer", "mutant", "--jobs", "1"],
        ["prove", "first", "--jobs", "1"],
        ["list"],
        ["list", "--json"],
    ):
        CliRunner().invoke(cli.app, [*arguments, "--subject", str(root)])
    assert (file.read_bytes(), file.stat().st_mtime_ns) == (before, 1)


def test_three_modules_alone_write_a_plan_and_no_script_asks_for_it():
    names = re.compile(r"\b(planned\.write|planning\.update|planning\.add)\(")
    callers = {
        (file.name, name)
        for file in (ROOT / "wheelproof").rglob("*.py")
        for name in names.findall(file.read_text(encoding="utf-8"))
    }
    assert callers == {
        ("planning.py", "planned.write"),
        ("inventory.py", "planning.update"),
        ("starting.py", "planning.add"),
        ("drafting.py", "planning.add"),
    }
    scripts = [ROOT / "Makefile", ROOT / ".pre-commit-config.yaml", *(ROOT / "tools").iterdir()]
    for file in scripts:
        assert file.is_dir() or "update-plan" not in file.read_text(encoding="utf-8"), file


PROJECTS = (ROOT, *sorted(file.parents[1] for file in ROOT.glob("examples/*/spec/*.toml")))


@pytest.mark.daily(3)
@pytest.mark.parametrize("root", PROJECTS, ids=lambda root: root.name)
def test_the_plan_is_that_of_the_declarations(root, monkeypatch):
    """What a graph's size decides is taken from the plan: `--update-plan` explores it."""
    there = planned.read(root / "spec")
    monkeypatch.setattr(
        planning,
        "too_large",
        lambda mechanism, config: ("bisimulation", config.name) not in there[mechanism.name],
    )
    theorems = prove.declared(root)
    made = {
        name: planning.declarations(mechanism, theorems)
        for name, mechanism in project.find(root).items()
    }
    assert list(planned.differences(there, made)) == []
