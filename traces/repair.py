"""The cheapest edit of a refused trace after which it is refused least, as a sentence."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from traces.events import Step, columns, spoken
from traces.failure import Failure


def repair(failure: Failure) -> str:
    """The cheapest edit after which the failing event and what comes after it are refused
    least."""
    if failure.property == "NoDeadlock":
        held = [token[1] for token in failure.event.get("ord", ()) if token[0] == "L"]
        waits = failure.event["k"] == "lock_wait"
        lock = (held[-1] if waits else held[0]) if held else "the other lock"
        return f"let go of {lock} before line {failure.line}"
    if (
        failure.property == "NoLostCompletion"
        and len(owed := list(failure.before().enabled(failure.event))) == 1
    ):
        return f"insert {spoken(owed[0])} before line {failure.line}"
    best = None
    for cost, sentence, edited in _edits(failure):
        left = _refused(failure, edited)
        if best is None or (left, cost) < best[:2]:
            best = left, cost, sentence
    return (
        best[2]
        if best is not None and best[0] <= _refused(failure, [failure.event])
        else "no single event repairs it"
    )


def _edits(failure: Failure) -> Iterator[tuple[int, str, list[Step]]]:
    event, line, tid = failure.event, failure.line, failure.event["tid"]
    state = failure.before()
    for step in state.enabled(event):
        if step["k"] not in ("flush_end", "cancel"):
            yield (
                (3 if step["k"] == "list_add" else 1),
                f"insert {spoken(step)} before line {line}",
                [step, event],
            )
    task, entry = event.get("task"), event.get("entry")
    here = state.where.get(entry, 0) if entry else 0
    if here and event["k"] == "list_remove" and here != event["list"]:
        moved = event.copy()
        moved["list"] = here
        moved.pop("ord", None)  # the monitors are those of the other list
        yield (
            1,
            f"change line {line}: the entry is in list {here}, not in list {event['list']}",
            [moved],
        )
    if here and entry and failure.property == "RunsOncePerAdd":
        removal: Step = {
            "k": "list_remove",
            "tid": tid,
            "entry": entry,
            "list": here,
            "cause": "flush",
        }
        yield 1, f"insert {spoken(removal)} before line {line}", [removal, event]
    if task and entry and failure.property == "CancelWins" and event["k"] == "cancel_check":
        yield (
            2,
            f"insert set_entry(t{task}, e{entry}) before line {line}",
            [{"k": "set_entry", "tid": tid, "task": task, "entry": entry}, event],
        )
    if (
        event["k"] != "thread_stop"
    ):  # who ends has not done something else: not to end would be no repair
        yield 2, f"delete line {line}: {spoken(event)}", []


def _refused(failure: Failure, edited: Iterable[Step]) -> int:
    """How many of the edited events, and of those after them that are about the same things,
    are refused. Counters are left out."""
    state, count = failure.before(), 0
    about_what = columns(failure.event)
    about: set[tuple[str, object]] = {
        (column, about_what[column]) for column in ("task", "entry", "op") if column in about_what
    }
    after = [
        event
        for _, event in failure.after
        if about & {(column, columns(event).get(column)) for column in ("task", "entry", "op")}
    ]
    for event in [*edited, *after]:
        event = event.copy()
        event.pop("post", None)
        count += state.judge(event) is not None
        state.apply(event)
    return count
