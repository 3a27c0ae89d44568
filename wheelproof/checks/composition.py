"""Layer composition: the implementation with the steps of lower mechanisms, beside the model.

The model takes each operation of a lower mechanism for one step. The race detector watches the
plain fields of these mechanisms too; its rows are in layer random.
"""

from __future__ import annotations

from collections.abc import Callable

from wheelproof.checks import lock_order
from wheelproof.checks.context import COMPARED, Context, Report
from wheelproof.checks.random import RACE
from wheelproof.counterexample import composed
from wheelproof.graph import reduced
from wheelproof.graph.explorer import StateGraph
from wheelproof.project.mechanism import Composed
from wheelproof.python.search.composition import Composition, compose
from wheelproof.python.search.run import ControlledImplementation
from wheelproof.python.search.search import Progress
from wheelproof.verdict import Row, Verdict

COMPOSITION = "Composition"
"""The property: a run of the composed implementation is one of the atomic model.

The two are compared wherever no thread is inside an operation.
"""


def layers_of(entry: Composed) -> tuple[str, ...]:
    """The layers that have a row of it."""
    return ("composition", "random") if entry.raced else ("composition",)


def check(context: Context, entry: Composed) -> Report:
    """Search one scenario with the atomic modules of the harness's COMPOSED.

    A mutant needs a run that the model lacks. An equivalent one must not have any, and must have
    other states than the implementation without it: a mutant that changes nothing is a fault.
    The detector must report a race exactly where the mutant declares one.
    """
    started = context.begin("composition", entry.name, context.limits.bisimulation_seconds)
    graph = reduced.reduce(
        context.mechanism.model(entry.scenario), context.mechanism.silent, bound=COMPARED
    )
    implementation = context.without(entry.mutant).implementation("COMPOSED")
    beat = context.beat("composition", entry.name)
    found = searched(
        context, entry, implementation, graph, lambda figures: beat(int(figures["impl_states"]))
    )
    figures = {name: int(value) for name, value in found.figures.items() if name != "cpu"}
    verdict, why, fault = judged(found, implementation)
    if entry.equivalent and verdict is Verdict.EXHAUSTIVE and not fault:
        other = searched(context, entry, context.implementation("COMPOSED"), graph)
        figures["unmutated_states"] = int(other.figures["impl_states"])
        verdict, why, fault = judged_equivalent(entry, found, other)
    breaks = bool(entry.mutant) and not entry.equivalent
    rows = []
    if context.wants("composition"):
        rows.append(
            context.row(
                "composition",
                entry.name,
                started,
                expected="violated" if breaks else "exhaustive",
                expected_property=COMPOSITION if breaks else None,
                property=COMPOSITION if found.outcome == "different" else None,
                verdict=verdict,
                why=why,
                fault=fault,
                bound=f"{context.bound(entry.scenario)}, every step",
                figures=figures,
            )
        )
    if entry.raced and context.wants("random"):
        rows.append(race_row(context, entry, found))
    report = Report(rows)
    if not entry.mutant:
        lock_order.note(report, implementation.order, entry.name)
    return report


def searched(
    context: Context,
    entry: Composed,
    implementation: ControlledImplementation,
    graph: StateGraph,
    progress: Progress | None = None,
) -> Composition:
    """The search of an entry's scenario on an implementation, beside the model's graph."""
    return compose(
        implementation,
        context.mechanism.scenarios[entry.scenario],
        reduced.rows(graph),
        reduced.shared_of(graph),
        labels_of(graph),
        budget=context.limits.bisimulation_seconds,
        progress=progress,
    )


def judged(
    found: Composition, implementation: ControlledImplementation
) -> tuple[Verdict, str, str]:
    """Verdict, reason and fault of a search."""
    if found.difference is not None:
        schedule = " ".join(f"{thread}.{label}" for thread, label in found.difference.schedule)
        return Verdict.VIOLATED, f"{found.difference} [{schedule}]", ""
    if found.outcome == "inconclusive":
        return Verdict.INCONCLUSIVE, found.why, ""
    if not any(
        labels != implementation.labels.get(file) for file, labels in implementation.named.items()
    ):
        why = (
            f"COMPOSED in harness/{implementation.mechanism}.py has all operations atomic, as "
            "ATOMIC has"
        )
        return Verdict.VACUOUS, why, ""
    fault = ""
    if found.figures["matched_edges"] < found.figures["model_edges"]:
        left = int(found.figures["model_edges"] - found.figures["matched_edges"])
        fault = f"{left} edges of the model were taken in no run"
    return Verdict.EXHAUSTIVE, found.why, fault


def judged_equivalent(
    entry: Composed, found: Composition, plain: Composition
) -> tuple[Verdict, str, str]:
    """Verdict, reason and fault of an equivalent mutant, whose own search has no difference.

    ``plain``: the search of the implementation without it.
    """
    verdict, why, fault = Verdict.EXHAUSTIVE, found.why, ""
    if plain.outcome == "inconclusive":
        verdict, why = Verdict.INCONCLUSIVE, plain.why
    elif plain.outcome == "different":
        fault = f"the implementation without {entry.mutant} is rejected: {plain.difference}"
    elif all(plain.figures[name] == found.figures[name] for name in ("impl_states", "impl_edges")):
        fault = (
            f"{entry.mutant} changes nothing: it has as many states and edges as the implementation"
        )
    return verdict, f"equivalent: {entry.equivalent}" + (f"; {why}" if why else ""), fault


def race_row(context: Context, entry: Composed, found: Composition) -> Row:
    """The detector's verdict on the search's runs: every step of every state, on one path each."""
    started = context.begin("random", entry.name)
    verdict, why, trace = Verdict.SAMPLED, "", None
    if found.races:
        verdict, why = Verdict.VIOLATED, str(found.races[0])
        if shown := composed.build(context.mechanism, entry, found.raced):
            why, trace = shown.explanation, context.keep(shown)
    elif found.outcome != "included":
        verdict, why = (
            Verdict.INCONCLUSIVE,
            f"the search ended before all steps were taken: {found.why or found.difference}",
        )
    return context.row(
        "random",
        entry.name,
        started,
        expected="violated" if entry.data_race else "sampled",
        expected_property=RACE if entry.data_race else None,
        property=RACE if found.races else None,
        verdict=verdict,
        why=why,
        bound=f"{context.bound(entry.scenario)}, every step",
        figures={
            "runs": int(found.figures["runs"]),
            "steps": int(found.figures["steps"]),
            "races": len(found.races),
        },
        trace=trace,
    )


def labels_of(graph: StateGraph) -> Callable[[int], list[str]]:
    """A function from a state's number to the labels at which the threads are."""
    return lambda state: [process[0] for process in graph.states[state][1]]
