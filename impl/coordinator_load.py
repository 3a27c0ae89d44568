"""The coordinator of a partition: loaded by the broker that leads it, and unloaded when it follows.

Kafka: ``CoordinatorRuntime`` with ``CoordinatorLoaderImpl``, here for one partition. Labels are
those of ``spec/CoordinatorLoad.tla``.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Protocol

from impl.arguments import able, function, whole
from impl.runtime import Atomic, Event, Monitor, Plain, Volatile

INITIAL, LOADING, ACTIVE, FAILED, CLOSED = "initial", "loading", "active", "failed", "closed"
"""The states of a context."""

ANSWERED, REFUSED = "answered", "refused"
"""The replies to a write."""

NONE = -1
"""No offset."""


class Task(Protocol):
    """An event of a partition."""

    def handle(self) -> None:
        """Handle the event. No other event of the partition is handled meanwhile."""


class Events:
    """Handles the events of a partition one after the other, in the order in which they were put.

    A thread that puts an event while no other thread handles one handles all that wait. ``busy``:
    some thread does.
    """

    __slots__ = ("gate", "waiting", "busy")

    waiting: Plain[deque[Task]]
    busy: Plain[bool]

    def __init__(self) -> None:
        self.gate = Monitor()
        self.waiting = deque()
        self.busy = False

    def put(self, event: Task) -> None:
        """Have an event handled behind all that wait."""
        with self.gate:  # lock Q1, unlock Q4
            self.waiting.append(event)  # change Q2
            handles = not self.busy
            if handles:
                self.busy = True  # write Q3
        if handles:
            self.handle_all()

    def handle_all(self) -> None:
        """Handle the events that wait, and those that come meanwhile."""
        while (event := self.take()) is not None:
            event.handle()

    def take(self) -> Task | None:
        """Take the first event; where none waits, no thread handles events any more."""
        event = None
        with self.gate:  # lock R1, unlock R4
            if self.waiting:
                event = self.waiting.popleft()  # change R3
            else:
                self.busy = False  # write R2
        return event


class Write:
    """A write without records, such as a heartbeat that changes nothing. It has one reply."""

    __slots__ = ("result", "replied")

    result: Plain[str | None]

    def __init__(self) -> None:
        self.result = None
        self.replied = Event()

    def reply(self, result: str) -> None:
        """Give the reply."""
        self.result = result  # write N1
        self.replied.set()  # write N2

    def await_reply(self) -> str | None:
        """Wait for the reply, and return it."""
        self.replied.wait()  # wait W1, wake W2
        return self.result


class Context:
    """The coordinator of a partition, from the event of a leadership to the event of its end.

    ``epoch``: that of the newest leadership. ``applied``: the offset up to which it has applied the
    log. ``committed``: the offset up to which it knows the log to be committed. ``heard``: the high
    watermark that came while it loaded. ``pending``: the high watermark that waits for its
    event. ``deferred``: the writes that wait for the high watermark.
    """

    __slots__ = (
        "runtime",
        "epoch",
        "state",
        "applied",
        "committed",
        "heard",
        "pending",
        "deferred",
    )

    epoch: Plain[int]
    state: Plain[str]
    applied: Plain[int]
    committed: Plain[int]
    heard: Plain[int]
    deferred: Plain[deque[Write]]

    def __init__(self, runtime: CoordinatorRuntime) -> None:
        self.runtime = runtime
        self.epoch = 0
        self.state = INITIAL
        self.applied = 0
        self.committed = 0
        self.heard = NONE
        self.pending = Atomic(NONE)
        self.deferred = deque()

    def learn(self, offset: int) -> None:
        """Learn a new high watermark. One event carries all that come before it is handled."""
        before = self.pending.get_and_set(offset)  # swap F3
        if before == NONE:
            self.runtime.events.put(Rise(self))

    def reply(self, result: str) -> None:
        """Reply to all writes that wait."""
        while self.deferred:
            write = self.deferred.popleft()  # change D1
            write.reply(result)


class Log:
    """The log of the partition on this broker, which leads or follows.

    ``listener``: the context that learns each new high watermark. One thread at a time calls
    :meth:`fetched`.
    """

    __slots__ = ("end", "leads", "high_watermark", "listener")

    leads: Volatile[bool]
    listener: Volatile[Context | None]

    def __init__(self, end: int, high_watermark: int) -> None:
        whole("end", end, 0)
        whole("high_watermark", high_watermark, 0)
        self.end = end
        self.leads = False
        self.high_watermark = Atomic(high_watermark)
        self.listener = None

    def fetched(self) -> None:
        """A follower has fetched: the high watermark rises by one offset."""
        offset = self.high_watermark.add_and_get(1)  # update F1
        listener = self.listener  # read F2
        if listener is not None:
            listener.learn(offset)


class Loader:
    """Loads contexts one after the other, on the thread that calls :meth:`load`.

    Nothing cancels a load.
    """

    __slots__ = ("log", "lock", "loads")

    loads: Plain[deque[Context]]

    def __init__(self, log: Log) -> None:
        able("log", log, Log)
        self.log = log
        self.lock = Monitor()
        self.loads = deque()

    def submit(self, context: Context) -> None:
        """Have a context loaded behind all that wait."""
        with self.lock:  # lock S1, unlock S3
            self.loads.append(context)  # change S2

    def load(self) -> None:
        """Load the first context that waits, if there is one.

        The load fails where the broker does not lead the partition.
        """
        context = None
        with self.lock:  # lock M1, unlock M3
            if self.loads:
                context = self.loads.popleft()  # change M2
        if context is not None:
            leads = self.log.leads  # read M4
            if leads:
                self.read(context)
            context.runtime.events.put(Complete(context, leads))

    def read(self, context: Context) -> None:
        """Have a context apply the whole log, and take the high watermark at last."""
        context.applied = self.log.end  # write M5
        offset = self.log.high_watermark.get()  # read M6
        context.committed = offset  # write M7


class CoordinatorRuntime:
    """The coordinator of one partition. ``current``: its context, or None."""

    __slots__ = ("log", "loader", "build", "events", "current")

    current: Plain[Context | None]

    def __init__(
        self,
        log: Log,
        loader: Loader,
        build: Callable[[CoordinatorRuntime, int], Context] = lambda runtime, _: Context(runtime),
    ) -> None:
        """``build`` makes the context of a leadership, which begins with this epoch."""
        able("log", log, Log)
        able("loader", loader, Loader)
        function("build", build)
        self.log = log
        self.loader = loader
        self.build = build
        self.events = Events()
        self.current = None

    def lead(self, epoch: int) -> None:
        """The broker leads the partition."""
        self.log.leads = True  # write P1
        self.events.put(Begin(self, epoch))

    def follow(self, epoch: int) -> None:
        """The broker follows another one."""
        self.log.leads = False  # write P2
        self.resign(epoch)

    def resign(self, epoch: int) -> None:
        """Have the coordinator unloaded, unless it is of this leadership or of a later one."""
        self.events.put(Unload(self, epoch))

    def write(self, write: Write) -> str | None:
        """Have a write served, and wait for its reply."""
        self.events.put(Serve(self, write))
        return write.await_reply()

    # -- the events

    def begin_load(self, epoch: int) -> None:
        context = self.current
        if context is None:
            context = self.build(self, epoch)
            self.current = context  # write A1
        if context.epoch < epoch:
            context.epoch = epoch  # write A2
            if context.state == INITIAL:
                context.state = LOADING  # write A3
                self.log.listener = context  # write A4
                self.loader.submit(context)

    def unload(self, epoch: int) -> None:
        context = self.current
        if context is not None and context.epoch < epoch:
            context.state = CLOSED  # write B1
            self.log.listener = None  # write B2
            context.reply(REFUSED)
            self.current = None  # write B3

    def complete(self, context: Context, loaded: bool) -> None:
        """A load counts for its own context alone, and there it is the only one."""
        if context is self.current:
            if loaded:
                context.state = ACTIVE  # write C1
                if context.heard > context.committed:
                    context.committed = context.heard  # write C2
            else:
                context.state = FAILED  # write C3
                self.log.listener = None  # write C4

    def rise(self, context: Context) -> None:
        offset = context.pending.get_and_set(NONE)  # swap H1
        if context is self.current:
            if context.state == ACTIVE:
                self.commit(context, offset)
            else:
                context.heard = offset  # write H2

    def commit(self, context: Context, offset: int) -> None:
        """An active context learns the high watermark. Events are in order: it knows no higher."""
        context.committed = offset  # write H3
        if offset >= context.applied:
            context.reply(ANSWERED)

    def serve(self, write: Write) -> None:
        context = self.current
        if context is None or context.state != ACTIVE:
            write.reply(REFUSED)
        elif context.committed >= context.applied:
            write.reply(ANSWERED)
        else:
            context.deferred.append(write)  # change V1


class Begin:
    """The broker leads with this epoch."""

    __slots__ = ("runtime", "epoch")

    def __init__(self, runtime: CoordinatorRuntime, epoch: int) -> None:
        self.runtime, self.epoch = runtime, epoch

    def handle(self) -> None:
        self.runtime.begin_load(self.epoch)


class Unload:
    """The broker does not lead any more since this epoch."""

    __slots__ = ("runtime", "epoch")

    def __init__(self, runtime: CoordinatorRuntime, epoch: int) -> None:
        self.runtime, self.epoch = runtime, epoch

    def handle(self) -> None:
        self.runtime.unload(self.epoch)


class Complete:
    """The load of a context has ended. ``loaded``: it has succeeded."""

    __slots__ = ("context", "loaded")

    def __init__(self, context: Context, loaded: bool) -> None:
        self.context, self.loaded = context, loaded

    def handle(self) -> None:
        self.context.runtime.complete(self.context, self.loaded)


class Rise:
    """The high watermark that a context learns waits in its ``pending``."""

    __slots__ = ("context",)

    def __init__(self, context: Context) -> None:
        self.context = context

    def handle(self) -> None:
        self.context.runtime.rise(self.context)


class Serve:
    """A write comes."""

    __slots__ = ("runtime", "write")

    def __init__(self, runtime: CoordinatorRuntime, write: Write) -> None:
        self.runtime, self.write = runtime, write

    def handle(self) -> None:
        self.runtime.serve(self.write)
