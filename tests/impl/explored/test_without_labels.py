"""The implementations without their labels: `wheelproof explore` comes to the same verdicts.

A scenario that the bisimulation exhausts is exhausted, too. A decision that is left out shows as a
final state that the model lacks, as a deadlock or an exception, or as a race of fields that no
threads race for otherwise, or as runs that do not end. ``unseen.toml`` names the others, and why.
"""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from tests import nights
from tests.found import mechanisms
from tests.impl.explored.programs import Case, explored, mutants, sound

UNSEEN = tomllib.loads(Path(__file__).with_name("unseen.toml").read_text(encoding="utf-8"))
NOT_SEARCHED = UNSEEN["mechanisms"]
SOUND = [case for case in sound() if case.mechanism not in NOT_SEARCHED]
MUTANTS = [case for case in mutants() if case.mechanism not in NOT_SEARCHED]


def name(case: Case) -> str:
    return "-".join(filter(None, (case.mechanism, case.scenario, case.decision)))


def by_day(cases: list[Case]) -> list[object]:
    """The first case of each mechanism runs by day."""
    params = [pytest.param(case, id=name(case)) for case in cases]
    return nights.first(params, of=lambda param: param.values[0].mechanism)


@pytest.mark.daily(3)
@pytest.mark.parametrize("case", by_day(SOUND))
def test_each_scenario_is_exhausted(case, tmp_path):
    answer = explored(case, tmp_path / "program")
    has_many = case.scenario in UNSEEN["scenarios"].get(case.mechanism, {})
    assert answer.word == ("budget" if has_many else "exhausted"), answer.text


@pytest.mark.daily(4)
@pytest.mark.parametrize("case", by_day(MUTANTS))
def test_a_missing_decision_shows_unless_it_is_listed(case, tmp_path):
    answer = explored(case, tmp_path / "without")
    listed = case.decision in UNSEEN["decisions"].get(case.mechanism, {})
    if answer.word == "bug":
        assert not listed, answer.text
        return
    whole = explored(Case(case.mechanism, case.scenario), tmp_path / "whole")
    if case.decision in UNSEEN["endless"].get(case.mechanism, {}):
        assert (answer.word, whole.word) == ("budget", "exhausted"), answer.text
        assert "some runs were ended" in answer.text and not listed
        return
    assert (answer.word, whole.word) == ("exhausted", "exhausted"), answer.text
    assert (answer.racy <= whole.racy) is listed, answer.text


def test_each_entry_of_the_list_is_a_mechanism_or_a_decision_with_a_reason():
    declared = mechanisms()
    assert all(reason for reason in NOT_SEARCHED.values()) and NOT_SEARCHED.keys() < declared.keys()
    for mechanism, names in UNSEEN["scenarios"].items():
        assert names.keys() <= {case.scenario for case in SOUND if case.mechanism == mechanism}
        assert all(names.values())
    for table in (UNSEEN["decisions"], UNSEEN["endless"]):
        for mechanism, decisions in table.items():
            of_mechanism = {case.decision for case in MUTANTS if case.mechanism == mechanism}
            assert decisions.keys() <= of_mechanism and all(decisions.values())
