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
    start = context.begin("composition", entry.name, context.limits.bisimulation_seconds)
    graph = reduced.reduce(
        context.mechanism.model(entry.scenario), context.mechanism.silent, bound=COMPARED
    )
    implementation = context.without(entry.mutant).implementation("COMPOSED")
    beat = context.beat("composition", entry.name)
    search = search_scenario(
        context, entry, implementation, graph, lambda figures: beat(int(figures["impl_states"]))
    )
    figures = {name: int(value) for name, value in search.figures.items() if name != "cpu"}
    verdict, why, fault = judge(search, implementation)
    if entry.equivalent and verdict is Verdict.EXHAUSTIVE and not fault:
        plain = search_scenario(context, entry, context.implementation("COMPOSED"), graph)
        figures["unmutated_states"] = int(plain.figures["impl_states"])
        verdict, why, fault = judged_equivalent(entry, search, plain)
    breaks = bool(entry.mutant) and not entry.equivalent
    rows = []
    if context.wants("composition"):
        rows.append(
            context.row(
                "composition",
                entry.name,
                start,
                expected="violated" if breaks else "exhaustive",
                expected_property=COMPOSITION if breaks else None,
                property=COMPOSITION if search.outcome == "different" else None,
                verdict=verdict,
                why=why,
                fault=fault,
                bound=f"{context.bound(entry.scenario)}, every step",
                figures=figures,
            )
        )
    if entry.raced and context.wants("random"):
        rows.append(race_row(context, entry, search))
    report = Report(rows)
    if not entry.mutant:
        lock_order.note(report, implementation.order, entry.name)
    return report


def search_scenario(
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


def judge(
    search: Composition, implementation: ControlledImplementation
) -> tuple[Verdict, str, str]:
    """Verdict, reason and fault of a search."""
    if search.difference is not None:
        schedule = " ".join(f"{thread}.{label}" for thread, label in search.difference.schedule)
        return Verdict.VIOLATED, f"{search.difference} [{schedule}]", ""
    if search.outcome == "inconclusive":
        return Verdict.INCONCLUSIVE, search.why, ""
    if not any(
        labels != implementation.labels.get(file) for file, labels in implementation.named.items()
    ):
        why = (
            f"COMPOSED in harness/{implementation.mechanism}.py has all operations atomic, as "
            "ATOMIC has"
        )
        return Verdict.VACUOUS, why, ""
    fault = ""
    if search.figures["matched_edges"] < search.figures["model_edges"]:
        untaken = int(search.figures["model_edges"] - search.figures["matched_edges"])
        fault = f"{untaken} edges of the model were taken in no run"
    return Verdict.EXHAUSTIVE, search.why, fault


def judged_equivalent(
    entry: Composed, search: Composition, plain: Composition
) -> tuple[Verdict, str, str]:
    """Verdict, reason and fault of an equivalent mutant, whose own search has no difference.

    ``plain``: the search of the implementation without it.
    """
    verdict, why, fault = Verdict.EXHAUSTIVE, search.why, ""
    if plain.outcome == "inconclusive":
        verdict, why = Verdict.INCONCLUSIVE, plain.why
    elif plain.outcome == "different":
        fault = f"the implementation without {entry.mutant} is rejected: {plain.difference}"
    elif all(plain.figures[name] == search.figures[name] for name in ("impl_states", "impl_edges")):
        fault = (
            f"{entry.mutant} changes nothing: it has as many states and edges as the implementation"
        )
    return verdict, f"equivalent: {entry.equivalent}" + (f"; {why}" if why else ""), fault


def race_row(context: Context, entry: Composed, search: Composition) -> Row:
    """The detector's verdict on the search's runs: every step of every state, on one path each."""
    start = context.begin("random", entry.name)
    verdict, why, trace = Verdict.SAMPLED, "", None
    if search.races:
        verdict, why = Verdict.VIOLATED, str(search.races[0])
        if counterexample := composed.build(context.mechanism, entry, search.raced):
            why, trace = counterexample.explanation, context.keep(counterexample)
    elif search.outcome != "included":
        verdict, why = (
            Verdict.INCONCLUSIVE,
            f"the search ended before all steps were taken: {search.why or search.difference}",
        )
    return context.row(
        "random",
        entry.name,
        start,
        expected="violated" if entry.data_race else "sampled",
        expected_property=RACE if entry.data_race else None,
        property=RACE if search.races else None,
        verdict=verdict,
        why=why,
        bound=f"{context.bound(entry.scenario)}, every step",
        figures={
            "runs": int(search.figures["runs"]),
            "steps": int(search.figures["steps"]),
            "races": len(search.races),
        },
        trace=trace,
    )


def labels_of(graph: StateGraph) -> Callable[[int], list[str]]:
    """A function from a state's number to the labels at which the threads are."""
    return lambda state: [process[0] for process in graph.states[state][1]]
