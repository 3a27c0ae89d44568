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
    ``threads``: thread -> its steps, as a scenario file has them. A thread that serves is a broker.
    """
    steps = {name: [word.split() for word in text.split("; ")] for name, text in threads.items()}
    brokers = [name for name, program in steps.items() if program[0] == ["serve"]]
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

    def values(self, model_state: Any) -> dict[str, Any]:
        values = super().values(model_state)
        strangers = [
            broker for broker in self.elements["Broker"] if broker not in self.model.threads
        ]
        initial = {"pc": LABEL.called["T0"], "turn": 1} | {
            f"ret_{name}": LABEL.called[ABSENT] for name in self.system.PROCEDURES.names
        }
        return values | {
            name: {**values[name], **dict.fromkeys(strangers, value)}
            for name, value in initial.items()
        }


def elements(program: Mapping[str, Any]) -> dict[str, Any]:
    """Names of threads and brokers, the names of none, and numbers."""
    names = dict.fromkeys((*program["threads"], *program["session"], UNREADABLE, NEVER))
    return {"Broker": tuple(names), "Int": range(NUMBERS)}


def rigid(program: Mapping[str, Any]) -> dict[str, Any]:
    """The thread that connects a broker, and the manner of its end."""
    steps = [
        (thread, step) for thread, operations in program["threads"].items() for step in operations
    ]
    return {
        "Connection": {step[1]: thread for thread, step in steps if step[0] == "connect"},
        "Manner": {step[1]: MANNER.called[step[2]] for _, step in steps if step[0] == "leave"},
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
