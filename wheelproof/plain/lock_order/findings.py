"""The findings of a run about the order of its locks: inversions, and opposite orders of classes.

A class of locks is a place where locks are created, as in Linux's lockdep. An *inversion* is about
locks themselves: threads that overlap go round a cycle, and no lock is common to them. Two locks of
one class are inverted as others are; that one of them is taken while another one is held says
nothing, as their order may be that of a key. *Opposite orders* are about classes alone: other locks
of the same two places, or other tests, whose order is the runner's and not the program's.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from wheelproof.plain.lock_order.cycles import Arrow, Cycles
from wheelproof.plain.lock_order.places import Line, Place, lines
from wheelproof.plain.lock_order.recording import Order, Recorder
from wheelproof.plain.lock_order.segments import overlap

INVERSION, OPPOSITE = "inversion", "opposite orders"


@dataclass(frozen=True)
class Taken:
    """A thread takes a lock and holds another one; ``numbers`` of both among those of a place."""

    held: Place
    taken: Place
    numbers: tuple[int, int]
    thread: str
    test: str
    held_stack: tuple[Line, ...]
    taken_stack: tuple[Line, ...]


@dataclass
class Cycle:
    """Orders that close a cycle. ``tests``: of all cycles of the same places."""

    kind: str
    orders: tuple[Taken, ...]
    tests: list[str]

    @property
    def key(self) -> tuple[object, ...]:
        """Places of the locks, from the first one on, and whether they are one class."""
        places = [(order.held.file, order.held.line, order.held.column) for order in self.orders]
        return min((*places[at:], *places[:at]) for at in range(len(places)))


@dataclass
class Findings:
    """Of a process, or of several. ``examples``: orders of classes, with the places of gates.

    ``signalling``: places of which a lock is a signal, so that their locks are no class.
    """

    cycles: list[Cycle] = field(default_factory=list)
    examples: list[tuple[Taken, list[Place]]] = field(default_factory=list)
    locks: int = 0
    acquisitions: int = 0
    threads: int = 0
    signals: int = 0
    left_out: int = 0
    cut: bool = False
    places: set[Place] = field(default_factory=set)
    signalling: set[Place] = field(default_factory=set)

    @property
    def inversions(self) -> list[Cycle]:
        return [cycle for cycle in self.cycles if cycle.kind == INVERSION]

    @property
    def opposite(self) -> list[Cycle]:
        return [cycle for cycle in self.cycles if cycle.kind == OPPOSITE]

    @property
    def complete(self) -> bool:
        return not self.left_out and not self.cut

    def add(self, cycle: Cycle) -> None:
        """A cycle; one for the same places says it once. An inversion replaces opposite orders."""
        for index, earlier in enumerate(self.cycles):
            if earlier.key == cycle.key:
                if earlier.kind == cycle.kind:
                    earlier.tests = list(dict.fromkeys([*earlier.tests, *cycle.tests]))
                elif cycle.kind == INVERSION:
                    self.cycles[index] = cycle
                return
        self.cycles.append(cycle)

    def merge(self, findings: Findings) -> None:
        """Add the findings of another process."""
        for cycle in findings.cycles:
            self.add(cycle)
        self.examples += findings.examples
        self.locks += findings.locks
        self.acquisitions += findings.acquisitions
        self.threads += findings.threads
        self.signals += findings.signals
        self.left_out += findings.left_out
        self.cut |= findings.cut
        self.places |= findings.places
        self.signalling |= findings.signalling

    def compare_tests(self) -> None:
        """Add the opposite orders of classes in different tests, of which no lock is a signal."""
        self.cycles = [
            cycle
            for cycle in self.cycles
            if cycle.kind == INVERSION
            or not any(order.held in self.signalling for order in cycle.orders)
        ]
        arrows = [
            Arrow[Taken](example.held, example.taken, frozenset(gates), example)
            for example, gates in self.examples
            if example.held != example.taken and not {example.held, example.taken} & self.signalling
        ]
        search = Cycles(arrows, lambda first, second: first.test != second.test)
        for orders in search:
            self.add(Cycle(OPPOSITE, orders, _tests(orders)))
        self.cut |= search.cut

    def document(self) -> dict[str, Any]:
        """As plain data."""
        return asdict(self) | {
            "places": [asdict(place) for place in self.places],
            "signalling": [asdict(place) for place in self.signalling],
        }


class Analysis:
    """The findings of this process, which grow whenever orders are looked at."""

    def __init__(self) -> None:
        self.findings = Findings()
        self.recorder = Recorder(self.look)

    def look(self, orders: Sequence[Order]) -> None:
        """Search cycles in orders."""
        orders = [order for order in orders if not (order.held.signal or order.taken.signal)]
        arrows = [Arrow[Order](order.held, order.taken, _mutual(order), order) for order in orders]
        self._search(arrows, INVERSION, _overlap)
        by_test: dict[str, list[Arrow[Order]]] = {}
        for order in orders:
            if order.held.place != order.taken.place:
                gates = frozenset([gate.place for gate in _mutual(order)])
                arrow = Arrow[Order](order.held.place, order.taken.place, gates, order)
                by_test.setdefault(order.test, []).append(arrow)
        for arrows in by_test.values():
            self._search(arrows, OPPOSITE, _overlap)

    def _search(self, arrows: Iterable[Arrow[Order]], kind: str, together: Any) -> None:
        search = Cycles(arrows, together)
        for orders in search:
            cycle_orders = tuple(map(_taken_order, orders))
            self.findings.add(Cycle(kind, cycle_orders, _tests(cycle_orders)))
        self.findings.cut |= search.cut

    def end(self) -> Findings:
        """All that this process found."""
        recorder, findings = self.recorder, self.findings
        self.look(recorder.all())
        for tests in recorder.examples.values():
            for order in tests.values():
                if not (order.held.signal or order.taken.signal):
                    gates = sorted({gate.place for gate in _mutual(order)}, key=str)
                    findings.examples.append((_taken_order(order), gates))
        findings.locks = sum(recorder.numbers.values())
        findings.places, findings.signalling = set(recorder.numbers), recorder.signalling
        findings.acquisitions, findings.signals = recorder.acquisitions, recorder.signals
        findings.threads, findings.left_out = len(recorder.threads), recorder.left_out
        return findings


def _mutual(order: Order) -> frozenset[Any]:
    """The gates that exclude other threads."""
    return frozenset([gate for gate in order.gates if not gate.signal])


def _overlap(first: Order, second: Order) -> bool:
    return first.thread is not second.thread and overlap(first.segment, second.segment)


def _taken_order(order: Order) -> Taken:
    return Taken(
        order.held.place,
        order.taken.place,
        (order.held.number, order.taken.number),
        order.name,
        order.test,
        lines(order.held_stack),
        lines(order.taken_stack),
    )


def _tests(orders: Iterable[Taken]) -> list[str]:
    return list(dict.fromkeys(order.test for order in orders if order.test))


def read(document: dict[str, Any]) -> Findings:
    """The findings of a document."""
    findings = Findings(**{**document, "cycles": [], "examples": []})
    findings.places = {Place(**place) for place in document["places"]}
    findings.signalling = {Place(**place) for place in document["signalling"]}
    for cycle in document["cycles"]:
        orders = tuple(map(_read, cycle["orders"]))
        findings.cycles.append(Cycle(cycle["kind"], orders, list(cycle["tests"])))
    for example, gates in document["examples"]:
        findings.examples.append((_read(example), [Place(**gate) for gate in gates]))
    return findings


def _read(document: dict[str, Any]) -> Taken:
    return Taken(
        Place(**document["held"]),
        Place(**document["taken"]),
        tuple(document["numbers"]),
        document["thread"],
        document["test"],
        tuple(Line(**line) for line in document["held_stack"]),
        tuple(Line(**line) for line in document["taken_stack"]),
    )
