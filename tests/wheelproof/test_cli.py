"""The command line: exit codes, output, messages without tracebacks, and lazy imports."""

import json
import os
import signal
import subprocess
import sys
import types
from pathlib import Path
from xml.etree import ElementTree

import pytest
from typer.testing import CliRunner

from tests.wheelproof.thing import TOML
from wheelproof import doctor
from wheelproof.cli import app
from wheelproof.counterexample.document import Counterexample, Step
from wheelproof.errors import NothingChecked, ToolError, UsageError
from wheelproof.events import Beat, Check, Ended, Planned, Started, ToolFound
from wheelproof.verdict import judge, read_results

GOOD = judge("thing", "tlc", "two", expected="exhaustive", verdict="exhaustive")


def row(verdict, name="x"):
    return judge("thing", "bisimulation", name, expected="exhaustive", verdict=verdict)


@pytest.fixture
def home(tmp_path, monkeypatch):
    """A subject with one mechanism as the working directory."""
    (tmp_path / "spec").mkdir()
    (tmp_path / "spec" / "Thing.toml").write_text(TOML)
    (tmp_path / "spec" / "Thing.tla").write_text("---- MODULE Thing ----\n====\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(doctor, "versions", lambda: {"wheelproof": "0"})
    return tmp_path


@pytest.fixture
def engine(monkeypatch):
    """Put a function in place of the verification; it keeps the options of its calls."""

    def put(behave):
        module = types.ModuleType("wheelproof.checks.verify")
        module.seen = []
        module.run = lambda options: (module.seen.append(options), behave(options))[1]
        monkeypatch.setitem(sys.modules, "wheelproof.checks.verify", module)
        monkeypatch.setattr("wheelproof.checks.verify", module, raising=False)
        return module.seen

    return put


def invoke(*arguments):
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


@pytest.mark.parametrize(
    ("rows", "code"),
    [
        ([GOOD], 0),
        ([GOOD, row("violated")], 1),
        ([GOOD, row("inconclusive")], 3),
        ([GOOD, row("error"), row("violated", "y")], 1),
        ([GOOD, row("error")], 4),
        ([GOOD, row("vacuous")], 5),
        ([], 5),
    ],
)
def test_the_exit_code_is_that_of_the_rows(home, engine, rows, code):
    engine(lambda options: rows)
    ended = invoke("verify")
    assert ended.exit_code == code
    assert ended.stdout.splitlines()[-1].startswith(
        f"wheelproof: {sum(item.ok for item in rows)} of {len(rows)} checks in order"
    )
    results = read_results(home / "build" / "results.json")
    assert list(results.rows) == rows and results.complete
    assert ElementTree.parse(home / "build" / "junit.xml").getroot().get("tests") == str(
        max(1, len(rows))
    )
    assert (home / "build" / "review.md").read_text().startswith("# Design review")


def test_the_options_reach_the_engine(home, engine):
    seen = engine(lambda options: [GOOD])
    invoke(
        "verify",
        "thing",
        "--layer",
        "tlc, bisimulation",
        "--layer",
        "graph",
        "--profile",
        "nightly",
        "--jobs",
        3,
        "--output",
        "out",
        "--subject",
        ".",
    )
    invoke("verify")
    chosen, default = seen
    assert (chosen.mechanisms, chosen.layers, chosen.profile) == (
        ("thing",),
        frozenset({"tlc", "bisimulation", "graph"}),
        "nightly",
    )
    assert (chosen.root, chosen.output, chosen.jobs) == (Path("."), Path("out"), 3)
    assert (default.mechanisms, default.layers, default.profile, default.output) == (
        (),
        None,
        "fast",
        Path("build"),
    )
    assert default.jobs >= 1 and (home / "out" / "results.json").is_file()


def test_json_is_one_document_on_standard_output(home, engine):
    engine(lambda options: [GOOD, row("violated")])
    ended = invoke("verify", "--json")
    assert json.loads(ended.stdout) == json.loads((home / "build" / "results.json").read_text())
    assert "not in order: thing / bisimulation / x" in ended.stderr and ended.exit_code == 1


def test_quiet_is_one_line(home, engine):
    def behave(options):
        options.listen(Started(Check("thing", "tlc", "two")))
        options.listen(Ended(GOOD))
        return [GOOD]

    engine(behave)
    ended = invoke("verify", "--quiet")
    assert ended.output == "wheelproof: 1 of 1 checks in order: every verdict as expected\n"


def test_progress_goes_to_standard_error_and_tools_into_the_results(home, engine):
    def behave(options):
        for notice in (
            Planned(1),
            Started(Check("thing", "tlc", "two")),
            Beat(Check("thing", "tlc", "two"), 5),
            ToolFound("tlc", "2.18"),
            Ended(GOOD),
        ):
            options.listen(notice)
        return [GOOD]

    engine(behave)
    ended = invoke("verify")
    assert ended.stderr.splitlines() == [
        "1 check: no earlier run tells how long they take",
        "start  thing / tlc / two",
        "ok     thing / tlc / two: exhaustive, 0.0 s (1/1, 0 s)",
    ]
    assert read_results(home / "build" / "results.json").tools == {"wheelproof": "0", "tlc": "2.18"}


@pytest.mark.parametrize(
    ("error", "code", "message"),
    [
        (KeyboardInterrupt(), 130, "wheelproof: interrupted"),
        (ToolError("TLC broke.", "Look at it."), 4, "wheelproof: TLC broke. Look at it."),
        (
            NothingChecked("No config is in the profile."),
            5,
            "wheelproof: No config is in the profile.",
        ),
        (ZeroDivisionError("oops"), 4, "is a defect of Wheelproof itself"),
    ],
)
def test_a_broken_run_keeps_its_rows_and_is_never_green(home, engine, error, code, message):
    def behave(options):
        options.listen(Ended(GOOD))
        raise error

    engine(behave)
    ended = invoke("verify")
    assert ended.exit_code == code and message in ended.stderr
    assert ("Traceback" in ended.stderr) == isinstance(error, ZeroDivisionError)
    results = read_results(home / "build" / "results.json")
    assert list(results.rows) == [GOOD] and not results.complete
    assert "PARTIAL RESULTS" in ended.stdout and "every verdict as expected" not in ended.stdout
    assert ElementTree.parse(home / "build" / "junit.xml").getroot().get("errors") == "1"


def test_of_an_older_runs_files_the_page_alone_outlives_the_start_of_a_new_one(home, engine):
    engine(lambda options: [GOOD])
    invoke("verify")
    old = read_results(home / "build" / "results.json")

    page = home / "build" / "review.html"
    page.write_text("the old page", encoding="utf-8")

    def look(options):
        left = {file.name for file in Path("build").iterdir()}
        assert left == {"lock", "results.json", "review.html"}
        assert page.read_text(encoding="utf-8") == "the old page"
        now = read_results(Path("build", "results.json"))
        assert now.run != old.run and not now.rows and not now.complete
        return [GOOD]

    engine(look)
    assert invoke("verify").exit_code == 0
    assert "Design review" in page.read_text(encoding="utf-8")


def test_two_rows_of_one_name_are_not_reported_as_one(home, engine):
    engine(lambda options: [GOOD, GOOD])
    assert invoke("verify").exit_code == 4


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["verify", "thang"],
            "There is no mechanism 'thang'. Did you mean thing? Known mechanisms: thing.",
        ),
        (
            ["verify", "--layer", "tlc,bisimulatoin"],
            "There is no layer 'bisimulatoin'. Did you mean bisimulation? Known layers: tlc, "
            "graph, bisimulation",
        ),
        (["verify", "--layer", ","], "--layer names no layer."),
        (["verify", "--profile", "slow"], "nightly"),
        (["verify", "--jobs", "-1"], "--jobs"),
        (["show", "absent.json"], "absent.json: cannot be read"),
        (["replay", "absent.json"], "absent.json: cannot be read"),
        (["replay", "absent.json", "--on", "paper"], "impl"),
        (["translate", "absent.tla"], "absent.tla"),
        (["translate", "spec/Thing.tla"], "has no PlusCal algorithm"),
        (["verfy"], "verfy"),
        (["prove", "T1"], "There is no theorem 'T1'. The project has no theorems."),
        (["list", "--config", "twoo"], "There is no config 'twoo'. Did you mean two?"),
        (["list", "--update-counts", "--json"], "Name them by --config."),
    ],
)
def test_a_wrong_command_ends_with_one_sentence(home, engine, arguments, message):
    seen = engine(lambda options: [GOOD])
    ended = invoke(*arguments)
    assert ended.exit_code == 2 and message in ended.stderr and "Traceback" not in ended.stderr
    assert not seen and not ended.stdout


def test_a_folder_without_a_subject_is_nothing_checked(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    ended = invoke("verify")
    assert ended.exit_code == 5 and "--subject" in ended.stderr and not Path("build").exists()


def test_an_output_that_cannot_be_written_is_reported_before_the_run(home, engine):
    Path("build").write_text("a file")
    seen = engine(lambda options: [GOOD])
    ended = invoke("verify")
    assert ended.exit_code == 4 and "build" in ended.stderr and not seen


@pytest.fixture
def trace(home):
    path = home / "trace.json"
    Counterexample(
        "thing", "tlc", "two", "two", "Safe", "because", ("a",), {}, (Step("a", "A1", "lock"),)
    ).write(path)
    return path


def test_show_draws_columns_or_entries(trace):
    wide, narrow = invoke("show", trace), invoke("show", trace, "--width", 60)
    assert wide.exit_code == narrow.exit_code == 0
    assert "source and changes" in wide.stdout and "[a] A1 lock" in narrow.stdout
    assert f"replay: wheelproof replay {trace}" in wide.stdout


@pytest.mark.parametrize("code", [0, 1, 4])
def test_replay_and_list_pass_their_arguments_and_codes_on(trace, monkeypatch, code):
    seen = []
    for name in ("counterexample.replay", "commands.listing"):
        module = types.ModuleType(f"wheelproof.{name}")
        module.run = lambda *arguments, **more: (seen.append((arguments, more)), code)[1]
        module.SENSITIVITY = "sensitivity"
        module.update_all = lambda found, only: (seen.append((list(found), only)), code)[1]
        monkeypatch.setitem(sys.modules, f"wheelproof.{name}", module)
        monkeypatch.setattr(f"wheelproof.{name}", module, raising=False)
    assert invoke("replay", trace, "--on", "model", "--until", 3).exit_code == code
    assert invoke("list", "--update-counts", "--config", "two").exit_code == code
    assert invoke("list", "--scenario", "two", "--json").exit_code == code
    until, counts, (places, more) = seen
    assert until == ((trace, "model", 3), {"root": Path(".")}) and counts == (["thing"], ["two"])
    assert places[0] == Path(".") and list(places[1]) == ["thing"]
    assert places[2] == {("thing", "two")} and more == {"as_json": True}


def test_the_version_is_that_of_the_package():
    from importlib.metadata import version

    assert invoke("--version").stdout == f"wheelproof {version('wheelproof')}\n"


def test_an_error_gives_the_number_of_many_names():
    from wheelproof.commands.options import MOST_NAMES, check_known

    few = [f"name{number}" for number in range(MOST_NAMES)]
    with pytest.raises(UsageError, match=f"Known rooms: {', '.join(few)}"):
        check_known("room", ["attic"], few)
    with pytest.raises(UsageError, match=rf"There are {MOST_NAMES + 1} rooms: `wheelproof list`"):
        check_known("room", ["attic"], [*few, "cellar"])
    check_known("room", ["cellar"], [*few, "cellar"])


# Real processes.


def start(home, behave, *arguments, **more):
    """`wheelproof verify` in a process of its own with an engine given as source."""
    engine = (
        "import sys, types, time, os, signal\nfrom wheelproof.events import *\n"
        "from wheelproof.verdict import judge\n"
        "from wheelproof import doctor\ndoctor.versions = dict\n"
        "row = judge('thing', 'tlc', 'two', expected='exhaustive', verdict='exhaustive')\n"
        f"def run(options):\n    {behave}\n"
        "module = types.ModuleType('wheelproof.checks.verify'); module.run = run\n"
        "sys.modules['wheelproof.checks.verify'] = module\n"
        "import wheelproof.checks; wheelproof.checks.verify = module\n"
        "from wheelproof.cli import main; main()\n"
    )
    return subprocess.Popen(
        [sys.executable, "-c", engine, *arguments],
        cwd=home,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        **more,
    )


def test_an_interrupt_leaves_partial_results(home):
    process = start(
        home, "options.listen(Ended(row)); print('ready', flush=True); time.sleep(600)", "verify"
    )
    assert process.stdout.readline() == "ready\n"
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=300)
    assert (
        process.returncode == 130
        and "interrupted" in err
        and "Traceback" not in err
        and "PARTIAL" in out
    )
    assert len(read_results(home / "build" / "results.json").rows) == 1


def test_a_kill_leaves_what_had_ended(home):
    process = start(
        home, "options.listen(Ended(row)); os.kill(os.getpid(), signal.SIGKILL)", "verify"
    )
    process.communicate(timeout=300)
    assert process.returncode == -signal.SIGKILL
    results = read_results(home / "build" / "results.json")
    assert (
        len(results.rows) == 1
        and not results.complete
        and not (home / "build" / "junit.xml").exists()
    )


def test_a_reader_that_leaves_makes_no_noise(home):
    process = start(home, "return [row]", "verify")
    process.stdout.close()
    err = process.stderr.read()
    assert process.wait(timeout=300) == 4 and "Traceback" not in err and "BrokenPipe" not in err
    assert read_results(home / "build" / "results.json").complete


def test_an_ascii_terminal_is_borne(trace):
    trace.write_text(trace.read_text().replace("because", "for \\u00e9"))
    message = subprocess.run(
        [sys.executable, "-m", "wheelproof", "show", trace],
        capture_output=True,
        text=True,
        cwd=Path(__file__).parents[2],
        env=os.environ | {"PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"},
    )
    assert (
        message.returncode == 0
        and message.stdout.isascii()
        and "A1 lock" in message.stdout
        and "for \\xe9" in message.stdout
    )
