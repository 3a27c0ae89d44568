"""Where a jar cannot be had the layer is not run: named, never green, and alone exit code 5."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

from tests.found import mechanisms
from wheelproof.checks import verify
from wheelproof.checks.job import ClassesJob, SafetyJob
from wheelproof.cli import app
from wheelproof.events import NotRun, VerifyOptions
from wheelproof.jvm.jars import NotHere
from wheelproof.report.terminal import verdict_line
from wheelproof.verdict import Results, judge, read_results

ROOT = Path(__file__).resolve().parents[3]
NAME = "timer_task_list"
ROW = judge(NAME, "tlc", "any", expected="exhaustive", verdict="exhaustive")


@pytest.fixture(autouse=True)
def no_jars(monkeypatch, tmp_path):
    monkeypatch.setenv("WHEELPROOF_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("WHEELPROOF_OFFLINE", "1")


def options(tmp_path, heard):
    return VerifyOptions((NAME,), None, "fast", ROOT, tmp_path, 1, listen=heard.append)


CLASSES = ClassesJob(NAME, "two_adders@4.3.0", ("jvm",))
CONFIG = SafetyJob(NAME, "two_adders", ("tlc",))


def test_other_layers_go_on_and_the_absence_is_reported(tmp_path):
    heard = []
    declared = [mechanisms()[NAME]]
    left, absent = verify.with_classes([CONFIG, CLASSES], declared, options(tmp_path, heard))
    assert left == [CONFIG] and absent == {"jvm"}
    (notice,) = heard
    assert isinstance(notice, NotRun) and notice.layer == "jvm"
    assert "org.ow2.asm" in notice.why


def test_the_layer_alone_checks_nothing(tmp_path):
    with pytest.raises(NotHere):
        verify.with_classes([CLASSES], [mechanisms()[NAME]], options(tmp_path, []))


def test_without_jobs_of_the_layer_nothing_is_looked_for(tmp_path):
    heard = []
    chosen = [CONFIG]
    found = verify.with_classes(chosen, [mechanisms()[NAME]], options(tmp_path, heard))
    assert found == (chosen, set())
    assert not heard


def test_the_command_exits_with_5(tmp_path):
    arguments = ["jvm", "two_adders", "--subject", str(ROOT), "--output", str(tmp_path)]
    assert CliRunner().invoke(app, arguments).exit_code == 5


def test_a_chosen_check_is_of_its_mechanism_alone():
    job = CLASSES
    assert job.only(frozenset({(NAME, job.name)})) == job
    assert job.only(frozenset({("another", job.name)})) is None


def test_an_unknown_scenario_is_a_usage_error(tmp_path):
    arguments = ["jvm", "no_such", "--subject", str(ROOT), "--output", str(tmp_path)]
    assert CliRunner().invoke(app, arguments).exit_code == 2


def test_an_unknown_release_is_a_usage_error(tmp_path):
    arguments = ["jvm", "--release", "0.1", "--subject", str(ROOT), "--output", str(tmp_path)]
    assert CliRunner().invoke(app, arguments).exit_code == 2


def test_the_last_line_and_the_results_name_the_layer(tmp_path):
    results = Results((ROW,), {}, "run", "now", not_run={"jvm": "no jar"})
    assert verdict_line(results).plain.endswith("; layer jvm NOT RUN")
    assert "NOT RUN" not in verdict_line(Results((ROW,), {}, "run", "now")).plain
    results.write(tmp_path / "results.json")
    assert read_results(tmp_path / "results.json").not_run == {"jvm": "no jar"}
