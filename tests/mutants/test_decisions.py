"""Every decision of every mechanism: it fits the sources, changes each artefact, keeps labels."""

import re

import pytest

from tests.model.artefacts import ROOT
from tests.nights import of_each_mechanism
from wheelproof import isolated, project
from wheelproof.checks.coverage import labels_of_spec
from wheelproof.errors import UsageError
from wheelproof.explore import labels

MECHANISMS = project.find(ROOT)
ALL = [(stem, name) for stem, mechanism in MECHANISMS.items() for name in mechanism.decisions]
IMPLEMENTATION = ("impl", "harness")


def changed(stem, name):
    return MECHANISMS[stem].without(name)


def artefacts(stem, name):
    """The folders of the files that a decision changes."""
    return {file.partition("/")[0] for file in MECHANISMS[stem].decisions[name].files}


def lower(stem):
    """The decisions of lower mechanisms, which composed runs take away."""
    return {entry.mutant for entry in MECHANISMS[stem].composed.values() if entry.mutant}


@pytest.mark.parametrize("stem, name", of_each_mechanism(ALL))
def test_a_decision_fits_the_sources_and_changes_them(stem, name):
    for file, text in changed(stem, name).texts.items():
        assert text != (ROOT / file).read_text(encoding="utf-8"), file


@pytest.mark.parametrize("stem, name", ALL)
def test_a_mutant_changes_specification_model_and_implementation(stem, name):
    decision, own = MECHANISMS[stem].decisions[name], artefacts(stem, name)
    if decision.mutants:
        assert {"spec", "model"} < own and own & {*IMPLEMENTATION}, own
    elif name in lower(stem):
        assert own <= {*IMPLEMENTATION}, own
    else:
        assert {"spec", "model"} <= own, own
        assert any(config.without == name for config in MECHANISMS[stem].configs.values()), (
            "no check uses it"
        )


@pytest.mark.parametrize("stem, name", ALL)
def test_a_decision_has_a_title_and_prose(stem, name):
    decision = MECHANISMS[stem].decisions[name]
    assert decision.title[0].islower() and not decision.title.endswith(".")
    assert decision.prose.endswith((".", ":", ")")) and len(decision.prose) > 40
    for mutant in decision.mutants.values():
        assert mutant.get("race") or mutant.get("equivalent")


@pytest.mark.parametrize("stem, name", of_each_mechanism(ALL))
def test_the_changed_artefacts_have_the_labels_of_their_table(stem, name):
    """A label may be unused in the changed machine; one that no table has is refused."""
    mechanism = changed(stem, name)
    for file, text in mechanism.texts.items():
        if file == f"spec/{mechanism.module}.tla":
            assert labels_of_spec(mechanism.specs[f"{mechanism.module}.tla"]) <= set(
                mechanism.labels
            )
        elif file == f"model/{stem}.py":
            assert mechanism.model(next(iter(mechanism.scenarios))).labels <= set(mechanism.labels)
        elif file == f"impl/{stem}.py":
            found = {
                label: kind
                for kinds in labels.of_source(text, file).values()
                for kind, label in kinds.items()
            }
            assert set(found) <= set(mechanism.labels)


@pytest.mark.parametrize("stem", MECHANISMS)
def test_a_row_of_a_decision_has_a_scenario_or_a_property_of_its_own(stem):
    mutants = MECHANISMS[stem].mutants.values()
    rows = [(mutant.decision, mutant.scenario, mutant.property) for mutant in mutants]
    assert len(rows) == len(set(rows)) >= len({mutant.decision for mutant in mutants})


@pytest.mark.parametrize(
    "decision, gone",
    [("D1", {"R3"}), ("M14", {"R3"}), ("Recheck", set()), ("M11", set()), ("M9", set())],
)
def test_a_step_is_gone_where_its_decision_was(decision, gone):
    """From the model and from the implementation's own timer; KafkaTimer never has such a step."""
    timer = MECHANISMS["system_timer"]
    changed = timer.without(decision)
    assert set(timer.labels) - set(changed.model("one_adder").labels) == gone
    own = (ROOT / "impl" / "system_timer.py").read_text(encoding="utf-8")
    text = changed.modules.get("impl.system_timer", own)
    assert ("  # update R3" in text) == (not gone)


def test_no_switch_is_left():
    """Specification and model are the machine itself."""
    for stem in MECHANISMS:
        model = (ROOT / "model" / f"{stem}.py").read_text(encoding="utf-8")
        assert not re.search(r"\bSWITCHES\b|self\.on\b", model), stem
        spec = MECHANISMS[stem].spec.read_text(encoding="utf-8")
        constants = set(
            re.findall(r"^  (\w+),? +\\\* ", spec[: spec.index("--algorithm")], re.MULTILINE)
        )
        assert constants <= {
            *MECHANISMS[stem].constants,
            "NULL",
            *MECHANISMS[stem].module_constants,
        }, stem
    assert not list((ROOT / "mutants").rglob("*.py"))


# -- controls: sources that a decision does not fit


def test_a_decision_that_does_not_fit_is_refused_when_its_texts_are_made(tmp_path):
    stem, name = ALL[0]
    decision = MECHANISMS[stem].decisions[name]
    file = decision.files[0]
    (tmp_path / file).parent.mkdir(parents=True)
    (tmp_path / file).write_text("nothing\n", encoding="utf-8")
    with pytest.raises(UsageError, match=f"{name}.md:.*the anchor is not there"):
        decision.texts(tmp_path)


def test_the_mechanism_itself_is_untouched():
    for stem, mechanism in MECHANISMS.items():
        assert mechanism.texts == mechanism.specs == {} and mechanism.without("") is mechanism
        assert mechanism.model_module.__file__ == isolated.load(ROOT, f"model.{stem}").__file__
