"""The table of which event may come next: that it is what the models say, and that this is noticed
when it is not."""

import copy
from pathlib import Path

import pytest

from traces.bulk import successors
from wheelproof import project

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture(scope="module")
def mechanisms():
    return project.find(ROOT)


@pytest.fixture(scope="module")
def derived(mechanisms):
    return successors.derive(mechanisms)


def test_the_table_is_what_the_models_say(derived):
    assert successors.load() == derived, "python -m traces.bulk.successors --write"
    assert {"TimerTaskList", "SystemTimer", "DelayedOperation"} <= derived.keys()


def test_the_table_says_what_the_text_of_the_timer_says(derived):
    timer = derived["SystemTimer"]
    assert (
        timer["list_add"] == ["bucket_expiry_set"]
        and timer["set_entry"] == ["cancel_check"]
        and timer["list_remove"] == ["cancel_check"]
    )
    assert derived["DelayedOperation"]["cancel"] == ["on_complete_begin"]


def test_a_model_whose_steps_are_in_another_order_has_another_table(mechanisms, derived):
    """The control: where the key is set before the link, other things come after a link."""

    class KeysFirst:
        def __init__(self, mechanism):
            self.mechanism = mechanism

        def __getattr__(self, name):
            return getattr(self.mechanism, name)

        def model(self, scenario):
            return self.mechanism.without("M11").model(scenario)

    stem = next(stem for stem, mechanism in mechanisms.items() if mechanism.module == "SystemTimer")
    changed = successors.derive({stem: KeysFirst(mechanisms[stem])})["SystemTimer"]
    assert changed != derived["SystemTimer"] and changed["list_add"] != ["bucket_expiry_set"]


def test_a_file_that_is_not_current_is_noticed_and_made_anew(
    derived, tmp_path, monkeypatch, capsys
):
    stale = copy.deepcopy(derived)
    stale["SystemTimer"]["list_add"].append("cancel")
    file = tmp_path / "successors.json"
    file.write_text(successors.json.dumps({"schema": successors.SCHEMA, "modules": stale}))
    monkeypatch.setattr(successors, "FILE", file)
    monkeypatch.setattr(successors, "derive", lambda mechanisms: derived)
    assert successors.main([str(ROOT)]) == 1 and successors.load() == stale
    assert "not what the models say" in capsys.readouterr().out
    assert successors.main([str(ROOT), "--write"]) == 1 and successors.load() == derived
    assert successors.main([str(ROOT)]) == 0
