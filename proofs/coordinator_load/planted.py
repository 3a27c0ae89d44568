"""Faults planted in module CoordinatorLoad, and the steps that they break."""

from __future__ import annotations

from functools import partial

from proofs.coordinator_load.invariant import Load
from proofs.coordinator_load.subject import scenario
from wheelproof.prove.invariant.planted import planted, without

lacks, beyond = partial(without, Load), partial(planted, Load)

DECISIONS = (
    lacks("CompletesAnother", "C0_to_C3: handles_what_it_took", "ServesWhatIsLoaded"),
    lacks("CountsByEpoch", "C0_to_back: a_load_that_succeeds_counts", "NewestLoadWins"),
    lacks("DeafWhileLoading", "H0_to_back: high_watermark_is_seen", "HighWatermarkSeen"),
    lacks("FailsAsLoaded", "M4_to_Q1: events_are_of_contexts", "ServesWhatIsLoaded"),
    lacks("ForgetsHeard", "C1_to_back: high_watermark_is_seen", "HighWatermarkSeen"),
    lacks("ListensLate", "A3_to_S1: listens_while_it_loads", "HighWatermarkSeen"),
    lacks("LoadsAgain", "A2_to_A3: states_are_of_their_labels", "NewestLoadWins"),
    lacks("LowersTheEpoch", "A0_to_A2: newest_is_there", "NewestLoadWins"),
    lacks("StopsOutside", "R1_to_R4: one_handles", "NewestLoadWins", "raises"),
    lacks("TakesTheEnd", "M7_to_Q1: nothing_uncommitted", "NothingUncommitted"),
    lacks("TakesWhatItHeard", "C1_to_C2: high_watermark_is_seen", "HighWatermarkSeen"),
    lacks("UnloadsAny", "B0_to_B1: newest_is_there", "NewestLoadWins"),
)
"""The decisions without which a property that is proved fails."""

BEYOND = (
    beyond(
        "fails_as_loaded_later",
        "a load of the fifth epoch or of a later one completes as one that has succeeded",
        "M4_to_Q1: events_are_of_contexts",
        "ServesWhatIsLoaded",
        scenario(a="lead 5", b="follow 6", loader="load"),
        (('<<"complete", task[self], FALSE>>', '<<"complete", task[self], task[self] > 4>>'),),
        schedule="a 17; b 2; loader 9; a 5",
    ),
    beyond(
        "no_fifth_epoch",
        "the epoch of a context rises up to the fourth one",
        "A0_to_back: newest_is_there",
        "NewestLoadWins",
        scenario(a="lead 4; lead 5"),
        (
            (
                "IF epoch[current] < first[self]\n",
                "IF epoch[current] < first[self] /\\ first[self] < 5\n",
            ),
        ),
        schedule="a 34",
    ),
    beyond(
        "commits_the_end",
        "a load takes the end of the log for the high watermark where that is beyond four",
        "M7_to_Q1: nothing_uncommitted",
        "NothingUncommitted",
        scenario(9, 5, a="lead 1", loader="load"),
        (
            (
                "![task[self]] = mark[self]]",
                "![task[self]] = IF mark[self] > 4 THEN End ELSE mark[self]]",
            ),
        ),
        schedule="a 21; loader 8",
    ),
    beyond(
        "deaf_beyond_four",
        "a context that loads keeps no high watermark beyond four",
        "H2_to_back: high_watermark_is_seen",
        "HighWatermarkSeen",
        scenario(1, 4, a="lead 1", loader="load", f="fetch"),
        (
            (
                "![target[self]] = offset[self]]\n            /\\ pc' = [pc EXCEPT ![self] = Head",
                "![target[self]] = IF offset[self] > 4 THEN NONE ELSE offset[self]]\n"
                "            /\\ pc' = [pc EXCEPT ![self] = Head",
            ),
        ),
        schedule="a 21; loader 7; f 18; loader 14",
    ),
)
"""Faults that no scenario of the specification has epochs or offsets enough for."""

FAULTS = (*DECISIONS, *BEYOND)
