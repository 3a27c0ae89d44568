"""One thread's records: fixed-width integers in buffers of its own, and its clock."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import Any, NamedTuple

TOKENS = 6
"""How many locks a record has room for; more are counted, and their tokens left out, which the
footer says."""

CHUNK = 4096
"""Records in one buffer of a thread."""

_WIDTH = 9 + 2 * TOKENS
_PACK = tuple(struct.Struct(f"<{9 + 2 * number}q").pack_into for number in range(TOKENS + 1))
_UNPACK = struct.Struct(f"<{_WIDTH}q").unpack_from
_SIZE = 8 * _WIDTH
_PACK0, _PACK1, _PACK2 = _PACK[:3]


class Site(NamedTuple):
    """A place in the code that is recorded: the line's label and the kind of event that the label
    table gives it."""

    label: str
    event: str
    operation: str
    where: str


class Raw(NamedTuple):
    """One record, unpacked. ``locks``: (number of the lock, seq) from the outermost held to the
    innermost."""

    site: Site
    lc: int
    obj: int
    old: int
    new: int
    me: int
    word: int
    version: int
    locks: tuple[tuple[int, int], ...]


class Log:
    """One thread's records and clock. ``held``: the locks that it is in, each once, outermost
    first; ``now``: the time that it has read last, -1 before."""

    __slots__ = (
        "name",
        "lc",
        "held",
        "buffer",
        "offset",
        "full",
        "muted",
        "now",
        "_limit",
        "_end",
        "dropped",
    )

    def __init__(self, name: str, limit: int) -> None:
        self.name = name
        self.lc = 0
        self.held: list[Any] = []
        self.buffer = bytearray(_SIZE * CHUNK)
        self.offset = 0
        self.full: list[bytearray] = []
        self.muted = False
        self.now = -1
        self.dropped = 0
        self._limit, self._end = limit, _SIZE * CHUNK

    def emit(
        self, site: int, obj: int, old: int, new: int, me: int = 0, word: int = 0, version: int = 0
    ) -> None:
        """Record one event, while all that makes it exclusive is held. ``word``: number of the word
        that is touched, 0 for none."""
        offset = self.offset
        if offset == self._end:
            if len(self.full) >= self._limit:
                self.dropped += 1
                return
            self.full.append(self.buffer)
            self.buffer = bytearray(_SIZE * CHUNK)
            offset = 0
        self.offset = offset + _SIZE
        self.lc = lc = self.lc + 1
        locks = self.held
        depth = len(locks)
        if depth == 1:
            (first,) = locks
            first.seq = sequence_number = first.seq + first.step
            _PACK1(
                self.buffer,
                offset,
                site,
                lc,
                obj,
                old,
                new,
                me,
                word,
                version,
                1,
                first.number,
                sequence_number,
            )
        elif depth == 2:
            first, second = locks
            first.seq = sequence_number = first.seq + first.step
            second.seq = second_number = second.seq + second.step
            _PACK2(
                self.buffer,
                offset,
                site,
                lc,
                obj,
                old,
                new,
                me,
                word,
                version,
                2,
                first.number,
                sequence_number,
                second.number,
                second_number,
            )
        elif depth == 0:
            _PACK0(self.buffer, offset, site, lc, obj, old, new, me, word, version, 0)
        else:
            tokens: list[int] = []
            for lock in locks:
                lock.seq += lock.step
                tokens += lock.number, lock.seq
            del tokens[2 * TOKENS :]
            _PACK[len(tokens) // 2](
                self.buffer,
                offset,
                site,
                lc,
                obj,
                old,
                new,
                me,
                word,
                version,
                len(tokens) // 2,
                *tokens,
            )

    def __len__(self) -> int:
        return len(self.full) * CHUNK + self.offset // _SIZE

    def records(self, sites: list[Site]) -> Iterator[Raw]:
        """The thread's records, in its order."""
        for buffer in [*self.full, self.buffer]:
            end = self.offset if buffer is self.buffer else len(buffer)
            for offset in range(0, end, _SIZE):
                site, lc, obj, old, new, me, word, version, depth, *rest = _UNPACK(buffer, offset)
                yield Raw(
                    sites[site],
                    lc,
                    obj,
                    old,
                    new,
                    me,
                    word,
                    version,
                    tuple([(rest[2 * i], rest[2 * i + 1]) for i in range(depth)]),
                )
