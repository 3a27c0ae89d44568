"""Which events may come next: the state of a timer's lists, tasks, counters and threads, as far as
a trace tells it.

The rules are those of the models, at the grain of events: ``list_add`` is the model's link with its
counter (A3 - A9), ``list_remove`` its unlink (U3 - U9), ``cancel_check`` its K1, and so on;
``tests/wheelproof/trace/test_agreement.py`` holds every recorded run to the model's own state. Each
refusal bears the name of the property that a model would find violated. Nothing here orders events:
they come in the order of their clocks, which ``replay`` has checked against the tokens.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from traces import (
    agreement_rules,
    attempt_rules,
    key_list_rules,
    list_rules,
    lock_rules,
    operation_rules,
    possible,
    row_rules,
    timeout_rules,
    watch_rules,
    wheel_rules,
)
from traces.events import Refusal, Step, clock_of
from traces.facts import Facts, Judges
from traces.schema import NONE
from wheelproof.trace.format import schema

KINDS: frozenset[str] = frozenset(schema.KINDS)
"""The kinds that these rules know: every kind of the format."""

JUDGES: Judges = {
    **list_rules.JUDGES,
    **lock_rules.JUDGES,
    **wheel_rules.JUDGES,
    **operation_rules.JUDGES,
    **watch_rules.JUDGES,
    **key_list_rules.JUDGES,
    **timeout_rules.JUDGES,
}
TAKES = (
    list_rules.take,
    wheel_rules.take,
    lock_rules.take,
    operation_rules.take,
    agreement_rules.take,
    watch_rules.take,
    key_list_rules.take,
    timeout_rules.take,
)


class TimerState(Facts):
    """The abstract state that events lead to.

    ``judge(event)`` says why the event may not come now, or None; ``apply(event)`` takes it,
    refused or not, so that one fault is not reported once for each event after it.
    """

    def judge(self, event: Step) -> Refusal | None:
        """Why the event is no step from here; None if it is one. Changes ``applied`` alone."""
        thread = self.thread(event["tid"])
        self.timer = event.get("timer", NONE)
        if refusal := attempt_rules.owed(self, event, thread):
            return refusal
        if (judge := JUDGES.get(event["k"])) is not None:
            if "entry" in event and "task" in event:
                entry, task = event["entry"], event["task"]
                if refusal := agreement_rules.entry_keeps_task(self, entry, task):
                    return refusal
            if refusal := judge(self, event, thread):
                return refusal
        return row_rules.alone(self, event) or agreement_rules.agrees(self, event, thread)

    def apply(self, event: Step) -> None:
        """Take the event."""
        thread = self.thread(event["tid"])
        self.timer = event.get("timer", NONE)
        for take in TAKES:
            take(self, event, thread)
        thread.lc = clock_of(event)

    # -- for those who explain

    def enabled(self, event: Step) -> Iterator[Step]:
        """Steps on the objects of ``event`` that its thread could take here."""
        return possible.enabled(self, self.judge, event)

    def neglected(self) -> Iterator[Refusal]:
        """What never happened, of a trace that is whole."""
        yield from operation_rules.forgotten(self)
        yield from lock_rules.unguarded(self)
        yield from list_rules.unrun(self)
        yield from key_list_rules.left_over(self)
        yield from timeout_rules.untimed(self)

    def open(self, beyond: Collection[int]) -> Iterator[str]:
        """What threads have begun and not ended, those ``beyond`` the cut left out."""
        threads = [item for item in self.threads.items() if item[0] not in beyond]
        for tid, thread in threads:
            if thread.flushes:
                yield f"thread {tid} has not ended its flush of list {thread.flushes[-1][1]}"
        for tid, thread in threads:
            if thread.inside:
                yield f"thread {tid} ends {watch_rules.where(thread)}"
        for lock, tid in self.holder.items():
            if tid not in beyond and (self.lets_go or not lock.startswith("op:")):
                yield f"thread {tid} has not let go of {lock}"


State = TimerState
"""Under this name the tool asks for it."""
