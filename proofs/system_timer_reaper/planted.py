"""Faults in module SystemTimerReaper, and the steps that they break in small runs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from proofs.system_timer_reaper.invariant import Reaper
from wheelproof.prove.invariant.planted import Fault
from wheelproof.prove.variants import Changes


def scenario(due: bool = False, **threads: str) -> dict[str, Any]:
    """A scenario as plain data. ``threads``: thread -> its operations."""
    operations = {name: [[word] for word in text.split()] for name, text in threads.items()}
    return {"due": due, "threads": operations}


CLOSED = scenario(reaper="reap", closer="close")
FROM_WITHIN = scenario(True, closer="close", reaper="reap")
OFTEN = scenario(reaper="reap", one="close close close close close")
THREE = scenario(reaper="reap", one="close", two="close", three="close")
DUE = scenario(True, reaper="reap", one="close", two="close", three="close")
TWO_SLEEP = "\\E a \\in Closers : \\E b \\in Closers : a # b /\\ a \\in asleep /\\ b \\in asleep"
THREE_SLEEP = TWO_SLEEP.replace(" : a # b", " : \\E c \\in Closers : c \\notin {a, b} /\\ a # b")
THREE_SLEEP += " /\\ c \\in asleep"


def decision(
    name: str, says: str, goal: str, breaks: str, program: Mapping[str, Any] = CLOSED
) -> Fault:
    """The module without a decision of the mechanism."""
    return Fault(name, says, Reaper, name, program, goal, breaks)


def planted(
    name: str,
    says: str,
    changes: Changes,
    program: Mapping[str, Any],
    goal: str,
    breaks: str,
    stops: bool = False,
) -> Fault:
    """A fault that no scenario of the mechanism shows."""
    return Fault(name, says, Reaper, changes, program, goal, breaks, stops=stops)


DECISIONS = (
    decision(
        "ClosesTimerFirst",
        "close closes the timer before it waits for the reaper's end",
        "E2_to_S1: closer_has_stopped_it",
        "ReaperEndsFirst",
    ),
    decision(
        "DoesNotLook",
        "the reaper does not look whether it is to stop",
        "E1_to_P1: polls_while_it_is_open",
        "PollsNoMore",
        FROM_WITHIN,
    ),
    decision(
        "IsNotAwaited",
        "close does not wait for the reaper's end",
        "E2_to_S1: closer_has_stopped_it",
        "ReaperEndsFirst",
    ),
    decision(
        "IsNotTold",
        "close does not set the stop event",
        "T1_to_J1: closer_has_stopped_it",
        "closer_has_stopped_it",
    ),
    decision(
        "IsToldLate",
        "close sets the stop event after it has waited for the reaper's end",
        "T1_to_J1: closer_has_stopped_it",
        "closer_has_stopped_it",
    ),
    decision(
        "LeavesTimerOpen",
        "close leaves the timer open",
        "J5_to_back: closes_its_timer",
        "ClosesItsTimer",
    ),
    decision(
        "ReapsOnce",
        "the reaper polls once",
        "T2_to_H1: ends_where_it_is_to",
        "ReapsUntilClosed",
    ),
    decision(
        "WaitsForItself",
        "close waits for the reaper's end on the reaper's own thread, too",
        "E2_to_J1: threads_have_their_places",
        "NoDeadlock",
        FROM_WITHIN,
    ),
)
"""Each of the mechanism's mutants."""
BEYOND = (
    planted(
        "polls_again",
        "the reaper goes on although it is to stop where three threads wait for its end",
        (("/\\ IF ~stopping", f"/\\ IF ~stopping \\/ ({THREE_SLEEP})"),),
        DUE,
        "E1_to_P1: polls_while_it_is_open",
        "PollsNoMore",
    ),
    planted(
        "third_does_not_wait",
        "a third thread that closes does not wait for the reaper's end",
        (
            (
                'pc[self] = "J1"\n            /\\ mutex = NULL\n            /\\ mutex\' = self\n'
                "            /\\ IF ~ended",
                'pc[self] = "J1"\n            /\\ mutex = NULL\n            /\\ mutex\' = self\n'
                f"            /\\ IF ~ended /\\ ~({TWO_SLEEP})",
            ),
        ),
        THREE,
        "J1_to_J5: closer_has_stopped_it",
        "ReaperEndsFirst",
    ),
    planted(
        "notifies_none_of_three",
        "the reaper's thread notifies no thread of its end where three wait",
        (
            (
                "tickets' = NotifiedAll(tickets, asleep)",
                f"tickets' = IF {THREE_SLEEP} THEN tickets ELSE NotifiedAll(tickets, asleep)",
            ),
        ),
        THREE,
        "H3_to_H4: closers_are_notified",
        "NoDeadlock",
    ),
    planted(
        "closes_four_times",
        "the timer cannot be closed a fifth time",
        (("/\\ closed' = closed + 1", "/\\ closed < 4\n            /\\ closed' = closed + 1"),),
        OFTEN,
        "S1",
        "NoDeadlock",
        stops=True,
    ),
)
"""They need more threads or closes than a scenario has."""
FAULTS = (*DECISIONS, *BEYOND)
