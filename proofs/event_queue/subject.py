"""Module EventQueue as a subject: small runs of it, and terms that its conditions need."""

from __future__ import annotations

from typing import Any

import z3

from proofs.event_queue.invariant import Queue
from proofs.event_queue.words import NAME, THREAD, WORDS
from wheelproof.prove.invariant.subject import Subject

T = z3.Const("t!", THREAD.z3)
ANY = z3.Const("any_Hand_1", THREAD.z3)


def scenario(
    waiting: str = "", clear: str = "drain", does: dict[str, str] | None = None, **threads: str
) -> dict[str, Any]:
    """A scenario as plain data. ``threads``: thread -> its steps, as a scenario file has them.

    ``waiting``: the events that wait at the start. ``does``: event -> the operations of its
    handler, of each event; beside it ``w`` works.
    """
    steps = {name: [word.split() for word in text.split("; ")] for name, text in threads.items()}
    handlers = {name: text.split() for name, text in (does or {}).items()}
    return {
        "waiting": waiting.split(),
        "clear": clear,
        "does": handlers,
        "threads": {**steps, "w": [["work"]]},
    }


def hints(queue: Queue, _name: str) -> list[z3.ExprRef]:
    """The operation that a thread is in, the places behind the last ones, the next ones."""
    s = queue.symbols()
    place, second = z3.Ints("any_Int_1 any_Int_2")
    return [
        s.turn[T] - 1,
        s.turn[ANY] - 1,
        s.log_length + 1,
        s.queue_length + 1,
        place + 1,
        second + 1,
        z3.IntVal(1),
        s.at[T],
        s.place[T],
    ]


SUBJECT = Subject(
    NAME,
    WORDS,
    {Queue: "Spec.EventQueue"},
    (
        scenario(does={"a": "request", "b": "put c", "c": ""}, p="put a; put b"),
        scenario(does={"x": "raise"}, q="expire x", r="close"),
        scenario("a", "look", {"a": "", "x": ""}, q="expire x; close"),
    ),
    properties=("EventHandledOnce", "ExpireFirst", "CloseWaits"),
    hints=hints,
    sizes=lambda program: {"Int": range(4 + len(program["does"]) + len(program["threads"]))},
)
