"""The table of releases: a cell is red, green or "not shown", as its release's rows are."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

from wheelproof import project
from wheelproof.cli import app
from wheelproof.commands import releases
from wheelproof.jvm.tasks import tasks
from wheelproof.verdict import judge

ROOT = Path(__file__).resolve().parents[3]
MECHANISM = project.find(ROOT)["delayed_operation"]
NAMES = sorted(releases.names([MECHANISM]))
SMALL = {
    "try_once@1.0.0": None,
    "article_lost_completion@1.0.0": "NoLostCompletion",
    "checked_try_events@4.0.0": None,
}


def table(wrong=(), dropped=()):
    rows = []
    for name, broken in SMALL.items():
        good = "violated" if broken else "exhaustive"
        bad = "exhaustive" if broken else "violated"
        rows.append(
            judge(
                MECHANISM.stem,
                "jvm",
                name,
                expected=good,
                expected_property=broken,
                verdict=bad if name in wrong else good,
                property=broken if name not in wrong else None if broken else "Bisimulation",
            )
        )
    kept = [row for row in rows if row.name not in dropped]
    lines = releases.render(kept, {MECHANISM.stem: MECHANISM}).splitlines()
    return {line.split(" | ")[0].strip("| "): line.strip("| ").split(" | ")[1:] for line in lines}


def test_a_violated_property_names_its_replay_and_another_release_has_it():
    found = table()
    assert found["release"] == ["`delayed_operation`", "`NoLostCompletion`"]
    assert found["1.0.0"] == ["1 of 1 scenarios equal", "violated: `article_lost_completion`"]
    assert found["4.0.0"] == ["1 of 1 scenarios equal", "holds"]


def test_a_replay_that_failed_is_not_shown():
    found = table(wrong=("article_lost_completion@1.0.0",))
    assert found["1.0.0"][1] == "not shown: `article_lost_completion`"


def test_nothing_is_shown_of_a_release_that_is_not_equal():
    found = table(wrong=("checked_try_events@4.0.0",))
    assert found["4.0.0"] == ["0 of 1 scenarios equal", "not shown"]


def test_a_property_that_the_compared_model_lacks_does_not_hold():
    models = releases.Models(MECHANISM)
    known = tasks(MECHANISM)
    row = judge(
        MECHANISM.stem, "jvm", "try_once@1.0.0", expected="exhaustive", verdict="exhaustive"
    )
    checked = [(known["try_once@1.0.0"], row)]
    assert releases.cell(models, "NoLostCompletion", checked) == "violated in `try_once`"
    assert releases.cell(models, "CompletedOnce", checked) == "holds"


def test_a_row_that_is_not_one_of_the_checks_is_left_out():
    row = judge(MECHANISM.stem, "jvm", "sites@1.0.0", expected="exhaustive", verdict="exhaustive")
    assert "1.0.0" not in releases.render([row], {MECHANISM.stem: MECHANISM})


def test_releases_are_sorted_by_their_numbers():
    found = sorted(["4.0.0", "0.11.0.2", "0.9.0", "1.10.0", "1.2.0"], key=releases.version)
    assert found == ["0.9.0", "0.11.0.2", "1.2.0", "1.10.0", "4.0.0"]


def test_each_release_has_a_column_of_scenarios():
    assert {task.release for task in tasks(MECHANISM).values()} == {
        name.rpartition("@")[2] for name in NAMES
    }


@pytest.mark.parametrize("other", ["--table", "--json"])
def test_two_outputs_are_refused(tmp_path, other):
    arguments = ["jvm", "--matrix", other, "--subject", str(ROOT), "--output", str(tmp_path)]
    assert CliRunner().invoke(app, arguments).exit_code == 2
