"""Rows of the composition layer: verdicts, races and equivalent mutants."""

from dataclasses import replace

import pytest

from tests.model.system_timer import ARTEFACTS, MECHANISM
from tests.wheelproof.python.search.composed_timer import LISTS, changed, composed
from wheelproof.checks import composition as layer
from wheelproof.checks import controls
from wheelproof.checks.context import Context
from wheelproof.counterexample import document
from wheelproof.project.mechanism import Composed
from wheelproof.python import (
    ControlledImplementation,
    RaceDetector,
    random_schedules,
)
from wheelproof.python.search.composition import compose
from wheelproof.verdict import Verdict

# -- the row


def row(tmp_path, **entry):
    return layer.check(Context(MECHANISM, tmp_path), Composed("in_full", **entry)).rows[0]


@pytest.mark.nightly
def test_a_row_reports_the_covered_edges(tmp_path):
    found = row(tmp_path, scenario="one_bucket")
    assert found.ok and found.verdict == Verdict.EXHAUSTIVE and found.bound.endswith("every step")
    assert found.figures["matched_edges"] == found.figures["model_edges"]


def test_a_mutant_that_is_noticed_is_in_order_and_one_that_is_not_is_none(tmp_path):
    noticed = row(tmp_path, scenario="one_bucket", mutant="Unguarded")
    assert noticed.ok and (noticed.verdict, noticed.property) == (
        Verdict.VIOLATED,
        layer.COMPOSITION,
    )
    unseen = row(tmp_path, scenario="one_adder", mutant="Unguarded")
    assert not unseen.ok and unseen.verdict == Verdict.EXHAUSTIVE


# -- data races

PEEKS = MECHANISM.composed["cancel_one_peeks"]


def rows(tmp_path, entry):
    return {found.layer: found for found in layer.check(Context(MECHANISM, tmp_path), entry).rows}


@pytest.mark.nightly
def test_a_sound_run_has_no_data_race_on_the_fields_of_the_lists_either(tmp_path):
    found = rows(tmp_path, Composed("in_full", scenario="one_bucket"))
    assert set(found) == {"composition", "random"} and found["random"].ok
    assert found["random"].verdict == Verdict.SAMPLED and found["random"].figures["races"] == 0


@pytest.mark.nightly
def test_a_link_that_is_read_without_the_monitor_is_noticed_by_the_detector_alone(tmp_path):
    found = rows(tmp_path, PEEKS)
    assert found["composition"].ok and found["composition"].verdict == Verdict.EXHAUSTIVE
    assert found["random"].ok and found["random"].property == "NoDataRace"
    assert "race on TimerTaskEntry.next: read at impl/timer_task_list.py" in found["random"].why
    trace = document.read(tmp_path / found["random"].trace)
    assert trace.explanation in found["random"].why and trace.steps[-1].access
    assert found["composition"].trace is None
    atomic = ARTEFACTS.mutant("Peeks")
    detector = RaceDetector()
    random_schedules(atomic, MECHANISM.scenarios["cancel_one"], schedules=100, race=detector)
    assert not detector.found, (
        "where the lists' operations are single steps no detector watches their fields"
    )


def test_a_link_that_is_written_without_the_monitor_is_noticed():
    """Two adders into one bucket: the tail is set when the monitors have been given back."""
    late = "                        self.root.prev = entry  # write A8\n"
    counted = (
        "                        self.task_counter.add_and_get(1)  # update A9\n                   "
        "     done = True\n"
    )
    text = changed(
        changed(LISTS, late, ""),
        counted,
        counted + "            if done:\n                self.root.prev = entry  # write A8\n",
    )
    found = composed(MECHANISM.scenarios["one_bucket"], texts={"impl.timer_task_list": text})
    assert any(
        str(race).startswith("race on TimerTaskEntry.prev: ") and "(A8)" in str(race)
        for race in found.races
    )


@pytest.mark.nightly
def test_a_race_in_a_sound_run_and_none_in_a_racy_one_are_not_in_order(tmp_path):
    racy = layer.race_row(
        Context(MECHANISM, tmp_path),
        replace(PEEKS, mutant="", data_race=False),
        composed(MECHANISM.scenarios["cancel_one"], "Peeks"),
    )
    assert not racy.ok and racy.property == "NoDataRace"
    sound = layer.race_row(
        Context(MECHANISM, tmp_path), PEEKS, composed(MECHANISM.scenarios["cancel_one"])
    )
    assert not sound.ok and sound.verdict == Verdict.SAMPLED


def test_a_search_that_did_not_end_reports_no_races(tmp_path):
    short = layer.race_row(
        Context(MECHANISM, tmp_path),
        Composed("in_full", scenario="one_bucket"),
        composed(budget=-1.0),
    )
    assert not short.ok and short.verdict == Verdict.INCONCLUSIVE


def test_the_timer_claims_no_data_race_only_with_its_composed_runs(tmp_path):
    claims = controls.controls(Context(MECHANISM, tmp_path)).figures["properties"]
    without = replace(MECHANISM, composed={})
    assert controls.has_plain_fields(MECHANISM) and not controls.has_plain_fields(without)
    assert controls.controls(Context(without, tmp_path)).figures["properties"] == claims - 1
    silent = {name: entry for name, entry in MECHANISM.composed.items() if not entry.data_race}
    row = controls.controls(Context(replace(MECHANISM, composed=silent), tmp_path))
    assert (
        row.verdict == Verdict.VACUOUS
        and "no config and no mutant shows that NoDataRace can fail" in row.why
    )


# -- an equivalent mutant

ENTRY = MECHANISM.composed["cancel_one_single_attempt"]


@pytest.mark.nightly
def test_a_single_attempt_of_a_remove_has_no_run_of_its_own_at_rest(tmp_path):
    found = layer.check(Context(MECHANISM, tmp_path), ENTRY).rows[0]
    assert found.ok and found.verdict == Verdict.EXHAUSTIVE and "equivalent: " in found.why
    assert found.figures["matched_edges"] == found.figures["model_edges"]
    assert found.figures["impl_states"] < found.figures["unmutated_states"], "the second look"


def test_an_equivalent_mutant_that_the_model_rejects_is_not_in_order(tmp_path):
    found = row(tmp_path, scenario="one_bucket", mutant="Unguarded", equivalent="it is not")
    assert not found.ok and found.verdict == Verdict.VIOLATED


@pytest.mark.nightly
def test_an_equivalent_mutant_that_changes_nothing_is_not_in_order(tmp_path):
    """Without a canceller each remove finds its entry in no list, and looks once."""
    found = row(tmp_path, scenario="one_adder", mutant="SingleAttempt", equivalent="as it is")
    assert not found.ok and "changes nothing" in found.why


def test_a_table_that_is_no_finer_is_vacuous(tmp_path, monkeypatch):
    load = ControlledImplementation.load
    monkeypatch.setattr(
        ControlledImplementation,
        "load",
        lambda *arguments, atomicity, **options: load(*arguments, **options),
    )
    found = row(tmp_path, scenario="one_bucket")
    assert not found.ok and found.verdict == Verdict.VACUOUS and "COMPOSED" in found.why


def test_steps_of_the_model_that_no_run_takes_are_not_in_order(tmp_path, monkeypatch):
    monkeypatch.setattr(
        layer, "compose", lambda *arguments, **options: fewer(compose(*arguments, **options))
    )
    found = row(tmp_path, scenario="one_bucket")
    assert not found.ok and "1 edges of the model were taken in no run" in found.why


def fewer(found):
    found.figures["matched_edges"] -= 1
    return found
