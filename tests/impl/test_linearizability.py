"""add, cancel and size under two or three threads, in fine steps, against conditions for timers.

Claims about Kafka's timer depend on the program. Each claim has the programs that it is true of,
and a history that refutes it for others.
"""

from functools import cache

import pytest
from hypothesis import settings

from tests.impl.schedules import (
    SCHEDULES,
    Program,
    added_again,
    apart,
    composed,
    judge,
    reaped,
    replayed,
    shared,
    smaller,
)
from tests.impl.timer_conditions import (
    EachQueuesItsOwn,
    ManyPoints,
    OnePoint,
    ThreePoints,
    TwoPoints,
    refusal_of,
)
from tests.nights import by_night

SEEDS = settings.default.max_examples
FEW = 10
BY_DAY = (
    "a thread for each task: an add leaves",
    *("it is still counted after another cancel", "an add has returned"),
    *("FiresEarly", "CountsBeforeTheLink"),
)
"""The short searches, by the begin of their names."""
LIST, TIMER, WHEEL = "impl.timer_task_list", "impl.system_timer", "impl.timing_wheel"


def by_length(names):
    return [name if name.startswith(BY_DAY) else by_night(name) for name in names]


@cache
def shipped():
    return composed()


class Given:
    """Always the same program: its schedules alone are drawn."""

    def __init__(self, wheel_size, delays, **threads):
        self.program = Program(
            wheel_size, delays, {name: tuple(operations) for name, operations in threads.items()}
        )

    def __call__(self, chance):
        return self.program


def found_small(subject, draw, condition):
    """A finding among the first seeds, without the operations that a drawn one does not need."""
    judged = judge(subject, condition, draw, range(400))
    assert judged.found, (
        f"{judged.histories} histories, and {condition.__name__} explains them all; "
        f"not judged: {judged.unjudged}"
    )
    found = (
        judged.found
        if isinstance(draw, Given)
        else smaller(subject, judged.found, condition, range(40))
    )
    print(found)
    return found


# -- what is true

CLAIMS = {
    "a thread for each task, none added while it waits: linearizable": (apart, OnePoint, 3),
    "a thread for each task: an add leaves, then enters": (added_again, TwoPoints, 3),
    "tasks that are shared: an add leaves, checks, then enters": (shared, ThreePoints, 4),
    "with a reaper: what it holds is not counted": (reaped, ManyPoints, 2),
}


@pytest.mark.fuzz
@pytest.mark.parametrize("claim", by_length(CLAIMS))
def test_every_history_is_explained(claim):
    draw, condition, times = CLAIMS[claim]
    judged = judge(shipped(), condition, draw, range(times * SEEDS))
    assert judged.found is None, f"\n{judged.found}"
    assert not judged.unjudged and judged.histories == times * SEEDS * len(SCHEDULES)


def test_all_steps_of_all_layers_are_taken():
    """A check of the composition: other scenarios have list operations in one step."""
    subject = composed()
    judge(subject, ManyPoints, reaped, range(30))
    taken = {label for _, label, _ in subject.exercised}
    declared = {
        label
        for lines in subject.labels.values()
        for kinds in lines.values()
        for label in kinds.values()
    }
    lines_of_inner_steps, close = {"A3", "W2", "K1", "W1"}, {"B1"}
    kafkas_order = {"Q1", "Q2", "Q6"}
    assert declared - taken <= lines_of_inner_steps | close | kafkas_order
    assert {label for file, label, _ in subject.exercised if file == "impl/timer_task_list.py"} == {
        label
        for kinds in subject.labels["impl/timer_task_list.py"].values()
        for label in kinds.values()
    }


# -- what is not

REFUTED = {
    "a task that is added again leaves before it enters": (
        OnePoint,
        TwoPoints,
        added_again,
        "returns from size(): 0; OnePoint explains 1",
        3,
    ),
    "cancelled between the check and the link: it stays, and never runs": (
        TwoPoints,
        ThreePoints,
        shared,
        "returns from linked(): ((), ('b',)); TwoPoints explains (('b',), ())",
        2,
    ),
    "it is still counted after another cancel, which found nothing to take out": (
        TwoPoints,
        ThreePoints,
        Given(3, {"a": 1}, t1=[("add", "a"), ("cancel", "a")], t2=[("cancel", "a")]),
        "returns from size(): 1; TwoPoints explains 0",
        3,
    ),
    "an entry on its way to a lower level is not counted": (
        ThreePoints,
        ManyPoints,
        Given(2, {"a": 3}, t1=[("size",)], reaper=[("add", "a"), ("advance", 2)]),
        "returns from size(): 0; ThreePoints explains 1",
        3,
    ),
    "an add that is counted already is not waited for": (
        ThreePoints,
        ManyPoints,
        Given(20, {"a": 1}, t1=[("add", "a")], reaper=[("size",), ("advance", 2)]),
        "returns from advance(2): (); ThreePoints explains ('a',)",
        3,
    ),
    "an add has returned, and its bucket is queued later, by another": (
        EachQueuesItsOwn,
        ManyPoints,
        Given(20, {"a": 1, "b": 1}, t1=[("add", "a")], reaper=[("add", "b"), ("advance", 1)]),
        "returns from advance(1): (); EachQueuesItsOwn explains",
        3,
    ),
}


@pytest.mark.parametrize("name", by_length(REFUTED))
def test_more_than_that_is_refuted(name):
    stronger, weaker, draw, says, operations = REFUTED[name]
    found = found_small(shipped(), draw, stronger)
    assert sum(map(len, found.program.threads.values())) <= operations
    assert says in str(found.refusal)
    assert refusal_of(found.ran.history, weaker(found.program.delays)) is None, (
        f"{weaker.__name__} explains the same history"
    )


# -- defects that the checker rejects by itself: an exception or a deadlock leaves no history

A9 = "                        self.task_counter.add_and_get(1)  # update A9\n"
TAIL = "                        tail = self.root.prev\n"
NO_MONITOR = (LIST, "import Atomic, Monitor,", "import Atomic, Monitor, NoMonitor,")
OF_LIST, OF_ENTRY = (
    "self.task_counter = task_counter\n        self.monitor = ",
    "self.expiration_ms = expiration_ms\n        self.monitor = ",
)

DEFECTS = {
    "CounterDrifts: an entry that leaves counts twice": (
        apart,
        OnePoint,
        "size",
        (LIST, "add_and_get(-1)  # update U9", "add_and_get(-2)  # update U9"),
    ),
    "CounterReadThenWritten: the counter is no atomic variable": (
        apart,
        OnePoint,
        "size",
        (
            LIST,
            A9,
            A9.replace(
                "self.task_counter.add_and_get(1)  # update A9",
                "count = self.task_counter.get()  # read A12",
            )
            + A9.replace("add_and_get(1)  # update", "set(count + 1)  # write"),
        ),
    ),
    "NoBucketMonitor: buckets exclude no thread": (
        apart,
        OnePoint,
        "linked",
        NO_MONITOR,
        (LIST, OF_LIST + "Monitor()", OF_LIST + "NoMonitor()"),
    ),
    "CancelForgetsToUnlink": (
        apart,
        OnePoint,
        "size",
        (
            LIST,
            "            if entry is not None:\n"
            "                entry.remove()\n"
            "            self.timer_task_entry = None",
            "            self.timer_task_entry = None",
        ),
    ),
    "FiresEarly: the next tick counts as due": (
        apart,
        OnePoint,
        "size",
        (
            WHEEL,
            "return deadline_ms < current_ms + tick_ms",
            "return deadline_ms <= current_ms + tick_ms",
        ),
    ),
    "OldEntryStays: an add leaves the task's entry where it is": (
        added_again,
        TwoPoints,
        "size",
        (
            LIST,
            "            if old is not None and old is not entry:\n                old.remove()\n",
            "",
        ),
    ),
    "CountsBeforeTheLink: a size that saw the entry does not mean that a cancel will": (
        Given(2, {"a": 1}, t1=[("add", "a")], t2=[("size",), ("cancel", "a")]),
        ThreePoints,
        "size",
        (LIST, A9, ""),
        (LIST, TAIL, A9 + TAIL),
    ),
    "CountsWhatItDoesNotLink: an add counts before it checks": (
        shared,
        ThreePoints,
        "linked",
        (LIST, A9, ""),
        (
            TIMER,
            "        if self.wheel.add(entry):\n",
            "        self.task_counter.add_and_get(1)  # update Z2\n"
            "        if self.wheel.add(entry):\n",
        ),
    ),
    "RunsCancelled: a task is handed over unchecked": (
        shared,
        ThreePoints,
        "leap",
        (
            TIMER,
            "        if not entry.cancelled():  # read K1\n            self.executor",
            "        if True:\n            self.executor",
        ),
    ),
    "LosesOnCascade: what a flush does not hand over it lets go": (
        reaped,
        ManyPoints,
        "leap",
        (
            TIMER,
            "bucket.flush(callback)",
            "bucket.flush(lambda entry: entry.expiration_ms <= self.wheel.current_time "
            "and callback(entry))",
        ),
    ),
    "NoReadLock: adders and the reaper do not exclude each other": (
        Given(
            2,
            {"a": 1},
            t1=[("add", "a")],
            t2=[("add", "a")],
            reaper=[("advance", 1), ("advance", 1)],
        ),
        ManyPoints,
        "size",
        (TIMER, "with self.lock.read_lock:  # lock A1, unlock A4", "if True:"),
    ),
}


@pytest.mark.parametrize("name", by_length(DEFECTS))
def test_a_planted_defect_is_rejected_with_a_small_program(name):
    draw, condition, rejected_by, *changes = DEFECTS[name]
    subject = composed(*changes)
    found = found_small(subject, draw, condition)
    assert found.ran.end == "done" and found.refusal.operation.call.name == rejected_by
    assert sum(map(len, found.program.threads.values())) <= 4
    assert replayed(subject, found) == found.ran, "the seed alone makes the history again"
    assert judge(shipped(), condition, lambda chance: found.program, range(20)).found is None, (
        "the program is not at fault"
    )


def test_no_history_tells_that_entries_have_no_monitor():
    """An article: the lock of an entry is unnecessary.

    Its kill is on the list alone, where two threads may link one entry.
    """
    subject = composed(NO_MONITOR, (LIST, OF_ENTRY + "Monitor()", OF_ENTRY + "NoMonitor()"))
    for draw, condition in ((apart, OnePoint), (shared, ThreePoints), (reaped, ManyPoints)):
        judged = judge(subject, condition, draw, range(FEW))
        assert judged.found is None and not judged.unjudged
        assert judged.histories == FEW * len(SCHEDULES)
