"""Layer composition: the implementation with every step of the mechanisms below on, beside the model that takes their operations for one.

The race detector's rows, in layer random: it watches the plain fields of the mechanisms below, too.
"""

from __future__ import annotations

from wheelproof.checks.context import Context, Report
from wheelproof.checks.random import RACE
from wheelproof.checks.safety import COMPARED
from wheelproof.explore.composition import Composition, compose
from wheelproof.graph import reduced
from wheelproof.graph.explorer import StateGraph
from wheelproof.project.mechanism import Composed
from wheelproof.verdict import Row, Verdict

COMPOSITION = "Composition"
"""The property: each run of the composed implementation is one of the atomic model's, wherever nobody is inside an operation."""


def layers_of(entry: Composed) -> tuple[str, ...]:
    """The layers that have a row of it."""
    return ("composition", "random") if entry.raced else ("composition",)


def check(context: Context, entry: Composed) -> Report:
    """Search one scenario at the harness's COMPOSED grain.

    A mutant needs a run that the model lacks. An equivalent one needs none, and other states than
    the implementation without it, so that a mutant that changes nothing is not in order. Where it
    has a data race the detector must say so; a sound run must have none.
    """
    mechanism = context.mechanism
    started = context.begin("composition", entry.name, context.limits.bisimulation_seconds)
    graph = reduced.reduce(mechanism.model(entry.scenario), mechanism.silent, bound=COMPARED)
    subject = context.without(entry.mutant).subject("COMPOSED")
    beat = context.beat("composition", entry.name)
    found = compose(
        subject,
        mechanism.scenarios[entry.scenario],
        reduced.rows(graph),
        reduced.shared_of(graph),
        labels_of(graph),
        budget=context.limits.bisimulation_seconds,
        progress=lambda figures: beat(int(figures["impl_states"])),
    )
    figures = {name: int(value) for name, value in found.figures.items() if name != "cpu"}
    verdict, why, fault = Verdict.EXHAUSTIVE, found.why, ""
    if found.outcome == "different":
        verdict, why = (
            Verdict.VIOLATED,
            f"{found.difference} [{' '.join(f'{thread}.{label}' for thread, label in found.difference.schedule)}]",
        )
    elif found.outcome == "inconclusive":
        verdict = Verdict.INCONCLUSIVE
    elif not any(labels != subject.labels.get(file) for file, labels in subject.named.items()):
        verdict, why = (
            Verdict.VACUOUS,
            f"COMPOSED in harness/{mechanism.stem}.py leaves every operation atomic that ATOMIC does",
        )
    elif found.figures["matched_edges"] < found.figures["model_edges"]:
        fault = f"{int(found.figures['model_edges'] - found.figures['matched_edges'])} edges of the model were taken in no run"
    elif entry.equivalent:
        plain = context.subject("COMPOSED")
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
            fault = f"{entry.mutant} changes nothing: it has as many states and edges as the implementation"
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
    return Report(rows)


def race_row(context: Context, entry: Composed, found: Composition) -> Row:
    """What the detector says of the search's runs: each step of each state, along the first way that reaches it."""
    started = context.begin("random", entry.name)
    verdict, why = Verdict.SAMPLED, ""
    if found.races:
        verdict, why = Verdict.VIOLATED, str(found.races[0])
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
    )


def labels_of(graph: StateGraph):
    """A function: the label at which each thread is, in a state of the graph."""
    return lambda state: [process[0] for process in graph.states[state][1]]
