"""A config that names fair threads is refuted by a run that is fair to them, or refused."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from wheelproof import project
from wheelproof.checks import liveness
from wheelproof.checks.context import Context
from wheelproof.verdict import Verdict

ONE_SHOT = Path(__file__).resolve().parents[3] / "examples" / "one_shot"
FAIR = r"Fairness(T) == \A t \in T : WF_vars(thread(t) \/ run(t))"
WEAKER = {
    "no step is both": FAIR.replace(r"\/", r"/\ "),
    "of no thread": FAIR.replace(r"\A t \in T", r"\A t \in T \ Threads"),
    "of some thread": FAIR.replace(r"\A t \in T", r"\E t \in Threads"),
    "of one operation": FAIR.replace(r"thread(t) \/ run(t)", "thread(t)"),
}


def row(tmp_path, fairness=FAIR):
    root = tmp_path / "subject"
    shutil.copytree(ONE_SHOT, root)
    spec = root / "spec" / "OneShot.tla"
    text = spec.read_text(encoding="utf-8")
    assert text.count(FAIR) == 1
    spec.write_text(text.replace(FAIR, fairness), encoding="utf-8")
    mechanism = project.find(root)["one_shot"]
    return liveness.check(Context(mechanism, tmp_path), mechanism.configs["unfair"]).rows[0]


def test_a_run_that_is_fair_to_the_named_threads_refutes_the_property(tmp_path):
    found = row(tmp_path)
    assert found.ok and found.verdict is Verdict.VIOLATED, found.why


@pytest.mark.parametrize("fault", WEAKER)
def test_fairness_that_is_weaker_than_the_config_says_is_refused(fault, tmp_path):
    found = row(tmp_path, WEAKER[fault])
    assert not found.ok
    assert "TLC's run is not fair to a: in its loop it could always move" in found.why
