"""The gate where a check does not end, where unit tests decide, and in the nightly profile."""

from __future__ import annotations

import shutil
from dataclasses import replace

import pytest

from tests.nights import by_night
from tests.wheelproof.mutate.gating import IMPL, ROOT, changed, judged, row_of
from wheelproof import project
from wheelproof.mutate import (
    hang,
    judge,
    pytest_runs,
    tree,
)
from wheelproof.mutate import plan as planning
from wheelproof.mutate.group import LATE, Check
from wheelproof.verdict import Verdict, exit_code
from wheelproof.verdict import judge as made


@pytest.mark.nightly
def test_a_call_that_never_returns_is_named(copy, runs, monkeypatch):
    monkeypatch.setattr(judge, "CPU_SECONDS", 0.5)
    monkeypatch.setattr(judge, "SAMPLES", 4)
    endless = changed(
        copy,
        "harness/one_shot.py",
        "    owner = getattr(",
        "    while True:\n        pass\n    owner = getattr(",
        "harness",
    )
    row = row_of(judged(copy, runs, monkeypatch, endless), endless)
    assert (
        row.ok and row.property == "NonTermination" and "shared at harness/one_shot.py" in row.why
    )


def test_a_model_without_end_is_named(copy, runs, monkeypatch):
    endless = changed(
        copy, "model/one_shot.py", "t.turn > len(self.program[self.me])", "False", "model"
    )
    (copy / "model/one_shot.py").write_text(
        endless.after.replace(
            'self.call(t, "run", back="T0")', 'self.runs += 1\n            t.pc = "T0"'
        ),
        encoding="utf-8",
    )
    check = next(
        check
        for check in planning.Plan(copy, project.find(copy), tests=False).checks(
            "model", "model/one_shot.py"
        )
        if check.job
    )
    finding = judge.Judge(copy, copy, runs, lambda end: None, True).run([check]).finding
    assert (finding.word, finding.by) == ("rejected", "StateCount"), finding


@pytest.mark.parametrize(
    ("states", "word"), [(2_000, "rejected"), (2_400, "inconclusive"), (None, "inconclusive")]
)
def test_a_mutants_specification_without_end_has_more_states_than_its_model(
    copy, runs, states, word
):
    """TLC was stopped with 8,000 states; the model that it is compared with has fewer, or not."""
    row = made(
        "one_shot",
        "mutant",
        "Endless",
        expected="violated",
        verdict="inconclusive",
        why="TLC was stopped by its limit of 60 s after 8000 distinct states at depth 1313",
        figures={"states": states} if states else {},
    )
    check = next(
        check
        for check in planning.Plan(copy, project.find(copy), tests=False).checks(
            "spec", "spec/OneShot.tla"
        )
        if check.job
    )
    finding = judge.Judge(copy, copy, runs, lambda end: None, True).of_row(check, row)
    assert (finding.word, finding.by) == (word, "StateCount" if word == "rejected" else "")


@pytest.mark.nightly
def test_a_check_that_exceeds_its_limit_is_inconclusive(copy, runs, monkeypatch):
    monkeypatch.setattr(judge, "CPU_SECONDS", 0.5)
    monkeypatch.setattr(judge, "SAMPLES", 4)
    slow = changed(
        copy,
        "harness/one_shot.py",
        "    owner = getattr(",
        "    [None for _ in range(5_000_000)]\n    owner = getattr(",
        "harness",
    )
    rows = judged(copy, runs, monkeypatch, slow)
    assert row_of(rows, slow).verdict is Verdict.INCONCLUSIVE and exit_code(rows) == 3


LEFT = "threading.Thread(target=threading.Event().wait).start()"
"""A thread without end, which does not keep the run from ending."""


@pytest.mark.parametrize(
    "body, why",
    [
        ("assert one_shot is None", "call"),
        by_night((f"{LEFT}; assert one_shot is None", "call")),
        by_night(("time.sleep(60)", "hung")),
    ],
)
def test_a_unit_test_rejects_by_its_name(copy, runs, monkeypatch, body, why):
    folder = copy / "tests/impl"
    folder.mkdir(parents=True)
    (folder / "test_one_shot.py").write_text(
        "import threading\nimport time\nfrom impl import one_shot\n\n\ndef test_it():\n"
        f"    {body}\n",
        encoding="utf-8",
    )
    monkeypatch.setattr(pytest_runs, "TEST_SECONDS", 2.0)
    checks = planning.Plan(copy, project.find(copy)).checks("impl", IMPL)
    tree.copied(copy, copy.with_name("scratch"))
    finding = (
        judge.Judge(copy.with_name("scratch"), copy, runs, lambda end: None, True)
        .run([check for check in checks if check.tests])
        .finding
    )
    assert (finding.word, finding.check, finding.by) == (
        "rejected",
        "tests/impl/test_one_shot.py",
        "test_it",
    ) and finding.why.startswith(why)


@pytest.mark.parametrize(("load", "times"), [(0.5, 1), (2.0, 1), (12.0, 6)])
def test_the_fixtures_of_a_test_have_more_time_and_all_have_more_on_a_busy_machine(
    monkeypatch, load, times
):
    """A session of Spark is made in the first test that needs it."""
    limits = []

    class Timer:
        def __init__(self, limit, expire):
            limits.append(limit)

        def start(self):
            pass

        cancel = start

    monkeypatch.setattr(hang.os, "getloadavg", lambda: (load, 0.0, 0.0))
    monkeypatch.setattr(hang.os, "cpu_count", lambda: 2)
    monkeypatch.setattr(hang.threading, "Timer", Timer)
    monkeypatch.setenv(hang.SECONDS, "10")
    for hook in ("setup", "call", "teardown"):
        list(getattr(hang, f"pytest_runtest_{hook}")(None))
    assert limits == [50 * times, 10 * times, 10 * times]


def test_a_unit_test_of_the_night_rejects_late(copy, runs):
    """By day nothing of the file runs, which is no pass of the change: it has another check."""
    folder = copy / "tests/impl"
    folder.mkdir(parents=True)
    (folder / "test_one_shot.py").write_text(
        "import pytest\n\n\n@pytest.mark.nightly\ndef test_it():\n    assert False, 'planted'\n",
        encoding="utf-8",
    )
    shutil.copy(ROOT / "pyproject.toml", copy)
    tree.copied(copy, copy.with_name("scratch"))
    judging = judge.Judge(copy.with_name("scratch"), copy, runs, lambda end: None, True)
    day = Check("tests", "", 2, tests="tests/impl/test_one_shot.py")
    found = judging.run([day, replace(day, stage=LATE, nightly=True)]).finding
    assert list(judging.done.seconds) == [day.tests, f"{day.tests}, by night"]
    assert (found.word, found.check, found.by) == ("rejected", f"{day.tests}, by night", "test_it")


def test_a_unit_test_that_misses_the_text_which_it_replaces_rejects_nothing(copy, runs):
    folder = copy / "tests/impl"
    folder.mkdir(parents=True)
    (folder / "test_one_shot.py").write_text(
        "def test_it():\n    text = 'there'\n    assert text.count('not there') == 1\n",
        encoding="utf-8",
    )
    (folder / "test_one_shot_twice.py").write_text(
        "def test_it():\n    assert False, \"'x' is there 0 times\"\n", encoding="utf-8"
    )
    checks = [
        check
        for check in planning.Plan(copy, project.find(copy)).checks("impl", IMPL)
        if check.tests
    ]
    tree.copied(copy, copy.with_name("scratch"))
    finding = (
        judge.Judge(copy.with_name("scratch"), copy, runs, lambda end: None, True)
        .run(checks)
        .finding
    )
    assert len(checks) == 2 and finding.word == "passed", finding


@pytest.mark.nightly
def test_a_nightly_mutant_checks_what_the_fast_profile_passes(copy, runs, monkeypatch):
    """Two variables that differ without the lock alone, as only a nightly mutant may show."""
    decision = copy / "mutants/one_shot/Unlocked.md"
    decision.write_text(
        decision.read_text(encoding="utf-8").replace(
            'scenario = "two"\n', 'scenario = "two"\nprofile = "nightly"\n'
        ),
        encoding="utf-8",
    )
    item = project.find(copy)["one_shot"]
    plan = planning.Plan(copy, {"one_shot": item}, tests=False)
    late = [check for check in plan.checks("model", "model/one_shot.py") if check.stage == 8]
    assert [check.job.name for check in late] == ["Unlocked"]
    assert {
        check.job.name
        for check in plan.checks("harness", "harness/one_shot.py")
        if check.stage == 8
    } == set(item.mutants)
    change = changed(
        copy,
        "model/one_shot.py",
        "if self.done:\n            t.pc",
        "if self.runs:\n            t.pc",
        "model",
    )
    row = row_of(judged(copy, runs, monkeypatch, change), change)
    assert row.ok and row.figures["check"] == "one_shot / mutant / Unlocked"


@pytest.mark.parametrize(
    "words",
    [
        "Attempted to apply a function",
        "In evaluation, the identifier x",
        "Evaluating an expression of the form Append(v, s) when s is not a sequence",
    ],
)
def test_an_evaluation_that_fails_is_known_by_tlcs_words(words):
    """TLC ends some of them with the code 255."""
    assert judge.EVALUATED.search(f"TLC failed with exit code 255: {words}: -1")
    assert not judge.EVALUATED.search("TLC failed with exit code 255: out of memory")
