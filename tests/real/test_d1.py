"""Kafka's released classes have defect D1, and real/d1/fix.diff removes it.

The regression test in Java decides that without a clock. No test here asserts how late a task is.
"""

import re

import pytest

from real.d1 import __main__ as command
from real.d1 import classes as d1
from tests.nights import only
from wheelproof.errors import ToolError
from wheelproof.jvm.jars import NotHere, locate
from wheelproof.jvm.patch import with_patch


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("d1")


def classes(folder, fixed):
    """A release's classes; without their jars nothing is run."""
    try:
        return d1.of_release(d1.NAMED, folder, fixed)
    except NotHere as error:
        pytest.skip(f"NOT RUN: {error}")


def test_the_regression_test_fails_on_the_released_classes(folder):
    passed, message = command.regression(classes(folder, fixed=False), folder)
    assert not passed
    assert "the overdue task should be submitted" in message
    assert "expected: <1> but was: <2>" in message


@pytest.mark.nightly
def test_the_regression_test_passes_with_the_fix(folder):
    passed, message = command.regression(classes(folder, fixed=True), folder)
    assert passed, message


@pytest.mark.nightly
@pytest.mark.slow
@pytest.mark.parametrize("fixed", only([False, True], False))
def test_the_reproduction_runs_each_case(folder, fixed):
    lines = command.measure(classes(folder, fixed), 400, 1).splitlines()
    cases = [re.match(r" +400  (.*?)  +-\d+ +-?\d+ +-?\d+ +-?\d+$", line) for line in lines[2:]]
    assert [found and found[1] for found in cases] == [
        "stalled add",
        "stalled add, other slot",
        "no stall",
    ]


def test_a_diff_that_does_not_apply_is_refused_by_name(folder, tmp_path):
    classes(folder, fixed=False)
    damaged = tmp_path / "damaged.diff"
    text = d1.FIX.read_text(encoding="utf-8")
    assert text.count("writeLock.lock();") == 1
    damaged.write_text(text.replace("writeLock.lock();", "writeLock.unlock();"), encoding="utf-8")
    with (
        pytest.raises(ToolError, match="damaged.diff does not apply to kafka-server-common-4.3.0"),
        with_patch(damaged, tmp_path, *locate([d1.SOURCES], fetch=True)),
    ):
        pass
    assert [path.name for path in tmp_path.iterdir()] == ["damaged.diff"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--release", "2.0.0"], "no release 2.0.0 with the timer as a Java class"),
        (["--release", "3.9.0", "--fixed"], "The fix is a diff against 4.3.0"),
    ],
)
def test_what_cannot_be_run_is_a_usage_error(capsys, arguments, message):
    assert command.main(arguments) == 2
    assert message in capsys.readouterr().err


def test_without_a_jar_the_command_exits_with_5(capsys, monkeypatch, tmp_path):
    monkeypatch.setenv("WHEELPROOF_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("WHEELPROOF_OFFLINE", "1")
    assert command.main(["--output", str(tmp_path)]) == 5
    assert "was not found" in capsys.readouterr().err
