"""Faults planted in module TimerTaskList, and the steps that they break in small runs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import product
from typing import Any

import z3

from proofs.timer_task_list.runs import ONE, Reached, Rung, rung
from proofs.timer_task_list.simulation import Simulation
from wheelproof.prove.kernel import Found
from wheelproof.prove.module import runs
from wheelproof.prove.module.runs import compared
from wheelproof.prove.module.simulation import simple
from wheelproof.prove.module.systems import Generated
from wheelproof.prove.ts.concrete import Instance

NAME = "timer_task_list"


@dataclass(frozen=True)
class Planted:
    """A fault in the module's translation: a text and its replacement, and a scenario.

    ``property``: that of the compiled module which the fault breaks.
    """

    name: str
    says: str
    old: str
    new: str
    of: Rung
    goal: str
    property: str

    def find(self, _seed: int = 0) -> Found:
        """The first reached step that does not do as the theorem says."""
        exploration = Reached(self.of, self.old, self.new)
        return compared(
            broken_goal(exploration), self.goal, lambda: violated(exploration.model, self.property)
        )


def violated(model: Any, name: str, bound: int = 20_000) -> str:
    """ "" where a state of a model breaks a property; else that none does."""
    states, waiting = {model.initial()}, [model.initial()]
    for state in waiting:
        if not model.holds(name, state):
            return ""
        for _, _, after in model.successors(state):
            if after not in states and len(states) < bound:
                states.add(after)
                waiting.append(after)
    return f"no state of the module breaks {name}"


def broken_goal(
    exploration: runs.Reached, kind: Callable[[Generated], Simulation] = Simulation
) -> str | None:
    """A step within the reached states that breaks a goal: "way: goal"; None where none does."""
    module = exploration.system
    assert isinstance(module, Generated)
    simulation = kind(module)
    goals: dict[str, list[tuple[str, Any]]] = {}
    for state, move in exploration.edges():
        if move.action not in goals:
            goals[move.action] = [*goals_on(simulation, move.action, exploration.instance)]
        for name, holds in goals[move.action]:
            if not holds(state, *move.arguments):
                return f"{move.action}: {name}"
    return None


def goals_on(simulation: Any, name: str, instance: Instance) -> Iterator[tuple[str, Any]]:
    """The goals of a way as functions of a state and the way's arguments."""
    parameters = tuple(simulation.module.actions()[name].parameters)
    _, step = simulation.step(name)
    for goal_name, goal in simulation.goals(name):
        if step.defined:
            continue  # a comprehension is a new array, which the state has not
        free = [constant for constant in _constants(goal) if str(constant).startswith("any_")]
        renaming = [z3.Const(f"{constant}!", constant.sort()) for constant in free]
        term = z3.substitute(simple(goal), *zip(free, renaming, strict=True))
        code = instance.compiled.code(term, (*parameters, *map(str, free)))
        yield goal_name, _everywhere(instance, instance.function(code), free)


def _everywhere(instance: Instance, holds: Any, free: list[z3.ExprRef]) -> Any:
    places = [instance.places[constant.sort().name()] for constant in free]
    return lambda state, *arguments: all(
        holds(state, *arguments, *values) for values in product(*places)
    )


def _constants(term: z3.ExprRef) -> list[z3.ExprRef]:
    constants: dict[int, z3.ExprRef] = {}
    waiting, ids = [term], set()
    while waiting:
        here = waiting.pop()
        if here.get_id() in ids:
            continue
        ids.add(here.get_id())
        if z3.is_const(here) and here.decl().kind() == z3.Z3_OP_UNINTERPRETED:
            constants[here.get_id()] = here
        waiting += here.children()
    return sorted(constants.values(), key=str)


FOURTH = "next[next[next[al[self]]]]"
FAULTS = (
    Planted(
        "fourth_entry",
        "add takes the sentinel as the tail once the ring has three entries",
        "THEN /\\ tail' = [tail EXCEPT ![self] = prev[al[self]]]",
        "THEN /\\ tail' = [tail EXCEPT ![self] = "
        f"IF {FOURTH.removeprefix('next[').removesuffix(']')} # al[self] /\\ {FOURTH} # al[self] "
        "THEN al[self] ELSE prev[al[self]]]",
        rung(
            {"l1": "e1 e2 e3"},
            {"e1": "t1", "e2": "t1", "e3": "t1", "e4": "t1"},
            a="add l1 e4",
        ),
        "A3_to_A4: adder_has_the_tail",
        "ExactlyItsList",
    ),
    Planted(
        "last_stays",
        "unlink closes the ring behind the entry's own list alone",
        "/\\ next' = [next EXCEPT ![prev[ue[self]]] = next[ue[self]]]",
        "/\\ next' = [next EXCEPT ![prev[ue[self]]] = ul[self]]",
        rung({"l1": "e1 e2"}, {"e1": "t1", "e2": "t2"}, a="remove e1"),
        "U5_to_U6: head_is_the_first",
        "RingWellFormed",
    ),
    Planted(
        "any_list",
        "remove unlinks from whatever list has the entry",
        "/\\ IF list[ue[self]] # ul[self]\n",
        "/\\ IF FALSE\n",
        rung({"l1": "e1", "l2": ""}, ONE, a="add l2 e1", c="cancel t1"),
        "U3_to_U4: is_its_list: guard 3",
        "RingWellFormed",
    ),
)
"""Faults that the theorem rejects, by the way and the goal that fail first."""
