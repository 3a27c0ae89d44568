"""Listing, and rewriting counts: only where TLC and the model agree, and only the counts."""

import json
import tomllib

import pytest

from wheelproof import listing
from wheelproof.errors import UsageError


def test_the_inventory_names_configs_mutants_and_what_they_must_show(small, capsys):
    assert listing.run(small.root) == 0
    said = capsys.readouterr().out
    assert "two_adders" in said and "M2" in said and "AtMostOneList" in said and "411" in said
    assert listing.run(small.root, as_json=True) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["mechanisms"]["timer_task_list"]["configs"]["two_adders"]["distinct"] == 411


def test_wrong_counts_are_rewritten_with_the_difference_printed(small, capsys):
    before = small.toml.read_text()
    small.change(small.toml, "distinct = 411\n", "distinct = 412\n")
    assert listing.run(small.root, update_counts=True) == 0
    assert "two_adders: distinct 412 -> 411" in capsys.readouterr().out
    assert tomllib.loads(small.toml.read_text()) == tomllib.loads(before)


def test_only_the_named_config_is_measured(small, capsys):
    small.change(small.toml, "distinct = 411\n", "distinct = 412\n")
    assert listing.run(small.root, configs=["flush_into_itself"], update_counts=True) == 0
    measured = capsys.readouterr().out
    assert "flush_into_itself" in measured and "two_adders" not in measured
    assert "distinct = 412" in small.toml.read_text()
    with pytest.raises(UsageError, match="there is no config nothing"):
        listing.run(small.root, configs=["nothing"], update_counts=True)


def test_only_the_named_mechanism_is_listed(small, capsys):
    assert listing.run(small.root, ["timer_task_list"], as_json=True) == 0
    assert list(json.loads(capsys.readouterr().out)["mechanisms"]) == ["timer_task_list"]


def test_counts_are_not_rewritten_where_the_model_is_another_machine(small, capsys):
    small.change("model/timer_task_list.py", "        if self.list[t.ae] is None:", "        if True:")
    before = small.toml.read_text()
    assert listing.run(small.root, update_counts=True) == 1
    assert "two_adders: not rewritten" in capsys.readouterr().out and small.toml.read_text() == before


def test_only_the_counts_of_the_named_table_change():
    text = "[configs.a]\nscenario = \"s\"\ndistinct = 1\n\n[configs.ab]\ndistinct = 2\n"
    counts = {"generated": 5, "distinct": 4, "depth": 3}
    assert listing.rewritten(text, "a", counts) == (
        "[configs.a]\nscenario = \"s\"\ngenerated = 5\ndistinct = 4\ndepth = 3\n\n[configs.ab]\ndistinct = 2\n")
    assert listing.rewritten(text, "ab", counts).endswith("[configs.ab]\ngenerated = 5\ndistinct = 4\ndepth = 3\n")
