"""Two steps of a model that are one of the classes: what is left of its graph."""

from dataclasses import replace
from pathlib import Path

import pytest

from tests.found import bindings, mechanisms
from wheelproof.errors import UsageError
from wheelproof.graph.explorer import StateGraph
from wheelproof.jvm import declaration
from wheelproof.jvm.joined import Joined
from wheelproof.jvm.table import table_faults

ROOT = Path(__file__).resolve().parents[3]
BINDING = bindings()["purgatory"]
MECHANISM = mechanisms()["purgatory"]


class Two:
    """Thread a looks (A1) and puts (A2); thread b has one step of its own (B1)."""

    threads = ("a", "b")

    def final(self, state):
        return {label for (label,) in state[1]} == {"Done"}


def state(a, b):
    return (0,), ((a,), (b,))


STATES = [
    state("A1", "B1"),
    state("A2", "B1"),
    state("A1", "Done"),
    state("Done", "B1"),
    state("A2", "Done"),
    state("Done", "Done"),
]
EDGES = [
    [(0, "A1", 1), (1, "B1", 2)],
    [(0, "A2", 3), (1, "B1", 4)],
    [(0, "A1", 4)],
    [(1, "B1", 5)],
    [(0, "A2", 5)],
    [],
]


def whole(edges=EDGES, results=None):
    graph = StateGraph.from_edges(Two(), STATES, edges)
    graph.results = results
    return graph


def test_the_states_between_two_joined_steps_are_left_out():
    joined = Joined(whole(), [("A1", "A2")])
    assert joined.graph.states == [STATES[0], STATES[3], STATES[2], STATES[5]]
    assert joined.graph.edges == [
        [(0, "A1", 1), (1, "B1", 2)],
        [(1, "B1", 3)],
        [(0, "A1", 3)],
        [],
    ]
    assert (joined.left_out, joined.met) == (3, {("A1", "A2")})
    assert joined.graph.final == [3] and not joined.graph.deadlocks
    assert str(joined) == "3 edges left out: the model stops between A1 and A2"
    several = Joined(whole(), [("A1", "A2"), ("B1", "A2")])
    assert str(several).endswith("the model stops between A1 and A2; B1 and A2")


def test_a_pair_that_does_not_occur_leaves_the_graph_as_it_is():
    joined = Joined(whole(), [("B1", "A2"), ("A2", "A1")])
    assert sorted(map(str, joined.graph.states)) == sorted(map(str, STATES))
    assert (joined.left_out, joined.met) == (0, set())


def test_a_schedule_gets_the_joined_steps():
    joined = Joined(whole(), [("A1", "A2")])
    assert joined.schedule([(1, "B1"), (0, "A1")]) == [(1, "B1"), (0, "A1"), (0, "A2")]
    assert joined.schedule([(0, "A1"), (0, "A9")]) == [(0, "A1"), (0, "A2"), (0, "A9")]


def test_a_joined_step_that_waits_is_refused():
    edges = [EDGES[0], [(1, "B1", 4)], *EDGES[2:]]
    with pytest.raises(UsageError, match="A2 waits or chooses in state 1"):
        Joined(whole(edges), [("A1", "A2")])


def test_a_joined_step_that_ends_an_operation_is_refused():
    results = [{}, {0: (True,)}, {}, {}, {0: (True,)}, {}]
    with pytest.raises(UsageError, match="A2 ends an operation"):
        Joined(whole(results=results), [("A1", "A2")])


def test_results_stay_with_their_steps():
    results = [{1: ("b",)}, {1: ("b",)}, {}, {1: ("b",)}, {}, {}]
    joined = Joined(whole(results=results), [("A1", "A2")])
    assert joined.graph.results == [{1: ("b",)}, {1: ("b",)}, {}, {}]


# -- the declaration


def faults(**changes):
    binding = replace(BINDING, unlabelled={}, within={}, **changes)
    hits = {site: 1 for sites in binding.labels.values() for site in sites}
    accesses = [site for site in hits if not site.startswith("harness:") and "INVOKE" not in site]
    return table_faults(binding, MECHANISM, accesses, hits)


def test_a_label_that_is_a_part_of_another_step_needs_no_site():
    assert faults() == []
    without = {pair: why for pair, why in BINDING.joined.items() if pair != "W3 W4"}
    assert faults(joined=without) == ["the label W4 has no site"]


def test_a_joined_label_that_the_specification_lacks_is_a_fault():
    wanted = "W9, which is joined, is no label of purgatory"
    assert faults(joined=dict(BINDING.joined) | {"W3 W9": "why"}) == [wanted]


def test_a_key_that_is_no_pair_is_refused(tmp_path):
    text = BINDING.file.read_text(encoding="utf-8").replace('"W3 W4" =', '"W3" =')
    (tmp_path / "wrong.toml").write_text(text, encoding="utf-8")
    with pytest.raises(UsageError, match="joined: 'W3' is no pair of labels"):
        declaration.read(tmp_path / "wrong.toml")
