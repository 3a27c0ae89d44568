"""TOML texts: parsed once, and each caller has tables of its own."""

import tomllib

import pytest

from wheelproof import toml

TEXT = '[one]\nnames = ["a"]\n[two]\nnumber = 1\n'


def test_an_equal_text_is_parsed_once_and_its_tables_are_the_callers_own(monkeypatch):
    parsed = []
    loads = tomllib.loads
    monkeypatch.setattr(toml.tomllib, "loads", lambda text: parsed.append(text) or loads(text))
    toml._parse.cache_clear()
    first = toml.tables(TEXT)
    first["one"]["names"].append("b")
    assert toml.tables(TEXT) == loads(TEXT) != first
    assert toml.tables(TEXT + "[three]\n")["three"] == {}
    assert len(parsed) == 2


def test_a_wrong_text_is_refused_each_time():
    for _ in range(2):
        with pytest.raises(tomllib.TOMLDecodeError):
            toml.tables("[one\n")
