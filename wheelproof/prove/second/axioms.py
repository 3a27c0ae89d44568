"""Instances of the axioms of values and arrays, for the terms of a text.

Where values and arrays are read as they are meant, each holds, under every meaning of the terms. So
a text with them says no more than the one without. One that is left out makes it harder to refute.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from wheelproof.prove.second.nodes import FORALL, Node, Nodes, within


def values(nodes: Nodes) -> Iterator[Node]:
    """Two values of an enumeration that occur are not the same."""
    for sort, names in nodes.values.items():
        uses = [name for name in names if f"{sort}.{name}" in nodes.symbols]
        for place, first in enumerate(uses):
            for second in uses[place + 1 :]:
                pair = [
                    nodes.node("value", f"{sort}.{value}", (), sort) for value in (first, second)
                ]
                yield nodes.logical("not", nodes.equal(*pair))


def exhausted(nodes: Nodes, roots: Iterable[Node]) -> Iterator[Node]:
    """A term of an enumeration is one of its values."""
    for node in [*within(roots)]:
        if node.sort in nodes.values and node.kind != "value":
            options = [
                nodes.applied("value", f"{node.sort}.{name}", (), node.sort)
                for name in nodes.values[node.sort]
            ]
            yield closure(
                nodes, nodes.logical("or", *(nodes.equal(node, option) for option in options))
            )


class Reads:
    """The reads of an array at a place where it was set, and at one where another was.

    Each read of an array is one of those that it was made of. Arrays of a sort of which some are
    compared, or are in other arrays, may be equal: a read of one is then a read of all.
    """

    def __init__(self, nodes: Nodes, roots: Iterable[Node]) -> None:
        self.nodes = nodes
        self.made: dict[Node, None] = {}
        self._seen: set[tuple[Node, Node]] = set()
        self._waiting: list[tuple[Node, Node]] = []
        self._alike = set()
        self._arrays: dict[str, dict[Node, None]] = {}
        self._places: dict[str, dict[Node, None]] = {}
        every = [*within(roots)]
        for node in every:
            if node.sort in nodes.arrays and node.kind == "select":
                self._alike.add(node.sort)
            if node.head == "=":
                self._alike.add(node.arguments[0].sort)
        for node in every:
            self._meet(node)

    def axioms(self) -> Iterator[Node]:
        while self._waiting:
            self._read(*self._waiting.pop())
        for axiom in self.made:
            yield closure(self.nodes, axiom)

    def _meet(self, node: Node) -> None:
        """Note a node: a read, or an array that others may be equal to."""
        if node.kind == "select":
            self._ask(node.arguments[0], node.arguments[1])
        if node.sort in self._alike and node.sort in self.nodes.arrays:
            arrays = self._arrays.setdefault(node.sort, {})
            if node not in arrays:
                arrays[node] = None
                self._waiting += [(node, place) for place in self._places.get(node.sort, ())]

    def _ask(self, array: Node, place: Node) -> None:
        self._waiting.append((array, place))
        if array.sort in self._alike:
            places = self._places.setdefault(array.sort, {})
            if place not in places:
                places[place] = None
                self._waiting += [(partner, place) for partner in self._arrays.get(array.sort, ())]

    def _read(self, array: Node, place: Node) -> None:
        apart = array.free - place.free and place.free - array.free
        if (array, place) in self._seen or apart:
            return
        self._seen.add((array, place))
        nodes = self.nodes
        if array.kind == "store":
            before, where, value = array.arguments
            self._hold(nodes.equal(nodes.select(array, where), value))
            if place is not where:
                frame = nodes.equal(nodes.select(array, place), nodes.select(before, place))
                self._hold(nodes.logical("or", nodes.equal(where, place), frame))
        elif array.kind == "everywhere":
            self._hold(nodes.equal(nodes.select(array, place), array.arguments[0]))
        elif array.head == "ite":
            for branch in array.arguments[1:]:
                self._ask(branch, place)

    def _hold(self, axiom: Node) -> None:
        if axiom not in self.made:
            self.made[axiom] = None
            for node in within([axiom]):
                self._meet(node)


def closure(nodes: Nodes, formula: Node) -> Node:
    """The formula for all values of its variables."""
    free = tuple(sorted(formula.free, key=lambda variable: variable.head))
    return nodes.node("", FORALL, (formula,), "Bool", free) if free else formula
