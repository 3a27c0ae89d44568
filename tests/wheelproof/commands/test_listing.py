"""Listing, and rewriting counts: only where TLC and the model agree, and only the counts."""

import json

import pytest

from wheelproof import project
from wheelproof.commands import listing
from wheelproof.commands.selection import selection
from wheelproof.errors import UsageError
from wheelproof.project import counts


def listed(root, **more):
    return listing.run(root, project.find(root), **more)


def updated(root, only=()):
    return listing.update_all(project.find(root), only)


def test_the_inventory_names_configs_mutants_and_what_they_must_show(small, capsys):
    assert listed(small.root) == 0
    message = capsys.readouterr().out
    assert (
        "two_adders" in message
        and "M2" in message
        and "AtMostOneList" in message
        and "411" in message
    )
    assert listed(small.root, as_json=True) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["mechanisms"]["timer_task_list"]["configs"]["two_adders"]["distinct"] == 411


def off_by_one(small):
    small.change(small.counts, '"distinct": 411', '"distinct": 412')


def test_wrong_counts_are_rewritten_with_the_difference_printed(small, capsys):
    before = small.counts.read_text()
    off_by_one(small)
    assert updated(small.root, ["two_adders"]) == 0
    assert "two_adders: distinct 412 -> 411" in capsys.readouterr().out
    assert small.counts.read_text() == before


@pytest.mark.nightly
def test_counts_that_are_missing_are_written(small):
    before = counts.read(small.counts.parent)
    small.counts.unlink()
    assert updated(small.root) == 0 and counts.read(small.counts.parent) == before


def test_only_the_named_config_is_measured(small, capsys):
    off_by_one(small)
    assert updated(small.root, ["flush_into_itself"]) == 0
    measured = capsys.readouterr().out
    assert "flush_into_itself" in measured and "two_adders" not in measured
    assert '"distinct": 412' in small.counts.read_text()


def test_only_the_named_checks_are_listed(small, capsys):
    found = project.find(small.root)
    only = selection(found, "nightly", ["two_adders"], ["M2"], [])
    assert listing.run(small.root, found, only) == 0
    shown = capsys.readouterr().out
    assert "two_adders" in shown and "M2" in shown and "TimerTaskList" in shown
    assert "flush_into_itself" not in shown and "M1 " not in shown
    assert listing.run(small.root, found, only, as_json=True) == 0
    about = json.loads(capsys.readouterr().out)["mechanisms"]["timer_task_list"]
    assert list(about["configs"]) == ["two_adders"] and list(about["mutants"]) == ["M2"]
    assert not about["faults"] and not about["theorems"]
    with pytest.raises(UsageError, match="There is no mutant 'M99'"):
        selection(found, "nightly", [], ["M99"], [])


def test_counts_are_not_rewritten_where_the_model_is_another_machine(small, capsys):
    small.change(
        "model/timer_task_list.py", "        if self.list[t.ae] is None:", "        if True:"
    )
    before = small.counts.read_text()
    assert updated(small.root, ["two_adders"]) == 1
    assert (
        "two_adders: not rewritten" in capsys.readouterr().out
        and small.counts.read_text() == before
    )


@pytest.mark.parametrize(
    "old, new, message",
    [
        (
            '"distinct": 411',
            '"distinct": "many"',
            "field mechanisms.timer_task_list.two_adders.distinct must be a whole number",
        ),
        (
            '"distinct": 411, ',
            "",
            "field mechanisms.timer_task_list.two_adders must have generated, distinct, depth",
        ),
        ('"two_adders"', '"three_adders"', "timer_task_list has no config three_adders"),
        ("wheelproof.counts/1", "wheelproof.counts/2", "counts/2"),
    ],
)
def test_counts_that_do_not_fit_are_refused_with_their_place(small, old, new, message):
    small.change(small.counts, old, new)
    with pytest.raises(UsageError) as refused:
        project.read(small.toml)
    assert message in str(refused.value) and str(small.counts) in str(refused.value), str(
        refused.value
    )


def test_a_mechanism_keeps_its_counts_when_another_ones_are_written(tmp_path):
    one = {"one": {"a": {"generated": 3, "distinct": 2, "depth": 1}}}
    counts.write(tmp_path, one | {"two": {}})
    assert counts.read(tmp_path) == one | {"two": {}}


@pytest.mark.nightly
def test_what_breaks_a_property_is_rewritten_with_the_difference_printed(small, capsys):
    assert updated(small.root, ["sensitivity"]) == 0
    assert "AtMostOneList: now broken by" in capsys.readouterr().out
    before = small.counts.read_text()
    small.change(small.counts, '"CounterExact": [', '"CounterExact": ["turn swap", ')
    assert updated(small.root, ["sensitivity"]) == 0
    printed = capsys.readouterr().out
    assert "CounterExact: no more broken by turn swap" in printed and "now broken" not in printed
    assert small.counts.read_text() == before
    assert updated(small.root, ["sensitivity"]) == 0
    assert "sensitivity: as declared" in capsys.readouterr().out


def test_what_breaks_properties_is_kept_when_counts_are_written(tmp_path):
    one = {"one": {"a": {"generated": 3, "distinct": 2, "depth": 1}}}
    broken = {"one": {"Safe": ["x +1", "x -1"]}}
    counts.write(tmp_path, one, broken)
    counts.write(tmp_path, one | {"two": {}})
    assert counts.read_broken(tmp_path) == broken
    file = tmp_path / counts.FILE
    file.write_text(file.read_text().replace('"x +1"', "7"))
    with pytest.raises(UsageError, match=r"broken_by.one.Safe must be a list of changes"):
        counts.read_broken(tmp_path)
