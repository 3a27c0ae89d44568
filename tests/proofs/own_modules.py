"""The modules whose invariants are proved of themselves, and what their tests need to know."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from types import ModuleType
from typing import Any

from wheelproof.prove.invariant.planted import Fault
from wheelproof.prove.invariant.subject import Subject
from wheelproof.prove.variants import mechanisms


@dataclass(frozen=True)
class Module:
    """A mechanism's proof. ``properties``: a property of the module -> its conjuncts.

    ``example``: a decision, and the way that breaks a conjunct without it.

    ``refused``: scenarios that are assumed away, with the property that the module breaks in them.
    ``larger``: scenarios whose graphs are compared with the terms too. ``untaken``: ways that no
    scenario takes. ``left_out``: properties that are not proved, and the mutants about these.
    """

    name: str
    properties: dict[str, set[str]]
    example: tuple[str, str]
    refused: tuple[tuple[dict[str, Any], str], ...] = ()
    larger: tuple[dict[str, Any], ...] = ()
    untaken: frozenset[str] = frozenset()
    left_out: frozenset[str] = frozenset()
    mutants_left_out: frozenset[str] = frozenset()

    @property
    def module(self) -> ModuleType:
        return import_module(f"proofs.{self.name}.module")

    @property
    def subject(self) -> Subject:
        return self.module.SUBJECT

    @property
    def faults(self) -> tuple[Fault, ...]:
        return self.module.FAULTS


def of_executor(does: str, **threads: str) -> dict[str, Any]:
    return import_module("proofs.task_executor.planted").scenario(does, **threads)


def of_reaper(due: bool = False, **threads: str) -> dict[str, Any]:
    return import_module("proofs.system_timer_reaper.planted").scenario(due, **threads)


def of_wheel(**threads: str) -> dict[str, Any]:
    operations = {name: [each.split() for each in of.split("; ")] for name, of in threads.items()}
    sizes = {"wheel_size": 2, "levels": 1, "start": 0, "deadline": {"e": 1}}
    return {**sizes, "threads": operations}


TWO_EXPIRE: dict[str, Any] = {
    "wheel_size": 2,
    "levels": 2,
    "start": 0,
    "deadline": {"near": 1, "far": 3},
    "threads": {"one": [["add", "near"], ["add", "far"], ["expire"]], "two": [["expire"]]},
}
"""The clock advances while the other thread puts an entry again."""


def of_parts(deadline: dict[str, int], **threads: str) -> dict[str, Any]:
    return import_module("proofs.parted_timer.planted").scenario(deadline, **threads)


MODULES = (
    Module(
        "task_executor",
        {
            "RunsOnce": {"runs_once"},
            "RunsInOrder": {"runs_in_order"},
            "NothingLost": {"none_is_lost", "accepted_have_run_in_the_end"},
            "CloseWaits": {"close_waits"},
        },
        ("DoesNotWait", "D3_to_D7"),
        (
            (
                of_executor("a; b", one="submit a; submit b", two="close", pool="work"),
                "RunsInOrder",
            ),
            (of_executor("a", one="submit a; submit a; close"), "RunsOnce"),
        ),
        (of_executor("a submit b; b", one="submit a"), of_executor("a", one="close", two="close")),
        frozenset(["Y4_to_Y2"]),
    ),
    Module(
        "system_timer_reaper",
        {
            "ReaperEndsFirst": {"reaper_ends_first"},
            "PollsNoMore": {"polls_no_more"},
            "ReapsUntilClosed": {"reaps_until_closed"},
            "ClosesItsTimer": {"closes_its_timer"},
        },
        ("DoesNotLook", "E1_to_P1"),
        ((of_reaper(reaper="reap", other="reap", one="close"), "PollsNoMore"),),
        (of_reaper(True, reaper="reap", a="close", b="close", c="close"),),
        frozenset(["J4_to_J2"]),
    ),
    Module(
        "parted_timer",
        {
            "FiredOnce": {"handed_over_once"},
            "CancelWins": {"none_slips"},
            "CounterExact": {"linked_are_counted", "one_bucket_has_it"},
            "PartBounded": {"moves_what_it_may"},
            "OpenGap": {"one_expires"},
            "NotEarly": {"none_is_early"},
            "QueuedOnceWithItsKey": {"keyed_is_queued_once", "none_is_keyed_anew"},
            "KeyNotPassed": {"key_is_ahead", "keyed_is_queued_once"},
            "LatenessBound": {"bucket_has_their_key", "keyed_is_queued_once"},
        },
        ("NotCounted", "F4_to_W1"),
        ((of_parts({"e": 0}, a="add e; add e"), "FiredOnce"),),
        (
            of_parts({"e": 1, "f": 1}, a="add e; add f; tick", b="cancel F", r="reap"),
            mechanisms()["parted_timer"].scenarios["added_again"],
        ),
        left_out=frozenset(["NotOutpaced"]),
        mutants_left_out=frozenset(
            ["AdvancesLast", "CountsOneLevel", "Outpaced", "PartEndsAll", "Unguarded", "Unowned"]
        ),
    ),
    Module(
        "timing_wheel",
        {
            "FiredOnce": {"fired_once"},
            "SlotInRange": {"level_takes_its_entry"},
            "NotCurrentSlot": {"level_takes_its_entry"},
            "KeyWindow": {"level_takes_its_entry"},
            "NotEarly": {"none_is_early"},
        },
        ("SaysNo", "W4_to_back"),
        (
            (of_wheel(add="add e; add e; withdraw"), "FiredOnce"),
            (TWO_EXPIRE, "KeyWindow"),
        ),
        (mechanisms()["timing_wheel"].scenarios["two_reapers"],),
        untaken=frozenset(["R5_to_R6"]),
        left_out=frozenset(
            [
                "TypeOK",
                "OneKeyPerSlot",
                "DemotionDescends",
                "LevelBound",
                "QueuedOnceWithItsKey",
                "KeyBeforeDeadline",
            ]
        ),
        mutants_left_out=frozenset(["M11", "M12", "ResetLate"]),
    ),
)
