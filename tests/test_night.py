"""The parts of `make nightly` are all of it, and how each ended is recorded as it was."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections import Counter
from datetime import date, timedelta
from functools import cache
from pathlib import Path

import pytest

from tests.found import ROOT, mechanisms
from tools import night, pages
from wheelproof.checks import planned as planning
from wheelproof.errors import UsageError
from wheelproof.events import VerifyOptions
from wheelproof.project import planned

STEPS = [(name, step) for name, part in night.PARTS.items() for step in part.steps]


@cache
def plan() -> planned.Plan:
    """The project's plan."""
    found = planned.read(ROOT / "spec")
    assert found is not None
    return found


def verified() -> list[night.Verified]:
    """The steps that carry out rows, in all nights."""
    steps = []
    for _, step in STEPS:
        if isinstance(step, night.Dealt):
            steps += [step.of_night(number + 1, night.NIGHTS) for number in range(night.NIGHTS)]
    return steps


@cache
def rows(step: night.Verified) -> list[tuple[str, str, str]]:
    """The planned rows that a step carries out."""
    options = VerifyOptions(
        step.mechanisms, frozenset(step.layers), "nightly", ROOT, ROOT / "build", 1
    )
    due = planning.part(plan(), options)
    return [(mechanism, *key) for mechanism, of in due.items() for key in of]


def unmade(steps: list[night.Verified]) -> dict[tuple[str, str, str], int]:
    """The planned rows that these steps carry out not once, with how often they do."""
    made = Counter(row for step in steps for row in rows(step))
    every = {(mechanism, *key) for mechanism, of in plan().items() for key in of}
    assert made.keys() <= every
    return {row: made[row] for row in every if made[row] != 1}


def test_the_parts_carry_out_each_planned_row_once():
    steps = verified()
    assert unmade(steps) == {}
    for number, step in enumerate(steps):  # planted: a part is lost
        rest = steps[:number] + steps[number + 1 :]
        assert unmade(rest) == dict.fromkeys(rows(step), 0), step
    assert set(unmade([*steps, steps[0]]).values()) == {2}


def test_one_night_may_have_all_shares():
    for _, step in STEPS:
        if isinstance(step, night.Dealt):
            every = step.of_night(1, 1).mechanisms
            assert sorted(every) == sorted(name for share in step.shares for name in share)
            assert len(step.shares) == night.NIGHTS


@pytest.mark.parametrize("text", ["0/7", "8/7", "1/8", "2", "a/b", "1/"])
def test_a_night_that_is_none_is_refused(text):
    with pytest.raises(UsageError, match="is no night of several"):
        night.parsed(text)


def owners(file: str) -> list[str]:
    """The parts that run the nightly tests of a file."""

    def within(paths):
        return any(file == path or file.startswith(f"{path}/") for path in paths)

    return [
        name
        for name, step in STEPS
        if isinstance(step, night.Tested) and within(step.paths) and not within(step.but)
    ]


def test_each_file_of_tests_belongs_to_one_part():
    files = [file.relative_to(ROOT).as_posix() for file in ROOT.glob("tests/**/test_*.py")]
    assert len(files) > 300
    assert {file: found for file in files if len(found := owners(file)) != 1} == {}
    for _, step in STEPS:
        if isinstance(step, night.Tested):
            assert all((ROOT / path).exists() for path in (*step.paths, *step.but)), step


def test_each_mechanism_is_changed_at_random():
    assert sorted(night.MUTATED) == sorted(mechanisms())


def test_tests_are_dealt_out_over_the_nights_by_the_date(monkeypatch):
    monkeypatch.delenv("NIGHT", raising=False)

    class Today:
        days = 0

        def today():
            return date(2026, 11, 30) + timedelta(Today.days)

    monkeypatch.setattr(night, "date", Today)
    shares = set()
    for Today.days in range(night.NIGHTS):
        shares.add(night.tonight())
    assert shares == {f"{number}/{night.NIGHTS}" for number in range(1, night.NIGHTS + 1)}
    monkeypatch.setenv("NIGHT", "1/1")
    words = night.PARTS["tests-of-proofs"].steps[0].command("tests-of-proofs")
    assert words[words.index("--night") + 1] == "1/1"


def test_the_makefile_runs_the_parts():
    assert "\n\t@.venv/bin/python tools/night.py $(PART)\n" in (ROOT / "Makefile").read_text()


@pytest.fixture
def parts(tmp_path, monkeypatch):
    """Two parts of short commands; the record and the page are in a folder of their own."""
    monkeypatch.setattr(night, "ROOT", tmp_path)
    monkeypatch.setattr(
        night,
        "PARTS",
        {
            "good": night.Part("nothing", (night.Other(("-c", "pass")),)),
            "bad": night.Part(
                "less",
                (
                    night.Other(("-c", "raise SystemExit(3)")),
                    night.Other(("-c", "open('behind', 'w')")),
                ),
            ),
        },
    )
    page = tmp_path / night.PAGE
    page.parent.mkdir()
    page.write_text(f"{pages.mark('night')}\n\n<!-- night: end -->\n", encoding="utf-8")
    for words in (
        ("init", "-q"),
        ("add", "."),
        ("-c", "user.name=a", "-c", "user.email=a@b.c", "commit", "-qm", "all"),
    ):
        subprocess.run(["git", *words], cwd=tmp_path, check=True)
    former = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    yield tmp_path
    for number, handler in former.items():
        signal.signal(number, handler)


def shown(root: Path) -> list[list[str]]:
    """The table of the page, without its head."""
    page = (root / night.PAGE).read_text(encoding="utf-8")
    return [line.strip("| ").split(" | ") for line in page.splitlines() if line[:1] == "|"][2:]


def test_a_part_is_recorded_and_one_that_never_ran_says_so(parts, capsys):
    night.write_table()
    assert [line[-1] for line in shown(parts)] == ["never", "never", "not on one commit"]
    assert night.main(["good"]) == 0
    assert list(night.read_record()) == ["good"] and not night.read_record()["good"].changed
    assert shown(parts)[1][-1] == "never" and "1 of 2 parts green" in shown(parts)[2][1]
    assert night.main([]) == 3, "the code of the first part that fails"
    assert (parts / "behind").exists(), "what is behind a step that fails runs, too"
    assert night.read_record()["bad"].code == 3 and "**ended with 3**" in shown(parts)[1][-1]
    assert shown(parts)[2][-1] == "one commit"
    assert night.main(["good"]) == 0 and night.read_record()["good"].changed, "a file that is new"
    assert shown(parts)[2][1] == "0 of 2 parts green on a commit"
    assert night.main(["none"]) == 2 and "Known: good, bad" in capsys.readouterr().err


def test_a_record_that_is_none_is_refused(parts, capsys):
    (parts / night.FILE).write_text("{}", encoding="utf-8")
    assert night.main(["--table"]) == 2
    assert "tests/night.json has no schema" in capsys.readouterr().err


@pytest.mark.parametrize("number, code", [(signal.SIGTERM, 143), (signal.SIGINT, 130)])
def test_a_signal_ends_the_part_and_nothing_is_recorded(parts, number, code):
    script = (
        "import sys; from pathlib import Path; from tools import night; "
        f"night.ROOT = Path({str(parts)!r}); "
        "night.PARTS = {name: night.Part('sleeps', (night.Other(('-c', "
        "'import time; open(\"begun\", \"w\"); time.sleep(600)')),)) for name in 'ab'}; "
        "sys.exit(night.main([]))"
    )
    run = subprocess.Popen(
        [sys.executable, "-c", script],
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        stderr=subprocess.DEVNULL,
    )
    while not (parts / "begun").exists():
        assert run.poll() is None
        time.sleep(0.05)
    run.send_signal(number)
    assert run.wait() == code
    assert not (parts / night.FILE).exists()
