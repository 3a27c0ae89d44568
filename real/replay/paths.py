"""Paths to be performed: drawn from the model's graphs, and counterexamples."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path as File
from random import Random
from typing import Any

from wheelproof.counterexample import document
from wheelproof.counterexample.build import build
from wheelproof.errors import NothingChecked, UsageError
from wheelproof.graph import reduced
from wheelproof.graph.explorer import StateGraph, first_violation
from wheelproof.project.mechanism import Mechanism, the_property
from wheelproof.protocols import programs
from wheelproof.python.search.difference import Difference

MOST_STEPS = 1000
SAME_STATE = "Bisimulation"
"""In a file: the property of a path that leaves the model."""

TREE = ("node", "epoch", "part")
"""The variables of the state that a server has applied."""

Schedule = tuple[tuple[str, str], ...]
"""(thread, label) of each step that is no silent one."""


@dataclass(frozen=True)
class Path:
    """Steps of a scenario."""

    name: str
    scenario: str
    schedule: Schedule
    property: str = ""
    """The property that fails after the last one; "" where none has to."""
    model_without: str = ""
    """The decision that the model lacks; "" for none."""
    impl_without: str = ""
    """The decision that the implementation lacks; "" for none."""


class Graphs:
    """The reduced graphs of a mechanism's models, each made once."""

    def __init__(self, mechanism: Mechanism) -> None:
        self.mechanism = mechanism
        self.known: dict[tuple[str, str], StateGraph] = {}

    def graph(self, scenario: str, without: str = "") -> StateGraph:
        """The graph of a scenario; ``without``: a decision that the model lacks."""
        if (scenario, without) not in self.known:
            variant = self.mechanism.without(without)
            self.known[scenario, without] = reduced.reduce(variant.model(scenario), variant.silent)
        return self.known[scenario, without]


def performable(mechanism: Mechanism) -> list[str]:
    """The scenarios that an ensemble can perform.

    One server is late at most, since three servers have no majority otherwise. Where one is, no
    session expires and no reply is lost: a server that stays late has no new session, and takes up
    no connection again.
    """
    names = []
    for name, scenario in mechanism.scenarios.items():
        steps = [step for program in programs(scenario).values() for step in program]
        late = {step[1] for step in steps if step[0] == "lag"}
        if not late or len(late) == 1 and not {step[0] for step in steps} & {"expire", "lose"}:
            names.append(name)
    return names


def draw(graphs: Graphs, scenario: str, many: int, seed: int) -> list[Path]:
    """Random paths to the end of a scenario, the same ones for a seed.

    As long as a label has been on none of them, a path first goes to a step with such a label.
    """
    graph, random = graphs.graph(scenario), Random(f"{scenario} {seed}")
    sources: dict[str, list[tuple[int, int, int]]] = {}
    for before, row in enumerate(graph.edges):
        for thread, label, after in row:
            sources.setdefault(label, []).append((before, thread, after))
    missing = set(sources)
    paths = []
    for number in range(1, many + 1):
        steps: list[tuple[int, str]] = []
        here = 0
        if missing:
            label = random.choice(sorted(missing))
            before, thread, here = random.choice(sources[label])
            steps = [(thread, label) for thread, label, _ in graph.path(before)] + [(thread, label)]
        while graph.edges[here] and len(steps) < MOST_STEPS:
            thread, label, here = random.choice(graph.edges[here])
            steps.append((thread, label))
        missing -= {label for _, label in steps}
        paths.append(Path(f"{scenario}.{number}", scenario, with_names(graph, steps)))
    return paths


def with_names(graph: StateGraph, steps: list[tuple[int, str]]) -> Schedule:
    return tuple((graph.model.threads[thread], label) for thread, label in steps)


def counterexamples(graphs: Graphs) -> Iterator[Path]:
    """The shortest path to each violation that the mechanism declares; those of liveness have none.

    So has a scenario that an ensemble cannot perform. A mutant's is one of the changed model, and
    the elector lacks the same decision.
    """
    mechanism = graphs.mechanism
    able = performable(mechanism)
    declarations = [
        (config.name, config.scenario, config.without, config.property)
        for config in mechanism.configs.values()
        if config.expect == "violated"
    ] + [
        (mutant.name, mutant.scenario, mutant.decision, mutant.property)
        for mutant in mechanism.mutants.values()
        if mutant.property
    ]
    for name, scenario, without, property in declarations:
        property_ = the_property(property)
        if (
            mechanism.properties[property_].kind not in ("invariant", "deadlock")
            or scenario not in able
        ):
            continue
        graph = graphs.graph(scenario, without)
        end = first_violation(graph, property_)
        if end is None:
            raise NothingChecked(f"{name}: {property_} holds in the whole graph of {scenario}.")
        steps = [(thread, label) for thread, label, _ in graph.path(end)]
        yield Path(name, scenario, with_names(graph, steps), property_, without, without)


def end_of(graphs: Graphs, path: Path) -> int:
    """The number of the model's state after a path's last step."""
    return list(states_of(graphs, path))[-1]


def states_of(graphs: Graphs, path: Path) -> Iterator[int]:
    """The numbers of the model's states on a path."""
    graph, here = graphs.graph(path.scenario, path.model_without), 0
    threads = graph.model.threads
    yield here
    for step in path.schedule:
        here = next(
            to for thread, label, to in graph.edges[here] if (threads[thread], label) == step
        )
        yield here


def lags(graphs: Graphs, path: Path) -> bool:
    """Whether a server that is late lacks something, in some state of a path."""
    graph = graphs.graph(path.scenario, path.model_without)
    of_state: Callable[[int], Mapping[str, Any]] = reduced.shared_of(graph)
    for pieces in map(of_state, states_of(graphs, path)):
        present = tuple(piece for name in TREE for piece in pieces[name])
        if any(tuple(tree)[:3] != present for (tree,) in filter(None, pieces["late"])):
            return True
    return False


def read(file: File, mechanism: Mechanism) -> Path:
    """The path of a file that this command or `wheelproof verify` has written."""
    counterexample = document.read(file)
    if (
        counterexample.mechanism != mechanism.name
        or counterexample.scenario not in mechanism.scenarios
    ):
        raise UsageError(
            f"{file}: {counterexample.mechanism} with the scenario {counterexample.scenario} is "
            f"not {mechanism.name}."
        )
    schedule = tuple(
        (step.thread, step.label) for step in counterexample.steps if step.kind != "silent"
    )
    property_ = "" if counterexample.property == SAME_STATE else counterexample.property
    return Path(
        counterexample.name,
        counterexample.scenario,
        schedule,
        property_,
        counterexample.model_without,
        counterexample.impl_without,
    )


def write(path: Path, difference: Difference, mechanism: Mechanism, file: File) -> None:
    """A path up to a difference, as a file for :func:`read` and for `wheelproof show`."""
    variant = mechanism.without(path.model_without)
    model = variant.model(path.scenario)
    threads = list(model.threads)
    file.parent.mkdir(parents=True, exist_ok=True)
    build(
        variant,
        model,
        [(threads.index(thread), label) for thread, label in difference.schedule],
        layer="real",
        name=path.name,
        scenario=path.scenario,
        property=SAME_STATE,
        explanation=str(difference),
        impl_without=path.impl_without,
    ).write(file)
