"""The rules of what an event says beside its step: that it agrees with itself, and with what other
events say of the same objects.

They are checked last, for every kind: an id keeps its task, a bucket its place, and a clock its
time. Each needs columns that an event may leave out, and checks nothing without them.
"""

from __future__ import annotations

from traces.events import Refusal, Step, observed
from traces.facts import Facts
from traces.schema import NONE
from traces.thread_state import ThreadState

# -- what is checked


def agrees(facts: Facts, event: Step, thread: ThreadState) -> Refusal | None:
    return (
        _keeps_task(facts, event)
        or _keeps_place(facts, event)
        or _at_clock(facts, event)
        or _as_requested(facts, event, thread)
        or _as_placed(facts, event, thread)
        or _handed_back(facts, event, thread)
        or _under_monitors(facts, event)
        or _of_levels(facts, event)
        or _as_published(facts, event)
        or _as_tried(facts, event)
    )


def entry_keeps_task(facts: Facts, entry: int, task: int) -> Refusal | None:
    facts.look("TypeOK")
    known = facts.task_of.get(entry, task)
    if known == task:
        return None
    return Refusal(
        "TypeOK",
        f"entry {entry} is one of task {known}, and here of task {task}: an entry keeps its task",
    )


def _keeps_task(facts: Facts, event: Step) -> Refusal | None:
    """An entry is one of one task, and an operation is one task."""
    task = event.get("task")
    if task is None:
        return None
    entries = {event["entry"]} if "entry" in event else set()
    entries |= {
        seen
        for part in observed(event)
        if (seen := part.get("entry")) and event["k"] in ("set_entry", "cancel")
    }
    for entry in sorted(entries):
        if refusal := entry_keeps_task(facts, entry, task):
            return refusal
    if "op" in event:
        facts.look("TypeOK")
        if facts.tasks_of.get(event["op"], task) != task:
            return Refusal(
                "TypeOK",
                f"operation {event['op']} has the task {facts.tasks_of[event['op']]}, and here "
                f"the task {task}",
            )
    return None


def _keeps_place(facts: Facts, event: Step) -> Refusal | None:
    """A bucket is in one slot of one level."""
    bucket = event.get("list")
    if bucket is None or bucket not in facts.places:
        return None
    facts.look("TypeOK")
    for name, here, known in zip(
        ("level", "slot"),
        (event.get("level"), event.get("bucket")),
        facts.places[bucket],
        strict=True,
    ):
        if here is not None and known is not None and here != known:
            return Refusal(
                "TypeOK", f"list {bucket} has the {name} {known}, and here the {name} {here}"
            )
    return None


def _at_clock(facts: Facts, event: Step) -> Refusal | None:
    """Who is inside the timer's lock sees the wheel's clock where the last advance has put it,
    or that of its level."""
    seen = event.get("wheel_ms")
    if (
        seen is None
        or event["k"] not in ("wheel_place", "wheel_reject", "expire_submit")
        or facts.wheel_ms is None
        or not facts.named("clock_advance")
        or not facts.tick_ms
        or not facts.wheel_size
        or not any(token[0] == "RW" for token in event.get("ord", ()))
    ):
        return None
    facts.look("ClockObserved")
    tick = facts.tick_ms * facts.wheel_size ** (event.get("level", 1) - 1)
    lowest = facts.wheel_ms - facts.wheel_ms % facts.tick_ms
    if seen in (facts.wheel_ms, lowest, lowest - lowest % tick):
        return None
    return Refusal(
        "ClockObserved",
        f"{event['k']} sees the wheel's clock at {seen} ms, and it is {facts.wheel_ms} ms",
    )


def _as_requested(facts: Facts, event: Step, thread: ThreadState) -> Refusal | None:
    """An entry is made for the task that the thread was handed, and its deadline is the clock
    that was read and the delay."""
    if event["k"] != "entry_new":
        return None
    task, deadline = event.get("task"), event.get("exp_ms")
    if not facts.named("add_request"):
        return None
    facts.look("DeadlineOfDelay")
    handed, now, delay = thread.request
    if handed != task:
        return Refusal(
            "DeadlineOfDelay",
            f"an entry is made for task {task}, and the thread was handed "
            f"{f'task {handed}' if handed else 'none'} last",
        )
    if now is not None and delay is not None and deadline not in (None, now + delay):
        return Refusal(
            "DeadlineOfDelay",
            f"entry {event['entry']} is due at {deadline} ms, and its task was handed over at "
            f"{now} ms with a delay of {delay} ms",
        )
    return None


def _as_placed(facts: Facts, event: Step, thread: ThreadState) -> Refusal | None:
    """Who links an entry has chosen a bucket for it, and links it there."""
    if event["k"] != "list_add":
        return None
    if facts.named("wheel_place"):
        facts.look("LinkedWherePlaced")
        if thread.placed[0] != event["entry"]:
            return Refusal(
                "LinkedWherePlaced",
                f"entry {event['entry']} is linked into list {event['list']}, and its thread has "
                "not chosen a bucket for it before",
            )
    if thread.placed[0] != event["entry"] or not thread.placed[1]:
        return None
    facts.look("LinkedIntoPlaced")
    if thread.placed[1] == event["list"]:
        return None
    return Refusal(
        "LinkedIntoPlaced",
        f"entry {event['entry']} is linked into list {event['list']}, and the wheel chose "
        f"list {thread.placed[1]}",
    )


def _handed_back(facts: Facts, event: Step, thread: ThreadState) -> Refusal | None:
    """What a flush has unlinked it hands back to the timer before anything else."""
    if event["k"] not in _AFTER_HAND_BACK or not facts.named("reinsert"):
        return None
    facts.look("HandBackAfterUnlink")
    if thread.back == NONE:
        return None
    return Refusal(
        "HandBackAfterUnlink",
        f"a flush has unlinked entry {thread.back}, and goes on with {event['k']} without having "
        "handed it back",
    )


_AFTER_HAND_BACK = frozenset(
    (
        "cancel_check",
        "wheel_place",
        "wheel_reject",
        "list_add",
        "list_remove",
        "expire_submit",
        "flush_begin",
        "flush_end",
    )
)


def _monitors(event: Step) -> bool:
    """Whether the tokens show the monitors of the list and of the entry."""
    shown = {token[1] for token in event.get("ord", ()) if token[0] == "L"}
    return {f"list:{event['list']}", f"entry:{event['entry']}"} <= shown


def _under_monitors(facts: Facts, event: Step) -> Refusal | None:
    """Who links or unlinks an entry holds its monitor and that of the list, where the recorder
    shows them at another link."""
    if event["k"] not in ("list_add", "list_remove") or "ord" not in event:
        return None
    facts.look("LinkedUnderMonitors")
    shown = _monitors(event)
    if shown and facts.unmonitored == NONE or not (shown or facts.monitored):
        return None
    entry = facts.unmonitored if shown else event["entry"]
    return Refusal(
        "LinkedUnderMonitors",
        f"entry {entry} is linked or unlinked by a thread that does not hold the monitors of the "
        "entry and of the list, as others do",
    )


def _of_levels(facts: Facts, event: Step) -> Refusal | None:
    """The clocks of all levels stand at the tick of the lowest one's when a flush begins."""
    lowest, tick, size = facts.wheel_ms, facts.tick_ms, facts.wheel_size
    named = facts.named("clock_advance") and facts.named("overflow_create")
    if event["k"] != "flush_begin" or lowest is None or not tick or not size or not named:
        return None
    for (timer, level), clock in facts.level_clocks.items():
        if timer != facts.timer or level == 1 or (timer, level) not in facts.published:
            continue
        facts.look("LevelsAtOneTime")
        due = lowest - lowest % (tick * size ** (level - 1))
        if clock != due:
            return Refusal(
                "LevelsAtOneTime",
                f"the clock of level {level} is {clock} ms when a flush begins, and must be {due} "
                f"ms where the lowest one's is {lowest} ms",
            )
    return None


def _as_published(facts: Facts, event: Step) -> Refusal | None:
    """A level that was made in the trace takes entries once it was published."""
    level = event.get("level", 1)
    if (
        event["k"] != "wheel_place"
        or level == 1
        or (facts.timer, level) not in facts.levels
        or not facts.named("overflow_create")
    ):
        return None
    facts.look("SafePublication")
    if (facts.timer, level) in facts.published:
        return None
    return Refusal(
        "SafePublication", f"an entry is placed in level {level}, which no thread has published"
    )


def _as_tried(facts: Facts, event: Step) -> Refusal | None:
    """tryCompleteElseWatch says true where its thread has completed the operation inside it."""
    if event["k"] != "try_watch_end" or event.get("res") != "false":
        return None
    if (event["tid"], event["op"]) in facts.won_inside:
        return Refusal(
            "CompletesOnce",
            f"tryCompleteElseWatch says that thread {event['tid']} has not completed "
            f"operation {event['op']}, and it has",
        )
    return None


# -- what each event tells


def take(facts: Facts, event: Step, thread: ThreadState) -> None:
    kind = event["k"]
    if "task" in event:
        if "entry" in event:
            facts.task_of.setdefault(event["entry"], event["task"])
        for part in observed(event):
            if kind in ("set_entry", "cancel") and (seen := part.get("entry")):
                facts.task_of.setdefault(seen, event["task"])
        if "op" in event:
            facts.tasks_of.setdefault(event["op"], event["task"])
    if "list" in event and kind != "checkpoint":
        level, slot = facts.places.get(event["list"], (None, None))
        facts.places[event["list"]] = (
            event.get("level") if level is None else level,
            event.get("bucket") if slot is None else slot,
        )
    if kind == "add_request":
        thread.request = event.get("task", NONE), event.get("now_ms"), event.get("delay_ms")
    elif kind == "entry_new":
        thread.request = NONE, None, None
    elif kind == "wheel_place":
        thread.placed = event["entry"], event.get("list", NONE)
    elif kind in ("list_add", "list_remove"):
        if kind == "list_add":
            thread.placed = NONE, NONE
        elif event.get("cause") == "flush":
            thread.back = event["entry"]
        if _monitors(event):
            facts.monitored, facts.unmonitored = True, NONE
        elif facts.unmonitored == NONE and "ord" in event:
            facts.unmonitored = event["entry"]
    elif kind in ("reinsert", "flush_end"):
        thread.back = NONE
    elif kind in ("wheel_new", "clock_advance") and "level" in event:
        if kind == "wheel_new":
            facts.levels.add((facts.timer, event["level"]))
        if "wheel_ms" in event:
            facts.level_clocks[facts.timer, event["level"]] = event["wheel_ms"]
    elif (
        kind == "force_cas"
        and event.get("res") == "true"
        and ("watch", event["op"]) in thread.inside
    ):
        facts.won_inside.add((event["tid"], event["op"]))
