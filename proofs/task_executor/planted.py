"""Faults in module TaskExecutor, and the steps that they break in small runs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from proofs.task_executor.invariant import Executor, Once
from wheelproof.prove.invariant.planted import Fault
from wheelproof.prove.variants import Changes


def scenario(does: str, **threads: str) -> dict[str, Any]:
    """A scenario as plain data. ``does``: the operation of each task, as "a; b close; c submit d".

    ``threads``: thread -> its operations.
    """
    tasks = {name: operation for name, *operation in map(str.split, does.split("; "))}
    operations = {
        name: [word.split() for word in text.split("; ")] for name, text in threads.items()
    }
    return {"does": tasks, "threads": {**operations, "worker": [["work"]]}}


RAISES = scenario("a raise; b", adder="submit a; submit b; close")
INSIDE = scenario("a close; b", adder="submit a; submit b")
TWO = scenario("a; b", adder="submit a; submit b", closer="close")
ADDS = scenario("a submit b; b", adder="submit a", closer="close")
REFUSES = scenario("a", adder="close; submit a")
FOUR = scenario("a; b; c; d", adder="submit a; submit b; submit c; submit d; close")


def decision(
    name: str,
    says: str,
    goal: str,
    breaks: str,
    program: Mapping[str, Any] = RAISES,
    executor: type[Executor] = Executor,
) -> Fault:
    """The module without a decision of the mechanism."""
    return Fault(name, says, executor, name, program, goal, breaks)


def planted(
    name: str, says: str, changes: Changes, goal: str, breaks: str, stops: bool = False
) -> Fault:
    """A fault that no scenario of the mechanism shows."""
    return Fault(name, says, Executor, changes, FOUR, goal, breaks, stops=stops)


DECISIONS = (
    decision(
        "DiesOfIt",
        "a task that raises ends the pool's thread",
        "T1_to_Done: has_a_task_while_it_runs",
        "accepted_have_run_in_the_end",
    ),
    decision(
        "DoesNotWait",
        "close does not wait",
        "D3_to_D7: returns_when_it_has_ended",
        "CloseWaits",
    ),
    decision(
        "HandsOverTwice",
        "a task is handed over twice",
        "S4_to_S1: accepted_are_spent",
        "RunsOnce",
        ADDS,
        Once,
    ),
    decision(
        "KeepsQuiet",
        "a refusal does not go out to the thread that hands the task over",
        "S1_to_S4: none_is_lost",
        "NothingLost",
        REFUSES,
    ),
    decision(
        "LeavesOpen",
        "close leaves the pool open",
        "C1_to_T2: threads_have_their_places",
        "CloseWaits",
    ),
    decision(
        "LooksOutside",
        "a task is handed over without another look under the lock",
        "T0_to_S0: threads_have_their_places",
        "NothingLost",
        TWO,
    ),
    decision(
        "RunsAtOnce",
        "a task is run by the thread that hands it over",
        "T0_to_R1: threads_have_their_places",
        "RunsInOrder",
    ),
    decision(
        "RunsTwice",
        "a task that is taken runs twice",
        "R1_to_T3: threads_have_their_places",
        "RunsOnce",
        TWO,
    ),
    decision(
        "SaysNothing",
        "the pool's thread does not say which one it is",
        "B1_to_Y1: thread_is_the_workers",
        "NoDeadlock",
        INSIDE,
    ),
    decision(
        "WaitsForItself",
        "close waits on every thread",
        "D3_to_D4: worker_waits_for_no_end",
        "NoDeadlock",
        INSIDE,
    ),
    decision(
        "WaitsInside",
        "the pool's own thread waits, and the others do not",
        "D3_to_D7: returns_when_it_has_ended",
        "CloseWaits",
    ),
)
"""Each of the mechanism's mutants."""
BEYOND = (
    planted(
        "takes_the_last",
        "the pool's thread takes the last task where three wait",
        (
            (
                "EXCEPT ![self] = Head(calls)]",
                "EXCEPT ![self] = IF Len(calls) > 2 THEN calls[Len(calls)] ELSE Head(calls)]",
            ),
        ),
        "Y5_to_Y8: in_hand_is_the_next",
        "RunsInOrder",
    ),
    planted(
        "close_is_impatient",
        "a close does not wait once three tasks have run",
        (
            (
                "/\\ IF own[self] # self /\\ ~ended\n                  THEN",
                "/\\ IF own[self] # self /\\ ~ended /\\ Len(ran) < 3\n                  THEN",
            ),
        ),
        "D3_to_D7: returns_when_it_has_ended",
        "CloseWaits",
    ),
    planted(
        "loses_the_fourth",
        "a fourth task is neither queued nor refused",
        (
            (
                "/\\ accepted' = Append(accepted, task[self])",
                "/\\ accepted' = IF Len(accepted) < 3 THEN Append(accepted, task[self]) "
                "ELSE accepted",
            ),
        ),
        "S2_to_S3: every_task_is_in_order",
        "NothingLost",
    ),
    planted(
        "notifies_of_no_fourth",
        "the pool's thread is not notified of a fourth task",
        (
            (
                'S3(self) == /\\ pc[self] = "S3"\n            '
                "/\\ tickets' = NotifiedAll(tickets, asleep)",
                'S3(self) == /\\ pc[self] = "S3"\n            '
                "/\\ tickets' = IF Len(accepted) > 3 THEN tickets ELSE "
                "NotifiedAll(tickets, asleep)",
            ),
        ),
        "S3_to_S4: worker_is_notified",
        "worker_is_notified",
    ),
    planted(
        "has_room_for_two",
        "a third task has to wait for room, under the condition",
        (
            (
                "/\\ calls' = Append(calls",
                "/\\ Len(calls) < 2\n            /\\ calls' = Append(calls",
            ),
        ),
        "S2",
        "NoDeadlock",
        stops=True,
    ),
)
"""They need more tasks than a scenario has."""
FAULTS = (*DECISIONS, *BEYOND)
