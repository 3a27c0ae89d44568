"""The table of which event may come next: that it is what the models say, and that this is noticed
when it is not."""

import copy
from pathlib import Path

import pytest

from tests.found import mechanisms
from tests.nights import by_night
from traces.bulk import successors

ROOT = Path(__file__).resolve().parents[3]


MECHANISMS = mechanisms()
LONG = {"delayed_operation", "system_timer", "purgatory", "timer_task_list"}
"""Mechanisms whose graphs are large."""


@pytest.fixture
def table():
    """The table as it is, which the test below compares with the models."""
    return successors.load()


@pytest.mark.parametrize(
    "mechanism",
    [by_night(mechanism) if mechanism in LONG else mechanism for mechanism in MECHANISMS],
)
def test_the_table_is_what_the_models_say(table, mechanism):
    declared = MECHANISMS[mechanism]
    derived = successors.derive({mechanism: declared})
    there = {name: rows for name, rows in table.items() if name == declared.module}
    assert there == derived, "python -m traces.bulk.successors --write"


def test_the_table_has_modules_of_the_models_alone(table):
    assert {"TimerTaskList", "SystemTimer", "DelayedOperation"} <= table.keys()
    assert table.keys() <= {mechanism.module for mechanism in MECHANISMS.values()}


def test_the_table_says_what_the_text_of_the_timer_says(table):
    timer = table["SystemTimer"]
    assert (
        timer["list_add"] == ["bucket_expiry_set"]
        and timer["set_entry"] == ["cancel_check"]
        and timer["list_remove"] == ["cancel_check"]
    )
    assert table["DelayedOperation"]["cancel"] == ["on_complete_begin"]


@pytest.mark.nightly
def test_a_model_whose_steps_are_in_another_order_has_another_table(table):
    """The control: where the key is set before the link, other things come after a link."""

    class KeysFirst:
        def __init__(self, mechanism):
            self.mechanism = mechanism

        def __getattr__(self, name):
            return getattr(self.mechanism, name)

        def model(self, scenario):
            return self.mechanism.without("M11").model(scenario)

    timer = "system_timer"
    changed = successors.derive({timer: KeysFirst(MECHANISMS[timer])})["SystemTimer"]
    assert changed != table["SystemTimer"] and changed["list_add"] != ["bucket_expiry_set"]


def test_a_file_that_is_not_current_is_noticed_and_made_anew(table, tmp_path, monkeypatch, capsys):
    stale = copy.deepcopy(table)
    stale["SystemTimer"]["list_add"].append("cancel")
    file = tmp_path / "successors.json"
    file.write_text(successors.json.dumps({"schema": successors.SCHEMA, "modules": stale}))
    monkeypatch.setattr(successors, "FILE", file)
    monkeypatch.setattr(successors, "derive", lambda mechanisms: table)
    assert successors.main([str(ROOT)]) == 1 and successors.load() == stale
    assert "not what the models say" in capsys.readouterr().out
    assert successors.main([str(ROOT), "--write"]) == 1 and successors.load() == table
    assert successors.main([str(ROOT)]) == 0
