"""Every specification beside its model and implementation: labels, names, and violations."""

from __future__ import annotations

import re

import pytest

from tests.found import mechanisms
from tests.model.artefacts import ROOT
from tests.spec.texts import algorithm, defined, written
from wheelproof.checks.controls import can_wait
from wheelproof.checks.coverage import labels_of_spec
from wheelproof.decisions.read import names_of
from wheelproof.python import ControlledImplementation

MECHANISMS = mechanisms()
LABELS = {
    "atomic": 17,
    "controller": 45,
    "coordinator_load": 51,
    "delay_queue": 25,
    "delayed_operation": 41,
    "event_queue": 51,
    "overflow_wheel": 44,
    "parted_timer": 38,
    "partition_leader": 14,
    "purgatory": 85,
    "read_write_lock": 28,
    "share_fetch": 55,
    "system_timer": 34,
    "system_timer_reaper": 16,
    "task_executor": 24,
    "timer_task_list": 41,
    "timing_wheel": 24,
}
"""Mechanism -> the number of its labels."""

every_mechanism = pytest.mark.parametrize("mechanism", MECHANISMS.values(), ids=MECHANISMS)


def text_of(mechanism) -> str:
    return mechanism.spec.read_text(encoding="utf-8")


@every_mechanism
def test_labels_are_the_same_on_every_artefact(mechanism):
    spec, table = text_of(mechanism), mechanism.labels
    assert len(table) == LABELS[mechanism.name]
    model = mechanism.model(next(iter(mechanism.scenarios)))
    assert written(spec) == labels_of_spec(spec) == model.labels == set(table)
    in_code = {
        label: kind
        for lines in ControlledImplementation.load(ROOT, mechanism.name).labels.values()
        for of_line in lines.values()
        for kind, label in of_line.items()
    }
    assert in_code == {name: label.kind for name, label in table.items() if label.kind != "silent"}


@every_mechanism
def test_a_label_that_the_specification_lacks_is_seen(mechanism):
    spec = text_of(mechanism)
    other, lacking = sorted(mechanism.labels)[:2]
    rest = set(mechanism.labels) - {lacking}
    assert labels_of_spec(spec.replace(f'pc[self] = "{lacking}"', f'pc[self] = "{other}"')) == rest
    assert written(re.sub(rf"^(\s*){lacking}:", r"\1", spec, flags=re.MULTILINE)) == rest
    assert labels_of_spec(algorithm(spec)) == set(), "the translation counts, not the algorithm"


@every_mechanism
def test_every_property_is_defined_in_spec_and_model(mechanism):
    names = defined(text_of(mechanism) + mechanism.checked.read_text(encoding="utf-8"))
    model = mechanism.model_module.Model
    for name, of in mechanism.properties.items():
        if of.kind in ("invariant", "liveness"):
            assert name in names and callable(getattr(model, name)), name
    refinements = [name for name, of in mechanism.properties.items() if of.kind == "refinement"]
    for name in refinements:
        modules = {each.module for each in mechanism.configs.values() if each.property == name}
        assert modules, name
        for module in modules:
            text = (ROOT / "spec" / f"{module}.tla").read_text(encoding="utf-8")
            assert name in defined(text), (name, module)
    if hasattr(model, "INVARIANTS"):
        assert set(model.INVARIANTS) == set(mechanism.invariants)
    assert "NoDeadlock" not in names, "TLC checks that by itself"


@every_mechanism
def test_no_property_is_without_a_violation(mechanism):
    """For each property some config or mutant must be violated by its name."""
    broken = {each.property for each in mechanism.configs.values() if each.expect == "violated"}
    broken |= {mutant.property for mutant in mechanism.mutants.values() if mutant.property}
    wanted = {name for name, of in mechanism.properties.items() if of.kind != "race"}
    assert broken == (wanted if can_wait(mechanism) else wanted - {"NoDeadlock"})


@every_mechanism
def test_no_decision_is_without_a_mutant_or_a_check(mechanism):
    used = {mutant.decision for mutant in mechanism.mutants.values()}
    used |= {name for each in mechanism.configs.values() for name in names_of(each.without)}
    used |= {each.mutant for each in mechanism.composed.values() if each.mutant}
    assert used == set(mechanism.decisions)
