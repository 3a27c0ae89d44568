"""Faults of the refinement, and small runs in which a step is then no atomic step.

`Atomized` maps reached states to those of the atomic module and looks for a step between them, of
any of its actions. That says in plain Python the same as the conditions say in formulas.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import z3

from proofs.timer_task_list.atomic_links import Held
from proofs.timer_task_list.atomic_simulation import PROMISES, Refinement, chosen
from proofs.timer_task_list.atomic_words import NAME
from proofs.timer_task_list.atomic_words import system as atomic
from proofs.timer_task_list.planted import broken_goal
from proofs.timer_task_list.runs import SMALL, Reached, Rung
from wheelproof.prove import variants
from wheelproof.prove.kernel import Found
from wheelproof.prove.module.machines import Machine
from wheelproof.prove.module.runs import compared
from wheelproof.prove.module.states import Placed
from wheelproof.prove.module.systems import Generated
from wheelproof.prove.ts.concrete import State
from wheelproof.prove.ts.search import compiled


class EarlyLink(Refinement):
    """An add takes effect a step too early, when its entry names the list."""

    LINKED = ("A7", "A8", "A9")


class Atomized:
    """The reached states of a scenario, as those of the atomic module."""

    def __init__(self, exploration: Reached, refinement: Refinement) -> None:
        constants = variants.mechanisms()[NAME].constants_of(exploration.program)
        promises = {name: z3.is_true(value) for name, value in refinement.promises.items()}
        self.placed = Placed(
            compiled(type(refinement.machine)), exploration.model, {**constants, **promises}
        )
        self.reached, self.instance = exploration, self.placed.instance
        self._cells = {name: self.cells(value) for name, value in vars(refinement.now).items()}

    def cells(self, value: z3.ExprRef) -> tuple[list[Any], Any]:
        """A mapped variable at arbitrary places: their sorts, then the value as a function."""
        places: list[z3.ExprRef] = []
        while isinstance(sort := value.sort(), z3.ArraySortRef):
            places.append(z3.Const(f"place_{len(places)}!", sort.domain()))
            value = chosen(value, places[-1])
        names = tuple(f"place_{number}" for number in range(len(places)))
        instance = self.reached.instance
        of_places = [instance.places[place.sort().name()] for place in places]
        return of_places, instance.function(instance.compiled.code(value, names))

    def state(self, state: State) -> State:
        """The state of the atomic module that a state is mapped to."""

        def nest(places: list[Any], value: Any, *at: int) -> Any:
            if not places:
                return value(state, *at)
            return tuple([nest(places[1:], value, *at, index) for index in places[0]])

        return tuple([nest(*self._cells[name]) for name in self.instance.compiled.variables])

    def start(self, program: Mapping[str, Any]) -> State:
        """The state that the atomic module starts in, as its Init says."""
        task_of = program["task_of"]
        threads = self.instance.elements["Thread"]
        return self.instance.state(
            {
                "members": {l: dict.fromkeys(ring, True) for l, ring in program["ring"].items()},
                "mover": {},
                "timerTaskEntry": {task_of[entry]: entry for entry in program["current"]},
                "taskOwner": {},
                "turn": dict.fromkeys(threads, 1),
                "phase": dict.fromkeys(threads, "idle"),
                "picked": {},
            }
        )

    def strange(self) -> Iterator[str]:
        """The steps that are neither an atomic step of their thread nor none, by their ways."""
        for state, move in self.reached.edges():
            before, after = self.state(state), self.state(move.after)
            if before == after:
                continue
            moves = self.instance.moves(before, thread=move.arguments[0])
            if all(step.after != after for step in moves):
                yield move.action


@dataclass(frozen=True)
class Planted:
    """A fault, and the way and goal that it breaks first in a scenario.

    ``old``, ``new``: texts of module TimerTaskList. ``of``: the mapping. ``atomic``: texts of the
    atomic module. ``promises``: the steps that it allows.
    """

    name: str
    says: str
    rung: Rung
    goal: str
    old: str = ""
    new: str = ""
    of: type[Refinement] = Refinement
    atomic: tuple[str, str] = ("", "")
    promises: tuple[tuple[str, bool], ...] = ()

    def constants(self) -> dict[str, z3.BoolRef]:
        return PROMISES | {name: z3.BoolVal(value) for name, value in self.promises}

    def machine(self) -> type[Machine]:
        return atomic(*self.atomic)

    def find(self, _seed: int = 0) -> Found:
        """The first reached step that does not do as the theorem says."""
        run = Reached(self.rung, self.old, self.new, base=Held)
        refinement = partial(self.of, machine=self.machine()(), promises=self.constants())

        def contradiction() -> str:
            way = self.goal.partition(": ")[0]
            assert isinstance(run.system, Generated)
            strange = Atomized(run, refinement(run.system)).strange()
            return "" if way in strange else f"{way} is always an atomic step"

        return compared(broken_goal(run, refinement), self.goal, contradiction)


_REST = (
    " " * 28
    + "slipped, owed, ul, ue, al, ae, done, tail, kl, ke, \n"
    + " " * 28
    + "fl, fd, head, st, se, ct, turn >>\n"
)
FAULTS = (
    Planted(
        "early_link",
        "the mapping has an add take effect at A6, where the entry names its list",
        SMALL[1],
        "A6_to_A7: stutter: phase",
        of=EarlyLink,
    ),
    Planted(
        "leaves_last",
        "flush returns with one entry left in its list",
        SMALL[2],
        "F2_to_F4: FlushReturns: guard 3",
        "/\\ IF next[fl[self]] # fl[self]\n",
        "/\\ IF next[fl[self]] # fl[self] /\\ next[next[fl[self]]] # fl[self]\n",
    ),
    Planted(
        "forgets_first",
        "cancel clears the task's pointer before it has removed the entry",
        SMALL[2],
        "C2_to_R1: Read: timerTaskEntry",
        f"taskMonitor, timerTaskEntry, taskCounter, revoked, \n{_REST}\nC3(",
        f"taskMonitor, taskCounter, revoked, \n{_REST}"
        "            /\\ timerTaskEntry' = [timerTaskEntry EXCEPT ![ct[self]] = NULL]\n\nC3(",
    ),
    Planted(
        "ends_in_remove",
        "the atomic module ends a cancel with its remove, and leaves the task's pointer",
        SMALL[2],
        "R1_to_back: RemoveReturns: phase",
        atomic=("/\\ Goto(t, AfterRemove(t))", '/\\ Goto(t, "idle")'),
    ),
    Planted(
        "no_miss",
        "the atomic module allows no remove to miss an entry that is held",
        SMALL[2],
        "R1_to_back: RemoveReturns: guard 3",
        promises=(("MissAllowed", False),),
    ),
    Planted(
        "one_effect",
        "the atomic module ends a remove with its first unlink",
        SMALL[0],
        "U5_to_U6: RemoveUnlinks: phase",
        promises=(("OneEffect", True),),
    ),
)
"""Faults that the theorem rejects, by the way and the goal that fail first."""
