"""Faults planted in module ReadWriteLock, and the steps that they break."""

from __future__ import annotations

from functools import partial

from proofs.read_write_lock.invariant import Lock
from proofs.read_write_lock.subject import scenario
from wheelproof.prove.invariant.planted import planted, without

lacks, beyond = partial(without, Lock), partial(planted, Lock)
READERS = dict.fromkeys("abcd", "read")
WAITS = "\n\nVARIABLE turn"

DECISIONS = (
    lacks("EntersBesideWriter", "R1_to_R5: reader_finds_no_writer", "MutualExclusion"),
    lacks("EntersOutside", "R5_to_R6: one_holder", "MutualExclusion"),
    lacks("InterruptedWriterIsSilent", "W7_to_W8: sleeps_for_a_reason", "WaitsForAThread"),
    lacks("InterruptedWriterWaits", "W7_to_W9: waiters_are_counted", "Registered"),
    lacks("InterruptedWriterWakesOne", "W9_to_W8: one_ticket_for_each", "WaitsForAThread"),
    lacks("LastReaderWakesOne", "U3_to_U4: one_ticket_for_each", "WaitsForAThread"),
    lacks("LeavesInSilence", "U2_to_U4: sleeps_for_a_reason", "WaitsForAThread"),
    lacks("LooksOnce", "R4_to_R5: reader_finds_no_writer", "MutualExclusion"),
    lacks("PassesWaitingWriter", "R1_to_R5: reader_finds_no_writer", "WriterGoesFirst"),
    lacks("WaitsForEver", "W7_to_W8: waiters_are_counted", "Registered"),
    lacks("WriterWakesOne", "X3_to_X4: one_ticket_for_each", "WaitsForAThread"),
    lacks("WritesBesideReaders", "W2_to_W6: writer_finds_no_one", "MutualExclusion"),
    lacks("WritesBesideWriter", "W2_to_W6: writer_finds_no_one", "MutualExclusion"),
)
"""Each decision of the mechanism, taken away."""

BEYOND = (
    beyond(
        "four_readers",
        "a writer enters beside four readers or more",
        "W2_to_W6: writer_finds_no_one",
        "MutualExclusion",
        scenario(**READERS, w="write"),
        (
            (
                f"writer # NULL \\/ readers # {{}}{WAITS}",
                "writer # NULL \\/ (0 < Cardinality(readers) /\\ Cardinality(readers) < 4)" + WAITS,
            ),
        ),
        schedule="a 4; b 4; c 4; d 4; w 6",
    ),
    beyond(
        "four_writers_wait",
        "a reader enters while four writers wait or more",
        "R1_to_R5: reader_finds_no_writer",
        "WriterGoesFirst",
        scenario(r="read", s="read", **dict.fromkeys("abcd", "write")),
        (
            (
                "ReaderWaits == writer # NULL \\/ waiting > 0\nWriterWaits",
                "ReaderWaits == writer # NULL \\/ (0 < waiting /\\ waiting < 4)\nWriterWaits",
            ),
        ),
        schedule="r 4; a 4; b 4; c 4; d 4; s 2",
    ),
    beyond(
        "wakes_four",
        "a writer that leaves wakes four threads at most",
        "X3_to_X4: one_ticket_for_each",
        "WaitsForAThread",
        scenario(**READERS, e="read", w="write"),
        (
            (
                'pc[self] = "X3"\n            /\\ tickets\' = NotifiedAll(tickets, asleep)',
                'pc[self] = "X3"\n            /\\ tickets\' = Notified(tickets, asleep, 4)',
            ),
        ),
        schedule="w 6; a 3; b 3; c 3; d 3; e 3; w 5; a 1; b 1; c 1; d 1",
    ),
    beyond(
        "counts_to_four",
        "no more than four writers count as waiting",
        "W2_to_W3: waiters_are_counted",
        "Registered",
        scenario(r="read", e="write", **dict.fromkeys("abcd", "write")),
        (
            (
                "waiting' = waiting + 1\n",
                "waiting' = IF waiting < 4 THEN waiting + 1 ELSE waiting\n",
            ),
        ),
        schedule="r 4; a 4; b 4; c 4; d 4; e 4",
    ),
)
"""Faults that no scenario of the specification has threads enough for."""

FAULTS = (*DECISIONS, *BEYOND)
