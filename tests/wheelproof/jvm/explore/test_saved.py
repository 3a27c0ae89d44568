"""A failing order of Java that is kept as a test of JUnit, and run again."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from real.d1.classes import JUNIT
from tests.examples.pages import ROOT, wheelproof
from wheelproof import java
from wheelproof.errors import UsageError
from wheelproof.jvm.explore import saved
from wheelproof.jvm.jars import NotHere, locate
from wheelproof.jvm.setup import MINIMUM, compile_java
from wheelproof.plain.answers import Answer, Exploration, Failure, FailureKind, Schedule, Switch

STOCK = ROOT / "examples" / "stock"


def kept(folder):
    """A saved order of the race in a folder."""
    shutil.copy(STOCK / "StockRace.java", folder)
    code, output = wheelproof(
        folder, "explore", "--harness", "StockRace.java", "--save", "StockRaceTest.java"
    )
    assert code == 1 and output.endswith("written: StockRaceTest.java")
    return folder / "StockRaceTest.java"


def schedule_of(text):
    """The schedule of a saved test, in JSON."""
    block = text.partition('SCHEDULE = """')[2].partition('"""')[0]
    return block.replace("\\\\", "\\")


def mend(folder):
    text = (STOCK / "SoundStockRace.java").read_text(encoding="utf-8")
    (folder / "StockRace.java").write_text(text.replace("SoundStockRace", "StockRace"))


def test_a_saved_order_fails_until_the_class_is_mended(tmp_path):
    file = kept(tmp_path)
    (tmp_path / "kept.json").write_text(schedule_of(file.read_text(encoding="utf-8")))
    again = ("explore", "--harness", "StockRace.java", "--schedule", "kept.json")
    code, output = wheelproof(tmp_path, *again)
    assert code == 1 and "the saved schedule fails: AssertionError in main" in output
    mend(tmp_path)
    code, output = wheelproof(tmp_path, *again)
    assert code == 0 and output.startswith("this schedule is no longer possible")


@pytest.mark.nightly
def test_junit_runs_a_saved_order(tmp_path):
    try:
        (junit,) = locate([JUNIT], fetch=True)
        executable = java.locate("JUnit", MINIMUM, "Install Java.").executable
    except NotHere as error:
        pytest.skip(f"NOT RUN: {error}")
    classes = compile_java(executable, [kept(tmp_path)], [junit], True)
    command = [executable, "-jar", junit, "execute", "-cp", classes, "--scan-classpath"]
    folder = Path(sys.executable).parent
    environment = os.environ | {"PATH": f"{folder}{os.pathsep}{os.environ['PATH']}"}

    def run():
        done = subprocess.run(
            command, cwd=tmp_path, env=environment, capture_output=True, text=True
        )
        return done.returncode, done.stdout

    code, output = run()
    assert code == 1 and "the saved schedule fails" in output and "count is -1" in output
    mend(tmp_path)
    code, output = run()
    assert code == 0 and "1 tests successful" in output


def test_a_text_of_others_stays_a_literal_or_a_comment():
    quoted = 'a"""b\\u000a int c;'
    failure = Failure(
        FailureKind.ASSERTION, quoted, quoted, None, (), (), (), 1, True, free_threaded_only=None
    )
    schedule = Schedule((Switch(quoted, "", 0, "main"),), (quoted,))
    exploration = Exploration(Answer.BUG, 1, (), failure, None, quoted, schedule)
    text = saved.text("KeptTest", Path("Race.java"), [], exploration)
    assert "\\u000a" not in text.replace("\\\\", "")
    assert text.count('"""') == 2 + text.count('// bug: a"""b')
    assert json.loads(schedule_of(text))["places"] == [quoted]


@pytest.mark.parametrize("name", ["Kept.java", "Kept.txt", "a-Test.java", "away/KeptTest.java"])
def test_a_name_that_no_test_can_have_is_refused(tmp_path, name):
    with pytest.raises(UsageError):
        saved.check_writable(tmp_path / name)


def test_a_file_of_another_kind_is_not_replaced(tmp_path):
    file = tmp_path / "KeptTest.java"
    saved.check_writable(file)
    file.write_text("class KeptTest { }")
    with pytest.raises(UsageError, match="is no saved schedule"):
        saved.check_writable(file)
    file.write_text(f"{saved.MARK}\n")
    saved.check_writable(file)
