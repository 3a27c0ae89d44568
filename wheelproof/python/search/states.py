"""All states of an implementation under control, without a model, with properties for each state.

This is for code without a specification. The search steps every thread that can move in every
state, as a bisimulation does, and stops at the first state that breaks a property, in which no
thread can move, or which a thread's exception or a broken rule ends. When all states are known it
looks for one from which no end can be reached: there some threads go on for ever while others wait
(CanEnd).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from wheelproof.protocols import Scenario
from wheelproof.python.runtime.threads import DONE
from wheelproof.python.runtime.watchdog import Watchdog
from wheelproof.python.search.run import ControlledImplementation, Run
from wheelproof.python.search.search import Parted, Search, rare_collections

NO_DEADLOCK = "NoDeadlock"
CAN_END = "CanEnd"

Property = Callable[[Any, Run], bool]
"""Called with the harness's objects and the run that is in the state; False where the property
is broken."""


@dataclass(frozen=True)
class Explored:
    """The result of a search."""

    outcome: str
    """``kept``, ``violated`` or ``inconclusive``.

    A violation is one of ``property``, at the end of ``schedule``. An inconclusive search has used
    its budget up.
    """
    figures: Mapping[str, float]
    """The counts: impl_states, impl_edges, runs, steps, cpu (seconds)."""
    ends: int
    """The number of states in which all threads have ended."""
    property: str = ""
    """The property.

    For an exception or a broken rule it is the kind of finding (``exception``, ``rule``, ...).
    """
    schedule: tuple[tuple[str, str], ...] = field(default=())
    why: str = ""
    """The details of a finding."""


def explore_states(
    implementation: ControlledImplementation,
    scenario: Scenario,
    properties: Mapping[str, Property],
    *,
    patient: str = "",
    budget: float = 60.0,
) -> Explored:
    """Judge ``properties``, NoDeadlock and CanEnd in every state that the scenario can reach.

    ``patient``: a thread that moves only when no other one can, such as a clock whose time is
    long beside that of a step. ``budget``: CPU seconds.
    """
    search = _States(implementation, scenario, properties, patient, budget)
    with Watchdog(implementation.scheduler), rare_collections():
        result = search.run()
    endless = search.endless() if result.outcome == "equal" else None
    figures = search.figures()
    if result.difference is not None:
        return Explored(
            "violated",
            figures,
            search.ends,
            result.difference.kind,
            tuple(result.difference.schedule),
            result.difference.message,
        )
    if endless is not None:
        return Explored(
            "violated",
            figures,
            search.ends,
            CAN_END,
            search.schedule(endless),
            "no end can be reached from here",
        )
    return Explored(
        "kept" if result.outcome == "equal" else result.outcome,
        figures,
        search.ends,
        why=result.why,
    )


class _States(Search):
    def __init__(
        self,
        implementation: ControlledImplementation,
        scenario: Scenario,
        properties: Mapping[str, Property],
        patient: str,
        budget: float,
    ) -> None:
        super().__init__(implementation, scenario, budget)
        self.properties, self.ends = properties, 0
        self.patient = self.names.index(patient) if patient else -1

    def endless(self) -> int | None:
        """The first state from which no end of all threads can be reached, or None."""
        before: list[list[int]] = [[] for _ in self.fingerprints]
        for node, following in enumerate(self.successors):
            for after in following.values():
                before[after].append(node)
        reachable = {
            node for node, labels in enumerate(self.waits) if all(label == DONE for label in labels)
        }
        todo = list(reachable)
        while todo:
            for node in before[todo.pop()]:
                if node not in reachable:
                    reachable.add(node)
                    todo.append(node)
        return next((node for node in range(len(self.fingerprints)) if node not in reachable), None)

    def schedule(self, node: int) -> tuple[tuple[str, str], ...]:
        """The steps that first led to a state."""
        steps = []
        while (parent := self.parent[node]) is not None:
            node, move = parent
            steps.append(self.step_of(node, move))
        return tuple(reversed(steps))

    def _add_node(self, node: int) -> None:
        threads = self.current.threads
        is_done = all(thread.label == DONE for thread in threads)
        if is_done:
            self.ends += 1
        if self.patient in self.left[node] and len(self.left[node]) > 1:
            self.left[node].remove(self.patient)
        if not is_done and not self.enabled[node]:
            stuck = ", ".join(
                f"{thread.name} at {thread.label}" for thread in threads if thread.label != DONE
            )
            raise Parted(self._difference(NO_DEADLOCK, f"no thread can move: {stuck}"))
        for name, holds in self.properties.items():
            if not holds(self.current.harness, self.current):
                raise Parted(self._difference(name, f"{name} is broken"))
