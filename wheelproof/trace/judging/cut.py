"""Which events a footer's ``cut`` vouches for.

A recorder that is stopped reads its counters one after the other, so that the numbers it writes
down need be those of no single moment: of two events of which one follows from the other it may
have let through the second alone. So all that follows from an event beyond the cut is taken for
beyond it, too: the rest of its thread, and everything later at a lock that it held or a word that
it wrote.
"""

from __future__ import annotations

from collections.abc import Mapping

from wheelproof.trace.format.event import Event, Token


class Cut:
    """Classifies events, one after the other, in the order of their clocks. ``beyond``: the threads
    that have crossed it. False where the whole trace is evidence."""

    def __init__(self, limits: Mapping[str, int] | None) -> None:
        self._given = bool(limits)
        self._last = dict(limits or {})  # the last number of each token that is evidence
        self._last_write: dict[
            str, int
        ] = {}  # of a read/write lock: the number of the last write hold that is
        self.beyond: set[int] = set()

    def __bool__(self) -> bool:
        return self._given

    def crossed(self, event: Event) -> bool:
        """Whether the event is beyond the cut, or follows from one that is."""
        tokens = event.get("ord", ())
        if event["tid"] not in self.beyond and not any(map(self._is_beyond, tokens)):
            return False
        self.beyond.add(event["tid"])
        for kind, name, seq, mode, *_ in tokens:
            key = f"{kind} {name}"
            if kind == "RW" and mode == "r":
                self._lower(self._last_write, key, seq - 1)
            elif kind == "RW":
                self._lower(self._last, key, seq)
            elif kind == "L" or mode in ("w", "cas+"):
                self._lower(self._last, key, seq - 1)
        return True

    def _is_beyond(self, token: Token) -> bool:
        kind, name, seq, mode = token[:4]
        key = f"{kind} {name}"
        beyond: bool = seq > self._last.get(key, seq)
        return beyond or (kind == "RW" and mode == "w" and seq > self._last_write.get(key, seq))

    @staticmethod
    def _lower(limits: dict[str, int], key: str, number: int) -> None:
        limits[key] = min(limits.get(key, number), number)
