"""The table of campaigns: its rows, and an error where the results of two ways differ."""

import pytest

pytest.importorskip("pyarrow", reason="the extra `data` is not installed: make setup-data")

from benchmarks import campaign
from benchmarks.campaign import Cost
from tests.found import ROOT

TABLE = (ROOT / "benchmarks" / "README.md").read_text(encoding="utf-8")
WAYS = [["without Spark", "1"], ["without Spark", "9"], ["local[1]", "9"], ["local[2]", "9"]]


def tables():
    part = TABLE.partition("<!-- campaign: the output")[2].partition("<!-- campaign: end -->")[0]
    return [
        [line.strip("| ").split(" | ") for line in text.splitlines() if line[:2] == "| "]
        for text in part.split("\n\n")
    ]


def test_the_table_has_each_way_and_each_constant():
    (head, *ways), (_, *constants) = tables()
    assert head == campaign.HEAD
    assert [[row[0], row[2]] for row in ways] == WAYS
    assert {row[1] for row in ways} == {str(campaign.LONG)}
    assert [name for name, _ in constants] == list(campaign.CONSTANTS)


@pytest.mark.parametrize("digests", [("a", "a"), ("a", "b")])
def test_ways_with_different_results_are_an_error(monkeypatch, capsys, digests):
    class Manifest:
        units, blocks = range(9), 3

    def runs(folder, masters):
        for digest in digests:
            yield "way", Manifest, Cost(2.0, 4.0), digest

    monkeypatch.setattr(campaign, "runs", runs)
    monkeypatch.setattr(campaign, "constants", lambda folder: iter([("name", "value")]))
    if len(set(digests)) == 1:
        campaign.main([])
        assert "| name | value |" in capsys.readouterr().out
    else:
        with pytest.raises(SystemExit, match="different results"):
            campaign.main([])
