"""Listing, and rewriting counts: only where TLC and the model agree, and only the counts."""

import json

import pytest

from wheelproof import project
from wheelproof.commands import listing
from wheelproof.errors import UsageError
from wheelproof.project import counts


def test_the_inventory_names_configs_mutants_and_what_they_must_show(small, capsys):
    assert listing.run(small.root) == 0
    message = capsys.readouterr().out
    assert (
        "two_adders" in message
        and "M2" in message
        and "AtMostOneList" in message
        and "411" in message
    )
    assert listing.run(small.root, as_json=True) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["mechanisms"]["timer_task_list"]["configs"]["two_adders"]["distinct"] == 411


def off_by_one(small):
    small.change(small.counts, '"distinct": 411', '"distinct": 412')


def test_wrong_counts_are_rewritten_with_the_difference_printed(small, capsys):
    before = small.counts.read_text()
    off_by_one(small)
    assert listing.run(small.root, update_counts=True) == 0
    assert "two_adders: distinct 412 -> 411" in capsys.readouterr().out
    assert small.counts.read_text() == before


def test_counts_that_are_missing_are_written(small):
    before = small.counts.read_text()
    small.counts.unlink()
    assert listing.run(small.root, update_counts=True) == 0 and small.counts.read_text() == before


def test_only_the_named_config_is_measured(small, capsys):
    off_by_one(small)
    assert listing.run(small.root, configs=["flush_into_itself"], update_counts=True) == 0
    measured = capsys.readouterr().out
    assert "flush_into_itself" in measured and "two_adders" not in measured
    assert '"distinct": 412' in small.counts.read_text()
    with pytest.raises(UsageError, match="there is no config nothing"):
        listing.run(small.root, configs=["nothing"], update_counts=True)


def test_only_the_named_mechanism_is_listed(small, capsys):
    assert listing.run(small.root, ["timer_task_list"], as_json=True) == 0
    assert list(json.loads(capsys.readouterr().out)["mechanisms"]) == ["timer_task_list"]


def test_counts_are_not_rewritten_where_the_model_is_another_machine(small, capsys):
    small.change(
        "model/timer_task_list.py", "        if self.list[t.ae] is None:", "        if True:"
    )
    before = small.counts.read_text()
    assert listing.run(small.root, update_counts=True) == 1
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
