"""SystemTimer of a released jar: Kafka's order of steps is the spec's, the corrected one is not."""

from dataclasses import replace
from pathlib import Path

import pytest

from tests.found import bindings, mechanisms
from tests.nights import by_night
from wheelproof.checks import jvm as layer
from wheelproof.checks.context import Context
from wheelproof.counterexample import document, replay
from wheelproof.errors import ToolError
from wheelproof.graph import reduced
from wheelproof.jvm import product, tasks
from wheelproof.jvm.values import Encoder
from wheelproof.verdict import Verdict

ROOT = Path(__file__).resolve().parents[3]
BINDING = bindings()["system_timer_java"]
MECHANISM = mechanisms()["system_timer"]
RELEASE = BINDING.releases[0]


def compared(jvm, scenario, binding=BINDING, states=20_000):
    jvm.load(binding)
    program = MECHANISM.scenarios[scenario]
    graph = reduced.reduce(MECHANISM.model(scenario), MECHANISM.silent)
    jvm.begin(binding, program)
    found = jvm.explore(states, 300)
    encoder = Encoder(graph.model, program)
    return found, product.compare(found, graph, reduced.rows(graph), encoder)


@pytest.mark.nightly
@pytest.mark.parametrize("scenario", ["kafka_executor", "kafka_closing"])
def test_released_classes_are_the_model_in_kafkas_order(jvm, scenario):
    found, made = compared(jvm, scenario)
    assert found.complete and not found.faults
    assert made.difference is None and not made.uncovered
    assert made.figures["compared_edges"] == made.figures["model_edges"]


def test_an_exception_unlocks_a_synchronized_method_at_a_step(jvm):
    compared(jvm, "kafka_closing")
    hits = {site[0]: site[4] for site in jvm.sites()["sites"]}
    assert hits["TimerTaskList.flush:SYNC-RAISE#0"] > 0


def test_without_its_label_that_unlock_is_a_difference(jvm):
    labels = {**BINDING.labels, "V3": ("TimerTaskList.flush:SYNC-EXIT#0",)}
    _, made = compared(jvm, "kafka_closing", replace(BINDING, labels=labels))
    assert made.difference is not None


def test_the_search_ends_at_the_bound_of_states(jvm):
    found, _ = compared(jvm, "kafka_executor", states=10)
    assert len(found) <= 11 and not found.complete


def test_a_call_that_is_not_hooked_has_no_site(jvm):
    with pytest.raises(AssertionError, match="no site"):
        jvm.load(replace(BINDING, calls=()))
        known = {site[0] for site in jvm.sites()["sites"]}
        assert set(BINDING.labels["A2"]) <= known, "no site"


def test_a_field_that_no_instruction_reads_cannot_be_redirected(jvm):
    wrong = (BINDING.classes[0], "nowhere/Time.SYSTEM", "subject/ScenarioTime.ADDER")
    with pytest.raises(ToolError, match="no instruction reads"):
        jvm.load(replace(BINDING, redirect=(*BINDING.redirect, wrong)))


def test_without_the_redirected_clock_the_classes_are_another_machine(jvm):
    clocks = BINDING.redirect[1:]
    found, made = compared(jvm, "kafka_executor", replace(BINDING, redirect=clocks))
    assert found.faults or made.difference is not None


@pytest.mark.nightly
def test_the_corrected_order_is_not_what_the_classes_do(output, jvm):
    (row,) = layer.check(Context(MECHANISM, output), [f"stalled_adder@{RELEASE}"]).rows
    assert (row.verdict, row.property, row.ok) == (Verdict.VIOLATED, "Bisimulation", True)
    assert "reaper is at R5, in the model at R3" in row.why


def test_a_step_that_both_machines_have_gets_its_name_there():
    there = BINDING.beside("stalled_adder")
    assert there.labels["R2"] == BINDING.labels["Q2"] and "Q2" not in there.labels
    assert BINDING.beside("kafka_executor") == BINDING


def test_a_machine_that_must_be_rejected_and_is_not_is_no_row_in_order(jvm, output, monkeypatch):
    weak = replace(BINDING, rejects={"kafka_executor": "planted"}, where={"timer": "none"})
    monkeypatch.setattr(tasks, "find", lambda root: {"system_timer_java": weak})
    (row,) = layer.check(Context(MECHANISM, output), [f"kafka_executor@{RELEASE}"]).rows
    assert (row.verdict, row.ok) == (Verdict.EXHAUSTIVE, False)


def test_d1_is_replayed_on_the_released_classes(jvm, output, monkeypatch, capsys):
    monkeypatch.chdir(output)
    (row,) = layer.check(Context(MECHANISM, output), [f"kafka_is_late@{RELEASE}"]).rows
    assert (row.verdict, row.property, row.ok) == (Verdict.VIOLATED, "LatenessBound", True)
    found = document.read(output / row.trace)
    jvm.load(BINDING)
    assert f"SystemTimer.java:{line_of('SystemTimer.advanceClock:CALL', jvm)}" in {
        step.source for step in found.steps
    }
    assert replay.run(output / row.trace, "impl", root=ROOT) == replay.REPRODUCED
    assert "LatenessBound is violated" in capsys.readouterr().out
    sound = replace(found, scenario="kafka_one_bucket")
    sound.write(output / "other.json")
    with pytest.raises(ToolError):
        replay.run(output / "other.json", "impl", root=ROOT)


def line_of(site, jvm):
    return next(line for key, _, line, _, _ in jvm.sites()["sites"] if key.startswith(site))


def test_a_violation_that_the_classes_do_not_follow_is_reported(jvm, output, monkeypatch):
    labels = {**BINDING.labels, "V1": BINDING.labels["V2"], "V2": BINDING.labels["V1"]}
    monkeypatch.setattr(
        tasks, "find", lambda root: {"system_timer_java": replace(BINDING, labels=labels)}
    )
    (row,) = layer.check(Context(MECHANISM, output), [f"kafka_is_late@{RELEASE}"]).rows
    assert (row.property, row.ok) == ("Bisimulation", False)
    assert "the classes leave the model before step" in row.why


def test_every_config_that_must_violate_an_invariant_is_a_check():
    names = {
        task.name for task in tasks.tasks(MECHANISM, RELEASE).values() if task.kind == "property"
    }
    assert f"kafka_is_late_for_others@{RELEASE}" in names
    assert f"two_workers@{RELEASE}" not in names
    assert f"kafka_closing_tries_not_all@{RELEASE}" not in names


@pytest.mark.parametrize(("without", "equal"), [by_night(("D1", True)), ("M12", False)])
def test_the_classes_are_the_corrected_timer_without_decision_d1_alone(
    jvm, output, monkeypatch, without, equal
):
    named = BINDING.beside("stalled_adder")
    lacking = replace(named, without=without, where={"timer": "SystemTimer"}, rejects={})
    fast = replace(lacking, fast=("stalled_adder",), renamed={})
    monkeypatch.setattr(tasks, "find", lambda root: {"system_timer_java": fast})
    (row,) = layer.check(Context(MECHANISM, output), [f"stalled_adder@{RELEASE}"]).rows
    assert (row.verdict is Verdict.EXHAUSTIVE) is equal
    assert row.ok is equal
