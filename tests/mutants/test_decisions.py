"""Every decision of every mechanism: it fits the sources, changes each artefact, keeps labels."""

import re

import pytest

from tests.found import mechanisms
from tests.model.artefacts import ROOT
from tests.nights import of_each_mechanism
from wheelproof import isolated
from wheelproof.checks.coverage import labels_of_spec
from wheelproof.errors import UsageError
from wheelproof.python import labels

MECHANISMS = mechanisms()
ALL = [
    (mechanism, name) for mechanism, declared in MECHANISMS.items() for name in declared.decisions
]
IMPLEMENTATION = ("impl", "harness")


def changed(mechanism, name):
    return MECHANISMS[mechanism].without(name)


def artefacts(mechanism, name):
    """The folders of the files that a decision changes."""
    return {file.partition("/")[0] for file in MECHANISMS[mechanism].decisions[name].files}


def lower(mechanism):
    """The decisions of lower mechanisms, which composed runs take away."""
    return {entry.mutant for entry in MECHANISMS[mechanism].composed.values() if entry.mutant}


@pytest.mark.parametrize("mechanism, name", of_each_mechanism(ALL))
def test_a_decision_fits_the_sources_and_changes_them(mechanism, name):
    for file, text in changed(mechanism, name).texts.items():
        assert text != (ROOT / file).read_text(encoding="utf-8"), file


@pytest.mark.parametrize("mechanism, name", ALL)
def test_a_mutant_changes_specification_model_and_implementation(mechanism, name):
    decision, own = MECHANISMS[mechanism].decisions[name], artefacts(mechanism, name)
    if decision.mutants:
        assert {"spec", "model"} < own and own & {*IMPLEMENTATION}, own
    elif name in lower(mechanism):
        assert own <= {*IMPLEMENTATION}, own
    else:
        assert {"spec", "model"} <= own, own
        assert any(config.without == name for config in MECHANISMS[mechanism].configs.values()), (
            "no check uses it"
        )


@pytest.mark.parametrize("mechanism, name", ALL)
def test_a_decision_has_a_title_and_prose(mechanism, name):
    decision = MECHANISMS[mechanism].decisions[name]
    assert decision.title[0].islower() and not decision.title.endswith(".")
    assert decision.prose.endswith((".", ":", ")")) and len(decision.prose) > 40
    for mutant in decision.mutants.values():
        assert mutant.get("race") or mutant.get("equivalent")


@pytest.mark.daily(6)
@pytest.mark.parametrize("mechanism, name", of_each_mechanism(ALL))
def test_the_changed_artefacts_have_the_labels_of_their_table(mechanism, name):
    """A label may be unused in the changed machine; one that no table has is refused."""
    declared = changed(mechanism, name)
    for file, text in declared.texts.items():
        if file == f"spec/{declared.module}.tla":
            assert labels_of_spec(declared.specs[f"{declared.module}.tla"]) <= set(declared.labels)
        elif file == f"model/{mechanism}.py":
            assert declared.model(next(iter(declared.scenarios))).labels <= set(declared.labels)
        elif file == f"impl/{mechanism}.py":
            found = {
                label: kind
                for kinds in labels.of_source(text, file).values()
                for kind, label in kinds.items()
            }
            assert set(found) <= set(declared.labels)


@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_a_row_of_a_decision_has_a_scenario_or_a_property_of_its_own(mechanism):
    mutants = MECHANISMS[mechanism].mutants.values()
    rows = [(mutant.decision, mutant.scenario, mutant.property) for mutant in mutants]
    assert len(rows) == len(set(rows)) >= len({mutant.decision for mutant in mutants})


@pytest.mark.parametrize(
    "decision, gone",
    [
        ("D1", {"R3", "R8"}),
        ("M14", {"R3"}),
        ("Recheck", {"R8"}),
        ("M15", {"R4"}),
        ("M11", set()),
        ("M9", set()),
    ],
)
def test_a_step_is_gone_where_its_decision_was(decision, gone):
    """From the model and from the implementation."""
    timer = MECHANISMS["system_timer"]
    changed = timer.without(decision)
    assert set(timer.labels) - set(changed.model("one_adder").labels) == gone
    own = (ROOT / "impl" / "system_timer.py").read_text(encoding="utf-8")
    text = changed.modules.get("impl.system_timer", own)
    assert {label for label in ("R3", "R8", "R4") if f"  # update {label}" not in text} == gone


def test_no_switch_is_left():
    """Specification and model are the machine itself."""
    for mechanism in MECHANISMS:
        model = (ROOT / "model" / f"{mechanism}.py").read_text(encoding="utf-8")
        assert not re.search(r"\bSWITCHES\b|self\.on\b", model), mechanism
        spec = MECHANISMS[mechanism].spec.read_text(encoding="utf-8")
        constants = set(
            re.findall(r"^  (\w+),? +\\\* ", spec[: spec.index("--algorithm")], re.MULTILINE)
        )
        assert constants <= {
            *MECHANISMS[mechanism].constants,
            "NULL",
            *MECHANISMS[mechanism].module_constants,
        }, mechanism
    assert not list((ROOT / "mutants").rglob("*.py"))


# -- controls: sources that a decision does not fit


def test_a_decision_that_does_not_fit_is_refused_when_its_texts_are_made(tmp_path):
    mechanism, name = ALL[0]
    decision = MECHANISMS[mechanism].decisions[name]
    file = decision.files[0]
    (tmp_path / file).parent.mkdir(parents=True)
    (tmp_path / file).write_text("nothing\n", encoding="utf-8")
    with pytest.raises(UsageError, match=f"{name}.md:.*the anchor is not there"):
        decision.texts(tmp_path)


def test_the_mechanism_itself_is_untouched():
    for name, mechanism in MECHANISMS.items():
        assert mechanism.texts == mechanism.specs == {} and mechanism.without("") is mechanism
        assert mechanism.model_module.__file__ == isolated.load(ROOT, f"model.{name}").__file__
