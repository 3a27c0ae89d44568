"""Steps that a thread could take in place of one that is refused."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from traces import operation_rules
from traces.events import Columns, Refusal, Step
from traces.facts import Facts


def enabled(facts: Facts, judge: Callable[[Step], Refusal | None], event: Step) -> Iterator[Step]:
    """Steps on the objects of ``event`` that its thread could take here, as far as the lists,
    tasks and checks are concerned. ``judge``: why a step may not come."""
    tid, entry = event["tid"], event.get("entry")
    task, bucket = event.get("task"), event.get("list")
    candidates: list[Step] = []
    if entry:
        lists = dict.fromkeys(name for name in (bucket, facts.where.get(entry)) if name)
        candidates += [
            {"tid": tid, "k": kind, "entry": entry, "list": name}
            for kind in ("list_add", "list_remove")
            for name in lists
        ]
        candidates.append({"tid": tid, "k": "expire_submit", "entry": entry})
    if entry and task:
        candidates.append(
            {
                "tid": tid,
                "k": "cancel_check",
                "task": task,
                "entry": entry,
                "res": "false" if facts.entry_of.get(task) == entry else "true",
            }
        )
    if task and "op" not in event:
        candidates.append({"tid": tid, "k": "cancel", "task": task})
    candidates += _steps_of_operation(facts, event)
    flushes = facts.thread(tid).flushes
    if flushes:
        span, name = flushes[-1]
        candidates.append({"tid": tid, "k": "flush_end", "span": span, "list": name})
    applied = dict(facts.applied)
    for candidate in candidates:
        if judge(candidate) is None:
            yield candidate
    facts.applied = applied


def _steps_of_operation(facts: Facts, event: Step) -> Iterator[Step]:
    """Steps on the operation of ``event``, or on the one that its thread owes something, that
    may be possible; each still has to be judged."""
    tid = event["tid"]
    thread = facts.thread(tid)
    number = thread.duty[1] if thread.duty else event.get("op")
    if number is None:
        left = operation_rules.unfinished(facts, tid) if event["k"] == "thread_stop" else iter(())
        if (refusal := next(left, None)) is not None:
            for kind in ("on_complete_begin", "on_expire"):
                step: Step = {"tid": tid, "k": kind}
                if refusal.op is not None:
                    step["op"] = refusal.op
                yield step
        return
    found, holder = facts.operation(number), facts.holder.get(f"op:{number}")
    known: Columns = {"op": number}
    if holder == tid:
        known["oseq"] = 0
    if holder in (None, tid):
        yield {
            "tid": tid,
            "k": "try_begin",
            "res": "false" if found.protocol == "Blocking" and found.completed else "true",
            **known,
        }
    else:
        yield {"tid": tid, "k": "try_begin", "res": "false", **known}
    if thread.duty:
        note: Columns = {} if found.pending is None else {"pre": {"pending": found.pending}}
        yield {"tid": tid, "k": "pending_set", "post": {"pending": False}, **note, **known}
        yield {"tid": tid, "k": "pending_getset", "post": {"pending": True}, **note, **known}
    within = ("try", number) in thread.inside
    yield {
        "tid": tid,
        "k": "force_cas",
        "res": "false" if found.completed else "true",
        "cause": "event" if within else "expiry",
        **known,
    }
    if thread.inside:
        yield {
            "tid": tid,
            "k": "try_end",
            "res": "true" if found.winner == tid and found.tried else "false",
            **known,
        }
        yield {"tid": tid, "k": "on_complete_end", **known}
    yield {"tid": tid, "k": "on_complete_begin", **known}
    yield {"tid": tid, "k": "on_expire", **known}
