"""`pytest --wheelproof`: a subject's checks as tests, with the counterexample of each failure."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from wheelproof import starter

ROOT = Path(__file__).resolve().parents[2]
UNLOCKED = "spec/MyLock.toml::mutant::Unlocked"


def run(folder, *arguments):
    """(exit code, what was printed) of pytest in a folder."""
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *arguments],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(ROOT), "PYTEST_ADDOPTS": "", "COLUMNS": "100"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=300,
    )
    return done.returncode, done.stdout + done.stderr


@pytest.fixture
def subject(tmp_path):
    starter.write(tmp_path, "my_lock")
    (tmp_path / "pytest.ini").write_text("[pytest]\n", encoding="utf-8")
    return tmp_path


def collected(folder, *arguments):
    code, printed = run(folder, "--collect-only", "-q", *arguments)
    return code, re.findall(r"^spec/.*::.*$", printed, re.MULTILINE)


def test_each_check_is_a_test_and_passes(subject):
    code, printed = run(subject, "--wheelproof", "-v", "-n", "2", "spec")
    assert code == 0, printed
    assert UNLOCKED in printed and "spec/MyLock.toml::bisimulation::two_adders" in printed
    _, names = collected(subject, "--wheelproof", "spec")
    assert f"{len(names)} passed" in printed and len(names) == 9
    assert len(set(names)) == len(names)


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
