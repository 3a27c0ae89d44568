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
from wheelproof.explore.composition import Composition, compose
from wheelproof.graph import reduced
from wheelproof.graph.explorer import StateGraph
from wheelproof.project.mechanism import Composed
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
    mechanism = context.mechanism
    started = context.begin("composition", entry.name, context.limits.bisimulation_seconds)
    graph = reduced.reduce(mechanism.model(entry.scenario), mechanism.silent, bound=COMPARED)
    implementation = context.without(entry.mutant).implementation("COMPOSED")
    beat = context.beat("composition", entry.name)
    found = compose(
        implementation,
        mechanism.scenarios[entry.scenario],
        reduced.rows(graph),
        reduced.shared_of(graph),
        labels_of(graph),
        budget=context.limits.bisimulation_seconds,
        progress=lambda figures: beat(int(figures["impl_states"])),
    )
    figures = {name: int(value) for name, value in found.figures.items() if name != "cpu"}
    verdict, why, fault = Verdict.EXHAUSTIVE, found.why, ""
    if found.difference is not None:
        schedule = " ".join(f"{thread}.{label}" for thread, label in found.difference.schedule)
        verdict, why = Verdict.VIOLATED, f"{found.difference} [{schedule}]"
    elif found.outcome == "inconclusive":
        verdict = Verdict.INCONCLUSIVE
    elif not any(
        labels != implementation.labels.get(file) for file, labels in implementation.named.items()
    ):
        verdict = Verdict.VACUOUS
        why = f"COMPOSED in harness/{mechanism.name}.py has all operations atomic, as ATOMIC has"
    elif found.figures["matched_edges"] < found.figures["model_edges"]:
        left = int(found.figures["model_edges"] - found.figures["matched_edges"])
        fault = f"{left} edges of the model were taken in no run"
    elif entry.equivalent:
        plain = context.implementation("COMPOSED")
        other = compose(
            plain,
            mechanism.scenarios[entry.scenario],
            reduced.rows(graph),
            reduced.shared_of(graph),
            labels_of(graph),
            budget=context.limits.bisimulation_seconds,
        )
        figures["unmutated_states"] = int(other.figures["impl_states"])
        if other.outcome == "inconclusive":
            verdict, why = Verdict.INCONCLUSIVE, other.why
        elif other.outcome == "different":
            fault = f"the implementation without {entry.mutant} is rejected: {other.difference}"
        elif all(
            other.figures[name] == found.figures[name] for name in ("impl_states", "impl_edges")
        ):
            fault = (
                f"{entry.mutant} changes nothing: it has as many states and edges as the "
                "implementation"
            )
        why = f"equivalent: {entry.equivalent}" + (f"; {why}" if why else "")
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
