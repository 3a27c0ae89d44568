"""The fetches of a share group, which acquire the records of one partition.

Kafka: ``DelayedShareFetch`` with ``SharePartition``. Labels are those of ``spec/ShareFetch.tla``.
"""

from __future__ import annotations

from typing import NamedTuple

from impl.arguments import able, whole
from impl.runtime import Atomic, Empty, Lock, Plain, SimpleQueue, Volatile
from impl.watcher_queue import WatcherQueue

AVAILABLE, ACQUIRED, ACCEPTED = "available", "acquired", "accepted"
"""The states of a batch. One that is accepted leaves the partition when that is written."""

PENDING, DONE, FAILED, REFUSED = "pending", "done", "failed", "refused"
"""The replies to an acknowledgement."""


class Batch(NamedTuple):
    """Records of one state, from the offset ``first`` to ``last``.

    ``owner``: the fetch whose acquisition lock the batch has. ``moving``: the batch is in
    transition: its state is being written, and the owner has it again if that fails.
    """

    first: int
    last: int
    state: str = AVAILABLE
    owner: ShareFetch | None = None
    moving: bool = False

    def is_free(self) -> bool:
        """Whether a fetch may acquire it."""
        return self.state == AVAILABLE and not self.moving

    def is_held(self, fetch: ShareFetch) -> bool:
        """Whether the member of a fetch has it."""
        return self.state == ACQUIRED and self.owner is fetch

    def remains(self) -> bool:
        """Whether it has records that are not accepted for good."""
        return self.first <= self.last and (self.state != ACCEPTED or self.moving)

    def cut(self, start: int) -> Batch:
        """The batch without the records before an offset, unless a member may have them."""
        return self._replace(first=max(self.first, start)) if self.is_free() else self

    def released(self) -> Batch:
        """The same records for the next member."""
        return Batch(self.first, self.last)

    def settled(self, fails: bool, late: bool) -> Batch:
        """The batch at the end of its transition. ``late``: the owner's time is up."""
        if not fails:
            return self._replace(owner=None, moving=False)
        if late:
            return self.released()
        return self._replace(state=ACQUIRED, moving=False)


def free_of(batches: tuple[Batch, ...]) -> tuple[Batch, ...]:
    """The batches that a fetch may acquire."""
    return tuple([batch for batch in batches if batch.is_free()])


class SharePartition:
    """A partition's records, as the members of one share group have them.

    ``cache``: the batches that are not accepted, in their order. ``start``: the first offset of the
    log. ``fetching``: the fetch that has the fetch lock, for which none waits. ``watched``: the
    fetches that wait for records. ``writes``: the fetches whose members wait for a write.
    """

    __slots__ = ("lock", "cache", "start", "fetching", "watched", "writes")

    cache: Plain[tuple[Batch, ...]]
    start: Plain[int]

    def __init__(self, batches: tuple[Batch, ...] = ()) -> None:
        able("batches", batches, tuple)
        self.lock = Lock()
        self.cache = batches
        self.start = 1
        self.fetching: Atomic[ShareFetch | None] = Atomic(None)
        self.watched: WatcherQueue[ShareFetch] = WatcherQueue()
        self.writes: SimpleQueue[ShareFetch] = SimpleQueue()

    # -- for fetches

    def has_free(self) -> bool:
        """Whether there is a batch to acquire."""
        with self.lock:  # lock L1, unlock L3
            batches = self.cache  # read L2
        return bool(free_of(batches))

    def acquire(self, fetch: ShareFetch) -> tuple[int, ...]:
        """Acquire the first batch that is available, if there still is one."""
        offsets: tuple[int, ...] = ()
        with self.lock:  # lock G1, unlock G3
            free = free_of(self.cache)
            if free:
                offsets = free[0].first, free[0].last
                acquired = free[0]._replace(state=ACQUIRED, owner=fetch)
                batches = self.changed(free[0], acquired)
                self.cache = batches  # write G2
        return offsets

    def changed(self, before: Batch, after: Batch) -> tuple[Batch, ...]:
        """The batches with one of them changed."""
        return tuple([after if batch is before else batch for batch in self.cache])

    def check(self) -> None:
        """Try the fetches that wait, until there are no records for any of them.

        A fetch that is completed had the fetch lock meanwhile: others may have been tried in vain.
        """
        again = True
        while again:
            again = False
            ahead = self.watched.after(0)  # read C1
            while ahead is not None:
                place, fetch = ahead
                ahead = self.watched.after(place)  # read C2
                if not fetch.completed:  # read C3
                    if not fetch.attempt():
                        continue
                    again = True
                self.watched.discard(place)  # update C4

    # -- for members

    def release(self, fetch: ShareFetch) -> None:
        """Release the records of a fetch for other members."""
        self.acknowledge(fetch, AVAILABLE)

    def accept(self, fetch: ShareFetch) -> None:
        """Accept the records of a fetch: no member gets them again."""
        self.acknowledge(fetch, ACCEPTED)

    def acknowledge(self, fetch: ShareFetch, state: str) -> None:
        """Give the records of a fetch their next state, which another thread writes."""
        if fetch.result:  # read R0
            fetch.reply = PENDING  # write R1
            with self.lock:  # lock R2, unlock R4
                batches = [batch for batch in self.cache if batch.is_held(fetch)]
                if batches:
                    moving = batches[0]._replace(state=state, moving=True)
                    cache = self.changed(batches[0], moving)
                    self.cache = cache  # write R3
            if batches:
                self.writes.put_nowait(fetch)  # try R5
            else:
                fetch.reply = REFUSED  # write R6

    # -- for the thread that writes

    def end_write(self, fails: bool) -> None:
        """End the first write, if there is one."""
        try:
            fetch = self.writes.get_nowait()  # try S1
        except Empty:
            return
        with self.lock:  # lock S2, unlock S5
            late = fetch.expired  # read S3
            before = free_of(self.cache)
            after = self.ended(fetch, fails, late)
            self.cache = after  # write S4
        reply = FAILED if fails else DONE
        fetch.reply = reply  # write S6
        if len(free_of(after)) > len(before):
            self.check()

    def ended(self, fetch: ShareFetch, fails: bool, late: bool) -> tuple[Batch, ...]:
        """The batches at the end of the transition of those that a fetch has acquired."""
        return self.rest(
            [
                batch.settled(fails, late) if batch.moving and batch.owner is fetch else batch
                for batch in self.cache
            ],
            self.start,
        )

    # -- for the timer

    def time_out(self, fetch: ShareFetch) -> None:
        """The time of a fetch's acquisition lock is up: others may have its records."""
        if fetch.result:  # read X1
            fetch.expired = True  # write X2
            with self.lock:  # lock X3, unlock X5
                before = free_of(self.cache)
                after = self.lapsed(fetch)
                self.cache = after  # write X4
            if len(free_of(after)) > len(before):
                self.check()

    def lapsed(self, fetch: ShareFetch) -> tuple[Batch, ...]:
        """The batches without a fetch's acquisition lock."""
        return self.rest(
            [batch.released() if batch.is_held(fetch) else batch for batch in self.cache],
            self.start,
        )

    # -- for the log

    def append(self, first: int, last: int) -> None:
        """Records come, as one batch."""
        whole("first", first, 1)
        whole("last", last, first)
        with self.lock:  # lock U1, unlock U3
            batches = (*self.cache, Batch(first, last))
            self.cache = batches  # write U2
        self.check()

    def trim(self, offset: int) -> None:
        """The log starts at an offset: no member gets records before it."""
        whole("offset", offset, 1)
        with self.lock:  # lock M1, unlock M4
            start = max(self.start, offset)
            self.start = start  # write M2
            batches = self.rest(self.cache, start)
            self.cache = batches  # write M3

    @staticmethod
    def rest(batches: list[Batch] | tuple[Batch, ...], start: int) -> tuple[Batch, ...]:
        """The rest of the batches where the log starts at an offset."""
        later = [batch.cut(start) for batch in batches]
        return tuple([batch for batch in later if batch.remains()])


class ShareFetch:
    """A member's request for records of a partition. It is answered once.

    ``result``: the offsets in the answer. ``reply``: that to the member's acknowledgement of them.
    ``expired``: the time of their acquisition lock is up.
    """

    __slots__ = ("partition", "lock", "completed", "result", "reply", "expired")

    completed: Volatile[bool]
    result: Volatile[tuple[int, ...]]
    reply: Volatile[str | None]
    expired: Volatile[bool]

    def __init__(self, partition: SharePartition) -> None:
        able("partition", partition, SharePartition)
        self.partition = partition
        self.lock = Lock()
        self.completed = False
        self.result = ()
        self.reply = None
        self.expired = False

    def enter(self) -> None:
        """Get records, or wait in the purgatory until there are some."""
        with self.lock:  # lock A1, unlock A3
            done = self.try_complete()
            if not done:
                self.partition.watched.add(self)  # update A2
                done = self.try_complete()
        if done:
            self.partition.check()

    def attempt(self) -> bool:
        """Try the fetch, which waits. Returns whether this has completed it."""
        with self.lock:  # lock B1, unlock B3
            completed = self.completed  # read B2
            done = False if completed else self.try_complete()
        return done

    def try_complete(self) -> bool:
        """Get records, if there are some and no other fetch has the fetch lock.

        The caller has the fetch's own lock. The thread that completes a fetch calls ``check``
        when that lock is released.
        """
        fetching = self.partition.fetching
        if not fetching.compare_and_set(None, self):  # cas F1
            return False
        done = self.partition.has_free()
        if done:
            self.completed = True  # write K1
            self.answer()
        fetching.set(None)  # write F2
        return done

    def answer(self) -> None:
        """Answer with the records of a batch, or with none if there is none any more."""
        offsets = self.partition.acquire(self)
        self.result = offsets  # write K2

    def expire(self) -> None:
        """The time of the fetch is up: it is answered with the records that there are.

        While it has the fetch lock, records may come, for which others are tried in vain. Hence the
        check, even if it gets none.
        """
        checks = False
        fetching = self.partition.fetching
        with self.lock:  # lock E1, unlock E7
            completed = self.completed  # read E2
            if not completed:
                self.completed = True  # write E3
                checks = fetching.compare_and_set(None, self)  # cas E4
                if checks:
                    self.answer()
                    fetching.set(None)  # write E6
                else:
                    self.result = ()  # write E5
        if checks:
            self.partition.check()
