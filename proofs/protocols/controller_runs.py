"""Small runs of module Controller: the systems that are generated of it, and reached states."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, NamedTuple

from proofs.generated import systems
from proofs.generated.actions import ABSENT
from proofs.generated.states import Placed
from proofs.protocols import mutated
from proofs.protocols.controller_elected import Elected
from proofs.protocols.controller_epochs import Epochs
from proofs.protocols.controller_words import LABEL, MANNER, NAME, NEVER, UNREADABLE, WORDS
from proofs.protocols.mutated import Changes
from proofs.protocols.witness import Witnesses
from proofs.ts_concrete import Compiled, Move, State
from wheelproof.tla.model import Compiled as Specification

NUMBERS = 8
"""Epochs and places of programs are below it."""


START = "start"


class Edge(NamedTuple):
    """A step of the compiled module. ``frozen``: its state after it."""

    label: str
    before: State
    move: Move
    frozen: Any


class StepsDiffer(Exception):
    """A step of the compiled module that the terms lack. The message names it."""


@cache
def system(of: type = Elected, changes: Changes = ()) -> type[Epochs]:
    """The module's system, or that of the module with texts of its translation replaced.

    ``of``: its ghosts and conjuncts. Raises ValueError where a text is not there exactly once.
    """
    made = systems.made("ControllerModule", specification(changes).module, WORDS, of)
    assert issubclass(made, Epochs)
    return made


def specification(changes: Changes = ()) -> Specification:
    """The module, compiled."""
    return mutated.specification(NAME, changes)


@cache
def compiled(of: type = Elected, changes: Changes = ()) -> Compiled:
    return Compiled(system(of, changes)())


def scenario(first: str = "none", early: str = "", **threads: str) -> dict[str, Any]:
    """A scenario as plain data.

    ``first``: a broker, "none" or "never". ``early``: the brokers with the elector up to 2.0.
    ``threads``: thread -> its steps, as a scenario file has them. Who serves is a broker.
    """
    steps = {name: [each.split() for each in of.split("; ")] for name, of in threads.items()}
    brokers = [name for name, of in steps.items() if of[0] == ["serve"]]
    return {
        "first": first,
        "session": {name: number for number, name in enumerate(brokers, 1)},
        "elector": {
            name: "EarlyElector" if name in early.split() else "Elector" for name in brokers
        },
        "threads": steps,
    }


class Here(Placed):
    """The system at a scenario's size. A name that is no thread's is where threads begin."""

    def values(self, frozen: Any) -> dict[str, Any]:
        found = super().values(frozen)
        others = [each for each in self.elements["Broker"] if each not in self.model.threads]
        begun = {"pc": LABEL.called["T0"], "turn": 1} | {
            f"ret_{name}": LABEL.called[ABSENT] for name in self.system.PROCEDURES.names
        }
        return found | {
            name: {**found[name], **dict.fromkeys(others, value)} for name, value in begun.items()
        }


def elements(program: Mapping[str, Any], constants: Mapping[str, Any]) -> dict[str, Any]:
    """Names of threads and brokers, what names none, and numbers."""
    names = dict.fromkeys((*program["threads"], *constants["Session"], UNREADABLE, NEVER))
    return {"Broker": tuple(names), "Int": range(NUMBERS)}


def placed(program: Mapping[str, Any], of: Any = Elected, changes: Changes = ()) -> Here:
    """The system at a scenario's size."""
    constants = mutated.mechanisms()[NAME].constants_of(program)
    threads = tuple(program["threads"])
    model = specification(changes).model(constants, threads)
    steps = [(thread, each) for thread, own in program["threads"].items() for each in own]
    rigid = {
        "Connection": {each[1]: thread for thread, each in steps if each[0] == "connect"},
        "Manner": {each[1]: MANNER.called[each[2]] for _, each in steps if each[0] == "leave"},
    }
    rigid = {name: value for name, value in rigid.items() if name in of.RIGID}
    return Here(compiled(of, changes), model, constants, elements(program, constants), **rigid)


class Reached(Witnesses):
    """The states of the compiled module in one scenario, breadth first, with the ghosts."""

    def __init__(
        self,
        program: Mapping[str, Any],
        of: Any = Elected,
        changes: Changes = (),
        bound: int = 20_000,
    ) -> None:
        self.placed = here = placed(program, of, changes)
        self.model, self.system, self.instance = here.model, here.system, here.instance
        self.ghosts = [name for name in of.VARIABLES if name in self.system.VARIABLES]
        winner = {} if program["first"] == "none" else {1: program["first"]}
        values = here.values(self.model.initial())
        self.start = self.instance.state(values | dict.fromkeys(self.ghosts, winner))
        self.bound = bound
        self.taken = {}

    def own(self, state: State) -> State:
        """A state without its ghosts."""
        return tuple(
            value
            for name, value in zip(self.system.VARIABLES, state, strict=True)
            if name not in self.ghosts
        )

    def edges(self) -> Iterator[Edge]:
        """Every state with every step of the module from it, as a step of the terms.

        StepsDiffer: the terms lack one.
        """
        begun = (self.model.initial(), self.start)
        seen, waiting = {begun}, [begun]
        for frozen, state in waiting:
            for thread, label, after in self.model.successors(frozen):
                move = self.move(state, thread, label, after)
                yield Edge(label, state, move, after)
                if (after, move.after) not in seen and len(seen) < self.bound:
                    seen.add((after, move.after))
                    waiting.append((after, move.after))

    def move(self, state: State, thread: int, label: str, after: Any) -> Move:
        """A step of the compiled module as one of the terms. StepsDiffer: it is none."""
        blank: dict[str, Any] = {name: {} for name in self.ghosts}
        to = self.own(self.instance.state(self.placed.values(after) | blank))
        for move in self.instance.moves(state, self.placed.system.LABELS[label], thread):
            if self.own(move.after) == to:
                return move
        raise StepsDiffer(f"{label} of thread {thread} is no step of the terms")


SMALL = (
    scenario(b="serve", z="overwrite ?; remove; rest"),
    scenario(b="serve", z="notify b work; lag b; hear b; shrink; visit; rest"),
    scenario("b", b="serve", c="connect b", z="expire b; rest"),
    scenario("b", b="serve", z="lose b after; notify b work; notify b move; shrink; rest"),
    scenario("b", b="serve", z="lose b before; notify b move; rest"),
    scenario(b="serve", z="lose b after; rest"),
    scenario("never", b="serve", z="lose b after; rest"),
    scenario("b", b="serve", z="leave b gracefully; rest"),
)
"""Scenarios in which every label is taken but for those of the elector up to 2.0."""
EARLY = (
    scenario(early="b", b="serve", z="lose b after; notify b work; shrink; rest"),
    scenario("b", early="b", b="serve", z="lose b before; notify b move; notify b work; rest"),
    scenario(early="b", b="serve", z="remove; visit; rest"),
    scenario("b", early="b", b="serve", z="lose b after; notify b work; shrink; rest"),
)
"""Those in which its labels are taken."""


@cache
def witnesses(of: type = Elected) -> dict[str, tuple[Reached, State]]:
    """For each label a scenario, and in it a state, in which it is taken; and a start."""
    found: dict[str, tuple[Reached, State]] = {}
    for program in (*SMALL, *(EARLY if of is Epochs else ())):
        reached = Reached(program, of)
        found.setdefault(START, (reached, reached.start))
        for edge in reached.edges():
            found.setdefault(edge.label, (reached, edge.before))
    return found
