"""Faults planted in module ShareFetch, and the steps that they break."""

from __future__ import annotations

from functools import partial

from proofs.share_fetch.subject import scenario
from proofs.share_fetch.wakes import Wakes
from wheelproof.prove.invariant.planted import planted, without

lacks, beyond = partial(without, Wakes), partial(planted, Wakes)

DECISIONS = (
    lacks("AcknowledgesAnothers", "R2_to_R3: moves_until_it_is_written", "MembersHold"),
    lacks("AcquiresInTransition", "G1_to_G2: sees_what_it_acquires", "OneMember"),
    lacks("ExpiresAgain", "E2_to_E3: fresh_fetches", "AnsweredOnce"),
    lacks("ForgetsTheTime", "S4_to_S5: freed_in_time", "FreedInTime"),
    lacks("KeepsTheFetchLock", "L3_to_back: one_fetches", "FetchLockFree"),
    lacks("ReleasesAnothers", "F1_to_F2: one_fetches", "OneFetches"),
    lacks("ChecksFirst", "E4_to_G1: calls_return", "NoLostWakeUp"),
    lacks("ChecksTheStartOnly", "S4_to_S5: each_is_seen_to", "NoLostWakeUp"),
    lacks("ChecksTooEarly", "S6_to_back: each_is_seen_to", "NoLostWakeUp"),
    lacks("EndsSilently", "E7_to_back: each_is_seen_to", "NoLostWakeUp"),
    lacks("ForgetsFailures", "S6_to_back: each_is_seen_to", "NoLostWakeUp"),
    lacks("KeepsToItself", "A3_to_back: each_is_seen_to", "NoLostWakeUp"),
    lacks("WatchesOnly", "A2_to_A3: each_is_seen_to", "NoLostWakeUp"),
    lacks("SplitsInTransition", "M3_to_M4: batches_are_locked_as_acquired", "LockedAsAcquired"),
)
"""The decisions without which a property that is proved fails."""

BEYOND = (
    beyond(
        "cuts_the_fifth",
        "the log's start cuts a batch from offset 5 on that a member has",
        "M3_to_M4: owners_have_their_seats",
        "MembersHold",
        scenario((5, 6), a="fetch a; trim 6"),
        (
            (
                "\nCut(b) == IF IsFree(b) /\\ b.first < start",
                "\nCut(b) == IF (IsFree(b) \\/ b.first > 4) /\\ b.first < start",
            ),
        ),
    ),
    beyond(
        "ends_the_fifth_again",
        "a fetch that has got records from offset 5 on is ended when its time is up",
        "E2_to_E3: fresh_fetches",
        "AnsweredOnce",
        scenario((5, 5), (6, 6), a="fetch a; expire a"),
        (
            (
                "IF completed[expiring[self]]\n",
                "IF completed[expiring[self]] /\\ result[expiring[self]][1] < 5\n",
            ),
        ),
    ),
    beyond(
        "forgets_the_time_of_the_fifth",
        "a write that fails gives records from offset 5 on back to a member whose time is up",
        "S3_to_S4: freed_in_time",
        "FreedInTime",
        scenario((5, 5), a="fetch a; release a; time_out a; fail"),
        (
            (
                "late' = [late EXCEPT ![self] = expired[task[self]]]",
                "late' = [late EXCEPT ![self] = expired[task[self]] /\\ result[task[self]][1] < 5]",
            ),
        ),
    ),
)
"""Faults that no scenario of the specification has offsets enough for."""

FAULTS = (*DECISIONS, *BEYOND)
