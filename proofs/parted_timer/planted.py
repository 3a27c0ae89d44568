"""Faults in module PartedTimer, and the steps that they break in small runs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from proofs.parted_timer.invariant import Parts
from proofs.parted_timer.keys import Keys
from wheelproof.prove.invariant.planted import Fault
from wheelproof.prove.invariant.system import Invariant


def scenario(
    deadline: dict[str, int], part: int = 1, levels: int = 1, size: int = 2, **threads: str
) -> Any:
    """A scenario as plain data. Each entry has a task of its name in capitals.

    ``threads``: thread -> its steps, as a scenario file has them.
    """
    return {
        "wheel_size": size,
        "levels": levels,
        "part": part,
        "task_of": {entry: entry.upper() for entry in deadline},
        "deadline": deadline,
        "threads": {
            name: [step.split() for step in text.split("; ")] for name, text in threads.items()
        },
    }


SMALL = scenario(
    {"e": 1, "f": 2, "g": 3},
    levels=2,
    a="add e; add f; add g; cancel G; tick; tick; tick; wake; execute; close; execute",
    r="reap",
)
"""A run in which every label is taken."""
TWO = {"e": 1, "f": 1}
FIVE = dict.fromkeys(["e", "f", "g", "h", "i"], 1)
IN_PARTS = scenario(TWO, a="add e; add f; tick", r="reap")
CANCELS = scenario({"e": 1}, a="add e", b="cancel E")
REAPS_FIVE = scenario(FIVE, 3, a="add e; add f; add g; add h; add i; tick; reap")


def lacks(
    decision: str,
    says: str,
    system: type[Invariant],
    program: Mapping[str, Any],
    goal: str,
    property_: str,
) -> Fault:
    """The module without a decision."""
    return Fault(decision, says, system, decision, program, goal, property_)


DECISIONS = (
    lacks(
        "CounterStays",
        "an entry that leaves its bucket is not taken off the counter",
        Parts,
        IN_PARTS,
        "F4_to_W1: linked_are_counted",
        "CounterExact",
    ),
    lacks(
        "HandsOverAnyway",
        "an entry that went into a bucket is handed over as well",
        Parts,
        IN_PARTS,
        "W4_to_K1: one_hand_has_it",
        "FiredOnce",
    ),
    lacks(
        "LinksCancelled",
        "an entry goes into a bucket although its task was cancelled",
        Parts,
        CANCELS,
        "W1_to_W2: none_slips",
        "CancelWins",
    ),
    lacks(
        "TakesCancelled",
        "an entry is handed over although its task was cancelled",
        Parts,
        scenario({"e": 0}, a="add e", b="cancel E"),
        "K1_to_K2: none_slips",
        "CancelWins",
    ),
    lacks(
        "NotCounted",
        "moved entries are not counted",
        Parts,
        IN_PARTS,
        "F4_to_W1: moves_what_it_may",
        "PartBounded",
    ),
    lacks(
        "WaitsInGap",
        "several threads wait for the write lock",
        Parts,
        scenario(TWO, a="add e; tick", r="reap", s="reap"),
        "P1_to_P3: one_expires",
        "OpenGap",
    ),
    lacks(
        "LosesRest",
        "a bucket leaves the queue before it is empty",
        Parts,
        scenario(TWO, a="add e; add f; tick; tick; tick", r="reap"),
        "R4_to_R5: polled_is_queued",
        "LatenessBound",
    ),
    lacks(
        "TakesOut",
        "a thread takes the bucket out of the queue while it waits for it",
        Parts,
        scenario({"e": 1, "f": 2}, levels=2, a="add e; add f; tick; tick", r="reap", s="reap"),
        "R1_to_R10: polled_is_queued",
        "KeyNotPassed",
    ),
    lacks(
        "DropsBefore",
        "what comes before the empty bucket is dropped from the queue",
        Keys,
        scenario(
            {"e": 1, "far": 3, "near": 3, "later": 6},
            levels=2,
            size=3,
            a="add e; add far; tick; add near; add later; tick; tick; wake",
            r="reap",
        ),
        "R8_to_R8: keyed_is_queued_once",
        "QueuedOnceWithItsKey",
    ),
    lacks(
        "DueEarly",
        "an entry is due a tick before its deadline's slot",
        Keys,
        IN_PARTS,
        "W1_to_K1: due_when_handed_over",
        "NotEarly",
    ),
    lacks(
        "ResetsFirst",
        "the key of a bucket is reset before its first entry is moved",
        Keys,
        IN_PARTS,
        "V1_to_V2: token_is_held",
        "KeyNotPassed",
    ),
)
"""The decisions without which a property that is proved fails."""

BEYOND = (
    Fault(
        "moves_one_more",
        "a part of three entries or more moves one more",
        Parts,
        (
            (
                "left' = [left EXCEPT ![self] = Part + Levels * Growth(linked[self])]",
                "left' = [left EXCEPT ![self] = "
                "Part + Levels * Growth(linked[self]) + (IF Part > 2 THEN 1 ELSE 0)]",
            ),
        ),
        REAPS_FIVE,
        "R3_to_R4: moves_what_it_may",
        "PartBounded",
    ),
    Fault(
        "moves_the_fifth_twice",
        "a flush leaves an entry where it is if five are linked",
        Parts,
        (
            (
                "![polled[self]] = Without(content[polled[self]], head[self])]",
                "![polled[self]] = IF taskCounter > 4 THEN content[polled[self]] "
                "ELSE Without(content[polled[self]], head[self])]",
            ),
        ),
        REAPS_FIVE,
        "F4_to_W1: one_hand_has_it",
        "FiredOnce",
    ),
    Fault(
        "two_expire_five",
        "a second thread has its turn if five entries are linked",
        Parts,
        (
            (
                'pc[self] = "P1"\n            /\\ expiring = NULL\n',
                'pc[self] = "P1"\n            /\\ (expiring = NULL \\/ taskCounter > 4)\n',
            ),
        ),
        scenario(FIVE, a="add e; add f; add g; add h; add i; tick", r="reap", s="reap"),
        "P1_to_P3: one_expires",
        "OpenGap",
    ),
    Fault(
        "late_on_the_fourth_level",
        "the key of a bucket of the fourth level is a tick too late",
        Keys,
        (
            (
                "KeyFor(e, l) == Trim(Deadline[e], l)\n",
                "KeyFor(e, l) == Trim(Deadline[e], l) + (IF l > 3 THEN Tick(l) ELSE 0)\n",
            ),
        ),
        scenario({"e": 8}, levels=4, a="add e; tick" + 9 * "; tick"),
        "W3_to_W4: key_is_ahead",
        "LatenessBound",
    ),
)
"""Faults that no scenario of the mechanism has parts, entries or levels enough for."""

FAULTS = (*DECISIONS, *BEYOND)
