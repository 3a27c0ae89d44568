"""Module ShareFetch as a subject: small runs of it, and terms that its conditions need."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import z3

from proofs.share_fetch.fetches import GHOSTS
from proofs.share_fetch.wakes import Wakes
from proofs.share_fetch.words import NAME, THREAD, WORDS
from wheelproof.prove.invariant.subject import Subject
from wheelproof.prove.module.closing import Closed

T = z3.Const("t!", THREAD.z3)


class Here(Closed):
    """The module at a scenario's size."""

    PLACES = {"seat": "cache", "spare": "cache"}


def scenario(*batches: tuple[int, int], **threads: str) -> dict[str, Any]:
    """A scenario as plain data. ``threads``: thread -> its steps, as a scenario file has them.

    ``batches``: the first and the last offset of each.
    """
    program = {
        name: [
            [int(word) if word.isdigit() else word for word in step.split()]
            for step in text.split("; ")
        ]
        for name, text in threads.items()
    }
    return {"batches": [[*offsets] for offsets in batches], "threads": program}


def operations(program: Mapping[str, Any]) -> list[tuple[str, int, list[Any]]]:
    """Thread, place and words of each operation."""
    return [
        (thread, place, [*step])
        for thread, steps in program["threads"].items()
        for place, step in enumerate(steps, 1)
    ]


def rigid(program: Mapping[str, Any]) -> dict[str, Any]:
    """The operations by which fetches come and are acknowledged, and the thread that appends."""
    steps, some = operations(program), next(iter(program["threads"]))
    fetches = {step[1]: (thread, place) for thread, place, step in steps if step[0] == "fetch"}
    acks = {
        step[1]: (thread, place)
        for thread, place, step in steps
        if step[0] in ("release", "accept")
    }
    return {
        "Fetcher": {fetch: thread for fetch, (thread, _) in fetches.items()},
        "Fetched": {fetch: place for fetch, (_, place) in fetches.items()},
        "Acker": {fetch: acks.get(fetch, (some, 0))[0] for fetch in fetches},
        "Acked": {fetch: acks.get(fetch, (some, 0))[1] for fetch in fetches},
        "Log": [*[thread for thread, _, step in steps if step[0] == "append"], some][0],
    }


def hints(wakes: Wakes, name: str) -> list[z3.ExprRef]:
    """The terms that a way reads beside its own: an operation, the batch that was seen."""
    s = wakes.symbols()
    table: dict[str, list[z3.ExprRef]] = {
        "T0": [s.turn[T], s.Log],
        "G2": [s.spare],
        "FetchLockFree": [s.held[s.fetching]],
        "NoLostWakeUp": [s.waker, s.blind, s.held[s.blind], s.Fetcher[s.blind]],
    }
    return table.get(name.partition("_")[0], [])


ABOUT_CHECKS = (
    *("given 1", "given 6", "operations_are_of_the_program", "one_fetches", "fresh_fetches"),
    *("waits_as_it_has_come", "fetches_have_their_places", "completes_what_it_won"),
    "the_last_is_blind",
)
"""The premises of conjuncts about checks."""

SUBJECT = Subject(
    NAME,
    WORDS,
    {Wakes: "Spec.ShareFetch"},
    (
        *("ends", "releases", "accepts", "fails", "trims"),
        scenario(a="fetch a; expire a", b="fetch b"),
    ),
    {**{name: {} for name in GHOSTS}, "spare": 0, "waker": None, "blind": None},
    rigid=rigid,
    hints=hints,
    near={
        "": (
            *("calls_return", "one_holds_the_partition", "one_holds_a_fetch"),
            "tries_what_it_holds",
        ),
        "each_is_seen_to": ABOUT_CHECKS,
    },
    placing=Here,
    properties=(
        *("OneMember", "MembersHold", "LockedAsAcquired", "OneFetches", "FetchLockFree"),
        *("FreedInTime", "AnsweredOnce", "NoLostWakeUp"),
    ),
)
