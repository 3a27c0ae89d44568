"""``wheelproof verify --watch``: which changes start a run, and what ends the watching."""

import os
import shutil
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tests.found import mechanisms
from wheelproof.cli import app
from wheelproof.commands import watching
from wheelproof.project.inputs import FOLDERS, Inputs, below

ROOT = Path(__file__).parents[3]


# -- the waiting, with a clock and a run that are given


@pytest.fixture
def subject(tmp_path):
    for name in ("spec/Thing.toml", "spec/Thing.tla", "impl/thing.py", "harness/thing.py"):
        write(tmp_path / name)
    return tmp_path


def write(file, text="text\n"):
    """Append to a file, which need not be there."""
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("a", encoding="utf-8") as out:
        out.write(text)


class Runs:
    """Stands for the command: counts its calls, and gives exit codes, the last one for ever."""

    def __init__(self, codes=(0,), during=lambda: None, ended=False):
        self.codes, self.during, self.ended, self.count = list(codes), during, ended, 0

    def __call__(self):
        self.count += 1
        self.during()
        return self.codes.pop(0) if len(self.codes) > 1 else self.codes[0]


def watched(subject, steps, runs):
    """(exit code, lines). Each pause is one of the steps; a Ctrl-C comes after the last."""
    lines, left = [], list(steps)

    def pause(seconds):
        if not left:
            raise KeyboardInterrupt
        left.pop(0)()

    code = watching.Watching(subject, runs, lines.append, pause).run()
    return code, lines


def rest():
    """A pause in which nothing changes."""


def changes(lines):
    return [line.removeprefix("wheelproof: changed: ") for line in lines if "changed" in line]


def test_a_run_is_followed_by_a_line_with_the_number_of_files(subject):
    runs = Runs()
    code, lines = watched(subject, [rest, rest], runs)
    assert (code, runs.count) == (0, 1)
    assert lines == ["wheelproof: watching 4 files, Ctrl-C ends it"]


@pytest.mark.parametrize(
    ("name", "starts"),
    [
        ("spec/Thing.tla", True),
        ("spec/counts.json", True),
        ("model/thing.py", True),
        ("impl/parts/thing.py", True),
        ("harness/locks.toml", True),
        ("mutants/thing/M1.md", True),
        ("proofs/thing.py", True),
        ("jvm/thing.toml", True),
        ("build/results.json", False),
        ("spec/build/Thing.tla", False),
        ("impl/__pycache__/thing.cpython-311.pyc", False),
        ("impl/.thing.py.swp", False),
        ("impl/#thing.py#", False),
        ("impl/thing.py~", False),
        ("docs/thing.md", False),
    ],
)
def test_a_change_of_an_input_starts_a_run_and_no_other_does(subject, name, starts):
    runs = Runs()
    _, lines = watched(subject, [lambda: write(subject / name), rest, rest], runs)
    assert runs.count == 1 + starts
    assert [line.partition(" ")[0] for line in changes(lines)] == [name] * starts


@pytest.mark.parametrize(
    ("steps", "found"),
    [
        ("abc.", ["impl/a (new), impl/b (new), impl/c (new)"]),
        ("a.b.c.", ["impl/a (new)", "impl/b (new)", "impl/c (new)"]),
        ("aa.a.", ["impl/a (new)", "impl/a"]),
        ("abcde.", ["impl/a (new), impl/b (new), impl/c (new) and 2 more"]),
    ],
)
def test_changes_are_one_run_until_a_pause_without_any(subject, steps, found):
    runs = Runs()
    does = [
        rest if step == "." else lambda step=step: write(subject / "impl" / step) for step in steps
    ]
    _, lines = watched(subject, does, runs)
    assert changes(lines) == found and runs.count == 1 + len(found)


def test_a_deleted_file_starts_a_run(subject):
    runs = Runs()
    _, lines = watched(subject, [(subject / "impl/thing.py").unlink, rest], runs)
    assert changes(lines) == ["impl/thing.py (gone)"] and runs.count == 2
    assert lines[-1] == "wheelproof: watching 3 files, Ctrl-C ends it"
    shutil.rmtree(subject / "harness")
    assert watched(subject, [lambda: shutil.rmtree(subject / "spec"), rest], Runs())[1] == [
        "wheelproof: watching 2 files, Ctrl-C ends it",
        "wheelproof: changed: spec/Thing.tla (gone), spec/Thing.toml (gone)",
        "wheelproof: watching 0 files, Ctrl-C ends it",
    ]


def test_a_file_that_comes_and_goes_in_a_burst_starts_none(subject):
    runs, file = Runs(), subject / "spec" / "4913"
    assert not changes(watched(subject, [lambda: write(file), file.unlink, rest, rest], runs)[1])
    assert runs.count == 1


def test_a_text_of_the_same_size_starts_a_run(subject):
    def change():
        file = subject / "impl/thing.py"
        before = file.stat().st_mtime_ns
        file.write_text("next\n", encoding="utf-8")
        os.utime(file, ns=(before + 1, before + 1))

    assert changes(watched(subject, [change, rest], Runs())[1]) == ["impl/thing.py"]


def test_a_change_during_a_run_starts_another_after_it(subject):
    def during():
        if runs.count == 1:
            write(subject / "spec/Thing.tla")

    runs = Runs(during=during)
    _, lines = watched(subject, [rest, rest, rest], runs)
    assert runs.count == 2
    assert [line.split()[1] for line in lines] == ["watching", "changed:", "watching"]


@pytest.mark.parametrize("code", [0, 1, 2, 3, 4, 5])
def test_no_exit_code_ends_the_watching_and_the_last_one_is_its_own(subject, code):
    runs = Runs([code, 5 - code])
    change = [lambda: write(subject / "impl/thing.py"), rest]
    assert watched(subject, change, runs)[0] == 5 - code and runs.count == 2
    assert watched(subject, [], Runs([code]))[0] == code


def test_a_signal_during_a_run_ends_the_watching_with_its_code(subject):
    assert watched(subject, [rest], Runs([130], ended=True)) == (130, [])


def test_every_input_is_in_a_folder_that_is_watched():
    """Those of this project's own checks. The control: each folder has some."""
    groups = ("machine", "implementation", "decisions", "proofs", "java")
    found = [Inputs(mechanism) for mechanism in mechanisms().values()]
    inputs = {file for each in found for group in groups for file in getattr(each, group)}
    seen = {name: set(below(ROOT / name)) for name in FOLDERS}
    assert inputs - set().union(*seen.values()) == set()
    assert all(inputs & files for files in seen.values())


# -- the command


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--fresh"], "--fresh runs every check"),
        (["--json"], "results.json in the output folder is new after each run"),
        (["--output", "spec"], "--output spec is in spec, where --watch waits for changes."),
        (["--output", "impl/made"], "--output impl/made is in impl"),
        (["--layer", "stroll"], "There is no layer 'stroll'"),
    ],
)
def test_options_that_do_not_go_with_it_are_refused(subject, monkeypatch, options, message):
    monkeypatch.chdir(subject)
    monkeypatch.setattr(watching, "run", lambda *_: pytest.fail("it watches"))
    ended = CliRunner().invoke(app, ["verify", "--watch", *options])
    assert ended.exit_code == 2 and message in ended.stderr and not ended.stdout


def test_each_run_is_the_same_command_without_the_option():
    words = ["-m", "wheelproof", "verify", "thing", "--watch", "--jobs", "1"]
    assert watching.again(words) == ["-m", "wheelproof", "verify", "thing", "--jobs", "1"]


@pytest.mark.parametrize("quiet", [False, True])
def test_quiet_leaves_what_the_runs_print(subject, monkeypatch, capsys, quiet):
    class Says(watching.Watching):
        def run(self):
            self.say("a line")
            return 3

    monkeypatch.setattr(watching, "Watching", Says)
    assert watching.run(subject, quiet) == 3
    assert capsys.readouterr().err == ("" if quiet else "a line\n")
