"""Layers tlc, graph and bisimulation of one config, on one state graph.

They check TLC's verdict, TLC = model, and model = implementation.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

from wheelproof.checks import liveness, lock_order
from wheelproof.checks.comparisons import (
    Equality,
    bisimulated,
    bisimulation_figures,
    counted,
    depth_in_implementation,
    depth_in_model,
    dumped,
    parted,
)
from wheelproof.checks.context import (
    COMPARED,
    VERDICT_OF,
    Context,
    Report,
    counts_of,
    drift,
    graph_config,
    schedule_of,
)
from wheelproof.counterexample.build import Diverged, build
from wheelproof.events import Planned
from wheelproof.graph import reduced, same
from wheelproof.graph.explorer import BudgetSpent, StateGraph, explore, first_violation, first_violations
from wheelproof.project.mechanism import Config, the_property
from wheelproof.tla.syntax import OutsideSubset
from wheelproof.tlc.result import Outcome, TlcResult
from wheelproof.verdict import Verdict


def check(context: Context, config: Config, live: Sequence[Config] = ()) -> Report:
    """Run a safety config in the context's layers.

    ``live``: liveness configs of the same machine, decided in the same run of TLC.
    """
    return _Config(context, config, live).report()


class _Config:
    """The check of one config in the three layers; the model's graph is explored once."""

    def __init__(self, context: Context, config: Config, live: Sequence[Config] = ()) -> None:
        self.context, self.config, self.live = context, config, live
        self.mechanism = context.mechanism
        self.out = Report()

    @cached_property
    def graph(self) -> StateGraph:
        return self.context.explored(self.config, "graph")

    @property
    def small(self) -> bool:
        return self.graph.distinct <= COMPARED

    def report(self) -> Report:
        if self.context.wants("tlc", "graph"):
            self.out.labels |= self.graph.labels & self.mechanism.silent
            if self.config.expect == "violated":
                self.expected_to_fail()
            else:
                self.expected_to_pass()
        if self.context.wants("bisimulation"):
            self.bisimulation()
        return self.out

    def add(self, layer: str, started: float, **judged: Any) -> None:
        if self.context.wants(layer):
            self.out.rows.append(
                self.context.row(
                    layer,
                    self.config.name,
                    started,
                    bound=self.context.bound(self.config.scenario),
                    **judged,
                )
            )

    # -- tlc and graph

    def expected_to_pass(self) -> None:
        context, config = self.context, self.config
        started = context.begin("tlc", config.name, context.limits.tlc_seconds)
        properties = tuple(the_property(each.property) for each in self.live)
        result, equality = self.run_tlc(properties)
        whole: TlcResult | None = result
        if self.live and result.outcome is not Outcome.COMPLETED:
            # One run does not show which of several properties failed.
            whole, (result, equality) = None, self.run_tlc()
        counts = counts_of(result)
        complete = result.outcome is Outcome.COMPLETED
        trace, parted = self.kept("tlc", result) if result.property else (None, "")
        self.add(
            "tlc",
            started,
            expected="exhaustive",
            verdict=VERDICT_OF[result.outcome],
            property=result.property,
            figures=counts,
            fault=drift(config, counts) if complete else parted,
            why=result.explanation,
            trace=trace,
        )
        if context.wants("graph"):
            self.graph_row(result, equality, started)
        for each in self.live:
            if whole is None:
                self.out.rows += liveness.check(context, each).rows
            else:
                self.out.rows.append(
                    liveness.judged(
                        context, each, self.graph, whole, context.begin("liveness", each.name)
                    )
                )

    def run_tlc(self, properties: tuple[str, ...] = ()) -> tuple[TlcResult, Equality | None]:
        """TLC on every property that is to hold; its graph is compared where it is small enough."""
        context, config = self.context, self.config
        checks: dict[str, Any] = {
            "invariants": self.mechanism.kept(config),
            "properties": properties,
            "deadlock": True,
        }
        if self.small and context.wants("graph"):
            return dumped(context, config.name, config, self.graph, **checks)
        return context.tlc(config.name, config, **checks), None

    def expected_to_fail(self) -> None:
        """A violation: of an invariant, in one run that goes on to the end of the graph.

        A deadlock needs two runs: one for the verdict, one without checks for the whole graph.
        """
        context, config = self.context, self.config
        name, equality = the_property(config.property), None
        kind = self.mechanism.properties[name].kind
        checks: dict[str, Any] = {
            "invariants": (name,) if kind == "invariant" else (),
            "deadlock": kind == "deadlock",
        }
        started = context.begin("tlc", config.name, context.limits.tlc_seconds)
        at_once = kind == "invariant" and context.wants("graph")
        if at_once:
            result, equality = dumped(
                context, config.name, config, self.graph, go_on=True, **checks
            )
        else:
            result = context.tlc(config.name, config, **checks)
        steps = len(result.trace) - 1
        here = first_violation(self.graph, name)
        depth = None if here is None else self.graph.levels[here] - 1
        fault = (
            ""
            if result.outcome is not Outcome.VIOLATED or depth == steps
            else f"TLC's shortest trace has {steps} steps, the model's {depth}"
        )
        trace, parted = self.kept("tlc", result) if result.property else (None, "")
        self.add(
            "tlc",
            started,
            expected="violated",
            expected_property=config.property,
            property=result.property,
            verdict=VERDICT_OF[result.outcome],
            fault="; ".join(filter(None, (fault, parted))),
            figures={"steps": steps, "steps_model": depth},
            why=result.explanation,
            trace=trace,
        )
        if at_once:
            self.graph_row(result, equality, started)
        elif context.wants("graph"):
            started = context.begin("graph", config.name, context.limits.tlc_seconds)
            plain, equality = dumped(
                context,
                f"{config.name}_graph",
                graph_config(config),
                self.graph,
                deadlock=False,
                layer="graph",
            )
            self.graph_row(plain, equality, started)

    def graph_row(self, result: TlcResult, equality: Equality | None, started: float) -> None:
        if not result.whole:
            verdict = (
                Verdict.INCONCLUSIVE if result.outcome is Outcome.INCONCLUSIVE else Verdict.ERROR
            )
            return self.add(
                "graph",
                started,
                expected="exhaustive",
                verdict=verdict,
                why=f"there is no whole graph to compare: {result.explanation}",
            )
        graph = self.graph
        faults: list[str] = []
        if equality is None:
            faults.append(counted(result, graph))
        else:
            faults += [equality.fault, drift(self.config, counts_of(result))]
        if (broken := reduced.open_diamond(graph, self.mechanism.silent)) is not None:
            faults.append(
                f"the silent step {broken.silent} does not commute with {broken.other} in state "
                f"{broken.state}"
            )
        agree = equality is not None and not equality.fault
        compiled, differs = self.compiled() if agree else ("", "")
        faults.append(differs)
        if self.config.expect == "exhaustive":
            kept, fails = (*self.mechanism.kept(self.config), "NoDeadlock"), self.config.fails
            first = first_violations(graph, (*kept, *fails))
            faults += [f"the model violates {name}" for name in kept if first[name] is not None]
            faults += [
                f"{name} holds, and is declared to fail" for name in fails if first[name] is None
            ]
            self.find_witnesses()
        unequal = differs or (equality and equality.fault)
        self.add(
            "graph",
            started,
            expected="exhaustive",
            verdict=Verdict.VIOLATED if unequal else Verdict.EXHAUSTIVE,
            property="SameGraph" if unequal else None,
            fault="; ".join(filter(None, faults)),
            figures={
                "states": graph.distinct,
                "edges": graph.generated - 1,
                "digest": self.digest(),
                "compared": "every edge" if equality else "counts and depth",
            }
            | ({"compiled": compiled} if compiled else {})
            | ({"fails": ", ".join(self.config.fails)} if self.config.fails else {}),
        )

    def compiled(self) -> tuple[str, str]:
        """How the specification's compiled graph compares with the model's: a figure, and a fault.

        Without a model by hand the two are one.
        """
        mechanism = self.mechanism
        if not mechanism.by_hand:
            return "", ""
        try:
            model = mechanism.compiled_model(mechanism.scenarios[self.config.scenario])
        except OutsideSubset as error:
            return f"no: {error.message}", ""
        graph = explore(model, bound=4 * self.graph.distinct + 1000)
        names = "the model", "the compiled specification"
        return "every edge", same.difference(self.graph, graph, names)

    def digest(self) -> str | None:
        return self.graph.digest()[:16] if self.small else None

    def find_witnesses(self) -> None:
        model = self.graph.model
        for name in self.mechanism.witnesses:
            if any(model.holds(name, state) for state in self.graph.states[:20_000]):
                self.out.witnesses[name] = self.config.name

    def kept(self, layer: str, result: TlcResult) -> tuple[str | None, str]:
        """TLC's trace as a file, followed on the model; or why it cannot be followed."""
        model, name = self.graph.model, the_property(result.property)
        of_name = {name: index for index, name in enumerate(model.threads)}
        try:
            schedule = [
                (of_name[name], label) for name, label in schedule_of(result, self.mechanism.pc)
            ]
            return self.context.keep(
                build(
                    self.mechanism,
                    model,
                    schedule,
                    layer=layer,
                    name=self.config.name,
                    scenario=self.config.scenario,
                    property=name,
                    explanation=self.config.about or self.mechanism.properties[name].says,
                    sources=self.context.sources(scenario=self.config.scenario),
                )
            ), ""
        except Diverged as error:
            return None, f"TLC's trace cannot be followed on the model: {error}"

    # -- bisimulation

    def bisimulation(self) -> None:
        context, config = self.context, self.config
        try:
            graph = reduced.reduce(
                self.mechanism.model(config.scenario), self.mechanism.silent, bound=COMPARED
            )
        except BudgetSpent:
            context.listen(Planned(-1))  # larger than COMPARED: it has no such row
            return
        started = context.begin("bisimulation", config.name, context.limits.bisimulation_seconds)
        subject = context.subject()
        bisimulation = bisimulated(
            context,
            subject,
            config.scenario,
            graph,
            config.name,
            fields=True,
            second_ways=context.limits.second_ways,
        )
        self.out.labels |= {label for _, label, _ in subject.exercised}
        self.out.branches |= subject.branches()[1]
        if not config.without:
            lock_order.note(self.out, subject.order, config.name)
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
        figures = bisimulation_figures(bisimulation) | {
            "not_compared": ", ".join(sorted(graph.model.AUXILIARY)) or "nothing"
        }
        if config.property and bisimulation.outcome == "equal":
            # A property fails in the implementation as early as in the model, or in neither.
            mine = depth_in_model(graph, config.property)
            theirs = depth_in_implementation(bisimulation, graph, config.property)
            figures |= {"depth_model": mine, "depth_impl": theirs}
            fails = config.expect == "violated"
            if (theirs is not None) != fails or theirs != mine:
                fault = (
                    f"{config.property} fails after {theirs} steps of the implementation, "
                    f"{mine} of the model"
                )
        trace = None
        if bisimulation.difference:
            trace = parted(
                context, graph.model, config, bisimulation.difference, "bisimulation", config.name
            )
        self.add(
            "bisimulation",
            started,
            expected="exhaustive",
            verdict=verdict,
            fault=fault,
            why=bisimulation.why,
            property="Bisimulation" if bisimulation.difference else None,
            trace=trace,
            figures=figures,
        )
