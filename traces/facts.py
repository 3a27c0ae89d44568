"""What a trace has shown so far of a timer, of operations and of threads: all that the rules event
by event read.

It begins as a header's ``initial`` says, and can be written as one again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeVar

from traces.events import Refusal, Step
from traces.initial import Initial, read
from traces.operation_state import Operation, Timeout
from traces.schema import NONE, PLACES
from traces.thread_state import ThreadState
from wheelproof.trace.format.heads import Header

Value = TypeVar("Value")


BY_NAME = frozenset(("add_request", "clock_advance", "overflow_create", "reinsert", "wheel_place"))
"""Kinds that a rule demands only where the header names them: many recorders have none of them, and
name no kinds."""

AGENT = "wheelproof real/agent"
"""The recorder of Kafka's classes. Before it named ``before`` in its headers it numbered an unlink
after the write that a thread without the monitors can see."""


def numbered_late(header: Header) -> bool:
    """Whether an unlink may have its number after another thread has seen it."""
    capture = header.get("capture", {})
    return header.get("producer", {}).get("name") == AGENT and "list_remove" not in capture.get(
        "before", ()
    )


class Facts:
    """What is known at one event of a trace with this header.

    ``kinds``: those that were recorded; a rule that needs one that was not is not applied.
    """

    def __init__(self, header: Header) -> None:
        given, self.config = read(header.get("initial")), header.get("config") or {}
        self.variant = header.get("variant", "")
        kinds = header.get("capture", {}).get("kinds")
        self.kinds = None if kinds is None else frozenset(kinds)
        self.late = numbered_late(header)
        self.applied: dict[str, int] = {}
        """By property, how often a rule had something to look at."""
        self._begin_wheels(given)
        self._begin_lists(given)
        self._begin_threads(given)
        self._begin_operations(given)
        self._begin_watchers(given)

    def _begin_wheels(self, initial: Initial) -> None:
        self.tick_ms, self.wheel_size = self.config.get("tick_ms"), self.config.get("wheel_size")
        """Of the lowest level, None without a configuration."""
        self.start_ms: int | None = initial.get("wheel_ms", self.config.get("start_ms"))
        self.timer = NONE
        """That of the event at hand."""
        self.clocks = _by_number(initial.get("clocks"))
        self.queued = _by_number(initial.get("queued"))
        """Bucket -> the key with which it was put into the queue."""
        self.keys = _by_number(initial.get("keys"))
        self.published: set[tuple[int, int] | str] = set()
        """The levels, and the words that name a level above, that a thread was seen to publish."""
        self.levels: set[tuple[int, int]] = set()
        """Those that were made in the trace."""
        self.level_clocks: dict[tuple[int, int], int] = {}
        """(timer, level) -> its clock, of those whose making or advance is in the trace."""
        self.places: dict[int, tuple[int | None, int | None]] = {}
        """List -> (level, slot), as far as they were named."""

    def _begin_lists(self, initial: Initial) -> None:
        self.rings: dict[int, dict[int, None]] = {
            number: dict.fromkeys(ring) for number, ring in _by_number(initial.get("lists")).items()
        }
        """List -> its entries, head first."""
        self.where = {entry: name for name, ring in self.rings.items() for entry in ring}
        """Entry -> the list that has it."""
        self.monitored = False
        """A link or an unlink has shown both monitors."""
        self.unmonitored = NONE
        """The first entry that was linked, or unlinked, and has shown fewer."""
        self.linked_at: dict[int, int] = {}
        """Entry -> the clock of its last link."""
        self.entry_of: dict[int, int] = _by_number(initial.get("tasks"))
        self.task_of: dict[int, int] = {}
        self.counters: dict[str, int] = dict(initial.get("counters", {}))
        self.handed: dict[int, None] = dict.fromkeys(initial.get("handed", ()))
        """Entries that the executor has taken and not run."""
        self.runs_named = False
        """A run of a task has named its entry."""

    def _begin_threads(self, initial: Initial) -> None:
        self.threads = {
            tid: ThreadState(place) for tid, place in _by_number(initial.get(PLACES)).items()
        }
        self.holder: dict[str, int] = dict(initial.get("holders", {}))
        """Lock -> the thread that has it."""
        self.waits: dict[int, str] = {}
        """Thread -> the lock that it waits for."""
        self.lets_go = bool(self.holder)
        """The trace has shown a lock let go."""
        self.guarded = False
        """A thread has taken half of a timer's lock."""
        self.bare: set[int] = set()
        """Threads that have added a task without."""

    def _begin_operations(self, initial: Initial) -> None:
        self.operations = {
            number: Operation.of(known)
            for number, known in _by_number(initial.get("operations")).items()
        }
        self.made: set[int] = set()
        """Operations whose making is in the trace."""
        self.tasks_of: dict[int, int] = {}
        """Operation -> its task."""
        self.won_inside: set[tuple[int, int]] = set()
        """(thread, operation) of those completed inside their tryCompleteElseWatch."""
        self.timeouts: dict[int, Timeout] = {}
        self.requested = False
        """A timer got something."""
        self.timed: dict[int, None] = {}
        """The tasks that the timer has."""
        self.armed: dict[str, tuple[int, bool]] = {}
        """Word -> its last version, and whether the timer had the task then."""

    def _begin_watchers(self, initial: Initial) -> None:
        self.watchers: dict[int, dict[int, frozenset[str]]] = {
            key: {number: frozenset() for number in members}
            for key, members in _by_number(initial.get("watchers")).items()
        }
        """Key -> operations that are in its list, with the locks under which they came there."""
        self.watched: dict[int, set[int]] = {}
        """Operation -> the keys that it was ever put to."""
        for key, members in self.watchers.items():
            for number in members:
                self.watched.setdefault(number, set()).add(key)
        self.checks: dict[int, list[tuple[int, set[int]]]] = {}
        """Thread -> its open checks, each with the operations that it still owes a try."""
        self.list_of: dict[int, int] = {}
        """Key -> the list that it has, 0 for none."""
        self.members: dict[int, dict[int, None]] = {}
        """List of watchers -> the operations in it."""
        self.untried: dict[int, int] = {}
        """Operation -> the thread that has put it among watchers and not tried it since."""
        self.purged = False
        """A purge leaves no event of each operation."""

    # -- what rules ask

    def thread(self, tid: int) -> ThreadState:
        found = self.threads.get(tid)
        if found is None:
            found = self.threads[tid] = ThreadState()
        return found

    def operation(self, number: int) -> Operation:
        found = self.operations.get(number)
        if found is None:
            found = self.operations[number] = Operation(protocol=self.variant)
        return found

    def recorded(self, kind: str) -> bool:
        """Whether events of this kind are in the trace, if they took place."""
        return self.kinds is None or kind in self.kinds

    def named(self, kind: str) -> bool:
        """The header says that events of this kind, one of BY_NAME, are in the trace, by name."""
        assert kind in BY_NAME
        return self.kinds is not None and kind in self.kinds

    def look(self, name: str) -> None:
        """A rule about this property has something to look at."""
        self.applied[name] = self.applied.get(name, 0) + 1

    @property
    def wheel_ms(self) -> int | None:
        """The lowest level's clock of the timer at hand; None where it is not known."""
        return self.clocks.get(self.timer, self.start_ms)

    @wheel_ms.setter
    def wheel_ms(self, clock: int) -> None:
        self.clocks[self.timer] = clock

    # -- as a header has it

    def initial(self) -> Initial:
        """The state as a header has it."""
        places = {tid: thread.place() for tid, thread in self.threads.items()}
        watchers = {key: sorted(members) for key, members in self.watchers.items() if members}
        clock = self.clocks.get(NONE, self.start_ms)
        clocks = {name: at for name, at in self.clocks.items() if name != NONE}
        found: Initial = {
            "lists": _by_text({name: list(ring) for name, ring in self.rings.items()}),
            "tasks": _by_text(self.entry_of),
            "counters": dict(sorted(self.counters.items())),
            "keys": _by_text(self.keys),
            PLACES: _by_text({tid: place for tid, place in places.items() if place}),
        }
        if self.operations:
            found["operations"] = _by_text(
                {name: operation.data() for name, operation in self.operations.items()}
            )
        found["holders"] = dict(sorted(self.holder.items()))
        found["queued"] = _by_text(self.queued)
        if self.watchers:
            found["watchers"] = _by_text(watchers)
        if self.handed:
            found["handed"] = list(self.handed)
        if clock is not None:
            found["wheel_ms"] = clock
        if clocks:
            found["clocks"] = _by_text(clocks)
        return found


Judge = Callable[[Facts, Step, ThreadState], Refusal | None]
"""Why an event may not come now, or None. Changes ``applied`` alone."""

Judges = Mapping[str, Judge]
"""By kind of event."""


def _by_number(table: Mapping[str, Value] | None) -> dict[int, Value]:
    """A table of a header, by numbers instead of their texts."""
    return {int(name): value for name, value in (table or {}).items()}


def _by_text(table: Mapping[int, Value]) -> dict[str, Value]:
    """A table as a header has it."""
    return {str(name): value for name, value in sorted(table.items())}
