"""SystemTimer's bytecode with every step of its lists on: each run is one of the model."""

from dataclasses import replace
from pathlib import Path

import pytest

from tests.found import bindings, mechanisms
from tests.nights import by_night
from wheelproof.checks import jvm as layer
from wheelproof.checks.context import Context
from wheelproof.errors import UsageError
from wheelproof.jvm import composed, declaration, tasks
from wheelproof.jvm.jars import NotHere
from wheelproof.verdict import Verdict

ROOT = Path(__file__).resolve().parents[3]
MECHANISM = mechanisms()["system_timer"]
BINDING = bindings()["system_timer_composed"]


def rows(names, output):
    context = Context(MECHANISM, output)
    try:
        layer.fetch(context, names)
    except NotHere as error:
        pytest.skip(f"NOT RUN: {error}")
    return layer.check(context, names).rows


def test_each_run_with_the_lists_steps_is_one_of_the_model(tmp_path):
    (row,) = rows(["kafka_executor in full@4.3.0"], tmp_path)
    assert (row.verdict, row.ok) == (Verdict.EXHAUSTIVE, True), row.why
    assert row.figures["matched_edges"] == row.figures["model_edges"] > 0
    assert row.figures["impl_states"] > row.figures["model_states"]
    assert row.figures["inside"] > 0


def test_a_changed_list_is_rejected_with_its_schedule(tmp_path):
    (row,) = rows(["tail-early@4.3.0"], tmp_path)
    assert (row.verdict, row.property, row.ok) == (Verdict.VIOLATED, "Composition", True)
    assert "no thread can move" in row.why and "(inside W2) TimerTaskList.add:" in row.why


@pytest.mark.parametrize(
    "wrong",
    [
        by_night({"inside": {"W2": BINDING.inside["W2"]}}),  # nothing says in what a new entry is
        {"halfway": {}},
        by_night({"inside": {**BINDING.inside, "W2": (), "A4": BINDING.inside["W2"]}}),
    ],
)
def test_another_table_of_operations_is_rejected(tmp_path, monkeypatch, wrong):
    weak = replace(BINDING, **wrong)
    monkeypatch.setattr(tasks, "find", lambda root: {"system_timer_composed": weak})
    (row,) = rows(["kafka_executor in full@4.3.0"], tmp_path)
    assert not row.ok


def test_a_label_of_an_operation_has_its_name_and_its_site():
    assert composed.way("(inside W2) TimerTaskList.add:MONITORENTER#0") == (None, "W2", 0)
    assert composed.way("(inside ) TimerTaskList.remove:SYNC-ENTER#0") == (None, None, 0)
    assert composed.way("R2") == ("R2", None, 0)


def test_sites_of_no_label_of_another_file_are_refused():
    with pytest.raises(UsageError, match="names no label of another file"):
        declaration.below(BINDING.file, {"timer_task_list": ["Q*"]})
