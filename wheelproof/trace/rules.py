"""Which events may come next: the state of a timer's lists, tasks, counters and threads, as far as a trace tells it.

The rules are those of the models, at the grain of events: ``list_add`` is the model's link with its counter (A3 - A9), ``list_remove`` its
unlink (U3 - U9), ``cancel_check`` its K1, and so on; ``tests/wheelproof/trace/test_agreement.py`` holds every recorded run to the model's own state.
Each refusal bears the name of the property that a model would find violated. Nothing here orders events: they come in the order of
their clocks, which ``replay`` has checked against the tokens.
"""
from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from wheelproof.trace.agreement_rules import AgreementRules
from wheelproof.trace.events import Event, Refusal, counter_of, last_lock, spoken, wanted
from wheelproof.trace.lock_rules import LockRules
from wheelproof.trace.operation_rules import Operation, OperationRules
from wheelproof.trace.schema import NONE, NOT_QUEUED
from wheelproof.trace.watch_rules import WatchRules
from wheelproof.trace.wheel_rules import WheelRules

__all__ = ["Event", "Refusal", "TimerState", "counter_of", "spoken"]


class _Thread:
    __slots__ = ("flushes", "checked", "hand", "inside", "duty", "stopped", "linked", "flushed", "reset", "made", "fired", "lc", "asked", "placed")

    def __init__(self, walk: Mapping[str, Any] | None = None) -> None:
        walk = walk or {}
        # (span, list) of the walks that are open, outermost first
        self.flushes: list[tuple[int, int]] = [(span, bucket) for span, bucket in walk.get("open", ())]
        # the entry last checked, and whether it was cancelled
        self.checked: tuple[int, bool] = tuple(walk.get("checked", (NONE, False)))
        self.hand = walk.get("hand", NONE)  # the entry that a walk has taken out and not yet handed on
        self.inside: list[tuple[str, int]] = [tuple(each) for each in walk.get("inside", ())]  # the tryComplete and onComplete that it is in, innermost last
        # what it must do next, for which operation, and how often that one's note had been cleared
        self.duty: tuple[str, int, int] | None = tuple(walk["duty"]) if "duty" in walk else None
        self.stopped = False
        # of a thread that was seen from its start: the bucket that it has linked into and not keyed, and whether it has made a level that nobody else knows of
        self.linked: int | None = None
        self.made: bool | None = None
        self.flushed = NONE  # the bucket that it has walked over and still holds, if it has not reset its key
        self.reset = NONE  # the bucket whose key it has reset last
        self.fired = NONE  # the entry that it has handed over last
        self.lc = 0  # the clock of its last event
        self.asked: tuple[int, int | None, int | None] = (NONE, None, None)  # the task that it was handed, the time and the delay
        self.placed: tuple[int, int] = (NONE, NONE)  # the entry that the wheel has chosen a list for, and the list

    def walk(self) -> dict[str, Any]:
        """As ``initial`` has it; empty for a thread that is in no walk and no attempt and has checked nothing."""
        return {name: value for name, value, trivial in (("open", [list(each) for each in self.flushes], []), ("hand", self.hand, NONE),
                                                         ("checked", list(self.checked), [NONE, False]), ("inside", [list(each) for each in self.inside], []),
                                                         ("duty", self.duty and list(self.duty), None)) if value != trivial}


class TimerState(WheelRules, LockRules, OperationRules, WatchRules, AgreementRules):
    """The abstract state that events lead to.

    ``judge(event)`` says why the event may not come now, or None; ``apply(event)`` takes it, refused or not, so that one fault
    is not reported once for each event after it. ``initial``: of a header. ``kinds``: those that were recorded; a rule that needs one that was not
    is not applied. ``variant``: of a header. ``applied`` counts, by property, how often a rule had something to look at.
    """

    def __init__(self, initial: Mapping[str, Any] | None = None, kinds: frozenset[str] | None = None,
                 config: Mapping[str, Any] | None = None, variant: str = "") -> None:
        initial, self.config, self.variant = initial or {}, config or {}, variant
        self.kinds = kinds
        self.tick_ms, self.wheel_size = self.config.get("tick_ms"), self.config.get("wheel_size")
        self.wheel_ms: int | None = initial.get("wheel_ms", self.config.get("start_ms"))
        self.queued: dict[int, int] = {int(name): key for name, key in initial.get("queued", {}).items()}
        self.rings: dict[int, dict[int, None]] = {int(name): dict.fromkeys(ring) for name, ring in initial.get("lists", {}).items()}
        self.where: dict[int, int] = {entry: name for name, ring in self.rings.items() for entry in ring}
        self.entry_of: dict[int, int] = {int(name): entry for name, entry in initial.get("tasks", {}).items()}
        self.counters: dict[str, int] = dict(initial.get("counters", {}))
        self.keys: dict[int, int] = {int(name): key for name, key in initial.get("keys", {}).items()}
        self.task_of: dict[int, int] = {}
        self.holder: dict[str, int] = dict(initial.get("holders", {}))
        self.guarded, self.bare = False, set()
        self.published: set[int | str] = set()
        self.waits: dict[int, str] = {}
        self.threads: dict[int, _Thread] = {int(tid): _Thread(walk) for tid, walk in initial.get("walks", {}).items()}
        self.operations = {int(name): Operation(**known) for name, known in initial.get("operations", {}).items()}
        self.watchers = {int(name): {number: frozenset() for number in members} for name, members in initial.get("watchers", {}).items()}
        self.watched: dict[int, set[int]] = {}
        for key, members in self.watchers.items():
            for number in members:
                self.watched.setdefault(number, set()).add(key)
        self.made, self.checks = set(), {}
        self.places, self.levels, self.tasks_of, self.won_inside = {}, set(), {}, set()
        self.handed: dict[int, None] = dict.fromkeys(initial.get("handed", ()))  # entries that the executor has taken and not run
        self.runs_named = False
        self.linked_at: dict[int, int] = {}  # entry -> the clock of its last link
        self.lets_go = bool(self.holder)
        self.applied: dict[str, int] = {}
        self._judges: dict[str, Callable[[Event, _Thread], Refusal | None]] = {
            "list_add": self._list_add, "list_remove": self._list_remove, "cancel_check": self._cancel_check,
            "expire_submit": self._expire_submit, "cancel": self._cancel, "set_entry": self._set_entry,
            "flush_begin": self._flush_begin, "flush_end": self._flush_end, "lock_acquire": self._lock_acquire,
            "lock_release": self._lock_release, "lock_wait": self._lock_wait, "bucket_expiry_set": self._bucket_expiry_set,
            "dq_offer": self._dq_offer, "dq_poll": self._dq_poll, "clock_advance": self._clock_advance, "wheel_place": self._wheel_place,
            "wheel_reject": self._wheel_reject, "list_add_retry": self._list_add_retry, "wheel_new": self._wheel_new, "bucket_new": self._bucket_new,
            "overflow_create": self._overflow_create, "task_run": self._task_run, **self._judges_of_operations(), **self._judges_of_watchers()}

    def thread(self, tid: int) -> _Thread:
        found = self.threads.get(tid)
        if found is None:
            found = self.threads[tid] = _Thread()
        return found

    def recorded(self, kind: str) -> bool:
        """Whether events of this kind are in the trace, if they took place."""
        return self.kinds is None or kind in self.kinds

    def judge(self, event: Event) -> Refusal | None:
        """Why the event is no step from here; None if it is one. Changes nothing but ``applied``."""
        thread = self.thread(event["tid"])
        if refusal := self._owed(event, thread):
            return refusal
        judge = self._judges.get(event["k"])
        if judge is None:
            return self._agrees(event, thread)
        if "entry" in event and "task" in event:
            self._look("TypeOK")
            task = self.task_of.get(event["entry"])
            if task is not None and task != event["task"]:
                return Refusal("TypeOK", f"entry {event['entry']} is one of task {task}, and here of task {event['task']}: an entry keeps its task")
        return judge(event, thread) or self._agrees(event, thread)

    def _look(self, name: str) -> None:
        self.applied[name] = self.applied.get(name, 0) + 1

    # -- what is asked of each kind

    def _list_add(self, event: Event, thread: _Thread) -> Refusal | None:
        entry, bucket = event["entry"], event["list"]
        here = self.where.get(entry, NONE)
        self._look("AtMostOneList")
        if here == bucket:
            return Refusal("RingWellFormed", f"entry {entry} is linked into list {bucket}, which has it already")
        if here and "eseq" in event:  # the entry's monitor is held: who links it could see that it is in another ring, and tears it out of that
            return Refusal("RingWellFormed", f"entry {entry} is linked into list {bucket} by a thread that has its monitor, while list {here} has it: that ring is broken")
        if here:
            return Refusal("AtMostOneList", f"entry {entry} is linked into list {bucket} while list {here} has it")
        if self.recorded("cancel_check") and (thread.flushes or thread.checked == (entry, True)):
            self._look("CancelWins")
            if not thread.flushes:
                return Refusal("CancelWins", f"entry {entry}, whose task was found cancelled, is put into list {bucket}")
            if thread.checked != (entry, False):
                what = "whose task was found cancelled" if thread.checked == (entry, True) else "that was not checked"
                return Refusal("CancelWins", f"a flush puts entry {entry}, {what}, into list {bucket}")
        if refusal := self._slot(event) or self._over(event) or self._left_in(event, bucket):
            return refusal
        return self._counted(event, 1)

    def _list_add_retry(self, event: Event, thread: _Thread) -> Refusal | None:
        """Who tries again has seen, with the entry's monitor held, that a list has the entry."""
        seen, entry = event.get("pre", {}).get("list"), event["entry"]
        if seen is None or "eseq" not in event:
            return None
        self._look("ExactlyItsList")
        if seen != self.where.get(entry, NONE):
            return Refusal("ExactlyItsList", f"entry {entry} is found in list {seen or 'none'}, and list {self.where.get(entry) or 'none'} has it")
        return None

    def _list_remove(self, event: Event, thread: _Thread) -> Refusal | None:
        entry, bucket = event["entry"], event["list"]
        here = self.where.get(entry, NONE)
        self._look("ExactlyItsList")
        if not here:
            left = event.get("post", {}).get("counter", 0)
            name = "TypeOK" if left < 0 else "CounterExact"
            return Refusal(name, f"entry {entry} is taken out of list {bucket}, and no list has it" + (f": the counter is {left}" if left < 0 else ""))
        if here != bucket and event.get("post", {}).get("list") == here:
            return Refusal("CounterExact", f"entry {entry} is counted out of list {bucket}, and stays where it is, in list {here}")
        if here != bucket:
            return Refusal("RingWellFormed", f"entry {entry} is taken out of list {bucket}, and list {here} has it: that ring is changed without its monitor")
        if refusal := self._left_in(event, NONE):
            return refusal
        if event.get("cause") == "flush":
            if refusal := self._handed_on(thread):
                return refusal
            self._look("RingWellFormed")
            if "exp_ms" in event and self.keys.get(bucket, NOT_QUEUED) != NOT_QUEUED:
                self._look("KeyBeforeDeadline")
                if self.keys[bucket] > event["exp_ms"]:
                    return Refusal("KeyBeforeDeadline", f"entry {entry}, due at {event['exp_ms']} ms, is in list {bucket}, whose key is {self.keys[bucket]} ms")
            head = next(iter(self.rings[bucket]))
            if head != entry:
                return Refusal("RingWellFormed", f"a flush of list {bucket} takes entry {entry}, and entry {head} is its head")
        return self._counted(event, -1)

    def _left_in(self, event: Event, bucket: int) -> Refusal | None:
        """What the entry names afterwards, if its monitor was held when that was read."""
        seen = event.get("post", {}).get("list")
        if seen is None or "eseq" not in event:
            return None
        self._look("ExactlyItsList")
        if seen == bucket:
            return None
        return Refusal("ExactlyItsList", f"after {event['k']} entry {event['entry']} names list {seen or 'none'}, and not {bucket or 'none'}")

    def _counted(self, event: Event, delta: int) -> Refusal | None:
        seen = event.get("post", {}).get("counter")
        name = counter_of(event)
        if seen is None or name is None:
            return None
        self._look("CounterExact")
        if name in self.counters and self.counters[name] + delta != seen:
            return Refusal("CounterExact", f"{name} is {seen} after {event['k']}, and was {self.counters[name]} before")
        return Refusal("TypeOK", f"{name} is {seen}") if seen < 0 else None

    def _cancel_check(self, event: Event, thread: _Thread) -> Refusal | None:
        task, entry = event["task"], event["entry"]
        self._look("CancelWins")
        if task not in self.entry_of:
            return None
        current = self.entry_of[task]
        seen = event.get("pre", {}).get("entry")
        if seen is not None and seen != current:
            return Refusal("CancelWins", f"a check reads entry {seen} of task {task}, and its entry is {current or 'none'}")
        if "res" in event and event["res"] != ("false" if current == entry else "true"):
            found = "cancelled" if event["res"] == "true" else "live"
            return Refusal("CancelWins", f"a check finds entry {entry} {found}, and its task's entry is {current or 'none'}")
        return None

    def _expire_submit(self, event: Event, thread: _Thread) -> Refusal | None:
        entry, emptied = event["entry"], event.get("cause") == "shutdown"
        if emptied and thread.hand != entry:
            return Refusal("RunsOncePerAdd", f"entry {entry} is handed over because the timer is emptied, by a thread that has not taken it out of a list")
        if self.recorded("cancel_check") and not emptied:
            self._look("CancelWins")
            if thread.checked != (entry, False):
                what = "whose task was found cancelled" if thread.checked == (entry, True) else "that was not checked"
                again = " once more" if thread.fired == entry and thread.checked != (entry, True) else ""
                return Refusal("CancelWins", f"entry {entry}, {what}{again}, is handed over{again}")
        here = self.where.get(entry, NONE)
        if here and self.recorded("list_remove"):
            self._look("FiredOnce")
            if any(bucket == here for _, bucket in thread.flushes):
                return Refusal("CounterExact", f"entry {entry} is handed over by a flush, and was not counted out of list {here}")
            return Refusal("FiredOnce", f"entry {entry} is handed over while list {here} has it, which will hand it over again")
        if "exp_ms" in event and self.wheel_ms is not None and self.tick_ms and not emptied:
            self._look("NotEarly")
            if event["exp_ms"] >= self.wheel_ms + self.tick_ms:
                return Refusal("NotEarly", f"entry {entry}, due at {event['exp_ms']} ms, is handed over while the wheel's clock is {self.wheel_ms} ms")
        if thread.flushes:
            self._look("RunsOncePerAdd")
            if thread.hand != entry:
                return Refusal("RunsOncePerAdd", f"entry {entry} is handed over by a flush that has not taken it out of a list")
        return None

    def _task_run(self, event: Event, thread: _Thread) -> Refusal | None:
        entry = event.get("entry")
        if entry is None or not self.recorded("expire_submit"):
            return None
        self._look("RunsOncePerAdd")
        self._look("HandedOverRuns")
        if entry in self.handed:
            return None
        return Refusal("RunsOncePerAdd", f"entry {entry} runs, and was not handed over since it was made, or ran already")

    def _cancel(self, event: Event, thread: _Thread) -> Refusal | None:
        return (self._cancel_of(event) if "op" in event else self._was(event)) or self._unlinked(event, thread)

    def _unlinked(self, event: Event, thread: _Thread) -> Refusal | None:
        """Who clears a task's entry has taken it out of its list. A link that comes after the thread has looked is another matter: a flush puts it there."""
        entry, seen = event.get("pre", {}).get("entry", self.entry_of.get(event["task"], NONE)), event.get("pre", {}).get("list")
        if not entry or not self.recorded("list_remove") or not self.recorded("list_add"):
            return None
        self._look("CancelUnlinks")
        bucket = self.where.get(entry, NONE)
        if seen or bucket and self.linked_at.get(entry, 0) < max(thread.lc, 1):
            return Refusal("CancelUnlinks", f"the entry of task {event['task']} is cleared, and entry {entry} was not taken out of list {seen or bucket} before")
        return None

    def unrun(self) -> Iterator[Refusal]:
        """What the executor has taken and not run, at the end of a whole trace whose runs of tasks name their entries."""
        if not self.runs_named:
            return
        for entry in self.handed:
            yield Refusal("HandedOverRuns", f"entry {entry} was handed over to the executor, and never runs")

    def _set_entry(self, event: Event, thread: _Thread) -> Refusal | None:
        return self._was(event)

    def _was(self, event: Event) -> Refusal | None:
        task = event["task"]
        seen = event.get("pre", {}).get("entry")
        if seen is not None and self.entry_of.get(task, seen) != seen:
            return Refusal("CancelWins", f"{event['k']} finds entry {seen or 'none'} of task {task}, and its entry is {self.entry_of[task] or 'none'}")
        return None

    def _flush_begin(self, event: Event, thread: _Thread) -> Refusal | None:
        return None

    def _flush_end(self, event: Event, thread: _Thread) -> Refusal | None:
        if not thread.flushes or thread.flushes[-1] != (event["span"], event["list"]):
            return Refusal("ExactlyItsList", f"a flush of list {event['list']} ends that the thread has not begun last")
        if refusal := self._handed_on(thread):
            return refusal
        if left := self.rings.get(event["list"]):
            return Refusal("RingWellFormed", f"a flush of list {event['list']} ends while entry {next(iter(left))} is its head")
        return None

    def _handed_on(self, thread: _Thread) -> Refusal | None:
        """A walk that has found an entry live puts it into a list or hands it over before it does anything else."""
        if not self.recorded("cancel_check") or not self.recorded("expire_submit"):
            return None
        self._look("EveryTimerFires")
        if thread.hand and thread.checked[0] != thread.hand:
            return Refusal("EveryTimerFires", f"a flush has taken out entry {thread.hand}, and goes on without having checked it")
        if thread.hand:
            return Refusal("EveryTimerFires", f"a flush has taken out entry {thread.hand}, which is live, and hands it nowhere")
        return None

    # -- what each kind does

    def apply(self, event: Event) -> None:
        """Take the event."""
        kind, thread = event["k"], self.thread(event["tid"])
        if "entry" in event and "task" in event:
            self.task_of.setdefault(event["entry"], event["task"])
        if kind == "list_add":
            self._unlink(event["entry"])
            self.rings.setdefault(event["list"], {})[event["entry"]] = None
            self.where[event["entry"]] = thread.linked = event["list"]
            self.linked_at[event["entry"]] = event.get("lc", 0)
            thread.hand = NONE
            self._count(event)
        elif kind == "list_remove":
            self._unlink(event["entry"])
            if event.get("cause") == "flush":
                thread.hand, thread.checked = event["entry"], (NONE, False)
            self._count(event)
        elif kind == "cancel_check":
            thread.checked = (event["entry"], event.get("res") == "true")
            if event.get("res") == "true" and thread.hand == event["entry"]:
                thread.hand = NONE
        elif kind == "expire_submit":
            thread.checked, thread.hand, thread.fired = (NONE, False), NONE, event["entry"]
            if event.get("cause") != "shutdown" and event.get("res") != "raised":
                self.handed[event["entry"]] = None
        elif kind == "task_run":
            self.runs_named = self.runs_named or "entry" in event
            self.handed.pop(event.get("entry", NONE), None)
        elif kind == "cancel":
            self.entry_of[event["task"]] = NONE
        elif kind == "set_entry":
            self.entry_of[event["task"]] = event["entry"]
        elif kind == "flush_begin":
            thread.flushes.append((event["span"], event["list"]))
            thread.reset = NONE
        elif kind == "flush_end":
            if thread.flushes:
                thread.flushes.pop()
            thread.hand, thread.flushed = NONE, NONE if thread.reset == event["list"] else event["list"]
        elif kind == "bucket_expiry_set":
            self.keys[event["list"]] = event["key_ms"]
            if event["key_ms"] == NOT_QUEUED:
                thread.reset, thread.flushed = event["list"], NONE
            elif thread.linked is not None:
                thread.linked = NONE
        elif kind == "bucket_new":
            self.keys[event["list"]] = NOT_QUEUED
        elif kind == "wheel_new":
            thread.made = True
        elif kind == "overflow_create":
            self._publish(event)
            thread.made = False
        elif kind == "lock_release" and event.get("list") == thread.flushed:
            thread.flushed = NONE
        elif kind == "thread_start":
            thread.linked, thread.made = NONE, False
        elif kind == "dq_offer":
            self.queued[event["list"]] = event["key_ms"]
        elif kind == "dq_poll":
            self.queued.pop(event.get("list", NONE), None)
        elif kind == "clock_advance" and event.get("level", 1) == 1:
            self.wheel_ms = event["wheel_ms"]
        elif kind == "checkpoint":
            self._take_checkpoint(event)
        self._take_lock(event)
        self._take_operation(event, thread)
        self._take_agreement(event, thread)
        self._take_watchers(event, thread)
        thread.lc = event.get("lc", 0)

    def _take_checkpoint(self, event: Event) -> None:
        """What is observed holds, whatever came before: ``post``, or else ``pre``, of the objects that are named."""
        seen = {**event.get("pre", {}), **event.get("post", {})}
        if "key_ms" in event:
            seen["key_ms"] = event["key_ms"]
        if "entry" in event and "list" in seen and self.where.get(event["entry"], NONE) != seen["list"]:
            self._unlink(event["entry"])
            if seen["list"]:
                self.rings.setdefault(seen["list"], {})[event["entry"]] = None
                self.where[event["entry"]] = seen["list"]
        if "task" in event and "entry" in seen:
            self.entry_of[event["task"]] = seen["entry"]
        if "list" in event and "key_ms" in seen:
            self.keys[event["list"]] = seen["key_ms"]
        if "wheel_ms" in event and event.get("level", 1) == 1:
            self.wheel_ms = event["wheel_ms"]
        if (name := counter_of(event)) is not None and "counter" in seen:
            self.counters[name] = seen["counter"]
        if "op" in event:
            found = self.operation(event["op"])
            found.completed, found.pending = seen.get("completed", found.completed), seen.get("pending", found.pending)

    def _unlink(self, entry: int) -> None:
        here = self.where.pop(entry, NONE)
        self.linked_at.pop(entry, None)
        if here:
            self.rings[here].pop(entry, None)

    def _count(self, event: Event) -> None:
        name = counter_of(event)
        if name is not None:
            seen = event.get("post", {}).get("counter")
            self.counters[name] = seen if seen is not None else self.counters.get(name, 0) + (1 if event["k"] == "list_add" else -1)

    # -- for those who explain

    def enabled(self, event: Event) -> Iterator[dict[str, Any]]:
        """Steps on the objects of ``event`` that its thread could take here, as far as the lists, tasks and checks are concerned."""
        tid, entry, task, bucket = event["tid"], event.get("entry"), event.get("task"), event.get("list")
        candidates: list[dict[str, Any]] = []
        if entry:
            lists = dict.fromkeys(name for name in (bucket, self.where.get(entry)) if name)
            candidates += [{"k": kind, "entry": entry, "list": name} for kind in ("list_add", "list_remove") for name in lists]
            candidates.append({"k": "expire_submit", "entry": entry})
        if entry and task:
            candidates.append({"k": "cancel_check", "task": task, "entry": entry,
                               "res": "false" if self.entry_of.get(task) == entry else "true"})
        if task and "op" not in event:
            candidates.append({"k": "cancel", "task": task})
        candidates += self._steps_of_operation(event)
        walk = self.thread(tid).flushes
        if walk:
            candidates.append({"k": "flush_end", "span": walk[-1][0], "list": walk[-1][1]})
        applied = dict(self.applied)
        for candidate in candidates:
            candidate["tid"] = tid
            if self.judge(candidate) is None:
                yield candidate
        self.applied = applied

    def initial(self) -> dict[str, Any]:
        """The state as a header has it."""
        return {"lists": {str(name): list(ring) for name, ring in sorted(self.rings.items())},
                "tasks": {str(name): entry for name, entry in sorted(self.entry_of.items())}, "counters": dict(sorted(self.counters.items())),
                "keys": {str(name): key for name, key in sorted(self.keys.items())},
                "walks": {str(tid): walk for tid, thread in sorted(self.threads.items()) if (walk := thread.walk())},
                **({"operations": {str(name): found.data() for name, found in sorted(self.operations.items())}} if self.operations else {}),
                "holders": dict(sorted(self.holder.items())), "queued": {str(name): key for name, key in sorted(self.queued.items())},
                **({"watchers": {str(key): sorted(members) for key, members in sorted(self.watchers.items()) if members}} if self.watchers else {}),
                **({"handed": list(self.handed)} if self.handed else {}), **({} if self.wheel_ms is None else {"wheel_ms": self.wheel_ms})}
