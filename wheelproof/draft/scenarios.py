"""Small scenarios for a draft: those that run its labels and end in no deadlock."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from wheelproof.draft.steps import Operation
from wheelproof.errors import WheelproofError
from wheelproof.graph.explorer import BudgetSpent, explore
from wheelproof.protocols import Model
from wheelproof.protocols import Scenario as Data

STATES = 3_000
"""The states up to which a scenario is small."""

DRAWN = 300
"""The scenarios of one size that are tried."""

CHOSEN = 8
"""The scenarios that are written at most."""

SAME = frozenset({"key", "k", "name", "index"})
"""Names of arguments for which all threads have one value."""


@dataclass(frozen=True)
class Scenario:
    """Threads with their programs, and the constants."""

    threads: Mapping[str, str]
    about: str
    constants: Mapping[str, int] = field(default_factory=dict)

    @property
    def data(self) -> Data:
        """The scenario as the tool reads it."""
        programs = {
            name: [
                [int(word) if word.isdigit() else word for word in step.split()]
                for step in text.split("; ")
            ]
            for name, text in self.threads.items()
        }
        return {**self.constants, "threads": programs, "about": self.about}


def candidates(operations: Sequence[Operation], constants: Sequence[str]) -> Iterator[Scenario]:
    """Scenarios by size: two threads of one operation, of up to two, then three threads.

    Those of two operations are drawn, alike each time: there may be thousands.
    """
    sizes = dict.fromkeys(constants, 1)

    def scenario(programs: Sequence[Sequence[Operation]]) -> Scenario:
        number = itertools.count(1)
        threads = {
            name: "; ".join(_call(operation, number) for operation in program)
            for name, program in zip("abc", programs, strict=False)
        }
        about = f"{len(threads)} threads, at once: {'; '.join(threads.values())}"
        return Scenario(threads, about, sizes)

    for size in (1, 2):
        choices = [
            list(program)
            for length in range(1, size + 1)
            for program in itertools.product(operations, repeat=length)
        ]
        pairs = [
            pair
            for pair in itertools.combinations_with_replacement(choices, 2)
            if max(map(len, pair)) == size
        ]
        for pair in pairs if len(pairs) <= DRAWN else random.Random(0).sample(pairs, DRAWN):
            yield scenario(pair)
    for three in itertools.combinations_with_replacement(operations, 3):
        yield scenario([[operation] for operation in three])


def _call(operation: Operation, number: Iterator[int]) -> str:
    words = [operation.name]
    for name in operation.arguments:
        value = 1 if name in SAME else next(number)
        words.append(str(value) if name in operation.numbers else f"x{value}")
    return " ".join(words)


def choose(
    operations: Sequence[Operation],
    constants: Sequence[str],
    model: Callable[[Data], Model],
) -> tuple[dict[str, Scenario], set[str]]:
    """The scenarios that take the most turns first, and the labels that they run.

    A turn is a label with the label that the thread goes on with. Each scenario ends in every
    order. Without any that does, the smallest of all is chosen, and the check of it names the
    deadlock.
    """
    choice: dict[str, Scenario] = {}
    turns_covered: set[tuple[str, str]] = set()
    ran = [
        (scenario, turns)
        for scenario in candidates(operations, constants)
        if (turns := _turns(model(scenario.data)))
    ]
    while ran and len(choice) < CHOSEN:
        best, turns = max(ran, key=lambda item: len(item[1] - turns_covered))
        if choice and not turns - turns_covered:
            break
        choice[_name(best)] = best
        turns_covered |= turns
    if not choice:
        choice["smallest"] = next(candidates(operations, constants))
    return choice, {label for label, _ in turns_covered}


def _name(scenario: Scenario) -> str:
    """A name for a scenario: its operations, thread by thread."""
    words = [
        "_".join(step.split()[0] for step in text.split("; ")) for text in scenario.threads.values()
    ]
    return "_beside_".join(words)


def _turns(model: Model) -> set[tuple[str, str]]:
    """The turns of a scenario; none where it is large, has no value or ends in a deadlock."""
    try:
        graph = explore(model, bound=STATES)
    except (BudgetSpent, WheelproofError):
        return set()
    if graph.deadlocks:
        return set()
    return {
        (str(label), str(graph.states[after][1][thread][0]))
        for row in graph.edges
        for thread, label, after in row
    }
