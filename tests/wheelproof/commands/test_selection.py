"""Runs of named configs, mutants and scenarios only."""

import pytest

from wheelproof import project
from wheelproof.commands.selection import selection, split_names
from wheelproof.errors import UsageError
from wheelproof.events import VerifyOptions


@pytest.fixture
def mechanisms(subject_folder):
    return project.find(subject_folder)


def test_names_come_with_commas_or_one_by_one():
    assert split_names("--config", ["a,b", " c "]) == ["a", "b", "c"]
    assert split_names("--config", None) == []
    with pytest.raises(UsageError, match="--config names no config"):
        split_names("--config", [" , "])


def test_no_name_limits_nothing(mechanisms):
    assert selection(mechanisms, "fast", [], [], []) == frozenset()


def test_a_name_limits_the_run_to_its_checks(mechanisms):
    assert selection(mechanisms, "fast", ["two"], [], []) == {("thing", "two")}
    assert selection(mechanisms, "fast", [], ["M1"], []) == {("thing", "M1")}
    assert selection(mechanisms, "fast", ["two"], ["M1"], []) == {("thing", "two"), ("thing", "M1")}
    assert {name for _, name in selection(mechanisms, "fast", [], [], ["two"])} >= {"two", "M1"}


@pytest.mark.parametrize("place", range(3))
def test_an_unknown_name_is_refused_with_the_known_ones(mechanisms, place):
    names = [[], [], []]
    names[place] = ["tow"]
    with pytest.raises(UsageError, match="There is no (config|mutant|scenario) 'tow'"):
        selection(mechanisms, "fast", *names)


def test_limits_are_reported_in_words(tmp_path):
    options = VerifyOptions(
        mechanisms=("thing",),
        layers=frozenset({"tlc", "graph"}),
        profile="fast",
        root=tmp_path,
        output=tmp_path,
        jobs=1,
        only=frozenset({("thing", "two")}),
    )
    assert options.limits == "thing; layer graph, tlc; two"
    assert options.covers("thing", "tlc", "two")
    assert not any(
        options.covers(*check)
        for check in (("other", "tlc", "two"), ("thing", "jvm", "two"), ("thing", "tlc", "M1"))
    )
