"""The result of a run: its failure, and the steps that lead there."""

from __future__ import annotations

import linecache
import weakref
from collections import Counter
from types import FrameType
from typing import TYPE_CHECKING, Any

from wheelproof.plain import texts
from wheelproof.plain.answers import (
    Failure,
    FailureKind,
    Operation,
    Place,
    Schedule,
    Step,
    Switch,
    Wait,
)
from wheelproof.plain.execution import Execution
from wheelproof.plain.operations import (
    ACQUIRE,
    JOIN,
    OPERATIONS,
    PEEK,
    RELEASE,
    TIME_OUT,
    TRY,
    Ending,
    Thread,
    times_out,
)
from wheelproof.plain.simple_queue import EMPTY

if TYPE_CHECKING:
    from wheelproof.plain.happens_before import Location
    from wheelproof.plain.sites import Site
    from wheelproof.plain.world import World

_MISSING = object()


class Found:
    """A failure, before its run is recorded. ``order``: an equivalent run that shows it better."""

    def __init__(
        self, kind: FailureKind, message: str, thread: str, error: BaseException | None
    ) -> None:
        self.kind, self.message, self.thread, self.error = kind, message, thread, error
        self.order: list[int] | None = None


def failure_of(execution: Execution) -> Found | None:
    """How the present run failed first, if it did."""
    for thread in execution.failed:
        error = thread.error
        if error is not None and not (isinstance(error, SystemExit) and thread.number):
            kind = FailureKind.EXCEPTION
            if isinstance(error, AssertionError):
                kind = FailureKind.ASSERTION
            message = texts.without_addresses(f"{type(error).__name__} in {thread.name}: {error}")
            return Found(kind, message.rstrip(": "), thread.name, error)
    if execution.ending is Ending.STUCK:
        waits = [wait for wait in map(waiting, execution.threads) if wait]
        cycle = cycle_of(execution)
        for_notification = all(wait[2] for wait in waits if wait[0].kind == ACQUIRE)
        kind = FailureKind.LOST_WAKE_UP if for_notification and not cycle else FailureKind.DEADLOCK
        names = ", ".join(wait[0].name for wait in waits)
        return Found(kind, f"{kind}: {names} wait for ever", waits[0][0].name, None)
    if execution.ending is Ending.ENDLESS:
        running = execution.looped or f"{execution.accesses:,} accesses"
        message = f"endless loop: {running}"
        return Found(FailureKind.ENDLESS, message, "", None)
    return None


class Judge:
    """Says how runs fail."""

    def __call__(self, execution: Execution) -> Found | None:
        """How the present run failed, before its threads are ended."""
        return failure_of(execution)

    def operations(self) -> tuple[Operation, ...]:
        """The operations of the present run, where its program has some."""
        return ()

    def settle(self) -> Found | None:
        """The same for the last run, once its state is put back: other runs may be made for it."""
        return None


def waiting(thread: Thread) -> tuple[Thread, Thread | None, bool] | None:
    """A thread that waits at the end, the thread it waits for, and whether for a notification."""
    if thread.done or thread.kind not in (ACQUIRE, JOIN):
        return None
    holder = thread.target.owner
    for_notification = thread.kind == ACQUIRE and holder in (thread, EMPTY)
    return (
        thread,
        holder if isinstance(holder, Thread) and holder is not thread else None,
        for_notification,
    )


def cycle_of(execution: Execution) -> tuple[str, ...]:
    """The names of threads that wait for each other in a circle."""
    for first in execution.threads:
        path: list[Thread] = []
        thread: Thread | None = first
        while thread is not None and thread not in path:
            path.append(thread)
            wait = waiting(thread)
            thread = wait[1] if wait else None
        if thread is first:
            return tuple(member.name for member in path)
    return ()


def _object_of(reference: Any) -> Any:
    """The object of a location."""
    return reference() if type(reference) is weakref.ref else reference


def lock_name(lock: Any, frame: FrameType | None) -> str:
    """The attribute or variable that a lock is known by where it is used: the outermost one."""
    name = ""
    while frame is not None:
        module = frame.f_globals.get("__name__", "")
        is_own, is_hidden = module.startswith("wheelproof.plain."), module == "threading"
        for variable, value in () if is_own or (is_hidden and name) else frame.f_locals.items():
            if value is lock:
                name = variable
                break
            fields = getattr(value, "__dict__", None)
            if type(fields) is dict:
                attribute = next((key for key, field in fields.items() if field is lock), None)
                if attribute is not None:
                    name = f"{type(value).__name__}.{attribute}"
                    break
        if name and not is_hidden:
            break
        frame = frame.f_back
    return name or lock.name or type(lock).__name__


class Recorder:
    """Collects the steps of a run."""

    def __init__(self, execution: Execution, world: World) -> None:
        self._execution, self._world = execution, world
        self._rows: list[list[Any]] = []
        self._found: Found | None = None
        self._operations: tuple[Operation, ...] = ()
        self._waits: tuple[Wait, ...] = ()
        self._cycle: tuple[str, ...] = ()
        self._pending: dict[str, str] = {}
        self._locks: dict[int, str] = {}
        self._preempted = 0
        self.preemptions, self.gil_allows = 0, True
        self._files = {getattr(m, "__file__", None) for m in world.modules.values()}

    def performs(self, thread: Thread, frame: FrameType | None) -> None:
        """A thread performs the operation that it stands in front of."""
        execution = self._execution
        preempts = execution.preemptions > self._preempted
        self._preempted = execution.preemptions
        place = thread.site.place if thread.site else self.place(frame)
        name = self.named(thread, frame)
        operation = thread.target.words.get(thread.kind, OPERATIONS[thread.kind])
        operation = TIME_OUT if times_out(thread) else operation
        self._rows.append([thread, place, operation, name, _MISSING, preempts, self.held(thread)])

    def begins(self, thread: Thread, starter: Any) -> None:
        """A thread is started by another one, or is the first."""

    def accesses(self, thread: Thread, location: Location, writes: bool, site: Site) -> None:
        """A thread makes an access."""

    def note(self, value: Any) -> None:
        """The value of the last access. Its ``__repr__`` makes no step of the run."""
        execution = self._execution
        thread, execution.running = execution.running, None
        try:
            for row in reversed(self._rows):
                if row[0] is thread:
                    row[4] = texts.value(value)
                    return
        finally:
            execution.running = thread

    def held(self, thread: Thread) -> tuple[str, ...]:
        """The locks of a thread once it has performed its operation."""
        locks, target = list(thread.held), thread.target
        if target.words:
            pass
        elif thread.kind == ACQUIRE or (thread.kind == TRY and target.owner is None):
            locks.append(target)
        elif thread.kind == RELEASE and target in locks:
            locks.remove(target)
        return tuple(self._locks.get(id(lock), "lock") for lock in locks)

    def named(self, thread: Thread, frame: FrameType | None) -> str:
        """The object of a thread's operation, in text."""
        target = thread.target
        if thread.kind in (ACQUIRE, TRY, RELEASE, PEEK):
            known_name = self._locks.get(id(target))
            if known_name is None:
                name = lock_name(target, frame)
                namesakes = sum(lock.partition("~")[0] == name for lock in self._locks.values())
                known_name = self._locks[id(target)] = (
                    f"{name}~{namesakes + 1}" if namesakes else name
                )
            return known_name
        name = target.name
        if isinstance(name, tuple) and len(name) == 2:
            return f"{type(_object_of(target.kept)).__name__}.{name[1]}"
        if isinstance(name, tuple):
            return str(name[-1])
        if isinstance(name, int):
            return f"{type(_object_of(target.kept)).__name__}"
        return str(name or type(target).__name__)

    def place(self, frame: FrameType | None) -> Place:
        """The innermost place outside the standard library's synchronization."""
        place_frame = None
        while frame is not None:
            if frame.f_code.co_filename in self._files:
                place_frame = place_frame or frame
                if frame.f_globals.get("__name__") not in ("threading", "queue"):
                    place_frame = frame
                    break
            frame = frame.f_back
        if place_frame is None:
            return Place("", 0, 0, "", "")
        code = place_frame.f_code
        text = linecache.getline(code.co_filename, place_frame.f_lineno).strip()
        module = place_frame.f_globals.get("__name__", "")
        key = f"{module}:{code.co_qualname}:{text}"
        return Place(code.co_filename, place_frame.f_lineno, 0, text, key)

    def finish(self, judge: Judge) -> bool:
        """The run has ended. Whether it failed."""
        execution = self._execution
        self._found = judge(execution)
        self._operations = judge.operations()
        self.preemptions, self.gil_allows = execution.preemptions, execution.gil_allows
        self._cycle = cycle_of(execution)
        waits = []
        for thread in execution.threads:
            wait = waiting(thread)
            if wait is not None and execution.ending is Ending.STUCK:
                holder = wait[1].name if wait[1] else ""
                frame = thread.greenlet.gr_frame
                awaited_name = "a notification" if wait[2] else self.named(thread, frame)
                waits.append(Wait(thread.name, awaited_name, holder, self.place(frame)))
        self._waits = tuple(waits)
        for thread in execution.threads:
            if not thread.done and thread.kind >= 0:
                place = thread.site or self.place(thread.greenlet.gr_frame)
                self._pending[thread.name] = place.key
        return self._found is not None

    def steps(self) -> tuple[Step, ...]:
        steps = []
        for thread, place, operation, target, value, preempts, locks in self._rows:
            text = "" if value is _MISSING else value
            steps.append(Step(thread.name, place, operation, target, text, locks, preempts))
        return tuple(steps)

    def failure(self, minimal: bool, free_threaded_only: bool | None) -> Failure:
        finding = self._found
        assert finding is not None
        return Failure(
            kind=finding.kind,
            message=finding.message,
            thread=finding.thread,
            exception=finding.error,
            steps=self.steps(),
            waits=self._waits,
            cycle=self._cycle,
            preemptions=self.preemptions,
            minimal=minimal,
            free_threaded_only=free_threaded_only,
            operations=self._operations,
        )

    def schedule(self) -> Schedule:
        """The switches of the run: also the first, away from the program's own thread."""
        steps = self.steps()
        visits: Counter[tuple[str, str]] = Counter()
        switches = []
        before = self._execution.threads[0].name
        for index, step in enumerate(steps):
            if step.thread != before:
                key, visit = "", 0
                if step.preempts:
                    pending = next((s for s in steps[index:] if s.thread == before), None)
                    key = pending.place.key if pending else self._pending.get(before, "")
                    visit = visits[before, key] + 1
                switches.append(Switch(before, key, visit, step.thread))
            visits[step.thread, step.place.key] += 1
            before = step.thread
        return Schedule(tuple(switches), self._world.visible_keys())
