"""A scenario as lines for the JVM, and the shared variables of a model's state as numbers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from wheelproof.protocols import Model, Scenario, State, programs

Numbers = tuple[int, ...]
"""Per variable: how many numbers follow, then its values."""


def texts(value: object) -> Iterator[str]:
    """Every text in a scenario, keys of tables included."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for key, item in value.items():
            yield key
            yield from texts(item)
    elif isinstance(value, Sequence):
        for item in value:
            yield from texts(item)


def names(scenario: Scenario, more: Iterable[str] = ()) -> dict[str, int]:
    """name -> number from 1, in the order in which the scenario has them, then ``more``."""
    words = dict.fromkeys(texts({key: item for key, item in scenario.items() if key != "about"}))
    return {name: number for number, name in enumerate(words | dict.fromkeys(more), 1)}


def fields(scenario: Scenario) -> Iterator[list[str]]:
    """A scenario's fields as (path, values); a list within a list is one value."""

    def leaves(path: str, value: object) -> Iterator[list[str]]:
        if isinstance(value, Mapping):
            for key, item in value.items():
                yield from leaves(f"{path}.{key}", item)
        elif isinstance(value, list):
            yield [path, *(word(item) for item in value)]
        else:
            yield [path, word(value)]

    for key, value in scenario.items():
        if key not in ("about", "threads"):
            yield from leaves(key, value)


def word(value: object) -> str:
    """A value of a field as one word of a line."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list):
        return " ".join(word(item) for item in value)
    return str(value)


def lines(
    scenario: Scenario,
    sites: Mapping[str, Sequence[str]],
    fine: bool,
    within: Iterable[str] = (),
    more: Iterable[str] = (),
    inside: Mapping[str, Sequence[str]] | None = None,
) -> list[list[str]]:
    """The request ``scenario``. ``within``: sites that are no step; ``more``: names of values.

    ``inside``: label -> calls of operations that the model takes in one step.
    """
    threads = [
        ["thread", name, *(word(operation) for operation in program)]
        for name, program in programs(scenario).items()
    ]
    return [
        *(["name", name] for name in names(scenario, more)),
        *(["field", *line] for line in fields(scenario)),
        *threads,
        *(["label", label, site] for label, places in sites.items() for site in places),
        *(["inside", label, site] for label, places in (inside or {}).items() for site in places),
        *(["within", site] for site in within),
        ["fine", word(fine)],
    ]


class Encoder:
    """Turns states of a model into numbers; ``variables`` are those that are compared, in order."""

    def __init__(self, model: Model, scenario: Scenario, more: Iterable[str] = ()) -> None:
        self.model = model
        self.number = names(scenario, more)
        self.compares = [name not in model.AUXILIARY for name in model.variables]
        self.variables = [
            name for name, is_compared in zip(model.variables, self.compares) if is_compared
        ]
        self.codes: dict[object, Numbers] = {}

    def shared(self, state: State) -> Numbers:
        """The numbers of a state's shared variables."""
        code = self.codes.get(state[0])
        if code is None:
            out: list[int] = []
            for piece, is_compared in zip(self.model.pieces(state), self.compares):
                if is_compared:
                    numbers = [number for value in piece for number in self.encode(value)]
                    out += [len(numbers), *numbers]
            code = self.codes[state[0]] = tuple(out)
        return code

    def encode(self, value: object) -> list[int]:
        """A value as numbers: a tuple or set is its length and its elements."""
        if value is None:
            return [0]
        if isinstance(value, str):
            return [self.number[value]]
        if isinstance(value, int):
            return [int(value)]
        if isinstance(value, frozenset):
            elements = sorted(self.encode(item) for item in value)
            return [len(value), *(number for element in elements for number in element)]
        if isinstance(value, tuple):
            return [len(value), *(number for item in value for number in self.encode(item))]
        raise TypeError(f"a {type(value).__name__} is no value of a shared variable")

    def split(self, numbers: Numbers) -> dict[str, Numbers]:
        """variable -> its numbers."""
        out, at = {}, 0
        for name in self.variables:
            if at >= len(numbers):
                break
            out[name] = numbers[at + 1 : at + 1 + numbers[at]]
            at += 1 + numbers[at]
        return out
