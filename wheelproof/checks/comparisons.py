"""Comparisons of the artefacts: TLC with the model, and the model with the implementation.

The checks of configs, mutants and random schedules share them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Unpack

from wheelproof.checks.context import Checked, Context, counts_of
from wheelproof.counterexample import stepping
from wheelproof.counterexample.build import Diverged, build
from wheelproof.graph import reduced
from wheelproof.graph.compare import compare
from wheelproof.graph.explorer import StateGraph, first_violation
from wheelproof.project.mechanism import Config, Mechanism
from wheelproof.protocols import Model
from wheelproof.python.search.bisimulation import Bisimulation, bisimulate
from wheelproof.python.search.difference import Difference
from wheelproof.python.search.run import ControlledImplementation
from wheelproof.tlc.dot import TlcGraph
from wheelproof.tlc.result import TlcResult

KEPT = 6
"""How many reduced graphs are kept for further checks of their scenarios."""

KEPT_STATES = 20_000
"""A reduced graph of more states is not kept."""

_GRAPHS: dict[tuple[int, str], tuple[Mechanism, StateGraph]] = {}


def reduced_graph(
    mechanism: Mechanism, scenario: str, progress: Callable[[int, int], None] | None = None
) -> StateGraph:
    """The reduced graph of a mechanism's model, which several checks of one scenario share."""
    key = id(mechanism), scenario
    if key in _GRAPHS:
        _GRAPHS[key] = _GRAPHS.pop(key)  # the last one used goes last
        return _GRAPHS[key][1]
    graph = reduced.reduce(mechanism.model(scenario), mechanism.silent, progress=progress)
    if graph.distinct <= KEPT_STATES:
        # With its mechanism, whose number is no other's as long as it is kept.
        _GRAPHS[key] = mechanism, graph
        while len(_GRAPHS) > KEPT:
            del _GRAPHS[next(iter(_GRAPHS))]
    return graph


@dataclass
class Equality:
    """TLC's full graph against the model's, with TLC's counts."""

    states: int
    edges: int
    fault: str
    """The difference, "" for equal graphs."""
    controls: Mapping[str, bool] = field(default_factory=dict)
    """Planted fault in equal graphs -> whether it is rejected by name."""


def dump_and_compare(
    context: Context, name: str, config: Config, graph: StateGraph, **checks: Unpack[Checked]
) -> tuple[TlcResult, Equality | None]:
    """One TLC run with a dump of its graph, compared with the model's.

    The dump is removed: it is large and can be made anew.
    """
    folder = context.output / "mc" / context.mechanism.module / name
    folder.mkdir(parents=True, exist_ok=True)
    dump = folder / "states.dot"
    try:
        result = context.tlc(name, config, dump=dump, **checks)
        if not result.whole:
            return result, None
        comparison = compare(TlcGraph.read(dump), graph, context.mechanism.pc)
        return result, Equality(
            comparison.states,
            comparison.edges,
            comparison.difference or count_drift(result, graph),
            comparison.controls,
        )
    finally:
        dump.unlink(missing_ok=True)


def count_drift(result: TlcResult, graph: StateGraph) -> str:
    """The differences between TLC's counts and the model's; "" if there are none."""
    own_counts = {"generated": graph.generated, "distinct": graph.distinct, "depth": graph.depth}
    return "; ".join(
        f"{name}: TLC {theirs}, model {own_counts[name]}"
        for name, theirs in counts_of(result).items()
        if theirs != own_counts[name]
    )


def bisimulated(
    context: Context,
    implementation: ControlledImplementation,
    scenario: str,
    graph: StateGraph,
    name: str,
    layer: str = "bisimulation",
    budget: float | None = None,
    fields: bool = False,
    second_ways: int = 0,
) -> Bisimulation:
    """Bisimulation of an implementation with a reduced model graph.

    ``fields`` and ``second_ways`` are those of ``bisimulate``.
    """
    beat = context.beat(layer, name)
    return bisimulate(
        implementation,
        context.mechanism.scenarios[scenario],
        reduced.rows(graph),
        reduced.shared_of(graph),
        budget=budget or context.limits.bisimulation_seconds,
        progress=lambda f: beat(int(f["impl_states"])),
        fields=fields,
        second_ways=second_ways,
    )


def bisimulation_figures(bisimulation: Bisimulation) -> dict[str, int]:
    """The figures of a bisimulation, without its time."""
    return {name: int(value) for name, value in bisimulation.figures.items() if name != "cpu"}


def depth_in_model(graph: StateGraph, name: str) -> int | None:
    """The labelled steps to the first violation in a reduced graph; None if there is none."""
    here = first_violation(graph, name)
    return None if here is None else graph.levels[here] - 1


def depth_in_implementation(bisimulation: Bisimulation, graph: StateGraph, name: str) -> int | None:
    """The same on the implementation's own states. ``graph``: the reduced one, which they equal."""
    if name == "NoDeadlock":
        there = bisimulation.graph.first_deadlock()
    else:
        there = bisimulation.graph.first_violation(
            lambda number: graph.model.holds(name, graph.states[number])
        )
    return None if there is None else there.depth


def difference_file(
    context: Context,
    model: Model,
    config: Config,
    difference: Difference,
    layer: str,
    name: str,
    mutation: Context | None = None,
) -> str | None:
    """The schedule to a difference as a file; None where not even the model can follow it.

    ``mutation``: that of the implementation, where it is another machine than the model.
    """
    of_name = {thread: index for index, thread in enumerate(model.threads)}
    schedule = [(of_name[thread], label) for thread, label in difference.schedule]
    try:
        return context.keep(
            build(
                context.mechanism,
                model,
                schedule,
                layer=layer,
                name=name,
                scenario=config.scenario,
                property="Bisimulation",
                explanation=str(difference),
                impl_without=(mutation or context).mechanism.lacking,
                sources=(mutation or context).sources(config.scenario),
            )
        )
    except Diverged:
        return None


def keep_graph(
    context: Context, graph: StateGraph, scenario: str, layer: str, name: str
) -> set[str]:
    """Write the graph of a row for the page, where it is small enough to be stepped through.

    Returns the paths of the files, below the output folder.
    """
    if graph.distinct > stepping.MOST:
        return set()
    path = stepping.file_of(context.mechanism.name, layer, name)
    document = stepping.of_graph(
        context.mechanism, scenario, name, graph, context.sources(scenario)
    )
    document.write(context.output / path)
    return {path}
