"""`pytest --wheelproof`: a subject's checks as tests, with the counterexample of each failure."""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

import pytest

from tests import forked
from tests.examples.pages import ONE_PROCESS, change, wheelproof
from tests.nights import by_night
from wheelproof import project, starter

ROOT = Path(__file__).resolve().parents[2]
STARTER = "my_lock"
UNLOCKED = "spec/MyLock.toml::mutant::Unlocked"


def run(folder, *arguments):
    """(exit code, what was printed) of pytest in a folder; with processes of its own it is started,
    otherwise it is forked."""
    arguments = ("-p", "no:cacheprovider", *arguments)
    environment = os.environ | {"PYTHONPATH": str(ROOT), "PYTEST_ADDOPTS": "", "COLUMNS": "100"}
    if "-n" not in arguments:
        with tempfile.TemporaryDirectory() as elsewhere:
            printed = Path(elsewhere) / "printed"
            code = forked.run_pytest(arguments, folder, environment, printed, 300)
            return code, printed.read_text(encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *arguments],
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=300,
    )
    return done.returncode, done.stdout + done.stderr


@pytest.fixture
def subject(tmp_path):
    starter.write(tmp_path, STARTER)
    (tmp_path / "pytest.ini").write_text("[pytest]\n", encoding="utf-8")
    return tmp_path


def collected(folder, *arguments):
    code, printed = run(folder, "--collect-only", "-q", *arguments)
    return code, re.findall(r"^spec/.*::.*$", printed, re.MULTILINE)


@pytest.mark.parametrize(
    "processes", [(), pytest.param(("-n", "2"), marks=pytest.mark.nightly)], ids=["one", "two"]
)
def test_each_check_is_a_test_and_passes(subject, processes):
    code, printed = run(subject, "--wheelproof", "-v", *processes, "spec")
    assert code == 0, printed
    assert UNLOCKED in printed and "spec/MyLock.toml::bisimulation::two_adders" in printed
    passed = r"PASSED (spec/.*::\S+)" if processes else r"^(spec/.*::\S+) PASSED"
    names = re.findall(passed, printed, re.MULTILINE)
    assert f"{len(names)} passed" in printed and len(names) == 17
    assert len(set(names)) == len(names)


EXAMPLES = [STARTER, *map(by_night, ("bounded_buffer", "door", "latch", "one_shot"))]


def example(name, folder):
    """A copy of an example, or what `wheelproof init` writes."""
    if name == STARTER:
        folder.mkdir()
        starter.write(folder, name)
    else:
        ignored = shutil.ignore_patterns("build", "__pycache__")
        shutil.copytree(ROOT / "examples" / name, folder, ignore=ignored)
    (folder / "pytest.ini").write_text("[pytest]\n", encoding="utf-8")
    return folder


def rows_of_tests(folder):
    """(mechanism, layer, name) of each collected test."""
    of_file = {f"spec/{each.toml.name}": name for name, each in project.find(folder).items()}
    found = [each.split("::") for each in collected(folder, "--wheelproof", "spec")[1]]
    return [(of_file[file], layer, name) for file, layer, name in found]


@pytest.mark.nightly
@pytest.mark.parametrize("name", EXAMPLES)
def test_the_tests_are_the_rows_of_a_verification(name, tmp_path):
    folder = example(name, tmp_path / name)
    code, printed = wheelproof(folder, "verify", *ONE_PROCESS)
    assert code == 0, printed
    results = json.loads((folder / "build" / "results.json").read_text(encoding="utf-8"))
    rows = {(row["mechanism"], row["layer"], row["name"]) for row in results["rows"]}
    tests = rows_of_tests(folder)
    assert set(tests) == rows and len(set(tests)) == len(tests)
    # planted: one row is left out
    planted = "from wheelproof.checks import overall\n\noverall.ROWS = overall.ROWS[:-1]\n"
    (folder / "conftest.py").write_text(planted, encoding="utf-8")
    assert {each[1:] for each in rows - set(rows_of_tests(folder))} == {("graph", "witnesses")}


def test_a_branch_that_no_scenario_runs_fails_by_name(subject):
    code, printed = run(subject, "--wheelproof", "spec", "-k", "coverage")
    assert code == 0 and "4 passed" in printed, "alone, on an empty cache"
    change(
        subject / "impl" / "my_lock.py",
        "        with self.lock:",
        "        if amount < 0:\n            amount = 0\n        with self.lock:",
    )
    code, printed = run(subject, "--wheelproof", "spec", "-k", "coverage")
    assert code == 1 and "1 failed, 3 passed" in printed
    assert "FAILED spec/MyLock.toml::coverage::branches" in printed
    assert "no scenario runs impl.my_lock: MyLock.add: amount < 0 is true" in printed
    assert "my_lock / coverage / branches: " in printed
    assert "Traceback" not in printed


@pytest.mark.nightly
def test_a_label_and_a_witness_that_no_scenario_reaches_fail_by_name(tmp_path):
    folder = example("bounded_buffer", tmp_path / "copy")
    change(folder / "spec" / "BoundedBuffer.toml", "capacity = 1\n", "capacity = 3\n")
    code, printed = run(folder, "--wheelproof", "spec", "-k", "labels or witnesses")
    assert code == 1 and "2 failed" in printed
    assert re.search("coverage / labels: .*no scenario exercises P3, P4", printed), printed
    assert re.search("graph / witnesses: .*no scenario reaches ProducerWaits", printed), printed
    assert "graph / two_producers: " in printed, "a part that is not in order may say why"


COUNTED = """
import os, time
from pathlib import Path
from wheelproof.checks import job as jobs
from wheelproof.checks import workers

FOLDER = Path(__file__).with_name("ran")
FOLDER.mkdir(exist_ok=True)


def carry_out(context, job):
    layers = "-".join(job.layers)
    (FOLDER / f"{layers} {job.name} {os.getpid()}").touch()
    ended = time.monotonic() + WAITS
    while len({each.name.split()[-1] for each in FOLDER.iterdir()}) < 2:
        if time.monotonic() > ended:
            break
        time.sleep(0.1)
    return jobs.carry_out(context, job)


workers.carry_out = carry_out
"""
"""Writes down which process runs which job. Each waits for another one that runs one."""

UNLOCKED_FILES = """
from contextlib import nullcontext
from wheelproof import pytest_plugin

pytest_plugin.alone = lambda file, wait: nullcontext(True)
"""


@pytest.mark.nightly
@pytest.mark.parametrize("locked", [True, False])
def test_what_rows_are_made_of_runs_in_one_process(subject, locked):
    text = COUNTED.replace("WAITS", "1" if locked else "60") + ("" if locked else UNLOCKED_FILES)
    (subject / "conftest.py").write_text(text, encoding="utf-8")
    arguments = ("--wheelproof", "-n", "2", "--dist", "each", "spec", "-k", "branches or fields")
    code, printed = run(subject, *arguments)
    assert code == 0 and "4 passed" in printed, printed
    ran = Counter(each.name.rpartition(" ")[0] for each in (subject / "ran").iterdir())
    assert ran == {"bisimulation two_adders": 1 if locked else 2}


def test_a_row_that_a_verification_does_not_make_is_skipped(subject):
    planted = "from wheelproof.checks import machine\n\nmachine.COMPARED = 1\n"
    (subject / "conftest.py").write_text(planted, encoding="utf-8")
    code, printed = run(subject, "--wheelproof", "-rs", "spec", "-k", "bisimulation")
    assert code == 0 and "1 skipped" in printed
    assert "the graph is too large to be compared" in printed


def test_a_stale_translation_fails_each_row_over_all_scenarios(subject):
    change(subject / "spec" / "MyLock.tla", "A2:   before := value;", "A2:   before := value + 0;")
    code, printed = run(subject, "--wheelproof", "spec", "-k", "coverage or witnesses or controls")
    assert code == 1 and "6 failed" in printed
    assert printed.count("my_lock / tlc / translation: ") >= 6


def test_a_failure_shows_the_reason_and_the_columns(subject):
    code_of = subject / "impl" / "my_lock.py"
    text = code_of.read_text(encoding="utf-8")
    code_of.write_text(text.replace("return before + amount", "return before"), encoding="utf-8")
    code, printed = run(subject, "--wheelproof", "spec", "-k", "bisimulation")
    assert code == 1 and "1 failed" in printed
    assert "my_lock / bisimulation / two_adders: " in printed
    assert "source and changes" in printed and "A3 write" in printed, "columns of the threads"
    assert "Traceback" not in printed and "pytest_plugin.py" not in printed
    counterexample = re.search(r"wheelproof replay (\S+)", printed)
    assert counterexample and (subject / counterexample[1]).is_file()
    code, printed = run(subject, "--wheelproof", "spec/MyLock.toml::tlc::two_adders")
    assert code == 0 and "1 passed" in printed, "TLC does not see the implementation"


@pytest.mark.nightly
def test_a_decision_that_breaks_nothing_fails(subject):
    mutant = subject / "mutants" / "my_lock" / "Unlocked.md"
    text = mutant.read_text(encoding="utf-8")
    mutant.write_text(text.replace("NothingLost", "NoDeadlock"), encoding="utf-8")
    code, printed = run(subject, "--wheelproof", UNLOCKED)
    assert code == 1
    assert "my_lock / mutant / Unlocked: expected violated by NoDeadlock" in printed


@pytest.mark.parametrize("option", [(), ("--wheelproof-profile", "nightly")])
def test_without_the_option_nothing_is_collected(subject, option):
    assert collected(subject, "spec", *option) == (5, [])


def test_a_line_of_the_configuration_is_the_option(subject):
    file = subject / "pytest.ini"
    file.write_text("[pytest]\nwheelproof = true\ntestpaths = spec\n", encoding="utf-8")
    assert collected(subject)[1] == collected(subject, "--wheelproof", "spec")[1]


def test_the_profile_chooses_the_checks(subject):
    spec = subject / "spec" / "MyLock.toml"
    text = spec.read_text(encoding="utf-8")
    spec.write_text(text.replace('fast = ["two_adders"]', 'nightly = ["two_adders"]'), "utf-8")
    night = ("--wheelproof-profile", "nightly")
    by_day, all_ = (collected(subject, "--wheelproof", "spec", *each)[1] for each in ((), night))
    safety = {f"spec/MyLock.toml::{layer}::two_adders" for layer in ("tlc", "bisimulation")}
    assert not safety & set(by_day) and safety <= set(all_)


def test_a_declaration_that_cannot_be_read_is_an_error(subject):
    spec = subject / "spec" / "MyLock.toml"
    spec.write_text(spec.read_text(encoding="utf-8") + "\n[propertys]\n", encoding="utf-8")
    code, printed = run(subject, "--wheelproof", "spec")
    assert code == 2 and "MyLock.toml" in printed and "Did you mean [properties]?" in printed
    assert "Traceback" not in printed
