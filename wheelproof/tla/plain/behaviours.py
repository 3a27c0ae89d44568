"""Behaviours and graphs of a machine as files: ITF, written and followed, and JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from wheelproof import documents
from wheelproof.errors import UsageError
from wheelproof.tla.plain.exploration import Exploration
from wheelproof.tla.plain.machine import Label, Machine, State
from wheelproof.tla.values import canonical
from wheelproof.tlc.itf import decoded, encoded
from wheelproof.tlc.values import Value, format_tla

GRAPH = "wheelproof.graph/1"


def text(label: Label) -> str:
    """A step's label with its arguments: ``Send("p1", 2)``."""
    name, arguments = label
    argument_texts = ", ".join(format_tla(canonical(argument)) for argument in arguments)
    return f"{name}({argument_texts})" if arguments else name


def itf(machine: Machine, trace: Sequence[tuple[Label | None, State]], description: str) -> str:
    """A behaviour in ITF; the ``#meta`` of a state has the step that led to it."""
    states = []
    for index, (label, state) in enumerate(trace):
        meta = {"index": index} | ({} if label is None else {"step": text(label)})
        values = machine.values(state)
        states.append({"#meta": meta, **{name: encoded(value) for name, value in values.items()}})
    head = {
        "format": "ITF",
        "format-description": "https://apalache-mc.org/docs/adr/015adr-trace.html",
        "source": machine.module.name,
        "description": description,
    }
    return documents.encode(
        {"#meta": head, "params": [], "vars": list(machine.variables), "states": states}
    )


def graph(machine: Machine, exploration: Exploration) -> str:
    """The state graph in JSON: values in ITF's notation, edges as [source, step, target]."""
    return documents.encode(
        {
            "schema": GRAPH,
            "module": machine.module.name,
            "config": machine.configuration.file.name,
            "variables": list(machine.variables),
            "initial": exploration.initial,
            "states": [
                [encoded(value) for value in machine.values(state).values()]
                for state in exploration.states
            ],
            "edges": [[source, text(label), target] for source, label, target in exploration.edges],
        }
    )


@dataclass(frozen=True)
class Refusal:
    """The first state of a file that the machine cannot be in.

    index: of the state, from 0. nearest: the possible state with the fewest other values, and its
    step. differences: variable -> (value in the file, value in the nearest state).
    """

    index: int
    possible: tuple[str, ...]
    nearest: str
    differences: Mapping[str, tuple[str, str]]


def read(path: Path, variables: Sequence[str]) -> list[dict[str, Value]]:
    """The states of an ITF file; UsageError where it lacks one of the variables."""
    states = []
    content = documents.foreign(path)
    entries = content.get("states") if isinstance(content, dict) else None
    if not isinstance(entries, list) or not entries:
        raise UsageError(f"{path} has no states of ITF.", "Name a trace in ITF.")
    for index, entry in enumerate(entries):
        if not isinstance(entry, dict) or (lacking := set(variables) - entry.keys()):
            names = ", ".join(sorted(lacking)) if isinstance(entry, dict) else "all variables"
            raise UsageError(
                f"{path}, state {index}: {names} is absent.", "Name a trace of this module."
            )
        try:
            states.append({name: decoded(entry[name]) for name in variables})
        except ValueError as error:
            raise UsageError(f"{path}, state {index}: {error}.", "Correct the file.") from error
    return states


def follow(
    machine: Machine, states: Sequence[Mapping[str, Value]]
) -> tuple[list[Label], Refusal | None]:
    """The steps of a behaviour, up to the first state that the machine cannot be in."""
    labels: list[Label] = []
    state: State | None = None
    for index, values in enumerate(states):
        moves = machine.initial() if state is None else machine.successors(state)
        aim = {name: _text(value) for name, value in values.items()}
        texts = [
            {name: _text(value) for name, value in machine.values(after).items()}
            for _, _, after in moves
        ]
        if aim not in texts:
            return labels, _refusal(index, aim, texts, [label for _, label, _ in moves])
        _, label, state = moves[texts.index(aim)]
        labels.append(label)
    return labels, None


def _refusal(
    index: int, aim: Mapping[str, str], texts: list[dict[str, str]], labels: list[Label]
) -> Refusal:
    ranking = sorted(
        range(len(texts)), key=lambda place: sum(aim[name] != texts[place][name] for name in aim)
    )
    possible = tuple(dict.fromkeys(map(text, labels)))
    if not ranking:
        return Refusal(index, possible, "", {})
    best = texts[ranking[0]]
    differences = {name: (aim[name], best[name]) for name in aim if aim[name] != best[name]}
    return Refusal(index, possible, text(labels[ranking[0]]), differences)


def _text(value: Value) -> str:
    """A value's text, in which a model value is the string of its name, as ITF has it."""
    return format_tla(decoded(encoded(value)))
