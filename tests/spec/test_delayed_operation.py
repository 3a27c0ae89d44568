"""DelayedOperation's specification: constants, assumptions, and its own decisions."""

import re

import pytest

from tests.model.delayed_operation import ARTEFACTS, MECHANISM, PROTOCOLS
from tests.spec.texts import declared, refused_assumption
from wheelproof.checks.context import Context
from wheelproof.checks.coverage import labels_of_spec
from wheelproof.project.mechanism import Config
from wheelproof.tlc.result import Outcome

SPEC = MECHANISM.spec.read_text(encoding="utf-8")


# -- labels


def test_the_step_that_only_one_mutant_has_is_on_each_artefact():
    added = {
        name: set(decision.labels)
        for name, decision in MECHANISM.decisions.items()
        if decision.labels
    }
    assert added == {"P1": {"X2"}}
    without = MECHANISM.without("P1")
    assert (
        set(without.labels) == set(MECHANISM.labels) | {"X2"}
        and without.labels["X2"].kind == "write"
    )
    assert labels_of_spec(without.specs["DelayedOperation.tla"]) == set(without.labels)
    assert without.model("two_completers").labels == set(without.labels)
    taken = {
        label: kind
        for lines in ARTEFACTS.mutant("P1").labels.values()
        for of_line in lines.values()
        for kind, label in of_line.items()
    }
    assert taken["X2"] == "write" and set(taken) - set(declared(ARTEFACTS)) == {"X2"}


# -- names


def test_constants_are_those_of_the_toml():
    constants = set(
        re.findall(r"^  (\w+),? +\\\* ", SPEC[: SPEC.index("Operations ==")], re.MULTILINE)
    )
    assert constants == set(MECHANISM.constants)


def test_what_does_not_hold_is_shown_with_nothing_taken_away():
    shown = {
        config.property
        for config in MECHANISM.configs.values()
        if config.expect == "violated" and not config.without
    }
    assert (
        {name for name, of in MECHANISM.properties.items() if not of.holds}
        == {"TryAlwaysExcludesComplete", "EveryLoserRetries"}
        <= shown
    )


def test_every_protocol_has_its_scenarios():
    of = {
        name: set(scenario["protocol"].values()) for name, scenario in MECHANISM.scenarios.items()
    }
    for protocol in PROTOCOLS:
        passing = [
            config
            for config in MECHANISM.configs.values()
            if of[config.scenario] == {protocol} and config.expect == "exhaustive"
        ]
        failing = [
            config
            for config in MECHANISM.configs.values()
            if of[config.scenario] == {protocol} and config.expect == "violated"
        ]
        holders = [
            name
            for name, scenario in MECHANISM.scenarios.items()
            if of[name] == {protocol}
            and any(
                step[0] == "hold" for program in scenario["threads"].values() for step in program
            )
        ]
        assert passing and failing and holders, protocol


# -- assumptions

BAD = {
    "ProtocolsAreKnown": {"Protocol": {"o": "TryTwice"}},
    "EveryOperationWaits": {"Needs": {"o": []}},
    "CompletesOneAtMost": {"Completes": {"o": ["o", "o"]}},
    "RaisesAndLockingAreOperations": {"Locking": frozenset({"p"})},
    "LocksAreThere": {"Guard": {"o": "nowhere"}},
    "ProgramsAreOperations": {
        "Program": {"a": [["delivers", "c1", "o"]], "b": [["deliver", "c2", "o"]]}
    },
}


@pytest.mark.nightly
@pytest.mark.parametrize("name", BAD)
def test_an_assumption_refuses_what_it_is_there_for(name, tmp_path):
    """TLC stops at the assumption of this name before it looks at any state."""
    result = Context(MECHANISM, tmp_path).tlc(
        "bad", Config("bad", "two_completers", constants=BAD[name]), deadlock=True
    )
    module = tmp_path / "mc" / MECHANISM.module / "bad" / f"MC{MECHANISM.module}_bad.tla"
    assert result.outcome is Outcome.ERROR and result.exit_code == 10
    log = module.with_suffix(".log").read_text(encoding="utf-8")
    assert refused_assumption(log, SPEC) == name
    assert "states generated" not in log


def test_every_assumption_has_its_bad_constants():
    assert set(re.findall(r"^ASSUME (\w+) ==", SPEC, re.MULTILINE)) == set(BAD)
