"""The table of releases: a cell is red, green or "not shown", as its release's rows are."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

from tests.found import mechanisms
from wheelproof.cli import app
from wheelproof.commands import releases
from wheelproof.counterexample import document
from wheelproof.jvm import declaration
from wheelproof.jvm.tasks import tasks
from wheelproof.verdict import judge

ROOT = Path(__file__).resolve().parents[3]
MECHANISM = mechanisms()["delayed_operation"]
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
                MECHANISM.name,
                "jvm",
                name,
                expected=good,
                expected_property=broken,
                verdict=bad if name in wrong else good,
                property=broken if name not in wrong else None if broken else "Bisimulation",
            )
        )
    kept = [row for row in rows if row.name not in dropped]
    lines = releases.render(kept, {MECHANISM.name: MECHANISM}).splitlines()
    return {line.split(" | ")[0].strip("| "): line.strip("| ").split(" | ")[1:] for line in lines}


def test_a_violated_property_names_its_replay_and_another_release_has_it():
    found = table()
    assert found["release"] == ["`delayed_operation`", "`NoLostCompletion`"]
    link = "[`article_lost_completion`](#article_lost_completion-of-delayed_operation)"
    assert found["1.0.0"] == ["1 of 1 scenarios equal", f"violated: {link}"]
    assert found["4.0.0"] == ["1 of 1 scenarios equal", "holds"]


@pytest.mark.parametrize("equal", [True, False])
def test_a_release_with_the_class_files_of_another_has_what_these_show(equal):
    mechanism, binding = MECHANISM.name, declaration.find(ROOT)["delayed_operation_try_pending"]
    assert binding.same == {"1.1.0": "2.0.0"}
    verdict = "exhaustive" if equal else "violated"
    broken = None if equal else "SameClasses"
    rows = [
        judge(
            mechanism,
            "jvm",
            "classes@1.1.0",
            expected="exhaustive",
            verdict=verdict,
            property=broken,
        ),
        judge(mechanism, "jvm", "raising@2.0.0", expected="exhaustive", verdict="exhaustive"),
    ]
    lines = releases.render(rows, {mechanism: MECHANISM}).splitlines()
    found = {line.split(" | ")[0].strip("| "): line.split(" | ")[1].strip("| ") for line in lines}
    assert found["2.0.0"] == "1 of 1 scenarios equal"
    shown = "1 of 1 scenarios equal: the class files of 2.0.0"
    assert found["1.1.0"] == (shown if equal else "0 of 0 scenarios equal")


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
        MECHANISM.name, "jvm", "try_once@1.0.0", expected="exhaustive", verdict="exhaustive"
    )
    checked = [(known["try_once@1.0.0"], row)]
    assert releases.cell(models, "NoLostCompletion", checked) == "violated in `try_once`"
    assert releases.cell(models, "CompletedOnce", checked) == "holds"


def test_a_row_that_is_not_one_of_the_checks_is_left_out():
    row = judge(MECHANISM.name, "jvm", "sites@1.0.0", expected="exhaustive", verdict="exhaustive")
    assert "1.0.0" not in releases.render([row], {MECHANISM.name: MECHANISM})


def test_releases_are_sorted_by_their_numbers():
    found = sorted(["4.0.0-x", "4.0.0", "0.11.0.2", "0.9.0", "1.10.0"], key=releases.version)
    assert found == ["0.9.0", "0.11.0.2", "1.10.0", "4.0.0", "4.0.0-x"]


def test_each_release_has_a_column_of_scenarios():
    assert {task.release for task in tasks(MECHANISM).values()} == {
        name.rpartition("@")[2] for name in NAMES
    }


@pytest.mark.parametrize("other", ["--table", "--json"])
def test_two_outputs_are_refused(tmp_path, other):
    arguments = ["jvm", "--matrix", other, "--subject", str(ROOT), "--output", str(tmp_path)]
    assert CliRunner().invoke(app, arguments).exit_code == 2


def test_a_replay_is_a_section_with_its_steps_and_its_command(tmp_path):
    step = document.Step("a", "C1", "lock")
    silent = document.Step("a", "T0", "silent")
    made = document.Counterexample(
        "m", "jvm", "n", "try_once", "NoLostCompletion", "", ("a", "b"), {}, (silent, step)
    )
    made.write(tmp_path / "x.json")
    name = "article_lost_completion@1.0.0"
    row = judge(
        MECHANISM.name,
        "jvm",
        name,
        expected="violated",
        expected_property="NoLostCompletion",
        verdict="violated",
        property="NoLostCompletion",
        trace="x.json",
    )
    (section,) = releases.replays(MECHANISM, [row], tmp_path)
    assert section.startswith("#### `article_lost_completion` of `delayed_operation`\n")
    assert "after 1 steps of `try_once`. Followed on 1.0.0." in section
    assert "```\na C1\n```\n" in section
    assert f'wheelproof jvm "{name}"' in section


def test_labels_of_one_thread_stand_together_until_another_one_moves():
    steps = [document.Step(thread, label, "") for thread, label in ("aA", "aB", "bA", "aC")]
    assert releases.by_thread(steps) == "a A B; b A; a C"


def test_changed_classes_are_a_line_of_their_own():
    mechanism = mechanisms()["overflow_wheel"]
    rows = [
        judge("overflow_wheel", "jvm", "two@4.3.0", expected="exhaustive", verdict="exhaustive"),
        judge(
            "overflow_wheel",
            "jvm",
            "plain-overflow-wheel@4.3.0",
            expected="violated",
            expected_property="SafePublication",
            verdict="violated",
            property="SafePublication",
        ),
    ]
    lines = releases.table(mechanism, rows).splitlines()
    assert lines[0] == "| release | `overflow_wheel` | `SafePublication` |"
    assert lines[2:] == [
        "| 4.3.0 | 1 of 1 scenarios equal | holds |",
        "| 4.3.0, changed | equal without `PlainWheel` | violated: "
        "[`plain-overflow-wheel`](#plain-overflow-wheel-of-overflow_wheel) |",
    ]
