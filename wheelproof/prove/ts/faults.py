"""Systems with one decision taken away: traces to the property that breaks, on model and proof.

A fault that has no such trace within its scope is no counterexample, only a claim less; `unreached`
then gives the reason.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from wheelproof.prove.kernel import Control, Found
from wheelproof.prove.ts.concrete import Instance
from wheelproof.prove.ts.search import BudgetSpent, Roles, Searched, Taken, compiled, search
from wheelproof.prove.ts.system import WHOLE, System


class NotFollowed(Exception):
    """A trace of the proof's system that the model lacks, or that breaks no property there."""


@dataclass(frozen=True)
class Scope:
    """A finite size of a system.

    ``elements``: those of each sort. ``roles``: the operations that each thread may begin.
    ``rigid``: the rigid constants. ``numbers``: the whole numbers that parameters may be.
    """

    elements: Mapping[str, tuple[Any, ...]]
    start: Mapping[str, Any]
    roles: Roles
    rigid: Mapping[str, Any] = field(default_factory=dict)
    numbers: range = range(0)


@dataclass(frozen=True)
class Fault:
    """A mutant of a system.

    ``formula``: the proof's property that breaks. ``property``: the model's, without ``decision``;
    "" where the fault is no decision of the model's, and the trace is the proof's alone.

    ``theorem``: the id of the theorem that it is a control of. ``unreached``: why there is no
    trace, where there is none.
    """

    name: str
    says: str
    system: type[System]
    scope: Scope
    formula: str = ""
    theorem: str = ""
    decision: str = ""
    property: str = ""
    unreached: str = ""

    def instance(self) -> Instance:
        """The system at the scope's size."""
        return Instance(
            compiled(self.system), self.scope.elements, self.scope.rigid, self.scope.numbers
        )

    @cached_property
    def searched(self) -> Searched:
        """The shortest trace, by breadth-first search of everything within the scope."""
        instance, scope = self.instance(), self.scope
        return search(instance, instance.start(scope.start), self.formula, scope.roles)


def follow(view: Any, trace: Iterable[Taken], goal: str) -> list[tuple[str, str]]:
    """A run of the view's model that follows the trace and breaks the model's property ``goal``.

    Steps that the view does not show may come in between; the steps after the trace are the
    shortest way. The run as (thread, label). Raises NotFollowed.
    """
    model, instance, trace = view.model, view.instance, list(trace)
    states = [view.state(model.initial())]
    for step in trace:
        arguments = numbers(instance, step)
        after = instance.take(step.action, states[-1], arguments)
        if after is None:
            raise NotFollowed(
                f"{step} is not enabled after {len(states) - 1} steps of the trace, "
                "from the model's own start"
            )
        states.append(after)
    first = (model.initial(), 0)
    parents: dict[tuple[Any, int], tuple[Any, tuple[str, str] | None]] = {first: (None, None)}
    layer, furthest = [first], 0
    while layer:
        following = []
        for node in layer:
            state, count = node
            if count == len(trace) and fails(model, goal, state):
                return _run(parents, node)
            for thread, label, after in model.successors(state):
                image = view.state(after)
                if count == len(trace) or image == states[count]:
                    new = (after, count)
                elif (
                    image == states[count + 1]
                    and model.threads[thread] == trace[count].arguments[0]
                ):
                    new = (after, count + 1)
                    furthest = max(furthest, count + 1)
                else:
                    continue
                if new not in parents:
                    parents[new] = (node, (model.threads[thread], label))
                    following.append(new)
        layer = following
    if furthest == len(trace):
        raise NotFollowed(f"the model takes the whole trace, but {goal} holds after it")
    raise NotFollowed(
        f"the model does not take {trace[furthest]} after {furthest} steps of the trace"
    )


def fails(model: Any, name: str, state: Any) -> bool:
    """Whether a model's property fails in a state; NoDeadlock, where no thread can move."""
    if name == "NoDeadlock":
        return not model.successors(state) and not model.final(state)
    return not model.holds(name, state)


def numbers(instance: Instance, step: Taken) -> tuple[int, ...]:
    """A step's arguments in the instance's numbers."""
    kinds = instance.system.actions()[step.action].parameters.values()
    return tuple(
        int(str(name)) if item.sort == WHOLE else instance.number[item.sort.name][name]
        for item, name in zip(kinds, step.arguments, strict=True)
    )


def _run(parents: Mapping[Any, tuple[Any, Any]], node: Any) -> list[tuple[str, str]]:
    steps = []
    while parents[node][1] is not None:
        node, step = parents[node]
        steps.append(step)
    return steps[::-1]


def control(fault: Fault, view_of: Callable[[Fault, list[Taken]], Any]) -> Control:
    """A theorem's control: the fault's trace, confirmed on the model that ``view_of`` makes."""

    def find(_seed: int) -> Found:
        try:
            result = fault.searched
        except BudgetSpent as exhaustion:
            return Found("unknown", str(exhaustion))
        if result.trace is None:
            return Found("unsat", f"{result.states} states")
        steps = f"{len(result.trace)} steps: " + ", ".join(map(str, result.trace))
        if not fault.property:
            return Found("sat", steps)
        try:
            follow(view_of(fault, result.trace), result.trace, fault.property)
        except NotFollowed as error:
            return Found("sat", steps, f"the mutated model does not follow: {error}")
        return Found("sat", steps)

    return Control(fault.name, fault.says, find, "trace")
