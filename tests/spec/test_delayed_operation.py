"""DelayedOperation's specification beside the other artefacts: labels, names, assumptions, and no property that nothing can break."""

import re

import pytest

from model.delayed_operation import Model
from tests.model.delayed_operation import ARTEFACTS, MECHANISM, PROTOCOLS, ROOT, STEM
from tests.spec.texts import algorithm, declared, defined, refused_assumption, written
from wheelproof.checks.context import Context
from wheelproof.checks.coverage import labels_of_spec
from wheelproof.explore import ControlledImplementation
from wheelproof.project.mechanism import Config
from wheelproof.tlc.result import Outcome

SPEC = MECHANISM.spec.read_text(encoding="utf-8")
PROPERTIES = SPEC + MECHANISM.checked.read_text(encoding="utf-8")


# -- labels


def test_labels_are_the_same_on_every_artefact():
    table = MECHANISM.labels
    assert len(table) == 38
    assert (
        written(SPEC)
        == labels_of_spec(SPEC)
        == Model(MECHANISM.scenarios["two_completers"]).labels
        == set(table)
    )
    in_code = {name: label.kind for name, label in table.items() if label.kind != "silent"}
    assert declared(ARTEFACTS) == in_code
    assert {
        label
        for lines in ControlledImplementation.load(ROOT, STEM).labels.values()
        for of_line in lines.values()
        for label in of_line.values()
    } == set(in_code)


def test_the_one_step_that_only_a_mutant_has_is_on_each_of_its_floors():
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


def test_a_label_that_one_artefact_lacks_is_seen():
    assert labels_of_spec(SPEC.replace('pc[self] = "P4"', 'pc[self] = "P3"')) == set(
        MECHANISM.labels
    ) - {"P4"}
    assert written(SPEC.replace("P4:    retry", "       retry")) == set(MECHANISM.labels) - {"P4"}
    assert labels_of_spec(algorithm(SPEC)) == set(), "the translation counts, not the algorithm"


# -- names


def test_every_property_is_defined_in_spec_and_model():
    for name, of in MECHANISM.properties.items():
        if of.kind not in ("deadlock", "race"):
            assert name in defined(PROPERTIES) and callable(getattr(Model, name))
    assert set(Model.INVARIANTS) == set(MECHANISM.invariants)
    assert "NoDeadlock" not in defined(PROPERTIES), "TLC checks that by itself"


def test_constants_are_those_of_the_toml():
    constants = set(
        re.findall(r"^  (\w+),? +\\\* ", SPEC[: SPEC.index("Operations ==")], re.MULTILINE)
    )
    assert constants == set(MECHANISM.constants)


def test_no_property_is_without_something_that_breaks_it():
    """A check that cannot fail is a defect: for each property some config or mutant must be violated by its name."""
    broken = {
        config.property for config in MECHANISM.configs.values() if config.expect == "violated"
    }
    broken |= {mutant.property for mutant in MECHANISM.mutants.values()}
    # no field of this mechanism can race; that the detector would see one is shown in tests/mutants
    assert broken == {name for name, of in MECHANISM.properties.items() if of.kind != "race"}


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


def test_no_decision_is_without_a_mutant_that_needs_it():
    assert {mutant.decision for mutant in MECHANISM.mutants.values()} == set(MECHANISM.decisions)


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
    "ProgramsAreOperations": {
        "Program": {"a": [["delivers", "c1", "o"]], "b": [["deliver", "c2", "o"]]}
    },
}
FAST = ("CompletesOneAtMost",)


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=[] if name in FAST else [pytest.mark.nightly]) for name in BAD],
)
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
