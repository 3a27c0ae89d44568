"""State that only a second way into a state sets is found when it is stepped from there."""

from __future__ import annotations

import pytest

from wheelproof.python import bisimulate
from wheelproof.python.search.second_way import SecondWays

SCENARIO = {"threads": {"t": [["attempt"]], "k": [["claim"]], "p": [["put", "x"]]}}

CLAIM = "        return self.claimed.compare_and_set(False, True)  # cas C1"
HIDDEN = (
    ("class Cell:", "import os\n\n\nclass Cell:"),
    (
        "        self.monitor = Monitor()\n",
        "        os.environ['HELD'] = ''\n        self.monitor = Monitor()\n",
    ),
    (
        CLAIM,
        "        result = self.claimed.compare_and_set(False, True)  # cas C1\n"
        "        os.environ['HELD'] += '01'[self.item is None]\n        return result",
    ),
    (
        "        with self.monitor:  # lock T1",
        "        if os.environ['HELD'][:1] == '1' and self.item is not None:\n"
        "            return\n"
        "        with self.monitor:  # lock T1",
    ),
)
"""A text in the environment, emptied before each run: whether the first claim has seen no item.
Where it came before the put, a later attempt takes nothing."""


def search(cell, changes, **options):
    graph = cell.graph_of(SCENARIO)
    return bisimulate(cell.planted(*changes), SCENARIO, graph.rows, graph.shared_of, **options)


def test_hidden_state_that_only_a_second_way_sets_is_named(cell, monkeypatch):
    monkeypatch.setenv("HELD", "")
    assert search(cell, HIDDEN).outcome == "equal"  # why the second ways are needed
    result = search(cell, HIDDEN, second_ways=1000)
    assert result.outcome == "different" and result.difference.kind == "hidden"
    assert "reached in two ways goes on in two ways" in result.difference.message
    steps = result.difference.threads
    assert steps[-1] == "t" and steps.index("k") < steps.index("p")


@pytest.mark.parametrize("most", [1, 7, 24, 1000])
def test_the_cell_is_the_same_on_all_ways(cell, most):
    result = search(cell, (), second_ways=most)
    known, stepped = result.figures["second_ways"], result.figures["second_ways_stepped"]
    assert result.outcome == "equal" and known > 24
    assert 0 < stepped <= most and (most < known or stepped == known)


def test_a_budget_that_ends_among_the_second_ways_is_inconclusive(cell, monkeypatch):
    entries = SecondWays._entries

    def spent(self):
        self.search.budget = -1.0
        return entries(self)

    monkeypatch.setattr(SecondWays, "_entries", spent)
    result = search(cell, (), second_ways=7)
    assert result.outcome == "inconclusive" and "0 of" in result.why and "second ways" in result.why
    assert result.figures["second_ways_stepped"] == 0 < result.figures["second_ways"]
