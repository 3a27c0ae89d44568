"""TLC's state graph from `-dump dot,actionlabels` of TLC 2.18: one line per state and edge.

The dump is a complete multiset of the edges: edges to states seen before, self-loops, PlusCal's
`Terminating` loop and duplicates are all in it, so that edges + initial states = states generated.
It is read line by line; a graph of 100,000 states, 185 MB of text, fits into some 100 MB.
"""

import re
from array import array
from collections.abc import Collection, Hashable, Iterator
from pathlib import Path
from typing import NamedTuple

from wheelproof.errors import ToolError, UsageError
from wheelproof.tlc.values import Value, format_tla, parse_value, split_state

TERMINATING = "Terminating"
"""The action by which PlusCal lets a behaviour stutter once every process has ended."""

_LABEL = b'[label="'
_PLAIN_END = b'"];\n'
_INITIAL_END = b'",style = filled]\n'
_EDGE = re.compile(rb'\[label="([^"\\]+)",color="[^"]*",fontcolor="[^"]*"\];\n')
_STUTTERING = b'[style="dashed"];\n'
"""An edge from a state to itself that is no step; drawn where temporal properties are checked."""

_STRUCTURE = (b"strict digraph ", b"nodesep=", b"subgraph ", b"color=", b"{rank = same; ", b"}")
_TOOLTIP = b'",tooltip="'

# A label is escaped once more than the value texts in it: newline as \n, quote as \", backslash as
# \\.
_NEXT_VARIABLE = rb"\n/\\ "
_FIRST_VARIABLE = rb"/\\ "


class DotError(ToolError):
    """A dump is cut off, of another form than that of TLC 2.18, or contradicts itself."""


class UncertainStep(UsageError):
    """A step of the specification of which no process is certain to have taken it."""


class Node(NamedTuple):
    """One state: TLC's fingerprint of it, its escaped label, and whether it is initial."""

    id: bytes
    label: bytes
    initial: bool

    def variables(self) -> dict[str, str]:
        """The text of each variable's value, in TLC's order."""
        return split_state(_plain_text(self.label))


class Edge(NamedTuple):
    """One step between two fingerprints; the label is the action's name, not the process."""

    source: bytes
    label: str
    target: bytes


def read_dot(path: Path) -> Iterator[Node | Edge]:
    """States and edges in the order of the file; an edge can precede its target's state.

    DotError where a line has another form, or where the file does not end as a finished dump does.
    """
    labels: dict[bytes, str] = {}  # edge attributes, of which there are few
    line = b""
    with open(path, "rb") as file:
        for number, line in enumerate(file, 1):
            name, _, rest = line.partition(b" ")
            if rest.startswith(b"-> "):
                target, _, attributes = rest[3:].partition(b" ")
                if attributes == _STUTTERING and name == target:
                    continue
                label = labels.get(attributes)
                if label is None:
                    if not (match := _EDGE.fullmatch(attributes)):
                        raise _unreadable(path, number, line)
                    label = labels[attributes] = match[1].decode()
                yield Edge(name, label, target)
            elif rest.startswith(_LABEL):
                if _TOOLTIP in rest:
                    raise _unreadable(path, number, line)
                if rest.endswith(_PLAIN_END):
                    yield Node(name, rest[len(_LABEL) : -len(_PLAIN_END)], False)
                elif rest.endswith(_INITIAL_END):
                    yield Node(name, rest[len(_LABEL) : -len(_INITIAL_END)], True)
                else:
                    raise _unreadable(path, number, line)
            elif not line.startswith(_STRUCTURE):
                raise _unreadable(path, number, line)
    if line.strip() != b"}":
        raise DotError(
            f"The state graph in {path} is cut off: it has no closing brace.", "Run TLC again."
        )


class Move(NamedTuple):
    """One edge of the graph with the process that took it: None for `Terminating`."""

    process: Hashable
    label: str
    source: int
    target: int


class TlcGraph:
    """A state graph in memory. States are numbered from 0 as they appear, values are interned.

    variables: the names, in TLC's order.
    states: per state, the number of each variable's value.
    values, texts: per number, the value and its canonical text (`format_tla`); different numbers
    are different values.
    initial: the initial states.
    labels: the names of the actions.
    sources, actions, targets: the edges, as three arrays of the same length with indices of states
    and labels.
    """

    def __init__(self) -> None:
        self.variables: tuple[str, ...] = ()
        self.states: list[tuple[int, ...]] = []
        self.values: list[Value] = []
        self.texts: list[str] = []
        self.initial: list[int] = []
        self.labels: list[str] = []
        self.sources, self.actions, self.targets = array("i"), array("i"), array("i")

    @classmethod
    def read(cls, path: Path) -> "TlcGraph":
        """The graph of a dump; DotError if it is unreadable or has one state twice."""
        graph = cls()
        _Reader(graph, path).read()
        return graph

    def state(self, index: int) -> dict[str, Value]:
        """The value of each variable in one state."""
        return {
            name: self.values[number]
            for name, number in zip(self.variables, self.states[index], strict=True)
        }

    def edges(self) -> Iterator[tuple[int, str, int]]:
        """Source, label and target of every edge, in the order of the dump."""
        for source, action, target in zip(self.sources, self.actions, self.targets, strict=True):
            yield source, self.labels[action], target

    def stars(self, sources: Collection[int]) -> dict[int, "TlcGraph"]:
        """State -> the graph of it and of its steps, without the states behind them."""
        rows: dict[int, list[tuple[int, int]]] = {source: [] for source in sources}
        for source, action, target in zip(self.sources, self.actions, self.targets, strict=True):
            if source in rows:
                rows[source].append((action, target))
        out = {}
        for source, row in rows.items():
            star = out[source] = TlcGraph()
            star.variables, star.labels = self.variables, self.labels
            star.values, star.texts = self.values, self.texts
            numbers = {source: 0}
            for action, target in row:
                star.sources.append(0)
                star.actions.append(action)
                star.targets.append(numbers.setdefault(target, len(numbers)))
            star.states, star.initial = [self.states[number] for number in numbers], [0]
        return out

    def moves(self, pc: str = "pc") -> Iterator[Move]:
        """Every edge with the process that took it, read from the change of the variable `pc`.

        Exactly one process changes its label, and leaves the action's; or none does and exactly one
        stands at the action's label, whose step then returns to itself. Everything else is
        ambiguous and a DotError.
        """
        if pc not in self.variables:
            raise DotError(
                f"The state graph has no variable {pc}, so the process that moved is unknown."
            )
        column = self.variables.index(pc)
        counters = [state[column] for state in self.states]
        processes: dict[tuple[int, int, int], Hashable] = {}
        for source, action, target in zip(self.sources, self.actions, self.targets, strict=True):
            change = counters[source], action, counters[target]
            if change in processes:
                process = processes[change]
            else:
                process = processes[change] = self._mover(*change)
            yield Move(process, self.labels[action], source, target)

    def _mover(self, before: int, action: int, after: int) -> Hashable:
        label = self.labels[action]
        if label == TERMINATING and before == after:
            return None
        old, new = _by_process(self.values[before]), _by_process(self.values[after])
        changes = [process for process in old if old[process] != new.get(process)]
        candidates = changes or [process for process in old if old[process] == label]
        if len(candidates) != 1 or old[candidates[0]] != label:
            listing = ", ".join(map(str, candidates)) or "none"
            raise UncertainStep(
                f"The process that took a step {label} from pc = {self.texts[before]} to pc = "
                f"{self.texts[after]} is not "
                f"certain (candidates: {listing}).",
                "Give every step a label that its process leaves, or that only one process has.",
            )
        return candidates[0]


class _Reader:
    """Fills a graph from a dump. Most value texts recur, so each is parsed once."""

    def __init__(self, graph: TlcGraph, path: Path) -> None:
        self.graph, self.path = graph, path
        self.index: dict[bytes, int] = {}  # fingerprint -> state
        self.action: dict[str, int] = {}
        self.number: dict[str, int] = {}  # canonical text -> value
        # per variable: `name = text` as it is in the file -> value
        self.pieces: list[dict[bytes, int]] = []

    def read(self) -> None:
        graph = self.graph
        states: list[tuple[int, ...] | None] = []

        def index_of(fingerprint: bytes) -> int:
            index = self.index.setdefault(fingerprint, len(states))
            if index == len(states):
                states.append(None)
            return index

        for item in read_dot(self.path):
            if isinstance(item, Edge):
                graph.sources.append(index_of(item.source))
                graph.actions.append(self.action.setdefault(item.label, len(self.action)))
                graph.targets.append(index_of(item.target))
            else:
                index, state = index_of(item.id), self.state(item.label)
                if states[index] not in (None, state):
                    raise DotError(
                        f"Two states in {self.path} have the fingerprint {item.id.decode()}."
                    )
                states[index] = state
                if item.initial:
                    graph.initial.append(index)
        bodies = [state for state in states if state is not None]
        if not graph.initial or len(bodies) != len(states):
            raise DotError(
                f"The state graph in {self.path} lacks its initial states or states that edges "
                "lead to."
            )
        if len(set(bodies)) != len(bodies):
            raise DotError(
                f"The state graph in {self.path} has one state twice: TLC did not store all "
                "variables."
            )
        graph.states = bodies
        graph.labels = list(self.action)

    def state(self, label: bytes) -> tuple[int, ...]:
        pieces = label.removeprefix(_FIRST_VARIABLE).split(_NEXT_VARIABLE)
        try:
            if len(pieces) == len(self.pieces):
                return tuple(map(dict.__getitem__, self.pieces, pieces))
        except KeyError:
            pass
        return self.new_state(label, pieces)

    def new_state(self, label: bytes, pieces: list[bytes]) -> tuple[int, ...]:
        """The same for a label with a text that has not occurred yet."""
        texts = split_state(_plain_text(label))
        if not self.pieces:
            self.graph.variables = tuple(texts)
            self.pieces = [{} for _ in texts]
        if tuple(texts) != self.graph.variables or len(pieces) != len(texts):
            raise DotError(
                f"A state in {self.path} has the variables {', '.join(texts)}, which the first one "
                "has not."
            )
        return tuple(map(self.value, self.pieces, pieces, texts.values()))

    def value(self, numbers: dict[bytes, int], piece: bytes, text: str) -> int:
        if piece not in numbers:
            value = parse_value(text)
            canonical = format_tla(value)
            numbers[piece] = number = self.number.setdefault(canonical, len(self.number))
            if number == len(self.graph.values):
                self.graph.values.append(value)
                self.graph.texts.append(canonical)
        return numbers[piece]


def _by_process(pc: Value) -> dict[Hashable, Value]:
    if isinstance(pc, tuple):
        return dict(enumerate(pc, 1))
    try:
        return dict(pc)
    except (TypeError, ValueError):
        raise DotError(
            f"pc = {format_tla(pc)} is no function, so the process that moved is unknown."
        ) from None


def _plain_text(label: bytes) -> str:
    # Between two escaped backslashes every backslash begins an escape.
    parts = label.decode().split(r"\\")
    return "\\".join(part.replace(r"\n", "\n").replace(r"\"", '"') for part in parts)


def _unreadable(path: Path, number: int, line: bytes) -> DotError:
    return DotError(
        f"Line {number} of the state graph in {path} has not the form that TLC 2.18 writes: "
        f"{line[:120].decode(errors='replace').strip()!r}.",
        "Run TLC again with the pinned jar.",
    )
