"""tools/fuzz.py: rounds until the time is over, what is kept, and a failure that comes again."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from tools import fuzz


class Time:
    """A clock that only the rounds of a test move."""

    def __init__(self):
        self.now = 0.0

    def __call__(self):
        return self.now


def soaked(tmp_path, minutes, *ends):
    """A soak whose rounds last 40 s, or less, and end as given, the last one for ever."""
    time, seen = Time(), []
    ends = list(ends)

    def runs(arguments, seconds, log):
        log.write_text("the output of pytest")
        seen.append((log.name, seconds))
        time.now += min(40, seconds)
        code, text = ends.pop(0) if len(ends) > 1 else ends[0]
        return (None if seconds < 40 else code), text

    corpus = fuzz.Corpus(tmp_path)
    return fuzz.soak(corpus, minutes, [], runs, time), seen


def test_rounds_go_on_until_the_time_is_over_and_are_numbered(tmp_path):
    done, seen = soaked(tmp_path, 2.5, (0, ""))
    assert [each.outcome for each in done] == ["passed"] * 3 + ["cut"]
    assert seen == [(f"round-{i}.log", left) for i, left in enumerate([150, 110, 70, 30], 1)]
    assert not list(tmp_path.glob("*.log"))
    assert soaked(tmp_path, 0.1, (0, ""))[1] == [("round-5.log", 6)]


def test_a_failure_is_kept_with_its_output_and_the_soak_goes_on(tmp_path, capsys):
    failing = (1, "..F\nFAILED tests/impl/test_a.py::test_b[c] - AssertionError: it is late\n")
    done, _ = soaked(tmp_path, 1.5, failing, (0, ""))
    assert [each.outcome for each in done] == ["failed", "passed", "cut"]
    kept = [json.loads(line) for line in (tmp_path / "rounds.jsonl").read_text().splitlines()]
    assert kept[0]["tests"] == ["tests/impl/test_a.py::test_b[c]"] and kept[0]["number"] == 1
    assert [file.name for file in tmp_path.glob("*.log")] == ["round-1.log"]
    assert "-m pytest -n 0 'tests/impl/test_a.py::test_b[c]'" in capsys.readouterr().out


@pytest.mark.parametrize("code", [2, 3, 4, 5, -9])
def test_a_round_that_cannot_run_ends_the_soak_and_is_no_pass(tmp_path, code):
    done, _ = soaked(tmp_path, 10, (code, "no tests ran"))
    assert [each.outcome for each in done] == [f"pytest ended with code {code}"]


def test_a_failure_before_the_time_is_over_is_a_failure():
    text = "FAILED a.py::b - x\n!!! KeyboardInterrupt !!!"
    assert fuzz.judge(None, text) == ("failed", ("a.py::b",))


@pytest.mark.parametrize("minutes", [[], ["much"], ["0"], ["-1"], ["inf"], ["nan"]])
def test_no_time_is_refused(minutes, capsys):
    assert fuzz.main(minutes) == 2
    assert capsys.readouterr().err


TEST = """
import pytest
from hypothesis import given, strategies as st

@pytest.mark.fuzz
@given(st.integers(0, 10**6))
def test_is_small(number):
    assert number < 1000
"""


def test_a_real_round_fails_and_keeps_its_example(tmp_path):
    """The profile is the suite's: the file is given to pytest with this project's configuration."""
    file = tmp_path / "test_drawn.py"
    file.write_text(TEST)
    conftest = (fuzz.ROOT / "tests" / "conftest.py").read_text(encoding="utf-8")
    assert "build" in conftest
    (tmp_path / "conftest.py").write_text(
        conftest.replace("Path(__file__).parents[1]", f"Path({str(tmp_path)!r})")
    )
    arguments = ["-n", "0", "--rootdir", str(tmp_path), str(file)]
    code, text = fuzz.run(arguments, 600, tmp_path / "round.log")
    assert fuzz.judge(code, text)[0] == "failed", text
    assert list((tmp_path / "build" / "fuzz" / "examples").iterdir()), "the example is kept"


def test_the_command_prints_how_it_is_used():
    environment = os.environ | {"PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(
        [sys.executable, "tools/fuzz.py"],
        cwd=fuzz.ROOT,
        env=environment,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 2 and "MINUTES" in done.stderr
