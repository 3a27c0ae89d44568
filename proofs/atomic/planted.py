"""Faults planted in module Atomic, and the steps that they break."""

from __future__ import annotations

from functools import partial

from proofs.atomic.invariant import Variable
from proofs.atomic.subject import scenario
from wheelproof.prove.invariant.planted import planted, without

lacks, beyond = partial(without, Variable), partial(planted, Variable)
SAME = "done' = [done EXCEPT ![self] = (held = expected[self])]"

DECISIONS = (
    lacks("AddsUnlocked", "A1_to_A2: one_holder", "AsIfAtomic"),
    lacks("ComparesByEquality", "C2_to_C3: what_was_read_is_there", "AsIfAtomic"),
    lacks("ComparesNumbersByIdentity", "C2_to_C4: as_if_atomic", "AsIfAtomic"),
    lacks("ComparesUnlocked", "C1_to_C2: one_holder", "AsIfAtomic"),
    lacks("KeepsLock", "C4_to_back: one_holder", "one_holder"),
    lacks("SetsUnlocked", "S1_to_S2: one_holder", "AsIfAtomic"),
    lacks("SwapsUnlocked", "E1_to_E2: one_holder", "AsIfAtomic"),
)
"""Each decision of the mechanism, taken away."""

BEYOND = (
    beyond(
        "wraps",
        "a sum is a number below 2^31",
        "A2_to_A3: what_was_read_is_there",
        "AsIfAtomic",
        scenario(2**31 - 1, a="add 1"),
        (("held + delta[self]", "(held + delta[self]) % 2147483648"),),
    ),
    beyond(
        "compares_small_numbers",
        "numbers from 2^31 on are never found equal",
        "C2_to_C4: as_if_atomic",
        "AsIfAtomic",
        scenario(2**31, a="cas 2147483648 0"),
        ((SAME, SAME.replace("held =", "held < 2147483648 /\\ held =")),),
    ),
    beyond(
        "swaps_unlocked_later",
        "a thread's fifth operation takes the lock that another one has",
        "E1_to_E2: one_holder",
        "AsIfAtomic",
        scenario(a="get; get; get; get; swap 1", b="add 1"),
        (
            (
                'pc[self] = "E1"\n            /\\ lock = NULL',
                'pc[self] = "E1"\n            /\\ (lock = NULL \\/ turn[self] > 5)',
            ),
        ),
    ),
    beyond(
        "stores_no_more",
        "a store of a value from 2^31 on is left out",
        "S2_to_S3: as_if_atomic",
        "AsIfAtomic",
        scenario(a="set 2147483648"),
        (
            (
                "held' = set_value[self]\n",
                "held' = IF set_value[self] < 2147483648 THEN set_value[self] ELSE held\n",
            ),
        ),
    ),
)
"""Faults that no scenario of the specification has values or operations enough for."""

FAULTS = (*DECISIONS, *BEYOND)
