"""Row `sensitivity`: a property that is weakened alike in spec and model is rejected by name."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from tests.found import mechanisms
from tests.nights import only
from wheelproof import project
from wheelproof.checks import sensitivity
from wheelproof.checks.context import Context
from wheelproof.errors import UsageError
from wheelproof.project import counts
from wheelproof.verdict import Verdict

ROOT = Path(__file__).resolve().parents[3]
MECHANISMS = mechanisms()

WEAKER = {
    "timer_task_list": (
        "timer_task_list_properties",
        "CounterExact",
        "taskCounter = Cardinality",
        "taskCounter >= Cardinality",
        "self.task_counter ==",
        "self.task_counter >=",
        "taskCounter +1",
    ),
    "task_executor": (
        "task_executor",
        "RunsInOrder",
        "Len(ran) <= Len(accepted) /\\ \\A i \\in DOMAIN ran : ran[i] = accepted[i]",
        "Len(ran) <= Len(accepted)",
        "self.ran == self.accepted[: len(self.ran)]",
        "len(self.ran) <= len(self.accepted)",
        "ran swap",
    ),
    "system_timer_reaper": (
        "system_timer_reaper",
        "ClosesItsTimer",
        'pc[t] = "Done" => closed > 0',
        'pc[t] = "Done" => closed >= 0',
        "self.closed > 0 or all(",
        "self.closed >= 0 or all(",
        "closed -1",
    ),
    "overflow_wheel": (
        "overflow_wheel_properties",
        "CancelWins",
        "CancelWins == ~slipped",
        "CancelWins == slipped \\in BOOLEAN",
        "not self.slipped",
        "self.slipped in (True, False)",
        "slipped not",
    ),
}
"""The model's module; a property; its formula in spec and in model, each with a weaker one; and
a pair that breaks it no more."""


def copied(name, tmp_path):
    """The mechanism in a project of its own: specifications and models."""
    for folder in ("spec", "model", "harness", "impl", "mutants"):
        shutil.copytree(ROOT / folder, tmp_path / folder, ignore=shutil.ignore_patterns("MC*"))
    return tmp_path / "spec" / MECHANISMS[name].toml.name


def planted(file, old, new):
    text = file.read_text(encoding="utf-8")
    assert text.count(old) == 1, f"{old!r} occurs {text.count(old)} times in {file.name}"
    file.write_text(text.replace(old, new), encoding="utf-8")


def row(mechanism, tmp_path):
    return sensitivity.check(Context(mechanism, tmp_path / "out")).rows[0]


def test_what_is_listed_breaks_each_property_in_tlc_and_model(tmp_path):
    found = row(MECHANISMS["task_executor"], tmp_path)
    assert found.ok and found.verdict is Verdict.SAMPLED, found.why
    assert found.figures["pairs"] == found.figures["listed"] > 0
    assert found.figures["properties"] == 4


@pytest.mark.daily(2)
@pytest.mark.parametrize("name", only(list(WEAKER), "timer_task_list", "task_executor"))
def test_a_property_that_is_weaker_in_spec_and_model_alike_is_named(name, tmp_path):
    properties, weakened, spec_old, spec_new, model_old, model_new, pair = WEAKER[name]
    toml = copied(name, tmp_path)
    planted(toml.with_name(MECHANISMS[name].checked.name), spec_old, spec_new)
    planted(tmp_path / "model" / f"{properties}.py", model_old, model_new)
    found = row(project.read(toml), tmp_path)
    assert (found.ok, found.verdict, found.property) == (False, Verdict.VIOLATED, weakened)
    assert "no drawn state is such a one" in found.why
    lost = sensitivity.listing(MECHANISMS[name]) - set(
        sensitivity.breaking_pairs(project.read(toml))
    )
    assert (weakened, pair) in lost and {other for other, _ in lost} == {weakened}


def test_a_property_that_is_weaker_in_the_spec_alone_is_named(tmp_path):
    _, weakened, old, new, *_ = WEAKER["task_executor"]
    toml = copied("task_executor", tmp_path)
    planted(toml.with_name(MECHANISMS["task_executor"].checked.name), old, new)
    found = row(project.read(toml), tmp_path)
    assert (found.ok, found.verdict, found.property) == (False, Verdict.VIOLATED, weakened)
    assert "the spec has it true there" in found.why


def test_a_property_that_nothing_breaks_is_vacuous_where_no_list_says_otherwise(
    tmp_path, monkeypatch
):
    mechanism = MECHANISMS["system_timer_reaper"]
    monkeypatch.setattr(counts, "read_broken", lambda folder: {})
    found = row(mechanism, tmp_path)
    assert found.ok and found.figures["listed"] == "no", found.why
    monkeypatch.setattr(mechanism.model_module.Model, "PollsNoMore", lambda self: True)
    found = row(mechanism, tmp_path)
    assert (found.ok, found.verdict) == (False, Verdict.VACUOUS)
    assert "breaks PollsNoMore; a formula" in found.why


def test_a_property_that_the_list_alone_has_is_refused(tmp_path):
    shutil.copy(ROOT / "spec" / counts.FILE, tmp_path)
    planted(tmp_path / counts.FILE, '"PollsNoMore": ', '"PollsLess": ')
    mechanism = replace(MECHANISMS["system_timer_reaper"], toml=tmp_path / "SystemTimerReaper.toml")
    with pytest.raises(UsageError, match="there is no invariant PollsLess"):
        sensitivity.listing(mechanism)


def test_a_scenario_beyond_the_days_is_for_properties_that_nothing_has_broken(monkeypatch):
    mechanism = MECHANISMS["task_executor"]
    first, *others = list(mechanism.scenarios)[:3]
    names = sensitivity.invariants(mechanism)
    looked_for = {}

    def of_scenario(_model, scenario, reads, _wanted):
        looked_for[scenario] = set(reads)
        name = names[len(looked_for) - 1]
        return [((name, "a change"), ("state", scenario))]

    monkeypatch.setattr(sensitivity, "candidates", lambda *_: [first])
    monkeypatch.setattr(sensitivity, "scenarios", lambda _: [first, *others])
    monkeypatch.setattr(sensitivity, "_of_scenario", of_scenario)
    table = sensitivity.breaking_pairs(mechanism)
    assert all(mechanism.properties[name].holds for name in names) and len(names) > 3
    assert looked_for == {
        first: set(names),
        others[0]: set(names[1:]),
        others[1]: set(names[2:]),
    }
    assert {name for name, _ in table} == set(names[:3])
