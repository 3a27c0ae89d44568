"""A composed run: with all steps of the lists, the timer does only what its model does."""

from dataclasses import replace

import pytest

from tests.model.system_timer import ARTEFACTS, MECHANISM
from wheelproof.checks import composition as layer
from wheelproof.checks import controls
from wheelproof.checks.context import Context
from wheelproof.explore import (
    ControlledImplementation,
    ExploreError,
    RaceDetector,
    bisimulate,
    random_schedules,
)
from wheelproof.explore import composition as composed_module
from wheelproof.explore.composition import compose
from wheelproof.graph import reduced
from wheelproof.project.mechanism import Composed
from wheelproof.verdict import Verdict

ONE = {
    "wheel_size": 2,
    "levels": 1,
    "task_of": {"e": "x"},
    "deadline": {"e": 1},
    "threads": {
        "adder": [["add", "e"]],
        "canceller": [["cancel", "x"]],
        "clock": [["tick"]],
        "reaper": [["reap"]],
    },
}
HARNESS = (MECHANISM.root / "harness" / "system_timer.py").read_text(encoding="utf-8")
LISTS = (MECHANISM.root / "impl" / "timer_task_list.py").read_text(encoding="utf-8")


def composed(scenario=ONE, mutant="", without="", texts=(), **options):
    """One composed search.

    ``mutant``: the decision that the implementation lacks, ``without``: the model; ``texts``:
    sources in the place of files.
    """
    graph = reduced.reduce(MECHANISM.without(without).model_of(scenario), MECHANISM.silent)
    implementation = ControlledImplementation.load(
        MECHANISM.root,
        MECHANISM.stem,
        atomicity="COMPOSED",
        texts=MECHANISM.without(mutant).modules | dict(texts),
    )
    return compose(
        implementation,
        scenario,
        reduced.rows(graph),
        reduced.shared_of(graph),
        layer.labels_of(graph),
        **options,
    )


def changed(text, there, instead):
    assert there in text
    return text.replace(there, instead)


def test_every_run_is_one_of_the_atomic_models_and_every_step_of_that_is_met():
    """Cancel finds the entry in no list, the adder links it, cancel clears the task.

    The cancel takes effect at the adder's step.
    """
    found = composed()
    assert found.outcome == "included" and found.difference is None
    assert found.figures["matched_edges"] == found.figures["model_edges"] > 150
    assert found.figures["impl_states"] > 5 * found.figures["model_states"]


def test_a_lost_entry_is_noticed_in_full_and_only_there():
    scenario = MECHANISM.scenarios["one_bucket"]
    found = composed(scenario, "Unguarded")
    assert (
        found.outcome == "different"
        and found.difference.kind == "deadlock"
        and "reaper at R1" in str(found.difference)
    )
    assert {"a", "b"} <= set(found.difference.threads)
    graph = reduced.reduce(MECHANISM.model("one_bucket"), MECHANISM.silent)
    atomic = bisimulate(
        ARTEFACTS.mutant("Unguarded"), scenario, reduced.rows(graph), reduced.shared_of(graph)
    )
    assert atomic.outcome == "equal"


def test_an_exception_in_a_lower_step_is_noticed():
    found = composed(MECHANISM.scenarios["cancel_one"], "Unowned")
    assert (
        found.outcome == "different"
        and found.difference.kind == "exception"
        and "AttributeError" in str(found.difference)
    )


def test_an_operation_that_does_something_else_is_noticed_when_it_is_over():
    """A cancel that leaves the entry: at rest the implementation has one that the model lacks."""
    text = changed(
        LISTS,
        "            if entry is not None:\n"
        "                entry.remove()\n"
        "            self.timer_task_entry = None",
        "            self.timer_task_entry = None",
    )
    found = composed(texts={"impl.timer_task_list": text})
    assert found.outcome == "different" and found.difference.kind == "shared"
    assert found.difference.schedule[-1] == (
        "canceller",
        "C4",
    ) and "with no thread inside an operation" in str(found.difference)


# -- inside an operation

ALONE = ONE | {
    "threads": {name: program for name, program in ONE["threads"].items() if name != "canceller"}
}
HELD = (
    "                with entry.monitor:  # lock A2, unlock A10\n                    if entry.list"
    " is None:  # read A3\n"
)
FORGETS = HELD + (
    "                        entry.timer_task.timer_task_entry = None  # write Z1\n"
    "                        entry.timer_task.timer_task_entry = entry  # write Z2\n"
)


def test_a_variable_that_an_operation_does_not_write_is_compared_while_it_is_under_way():
    """An add into a bucket that lets the task forget its entry for a moment."""
    found = composed(ALONE, texts={"impl.timer_task_list": changed(LISTS, HELD, FORGETS)})
    assert found.outcome == "different" and found.difference.kind == "shared"
    assert found.difference.schedule[-1] == ("adder", "Z1")
    assert "while adder is inside W2 timerTaskEntry is (None,), ('e',) in the model" in str(
        found.difference
    )


def test_no_other_comparison_notices_that():
    halfway = changed(
        HARNESS,
        "HALFWAY = {\n",
        'HALFWAY = {\n    "timerTaskEntry": "the control of the comparison",\n',
    )
    found = composed(
        ALONE,
        texts={
            "impl.timer_task_list": changed(LISTS, HELD, FORGETS),
            "harness.system_timer": halfway,
        },
    )
    assert found.outcome == "included" and found.figures["inside"]


def test_a_variable_that_shows_the_locks_of_an_operation_has_to_be_named():
    none = changed(
        HARNESS,
        '    "flushing": "the bucket whose monitor is held: every operation on a list holds one, in'
        ' the model a flush alone",\n',
        "",
    )
    found = composed(ALONE, texts={"harness.system_timer": none})
    assert found.outcome == "different" and "inside W2 flushing is (" in str(found.difference)


@pytest.mark.parametrize("entry", ['"flush": "a reason"', '"key": " "'])
def test_halfway_names_a_variable_and_a_reason(entry):
    with pytest.raises(ExploreError, match="HALFWAY of the harness names"):
        composed(
            ALONE,
            texts={
                "harness.system_timer": changed(
                    HARNESS, "HALFWAY = {\n", f"HALFWAY = {{\n    {entry},\n"
                )
            },
        )


def test_a_value_that_a_flush_does_not_write_is_compared_between_its_steps():
    """A flush that resets the key of its bucket at the first entry, not at its end."""
    unlinks = "                self.remove(head)\n"
    early = changed(
        LISTS, unlinks, "                self.expiration.set(-1)  # write Z1\n" + unlinks
    )
    found = composed(ALONE, texts={"impl.timer_task_list": early})
    assert found.outcome == "different" and found.difference.schedule[-1] == ("reaper", "Z1")
    assert "while reaper is inside F2/V1 key is (-1, -1), (-1, 1) in the model" in str(
        found.difference
    )


# -- at rest


def test_a_step_that_the_model_does_not_have_is_noticed():
    """The model queues a bucket whenever it links, the implementation when the key is new."""
    found = composed(MECHANISM.scenarios["one_bucket"], without="M10")
    assert (
        found.outcome == "different"
        and found.difference.kind in ("label", "shared")
        and found.difference.schedule
    )


def test_too_little_time_is_inconclusive():
    found = composed(budget=-1.0)
    assert found.outcome == "inconclusive" and "were not enough" in found.why


def test_a_harness_without_the_finer_table_is_refused():
    with pytest.raises(ExploreError, match="has no COMPOSED"):
        composed(
            texts={
                "harness.system_timer": changed(
                    HARNESS, "COMPOSED = {", "ELSEWHERE = frozenset({}) or {"
                )
            }
        )


# -- the row


def row(tmp_path, **entry):
    return layer.check(Context(MECHANISM, tmp_path), Composed("in_full", **entry)).rows[0]


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


def test_a_sound_run_has_no_data_race_on_the_fields_of_the_lists_either(tmp_path):
    found = rows(tmp_path, Composed("in_full", scenario="one_bucket"))
    assert set(found) == {"composition", "random"} and found["random"].ok
    assert found["random"].verdict == Verdict.SAMPLED and found["random"].figures["races"] == 0


def test_a_link_that_is_read_without_the_monitor_is_noticed_by_the_detector_alone(tmp_path):
    found = rows(tmp_path, PEEKS)
    assert found["composition"].ok and found["composition"].verdict == Verdict.EXHAUSTIVE
    assert found["random"].ok and found["random"].property == "NoDataRace"
    assert "race on TimerTaskEntry.next: read at impl/timer_task_list.py" in found["random"].why
    atomic = ARTEFACTS.mutant("Peeks")
    detector = RaceDetector()
    random_schedules(atomic, MECHANISM.scenarios["cancel_one"], schedules=100, race=detector)
    assert not detector.found, (
        "where the lists' operations are single steps nobody watches their fields"
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


def test_a_single_attempt_of_a_remove_has_no_run_of_its_own_at_rest(tmp_path):
    found = layer.check(Context(MECHANISM, tmp_path), ENTRY).rows[0]
    assert found.ok and found.verdict == Verdict.EXHAUSTIVE and "equivalent: " in found.why
    assert found.figures["matched_edges"] == found.figures["model_edges"]
    assert found.figures["impl_states"] < found.figures["unmutated_states"], "the second look"


def test_an_equivalent_mutant_that_the_model_rejects_is_not_in_order(tmp_path):
    found = row(tmp_path, scenario="one_bucket", mutant="Unguarded", equivalent="it is not")
    assert not found.ok and found.verdict == Verdict.VIOLATED


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


def test_a_wrong_result_is_noticed_with_every_step_on():
    text = (MECHANISM.root / "impl" / "system_timer.py").read_text(encoding="utf-8")
    linked = "            self.add_timer_task_entry(entry)\n\n    def add_timer_task_entry"
    assert text.count(linked) == 1
    planted = text.replace(
        linked, linked.replace("(entry)\n\n", "(entry)\n            return True\n\n")
    )
    implementation = ControlledImplementation.load(
        MECHANISM.root, MECHANISM.stem, atomicity="COMPOSED", texts={"impl.system_timer": planted}
    )
    graph = reduced.reduce(MECHANISM.model("one_bucket"), MECHANISM.silent)
    found = compose(
        implementation,
        MECHANISM.scenarios["one_bucket"],
        reduced.rows(graph),
        reduced.shared_of(graph),
        layer.labels_of(graph),
    )
    assert (
        found.outcome == "different"
        and found.difference.kind == "label"
        and "takes A4" in found.difference.message
    ), found.difference


@pytest.mark.parametrize(
    ("changed", "matched"),
    [
        (None, True),
        ({1: ("other", 3)}, False),  # behind the operation the thread takes another step
        ({1: ("C1", 2)}, False),  # the two do not commute
    ],
)
def test_an_edge_beside_an_operation_that_does_nothing_is_that_behind_it(changed, matched):
    """Thread 0 does nothing in R7, from state 0 to 1 and from 2 to 3; thread 1 takes C1."""
    search = object.__new__(composed_module.Inclusion)
    search.rows = [{0: ("R7", 1), 1: ("C1", 2)}, changed or {1: ("C1", 3)}, {0: ("R7", 3)}, {}]
    search.operations, search.matched = {"R7"}, {(0, 0), (1, 1), (2, 0)}
    now = [0, 0, 1, 1]
    search._model_shared = lambda state: {"now": (now[state],)}
    search._match_beside_idle()
    assert ((0, 1) in search.matched) == matched


@pytest.mark.parametrize("kept", [{(0, 0), (2, 0)}, {(0, 0), (1, 1), (2, 0)}])
def test_an_edge_counts_only_if_that_behind_is_taken_and_the_operation_does_nothing(kept):
    search = object.__new__(composed_module.Inclusion)
    search.rows = [{0: ("R7", 1), 1: ("C1", 2)}, {1: ("C1", 3)}, {0: ("R7", 3)}, {}]
    search.operations, search.matched = {"R7"}, set(kept)
    search._model_shared = lambda state: {"now": (state if (1, 1) in kept else 0,)}
    search._match_beside_idle()
    assert (0, 1) not in search.matched
