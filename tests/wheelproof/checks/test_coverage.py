"""Coverage: one label set on every artefact, each label exercised, every witness reached."""

import shutil
from dataclasses import replace

import pytest

from tests.model.timer import MECHANISM
from wheelproof.checks import coverage
from wheelproof.checks.context import Context, Report
from wheelproof.errors import UsageError
from wheelproof.project.mechanism import Label
from wheelproof.python.search.run import ControlledImplementation
from wheelproof.verdict import exit_code

ALL = set(MECHANISM.labels)
HALVES = [
    Report(labels={label for label in ALL if label < "K"}),
    Report(labels={label for label in ALL if label >= "K"}),
]


def with_labels(context, **labels):
    return replace(context, mechanism=replace(MECHANISM, labels={**MECHANISM.labels, **labels}))


def test_labels_that_agree_and_are_exercised(context):
    row = coverage.labels(context, HALVES)
    assert row.ok, row.why
    assert row.figures == {"declared": 41, "silent": 5, "exercised": 41, "controls": 236}


def test_the_figures_have_the_labels_of_each_scenario(context):
    """In the order of the declarations, and without what is no label of the table."""
    first, second = list(MECHANISM.scenarios)[:2]
    reports = [Report(), Report(), *HALVES]
    reports[0].exercise(second, {"U7", "A12", "no label"})
    reports[1].exercise(first, ["A1"])
    reports[1].exercise(second, ["A1"])
    row = coverage.labels(context, reports)
    assert list(row.figures["scenarios"].items()) == [(first, "A1"), (second, "A12, A1, U7")]
    assert reports[0].labels == {"U7", "A12", "no label"}
    assert "scenarios" not in coverage.labels(context, HALVES).figures


@pytest.mark.parametrize("idle", ["U7", "A12"])
def test_a_label_that_no_scenario_exercises_makes_it_vacuous(context, idle):
    row = coverage.labels(
        context, [replace(report, labels=report.labels - {idle}) for report in HALVES]
    )
    assert not row.ok and row.verdict == "vacuous" and f"no scenario exercises {idle}" in row.why
    assert exit_code([row]) == 5


def test_nothing_run_is_vacuous(context):
    assert coverage.labels(context, []).verdict == "vacuous"


def test_a_label_of_the_table_alone(context):
    row = coverage.labels(
        with_labels(context, U12=Label("U12", "write")), [*HALVES, Report(labels={"U12"})]
    )
    assert not row.ok
    for who in "the spec", "the model", "the implementation":
        assert f"{who} lacks U12" in row.why


def test_a_label_that_the_table_lacks(context):
    labels = {name: label for name, label in MECHANISM.labels.items() if name != "U7"}
    row = coverage.labels(replace(context, mechanism=replace(MECHANISM, labels=labels)), HALVES)
    assert not row.ok
    for who in "the spec", "the model", "the implementation":
        assert f"{who} has U7 besides" in row.why


def test_a_kind_that_differs(context):
    row = coverage.labels(with_labels(context, U8=Label("U8", "read")), HALVES)
    assert not row.ok and "U8 is write in the implementation and read in the table" in row.why


def test_a_silent_label_that_the_implementation_has(context):
    row = coverage.labels(with_labels(context, R1=Label("R1", "silent")), HALVES)
    assert not row.ok and "the implementation has R1 besides" in row.why


def test_the_labels_of_a_translation():
    text = (
        'U1(self) == /\\ pc[self] = "U1"\nU2 == /\\ pc["p"] = "U2"\nU3 == /\\ pc = "U3"\n'
        'U4(self) == /\\ pc[self] = "U9"\nX(self) == U1(self)'
    )
    assert coverage.labels_of_spec(text) == {"U1", "U2", "U3"}


def test_witnesses_that_are_all_reached(context):
    names = MECHANISM.model_module.Model.WITNESSES
    row = coverage.witnesses(context, [Report(witnesses={name: "here"}) for name in names])
    assert row.ok and set(row.figures) == {*names, "controls"}


def test_a_witness_that_is_never_reached_makes_it_vacuous(context):
    names = MECHANISM.model_module.Model.WITNESSES
    row = coverage.witnesses(context, [Report(witnesses={name: "here"}) for name in names[1:]])
    assert not row.ok and row.verdict == "vacuous" and f"no scenario reaches {names[0]}" in row.why
    assert coverage.witnesses(context, []).verdict == "vacuous"


def test_a_model_without_a_witness_is_vacuous_with_a_remedy(context, monkeypatch):
    monkeypatch.setattr(MECHANISM.model_module.Model, "WITNESSES", ())
    row = coverage.witnesses(context, [])
    assert row.verdict == "vacuous" and "Model.WITNESSES" in row.why


@pytest.fixture
def beside(tmp_path):
    """The mechanism on copies of all modules, which a test may change."""
    folder = tmp_path / "spec"
    shutil.copytree(MECHANISM.spec.parent, folder)
    return Context(replace(MECHANISM, toml=folder / MECHANISM.toml.name), tmp_path)


def changed(spec):
    """The module's text with another algorithm above its translation."""
    text = spec.read_text(encoding="utf-8")
    assert text.count("U7:  prev[ue] := NULL;") == 1
    return text.replace("U7:  prev[ue] := NULL;", "U7:  prev[ue] := ue;")


def test_a_stale_translation_is_refused(beside):
    assert coverage.translated(beside).ok
    spec = beside.mechanism.spec
    spec.write_text(changed(spec), encoding="utf-8")
    with pytest.raises(UsageError, match="TimerTaskList.tla is stale"):
        coverage.translated(beside)


def test_a_stale_translation_of_a_module_beside_the_mechanisms_is_refused(beside):
    """The module of a refinement may have an algorithm of its own."""
    spec = beside.mechanism.spec
    other = changed(spec).replace("MODULE TimerTaskList", "MODULE TimerTaskListAtomic")
    spec.with_name("TimerTaskListAtomic.tla").write_text(other, encoding="utf-8")
    with pytest.raises(UsageError, match="TimerTaskListAtomic.tla is stale"):
        coverage.translated(beside)


def test_a_module_with_labels_that_the_harness_does_not_name(context, monkeypatch):
    """Whether its branches run, no check would ask."""
    root = MECHANISM.root
    text = (root / "harness" / "controller.py").read_text(encoding="utf-8")
    lacks = text.replace(', "impl.controller_thread")', ")")
    assert text.count("impl.controller_thread") > lacks.count("impl.controller_thread")
    for texts, unnamed in (({}, []), ({"harness.controller": lacks}, ["impl.controller_thread"])):
        found = ControlledImplementation.load(
            root, "controller", texts=texts
        ).modules_without_subject
        assert found == unnamed
    monkeypatch.setattr(
        ControlledImplementation, "modules_without_subject", property(lambda self: ["impl.other"])
    )
    row = coverage.labels(context, HALVES)
    assert not row.ok and "names impl.other neither in SUBJECT nor in ATOMIC" in row.why
