"""One execution of a program: greenlet threads, visible operations, and how it ended.

A thread stops *in front of* a visible operation. The scheduler chooses among the threads that can
go on; the one chosen performs its operation, and runs to its next. A new thread runs to its first
operation at once, as nothing that it does before can be seen.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, NoReturn

from greenlet import greenlet

from wheelproof.plain.abandoned import PATIENCE, Abandoned
from wheelproof.plain.accesses import LONG
from wheelproof.plain.carriers import Hub, carrier
from wheelproof.plain.happens_before import STAMP, Clock, Location, join
from wheelproof.plain.moves import SAME, Moves
from wheelproof.plain.operations import (
    ACQUIRE,
    END,
    JOIN,
    PEEK,
    READ,
    SLEEP,
    TRY,
    WRITE,
    Ended,
    Ending,
    NotRunning,
    Thread,
    awaits_time,
)
from wheelproof.plain.polling import Polling
from wheelproof.plain.schedulers.base import BLOCKED, Scheduler
from wheelproof.plain.sites import Site

POLLED = frozenset({READ, WRITE, PEEK})
"""Kinds of operations that a loop may repeat until they show something new."""

OFTEN = 3
"""Operations of a thread at one place before it may be in such a loop."""

ENDS, CLOCK = "<ends>", "<clock>"
"""Objects that can be visible beside places: the ends of threads, and the time."""


class Execution(Moves):
    """Runs a program under a scheduler, again and again.

    ``running`` is the current thread, or None outside a run: accesses then pass. ``number``
    counts the runs, so that locks notice that they have outlived one. ``ends_visible`` and
    ``clock_visible``: the program asks whether threads have ended, and for the time; both
    become operations from the next search on. ``grown``: something became visible.
    ``interrupted``: the signal by which the user ends the search, or 0. ``wanted`` is
    to become visible with the next search. ``cause``: a possible cause of runs that differ.
    ``recorder`` sees the operations of a run that is shown. ``gil_allows``: the present run has
    preempted threads only where an interpreter with a global lock can. ``foreign_called``: it has
    called code that is not looked into. ``judged`` makes a thread's target announce the objects
    that it touches. ``timed``: the origins of threads that read the time. ``failed``: the threads
    of the present run that an exception has ended, as they ended. ``abandoned``: the threads of all
    runs that did not end with theirs.
    """

    def __init__(self) -> None:
        super().__init__()
        self.running: Thread | None = None
        self.hub = Hub()
        self.capacity = 4
        self.most_points = 3_000
        self.ends_visible = self.clock_visible = False
        self.grown, self.interrupted = False, 0
        self.wanted: set[str | int] = set()
        self.timed: set[int] = set()
        self.cause = ""
        self.scheduler = Scheduler()
        self.executions = self.all_points = self.all_accesses = 0
        self.at_exit: list[Callable[[], object]] = []
        self.at_every_exit: list[Callable[[], object]] = []
        self.fault: BaseException | None = None
        self.failed: list[Thread] = []
        self.foreign_called = False
        self.judged: Callable[[Any], Any] = lambda target: target
        self.abandoned = Abandoned()
        self._program: Callable[[], object] | None = None
        self._begin()

    def _begin(self) -> None:
        self.number += 1
        for thread in self.threads:  # an object in no circle ends at once
            thread.object = thread.end.owner = None
        self.locations.clear()
        self.watched = []
        self.threads = []
        self.order = []
        self.locations = {}
        self.dictionaries: dict[int, Any] = {}
        self.kept: list[Any] = []
        self.depth = self.accesses = self.preemptions = 0
        self.ending: Ending | None = None
        self.gil_allows, self.foreign_called = True, False
        self.looped, self._repeating = "", False
        self.written, self.loop, self.limit = 0, None, LONG
        self.now = self.moment = 1_000.0
        self._past: Clock = []
        self.time = Location("the clock")
        self.at_exit = []
        self.fault = None
        self.failed = []
        self.over = False
        self.named = 0
        self.hub = Hub()
        self.sets_up()

    def next_name(self) -> int:
        """The number of the next thread that has no name."""
        self.named += 1
        return self.named

    # -- threads

    def title(self, name: str) -> str:
        """A thread's name as it is shown: no two threads have the same."""
        titles = {thread.name for thread in self.threads}
        title, count = name, 1
        while title in titles:
            count += 1
            title = f"{name}~{count}"
        return title

    def _thread(self, name: str, starter: Any) -> Thread:
        thread = Thread(len(self.threads), self.title(name), self.capacity)
        if thread.number >= self.capacity:
            self.capacity *= 2
            self.grown = True
            self.stop(Ending.CUT)
        if isinstance(starter, Thread):
            thread.clock[:] = starter.clock
            thread.clock[starter.number] += 1
            starter.clock[starter.number] += 2
            starter.children += 1
            thread.origin = hash((starter.origin, starter.children))
        if self.recorder is not None:
            self.recorder.begins(thread, starter)
        thread.starter = starter
        self.threads.append(thread)
        thread.greenlet = carrier(self.hub.greenlet)
        return thread

    def _life(self, thread: Thread, body: Callable[[], object]) -> greenlet:
        """Run a thread. The greenlet that goes on once it has ended."""
        try:
            body()
        except Ended:
            pass
        except BaseException as error:
            if not self.over:
                thread.error = error
                self.failed.append(thread)
        if self.over:
            return self.hub.greenlet
        try:
            if self.ends_visible:
                self.point(END, thread.end, None)
        except Ended:
            return self.hub.greenlet
        thread.done = True
        following: Any = thread.starter or self._choose(thread) or self.hub
        thread.starter = None
        self.running = following if following is not self.hub else None
        after: greenlet = following.greenlet
        return after

    def start(
        self, body: Callable[[], object], name: str, thread_object: Any, daemon: bool
    ) -> Thread:
        """Start a thread from the running one, and run it to its first visible operation."""
        me = self.running
        if me is None:
            raise NotRunning("a thread is started outside an exploration's run")
        if self.over:
            self.leave(me)
        if self.alone:
            self.has_set_up(me)
        thread = self._thread(name, me)
        thread.object, thread.daemon = thread_object, daemon
        self.running = thread
        thread.greenlet.switch(self._life, thread, body)
        if self.over:
            raise Ended
        return thread

    def wants(self, key: str | int) -> None:
        """Something is to be an operation, or an access, from the next search on."""
        self.wanted.add(key)
        self.grown = True

    def grow(self) -> bool:
        """Make the wanted places visible. Whether there were any."""
        keys, self.wanted = self.wanted, set()
        self.ends_visible = self.ends_visible or ENDS in keys
        self.clock_visible = self.clock_visible or CLOCK in keys
        self.timed.update(key for key in keys if isinstance(key, int))
        return bool(keys)

    def was_interrupted(self) -> bool:
        """Whether the user has interrupted the run, or the program itself."""
        return bool(self.interrupted) or any(
            isinstance(thread.error, KeyboardInterrupt) for thread in self.threads
        )

    def sees_ends(self) -> None:
        """The program asks whether threads have ended."""
        if not self.ends_visible:
            self.wants(ENDS)

    def stop(self, ending: Ending, fault: BaseException | None = None) -> None:
        """End the run from within a thread."""
        if self.over and self.running is not None:
            self.leave(self.running)
        if not self.over:
            self.ending, self.fault = ending, fault
            self.running = None
            self.hub.greenlet.switch()
        raise Ended

    def leave(self, thread: Thread) -> NoReturn:
        """End a thread whose run is over. One that goes on all the same is abandoned."""
        thread.refused += 1
        if thread.refused > PATIENCE:
            self.abandoned.keep(thread, self.hub.greenlet)
        raise Ended

    # -- visible operations

    def point(self, kind: int, target: Location, site: Site | None) -> None:
        """The running thread stops in front of an operation, and performs it once chosen."""
        thread = self.running
        if thread is None:
            return
        if self.over:
            self.leave(thread)
        thread.kind, thread.target, thread.site = kind, target, site
        if kind in POLLED:
            self._comes_back(thread, target, site)
        starter = thread.starter
        if starter is not None:
            thread.starter = None
            self.running = starter if starter is not self.hub else None
            starter.greenlet.switch()
        else:
            next_thread = self._choose(thread)
            if next_thread is not thread:
                self.running = next_thread
                (self.hub if next_thread is None else next_thread).greenlet.switch()
        if self.over:
            raise Ended
        self._perform(thread)

    def yields(self, frame: Any, wait: float) -> float:
        """The running thread is in front of a sleep, or of a wait with a time-out.

        Returns for how long it waits, if it does: longer where it only repeats itself.
        """
        thread = self.running
        if thread is None:
            return wait
        if thread.polling is None:
            thread.polling = Polling(self.hidden)
        polling: Polling = thread.polling
        polling.yields(frame, wait, self.timed <= {thread.origin})
        if self.punctual:  # its time will come, so it is no thread that only repeats itself
            polling.parked = False
            return wait
        return max(wait, polling.length)

    def _comes_back(self, thread: Thread, location: Location, site: Site | None) -> None:
        """A thread that comes to a place again and again may do nothing else."""
        place = site or location
        count = thread.visits[place] = thread.visits.get(place, 0) + 1
        if count > OFTEN:
            if thread.polling is None:
                thread.polling = Polling(self.hidden)
            thread.polling.comes_back(thread.kind, location, sys._getframe(3))

    def reads_clock(self, frame: Any) -> bool:
        """The running thread reads the time. Whether it does nothing else."""
        thread = self.running
        assert thread is not None
        if thread.origin not in self.timed:
            self.wants(thread.origin)
        if thread.polling is None:
            thread.polling = Polling(self.hidden)
        return bool(thread.polling.spins(frame))

    def _choose(self, thread: Thread) -> Thread | None:
        mask = self.enabled()
        if self.patient:
            mask = self._in_time(mask)
        if not mask:
            self.ending = Ending.STUCK if self._has_unfinished() else Ending.DONE
            return None
        if self._repeating and self._polls(mask):
            self.ending = self._of_polling(mask) if self._has_unfinished() else Ending.DONE
            return None
        if self.depth >= self.most_points:
            self.ending = Ending.CUT
            return None
        number = self.scheduler.choose(self, thread, mask)
        if number < 0:
            self.ending = Ending.REDUNDANT if number == BLOCKED else Ending.DIFFERENT
            return None
        if number != thread.number and mask >> thread.number & 1:
            self.preemptions += 1
            if not thread.switchable:
                self.gil_allows = False
        return self.threads[number]

    def _perform(self, thread: Thread) -> None:
        """Advance the clocks by an operation, and report it."""
        index = self.depth
        self.depth = index + 1
        self.limit, self.loop = self.accesses + LONG, None
        self.order.append(thread.number)
        kind, clock, number = thread.kind, thread.clock, thread.number
        if self.punctual and awaits_time(thread):
            self._follows_all(thread)
        location: Location | None = thread.target
        assert location is not None
        if self.recorder is not None:
            self.recorder.performs(thread, sys._getframe(2))
        thread.switchable = thread.site is None  # an operation of a lock is a call
        polling = thread.polling
        if polling is not None and polling.parked:
            polling.resumes(thread)
        if kind == JOIN:
            target = location.owner
            join(clock, target.clock)
            clock[target.number] += 1
            location = None
        elif kind == SLEEP:
            location = None
        if location is None:
            clock[number] = (index + 1) * STAMP
            self.scheduler.performed(self, thread, index, None, [], False)
            return
        before = location.last_write
        if before >= 0 and self.order[before] != number:
            self.shared = True
        writes = self.writes(thread)
        conflicts = self.conflicts(thread, writes) if self.scheduler.reverses else []
        if location.write_clock is not None:
            join(clock, location.write_clock)
        if writes:
            if location.read_clock is not None:
                join(clock, location.read_clock)
            clock[number] = (index + 1) * STAMP
            location.write_clock, location.read_clock, location.reads = clock[:], None, None
            location.last_write = index
            if kind in (ACQUIRE, TRY):
                location.last_acquire = index
        else:
            clock[number] = (index + 1) * STAMP
            if location.reads is None or location.read_clock is None:
                location.reads, location.read_clock = {number: index}, clock[:]
            else:
                location.reads[number] = index
                join(location.read_clock, clock)
        if polling is not None and location is not self.time:
            polling.looks(location, before)
        self.scheduler.performed(self, thread, index, location, conflicts, writes)

    def _follows_all(self, thread: Thread) -> None:
        """The operations before the time at which a wait ends come before its end."""
        if thread.due > self.moment + SAME:
            self.moment, self._past = thread.due, [0] * self.capacity
            for peer in self.threads:
                join(self._past, peer.clock)
                self._past[peer.number] += 1
        join(thread.clock, self._past)

    # -- runs

    def run(self, program: Callable[[], object], scheduler: Scheduler) -> Ending:
        """Run a program once."""
        if program is not self._program:
            self._program, self.set_up = program, None
        self._begin()
        self.scheduler = scheduler
        scheduler.begin(self)
        main = self._thread("MainThread", self.hub)
        self.running = main
        main.greenlet.switch(self._life, main, lambda: self._main(program))
        if not self.over and self.ending is None:
            next_thread = self._choose(main)
            if next_thread is not None:
                self.running = next_thread
                next_thread.greenlet.switch()
        self.running = None
        self.executions += 1
        self.all_points += self.depth
        self.all_accesses += self.accesses
        scheduler.finish(self)
        ending = self.ending
        assert ending is not None
        return ending

    def _main(self, program: Callable[[], object]) -> None:
        program()
        for function in reversed([*self.at_every_exit, *self.at_exit]):
            function()

    def end_threads(self) -> None:
        """End the threads that still run. Reports of the run are made before."""
        self.over = True
        for thread in self.threads:
            if thread.greenlet and not thread.greenlet.dead:
                self.running = thread
                thread.greenlet.throw(Ended)
        self.running = None
