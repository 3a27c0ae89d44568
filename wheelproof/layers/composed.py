"""Layer walk, composed: the implementation with every step of the mechanisms below on, beside the model that takes their operations for one."""
from __future__ import annotations

from wheelproof.explore.composed import compose
from wheelproof.explore.run import Subject
from wheelproof.graph import reduced
from wheelproof.graph.explorer import StateGraph
from wheelproof.layers.bench import Bench, Report
from wheelproof.layers.safety import COMPARED
from wheelproof.subject import Composed
from wheelproof.verdict import Verdict

COMPOSITION = "Composition"
"""The property: each run of the composed implementation is one of the atomic model's, wherever nobody is inside an operation."""


def check(bench: Bench, entry: Composed) -> Report:
    """Search one scenario at the mapping's COMPOSED grain.

    A mutant needs a run that the model lacks. An equivalent one needs none, and other states than
    the implementation without it, so that a mutant that changes nothing is not in order.
    """
    mechanism = bench.mechanism
    started = bench.begin("walk", entry.name, bench.limits.walk_seconds)
    graph = reduced.reduce(mechanism.model(entry.scenario), mechanism.silent, bound=COMPARED)
    subject = Subject.load(mechanism.root, mechanism.stem, mutant=entry.mutant or None, grain="COMPOSED")
    beat = bench.beat("walk", entry.name)
    found = compose(subject, mechanism.scenarios[entry.scenario], reduced.rows(graph), reduced.shared_of(graph), labels_of(graph),
                    budget=bench.limits.walk_seconds, progress=lambda figures: beat(int(figures["impl_states"])))
    figures = {name: int(value) for name, value in found.figures.items() if name != "cpu"}
    verdict, why, fault = Verdict.EXHAUSTIVE, found.why, ""
    if found.outcome == "different":
        verdict, why = Verdict.VIOLATED, f"{found.difference} [{' '.join(f'{thread}.{label}' for thread, label in found.difference.schedule)}]"
    elif found.outcome == "inconclusive":
        verdict = Verdict.INCONCLUSIVE
    elif not any(labels != subject.labels.get(file) for file, labels in subject.named.items()):
        verdict, why = Verdict.VACUOUS, f"COMPOSED in mapping/{mechanism.stem}.py leaves every operation atomic that ATOMIC does"
    elif found.figures["matched_edges"] < found.figures["model_edges"]:
        fault = f"{int(found.figures['model_edges'] - found.figures['matched_edges'])} edges of the model were taken in no run"
    elif entry.equivalent:
        plain = Subject.load(mechanism.root, mechanism.stem, grain="COMPOSED")
        other = compose(plain, mechanism.scenarios[entry.scenario], reduced.rows(graph),
                        reduced.shared_of(graph), labels_of(graph), budget=bench.limits.walk_seconds)
        figures["unmutated_states"] = int(other.figures["impl_states"])
        if other.outcome == "inconclusive":
            verdict, why = Verdict.INCONCLUSIVE, other.why
        elif other.outcome == "different":
            fault = f"the implementation without {entry.mutant} is rejected: {other.difference}"
        elif all(other.figures[name] == found.figures[name] for name in ("impl_states", "impl_edges")):
            fault = f"{entry.mutant} changes nothing: it has as many states and edges as the implementation"
        why = f"equivalent: {entry.equivalent}" + (f"; {why}" if why else "")
    breaks = bool(entry.mutant) and not entry.equivalent
    return Report([bench.row(
        "walk", entry.name, started, expected="violated" if breaks else "exhaustive", expected_property=COMPOSITION if breaks else None,
        property=COMPOSITION if found.outcome == "different" else None, verdict=verdict, why=why, fault=fault,
        bound=f"{bench.bound(entry.scenario)}, every step", figures=figures)])


def labels_of(graph: StateGraph):
    """A function: the label at which each thread is, in a state of the graph."""
    return lambda state: [process[0] for process in graph.states[state][1]]
