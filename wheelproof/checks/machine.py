"""The machine of a config: its graphs and comparisons, once for all configs that share it."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from types import MappingProxyType
from typing import NamedTuple

from wheelproof.checks.comparisons import Equality, bisimulated
from wheelproof.checks.context import COMPARED, Context
from wheelproof.graph import reduced, same
from wheelproof.graph.explorer import BudgetSpent, StateGraph, explore
from wheelproof.project.mechanism import Config
from wheelproof.python.search.bisimulation import Bisimulation
from wheelproof.python.search.run import ControlledImplementation
from wheelproof.tla.syntax import OutsideSubset
from wheelproof.tlc.result import TlcResult


class OfSpec(NamedTuple):
    """How the specification's compiled graph compares with the model's."""

    figure: str = ""
    """The kind of the comparison, "" for none."""
    fault: str = ""
    """The difference of the graphs, "" for none."""
    witness: tuple[str, str] | None = None
    """Name and sentence of a witness that differs in a state of equal graphs."""
    controls: Mapping[str, bool] = MappingProxyType({})
    """Planted fault in equal graphs -> whether it is rejected."""


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
    def compiled(self) -> OfSpec:
        """How the specification's compiled graph compares with the model's.

        Without a model by hand the two are one.
        """
        mechanism = self.mechanism
        if not mechanism.by_hand:
            return OfSpec()
        try:
            model = mechanism.compiled_model(mechanism.scenarios[self.config.scenario])
        except OutsideSubset as error:
            return OfSpec(f"no: {error.message}")
        graph = explore(model, bound=4 * self.graph.distinct + 1000)
        names = "the model", "the compiled specification"
        fault, places = same.match(self.graph, graph, names)
        # `properties` names a witness that the model or the specification lacks.
        common = [name for name in mechanism.witnesses if name in model.module.definitions]
        if fault:
            return OfSpec("every edge", fault)
        try:
            witness = same.judgement(self.graph, graph, names, places, common)
            controls = same.controls(self.graph, graph, names, places, common)
            return OfSpec("every edge", "", witness, controls)
        except OutsideSubset as error:
            return OfSpec(f"every edge, and no witness: {error.message}")

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
