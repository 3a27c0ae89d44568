"""Module CoordinatorLoad as a subject: small runs of it, and terms that its conditions need."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import z3

from proofs.coordinator_load.events import about
from proofs.coordinator_load.invariant import Load
from proofs.coordinator_load.words import EPOCH, MATTER, NAME, THREAD, WORDS
from wheelproof.prove.invariant.subject import Subject

T = z3.Const("t!", THREAD.z3)
CONTEXT = z3.Const("any_Epoch_1", EPOCH.z3)


def scenario(end: int = 1, high: int = 0, **threads: str) -> dict[str, Any]:
    """A scenario as plain data. ``threads``: thread -> its steps, as a scenario file has them.

    ``end``: that of the log. ``high``: the high watermark at the start.
    """
    program = {
        name: [
            [int(word) if word.isdigit() else word for word in step.split()]
            for step in text.split("; ")
        ]
        for name, text in threads.items()
    }
    return {"end": end, "seen": high, "threads": program}


def operations(program: Mapping[str, Any]) -> list[tuple[str, int, list[Any]]]:
    """Thread, place and words of each operation."""
    return [
        (thread, place, [*step])
        for thread, steps in program["threads"].items()
        for place, step in enumerate(steps, 1)
    ]


def rigid(program: Mapping[str, Any]) -> dict[str, Any]:
    """The operation of each context's leadership, and the thread that fetches."""
    leads = {
        step[1]: (thread, place) for thread, place, step in operations(program) if step[0] == "lead"
    }
    fetchers = [thread for thread, _, step in operations(program) if step[0] == "fetch"]
    return {
        "Leader": {epoch: thread for epoch, (thread, _) in leads.items()},
        "Led": {epoch: place for epoch, (_, place) in leads.items()},
        "Follower": [*fetchers, *program["threads"]][0],
    }


def sizes(program: Mapping[str, Any]) -> dict[str, Any]:
    """The epochs up to the newest one, the matters of events, and some numbers."""
    steps = [step for _, _, step in operations(program)]
    newest = max([step[1] for step in steps if step[0] in ("lead", "follow", "resign")], default=0)
    epochs = (*range(1, newest + 1),)
    writes = [step[1] for step in steps if step[0] == "write"]
    return {
        EPOCH.name: epochs,
        MATTER.name: (*epochs, *writes),
        "Int": range(max(newest, len(steps)) + 3),
    }


def hints(load: Load, name: str) -> list[z3.ExprRef]:
    """The terms that a way reads beside its own: the places of events, an operation, threads."""
    s, label = load.symbols(), name.partition("_")[0]
    place, second = z3.Ints("any_Int_1 any_Int_2")
    first, last = z3.IntVal(1), s.waiting_length + 1
    waiting = [
        getattr(s, ghost)[CONTEXT] - s.handled - shift
        for ghost in ("begins_at", "ends_at", "rises_at")
        for shift in (0, 1)
    ]
    newest = s.Int_as_Epoch[s.Newest]
    table: dict[str, list[z3.ExprRef]] = {
        "T0": [s.turn[T] - 1, s.Led[CONTEXT], s.Leader[CONTEXT]],
        "Q2": [last, *waiting, about(s, s.item_2[T]), s.Follower],
        "R1": [s.gate],
        "R3": [first, place + 1, *waiting, newest, about(s, s.waiting_item_2[first])],
        "S2": [s.loads_length + 1],
        "M2": [first, place + 1, second + 1, s.loads_item[first]],
        "F3": [s.rises_at[s.hearer[T]] - s.handled],
        "F1": [s.Follower],
        "NewestLoadWins": [newest, s.Leader[newest], s.loader[s.current], s.gate],
        "HighWatermarkSeen": [s.Follower, s.listener, s.gate],
    }
    if label[:1] in tuple("ABCHR"):
        table.setdefault(label, []).append(about(s, s.event_2[T]))
    return [s.handler, s.current, *table.get(label, ())]


SUBJECT = Subject(
    NAME,
    WORDS,
    {Load: "Spec.CoordinatorLoad"},
    ("fails", "writes_at_the_end", scenario(2, a="lead 1; load", f="fetch; fetch")),
    {
        **{name: {} for name in ("begins_at", "ends_at", "rises_at", "submitted", "loader")},
        "handled": 0,
        "handler": None,
    },
    rigid=rigid,
    sizes=sizes,
    hints=hints,
    near={
        "": ("calls_return", "one_handles"),
        "ServesWhatIsLoaded": ("contexts_are_contexts", "a_load_that_succeeds_counts"),
        "NewestLoadWins": (
            "operations_are_of_the_program",
            *("newest_is_there", "begins_once", "waits_at_its_place", "no_event_is_left"),
            *("a_load_that_succeeds_counts", "states_are_of_their_labels", "contexts_are_contexts"),
        ),
        "NothingUncommitted": ("nothing_uncommitted",),
        "HighWatermarkSeen": (
            *("high_watermark_is_seen", "listens_while_it_loads", "rises_once"),
            *("waits_at_its_place", "no_event_is_left", "contexts_are_contexts"),
        ),
    },
    properties=("ServesWhatIsLoaded", "NewestLoadWins", "NothingUncommitted", "HighWatermarkSeen"),
)
