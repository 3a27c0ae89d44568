"""The recorder: the operations of each thread, in fixed-width records of its own, and the clocks
and numbers that put them in order.

The hot path packs integers into a buffer of the thread's: no lock but those that the implementation
takes anyway (and one for each volatile word), no text, no file. ``translate`` works out the meaning
of a record afterwards, from the table of sites.

The recorder keeps every object that it has given an id alive until it is dropped itself: so an id
is never used twice.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from itertools import count
from types import CodeType, FrameType
from typing import Any

from wheelproof.trace.recording.log import Log, Site

APART = frozenset(("wait",))
"""Operations that come from the same instruction as another one."""

ENDS = frozenset(("unlock", "leave"))
"""Operations that end a critical section: of a lock, of a gate."""


STOP_SECONDS = 0.1
"""How often a thread that waits for a lock looks whether the recording was stopped."""


class Stop(BaseException):
    """Ends a thread of a recording that was stopped. No code of the project catches it."""


Observer = Callable[[Log, FrameType], int]
"""A further number that is noted at an operation: called with the running thread's log and the
frame that performs it."""


Values = tuple[int, int, int, int, int, int]
"""Object, old, new, argument, number of the word and its version."""

Section = Callable[["Recorder", FrameType], Values | None]
"""The content of a critical section's record, made in the frame that gives the section's lock back;
None for no record."""


class Recorder:
    """Logs by thread, ids by object, sites by place in the code.

    ``event_of(file, line, operation)`` gives the label and the kind of event of an operation
    (``lock``, ``unlock``, ``read``, ``write``, ``update`` ...) on a line, ("", "") where it is not
    recorded. ``known``: the classes whose objects have ids. ``limit``: chunks of :data:`CHUNK`
    records that a thread may fill before events are dropped, and counted. ``observers``: kind of
    event -> a further number to note in a record of it, read under the held locks. ``conditions``:
    kind of event -> the values of a volatile field whose read is one; of other kinds every read is.
    ``sections``: kind of event -> the content of its record, of events that are a critical section.
    ``values``: ids of values that are no objects. ``words``: those that the project's sections have
    made, by the id of their owner. ``turn``: called before each operation of a directed run; None
    where threads run as they like. ``attempts``: held while a lock is tried, and while one that was
    tried is given back.
    """

    def __init__(
        self, event_of: Callable[[CodeType, int, str], tuple[str, str, str]], limit: int = 1 << 12
    ) -> None:
        self.sites: list[Site] = [Site("", "", "", "")]
        self.known: set[type] = set()
        self.logs: list[Log] = []
        self.objects: dict[int, Any] = {}
        self.primitives: dict[int, Any] = {}
        self.observers: Mapping[str, Observer] = {}
        self.conditions: Mapping[str, Callable[[Any], bool]] = {}
        self.sections: Mapping[str, Section] = {}
        self.values: dict[Any, int] = {}
        self.words: dict[int, Any] = {}
        self.takes: list[Section | None] = [None]  # of each site, whether it is a section's end
        self.looks: list[Observer | None] = [None]  # of each site, what else to note there
        self.wants: list[Callable[[Any], bool] | None] = [
            None
        ]  # of each site, of which values a read is an event
        self.turn: Callable[[FrameType, str], None] | None = None
        self.recording = self.stopped = False
        self._event_of, self._limit = event_of, limit
        self._ids: dict[int, int] = {}
        # Address of the code object plus offset of the instruction, which lies within it -> site.
        self.places: dict[int, int] = {}
        self._apart: dict[
            tuple[int, str], int
        ] = {}  # the same for operations that share their instruction with another one
        self._strangers: set[type] = set()
        self._marks: dict[str, int] = {}
        self._codes: list[CodeType] = []
        self._next_id, self._next_number = count(1), count(1)
        self.local = threading.local()
        self._guard = threading.Lock()
        self.attempts = threading.Lock()

    # -- threads

    def log(self) -> Log:
        """The running thread's log; made at its first operation. Outside a recording it is
        muted."""
        try:
            log: Log = self.local.log
            return log
        except AttributeError:
            return self.enter(threading.current_thread().name)

    def enter(self, name: str) -> Log:
        """Begin a log for the running thread, under a name of its own."""
        log = Log(name, self._limit)
        if self.recording:
            with self._guard:
                self.logs.append(log)
        else:
            log.muted = True
        self.local.log = log
        self._mark(log, "thread_start")
        return log

    def dismiss(self) -> None:
        """The running thread is none of the recording: it stands for something that does not take
        place here."""
        log = self.log()
        log.muted = True
        with self._guard:
            self.logs[:] = [other for other in self.logs if other is not log]

    def leave(self) -> None:
        """The running thread's last event: after all that is recorded by now, as any of it may have
        ordered the thread to end."""
        log = self.log()
        log.lc = max((log.lc for log in list(self.logs)), default=0) if not log.muted else log.lc
        self._mark(log, "thread_stop")

    def _mark(self, log: Log, event: str) -> None:
        if log.muted:
            return
        if event not in self._marks:
            self._marks[event] = self.add_site(event)
        if site := self._marks[event]:
            log.emit(site, 0, 0, 0)

    def begin(self) -> None:
        """From here on the events of threads that :meth:`enter` are recorded; those of setting up
        are not."""
        self.recording = True

    def end(self) -> None:
        """No more events: further operations of threads are not recorded."""
        self.recording = False
        for log in self.logs:
            log.muted = True

    # -- identity

    def id_of(self, value: Any) -> int:
        """The id of an object of a known class; a whole number is itself; 0 for None and all
        else."""
        if value is None:
            return 0
        number = self._ids.get(id(value))
        if number is not None:
            return number
        kind = type(value)
        if kind is int or kind is bool:
            return int(value)
        return self.identify(value) if self.knows(kind) else 0

    def knows(self, kind: type) -> bool:
        """Whether objects of a class have ids: it is known, or derives from one that is."""
        if kind in self.known:
            return True
        if kind in self._strangers:
            return False
        has_ids = any(base in self.known for base in kind.__mro__)
        (self.known if has_ids else self._strangers).add(kind)
        return has_ids

    def identify(self, value: Any) -> int:
        """The object's id, given at its first sight."""
        with self._guard:
            number = self._ids.get(id(value))
            if number is None:
                number = next(self._next_id)
                self.objects[number] = value
                self._ids[id(value)] = number
            return number

    def id_of_value(self, value: Any) -> int:
        """The id of a value that is no object, such as a key: given at its first sight, and the
        same for equal ones."""
        with self._guard:
            number = self.values.get(value)
            if number is None:
                number = self.values[value] = next(self._next_id)
            return number

    def register(self, primitive: Any) -> int:
        """The number of a lock or a word."""
        number = next(self._next_number)
        self.primitives[number] = primitive
        return number

    def owner(self, frame: FrameType) -> int:
        """The id of the object whose method a frame runs, 0 outside one: a lock belongs to the
        object whose constructor makes it."""
        return self.id_of(frame.f_locals.get("self"))

    # -- sites

    def site(self, frame: FrameType, operation: str) -> int:
        """The index of the site that a frame stands at, 0 where nothing is recorded."""
        code = frame.f_code
        key = id(code) + frame.f_lasti
        index = (
            self.places.get(key) if operation not in APART else self._apart.get((key, operation))
        )
        return self._resolve(code, key, frame.f_lineno, operation) if index is None else index

    def _resolve(self, code: CodeType, key: int, line: int, operation: str) -> int:
        label, event, where = self._event_of(code, line, operation)
        with self._guard:
            self._codes.append(code)
            index = 0
            if event:
                site = Site(label, event, operation, where)
                if site not in self.sites:
                    self._append(site)
                index = self.sites.index(site)
            if operation in APART:
                self._apart[key, operation] = index
            else:
                self.places[key] = index
            return index

    def _append(self, site: Site) -> None:
        self.takes.append(self.sections.get(site.event) if site.operation in ENDS else None)
        self.looks.append(self.observers.get(site.event))
        self.wants.append(self.conditions.get(site.event))
        self.sites.append(site)

    def add_site(self, event: str, code: CodeType | None = None) -> int:
        """The index of a site that is a whole method, or no place at all; 0 where its events are
        not recorded."""
        place = Recorder.enter.__code__ if code is None else code
        label, event, where = self._event_of(place, place.co_firstlineno, f"call {event}")
        if not event:
            return 0
        with self._guard:
            self._append(Site(label, event, "call", "" if code is None else where))
            return len(self.sites) - 1
