"""The machine of a config: what is explored and compared once for all configs that share it."""

from __future__ import annotations

from functools import cached_property

from wheelproof.checks.comparisons import Equality, bisimulated
from wheelproof.checks.context import COMPARED, Context
from wheelproof.explore.bisimulation import Bisimulation
from wheelproof.explore.run import ControlledImplementation
from wheelproof.graph import reduced, same
from wheelproof.graph.explorer import BudgetSpent, StateGraph, explore
from wheelproof.project.mechanism import Config
from wheelproof.tla.syntax import OutsideSubset
from wheelproof.tlc.result import TlcResult


class Machine:
    """Spec, model and implementation in one scenario. ``config``: that whose name progress has.

    ``compared``: TLC's run that wrote the whole graph, and how this compares with the model's. The
    check of a config that holds sets it for those that do not.
    """

    def __init__(self, context: Context, config: Config) -> None:
        self.context, self.config = context, config
        self.mechanism = context.mechanism
        self.compared: tuple[TlcResult, Equality | None] | None = None

    @cached_property
    def graph(self) -> StateGraph:
        """The model's full graph."""
        return self.context.explored(self.config, "graph")

    @property
    def small(self) -> bool:
        return self.graph.distinct <= COMPARED

    @cached_property
    def digest(self) -> str | None:
        return self.graph.digest()[:16] if self.small else None

    @cached_property
    def open_diamond(self) -> reduced.Open | None:
        """A silent step that does not commute with another, if there is one."""
        return reduced.open_diamond(self.graph, self.mechanism.silent)

    @cached_property
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

    @cached_property
    def reduced(self) -> StateGraph | None:
        """The model's graph without silent steps; None where it has more than COMPARED states."""
        try:
            return reduced.reduce(
                self.mechanism.model(self.config.scenario), self.mechanism.silent, bound=COMPARED
            )
        except BudgetSpent:
            return None

    @cached_property
    def implementation(self) -> ControlledImplementation:
        return self.context.implementation()

    @cached_property
    def bisimulation(self) -> Bisimulation:
        """The implementation's bisimulation with the reduced graph, which has to be there."""
        assert self.reduced is not None
        return bisimulated(
            self.context,
            self.implementation,
            self.config.scenario,
            self.reduced,
            self.config.name,
            fields=True,
            second_ways=self.context.limits.second_ways,
        )
