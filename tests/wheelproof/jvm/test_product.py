"""The product of two graphs reports the first difference, and the schedule that leads to it."""

from array import array

import pytest

from wheelproof.graph.explorer import StateGraph
from wheelproof.jvm import product
from wheelproof.jvm.process import BLOCKED, ENDED, FAILED, MOVES, UNTRIED, WAITS, Graph
from wheelproof.jvm.values import Encoder
from wheelproof.python.search.difference import Rows

SCENARIO = {"threads": {"a": [["go"]], "b": [["go"]]}}
LABELS = ["(stutter)", "A1", "B1"]
A1, B1 = 4, 8
DONE = ENDED


class Counter:
    """Two threads; each has one step, which counts."""

    AUXILIARY = frozenset()
    threads = ("a", "b")
    variables = ("count",)

    def pieces(self, state):
        return (state[0], *zip(*state[1], strict=True))


STATES = [
    ((0,), (("A1",), ("B1",))),
    ((1,), (("Done",), ("B1",))),
    ((1,), (("A1",), ("Done",))),
    ((2,), (("Done",), ("Done",))),
]
ROWS = [{0: ("A1", 1), 1: ("B1", 2)}, {1: ("B1", 3)}, {0: ("A1", 3)}, {}]


def model():
    edges = [[(thread, *step) for thread, step in row.items()] for row in ROWS]
    graph = StateGraph(Counter())
    graph.states, graph.edges = STATES, edges
    return graph


def graph(**changes):
    """The same machine as the model, as the JVM sends it."""
    made = Graph(2, LABELS, [(), (None,), (3,)], True, [], {})
    made.shared = [(1, 0), (1, 1), (1, 2)]
    made.shared_of = array("i", [0, 1, 1, 2])
    made.parent = array("i", [-1, 0, 0, 1])
    made.mover = array("i", [-1, 0, 1, 1])
    made.standing = array("i", [A1, B1, DONE, B1, A1, DONE, DONE, DONE])
    made.after = array("i", [1, 2, BLOCKED, 3, 3, BLOCKED, BLOCKED, BLOCKED])
    made.results_of = array("i", [1, 1, 0, 1, 1, 0, 0, 0])
    for name, (place, value) in changes.items():
        getattr(made, name)[place] = value
    return made


def compare(found):
    rows = Rows(ROWS, [dict.fromkeys(row, (None,)) for row in ROWS])
    return product.compare(found, model(), rows, Encoder(Counter(), SCENARIO))


def test_equal_machines_have_no_difference():
    made = compare(graph())
    assert made.difference is None and not made.uncovered
    assert made.figures["compared_edges"] == made.figures["model_edges"] == 4


@pytest.mark.parametrize(
    ("change", "kind", "schedule"),
    [
        ({"shared_of": (3, 1)}, "shared", (0, 1)),
        ({"standing": (3, A1)}, "label", (0,)),
        ({"standing": (4, B1)}, "label", (1,)),
        ({"standing": (0, A1 + WAITS)}, "enabled", ()),
        ({"standing": (7, FAILED)}, "exception", (0, 1)),
        ({"results_of": (3, 2)}, "result", (0, 1)),
        ({"results_of": (3, 0)}, "result", (0, 1)),
        ({"after": (3, UNTRIED)}, "hidden", (0,)),
    ],
)
def test_a_planted_difference_is_found_with_its_schedule(change, kind, schedule):
    made = compare(graph(**change))
    assert made.difference is not None
    assert (made.difference.kind, made.schedule) == (kind, schedule)


def test_an_unfinished_graph_shows_no_more_than_it_has():
    found = graph(after=(3, UNTRIED))
    found.complete = False
    made = compare(found)
    assert made.difference is None and made.figures["compared_edges"] == 3


def test_moves_is_what_a_label_differs_from():
    assert MOVES == 0 and {WAITS, ENDED, FAILED} == {1, 2, 3}
