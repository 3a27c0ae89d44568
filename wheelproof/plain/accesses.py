"""Accesses: where each location was last accessed, and which accesses race.

L. Lamport: Time, Clocks, and the Ordering of Events in a Distributed System, CACM 21(7), 1978; the
representation of a location by its last write and the reads since is that of FastTrack: C.
Flanagan, S. Freund, PLDI 2009. Departure: the clocks are those of the reduction.
"""

from __future__ import annotations

import contextlib
import sys
import weakref
from dataclasses import dataclass, field
from typing import Any, NoReturn

from wheelproof.plain.happens_before import Location
from wheelproof.plain.operations import READ, WRITE, Ending, Thread
from wheelproof.plain.polling import frames_of
from wheelproof.plain.sites import Site

FEW = 100_000
"""Accesses of a set-up that is not announced, at most: the watchdog must see some progress."""

LONG = 20_000
"""Accesses without an operation after which a thread may be in a loop that changes nothing."""

LOOP = 2_000
"""Accesses within which such a loop must come back to where it was."""

LIFE = "the lives of objects with weak references"
"""The location of all of them."""

_FINALIZED: dict[type, bool] = {}
"""Whether a class has a finalizer."""


@dataclass
class Loop:
    """A suspected loop: a place in it, the frames and the number of writes there, other places.

    ``end``: the accesses until which the thread has to come back.
    """

    site: Site
    frames: Any
    written: int
    end: int
    sites: set[Site] = field(default_factory=set)


class Accesses:
    """The locations of a run, and the races on them.

    The set-up of a program is its part before the start of a second thread. It comes before all
    else, so it races with nothing, and it is the same in each run. ``alone``: the run is in it.
    ``quiet``: it is not announced. An earlier run has had ``count`` accesses in it, and has written
    the locations ``set_up``.

    ``racing`` are the sites of new races, ``unseen`` the calls of foreign code in races.
    ``compiled``: the foreign code that was called and is no Python. ``far``: the code that reaches
    more objects than are announced. ``limit``: the accesses from which on the present run has been
    long without an operation.
    ``shared``: a location was used by two threads. ``written`` counts the writes. ``hidden`` are
    the files of the synchronization itself. ``over``: the run has ended, and its threads are ended.
    ``watched``: the objects to which the program has weak references. ``killing``: the keys of the
    sites at whose accesses such an object has ended; those write ``LIFE`` from the next search on.
    """

    running: Thread | None
    threads: list[Thread]

    def __init__(self) -> None:
        self.locations: dict[Any, Location] = {}
        self.accesses, self.most_accesses = 0, 2_000_000
        self.number = self.written = 0
        self.loop: Loop | None = None
        self.limit = LONG
        self.racing: list[Site] = []
        self.unseen: dict[tuple[str, str], int] = {}
        self.compiled: set[str] = set()
        self.far: set[str] = set()
        self.shared = self.over = False
        self.alone = self.quiet = False
        self.set_up: list[Any] | None = None
        self.count = 0
        self.hidden: frozenset[str] = frozenset()
        self.recorder: Any = None
        self.watched: list[weakref.ref[Any]] = []
        self.killing: set[str] = set()

    def point(self, kind: int, target: Location, site: Site | None) -> None:
        raise NotImplementedError

    def stop(self, ending: Ending, fault: BaseException | None = None) -> None:
        raise NotImplementedError

    def leave(self, thread: Thread) -> NoReturn:
        raise NotImplementedError

    def wants(self, key: str | int) -> None:
        raise NotImplementedError

    def access(self, thread: Thread, key: Any, holder: Any, writes: bool, site: Site) -> bool:
        """Announce an access, right before it is made. True where its value is to be recorded."""
        if self.quiet and not site.visible:
            return False
        if self.over:
            self.leave(thread)
        self.accesses = count = self.accesses + 1
        if count > self.limit:
            self._long(site)
        if site.region != thread.region or site.position <= thread.position:
            thread.switchable = True
        thread.region, thread.position, thread.last = site.region, site.position, site
        if self.killing and key is not LIFE and site.key in self.killing:
            self.access(thread, LIFE, None, True, site)
            self.written -= 1  # no value has changed
        location = self.locations.get(key)
        if location is None:
            location = self.locations[key] = Location(key, self._keeper(key, holder))
            if thread.number and not self.shared:
                self.shared = key in (self.set_up or ())
            if thread.polling is not None:
                thread.polling.touches(location)
        if site.visible:
            self.point(WRITE if writes else READ, location, site)
        number, clock = thread.number, thread.clock
        writer = location.writer
        if writer >= 0 and writer != number:
            self.shared = True
            if clock[writer] <= location.write_stamp:
                self._race(location.write_site, site)
        readers = location.readers
        if writes:
            if thread.polling is not None:
                thread.polling.writes(location)
            if readers:
                for reader, (stamp, place) in readers.items():
                    if reader != number:
                        self.shared = True
                        if clock[reader] <= stamp:
                            self._race(place, site)
            self.written += 1
            location.writer, location.write_stamp = number, clock[number]
            location.write_site, location.readers = site, None
        elif readers is None:
            location.readers = {number: (clock[number], site)}
        else:
            readers[number] = (clock[number], site)
        if self.recorder is None:
            return False
        self.recorder.accesses(thread, location, writes, site)
        return site.visible

    def watch(self, target: Any) -> None:
        """The program has made a weak reference to an object, whose end it can notice."""
        if self.running is None:
            return
        with contextlib.suppress(TypeError):
            self.watched.append(weakref.ref(target, self._ended))
        for key, location in self.locations.items():
            if location.kept is target:
                location.kept = self._keeper(key, target)

    def _ended(self, _: object) -> None:
        """An object that was watched has ended."""
        thread = self.running
        if thread is None or self.over or thread.last is None:
            return
        key = thread.last.key
        if key not in self.killing and self.is_beside_others(thread):
            self.killing.add(key)
            self.wants(f"{LIFE}: {key}")

    def forgets(self, thread: Thread, site: Site) -> None:
        """A thread is about to drop a reference of its own."""
        thread.last = site
        if site.key in self.killing:
            self.access(thread, LIFE, None, True, site)

    def looks_at_life(self, site: Site) -> None:
        """The program asks whether an object has ended."""
        if self.killing and self.running is not None:
            self.access(self.running, LIFE, None, False, site)

    def is_beside_others(self, me: Thread) -> bool:
        """Whether another thread has not ended, or its end is not known to come before."""
        return any(
            peer is not me and not (peer.done and me.clock[peer.number] >= peer.clock[peer.number])
            for peer in self.threads
        )

    def sets_up(self) -> None:
        """A run begins."""
        self.alone = True
        self.quiet = self.set_up is not None and self.shared and self.recorder is None

    def has_set_up(self, thread: Thread) -> None:
        """The first thread of a run starts the second one."""
        self.alone = False
        if self.quiet:
            self.quiet, self.accesses = False, self.count
            return
        self.count = self.accesses
        self.set_up = None
        if thread.polling is None and self.accesses <= FEW:
            keys = (key for key, location in self.locations.items() if location.writer >= 0)
            self.set_up = list(keys)
            before, self.locations = self.locations, {}
            before.clear()  # objects end as in a run whose set-up is not announced

    @property
    def progress(self) -> int:
        """The accesses by which two runs of one order are compared."""
        return 0 if self.alone else self.accesses

    def _long(self, site: Site) -> None:
        """The run is long. The places in a loop that changes nothing become visible.

        So do those of any loop in a run that is too long: another thread may end it.
        """
        loop, frames = self.loop, None
        if loop is None or loop.site is site:
            frames = frames_of(sys._getframe(2), self.hidden)
        if loop is None:
            self.loop = Loop(site, frames, self.written, self.accesses + LOOP)
            return
        loop.sites.add(site)
        same = loop.site is site and (loop.frames, loop.written) == (frames, self.written)
        too_long = self.accesses > self.most_accesses
        if same or (too_long and self.accesses > loop.end):
            self.racing.extend(loop.sites)
            self.stop(Ending.CUT)
        if self.accesses > loop.end:
            self.loop, self.limit = None, min(2 * self.accesses, self.most_accesses)

    def _keeper(self, key: Any, holder: Any) -> Any:
        """The reference that keeps the identity of an object from being used again.

        An object whose end can be noticed is not kept alive: its locations end with it.
        """
        kind = type(holder)
        has_finalizer = _FINALIZED.get(kind)
        if has_finalizer is None:
            has_finalizer = _FINALIZED[kind] = hasattr(kind, "__del__")
        if has_finalizer or weakref.getweakrefcount(holder):
            locations = self.locations
            with contextlib.suppress(TypeError):
                return weakref.ref(holder, lambda reference: locations.pop(key, None))
        return holder

    def _race(self, first: Site | None, second: Site) -> None:
        assert first is not None
        if first.foreign or second.foreign:
            code = first.foreign or second.foreign
            self.unseen.setdefault((code, str(first if first.foreign else second)), self.number)
            return
        if not first.visible:
            self.racing.append(first)
        if not second.visible:
            self.racing.append(second)
