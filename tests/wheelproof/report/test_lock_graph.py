"""The graph of locks as text, as a picture and for Graphviz."""

import xml.etree.ElementTree as ET
from dataclasses import replace
from itertools import combinations

import pytest

from wheelproof.project.lock_order import Documented, Exempt
from wheelproof.report import lock_graph
from wheelproof.verdict import Row

DECLARED = Documented(
    {name: f"what {name} guards, with fields that other threads read " * 2 for name in "ABCDEF"},
    {
        edge: {"impl/a.py f": {"one": "fast"}}
        for edge in (
            "A(read) -> B",
            "A(write) -> C",
            "B -> C",
            "C -> D",
            "A(read) -> D",
            "D -> A(write)",
            "C -> C",
            "A(read) -> E",
        )
    },
    {
        "back": Exempt("back", ("D -> A(write)",), "never at once"),
        "pairs": Exempt("pairs", ("C -> C",), "the smaller first"),
    },
)
GRAPH = lock_graph.documentation(DECLARED)


def test_the_halves_of_a_lock_are_one_and_detours_replace_direct_edges():
    assert GRAPH.direct == [("A", "B"), ("A", "E"), ("B", "C"), ("C", "D")]
    assert GRAPH.ranks == {"A": 0, "B": 1, "C": 2, "D": 3, "E": 1, "F": 0}
    assert GRAPH.exempt == {("D", "A"): "back", ("C", "C"): "pairs"}


def test_the_text_has_every_lock_with_its_edges():
    lines = lock_graph.text(GRAPH).splitlines()
    assert max(map(len, lines)) <= 80
    locks = ["1  A", "2  B", "2  E", "3  C", "4  D", "-  F"]
    assert [line for line in lines if line[:1].strip()] == locks
    assert [line.strip() for line in lines if "->" in line or "=>" in line] == [
        "-> B",
        "-> E",
        "-> C",
        "-> D",
        "=> C  (pairs)",
        "=> A  (back)",
    ]


def test_graphviz_gets_the_edges_and_the_exceptions():
    text = lock_graph.dot(GRAPH)
    assert '"A" -> "B"\n' in text and text.count("->") == 6
    assert '"D" -> "A" [style=dashed, constraint=false, label="back"]' in text


def boxes(picture):
    space = "{http://www.w3.org/2000/svg}"
    root = ET.fromstring(picture)
    wide, high = float(root.get("width")), float(root.get("height"))
    found = [
        tuple(float(box.get(name)) for name in ("x", "y", "width", "height"))
        for box in root.iter(f"{space}rect")
        if box.get("rx")
    ]
    texts = [text.text for text in root.iter(f"{space}text")]
    dashed = [path for path in root.iter(f"{space}path") if path.get("class") == "exempt"]
    return wide, high, found, texts, dashed


@pytest.mark.parametrize(
    "graph", [GRAPH, lock_graph.LockGraph({}, frozenset())], ids=["a graph", "no lock"]
)
def test_the_picture_is_xml_whose_boxes_lie_apart_and_inside(graph):
    wide, high, found, texts, dashed = boxes(lock_graph.svg(graph))
    assert len(found) == len(graph.joined) and len(dashed) == len(graph.exempt)
    assert set(texts) == {*graph.joined, *graph.exempt.values()}
    for x, y, width, height in found:
        assert 0 <= x and 0 <= y and x + width <= wide and y + height <= high
    for (x, y, width, height), (x2, y2, width2, height2) in combinations(found, 2):
        assert x + width <= x2 or x2 + width2 <= x or y + height <= y2 or y2 + height2 <= y


def test_a_stand_in_is_drawn_as_the_locks_in_whose_place_it_is():
    graph = lock_graph.documentation(replace(DECLARED, stand_ins={"E": ("C", "F")}))
    assert "E" not in graph.says and ">E<" not in lock_graph.svg(graph)
    assert {("A", "C"), ("A", "F")} <= graph.edges and ("A", "F") in graph.direct


def row(**figures):
    return Row("one", "coverage", "lock_order", "exhaustive", "exhaustive", figures=figures)


def test_a_collected_graph_names_the_edge_that_closes_a_cycle():
    edges = {"A(read) -> B": "impl/a.py:1", "B -> C": "impl/a.py:2", "C -> A(write)": "impl/a.py:3"}
    graph = lock_graph.collection([row(classes=3, edges=3, **edges)])
    assert graph.says == {"A": "", "B": "", "C": ""}
    assert len(graph.edges) == 2 and list(graph.exempt.values()) == [lock_graph.CLOSES]
    assert boxes(lock_graph.svg(graph))
