"""Which threads can move, and which earlier operations theirs can be exchanged with."""

from __future__ import annotations

from wheelproof.plain.accesses import Accesses
from wheelproof.plain.happens_before import STAMP
from wheelproof.plain.operations import (
    ACQUIRE,
    CHANGES,
    JOIN,
    TRY,
    Ending,
    Thread,
    awaits_time,
    times_out,
)
from wheelproof.plain.polling import ALONE
from wheelproof.plain.schedulers.base import members

SAME = 1e-6
"""Seconds by which two sums of the same times can differ."""


class Moves(Accesses):
    """The threads of a run, in front of their operations.

    ``patient``: a wait ends by its time-out only where no other thread can move. ``put_off``: one
    could have ended earlier. ``punctual``: then the waits and sleeps end that end first, as on a
    machine that takes no time; all earlier operations come before those that follow. ``moment``:
    the latest of their ends.
    """

    def __init__(self) -> None:
        super().__init__()
        self.patient = self.put_off = self.punctual = False
        self.moment = 0.0
        self.threads: list[Thread] = []
        self.order: list[int] = []
        self._repeating = False

    def enabled(self) -> int:
        """The threads that can perform their operations, as a mask."""
        mask, parked_mask, alone_mask, bit = 0, 0, 0, 1
        for thread in self.threads:
            if not thread.done:
                kind = thread.kind
                if kind == ACQUIRE:
                    if thread.target.owner is None:
                        mask |= bit
                elif kind == JOIN:
                    if thread.target.owner.done:
                        mask |= bit
                elif kind >= 0:
                    polling = thread.polling
                    if polling is None or not polling.parked or self._resumes(thread):
                        mask |= bit
                    elif polling.alone < ALONE:
                        parked_mask |= bit
                    else:
                        alone_mask |= bit
            bit <<= 1
        self._repeating = bool(parked_mask | alone_mask) and not mask
        return mask or parked_mask or alone_mask

    def _in_time(self, mask: int) -> int:
        """Of threads that can move, those whose operation is no time-out, if there are any."""
        if self.punctual:
            return self._punctually(mask)
        late = sum(1 << number for number in members(mask) if times_out(self.threads[number]))
        if not late or late == mask:
            return mask
        self.put_off = True
        return mask & ~late

    def _punctually(self, mask: int) -> int:
        """Of threads that can move, those that await no later time, or else those that end first.

        None, if they are daemons, and every other thread has ended.
        """
        numbers, threads, now = list(members(mask)), self.threads, self.moment + SAME
        waiting = [n for n in numbers if threads[n].due > now and awaits_time(threads[n])]
        if len(waiting) < len(numbers):
            self.put_off = self.put_off or bool(waiting)
            return mask & ~sum(1 << number for number in waiting)
        if not self._has_unfinished():
            return 0
        first = min((threads[number].due for number in waiting), default=0.0) + SAME
        return sum(1 << number for number in waiting if threads[number].due <= first)

    def _resumes(self, thread: Thread) -> bool:
        """Whether a thread that polls has something new to see."""
        succeeds = thread.kind == TRY and thread.target.owner is None
        return succeeds or thread.polling.changed()

    def _has_unfinished(self) -> bool:
        return any(not thread.done and not thread.daemon for thread in self.threads)

    def _polls(self, mask: int) -> bool:
        """Whether all threads that can move poll for ever."""
        for number in members(mask):
            polling = self.threads[number].polling
            if polling is None or not polling.parked or polling.alone < ALONE:
                return False
        return True

    def _of_polling(self, mask: int) -> Ending:
        """How a run ends whose threads that can move poll for ever: others wait beside daemons."""
        daemons = all(self.threads[number].daemon for number in members(mask))
        return Ending.STUCK if daemons else Ending.ENDLESS

    def writes(self, thread: Thread) -> bool:
        """Whether a thread's operation changes its location."""
        changes = CHANGES[thread.kind]
        return thread.target.owner is None if changes is None else changes

    def conflicts(self, thread: Thread, writes: bool) -> list[int]:
        """The earlier operations that a thread's operation can be exchanged with.

        Two operations on a lock that are never enabled together are not exchanged: an acquisition
        goes before the acquisition that held it up, not before the release.
        """
        location, clock = thread.target, thread.clock
        number, order = thread.number, self.order
        indices = []
        reads = location.reads if writes else None
        if reads:
            for reader, index in reads.items():
                if reader != number and clock[reader] < (index + 1) * STAMP:
                    indices.append(index)
        if thread.kind == ACQUIRE or (self.patient and writes and thread.kind == TRY):
            index = location.last_acquire
        elif reads:
            return indices
        else:
            index = location.last_write
        if index >= 0 and index not in indices:
            rival = order[index]
            if rival != number and clock[rival] < (index + 1) * STAMP:
                indices.append(index)
        return indices
