"""Layers tlc, graph and bisimulation of one config, on one state graph.

They check TLC's verdict, TLC = model, and model = implementation.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Unpack

from wheelproof.checks import liveness, lock_order
from wheelproof.checks.comparisons import (
    Equality,
    bisimulation_figures,
    count_drift,
    depth_in_implementation,
    depth_in_model,
    difference_file,
    dump_and_compare,
    keep_graph,
)
from wheelproof.checks.context import (
    Checked,
    Context,
    Report,
    counts_of,
    drift,
    drifts,
    graph_config,
    verdict_of,
)
from wheelproof.checks.machine import Machine, OfSpec
from wheelproof.counterexample import traced
from wheelproof.counterexample.build import Diverged, build
from wheelproof.events import Planned
from wheelproof.graph import reduced
from wheelproof.graph.explorer import StateGraph, first_violation, first_violations
from wheelproof.graph.planted import alone, negate
from wheelproof.project.mechanism import Config, the_property
from wheelproof.tlc.result import Outcome, TlcResult
from wheelproof.verdict import Judged, Verdict


def check(
    context: Context, config: Config, live: Sequence[Config] = (), fails: Sequence[Config] = ()
) -> Report:
    """Run a safety config in the context's layers.

    ``live``: liveness configs of the same machine, decided in the same run of TLC. ``fails``:
    configs of the same machine whose property does not hold. TLC looks for their violations alone.
    """
    report, machine = Report(), Machine(context, config)
    _Config(machine, config, report, live).judge()
    for failing in fails:
        _Config(machine, failing, report).judge()
    return report


def formulas(graph: StateGraph, holds: Sequence[str], fails: Sequence[str]) -> list[str]:
    """The properties that the model has otherwise than is declared, as sentences."""
    first = first_violations(graph, (*holds, *fails))
    return [f"the model violates {name}" for name in holds if first[name] is not None] + [
        f"{name} holds, and is declared to fail" for name in fails if first[name] is None
    ]


def plant(graph: StateGraph, holding: Sequence[str], fails: Sequence[str]) -> dict[str, bool]:
    """Planted fault -> whether ``formulas`` rejects it, in the graph of the initial state alone.

    Each property that is to hold is negated there, and the state has no step. Each that is to fail
    holds there.
    """
    state = graph.states[0]
    stuck = alone(graph.model, state)
    stuck.deadlocks = [0]
    rejections = {}
    for name in holding:
        wrong = stuck if name == "NoDeadlock" else alone(negate(graph.model, name), state)
        rejections[f"{name} false"] = f"the model violates {name}" in formulas(wrong, [name], [])
    for name in fails:
        holds = name == "NoDeadlock" or graph.model.holds(name, state)
        right = alone(graph.model if holds else negate(graph.model, name), state)
        rejections[f"{name} true"] = any(name in text for text in formulas(right, [], [name]))
    return rejections


class _Config:
    """The check of one config in the three layers."""

    def __init__(
        self, machine: Machine, config: Config, out: Report, live: Sequence[Config] = ()
    ) -> None:
        self.machine, self.config, self.live, self.out = machine, config, live, out
        self.context, self.mechanism = machine.context, machine.mechanism

    def judge(self) -> None:
        if self.context.wants("tlc", "graph"):
            silent = self.machine.graph.labels & self.mechanism.silent
            self.out.exercise(self.config.scenario, silent)
            if self.config.expect == "violated":
                self.expected_to_fail()
            else:
                self.expected_to_pass()
        if self.context.wants("bisimulation"):
            self.bisimulation()

    def add(self, layer: str, start: float, **judgement: Unpack[Judged]) -> None:
        if self.context.wants(layer):
            judgement["bound"] = self.context.bound(self.config.scenario)
            self.out.rows.append(self.context.row(layer, self.config.name, start, **judgement))

    # -- tlc and graph

    def expected_to_pass(self) -> None:
        context, config = self.context, self.config
        start = context.begin("tlc", config.name, context.limits.tlc_seconds)
        properties = tuple(the_property(item.property) for item in self.live)
        result, equality = self.run_tlc(properties)
        whole: TlcResult | None = result
        if self.live and result.outcome is not Outcome.COMPLETED:
            # One run does not show which of several properties failed.
            whole, (result, equality) = None, self.run_tlc()
        counts = counts_of(result)
        complete = result.outcome is Outcome.COMPLETED
        trace, why = self.counterexample("tlc", result) if result.property else (None, "")
        self.add(
            "tlc",
            start,
            expected="exhaustive",
            verdict=verdict_of(result),
            property=result.property,
            figures=counts,
            fault=drift(config, counts) if complete else why,
            controls=drifts(config, counts) if complete else {},
            why=result.explanation,
            trace=trace,
        )
        if context.wants("graph"):
            if self.broken_in_both(result):
                start = context.begin("graph", config.name, context.limits.tlc_seconds)
                result, equality = self.without_check()
            self.graph_row(result, equality, start)
        self.machine.compared = result, equality
        for item in self.live:
            if whole is None:
                self.out.rows += liveness.check(context, item).rows
            else:
                self.out.rows.append(
                    liveness.judge(
                        context,
                        item,
                        self.machine.graph,
                        whole,
                        context.begin("liveness", item.name),
                    )
                )

    def run_tlc(self, properties: tuple[str, ...] = ()) -> tuple[TlcResult, Equality | None]:
        """TLC on every property that is to hold; its graph is compared where it is small enough."""
        context, config = self.context, self.config
        checks: Checked = {
            "invariants": self.mechanism.invariants_of(config),
            "properties": properties,
            "deadlock": True,
        }
        if self.machine.small and context.wants("graph"):
            return dump_and_compare(context, config.name, config, self.machine.graph, **checks)
        return context.tlc(config.name, config, **checks), None

    def broken_in_both(self, result: TlcResult) -> bool:
        """Whether the model has TLC's violation too: then their graphs are still to be compared.

        Where the model keeps the property, a second run shows no more, and might have no end.
        """
        name, graph = result.property, self.machine.graph
        if result.whole or result.outcome is not Outcome.VIOLATED or name is None:
            return False
        return first_violation(graph, name) is not None

    def without_check(self) -> tuple[TlcResult, Equality | None]:
        """TLC's whole graph where a property is violated: a run in which nothing is checked."""
        context, name = self.context, f"{self.config.name}_graph"
        checks: Checked = {"deadlock": False, "layer": "graph"}
        if self.machine.small:
            return dump_and_compare(
                context, name, graph_config(self.config), self.machine.graph, **checks
            )
        return context.tlc(name, graph_config(self.config), **checks), None

    def expected_to_fail(self) -> None:
        """A violation: of an invariant, in one run that goes on to the end of the graph.

        A deadlock needs two runs: one for the verdict, one without checks for the whole graph.
        Where a config that holds has compared the graph, the first violation is enough.
        """
        context, config, machine = self.context, self.config, self.machine
        name = the_property(config.property)
        kind = self.mechanism.properties[name].kind
        checks: Checked = {
            "invariants": (name,) if kind == "invariant" else (),
            "deadlock": kind == "deadlock",
        }
        start = context.begin("tlc", config.name, context.limits.tlc_seconds)
        comparison = machine.compared
        if comparison is None and kind == "invariant" and context.wants("graph"):
            comparison = dump_and_compare(
                context, config.name, config, machine.graph, **checks | {"go_on": True}
            )
            result = comparison[0]
        else:
            result = context.tlc(config.name, config, **checks)
        steps = len(result.trace) - 1
        here = first_violation(machine.graph, name)
        depth = None if here is None else machine.graph.levels[here] - 1
        fault = (
            ""
            if result.outcome is not Outcome.VIOLATED or depth == steps
            else f"TLC's shortest trace has {steps} transitions, the model's {depth}"
        )
        trace, why = self.counterexample("tlc", result) if result.property else (None, "")
        self.add(
            "tlc",
            start,
            expected="violated",
            expected_property=config.property,
            property=result.property,
            verdict=verdict_of(result),
            fault="; ".join(filter(None, (fault, why))),
            figures={"transitions": steps, "transitions_model": depth},
            why=result.explanation,
            trace=trace,
        )
        if context.wants("graph"):
            if comparison is None:
                start = context.begin("graph", config.name, context.limits.tlc_seconds)
                comparison = self.without_check()
            self.graph_row(*comparison, start)

    def graph_row(self, result: TlcResult, equality: Equality | None, start: float) -> None:
        if self.config.expect == "exhaustive":
            self.find_witnesses()  # the model's states, whatever TLC says of its own
        if not result.whole:
            is_violation = result.outcome is Outcome.VIOLATED
            why = f"TLC finds a violation of {result.property}, which the model keeps; "
            return self.add(
                "graph",
                start,
                expected="exhaustive",
                verdict=verdict_of(result),
                property=result.property if is_violation else None,
                why=f"{why if is_violation else ''}there is no whole graph to compare: "
                f"{result.explanation}",
            )
        machine, graph = self.machine, self.machine.graph
        faults: list[str] = []
        if equality is None:
            faults.append(count_drift(result, graph))
        else:
            faults += [equality.fault, drift(self.config, counts_of(result))]
        if (diamond := machine.open_diamond) is not None:
            faults.append(
                f"the silent step {diamond.silent} does not commute with {diamond.other} in state "
                f"{diamond.state}"
            )
        agree = equality is not None and not equality.fault
        graph_of_spec, differs, witness, second = machine.compiled if agree else OfSpec()
        controls = {**(equality.controls if equality else {})}
        controls |= {f"{name}, compiled": ok for name, ok in second.items()}
        faults += [differs, witness[1] if witness else ""]
        if self.config.expect == "exhaustive":
            holding, fails = (
                (*self.mechanism.invariants_of(self.config), "NoDeadlock"),
                self.config.fails,
            )
            faults += formulas(graph, holding, fails)
            controls |= plant(graph, holding, fails) | drifts(self.config, counts_of(result))
        unequal = differs or (equality and equality.fault)
        name = "SameGraph" if unequal else witness[0] if witness else None
        self.add(
            "graph",
            start,
            expected="exhaustive",
            verdict=Verdict.VIOLATED if name else Verdict.EXHAUSTIVE,
            property=name,
            fault="; ".join(filter(None, faults)),
            controls=controls,
            figures={
                "states": graph.distinct,
                "edges": graph.generated - 1,
                "digest": machine.digest,
                "compared": "every edge" if equality else "counts and depth",
            }
            | ({"compiled": graph_of_spec} if graph_of_spec else {})
            | ({"fails": ", ".join(self.config.fails)} if self.config.fails else {}),
        )

        if self.config.expect == "exhaustive" and not name:
            scenario = self.config.scenario
            self.out.graphs |= keep_graph(self.context, graph, scenario, "graph", self.config.name)

    def find_witnesses(self) -> None:
        graph, names = self.machine.graph, list(self.mechanism.witnesses)
        for state in graph.states[:20_000]:
            for name in [name for name in names if graph.model.holds(name, state)]:
                self.out.witnesses[name] = self.config.name
                names.remove(name)
            if not names:
                return

    def counterexample(self, layer: str, result: TlcResult) -> tuple[str | None, str]:
        """TLC's trace as a file, followed on the model; or why it cannot be followed."""
        model, name = self.machine.graph.model, the_property(result.property)
        try:
            return self.context.keep(
                build(
                    self.mechanism,
                    model,
                    traced.schedule(model, result, self.mechanism.pc),
                    layer=layer,
                    name=self.config.name,
                    scenario=self.config.scenario,
                    property=name,
                    explanation=self.config.about,
                    sources=self.context.sources(scenario=self.config.scenario),
                )
            ), ""
        except Diverged as error:
            return None, f"TLC's trace cannot be followed on the model: {error}"

    # -- bisimulation

    def bisimulation(self) -> None:
        context, config = self.context, self.config
        if (graph := self.machine.reduced) is None:
            context.listen(Planned(-1))  # larger than COMPARED: it has no such row
            return
        start = context.begin("bisimulation", config.name, context.limits.bisimulation_seconds)
        implementation, bisimulation = self.machine.implementation, self.machine.bisimulation
        ran = {label for _, label, _ in implementation.exercised}
        self.out.exercise(config.scenario, graph.passed | ran)
        self.out.branches |= implementation.branches()[1]
        if not config.without:
            lock_order.note(self.out, implementation.order, config.name)
        if bisimulation.fields is not None:
            self.out.changed |= bisimulation.fields.changed
            self.out.unread = {
                name: (config.name, place) for name, place in bisimulation.fields.unread.items()
            }
        verdict, fault = Verdict.EXHAUSTIVE, ""
        if bisimulation.outcome == "different":
            verdict, fault = Verdict.VIOLATED, str(bisimulation.difference)
        elif bisimulation.outcome == "inconclusive":
            verdict = Verdict.INCONCLUSIVE
        elif bisimulation.uncovered:
            fault = f"{len(bisimulation.uncovered)} edges of the model were not in the bisimulation"
        fault = fault or reduced.auxiliary_decides(graph)
        figures: dict[str, object] = bisimulation_figures(bisimulation) | {
            "not_compared": ", ".join(sorted(graph.model.AUXILIARY)) or "nothing"
        }
        if config.property and bisimulation.outcome == "equal":
            # A property fails in the implementation as early as in the model, or in neither.
            depth = depth_in_model(graph, config.property)
            theirs = depth_in_implementation(bisimulation, graph, config.property)
            figures |= {"depth_model": depth, "depth_impl": theirs}
            fails = config.expect == "violated"
            if (theirs is not None) != fails or theirs != depth:
                fault = (
                    f"{config.property} fails after {theirs} steps of the implementation, "
                    f"{depth} of the model"
                )
        trace = None
        if bisimulation.difference:
            trace = difference_file(
                context, graph.model, config, bisimulation.difference, "bisimulation", config.name
            )
        self.add(
            "bisimulation",
            start,
            expected="exhaustive",
            verdict=verdict,
            fault=fault,
            why=bisimulation.why,
            controls=bisimulation.controls,
            property="Bisimulation" if bisimulation.difference else None,
            trace=trace,
            figures=figures,
        )
