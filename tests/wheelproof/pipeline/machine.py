"""The rules once more, as a plain Python machine over events in order: written apart from the Spark expressions, to be compared with them.

``violations(header, footer, events)`` gives (rule, what) pairs, where ``what`` is the event's (tid, tseq, lc) or, of a rule about an object, its id.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import Any

import program_machine
import watcher_machine

Event = dict[str, Any]


class Machine:
    def __init__(self, header: dict[str, Any], footer: dict[str, Any] | None) -> None:
        self.config, self.variant, self.capture = (
            header.get("config"),
            header.get("variant"),
            header.get("capture", {}),
        )
        self.module = header.get("spec", {}).get("module")
        self.initial, self.footer = header.get("initial") or {}, footer
        self.whole = (
            footer is not None
            and not footer["dropped"]
            and "cut" not in footer
            and footer["events"] == sum(footer["per_thread_last_tseq"].values())
        )
        self.found: list[tuple[str, Any]] = []

    def say(self, rule: str, what: Any, holds: Any) -> None:
        if not holds:
            self.found.append((rule, what))

    def check(self, events: list[Event]) -> list[tuple[str, Any]]:
        events = sorted(events, key=lambda e: (e["lc"], e["tid"], e["tseq"]))
        self.kinds = {e["k"] for e in events}
        for event in events:
            self.row(event, (event["tid"], event["tseq"], event["lc"]))
        self.threads(events)
        program_machine.steps(self, events)
        program_machine.clock(self, events)
        self.brackets(events)
        self.entries(events)
        self.tasks(events)
        self.operations(events)
        watcher_machine.watchers(self, events)
        self.lists(events)
        self.tokens(events)
        return sorted(self.found, key=str)

    # -- one event

    def row(self, e: Event, at: Any) -> None:
        k, tokens = e["k"], e.get("ord", ())
        pre, post = e.get("pre", {}), e.get("post", {})
        if any(name in e for name in ("eseq", "lseq", "oseq")):
            self.say(
                "LockOfObject",
                at,
                all(
                    ("L", f"{role}:{e.get(role)}", e[name]) in [token[:3] for token in tokens]
                    for role, name in (("entry", "eseq"), ("list", "lseq"), ("op", "oseq"))
                    if name in e
                ),
            )
        role = {
            "set_entry": "task",
            "cancel": "task",
            "cancel_check": "task",
            "force_cas": "op",
            "pending_set": "op",
            "pending_getset": "op",
            "bucket_expiry_set": "list",
        }.get(k)
        words = [token[1] for token in tokens if token[0] == "V"]
        if role and any(word.startswith(f"{role}:") for word in words):
            self.say(
                "WordOfObject", at, any(word.startswith(f"{role}:{e.get(role)}.") for word in words)
            )
        lowest = self.config["tick_ms"] if self.config else None
        size = self.config["wheel_size"] if self.config else None
        tick = lowest * size ** (e["level"] - 1) if lowest and "level" in e else None
        if k == "wheel_place" and tick:
            self.say(
                "SlotInRange",
                at,
                e["vid"] == e["exp_ms"] // tick and e["bucket"] == e["vid"] % size,
            )
            wheel, deadline = e["wheel_ms"], e["exp_ms"]

            def trimmed(unit: int) -> int:
                return wheel - wheel % unit

            fitting = deadline < trimmed(tick) + tick * size
            if e["level"] > 1:
                below = tick // size
                fitting = fitting and not deadline < trimmed(below) + tick
            self.say("LevelBound", at, fitting and deadline >= trimmed(lowest) + lowest)
        if k in ("bucket_expiry_set", "dq_offer") and lowest and e["key_ms"] >= 0:
            self.say("KeyAligned", at, e["key_ms"] % (tick or lowest) == 0)
        if k == "bucket_expiry_set":
            if tick and "exp_ms" in e and e["key_ms"] >= 0:
                self.say("KeyOfDeadline", at, e["key_ms"] == e["exp_ms"] // tick * tick)
            if "key_ms" in pre and "res" in e:
                self.say(
                    "KeyChangeSeen", at, (e["res"] == "true") == (pre["key_ms"] != e["key_ms"])
                )
        if (
            (k == "expire_submit" or k == "wheel_reject" and e.get("cause") == "due")
            and lowest
            and "exp_ms" in e
            and "wheel_ms" in e
        ):
            self.say("NotEarly", at, e["exp_ms"] < e["wheel_ms"] + lowest)
        if (
            k == "force_cas"
            and e.get("cause") == "expiry"
            and e["res"] == "true"
            and "exp_ms" in e
            and lowest
        ):
            self.say("ExpiresNotEarly", at, e["now_ms"] > e["exp_ms"] - lowest)
        if k == "dq_poll" and "list" in e and "now_ms" in e:
            self.say("PolledWhenReady", at, e["key_ms"] <= e["now_ms"])
        if k == "entry_new" and "delay_ms" in e:
            self.say("DeadlineOfDelay", at, e["exp_ms"] == e["now_ms"] + e["delay_ms"])
        if k == "list_add" and ("list" in pre or "list" in post):
            self.say(
                "LinkObserved", at, post.get("list", e["list"]) == e["list"] and not pre.get("list")
            )
        if k == "list_remove" and ("list" in pre or "list" in post):
            self.say(
                "UnlinkObserved",
                at,
                pre.get("list", e["list"]) == e["list"] and not post.get("list"),
            )
        written = {
            "bucket_expiry_set": ("key_ms", e.get("key_ms")),
            "set_entry": ("entry", e.get("entry")),
            "cancel": ("entry", 0),
            "force_cas": ("completed", True),
        }.get(k)
        if written and written[0] in post:
            self.say("WrittenObserved", at, post[written[0]] == written[1])
        if k == "cancel" and "list" in pre:
            self.say("CancelObserved", at, pre["list"] == 0)
        if k == "force_cas" and "completed" in pre:
            self.say("CompletionObserved", at, (e["res"] == "true") != pre["completed"])

    # -- a thread

    def threads(self, events: list[Event]) -> None:
        by_thread = defaultdict(list)
        for e in events:
            by_thread[e["tid"]].append(e)
        for tid in {
            *by_thread,
            *(int(name) for name in (self.footer or {}).get("per_thread_last_tseq", {})),
        }:
            last, clock, holds = 0, 0, False
            for e in sorted(by_thread[tid], key=lambda e: (e["tseq"], e["lc"], e["k"])):
                at = (tid, e["tseq"], e["lc"])
                self.say("ThreadNoGap", at, e["tseq"] <= last + 1)
                self.say("ThreadOnce", at, e["tseq"] > last)
                self.say("ThreadClock", at, not clock or e["lc"] > clock)
                self.say("NothingDropped", at, e["k"] != "drop")
                if e["k"] in ("rw_acquire", "rw_release"):
                    self.say("TimerLockBalanced", at, holds == (e["k"] == "rw_release"))
                    holds = e["k"] == "rw_acquire"
                if (
                    e["k"] in ("wheel_place", "wheel_reject", "clock_advance", "flush_begin")
                    and {"rw_acquire", "rw_release"} <= self.kinds
                ):
                    self.say("WheelUnderTimerLock", at, holds)
                if (
                    any(token[0] == "RW" for token in e.get("ord", ()))
                    and {"rw_acquire", "rw_release"} <= self.kinds
                ):
                    self.say("TimerLockHeld", at, holds or e["k"] == "rw_release")
                last, clock = e["tseq"], e["lc"]
            if (
                self.footer
                and "cut" not in self.footer
                and str(tid) in self.footer["per_thread_last_tseq"]
            ):
                said = self.footer["per_thread_last_tseq"][str(tid)]
                self.say("ThreadEnd", (tid, said, None), last == said)
                if said > 0:
                    self.say("TimerLockReturned", (tid, said, None), not holds)

    def brackets(self, events: list[Event]) -> None:
        spans = defaultdict(list)
        for e in events:
            if "span" in e and e["phase"] != "atomic":
                spans[e["span"]].append(e)
        for ends in spans.values():
            begun = [e["lc"] for e in ends if e["phase"] == "begin"]
            ended = [e["lc"] for e in ends if e["phase"] == "end"]
            about = {
                (e["tid"], e["k"].rsplit("_", 1)[0], e.get("list"), e.get("op"), e.get("key"))
                for e in ends
            }
            self.say("BracketOnce", None, len(begun) <= 1 and len(ended) <= 1 and len(about) == 1)
            if self.whole:
                self.say("BracketCloses", None, begun and ended and min(begun) < max(ended))

    # -- an entry, a task

    def entries(self, events: list[Event]) -> None:
        where: dict[int, int] = {
            entry: int(name)
            for name, ring in self.initial.get("lists", {}).items()
            for entry in ring
        }
        moved: dict[int, str] = dict.fromkeys(where, "checkpoint")
        deadline: dict[int, int] = {}
        mover: dict[int, int] = {}
        placed: dict[int, str] = {}
        checked: dict[int, Event] = {}
        since: dict[int, int] = dict.fromkeys(where, 0)
        unlinked: dict[int, str] = {}
        last: dict[int, tuple[Event, Any]] = {}
        for e in events:
            k, entry = e["k"], e.get("entry")
            if entry is None or k not in (
                "entry_new",
                "list_add",
                "list_remove",
                "list_add_retry",
                "wheel_place",
                "wheel_reject",
                "reinsert",
                "expire_submit",
                "task_run",
                "cancel_check",
            ):
                continue
            last[entry] = e, (e["tid"], e["tseq"], e["lc"])
            at, here = (e["tid"], e["tseq"], e["lc"]), where.get(entry, 0)
            if k == "list_add":
                self.say("AtMostOneList", at, not here)
            if k == "list_remove":
                self.say("ExactlyItsList", at, here == e["list"])
            if k == "list_add_retry" and "list" in e.get("pre", {}):
                self.say("RetrySeesOwner", at, e["pre"]["list"] == here)
            again = (
                k == "list_add"
                and moved.get(entry) == "list_remove"
                and unlinked.get(entry) == "flush"
                and mover[entry] == e["tid"]
            )
            if (
                k == "expire_submit" and e.get("cause") != "shutdown" or again
            ) and "cancel_check" in self.kinds:
                seen = checked.get(entry)
                self.say(
                    "CheckedLive",
                    at,
                    seen
                    and seen["res"] == "false"
                    and seen["tid"] == e["tid"]
                    and seen["lc"] > since.get(entry, -1),
                )
            if k == "cancel_check":
                checked[entry] = e
            if k == "entry_new":
                self.say("FreshId", at, entry not in moved)
            if k in ("expire_submit", "list_add", "wheel_place"):
                self.say("FiredOnce", at, moved.get(entry) not in ("expire_submit", "task_run"))
            if k == "task_run" and "expire_submit" in self.kinds:
                self.say("RunsOncePerAdd", at, moved.get(entry) == "expire_submit")
            if k == "reinsert":
                self.say(
                    "ReinsertAfterUnlink",
                    at,
                    moved.get(entry) == "list_remove" and mover[entry] == e["tid"],
                )
            if (
                k == "expire_submit"
                and e.get("cause") != "shutdown"
                and {"wheel_place", "wheel_reject"} <= self.kinds
            ):
                self.say("RefusedBeforeHandOver", at, placed.get(entry) == "wheel_reject")
            if k in ("wheel_place", "list_add") and "wheel_place" in self.kinds:
                self.say(
                    "LinkedWherePlaced",
                    at,
                    (placed.get(entry) == "wheel_place") == (k == "list_add"),
                )
            if k in ("wheel_place", "wheel_reject", "list_add"):
                placed[entry] = k
            if k in ("expire_submit", "wheel_reject", "reinsert"):
                self.say("HandedOverUnlinked", at, not here)
            if "exp_ms" in e:
                self.say("DeadlineStays", at, deadline.get(entry, e["exp_ms"]) == e["exp_ms"])
                deadline[entry] = e["exp_ms"]
            if k in ("entry_new", "list_add", "list_remove", "expire_submit", "task_run"):
                moved[entry], where[entry], mover[entry], since[entry], unlinked[entry] = (
                    k,
                    e["list"] if k == "list_add" else 0,
                    e["tid"],
                    e["lc"],
                    e.get("cause"),
                )
        if self.whole and any(e["k"] == "task_run" and "entry" in e for e in events):
            over = {
                e["entry"]: e
                for e in events
                if e["k"] in ("expire_submit", "task_run", "list_add", "list_remove", "entry_new")
                and "entry" in e
            }
            for entry, e in over.items():  # the last of each
                if (
                    e["k"] == "task_run"
                    or e["k"] == "expire_submit"
                    and e.get("cause") != "shutdown"
                    and e.get("res") != "raised"
                ):
                    self.say("HandedOverRuns", last[entry][1], e["k"] == "task_run")
        if self.whole and {"expire_submit", "cancel_check"} <= self.kinds:
            for e, at in last.values():
                forgotten = {
                    "list_remove": e.get("cause") == "flush",
                    "wheel_reject": e.get("cause") == "due",
                    "cancel_check": e.get("res") == "false",
                }
                self.say(
                    "EveryTimerFires",
                    at,
                    not forgotten.get(e["k"], e["k"] in ("reinsert", "wheel_place", "entry_new")),
                )

    def tasks(self, events: list[Event]) -> None:
        live: dict[int, int] = {
            int(task): entry for task, entry in self.initial.get("tasks", {}).items()
        }
        for e in events:
            if e["k"] not in ("set_entry", "cancel", "cancel_check"):
                continue
            task, at = e["task"], (e["tid"], e["tseq"], e["lc"])
            if e["k"] == "cancel_check":
                if task in live and e.get("res") in ("true", "false"):
                    self.say("CancelWins", at, (e["res"] == "true") == (e["entry"] != live[task]))
                continue
            if task in live and "entry" in e.get("pre", {}):
                self.say("LiveEntryObserved", at, e["pre"]["entry"] == live[task])
            live[task] = e["entry"] if e["k"] == "set_entry" else 0

    # -- an operation

    def operations(self, events: list[Event]) -> None:
        kinds = (
            "op_new",
            "try_begin",
            "try_end",
            "pending_set",
            "pending_getset",
            "force_cas",
            "on_complete_begin",
            "on_complete_end",
            "on_expire",
            "watch_add",
            "watch_cancel",
            "try_watch_end",
        )
        by_op = defaultdict(list)
        for e in events:
            if "op" in e and e["k"] in kinds:
                by_op[e["op"]].append(e)
        for op, of in by_op.items():

            def those(kind: str) -> list[Event]:
                return [e for e in of if e["k"] == kind]

            def key(e: Event) -> tuple[int, int, int]:
                return e["lc"], e["tid"], e["tseq"]

            attempts, begun, ended, expired = (
                those("force_cas"),
                those("on_complete_begin"),
                those("on_complete_end"),
                those("on_expire"),
            )
            won = [e for e in attempts if e.get("res") == "true"]
            if attempts or begun:
                self.say("CompletedOnce", op, len(won) <= 1 and len(begun) <= 1 and len(ended) <= 1)
            if made := those("op_new"):
                self.say("FreshOperation", op, len(made) == 1 and made[0] is of[0])
            if attempts:
                self.say("FirstAttemptWins", op, attempts[0] in won)
            if begun:
                after = won and key(won[0]) < key(begun[0]) and won[0]["tid"] == begun[0]["tid"]
                self.say(
                    "CompleteByWinner",
                    op,
                    after
                    and (
                        not ended
                        or key(begun[0]) < key(ended[-1])
                        and begun[0]["tid"] == ended[-1]["tid"]
                    ),
                )
            if expired:
                self.say(
                    "ExpiredByTimeoutOnly",
                    op,
                    len(expired) == 1
                    and won
                    and won[0].get("cause", "expiry") == "expiry"
                    and key((ended or won)[-1] if ended else won[0]) < key(expired[0])
                    and won[0]["tid"] == expired[0]["tid"],
                )
            if self.variant == "Blocking" and won and any("oseq" in e for e in those("try_begin")):
                self.say("ForcedUnderLock", op, all("oseq" in e for e in won))
            begun_to_try = [e for e in those("try_begin") if e.get("res") != "false"]
            if self.variant == "Blocking" and won and begun_to_try:
                self.say("TryExcludesComplete", op, key(begun_to_try[-1]) < key(won[0]))
            watches, unwatched = (
                [e["key"] for e in those("watch_add")],
                {e["key"] for e in those("watch_cancel")},
            )
            if watches or unwatched and "watch_add" in self.kinds:
                self.say(
                    "WatchedOnce",
                    op,
                    len(watches) == len(set(watches)) and unwatched <= set(watches),
                )
            if self.whole:
                left = [e for e in those("try_watch_end") if e.get("res") == "false"]
                if (watches or left) and "op_new" in self.kinds:
                    self.say("MadeBeforeWatched", op, those("op_new"))
                if (watches or left) and {"watch_add", "try_watch_end"} <= self.kinds:
                    self.say(
                        "WatcherReachable", op, reachable(those("try_watch_end"), watches, won)
                    )
                refused, noted = (
                    [e for e in those("try_begin") if e.get("res") == "false"],
                    those("pending_getset"),
                )
                if self.variant == "TryPending" and (refused or noted):
                    self.say("NoteAfterRefusal", op, len(refused) == len(noted))
                if (
                    won
                    and won[0].get("cause") == "expiry"
                    and not any(e.get("res") == "raised" for e in ended)
                ):
                    self.say("TimeoutExpires", op, expired)
                if won:
                    self.say("CompletesOnce", op, begun and ended)
                trying, tried = (
                    [e for e in those("try_begin") if e.get("res") != "false"],
                    those("try_end"),
                )
                if trying or tried:
                    self.say("TriesEnd", op, len(trying) == len(tried))
                notes = [e for e in of if e["k"] in ("pending_set", "pending_getset")]
                if notes:
                    self.say(
                        "NoLostCompletion", op, won or not notes[-1].get("post", {}).get("pending")
                    )

    # -- a list, a token

    def lists(self, events: list[Event]) -> None:
        linked = Counter(
            {int(name): len(ring) for name, ring in self.initial.get("lists", {}).items()}
        )
        left: Counter[int] = Counter()
        keys: dict[int, int] = {}
        queued: dict[int, tuple[str, int]] = {}
        for e in events:
            k, bucket, at = e["k"], e.get("list"), (e["tid"], e["tseq"], e["lc"])
            if bucket is None:
                continue
            if k in ("list_add", "list_remove"):
                if (
                    e.get("cause") == "flush"
                    and k == "list_remove"
                    and "exp_ms" in e
                    and keys.get(bucket, -1) >= 0
                ):
                    self.say("KeyBeforeDeadline", at, keys[bucket] <= e["exp_ms"])
                linked[bucket] += 1 if k == "list_add" else -1
            elif k == "flush_end":
                self.say("FlushEmpties", at, linked[bucket] in (0, left[bucket]))
                left[bucket] = linked[bucket]
            elif k == "bucket_expiry_set":
                if bucket in keys and "key_ms" in e.get("pre", {}):
                    self.say("KeyObserved", at, e["pre"]["key_ms"] == keys[bucket])
                keys[bucket] = e["key_ms"]
            elif k == "dq_offer":
                self.say("QueuedOnce", at, queued.get(bucket, ("",))[0] != "dq_offer")
                queued[bucket] = (k, e["key_ms"])
            elif k == "dq_poll" and "key_ms" in e:
                self.say("QueuedWithItsKey", at, queued.get(bucket) == ("dq_offer", e["key_ms"]))
                queued[bucket] = (k, e["key_ms"])

    def tokens(self, events: list[Event]) -> None:
        by_token = defaultdict(list)
        for e in events:
            for token in e.get("ord", ()):
                if len(token) == 4:
                    by_token[f"{token[0]} {token[1]}"].append(
                        (token[2], token[3] in ("w", "cas+"), e)
                    )
        self.totals(events)
        ends = (
            {}
            if not self.footer or "cut" in self.footer
            else self.footer.get("per_token_last_seq", {})
        )
        for name in {*by_token, *ends}:
            kind, counts = name[0], name.startswith("V counter:")
            # of a version first the write, of an epoch first the readers
            rows = sorted(
                by_token[name],
                key=lambda row: (
                    row[0],
                    row[1] if kind == "R" else not row[1],
                    row[2]["lc"],
                    row[2]["tid"],
                    row[2]["tseq"],
                ),
            )
            last, was = 0, None
            counted = self.initial.get("counters", {}).get(name[2:]) if counts else None
            for seq, writes, e in rows:
                at = (e["tid"], e["tseq"], e["lc"])
                if kind == "L" or counts and writes:
                    self.say("TokenDense", at, seq <= last + 1)
                if writes and kind != "R":
                    self.say("TokenOnce", at, seq >= 1 and seq > last)
                if was is not None:
                    shared = not writes and not was[1] and seq == was[0]
                    self.say("TokenClock", at, e["lc"] > was[2] or shared and e["lc"] == was[2])
                value = e.get("post", {}).get("counter") if counts else None
                if (
                    e["k"] in ("list_add", "list_remove")
                    and value is not None
                    and counted is not None
                ):
                    self.say(
                        "CounterExact", at, value - counted == (1 if e["k"] == "list_add" else -1)
                    )
                last, was, counted = seq, (seq, writes, e["lc"]), value
            if name in ends:
                self.say("TokenEnd", name, last == ends[name])

    def totals(self, events: list[Event]) -> None:
        said = self.footer.get("tokens") if self.footer and "cut" not in self.footer else None
        if said is None:
            return
        numbers = defaultdict(list)
        for e in events:
            for token in e.get("ord", ()):
                if len(token) == 4:
                    numbers[token[0] + " " + token[1].split(":")[0]].append(token[2])
        for name in {*numbers, *said}:
            here = {
                "count": len(numbers[name]),
                "max": max(numbers[name], default=0),
                "sum": sum(numbers[name]) % 2**32,
            }
            self.say("TokenTotals", name, said.get(name) == here)


def reachable(ends: list[Event], watches: list[int], won: list[Event]) -> bool:
    """Whether an event of a key can still complete the operation when tryCompleteElseWatch is over, or somebody has completed it.

    Kafka tries, puts the operation among the watchers of each key, and tries again: so it returns true also for one that is watched.
    It watches nothing where somebody else has completed the operation by then, which its timeout cannot have done: that is added later.
    """
    returned = [end for end in ends if end.get("res") == "false"]
    if not returned:
        return (
            any(
                end.get("res") == "true"
                and end["tid"] == won[0]["tid"]
                and won[0]["lc"] < end["lc"]
                for end in ends[-1:]
            )
            if won
            else False
        )
    if watches:
        return True
    return any(
        each.get("cause") != "expiry"
        or (each["lc"], each["tid"], each["tseq"])
        < max((end["lc"], end["tid"], end["tseq"]) for end in returned)
        for each in won[:1]
    )


def violations(
    header: dict[str, Any], footer: dict[str, Any] | None, events: list[Event]
) -> list[tuple[str, Any]]:
    return Machine(header, footer).check(events)
