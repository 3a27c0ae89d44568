"""Faults in module TimingWheel, and the steps that they break in small runs."""

from __future__ import annotations

from typing import Any

from proofs.timing_wheel.invariant import Wheel
from wheelproof.prove.invariant.planted import Fault
from wheelproof.prove.variants import Changes


def scenario(deadline: int, entries: int, *more: str) -> dict[str, Any]:
    """One thread that adds some entries, all due at one time, and what it does then."""
    names = [f"e{number}" for number in range(1, entries + 1)]
    return {
        "wheel_size": 2,
        "levels": 1,
        "start": 0,
        "deadline": dict.fromkeys(names, deadline),
        "threads": {"one": [*[["add", each] for each in names], *[[each] for each in more]]},
    }


def planted(name: str, says: str, changes: Changes, program: Any, goal: str) -> Fault:
    """A fault that no scenario of the mechanism shows."""
    return Fault(name, says, Wheel, changes, program, goal, "FiredOnce")


SAYS_NO: dict[str, Any] = {
    "wheel_size": 2,
    "levels": 1,
    "start": 0,
    "deadline": {"first": 1, "second": 1},
    "threads": {"a": [["add", "first"]], "b": [["add", "second"]], "w": [["withdraw"]]},
}
FAULTS = (
    Fault(
        "SaysNo",
        "put says that an entry is not taken, although it is linked",
        Wheel,
        "SaysNo",
        SAYS_NO,
        "W4_to_K2: one_hand_has_it",
        "FiredOnce",
    ),
    planted(
        "keeps_the_fifth",
        "a flush leaves an entry where it is if five are linked",
        (
            (
                "![fb[self]] = Tail(content[fb[self]])]",
                "![fb[self]] = IF taskCounter > 4 THEN content[fb[self]] "
                "ELSE Tail(content[fb[self]])]",
            ),
        ),
        scenario(1, 5, "withdraw"),
        "F2_to_K2: one_hand_has_it",
    ),
    planted(
        "links_the_fifth_twice",
        "a fifth entry is linked twice",
        (
            (
                "![bucket[self]] = Append(content[bucket[self]], ke[self])]",
                "![bucket[self]] = IF taskCounter > 3 "
                "THEN Append(Append(content[bucket[self]], ke[self]), ke[self]) "
                "ELSE Append(content[bucket[self]], ke[self])]",
            ),
        ),
        scenario(1, 5, "withdraw"),
        "A1_to_A11: one_bucket_has_it",
    ),
    planted(
        "hands_over_twice",
        "a thread hands over twice from its sixth operation on",
        (
            (
                "handed' = Append(handed, he[self])",
                "handed' = IF turn[self] > 6 THEN Append(Append(handed, he[self]), he[self]) "
                "ELSE Append(handed, he[self])",
            ),
        ),
        scenario(0, 6),
        "K2_to_back: fired_once",
    ),
)
"""The mutant whose property is proved, and faults that need more entries than a scenario has."""
