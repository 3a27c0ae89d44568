"""Faults planted in module SystemTimer, and the claims about the timer that they break in runs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from proofs.system_timer.dues import Dues
from proofs.system_timer.entries import Entries
from proofs.system_timer.planted import Planted
from proofs.system_timer.runs import NAME, scenario
from proofs.system_timer.whole import KeptDues, KeptEntries
from proofs.timer_task_list.planted import violated
from wheelproof.prove import variants
from wheelproof.prove.kernel import Found


@dataclass(frozen=True)
class OfEntries(Planted):
    """A fault that an entry's conjuncts notice. It is a control of the property's theorem."""

    base, simulation = Entries, KeptEntries


@dataclass(frozen=True)
class OfDues(OfEntries):
    """A fault that a conjunct on keys or deadlines notices."""

    base, simulation = Dues, KeptDues


@dataclass(frozen=True)
class OfKafka:
    """Kafka's timer in place of the corrected one: no fault of the text, and the theorem is false.

    ``scenario``: the specification's, with Kafka's timer.
    """

    name: ClassVar[str] = "kafka_order"
    says: ClassVar[str] = "D1: the timer is Kafka's, whose reaper flushes what it polled unlocked"
    property: str
    scenario: str = "kafka_stalled_adder"
    bound: int = 20_000

    def find(self, _seed: int = 0) -> Found:
        """A reached state of the unchanged module that breaks the property."""
        mechanism = variants.mechanisms()[NAME]
        model = mechanism.compiled_model(mechanism.scenarios[self.scenario])
        missing = violated(model, self.property, self.bound)
        if missing:
            return Found("unsat", missing)
        return Found("sat", f"{self.scenario}: {self.property}")


ONE: dict[str, Any] = {"one": 1}
FAULTS: tuple[OfEntries | OfKafka, ...] = (
    OfEntries(
        "flush_keeps",
        "a flush takes an entry, and leaves it in its bucket",
        "/\\ content' = [content EXCEPT ![polled[self]] = Tail(content[polled[self]])]",
        "/\\ content' = content",
        scenario(ONE, a="add one", c="tick", r="reap"),
        "F2_to_W1: in_hand_is_unlinked",
        "FiredOnce",
    ),
    OfEntries(
        "runs_twice",
        "the executor's thread takes a task, and leaves it in the queue",
        "/\\ waiting' = Tail(waiting)\n",
        "/\\ waiting' = waiting\n",
        scenario({"one": 0}, a="add one", b="execute; execute"),
        "E1_to_E2: waits_or_runs",
        "RunsOncePerAdd",
    ),
    OfEntries(
        "cancel_forgets",
        "cancel takes the entry out of its bucket, and leaves it its task's",
        "/\\ timerTaskEntry' = [timerTaskEntry EXCEPT ![ct[self]] = NULL]",
        "/\\ timerTaskEntry' = timerTaskEntry",
        scenario(ONE, "x", a="add one", b="cancel x", c="tick", r="reap"),
        "X1_to_back_2: revoked_is_cancelled",
        "CancelWins",
    ),
    OfEntries(
        "checks_once",
        "what has come to the hand-over is not checked again",
        'K1(self) == /\\ pc[self] = "K1"\n            /\\ IF Cancelled(ke[self])\n',
        'K1(self) == /\\ pc[self] = "K1"\n            /\\ IF FALSE\n',
        scenario({"one": 0}, "x", a="add one", b="cancel x"),
        "K1_to_K2: withdrawn_is_kept_back",
        "CancelWins",
    ),
    OfDues(
        "hands_over_undue",
        "an entry is due one moment before its deadline",
        "\nExpired(e, l) == Deadline[e] < current[l] + Tick(l)\n",
        "\nExpired(e, l) == Deadline[e] <= current[l] + Tick(l)\n",
        scenario(ONE, a="add one"),
        "W1_to_K1: due_when_handed",
        "NotEarly",
    ),
    OfDues(
        "passes_on_early",
        "a level passes on what is a tick less than its turn away",
        "\nFits(e, l)    == Deadline[e] < current[l] + WheelSize * Tick(l)\n",
        "\nFits(e, l)    == Deadline[e] < current[l] + (WheelSize - 1) * Tick(l)\n",
        scenario(ONE, levels=2, a="add one"),
        "W1_to_W0: due_at_the_bottom",
        "NotEarly",
    ),
    OfDues(
        "polls_undue",
        "the reaper polls a bucket one moment before its key",
        "\nDue  == queue # <<>> /\\ key[queue[1]] <= now\n",
        "\nDue  == queue # <<>> /\\ key[queue[1]] <= now + 1\n",
        scenario(ONE, a="add one", r="reap"),
        "W1_to_K1: due_when_handed",
        "NotEarly",
    ),
    OfDues(
        "key_rounded_up",
        "a bucket's key is the end of its tick",
        "\nKeyFor(e, l) == Trim(Deadline[e], l)\n",
        "\nKeyFor(e, l) == Trim(Deadline[e], l) + Tick(l)\n",
        scenario(ONE, a="add one"),
        "W3_to_W4: bucket_has_their_key",
        "KeyBeforeDeadline",
    ),
    OfKafka("KeyBeforeDeadline"),
    OfDues(
        "queued_again",
        "a bucket is queued again with the key that it has",
        "/\\ IF key[bucket[self]] # KeyFor(ke[self], level[self])\n",
        "/\\ IF TRUE\n",
        scenario({"one": 1, "two": 1}, a="add one; add two"),
        "W3_to_W4: none_is_keyed_anew",
        "QueuedOnceWithItsKey",
    ),
    OfKafka("QueuedOnceWithItsKey"),
    OfDues(
        "key_three_ticks_on",
        "a bucket's key is three ticks past its entries' tick",
        "\nKeyFor(e, l) == Trim(Deadline[e], l)\n",
        "\nKeyFor(e, l) == Trim(Deadline[e], l) + 3 * Tick(l)\n",
        scenario(ONE, a="add one", c="tick; tick; tick"),
        "W3_to_W4: bucket_has_their_key",
        "LatenessBound",
    ),
    OfKafka("LatenessBound"),
)
"""Faults that the theorems reject, by the way and the goal that fail first; and Kafka's timer."""
