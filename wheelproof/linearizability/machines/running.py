"""A state machine in a run: its rules are called, its invariants checked while no rule runs."""

from __future__ import annotations

import contextlib
import random
from collections.abc import Iterable
from typing import Any

from hypothesis.errors import StopTest, UnsatisfiedAssumption
from hypothesis.internal.conjecture.data import ConjectureData
from hypothesis.internal.conjecture.providers import HypothesisProvider
from hypothesis.stateful import Bundle, MultipleResults, VarReference

from wheelproof.linearizability.machines.rules import Rules
from wheelproof.linearizability.programs import Call, Drawn, Result
from wheelproof.linearizability.running import Driver, Subject
from wheelproof.linearizability.values import LeftOut, snapshot

LEFT_OUT = LeftOut()


class SteadyProvider(HypothesisProvider):
    """Chooses by a seed alone.

    Hypothesis prefers constants of the modules that are loaded, which change in an exploration.
    """

    def _maybe_draw_constant(self, *arguments: Any, **keywords: Any) -> None:
        return None


class Absent(Exception):
    """An argument of a call does not exist in this run."""


class Played:
    """A state machine in one run, with the values that its rules have returned for bundles.

    ``waits_for``: how many initialize rules have not run.
    """

    def __init__(self, machine: Any, waits_for: int) -> None:
        self.machine, self.waits_for = machine, waits_for
        self.results: dict[int, tuple[Any, ...]] = {}
        self.ended = False


class Runner:
    """A machine for a strategy: its bundles have the values that a thread may take."""

    def __init__(self, machine: Any, values: Iterable[tuple[str, str, Any]]) -> None:
        self._machine = machine
        self.names_to_values: dict[str, Any] = {}
        self._bundles: dict[str, list[VarReference]] = {}
        for bundle, name, value in values:
            self.names_to_values[name] = value
            self._bundles.setdefault(bundle, []).append(VarReference(name))

    def bundle(self, name: str) -> list[VarReference]:
        return self._bundles.get(name, [])

    def __getattr__(self, name: str) -> Any:
        return getattr(self._machine, name)


class OfMachine(Subject):
    """An object of a state machine: its rules are the operations.

    Preconditions are judged where no other rule runs: a program has no call whose precondition
    some order breaks.
    """

    def __init__(self, rules: Rules, result_names: frozenset[str]) -> None:
        self.rules, self.ignored = rules, result_names
        self.final = Call("invariants")

    def make(self) -> Played:
        return Played(self.rules.machine(), len(self.rules.initializers))

    def end(self, instance: Played) -> None:
        if not instance.ended:
            instance.ended = True
            with contextlib.suppress(Exception):
                instance.machine.teardown()

    def called(self, driver: Driver, instance: Played, number: int) -> Any:
        thread, call = driver.calls[number]
        machine = instance.machine
        if thread == 0:
            self._check_invariants(driver, instance)
        if call is self.final:
            self.end(instance)
            return None
        rule = self.rules.all()[call.name]
        quiet = thread == 0 or driver.stops
        try:
            if quiet and not all(holds(machine) for holds in rule.preconditions):
                return LEFT_OUT
            arguments = {
                name: self._argument(driver, instance, number, name) for name in call.keywords
            }
            result = driver.execution.judged(rule.function)(machine, **arguments)
        except (Absent, StopTest, UnsatisfiedAssumption):
            return LEFT_OUT
        if call.name in self.rules.initializers:
            instance.waits_for -= 1
        if rule.targets:
            several = isinstance(result, MultipleResults)
            instance.results[number] = tuple(result.values) if several else (result,)
        return snapshot(result)

    def _check_invariants(self, driver: Driver, instance: Played) -> None:
        for invariant in self.rules.invariants:
            if instance.waits_for and not invariant.check_during_init:
                continue
            if all(holds(instance.machine) for holds in invariant.preconditions):
                driver.execution.judged(invariant.function)(instance.machine)

    # -- arguments

    def _argument(self, driver: Driver, instance: Played, number: int, name: str) -> Any:
        """Raises Absent, StopTest."""
        call = driver.calls[number][1]
        value, strategy = call.keywords[name], self.rules.all()[call.name].arguments[name]
        if isinstance(value, Result):
            values = instance.results.get(value.number, ())
            if value.item >= len(values):
                raise Absent
            return _transform(strategy, values[value.item])
        if isinstance(value, Drawn):
            data = ConjectureData(random=random.Random(value.seed), provider=SteadyProvider)
            usable = self._values(driver, instance, number)
            data.hypothesis_runner = Runner(instance.machine, usable)
            return data.draw(strategy)
        return value

    def _values(
        self, driver: Driver, instance: Played, number: int
    ) -> Iterable[tuple[str, str, Any]]:
        """The bundle, the name and the value of results that the thread of a call may take."""
        thread = driver.calls[number][0]
        for before, values in sorted(instance.results.items()):
            if before >= number or (thread and driver.calls[before][0] not in (0, thread)):
                continue
            rule = self.rules.all()[driver.calls[before][1].name]
            for target in rule.targets:
                for item, value in enumerate(values):
                    yield target, f"{target}_{before}_{item}", value


def _transform(strategy: Any, value: Any) -> Any:
    """A bundle's value after its ``map`` and ``filter``. Raises Absent if it is filtered out."""
    for kind, function, _ in strategy._transformations if isinstance(strategy, Bundle) else ():
        if kind == "map":
            value = function(value)
        elif not function(value):
            raise Absent
    return value
