"""The rules of the program text and of the clock as plain Python, one step at a time: beside `machine.py`, and like it written apart from the Spark expressions."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

TABLE = Path(__file__).resolve().parents[3] / "traces" / "bulk" / "successors.json"

Event = dict[str, Any]
NOTHING: Event = {"k": None}

PASSED_OVER = {
    "lock_acquire",
    "lock_release",
    "lock_wait",
    "rw_acquire",
    "rw_release",
    "owner_read",
    "list_add_retry",
    "overflow_create",
    "wheel_new",
    "bucket_new",
    "purge",
    "checkpoint",
    "drop",
    "dq_ready",
    "add_request",
    "check_begin",
    "check_end",
    "cancel_key_begin",
    "cancel_key_end",
    "try_watch_begin",
    "try_watch_end",
}


def at(e: Event) -> tuple[int, int, int]:
    return e["tid"], e["tseq"], e["lc"]


def steps(machine: Any, events: list[Event]) -> None:
    """Each thread's steps from first to last, with what was seen so far."""
    by_thread = defaultdict(list)
    for e in events:
        if e["k"] not in PASSED_OVER and (e["k"] != "dq_poll" or "list" in e):
            by_thread[e["tid"]].append(e)
    for own in by_thread.values():
        own.sort(key=lambda e: (e["tseq"], e["lc"], e["k"]))
        walk = taken = made = body = None
        unlinked = 0  # the list out of which the walk has last unlinked
        follow(machine, own)
        for index, e in enumerate(own):
            before = own[index - 1] if index else None
            after = own[index + 1] if index + 1 < len(own) else NOTHING if machine.whole else None
            for rule, holds in _asked(machine, e, before, after, taken, made):
                machine.say(rule, at(e), holds)
            if e["k"] == "try_end" and body and "on_complete_end" in machine.kinds:
                machine.say(
                    "BodyInsideTry", at(e), body["k"] == "on_complete_end" or body["op"] != e["op"]
                )
            if e["k"] == "list_remove" and e.get("cause") == "flush":
                if walk and {"flush_begin", "flush_end"} <= machine.kinds:
                    machine.say(
                        "UnlinkInsideFlush",
                        at(e),
                        walk["k"] == "flush_begin"
                        and walk["list"] == e["list"]
                        or unlinked == e["list"],
                    )
                unlinked = e["list"]
            if e["k"] in ("on_complete_begin", "on_complete_end"):
                body = e
            if e["k"] in ("flush_begin", "flush_end"):
                walk, unlinked = e, 0
            if e["k"] in ("dq_poll", "flush_begin"):
                taken = e
            if e["k"] in ("entry_new", "set_entry"):
                made = e


def follow(machine: Any, own: list[Event]) -> None:
    """A walk of one thread through the table of its specification."""
    table = json.loads(TABLE.read_text())["modules"].get(machine.module)
    if table is None or machine.capture.get("mode") != "full" or "kinds" in machine.capture:
        return
    known = set(table).union(*table.values())
    here = None
    for e in own:
        if e["k"] == "thread_start":
            here = "begin"
        if (
            e["k"] not in known
            or e["k"] == "list_remove"
            and e.get("cause") in ("cancel", "readd")
            and "cancel" not in table.get("list_remove", ())
        ):
            continue
        if here is not None:
            machine.say("StepFollows", at(e), e["k"] in table.get(here, ()))
        here = e["k"]


def _asked(
    machine: Any,
    e: Event,
    before: Event | None,
    after: Event | None,
    taken: Event | None,
    made: Event | None,
) -> list[tuple[str, bool]]:
    """(rule, whether it holds) of the rules that look at this step. ``before`` None: the thread's first step; ``after`` None: nobody knows what comes."""
    out: list[tuple[str, bool]] = []
    k, cause, seen = e["k"], e.get("cause"), machine.kinds

    def like(other: Event | None, kind: str, *names: str) -> bool:
        return (
            other is not None
            and other["k"] == kind
            and all(other.get(name, e.get(name)) == e.get(name, other.get(name)) for name in names)
        )

    def gone(other: Event | None, why: str, *names: str) -> bool:
        return like(other, "list_remove", *names) and other.get("cause") == why

    def reset(other: Event | None) -> bool:
        return like(other, "bucket_expiry_set", "list") and other["key_ms"] < 0

    def ask(rule: str, needs: str, holds: Callable[[], bool], known: bool = True) -> None:
        if known and set(needs.split()) <= seen:
            out.append((rule, bool(holds())))

    first, last = before is None, after is None
    if k in ("wheel_place", "wheel_reject"):

        def answered() -> bool:
            if not like(before, "cancel_check", "entry"):
                return False
            if before.get("res") not in ("true", "false") or k == "wheel_reject" and cause is None:
                return True
            return (before["res"] == "true") == (k == "wheel_reject" and cause == "cancel")

        ask("CheckBeforeWheel", "cancel_check", answered, not first)
    if k == "expire_submit" and machine.module != "TimingWheel":
        ask(
            "CheckBeforeHandOver",
            "cancel_check",
            lambda: like(before, "cancel_check", "entry") and before.get("res") in (None, "false"),
            not first,
        )
    if k == "cancel_check" and e.get("res") == "false":
        ask(
            "LiveGoesOn",
            "list_add expire_submit",
            lambda: (
                any(
                    like(after, kind, "entry")
                    for kind in (
                        "cancel_check",
                        "wheel_place",
                        "wheel_reject",
                        "list_add",
                        "expire_submit",
                    )
                )
                or gone(after, "readd", "entry")
            ),
            not last,
        )
    if (
        k == "list_add"
        and not first
        and before["k"] == "wheel_place"
        and before["entry"] == e["entry"]
        and "list" in before
    ):
        ask("LinkedIntoPlaced", "", lambda: before["list"] == e["list"])
    if k == "list_add":
        ask(
            "KeySetAfterLink",
            "bucket_expiry_set",
            lambda: like(after, "bucket_expiry_set", "list"),
            not last,
        )
    if k == "bucket_expiry_set" and e["key_ms"] >= 0:
        ask(
            "LinkBeforeKey",
            "list_add",
            lambda: (
                like(before, "list_add", "list")
                and e.get("exp_ms", before.get("exp_ms")) == before.get("exp_ms", e.get("exp_ms"))
            ),
            not first,
        )
        ask(
            "OfferAfterKeyChange",
            "dq_offer",
            lambda: like(after, "dq_offer", "list", "key_ms"),
            not last and e.get("res") == "true",
        )
    if k == "bucket_expiry_set" and e["key_ms"] < 0:
        ask(
            "FlushWithKeyReset",
            "flush_end",
            lambda: like(before, "flush_end", "list") or like(after, "flush_end", "list"),
            not first and not last,
        )
    if k == "dq_offer":
        ask(
            "KeyChangeBeforeOffer",
            "bucket_expiry_set",
            lambda: (
                like(before, "dq_poll", "list", "key_ms")
                or like(before, "bucket_expiry_set", "list", "key_ms")
                and before.get("res") in (None, "true")
            ),
            not first,
        )
    if k == "flush_begin":
        ask("PollBeforeFlush", "dq_poll", lambda: like(taken, "dq_poll", "list"), taken is not None)
    if k == "flush_end":
        ask(
            "KeyResetWithFlush",
            "bucket_expiry_set",
            lambda: reset(before) or reset(after),
            not last,
        )
    if k == "list_remove" and cause == "flush":
        ask("HandBackAfterUnlink", "reinsert", lambda: like(after, "reinsert", "entry"), not last)
    if k == "list_remove" and cause == "cancel":
        ask(
            "CancelAfterUnlink",
            "cancel",
            lambda: like(after, "cancel", "task") or gone(after, "cancel", "task"),
            not last,
        )
    if k == "reinsert":
        ask("UnlinkBeforeHandBack", "", lambda: gone(before, "flush", "entry"), not first)
    if k == "clock_advance":
        ask(
            "AdvanceByLevels",
            "",
            lambda: "level" in e and e["level"] > before.get("level", 1),
            not first and before["k"] == k,
        )
    if k == "entry_new":
        ask(
            "SetAfterNew",
            "set_entry",
            lambda: (
                like(after, "set_entry", "entry")
                or gone(after, "readd", "task")
                or like(before, "set_entry", "entry")
            ),
            not last,
        )
    if k == "set_entry":
        ask(
            "NewBeforeSet",
            "entry_new",
            lambda: like(made, "entry_new", "entry") or like(after, "entry_new", "entry"),
            not first and not last,
        )
    if k == "try_begin" and machine.variant == "TryPending":
        kinds = {"true": ["pending_set"], "false": ["pending_getset"]}.get(
            e.get("res", ""), ["pending_set", "pending_getset"]
        )
        ask(
            "NoteAfterTry",
            "pending_set",
            lambda: any(like(after, kind, "op") for kind in kinds),
            not last,
        )
    if k in ("pending_set", "pending_getset"):
        ask("TryBeforeNote", "try_begin", lambda: like(before, "try_begin", "op"), not first)
    if k == "force_cas":
        ask(
            "CancelAfterCompletion",
            "cancel",
            lambda: like(after, "cancel") or gone(after, "cancel"),
            not last and e.get("res") == "true",
        )
        if (
            e.get("res") == "true"
            and not first
            and before["k"] == "task_run"
            and "task" in before
            and after
            and after["k"] in ("cancel", "list_remove")
        ):
            ask(
                "TimeoutCancelsItself",
                "",
                lambda: after.get("task", before["task"]) == before["task"],
            )
        if (
            cause == "expiry"
            and not first
            and before["k"] == "task_run"
            and "exp_ms" in e
            and "exp_ms" in before
        ):
            ask("TimeoutOfTask", "", lambda: e["exp_ms"] == before["exp_ms"])
        ask(
            "RunBeforeTimeout",
            "task_run",
            lambda: like(before, "task_run"),
            not first and cause == "expiry",
        )
    if k == "on_complete_begin":
        ask("CancelBeforeBody", "cancel", lambda: like(before, "cancel"), not first)
    return out


def clock(machine: Any, events: list[Event]) -> None:
    """The wheel's clock over the whole run, and the bucket that each thread has in hand."""
    lowest, size, start = (
        (machine.config or {}).get("tick_ms"),
        (machine.config or {}).get("wheel_size"),
        (machine.config or {}).get("start_ms"),
    )
    clocks: dict[int, int] = {}
    hand: dict[int, Event] = {}
    latest: dict[int, str] = {}
    for e in events:
        if e["k"] == "dq_poll" and "list" in e:
            hand[e["tid"]] = e
        elif e["k"] == "clock_advance":
            level = e.get("level", 1)
            tick = lowest * size ** (level - 1) if lowest else None
            was = clocks.get(level)
            if was is not None:
                machine.say("ClockNeverBack", at(e), e["wheel_ms"] >= was)
            if tick and "now_ms" in e:
                machine.say(
                    "ClockBehindTime",
                    at(e),
                    e["wheel_ms"] <= e["now_ms"] and e["wheel_ms"] % tick == 0,
                )
            if (
                tick
                and latest.get(e["tid"]) in ("dq_poll", "clock_advance")
                and "key_ms" in hand.get(e["tid"], {})
            ):
                key = hand[e["tid"]]["key_ms"]
                machine.say(
                    "ClockStopsAtKey",
                    at(e),
                    e["wheel_ms"] == max([key // tick * tick] + ([was] if was is not None else [])),
                )
            clocks[level] = e["wheel_ms"]
        elif e["k"] == "flush_begin":
            mine = hand.get(e["tid"], {})
            if (
                {"dq_poll", "clock_advance"} <= machine.kinds
                and mine.get("list") == e["list"]
                and "key_ms" in mine
                and lowest
            ):
                now = clocks.get(1, start)
                machine.say(
                    "ClockReachesKey",
                    at(e),
                    now is not None and now >= mine["key_ms"] // lowest * lowest,
                )
        else:
            continue
        latest[e["tid"]] = e["k"]
