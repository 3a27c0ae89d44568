"""Layers tlc, graph and bisimulation of one config: TLC's verdict, TLC = model, model = implementation, on one state graph."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from wheelproof.checks import liveness
from wheelproof.checks.context import (
    COMPARED,
    VERDICT_OF,
    Context,
    Report,
    counts_of,
    drift,
    graph_config,
    schedule_of,
    witnesses_of,
)
from wheelproof.counterexample.build import Diverged, tell
from wheelproof.events import Planned
from wheelproof.explore.bisimulation import Bisimulation, bisimulate
from wheelproof.explore.difference import Difference
from wheelproof.graph import reduced
from wheelproof.graph.compare import compare
from wheelproof.graph.explorer import BudgetSpent, StateGraph, first_violation
from wheelproof.project.mechanism import Config
from wheelproof.tlc.dot import TlcGraph
from wheelproof.tlc.result import Outcome, TlcResult
from wheelproof.verdict import Verdict


def check(context: Context, config: Config, live: Sequence[Config] = ()) -> Report:
    """Run a safety config in the layers that were asked for. ``live``: liveness configs of the same machine, decided in the same run of TLC."""
    return _Config(context, config, live).report()


@dataclass
class Equality:
    """TLC's full graph against the model's: ``fault`` says what differs, "" if nothing; ``edges`` counts TLC's."""

    states: int
    edges: int
    fault: str


def dumped(
    context: Context, name: str, config: Config, graph: StateGraph, **checks: Any
) -> tuple[TlcResult, Equality | None]:
    """One TLC run with a dump of its graph, compared with the model's. The dump is removed: it is large and can be made anew."""
    folder = context.output / "mc" / context.mechanism.module / name
    folder.mkdir(parents=True, exist_ok=True)
    dump = folder / "states.dot"
    try:
        result = context.tlc(name, config, dump=dump, **checks)
        if not result.whole:
            return result, None
        compared = compare(TlcGraph.read(dump), graph, context.mechanism.pc)
        return result, Equality(
            compared.states, compared.edges, compared.difference or counted(result, graph)
        )
    finally:
        dump.unlink(missing_ok=True)


def counted(result: TlcResult, graph: StateGraph) -> str:
    """What differs between TLC's counts and the model's; "" if nothing does."""
    mine = {"generated": graph.generated, "distinct": graph.distinct, "depth": graph.depth}
    return "; ".join(
        f"{name}: TLC {theirs}, model {mine[name]}"
        for name, theirs in counts_of(result).items()
        if theirs != mine[name]
    )


def bisimulated(
    context: Context,
    subject: Any,
    scenario: str,
    graph: StateGraph,
    name: str,
    layer: str = "bisimulation",
    budget: float | None = None,
    **checks: Any,
) -> Bisimulation:
    """Bisimulation of an implementation with a reduced model graph. ``checks``: further options of ``bisimulate``."""
    beat = context.beat(layer, name)
    return bisimulate(
        subject,
        context.mechanism.scenarios[scenario],
        reduced.rows(graph),
        reduced.shared_of(graph),
        budget=budget or context.limits.bisimulation_seconds,
        progress=lambda f: beat(int(f["impl_states"])),
        **checks,
    )


def bisimulation_figures(bisimulation: Bisimulation) -> dict[str, Any]:
    """The figures of a bisimulation, without its time."""
    return {name: int(value) for name, value in bisimulation.figures.items() if name != "cpu"}


class _Config:
    """One config on its way through the three layers; the model's graph is explored once."""

    def __init__(self, context: Context, config: Config, live: Sequence[Config] = ()) -> None:
        self.context, self.config, self.mechanism, self.live = (
            context,
            config,
            context.mechanism,
            live,
        )
        self.out = Report()
        started = time.monotonic()
        self.graph = context.explored(config, "graph")
        self.explored_in = time.monotonic() - started
        self.small = self.graph.distinct <= COMPARED

    def report(self) -> Report:
        self.out.labels |= self.graph.labels & self.mechanism.silent
        if self.context.wants("tlc", "graph"):
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
        result, equality = self.run_tlc(properties=tuple(each.property for each in self.live))
        if (
            self.live and result.outcome is not Outcome.COMPLETED
        ):  # one run cannot say which of several things failed
            whole, (result, equality) = None, self.run_tlc()
        else:
            whole = result
        counts = counts_of(result)
        complete = result.outcome is Outcome.COMPLETED
        trace, parted = self.told("tlc", result) if result.property else (None, "")
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
        """TLC on all that is to hold, with its graph compared where that is asked for and not too large."""
        context, config = self.context, self.config
        checks = {
            "invariants": self.mechanism.kept(config),
            "properties": properties,
            "deadlock": True,
        }
        if self.small and context.wants("graph"):
            return dumped(context, config.name, config, self.graph, **checks)
        return context.tlc(config.name, config, **checks), None

    def expected_to_fail(self) -> None:
        """In one run that goes on after the violation; of a deadlock, once for the verdict and without any check for the whole graph."""
        context, config = self.context, self.config
        kind, equality = self.mechanism.properties[config.property].kind, None
        checks = {
            "invariants": (config.property,) if kind == "invariant" else (),
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
        here = first_violation(self.graph, config.property)
        depth = None if here is None else self.graph.levels[here] - 1
        fault = (
            ""
            if result.outcome is not Outcome.VIOLATED or depth == steps
            else f"TLC's shortest trace has {steps} steps, the model's {depth}"
        )
        trace, parted = self.told("tlc", result) if result.property else (None, "")
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
        graph, faults = self.graph, []
        if equality is None:
            faults.append(counted(result, graph))
        else:
            faults += [equality.fault, drift(self.config, counts_of(result))]
        if (broken := reduced.open_diamond(graph, self.mechanism.silent)) is not None:
            faults.append(
                f"the silent step {broken.silent} does not commute with {broken.other} in state {broken.state}"
            )
        if self.config.expect == "exhaustive":
            faults += [
                f"the model violates {name}"
                for name in (*self.mechanism.kept(self.config), "NoDeadlock")
                if first_violation(graph, name) is not None
            ]
            faults += [
                f"{name} holds, and is declared to fail"
                for name in self.config.fails
                if first_violation(graph, name) is None
            ]
            self.find_witnesses()
        self.add(
            "graph",
            started,
            expected="exhaustive",
            verdict=Verdict.VIOLATED if equality and equality.fault else Verdict.EXHAUSTIVE,
            property="SameGraph" if equality and equality.fault else None,
            fault="; ".join(filter(None, faults)),
            figures={
                "states": graph.distinct,
                "edges": graph.generated - 1,
                "digest": self.digest(),
                "compared": "every edge" if equality else "counts and depth",
            }
            | ({"fails": ", ".join(self.config.fails)} if self.config.fails else {}),
        )

    def digest(self) -> str | None:
        return self.graph.digest()[:16] if self.small else None

    def find_witnesses(self) -> None:
        model = self.graph.model
        for name in witnesses_of(self.mechanism):
            if any(model.holds(name, state) for state in self.graph.states[:20_000]):
                self.out.witnesses[name] = self.config.name

    def told(self, layer: str, result: TlcResult) -> tuple[str | None, str]:
        """(TLC's trace, followed on the model, as a file; what parts them). One of the two is empty."""
        model = self.graph.model
        of_name = {name: index for index, name in enumerate(model.threads)}
        try:
            schedule = [
                (of_name[name], label) for name, label in schedule_of(result, self.mechanism.pc)
            ]
            return self.context.keep(
                tell(
                    self.mechanism,
                    model,
                    schedule,
                    layer=layer,
                    name=self.config.name,
                    scenario=self.config.scenario,
                    property=result.property,
                    explanation=self.config.about
                    or self.mechanism.properties[result.property].says,
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
            return context.listen(
                Planned(-1)
            )  # too large to be bisimulated: README says up to where this is done
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
            fault = f"{len(bisimulation.uncovered)} edges of the model were not bisimulated"
        fault = fault or reduced.auxiliary_decides(graph)
        figures = bisimulation_figures(bisimulation) | {
            "not_compared": ", ".join(sorted(graph.model.AUXILIARY)) or "nothing"
        }
        if config.property and bisimulation.outcome == "equal":
            # A property fails in the implementation as early as in the model, or in neither.
            figures |= {
                "depth_model": depth_in_model(graph, config.property),
                "depth_impl": depth_in_implementation(bisimulation, graph, config.property),
            }
            fails = config.expect == "violated"
            if (figures["depth_impl"] is not None) != fails or figures["depth_impl"] != figures[
                "depth_model"
            ]:
                fault = f"{config.property} fails after {figures['depth_impl']} steps of the implementation, {figures['depth_model']} of the model"
        trace = (
            parted(
                context, graph.model, config, bisimulation.difference, "bisimulation", config.name
            )
            if bisimulation.difference
            else None
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


def depth_in_model(graph: StateGraph, name: str) -> int | None:
    """The labelled steps after which a property first fails in a reduced graph; None if it holds everywhere."""
    here = first_violation(graph, name)
    return None if here is None else graph.levels[here] - 1


def depth_in_implementation(bisimulation: Bisimulation, graph: StateGraph, name: str) -> int | None:
    """The same on the implementation's own states; ``graph`` is the reduced one that was bisimulated."""
    if name == "NoDeadlock":
        there = bisimulation.graph.first_deadlock()
    else:
        there = bisimulation.graph.first_violation(
            lambda number: graph.model.holds(name, graph.states[number])
        )
    return there and there.depth


def parted(
    context: Context,
    model: Any,
    config: Config,
    difference: Difference,
    layer: str,
    name: str,
    mutated: Context | None = None,
) -> str | None:
    """The schedule to a difference as a file; None where not even the model can follow it.

    ``mutated``: that of the implementation, where it is another machine than the model.
    """
    of_name = {thread: index for index, thread in enumerate(model.threads)}
    schedule = [(of_name[thread], label) for thread, label in difference.schedule]
    try:
        return context.keep(
            tell(
                context.mechanism,
                model,
                schedule,
                layer=layer,
                name=name,
                scenario=config.scenario,
                property="Bisimulation",
                explanation=str(difference),
                impl_without=(mutated or context).mechanism.lacking,
                sources=(mutated or context).sources(config.scenario),
            )
        )
    except Diverged:
        return None
