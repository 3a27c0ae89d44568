"""A scenario's graph as a document, to be stepped through by choice.

The file has the schema `wheelproof.stepping/1`. Values are texts, each once; a state is its
changes to the state from which it is first reached.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, TypeAlias

from wheelproof import documents
from wheelproof.choices import shown
from wheelproof.counterexample.places import place_texts
from wheelproof.errors import ToolError
from wheelproof.graph.explorer import StateGraph
from wheelproof.project.mechanism import Mechanism
from wheelproof.protocols import Model, State, ThreadState, Values
from wheelproof.tla import values as tla_values
from wheelproof.tla.environment import ERRORS
from wheelproof.tla.model import CompiledModel
from wheelproof.tla.syntax import Level, OutsideSubset

SCHEMA = "wheelproof.stepping/1"

FOLDER = "graphs"

MOST = 2_000
"""The states of the largest graph that is written."""

ABSENT = -1
"""In the place of a value: the place is not there in that state."""

UNDEFINED = "no value"

Formula: TypeAlias = "Callable[[Values, tuple[ThreadState, ...]], object]"

_OF_THE_TRANSLATION = frozenset({"vars", "Init"})


class Kind(NamedTuple):
    """The steps with one label and one choice. ``source``: "file:line" in the code, or ""."""

    label: str
    name: str
    """The label, with the choice."""
    kind: str
    source: str


@dataclass(frozen=True)
class Stepping:
    """The graph. Numbers are indices, of states in breadth-first order."""

    mechanism: str
    scenario: str
    config: str
    without: str
    """The decision that is taken away; "" for none."""
    threads: tuple[str, ...]
    labels: tuple[Kind, ...]
    places: tuple[str, ...]
    """Of the shared variables, of those of the threads, and the ``pc`` of each thread."""
    values: tuple[str, ...]
    edges: tuple[tuple[int, ...], ...]
    """Of each state: thread, label, state after, for one step after the other."""
    changes: tuple[tuple[int, ...], ...]
    """Of each state: place, value, for one change after the other; of the first all of them."""
    watches: Mapping[str, tuple[int, ...]]
    """Of each formula: its value in each state."""

    def document(self) -> dict[str, object]:
        """The document of the schema. Rows of numbers are texts."""
        return {
            "schema": SCHEMA,
            "mechanism": self.mechanism,
            "scenario": self.scenario,
            "config": self.config,
            "without": self.without,
            "threads": list(self.threads),
            "labels": ["\n".join(label) for label in self.labels],
            "places": list(self.places),
            "values": list(self.values),
            "edges": list(map(_row, self.edges)),
            "changes": list(map(_row, self.changes)),
            "watches": {name: _row(numbers) for name, numbers in self.watches.items()},
        }

    def choices(self, steps: Iterable[tuple[str, str]]) -> tuple[int, ...]:
        """The places of steps among those that are enabled, as far as the graph has them.

        ``steps``: of a run from the first state, a thread and a label with its choice each.
        """
        places, state = [], 0
        for thread, name in steps:
            row = self.edges[state]
            moves = [
                (self.threads[row[at]], self.labels[row[at + 1]].name)
                for at in range(0, len(row), 3)
            ]
            if (thread, name) not in moves:
                break
            places.append(moves.index((thread, name)))
            state = row[3 * places[-1] + 2]
        return tuple(places)

    def write(self, path: Path) -> None:
        """Writes the file, whole or not at all."""
        documents.write(path, self.document())


def file_of(mechanism: str, layer: str, name: str) -> str:
    """The path of the graph of a row, below the output folder of a run."""
    return f"{FOLDER}/{mechanism}.{layer}.{name}.json"


def of_graph(
    mechanism: Mechanism,
    scenario: str,
    config: str,
    graph: StateGraph,
    sources: Mapping[str, str],
) -> Stepping:
    """The document of a graph. ``sources``: label -> "file:line"."""
    numbers = _Numbers()
    labels: dict[str, int] = {}
    kinds: list[Kind] = []
    edges = []
    for row in graph.edges:
        flat: list[int] = []
        for thread, label, after in row:
            name = shown(label)
            if name not in labels:
                labels[name] = len(kinds)
                declaration = mechanism.labels.get(str(label))
                kind = declaration.kind if declaration else ""
                kinds.append(Kind(str(label), name, kind, sources.get(str(label), "")))
            flat += (thread, labels[name], after)
        edges.append(tuple(flat))
    changes = tuple(_changes(graph, numbers))
    watches = {
        name: tuple(numbers.value(text) for text in texts)
        for name, texts in _watches(mechanism, graph)
    }
    return Stepping(
        mechanism.name,
        scenario,
        config,
        mechanism.lacking,
        tuple(graph.model.threads),
        tuple(kinds),
        tuple(numbers.places),
        tuple(numbers.values),
        tuple(edges),
        changes,
        watches,
    )


class _Numbers:
    """The numbers of places and of values."""

    def __init__(self) -> None:
        self.places: dict[str, int] = {}
        self.values: dict[str, int] = {}
        self._pieces: dict[tuple[int, Values], dict[int, int]] = {}

    def value(self, text: str) -> int:
        return self.values.setdefault(text, len(self.values))

    def state(self, model: Model, state: State) -> dict[int, int]:
        """The value of each place."""
        names = (*model.variables, *model.process_variables)
        out: dict[int, int] = {}
        for index, piece in enumerate(model.pieces(state)):
            of_piece = self._pieces.get((index, piece))
            if of_piece is None:
                texts = place_texts(model, {names[index]: piece})
                of_piece = self._pieces[index, piece] = {
                    self.places.setdefault(place, len(self.places)): self.value(text)
                    for place, text in texts.items()
                }
            out |= of_piece
        return out


def _changes(graph: StateGraph, numbers: _Numbers) -> Iterator[tuple[int, ...]]:
    """The changes of each state to the state that first leads to it."""
    states = [numbers.state(graph.model, state) for state in graph.states]
    parents: dict[int, int] = {}
    for before, row in enumerate(graph.edges):
        for _, _, after in row:
            if after:
                parents.setdefault(after, before)
    for number, state in enumerate(states):
        before_state = states[parents[number]] if number else {}
        flat: list[int] = []
        for place in sorted(before_state.keys() | state.keys()):
            value = state.get(place, ABSENT)
            if before_state.get(place, ABSENT) != value:
                flat += (place, value)
        yield tuple(flat)


def _watches(mechanism: Mechanism, graph: StateGraph) -> Iterator[tuple[str, Sequence[str]]]:
    """The formulas of a state that have a name, each with its text in each state.

    Of a compiled specification these are its definitions without parameters, of a model by hand the
    invariants and witnesses.
    """
    model = graph.model
    if isinstance(model, CompiledModel):
        for name in _definitions(model):
            try:
                function = model.predicate(name)
            except (OutsideSubset, ToolError):
                continue
            yield name, [_text(function, state) for state in graph.states]
        return
    invariants = (item.name for item in mechanism.properties.values() if item.kind == "invariant")
    for name in dict.fromkeys((*invariants, *mechanism.witnesses)):
        yield name, [str(bool(model.holds(name, state))).upper() for state in graph.states]


def _definitions(model: CompiledModel) -> list[str]:
    return [
        name
        for name, definition in model.module.definitions.items()
        if definition.level == Level.STATE
        and not (definition.formals or definition.recursive or definition.standard)
        and name not in _OF_THE_TRANSLATION
    ]


def _text(function: Formula, state: State) -> str:
    try:
        return tla_values.text(function(*state))
    except ERRORS:
        return UNDEFINED


def read(path: Path) -> Stepping:
    """The graph in a file; a UsageError names the file and the field that is wrong."""
    document = documents.read(path, SCHEMA)
    threads, places, values = map(document.texts, ("threads", "places", "values"))
    kinds = [text.split("\n") for text in document.texts("labels")]
    fields = len(Kind._fields)
    if any(len(kind) != fields for kind in kinds):
        raise document.fault("labels", f"must have {fields} lines each")
    count = len(document.texts("edges"))
    if len(document.texts("changes")) != count:
        raise document.fault("changes", "must have a row for each state")
    watches = {
        name: _table(document, "watches", [text], (len(values),), 0)[0]
        for name, text in document.text_by_name("watches").items()
    }
    if any(len(numbers) != count for numbers in watches.values()):
        raise document.fault("watches", "must have a value for each state")
    return Stepping(
        document.text("mechanism"),
        document.text("scenario"),
        document.text("config"),
        document.text("without"),
        threads,
        tuple(Kind(*kind) for kind in kinds),
        places,
        values,
        _table(document, "edges", document.texts("edges"), (len(threads), len(kinds), count), 0),
        _table(document, "changes", document.texts("changes"), (len(places), len(values)), ABSENT),
        watches,
    )


def _row(numbers: Iterable[int]) -> str:
    return " ".join(map(str, numbers))


def _table(
    document: documents.Record,
    name: str,
    rows: Sequence[str],
    bounds: Sequence[int],
    least: int,
) -> tuple[tuple[int, ...], ...]:
    """The rows of numbers of a field. Of each group of them the nth is below the nth bound."""
    try:
        table = tuple(tuple(map(int, row.split())) for row in rows)
    except ValueError as error:
        raise document.fault(name, "must have rows of numbers") from error
    for row in table:
        width = len(bounds)
        if len(row) % width or not all(
            least <= number < bounds[at % width] for at, number in enumerate(row)
        ):
            raise document.fault(name, "has a number that is no index")
    return table
