"""Every access a step: the wheel's are stutters, and what only they show is found and replayed."""

from dataclasses import replace
from pathlib import Path

import pytest

from tests.found import bindings, mechanisms
from wheelproof.checks import jvm as layer
from wheelproof.checks.context import Context
from wheelproof.counterexample import document, replay
from wheelproof.errors import UsageError
from wheelproof.jvm import declaration, tasks
from wheelproof.jvm.jars import NotHere
from wheelproof.jvm.table import table_faults
from wheelproof.verdict import Verdict

ROOT = Path(__file__).resolve().parents[3]
BINDING = bindings()["timing_wheel"]
MECHANISMS = mechanisms()
WHEEL = MECHANISMS["timing_wheel"]


def rows(mechanism, names, output):
    context = Context(MECHANISMS[mechanism], output)
    try:
        layer.fetch(context, names)
    except NotHere as error:
        pytest.skip(f"NOT RUN: {error}")
    return layer.check(context, names).rows


def replayed(output, row, capsys):
    assert replay.run(output / row.trace, "impl", root=ROOT) == replay.REPRODUCED
    return capsys.readouterr().out


@pytest.mark.nightly
def test_the_wheels_accesses_are_stutters(output):
    (row,) = rows("timing_wheel", ["two_withdrawn@4.3.0 fine"], output)
    assert (row.verdict, row.ok) == (Verdict.EXHAUSTIVE, True)
    assert row.figures["compared_edges"] == row.figures["model_edges"]
    assert row.figures["stutters"] > 0


@pytest.mark.nightly
def test_a_change_that_single_accesses_alone_show_is_replayed(output, monkeypatch, capsys):
    monkeypatch.chdir(output)
    (row,) = rows("timing_wheel", ["asks-and-sets@4.3.0"], output)
    assert (row.verdict, row.ok) == (Verdict.VIOLATED, True)
    found = document.read(output / row.trace)
    assert len(found.schedule) > len(found.steps)
    assert "the classes leave the model: b is at W4, in the model at L2" in replayed(
        output, row, capsys
    )


def test_a_change_that_larger_steps_show_too_is_not_declared_fine(output, monkeypatch):
    change = replace(BINDING.changes["says-no"], scenarios=("two_withdrawn",), fine=True)
    wrong = replace(BINDING, changes={"says-no": change})
    monkeypatch.setattr(tasks, "find", lambda root: {"timing_wheel": wrong})
    (row,) = rows("timing_wheel", ["says-no@4.3.0"], output)
    assert (row.verdict, row.ok) == (Verdict.ERROR, False)
    assert "rejects the change without single accesses, too" in row.why


@pytest.mark.nightly
def test_accesses_of_a_link_are_no_stutters(output, monkeypatch):
    wrong = replace(BINDING, within={})
    monkeypatch.setattr(tasks, "find", lambda root: {"timing_wheel": wrong})
    (row,) = rows("timing_wheel", ["two_withdrawn@4.3.0 fine"], output)
    assert (row.verdict, row.ok) == (Verdict.VIOLATED, False)


def test_another_result_is_replayed(output, monkeypatch, capsys):
    monkeypatch.chdir(output)
    (row,) = rows("delayed_operation", ["denies-completion@4.3.0"], output)
    assert (row.verdict, row.ok) == (Verdict.VIOLATED, True)
    difference = "the operation of b returns False, True in the model"
    assert difference in row.why
    assert f"the classes leave the model: {difference}" in replayed(output, row, capsys)


def test_a_pattern_of_parts_that_fits_no_site_is_a_fault():
    binding = replace(BINDING, within={"TimingWheel.gone:*": "why"})
    assert "there is no site TimingWheel.gone:*" in table_faults(binding, WHEEL, [], {})


def test_a_schedule_with_another_thread_is_refused(tmp_path):
    step = document.Step("a", "L1", "lock")
    made = document.Counterexample(
        "m", "jvm", "n", "s", "P", "", ("a",), {}, (step,), schedule=("a", "b")
    )
    made.write(tmp_path / "x.json")
    with pytest.raises(UsageError, match="schedule names 'b', which is no thread"):
        document.read(tmp_path / "x.json")


def test_a_schedule_is_written_and_read(tmp_path):
    step = document.Step("a", "L1", "lock")
    made = document.Counterexample(
        "m", "jvm", "n", "s", "P", "", ("a", "b"), {}, (step,), schedule=("a", "b", "a")
    )
    made.write(tmp_path / "x.json")
    assert document.read(tmp_path / "x.json") == made
    without = replace(made, schedule=())
    assert "schedule" not in without.document()


@pytest.mark.parametrize(
    ("planted", "message"),
    [
        ('about = "x"\nscenarios = []\nfin = true', "changes.new has the unknown field fin"),
        ("scenarios = []", "changes.new lacks the field about"),
    ],
)
def test_a_change_with_a_wrong_field_is_refused(tmp_path, planted, message):
    text = BINDING.file.read_text(encoding="utf-8") + f"\n[changes.new]\n{planted}\n"
    (tmp_path / "wrong.toml").write_text(text, encoding="utf-8")
    with pytest.raises(UsageError, match=message):
        declaration.read(tmp_path / "wrong.toml")


@pytest.mark.daily(2)
@pytest.mark.parametrize("every", [False, True])
def test_fine_checks_are_chosen_alone(every):
    fine = tasks.select(MECHANISMS.values(), set(), "", True, every=every)
    assert fine and {tasks.tasks(MECHANISMS[of])[name].kind for of, name in fine} == {"fine"}
