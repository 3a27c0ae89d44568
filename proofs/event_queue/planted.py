"""Faults planted in module EventQueue, and the steps that they break."""

from __future__ import annotations

from functools import partial

from proofs.event_queue.invariant import Queue
from proofs.event_queue.subject import scenario
from wheelproof.prove.invariant.planted import planted, without

lacks, beyond = partial(without, Queue), partial(planted, Queue)
FIVE = dict.fromkeys("abcde", "")

DECISIONS = (
    lacks("ClosesBehind", "C2_to_Q1: cleared_until_put", "ExpireFirst"),
    lacks("DoesNotJoin", "C3_to_back: close_has_waited", "CloseWaits"),
    lacks("NoPutLock", "P1_to_P2: one_puts", "ExpireFirst"),
    lacks("PreemptsSpent", "Z1_to_Z2: one_handles", "EventHandledOnce"),
    lacks("PutsBehind", "L2_to_Q1: cleared_until_put", "ExpireFirst"),
    lacks("ReadsThenSets", "X3_to_X2: one_handles", "EventHandledOnce"),
    lacks("SpentUnchecked", "X1_to_X2: one_handles", "EventHandledOnce"),
)
"""The decisions without which a property that is proved fails."""

BEYOND = (
    beyond(
        "expires_unlocked_later",
        "an expiry that is a thread's fifth operation takes the put lock that another one has",
        "L1_to_L2: one_puts",
        "ExpireFirst",
        scenario(does={**FIVE, "x": ""}, p="put a; put b; put c; put d; expire x", q="put e"),
        (
            (
                'pc[self] = "L1"\n            /\\ putLock = NULL',
                'pc[self] = "L1"\n            /\\ (putLock = NULL \\/ turn[self] > 5)',
            ),
        ),
        schedule="p 33; q 3; p 22; q 4; p 2",
    ),
    beyond(
        "clears_four",
        "the queue is not cleared where five events wait or more",
        "D2_to_D3: cleared_until_put",
        "ExpireFirst",
        scenario("a b c d e", does={**FIVE, "x": ""}, q="expire x"),
        (
            (
                "queue' = << >>\n            /\\ pc' = [pc EXCEPT ![self] = \"D3\"]",
                "queue' = (IF Len(queue) < 5 THEN << >> ELSE queue)\n"
                '            /\\ pc\' = [pc EXCEPT ![self] = "D3"]',
            ),
        ),
        schedule="q 29",
    ),
    beyond(
        "handles_spent_later",
        "the event thread handles a spent event once four are handled",
        "X1_to_X2: one_handles",
        "EventHandledOnce",
        scenario("a b c d e", "look", {**FIVE, "x": ""}, q="expire x"),
        (("IF spent[taken[self]]", "IF spent[taken[self]] /\\ Len(log) < 4"),),
        schedule="w 28; q 5; w 4; q 2; w 3; q 2",
    ),
    beyond(
        "close_is_impatient",
        "a close does not wait where five events are handled or more",
        "C4_to_back: close_has_waited",
        "CloseWaits",
        scenario("a b c d e", does=FIVE, q="close"),
        (
            (
                'pc[self] = "C4"\n            /\\ IF ended',
                'pc[self] = "C4"\n            /\\ IF ended \\/ Len(log) > 4',
            ),
        ),
        schedule="q 33",
    ),
)
"""Faults that no scenario of the specification has events or operations enough for."""

FAULTS = (*DECISIONS, *BEYOND)
