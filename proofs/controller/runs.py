"""Small runs of module Controller: the systems that are generated of it, and reached states."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from proofs.controller.elected import Elected
from proofs.controller.epochs import Epochs
from proofs.controller.words import LABEL, MANNER, NAME, NEVER, UNREADABLE, WORDS
from wheelproof.prove import variants
from wheelproof.prove.invariant.runs import START, Reached
from wheelproof.prove.module import systems
from wheelproof.prove.module.actions import ABSENT
from wheelproof.prove.module.states import Placed
from wheelproof.prove.ts.concrete import Compiled, State
from wheelproof.prove.variants import Changes
from wheelproof.tla.model import Compiled as Specification

NUMBERS = 8
"""Epochs and places of programs are below it."""


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
    return variants.specification(NAME, changes)


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
    constants = variants.mechanisms()[NAME].constants_of(program)
    threads = tuple(program["threads"])
    model = specification(changes).model(constants, threads)
    steps = [(thread, each) for thread, own in program["threads"].items() for each in own]
    rigid = {
        "Connection": {each[1]: thread for thread, each in steps if each[0] == "connect"},
        "Manner": {each[1]: MANNER.called[each[2]] for _, each in steps if each[0] == "leave"},
    }
    rigid = {name: value for name, value in rigid.items() if name in of.RIGID}
    return Here(compiled(of, changes), model, constants, elements(program, constants), **rigid)


def reached(
    program: Mapping[str, Any], of: Any = Elected, changes: Changes = (), bound: int = 20_000
) -> Reached:
    """The states of the compiled module in one scenario, with the ghosts."""
    here = placed(program, of, changes)
    winner = {} if program["first"] == "none" else {1: program["first"]}
    ghosts = [name for name in of.VARIABLES if name in here.system.VARIABLES]
    return Reached(here, dict.fromkeys(ghosts, winner), bound)


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
        run = reached(program, of)
        found.setdefault(START, (run, run.start))
        for edge in run.edges():
            found.setdefault(edge.label, (run, edge.before))
    return found
