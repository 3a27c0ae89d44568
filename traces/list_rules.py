"""The rules of lists and tasks: links, unlinks, checks and hand-overs of entries."""

from __future__ import annotations

from collections.abc import Iterator

from traces import operation_rules, timeout_rules, wheel_rules
from traces.events import Refusal, Step, clock_of, counter_of, seen_by
from traces.facts import Facts, Judges
from traces.schema import NONE, NOT_QUEUED
from traces.thread_state import ThreadState


def _list_add(facts: Facts, event: Step, thread: ThreadState) -> Refusal | None:
    entry, bucket = event["entry"], event["list"]
    here = facts.where.get(entry, NONE)
    facts.look("AtMostOneList")
    if here == bucket:
        return Refusal(
            "RingWellFormed", f"entry {entry} is linked into list {bucket}, which has it already"
        )
    # where the entry's monitor is held, who links it could see that it is in another ring, and
    # tears it out of that
    if here and "eseq" in event:
        return Refusal(
            "RingWellFormed",
            f"entry {entry} is linked into list {bucket} by a thread that has its monitor,"
            f" while list {here} has it: that ring is broken",
        )
    if here:
        return Refusal(
            "AtMostOneList", f"entry {entry} is linked into list {bucket} while list {here} has it"
        )
    if facts.recorded("cancel_check") and (thread.flushes or thread.checked == (entry, True)):
        facts.look("CancelWins")
        if not thread.flushes:
            return Refusal(
                "CancelWins",
                f"entry {entry}, whose task was found cancelled, is put into list {bucket}",
            )
        if thread.checked != (entry, False):
            what = _unchecked(entry, thread)
            return Refusal("CancelWins", f"a flush puts entry {entry}, {what}, into list {bucket}")
    if refusal := wheel_rules.over(facts, event):
        return refusal
    return _counted(facts, event, 1)


def _unchecked(entry: int, thread: ThreadState) -> str:
    """Why the thread may not go on with the entry: its last check found something else."""
    found_cancelled = thread.checked == (entry, True)
    return "whose task was found cancelled" if found_cancelled else "that was not checked"


def _list_add_retry(facts: Facts, event: Step, thread: ThreadState) -> Refusal | None:
    """Who tries again has seen, with the entry's monitor held, that a list has the entry."""
    seen, entry = event.get("pre", {}).get("list"), event["entry"]
    if seen is None or "eseq" not in event:
        return None
    facts.look("ExactlyItsList")
    if seen != facts.where.get(entry, NONE):
        return Refusal(
            "ExactlyItsList",
            f"entry {entry} is found in list {seen or 'none'}, and list"
            f" {facts.where.get(entry) or 'none'} has it",
        )
    return None


def _list_remove(facts: Facts, event: Step, thread: ThreadState) -> Refusal | None:
    entry, bucket = event["entry"], event["list"]
    here = facts.where.get(entry, NONE)
    facts.look("ExactlyItsList")
    if not here:
        left = event.get("post", {}).get("counter", 0)
        name = "TypeOK" if left < 0 else "CounterExact"
        return Refusal(
            name,
            f"entry {entry} is taken out of list {bucket}, and no list has it"
            + (f": the counter is {left}" if left < 0 else ""),
        )
    if here != bucket and event.get("post", {}).get("list") == here:
        return Refusal(
            "CounterExact",
            f"entry {entry} is counted out of list {bucket}, and stays where it is, in list {here}",
        )
    if here != bucket:
        return Refusal(
            "RingWellFormed",
            f"entry {entry} is taken out of list {bucket}, and list {here} has it: that ring is"
            " changed without its monitor",
        )
    if event.get("cause") == "flush":
        if refusal := _handed_on(facts, thread):
            return refusal
        facts.look("RingWellFormed")
        if "exp_ms" in event and facts.keys.get(bucket, NOT_QUEUED) != NOT_QUEUED:
            facts.look("KeyBeforeDeadline")
            if facts.keys[bucket] > event["exp_ms"]:
                return Refusal(
                    "KeyBeforeDeadline",
                    f"entry {entry}, due at {event['exp_ms']} ms, is in list {bucket}, whose"
                    f" key is {facts.keys[bucket]} ms",
                )
        head = next(iter(facts.rings[bucket]))
        if head != entry:
            return Refusal(
                "RingWellFormed",
                f"a flush of list {bucket} takes entry {entry}, and entry {head} is its head",
            )
    return _counted(facts, event, -1)


def _counted(facts: Facts, event: Step, delta: int) -> Refusal | None:
    seen = event.get("post", {}).get("counter")
    name = counter_of(event)
    if seen is None or name is None:
        return None
    facts.look("CounterExact")
    if name in facts.counters and facts.counters[name] + delta != seen:
        return Refusal(
            "CounterExact",
            f"{name} is {seen} after {event['k']}, and was {facts.counters[name]} before",
        )
    return Refusal("TypeOK", f"{name} is {seen}") if seen < 0 else None


def _cancel_check(facts: Facts, event: Step, thread: ThreadState) -> Refusal | None:
    task, entry = event["task"], event["entry"]
    facts.look("CancelWins")
    if task not in facts.entry_of:
        return None
    current = facts.entry_of[task]
    seen = event.get("pre", {}).get("entry")
    if seen is not None and seen != current:
        return Refusal(
            "CancelWins",
            f"a check reads entry {seen} of task {task}, and its entry is {current or 'none'}",
        )
    if "res" in event and event["res"] != ("false" if current == entry else "true"):
        found = "cancelled" if event["res"] == "true" else "live"
        return Refusal(
            "CancelWins",
            f"a check finds entry {entry} {found}, and its task's entry is {current or 'none'}",
        )
    return None


def _expire_submit(facts: Facts, event: Step, thread: ThreadState) -> Refusal | None:
    entry, emptied = event["entry"], event.get("cause") == "shutdown"
    if emptied and thread.hand != entry:
        return Refusal(
            "RunsOncePerAdd",
            f"entry {entry} is handed over because the timer is emptied, by a thread that has"
            " not taken it out of a list",
        )
    if facts.recorded("cancel_check") and not emptied:
        facts.look("CancelWins")
        if thread.checked != (entry, False):
            what = _unchecked(entry, thread)
            again = (
                " once more" if thread.fired == entry and thread.checked != (entry, True) else ""
            )
            return Refusal("CancelWins", f"entry {entry}, {what}{again}, is handed over{again}")
    here = facts.where.get(entry, NONE)
    if here and facts.recorded("list_remove"):
        facts.look("FiredOnce")
        if any(bucket == here for _, bucket in thread.flushes):
            return Refusal(
                "CounterExact",
                f"entry {entry} is handed over by a flush, and was not counted out of list {here}",
            )
        return Refusal(
            "FiredOnce",
            f"entry {entry} is handed over while list {here} has it, which will hand it over again",
        )
    if "exp_ms" in event and facts.wheel_ms is not None and facts.tick_ms and not emptied:
        facts.look("NotEarly")
        if event["exp_ms"] >= facts.wheel_ms + facts.tick_ms:
            return Refusal(
                "NotEarly",
                f"entry {entry}, due at {event['exp_ms']} ms, is handed over while the wheel's"
                f" clock is {facts.wheel_ms} ms",
            )
    if thread.flushes:
        facts.look("RunsOncePerAdd")
        if thread.hand != entry:
            return Refusal(
                "RunsOncePerAdd",
                f"entry {entry} is handed over by a flush that has not taken it out of a list",
            )
    return None


def _task_run(facts: Facts, event: Step, thread: ThreadState) -> Refusal | None:
    entry = event.get("entry")
    if entry is None or not facts.recorded("expire_submit"):
        return timeout_rules.taken(facts, event)
    facts.look("RunsOncePerAdd")
    facts.look("HandedOverRuns")
    if entry in facts.handed:
        return None
    return Refusal(
        "RunsOncePerAdd",
        f"entry {entry} runs, and was not handed over since it was made, or ran already",
    )


def _cancel(facts: Facts, event: Step, thread: ThreadState) -> Refusal | None:
    refusal = (
        operation_rules.cancel_of(facts, event) if "op" in event else _was(facts, event, thread)
    )
    return refusal or _unlinked(facts, event, thread)


def _unlinked(facts: Facts, event: Step, thread: ThreadState) -> Refusal | None:
    """Who clears a task's entry has taken it out of its list.

    A link that comes after the thread has looked is another matter: a flush puts it there. What a
    thread has seen that does not say so is not known where unlinks have their numbers too late.
    """
    before = event.get("pre", {})
    entry = before.get("entry", facts.entry_of.get(event["task"], NONE))
    seen = before.get("list")
    if not entry or not facts.recorded("list_remove") or not facts.recorded("list_add"):
        return None
    if seen is None and facts.late:
        return None
    facts.look("CancelUnlinks")
    bucket = facts.where.get(entry, NONE)
    if seen or bucket and facts.linked_at.get(entry, 0) < max(thread.lc, 1):
        return Refusal(
            "CancelUnlinks",
            f"the entry of task {event['task']} is cleared, and entry {entry} was not taken out"
            f" of list {seen or bucket} before",
        )
    return None


def unrun(facts: Facts) -> Iterator[Refusal]:
    """What the executor has taken and not run, at the end of a whole trace whose runs of tasks
    name their entries."""
    if not facts.runs_named:
        return
    for entry in facts.handed:
        yield Refusal(
            "HandedOverRuns", f"entry {entry} was handed over to the executor, and never runs"
        )


def _was(facts: Facts, event: Step, thread: ThreadState) -> Refusal | None:
    task = event["task"]
    seen = event.get("pre", {}).get("entry")
    if seen is not None and facts.entry_of.get(task, seen) != seen:
        return Refusal(
            "CancelWins",
            f"{event['k']} finds entry {seen or 'none'} of task {task}, and its entry is"
            f" {facts.entry_of[task] or 'none'}",
        )
    return None


def _flush_end(facts: Facts, event: Step, thread: ThreadState) -> Refusal | None:
    if not thread.flushes or thread.flushes[-1] != (event["span"], event["list"]):
        return Refusal(
            "ExactlyItsList",
            f"a flush of list {event['list']} ends that the thread has not begun last",
        )
    if refusal := _handed_on(facts, thread):
        return refusal
    if left := facts.rings.get(event["list"]):
        return Refusal(
            "RingWellFormed",
            f"a flush of list {event['list']} ends while entry {next(iter(left))} is its head",
        )
    return None


def _handed_on(facts: Facts, thread: ThreadState) -> Refusal | None:
    """A flush that has found an entry live puts it into a list or hands it over before it does
    anything else."""
    if not facts.recorded("cancel_check") or not facts.recorded("expire_submit"):
        return None
    facts.look("EveryTimerFires")
    if thread.hand and thread.checked[0] != thread.hand:
        return Refusal(
            "EveryTimerFires",
            f"a flush has taken out entry {thread.hand}, and goes on without having checked it",
        )
    if thread.hand:
        return Refusal(
            "EveryTimerFires",
            f"a flush has taken out entry {thread.hand}, which is live, and hands it nowhere",
        )
    return None


JUDGES: Judges = {
    "list_add": _list_add,
    "list_remove": _list_remove,
    "list_add_retry": _list_add_retry,
    "cancel_check": _cancel_check,
    "expire_submit": _expire_submit,
    "cancel": _cancel,
    "set_entry": _was,
    "flush_end": _flush_end,
    "task_run": _task_run,
}


# -- what each kind does


def take(facts: Facts, event: Step, thread: ThreadState) -> None:
    kind = event["k"]
    if kind == "list_add":
        _unlink(facts, event["entry"])
        facts.rings.setdefault(event["list"], {})[event["entry"]] = None
        facts.where[event["entry"]] = thread.linked = event["list"]
        facts.linked_at[event["entry"]] = clock_of(event)
        thread.hand = NONE
        _count(facts, event, 1)
    elif kind == "list_remove":
        _unlink(facts, event["entry"])
        if event.get("cause") == "flush":
            thread.hand, thread.checked = event["entry"], (NONE, False)
        _count(facts, event, -1)
    elif kind == "cancel_check":
        thread.checked = (event["entry"], event.get("res") == "true")
        if event.get("res") == "true" and thread.hand == event["entry"]:
            thread.hand = NONE
    elif kind == "expire_submit":
        thread.checked, thread.hand, thread.fired = (NONE, False), NONE, event["entry"]
        if event.get("cause") != "shutdown" and event.get("res") != "raised":
            facts.handed[event["entry"]] = None
    elif kind == "task_run":
        facts.runs_named = facts.runs_named or "entry" in event
        facts.handed.pop(event.get("entry", NONE), None)
    elif kind == "cancel":
        facts.entry_of[event["task"]] = NONE
    elif kind == "set_entry":
        facts.entry_of[event["task"]] = event["entry"]
    elif kind == "flush_begin":
        thread.flushes.append((event["span"], event["list"]))
        thread.reset = NONE
    elif kind == "flush_end":
        if thread.flushes:
            thread.flushes.pop()
        thread.hand = NONE
        thread.flushed = NONE if thread.reset == event["list"] else event["list"]
    elif kind == "checkpoint":
        _take_checkpoint(facts, event)


def _take_checkpoint(facts: Facts, event: Step) -> None:
    seen = seen_by(event)
    if (
        "entry" in event
        and "list" in seen
        and facts.where.get(event["entry"], NONE) != seen["list"]
    ):
        _unlink(facts, event["entry"])
        if seen["list"]:
            facts.rings.setdefault(seen["list"], {})[event["entry"]] = None
            facts.where[event["entry"]] = seen["list"]
    if "task" in event and "entry" in seen:
        facts.entry_of[event["task"]] = seen["entry"]
    if (name := counter_of(event)) is not None and "counter" in seen:
        facts.counters[name] = seen["counter"]


def _unlink(facts: Facts, entry: int) -> None:
    here = facts.where.pop(entry, NONE)
    facts.linked_at.pop(entry, None)
    if here:
        facts.rings[here].pop(entry, None)


def _count(facts: Facts, event: Step, delta: int) -> None:
    name = counter_of(event)
    if name is not None:
        counted = facts.counters.get(name, 0) + delta
        facts.counters[name] = event.get("post", {}).get("counter", counted)
