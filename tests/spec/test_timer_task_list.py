"""The specification beside the other artefacts: labels, assumptions, names, and no property that nothing can break."""

import re

import pytest

from model.timer_task_list import Model
from tests.model.timer import ARTEFACTS, MECHANISM, ROOT, STEM
from tests.spec.texts import algorithm, declared, defined, refused_assumption, written
from wheelproof.checks.context import Context
from wheelproof.checks.coverage import labels_of_spec
from wheelproof.explore import ControlledImplementation
from wheelproof.project.mechanism import Config
from wheelproof.tlc.result import Outcome

SPEC = MECHANISM.spec.read_text(encoding="utf-8")
PROPERTIES = SPEC + MECHANISM.checked.read_text(encoding="utf-8")
ALGORITHM = algorithm(SPEC)


# -- labels


def test_labels_are_the_same_on_every_artefact():
    table = {name: label.kind for name, label in MECHANISM.labels.items()}
    assert len(table) == 41
    assert (
        written(SPEC)
        == labels_of_spec(SPEC)
        == Model(MECHANISM.scenarios["two_adders"]).labels
        == set(table)
    )
    assert declared(ARTEFACTS) == {name: kind for name, kind in table.items() if kind != "silent"}
    assert {
        label
        for lines in ControlledImplementation.load(ROOT, STEM).labels.values()
        for of_line in lines.values()
        for label in of_line.values()
    } == set(declared(ARTEFACTS))


def test_a_label_that_one_artefact_lacks_is_seen():
    assert labels_of_spec(SPEC.replace('pc[self] = "U7"', 'pc[self] = "U6"')) == set(
        MECHANISM.labels
    ) - {"U7"}
    assert labels_of_spec(ALGORITHM) == set(), "the translation counts, not the algorithm"


# -- names


def test_every_property_is_defined_in_spec_and_model():
    for name, of in MECHANISM.properties.items():
        if of.kind == "invariant":
            assert name in defined(PROPERTIES) and callable(getattr(Model, name))
    assert "Termination" in defined(PROPERTIES) and callable(Model.Termination)
    assert set(Model.INVARIANTS) == set(MECHANISM.invariants)
    for name, of in MECHANISM.properties.items():
        if of.kind == "refinement":
            modules = {
                config.module for config in MECHANISM.configs.values() if config.property == name
            }
            assert modules
            for module in modules:
                assert name in defined(
                    (ROOT / "spec" / f"{module}.tla").read_text(encoding="utf-8")
                )


def test_the_constants_are_those_of_the_toml():
    constants = set(
        re.findall(r"^  (\w+),? +\\\* ", SPEC[: SPEC.index("Entries ==")], re.MULTILINE)
    )
    assert constants == set(MECHANISM.constants)


def test_no_property_is_without_something_that_breaks_it():
    """A check that cannot fail is a defect: for each property some config or mutant must be violated by its name."""
    broken = {
        config.property for config in MECHANISM.configs.values() if config.expect == "violated"
    }
    broken |= {mutant.property for mutant in MECHANISM.mutants.values()}
    if any(mutant.data_race for mutant in MECHANISM.mutants.values()):
        broken |= {name for name, of in MECHANISM.properties.items() if of.kind == "race"}
    assert set(MECHANISM.properties) - broken == set()


# -- assumptions

BAD = {
    "NamesAreDistinct": {
        "Lists": frozenset({"l1", "l2", "t1"}),
        "Ring": {"l1": [], "l2": [], "t1": []},
    },
    "NullIsNobody": {"NULL": "a"},
    "RingIsOfEntries": {"Ring": {"l1": ["e9"], "l2": []}},
    "EachEntryIsLinkedOnce": {"Ring": {"l1": ["e1"], "l2": ["e1"]}},
    "OneCurrentEntryPerTask": {
        "TaskOf": {"e1": "t1", "e2": "t1"},
        "Current": frozenset({"e1", "e2"}),
    },
    "ProgramsAreOperations": {"Program": {"a": [["ad", "l1", "e1"]], "b": [["add", "l2", "e1"]]}},
}
FAST = ("EachEntryIsLinkedOnce", "ProgramsAreOperations")


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=[] if name in FAST else [pytest.mark.nightly]) for name in BAD],
)
def test_an_assumption_refuses_what_it_is_there_for(name, tmp_path):
    """TLC stops at the assumption of this name before it looks at any state."""
    config = Config("bad", "two_adders", constants=BAD[name])
    result = Context(MECHANISM, tmp_path).tlc("bad", config, deadlock=True)
    module = tmp_path / "mc" / MECHANISM.module / "bad" / f"MC{MECHANISM.module}_bad.tla"
    assert result.outcome is Outcome.ERROR and result.exit_code == 10
    log = module.with_suffix(".log").read_text(encoding="utf-8")
    assert refused_assumption(log, SPEC) == name
    assert "states generated" not in log


def test_every_assumption_has_its_bad_constants():
    assert set(re.findall(r"^ASSUME (\w+) ==", SPEC, re.MULTILINE)) == set(BAD)
