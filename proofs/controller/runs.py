"""Small runs of module Controller."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from proofs.controller.words import LABEL, MANNER, NEVER, UNREADABLE
from wheelproof.prove.module.actions import ABSENT
from wheelproof.prove.module.states import Placed

NUMBERS = 8
"""Epochs and places of programs are below it."""


def scenario(first: str = "none", early: str = "", **threads: str) -> dict[str, Any]:
    """A scenario as plain data.

    ``first``: a broker, "none" or "never". ``early``: the brokers with the elector up to 2.0.
    ``threads``: thread -> its steps, as a scenario file has them. Who serves is a broker.
    """
    steps = {name: [word.split() for word in of.split("; ")] for name, of in threads.items()}
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
        values = super().values(frozen)
        others = [each for each in self.elements["Broker"] if each not in self.model.threads]
        begun = {"pc": LABEL.called["T0"], "turn": 1} | {
            f"ret_{name}": LABEL.called[ABSENT] for name in self.system.PROCEDURES.names
        }
        return values | {
            name: {**values[name], **dict.fromkeys(others, value)} for name, value in begun.items()
        }


def elements(program: Mapping[str, Any]) -> dict[str, Any]:
    """Names of threads and brokers, what names none, and numbers."""
    names = dict.fromkeys((*program["threads"], *program["session"], UNREADABLE, NEVER))
    return {"Broker": tuple(names), "Int": range(NUMBERS)}


def rigid(program: Mapping[str, Any]) -> dict[str, Any]:
    """Who connects a broker, and how it ends."""
    steps = [(thread, each) for thread, own in program["threads"].items() for each in own]
    return {
        "Connection": {each[1]: thread for thread, each in steps if each[0] == "connect"},
        "Manner": {each[1]: MANNER.called[each[2]] for _, each in steps if each[0] == "leave"},
    }


def winner(program: Mapping[str, Any]) -> dict[int, str]:
    """The winner of each epoch, at the start."""
    return {} if program["first"] == "none" else {1: program["first"]}


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
