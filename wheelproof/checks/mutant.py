"""Layer mutant: one decision taken away on every artefact, killed by the named property.

A mutant counts only if all of this holds: the mutated spec, model and implementation have equal
graphs; the named property fails in each of them, first after equally many labelled steps; and the
bisimulation with the unmutated model rejects the mutated implementation. An equivalent mutant keeps
every property on the whole mutated graph; the other conditions hold for it too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from wheelproof.checks import compiled
from wheelproof.checks.comparisons import (
    Equality,
    bisimulated,
    bisimulation_figures,
    depth_in_implementation,
    depth_in_model,
    difference_file,
    dump_and_compare,
    keep_graph,
    reduced_graph,
)
from wheelproof.checks.context import Checked, Context, Report, verdict_of
from wheelproof.choices import Move, move_of, thread_of
from wheelproof.counterexample import traced
from wheelproof.counterexample.build import Diverged, build
from wheelproof.graph import reduced
from wheelproof.graph.explorer import StateGraph, first_violation
from wheelproof.graph.liveness import violation
from wheelproof.project.mechanism import Config, Mutant, the_property
from wheelproof.protocols import Model
from wheelproof.python.search.bisimulation import Bisimulation
from wheelproof.tlc.result import Outcome, TlcResult
from wheelproof.tlc.schedule import schedule_of
from wheelproof.verdict import Row, Verdict


def check(context: Context, mutants: Sequence[Mutant]) -> Report:
    """Check mutants of one decision and scenario, which differ in their property."""
    machine, report = _Mutated(context, mutants), Report()
    for mutant in mutants:
        kill = _Kill(machine.context, mutant, machine)
        report.rows.append(kill.report())
        report.graphs |= kill.graphs
    return report


class _Mutated:
    """One decision taken away in one scenario: the results that all its mutants share."""

    def __init__(self, context: Context, mutants: Sequence[Mutant]) -> None:
        mutant = mutants[0]
        self.plain, self.context = context, context.without(mutant.decision)
        self.name, self.scenario = mutant.name, mutant.scenario
        self.config = Config(self.name, self.scenario, without=mutant.decision)
        # Where every property is to be kept, the run that checks them all has the whole graph too.
        # Where invariants break, the run of the first of them has it.
        self.keeps = not any(mutant_.property for mutant_ in mutants)
        self.first = next(
            (
                mutant_
                for mutant_ in mutants
                if mutant_.property
                and context.mechanism.properties[mutant_.property].kind == "invariant"
            ),
            None,
        )

    @cached_property
    def graph(self) -> StateGraph:
        return self.context.explored(self.config, "mutant")

    @cached_property
    def small(self) -> StateGraph:
        return reduced.reduce(
            self.context.mechanism.model(self.scenario), self.context.mechanism.silent
        )

    @cached_property
    def compiled(self) -> StateGraph | None:
        """The mutated specification's compiled graph; None where TLC judges it."""
        return compiled.graph_of(self.context, self.scenario, 4 * self.graph.distinct + 1000)

    def judge(
        self,
        mutant: Mutant,
        config: Config,
        invariants: tuple[str, ...] = (),
        properties: tuple[str, ...] = (),
        deadlock: bool = False,
    ) -> TlcResult:
        """The verdict on the mutated specification."""
        if self.compiled is not None:
            return compiled.judge(self.context, self.compiled, invariants, properties, deadlock)
        return self.context.tlc(
            mutant.name,
            config,
            invariants=invariants,
            properties=properties,
            deadlock=deadlock,
            layer="mutant",
        )

    @cached_property
    def dump(self) -> tuple[TlcResult, Equality | None]:
        if self.compiled is not None:
            names = (self.context.mechanism.invariants if self.keeps else ()) or (
                (the_property(self.first.property),) if self.first else ()
            )
            result = compiled.judge(self.context, self.compiled, names, deadlock=self.keeps)
            return result, compiled.equality(self.compiled, self.graph)
        name = self.name
        checks: Checked = {"deadlock": self.keeps, "layer": "mutant"}
        if self.keeps:
            checks["invariants"] = self.context.mechanism.invariants
        elif self.first:
            name, checks["go_on"] = self.first.name, True
            checks["invariants"] = (the_property(self.first.property),)
        else:
            name += "_graph"
        return dump_and_compare(self.context, name, self.config, self.graph, **checks)

    @cached_property
    def open_diamond(self) -> reduced.Open | None:
        return reduced.open_diamond(self.graph, self.context.mechanism.silent)

    @cached_property
    def bisimulation(self) -> Bisimulation:
        return bisimulated(
            self.context,
            self.context.implementation(),
            self.scenario,
            self.small,
            self.name,
            "mutant",
        )

    @cached_property
    def refused(self) -> tuple[Bisimulation, Model]:
        """The mutated implementation's bisimulation with the unmutated model, and that model."""
        plain = reduced_graph(self.plain.mechanism, self.scenario)
        return bisimulated(
            self.context, self.context.implementation(), self.scenario, plain, self.name, "mutant"
        ), plain.model


@dataclass
class _Kill:
    context: Context
    mutant: Mutant
    machine: _Mutated
    faults: list[str] = field(default_factory=list)
    figures: dict[str, object] = field(default_factory=dict)
    graphs: set[str] = field(default_factory=set)
    """The files of the graph, where a counterexample leads into it."""

    def report(self) -> Row:
        context, mutant, mechanism = self.context, self.mutant, self.context.mechanism
        start = context.begin("mutant", mutant.name, context.limits.tlc_seconds)
        self.config = replace(self.machine.config, name=mutant.name, property=mutant.property)
        self.graph, self.small = self.machine.graph, self.machine.small
        self.figures["states"] = self.graph.distinct
        result = self.judge()
        verdict = verdict_of(result)
        if verdict in (Verdict.EXHAUSTIVE, Verdict.VIOLATED):
            verdict = self.equal_graphs() or verdict
        bisimulation = self.machine.bisimulation
        self.same_bisimulation(bisimulation)
        if bisimulation.outcome == "inconclusive":
            verdict = Verdict.INCONCLUSIVE
        if mutant.property and mechanism.properties[mutant.property].kind == "liveness":
            self.fair_cycles(bisimulation)
        elif mutant.property:
            self.depths(result, bisimulation)
        trace = self.reject()
        if mutant.property and verdict is Verdict.EXHAUSTIVE:
            self.faults.append(self.survival(mutant.property))
        if result.property:
            try:
                trace = self.counterexample(result)
            except Diverged as error:
                self.faults.append(f"TLC's trace cannot be followed on the mutated model: {error}")
        return context.row(
            "mutant",
            mutant.name,
            start,
            expected="violated" if mutant.property else "exhaustive",
            expected_property=mutant.property,
            property=result.property,
            verdict=verdict,
            fault="; ".join(self.faults),
            why=" ".join(
                filter(
                    None,
                    (
                        f"equivalent: {mutant.equivalent}" if mutant.equivalent else "",
                        result.explanation,
                    ),
                )
            ),
            bound=context.bound(mutant.scenario),
            figures=self.figures,
            trace=trace,
        )

    def judge(self) -> TlcResult:
        """The specification's verdict on the named property, or on all for an equivalent mutant."""
        mechanism, name = self.context.mechanism, self.mutant.property
        if name is None:
            if self.machine.keeps:
                return self.machine.dump[0]
            return self.machine.judge(
                self.mutant, self.config, invariants=mechanism.invariants, deadlock=True
            )
        if self.mutant is self.machine.first:
            return self.machine.dump[0]
        kind = mechanism.properties[name].kind
        return self.machine.judge(
            self.mutant,
            self.config,
            invariants=(name,) if kind == "invariant" else (),
            properties=(name,) if kind == "liveness" else (),
            deadlock=kind == "deadlock",
        )

    def equal_graphs(self) -> Verdict | None:
        """Mutated spec = mutated model; a verdict where there is no graph to compare."""
        plain, equality = self.machine.dump
        self.figures |= {
            "edges": self.graph.edge_count,
            "specification": "TLC" if self.machine.compiled is None else "compiled",
        }
        # Where a property that was to be kept is violated, the row has that as its verdict.
        if equality is None and not plain.property:
            self.faults.append(f"the mutated graph is not whole: {plain.explanation}")
            return Verdict.INCONCLUSIVE if plain.outcome is Outcome.INCONCLUSIVE else Verdict.ERROR
        if equality is not None and equality.fault:
            self.faults.append(f"mutated spec and mutated model differ: {equality.fault}")
        if (diamond := self.machine.open_diamond) is not None:
            self.faults.append(
                f"the silent step {diamond.silent} does not commute with {diamond.other}"
            )
        return None

    def same_bisimulation(self, bisimulation: Bisimulation) -> None:
        """Mutated model = mutated implementation."""
        self.figures |= bisimulation_figures(bisimulation)
        if bisimulation.difference:
            self.faults.append(
                f"mutated model and mutated implementation differ: {bisimulation.difference}"
            )
        if bisimulation.uncovered:
            self.faults.append(
                f"{len(bisimulation.uncovered)} edges of the mutated model were not in the "
                "bisimulation"
            )

    def depths(self, result: TlcResult, bisimulation: Bisimulation) -> None:
        """The property fails first after equally many labelled steps on each artefact."""
        name, mechanism = the_property(self.mutant.property), self.context.mechanism
        spec = [
            label for _, label in schedule_of(result, mechanism.pc) if label not in mechanism.silent
        ]
        full = first_violation(self.graph, name)
        depths = {
            "depth_spec": len(spec) if result.property else None,
            "depth_model": depth_in_model(self.small, name),
            "depth_impl": depth_in_implementation(bisimulation, self.small, name),
        }
        self.figures |= depths
        if len(set(depths.values())) != 1:
            self.faults.append(
                "the property does not fail at one depth: "
                + ", ".join(f"{k} {v}" for k, v in depths.items())
            )
        if full is not None and result.property and self.graph.levels[full] != len(result.trace):
            self.faults.append(
                f"TLC's trace has {len(result.trace)} states, the model's shortest "
                f"{self.graph.levels[full]}"
            )

    def fair_cycles(self, bisimulation: Bisimulation) -> None:
        """A fair run never meets the goal.

        It is a run of the full model, of the reduced one, and of the implementation's own states.
        """
        name, pairs = the_property(self.mutant.property), bisimulation.graph
        if not pairs.model_states:
            return  # the initial states differ, which is a fault already
        implementation = StateGraph.from_edges(
            self.small.model,
            [self.small.states[state] for state in pairs.model_states],
            [
                [
                    (thread_of(move), self.small_label(pairs.model_states[node], move), after)
                    for move, after in row.items()
                ]
                for node, row in enumerate(pairs.successors)
            ],
        )
        recurs = self.context.mechanism.properties[name].recurs
        artefacts = {
            "the model": self.graph,
            "the reduced model": self.small,
            "the implementation": implementation,
        }
        lassos = {
            artefact: violation(graph, name, recurs=recurs) for artefact, graph in artefacts.items()
        }
        self.faults += [
            f"{artefact} has no fair run without {name}"
            for artefact, lasso in lassos.items()
            if lasso is None
        ]
        loops = {artefact: lasso.loop for artefact, lasso in lassos.items() if lasso is not None}
        if not self.faults:
            model, impl = loops["the reduced model"], loops["the implementation"]
            self.figures |= {"depth_model": model, "depth_impl": impl}
            if model != impl:
                self.faults.append(
                    f"the fair cycle begins after {model} steps of the model, {impl} of the "
                    "implementation"
                )

    def survival(self, name: str) -> str:
        """Where a change shows that does not break its property."""
        difference = self.machine.refused[0].difference
        shows = (
            f"and the change shows {difference}"
            if difference
            else "in which the changed code does what the specification does"
        )
        return (
            f"{name} holds in all {self.graph.distinct} states of {self.mutant.scenario}, {shows}; "
            "name a property or a scenario that needs the decision, or declare the mutant "
            "equivalent"
        )

    def small_label(self, state: int, move: Move) -> str:
        """The label of a step from a state of the reduced graph."""
        row = self.small.edges[state]
        return next(label for mover, label, _ in row if move_of(mover, label) == move)

    def reject(self) -> str | None:
        """The bisimulation with the unmutated model must reject the mutated implementation."""
        bisimulation, model = self.machine.refused
        if bisimulation.difference is None:
            self.faults.append(
                "the bisimulation with the unmutated model does not reject the mutated "
                f"implementation ({bisimulation.outcome})"
            )
            return None
        self.figures["rejected_at"] = len(bisimulation.difference.schedule)
        return difference_file(
            self.machine.plain,
            model,
            Config(self.mutant.name, self.mutant.scenario),
            bisimulation.difference,
            "bisimulation",
            self.mutant.name,
            self.context,
        )

    def counterexample(self, result: TlcResult) -> str:
        """TLC's counterexample as a file: it replays on the mutated model and implementation."""
        model = self.graph.model
        schedule = traced.schedule(model, result, self.context.mechanism.pc)
        self.graphs |= keep_graph(
            self.context, self.graph, self.mutant.scenario, "mutant", self.mutant.name
        )
        counterexample = build(
            self.context.mechanism,
            model,
            schedule,
            layer="mutant",
            name=self.mutant.name,
            scenario=self.mutant.scenario,
            property=the_property(result.property),
            explanation=self.mutant.race,
            sources=self.context.sources(self.mutant.scenario),
        )
        dies_at, ends = sorted(self.mutant.dies_at), list(counterexample.ends_at())
        if dies_at and dies_at != ends:
            self.faults.append(
                f"it dies at {', '.join(ends)}, and dies_at has {', '.join(dies_at)}: the words "
                "of race are about another run; correct both, or the decision"
            )
        return self.context.keep(counterexample)
