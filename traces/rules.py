"""Which events may come next: the state of a timer's lists, tasks, counters and threads, as far as
a trace tells it.

The rules are those of the models, at the grain of events: ``list_add`` is the model's link with its
counter (A3 - A9), ``list_remove`` its unlink (U3 - U9), ``cancel_check`` its K1, and so on;
``tests/wheelproof/trace/test_agreement.py`` holds every recorded run to the model's own state. Each
refusal bears the name of the property that a model would find violated. Nothing here orders events:
they come in the order of their clocks, which ``replay`` has checked against the tokens.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Any

from traces.agreement_rules import AgreementRules
from traces.events import Observed, Refusal, Step, clock_of, counter_of, observed, spoken
from traces.key_list_rules import KeyListRules
from traces.list_rules import ListRules
from traces.lock_rules import LockRules
from traces.operation_rules import OperationRules
from traces.operation_state import Operation
from traces.possible import PossibleSteps
from traces.row_rules import RowRules, rows
from traces.schema import NONE, NOT_QUEUED, PLACES
from traces.thread_state import ThreadState
from traces.timeout_rules import TimeoutRules
from traces.watch_rules import WatchRules, where
from traces.wheel_rules import WheelRules
from wheelproof.trace.format import schema

__all__ = ["Refusal", "State", "Step", "TimerState", "counter_of", "spoken"]

KINDS = frozenset(schema.KINDS)
"""The kinds that these rules know: every kind of the format."""

NEEDS = {
    "list_add": ("list", "entry"),
    "list_remove": ("list", "entry"),
    "cancel": ("task",),
    "set_entry": ("task",),
    "flush_begin": ("list",),
    "flush_end": ("list",),
    "force_cas": ("op",),
    "pending_set": ("op",),
    "pending_getset": ("op",),
}
"""Kind -> whose monitors, or a word of whom, must be among its exact tokens: without them the order
of the event is not known."""


def _by_number(table: Mapping[str, Any] | None) -> dict[int, Any]:
    """A table of a header, by numbers instead of their texts."""
    return {int(name): value for name, value in (table or {}).items()}


class TimerState(
    ListRules,
    WheelRules,
    LockRules,
    OperationRules,
    KeyListRules,
    TimeoutRules,
    WatchRules,
    AgreementRules,
    RowRules,
    PossibleSteps,
):
    """The abstract state that events lead to.

    ``judge(event)`` says why the event may not come now, or None; ``apply(event)`` takes it,
    refused or not, so that one fault is not reported once for each event after it. ``initial``: of
    a header. ``kinds``: those that were recorded; a rule that needs one that was not is not
    applied. ``variant``: of a header. ``applied`` counts, by property, how often a rule had
    something to look at.
    """

    def __init__(
        self,
        initial: Mapping[str, Any] | None = None,
        kinds: frozenset[str] | None = None,
        config: Mapping[str, Any] | None = None,
        variant: str = "",
    ) -> None:
        initial, self.config, self.variant = initial or {}, config or {}, variant
        self.kinds = kinds
        self.tick_ms, self.wheel_size = self.config.get("tick_ms"), self.config.get("wheel_size")
        self.rows = rows(self.tick_ms, self.wheel_size)
        self.start_ms: int | None = initial.get("wheel_ms", self.config.get("start_ms"))
        # the timer of the event at hand
        self.timer = NONE
        self._take_initial(initial)
        self._take_initial_watchers(initial)
        self.task_of: dict[int, int] = {}
        self.guarded, self.bare = False, set()
        self.published: set[tuple[int, int] | str] = set()
        self.waits: dict[int, str] = {}
        self.made, self.checks = set(), {}
        self.list_of, self.members, self.timed, self.untried = {}, {}, {}, {}
        self.purged = False
        self.timeouts, self.requested, self.armed = {}, False, {}
        self.places, self.levels, self.tasks_of, self.won_inside = {}, set(), {}, set()
        self.runs_named = False
        self.linked_at: dict[int, int] = {}  # entry -> the clock of its last link
        self.lets_go = bool(self.holder)
        self.applied: dict[str, int] = {}
        self._judges: dict[str, Callable[[Step, ThreadState], Refusal | None]] = {
            **self._judges_of_lists(),
            **self._judges_of_locks(),
            **self._judges_of_wheels(),
            **self._judges_of_operations(),
            **self._judges_of_watchers(),
            **self._judges_of_key_lists(),
            **self._judges_of_timeouts(),
        }

    def _take_initial(self, initial: Mapping[str, Any]) -> None:
        """What a header has of clocks, lists, tasks, locks, threads and operations."""
        self.clocks: dict[int, int] = _by_number(initial.get("clocks"))
        self.queued: dict[int, int] = _by_number(initial.get("queued"))
        self.rings: dict[int, dict[int, None]] = {
            number: dict.fromkeys(ring) for number, ring in _by_number(initial.get("lists")).items()
        }
        self.where: dict[int, int] = {
            entry: name for name, ring in self.rings.items() for entry in ring
        }
        self.entry_of: dict[int, int] = _by_number(initial.get("tasks"))
        self.counters: dict[str, int] = dict(initial.get("counters", {}))
        self.keys: dict[int, int] = _by_number(initial.get("keys"))
        self.holder: dict[str, int] = dict(initial.get("holders", {}))
        self.threads: dict[int, ThreadState] = {
            tid: ThreadState(place) for tid, place in _by_number(initial.get(PLACES)).items()
        }
        self.operations = {
            number: Operation(**known)
            for number, known in _by_number(initial.get("operations")).items()
        }
        # entries that the executor has taken and not run
        self.handed: dict[int, None] = dict.fromkeys(initial.get("handed", ()))

    def _take_initial_watchers(self, initial: Mapping[str, Any]) -> None:
        self.watchers = {
            key: {number: frozenset() for number in members}
            for key, members in _by_number(initial.get("watchers")).items()
        }
        self.watched: dict[int, set[int]] = {}
        for key, members in self.watchers.items():
            for number in members:
                self.watched.setdefault(number, set()).add(key)

    def thread(self, tid: int) -> ThreadState:
        found = self.threads.get(tid)
        if found is None:
            found = self.threads[tid] = ThreadState()
        return found

    def recorded(self, kind: str) -> bool:
        """Whether events of this kind are in the trace, if they took place."""
        return self.kinds is None or kind in self.kinds

    def judge(self, event: Step) -> Refusal | None:
        """Why the event is no step from here; None if it is one. Changes ``applied`` alone."""
        thread = self.thread(event["tid"])
        self.timer = event.get("timer", NONE)
        if refusal := self._owed(event, thread):
            return refusal
        judge = self._judges.get(event["k"])
        if judge is None:
            return self._alone(event) or self._agrees(event, thread)
        if "entry" in event and "task" in event:
            self._look("TypeOK")
            task = self.task_of.get(event["entry"])
            if task is not None and task != event["task"]:
                return Refusal(
                    "TypeOK",
                    f"entry {event['entry']} is one of task {task}, and here of task"
                    f" {event['task']}: an entry keeps its task",
                )
        return judge(event, thread) or self._alone(event) or self._agrees(event, thread)

    @property
    def wheel_ms(self) -> int | None:
        """The lowest level's clock of the timer at hand; None where it is not known."""
        return self.clocks.get(self.timer, self.start_ms)

    @wheel_ms.setter
    def wheel_ms(self, clock: int) -> None:
        self.clocks[self.timer] = clock

    def _look(self, name: str) -> None:
        self.applied[name] = self.applied.get(name, 0) + 1

    # -- what each kind does

    def apply(self, event: Step) -> None:
        """Take the event."""
        kind, thread = event["k"], self.thread(event["tid"])
        self.timer = event.get("timer", NONE)
        if "entry" in event and "task" in event:
            self.task_of.setdefault(event["entry"], event["task"])
        if kind == "list_add":
            self._unlink(event["entry"])
            self.rings.setdefault(event["list"], {})[event["entry"]] = None
            self.where[event["entry"]] = thread.linked = event["list"]
            self.linked_at[event["entry"]] = clock_of(event)
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
            thread.hand = NONE
            thread.flushed = NONE if thread.reset == event["list"] else event["list"]
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
            if event.get("level") == 1 and "wheel_ms" in event:
                self.wheel_ms = event["wheel_ms"]
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
        self._take_key_lists(event)
        self._take_timeout(event)
        thread.lc = clock_of(event)

    def _take_checkpoint(self, event: Step) -> None:
        """What is observed holds, whatever came before: ``post``, or else ``pre``."""
        before, after = observed(event)
        seen: Observed = {**before, **after}
        if "key_ms" in event:
            seen["key_ms"] = event["key_ms"]
        if (
            "entry" in event
            and "list" in seen
            and self.where.get(event["entry"], NONE) != seen["list"]
        ):
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
            found.completed = seen.get("completed", found.completed)
            found.pending = seen.get("pending", found.pending)

    def _unlink(self, entry: int) -> None:
        here = self.where.pop(entry, NONE)
        self.linked_at.pop(entry, None)
        if here:
            self.rings[here].pop(entry, None)

    def _count(self, event: Step) -> None:
        name = counter_of(event)
        if name is not None:
            seen = event.get("post", {}).get("counter")
            counted = self.counters.get(name, 0) + (1 if event["k"] == "list_add" else -1)
            self.counters[name] = counted if seen is None else seen

    # -- for those who explain

    def neglected(self) -> Iterator[Refusal]:
        """What never happened, of a trace that is whole."""
        yield from self.forgotten()
        yield from self.unguarded()
        yield from self.unrun()
        yield from self.left_over()
        yield from self.untimed()

    def open(self, beyond: Collection[int]) -> Iterator[str]:
        """What threads have begun and not ended, those ``beyond`` the cut left out."""
        threads = [item for item in self.threads.items() if item[0] not in beyond]
        for tid, thread in threads:
            if thread.flushes:
                yield f"thread {tid} has not ended its flush of list {thread.flushes[-1][1]}"
        for tid, thread in threads:
            if thread.inside:
                yield f"thread {tid} ends {where(thread)}"
        for lock, tid in self.holder.items():
            if tid not in beyond and (self.lets_go or not lock.startswith("op:")):
                yield f"thread {tid} has not let go of {lock}"

    def initial(self) -> dict[str, Any]:
        """The state as a header has it."""
        return {
            "lists": {str(name): list(ring) for name, ring in sorted(self.rings.items())},
            "tasks": {str(name): entry for name, entry in sorted(self.entry_of.items())},
            "counters": dict(sorted(self.counters.items())),
            "keys": {str(name): key for name, key in sorted(self.keys.items())},
            PLACES: {
                str(tid): place
                for tid, thread in sorted(self.threads.items())
                if (place := thread.place())
            },
            **(
                {
                    "operations": {
                        str(name): found.data() for name, found in sorted(self.operations.items())
                    }
                }
                if self.operations
                else {}
            ),
            "holders": dict(sorted(self.holder.items())),
            "queued": {str(name): key for name, key in sorted(self.queued.items())},
            **(
                {
                    "watchers": {
                        str(key): sorted(members)
                        for key, members in sorted(self.watchers.items())
                        if members
                    }
                }
                if self.watchers
                else {}
            ),
            **({"handed": list(self.handed)} if self.handed else {}),
            **self._initial_clocks(),
        }

    def _initial_clocks(self) -> dict[str, Any]:
        """``wheel_ms`` and ``clocks`` of ``initial``."""
        clock = self.clocks.get(NONE, self.start_ms)
        named = {str(name): at for name, at in sorted(self.clocks.items()) if name != NONE}
        return ({} if clock is None else {"wheel_ms": clock}) | ({"clocks": named} if named else {})


State = TimerState
"""Under this name the tool asks for it."""
