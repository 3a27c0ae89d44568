"""Faults in module TimingWheel, and the steps that they break in small runs."""

from __future__ import annotations

from typing import Any

from proofs.timing_wheel.clock import Clock
from proofs.timing_wheel.invariant import Wheel
from wheelproof.prove.invariant.planted import Fault
from wheelproof.prove.variants import Changes


def scenario(deadline: int, entries: int, *more: str) -> dict[str, Any]:
    """One thread that adds some entries, all due at one time, and its operations behind them."""
    names = [f"e{number}" for number in range(1, entries + 1)]
    return {
        "wheel_size": 2,
        "levels": 1,
        "start": 0,
        "deadline": dict.fromkeys(names, deadline),
        "threads": {"one": [*[["add", name] for name in names], *[[word] for word in more]]},
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
ONE_LEVEL = {"wheel_size": 3, "levels": 1, "start": 0}
TWO_LEVELS = {"wheel_size": 2, "levels": 2, "start": 0}
A_TURN = {"wheel_size": 3, "levels": 2, "start": 2}
ADDS: dict[str, Any] = {"adder": [["add", "near"], ["add", "far"]], "reaper": [["expire"]]}


def of_clock(
    name: str, says: str, changes: Changes | str, program: Any, goal: str, property_: str
) -> Fault:
    return Fault(name, says, Clock, changes, program, goal, property_)


OF_CLOCK = (
    of_clock(
        "M13",
        "entries are added while the clock advances",
        "M13",
        {**A_TURN, "deadline": {"near": 3, "far": 5}, "threads": ADDS},
        "L1_to_W1: readers_add",
        "NotCurrentSlot",
    ),
    of_clock(
        "M17_late",
        "what is due within the clock's own tick is put into that tick's slot",
        "M17_late",
        {**ONE_LEVEL, "deadline": {"near": 0, "far": 1}, "threads": ADDS},
        "W1_to_W2: level_takes_its_entry",
        "NotCurrentSlot",
    ),
    of_clock(
        "M17_turn",
        "a level takes what is due one whole turn from now",
        "M17_turn",
        {**TWO_LEVELS, "deadline": {"near": 2, "far": 3}, "threads": ADDS},
        "W1_to_W2: level_takes_its_entry",
        "KeyWindow",
    ),
    of_clock(
        "M18",
        "a level takes the time as it is given",
        "M18",
        {**A_TURN, "deadline": {"near": 4, "far": 8}, "threads": ADDS},
        "V4_to_V5: clocks_are_whole_ticks",
        "clocks_are_whole_ticks",
    ),
    of_clock(
        "WrongSlot",
        "the slot is counted in milliseconds on every level",
        "WrongSlot",
        {**TWO_LEVELS, "deadline": {"near": 2, "far": 3}, "threads": ADDS},
        "W1_to_W2: level_takes_its_entry",
        "SlotInRange",
    ),
    of_clock(
        "early_behind_five",
        "an entry is due a moment early if five are linked",
        (
            (
                "\nExpired(e, l) == Deadline[e] < current[l] + Tick(l)\n",
                "\nExpired(e, l) == Deadline[e] < current[l] + Tick(l) + (taskCounter \\div 5)\n",
            ),
        ),
        scenario(1, 6),
        "W1_to_K2: due_when_handed_over",
        "NotEarly",
    ),
)
"""Faults that the theorem about clocks refuses."""

FAULTS = (
    *OF_CLOCK,
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
