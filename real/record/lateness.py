"""How late tasks were handed over, and the parts of the lateness. All times are in ms."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from traces.events import Event

LATE_MS = 50
"""A task that is handed over later than this after its deadline and its add's return is warned
of. Load alone may do that: it is no violation."""


@dataclass
class Spread:
    """How often each number of ms was measured."""

    counts: Counter[int] = field(default_factory=Counter)

    def quantile(self, share: float) -> int:
        """The least value that at least this share of all values do not exceed."""
        target, count = share * self.counts.total(), 0
        for value in sorted(self.counts):
            count += self.counts[value]
            if count >= target:
                return value
        raise ValueError("nothing was measured")

    def text(self) -> str:
        """Median, 99 in 100, and the greatest."""
        if not self.counts:
            return "-"
        return f"{self.quantile(0.5)} / {self.quantile(0.99)} / {max(self.counts)}"


class Lateness:
    """Takes events in their order."""

    def __init__(self) -> None:
        self.parts = {name: Spread() for name in ("poll - key", "key - deadline", "submit - poll")}
        """The parts of the lateness:

        from the bucket's key to its poll, from the entry's deadline to the key, from the poll to
        the hand-over.
        """
        self.late = Spread()
        """The lateness past the deadline and the return of the add."""
        self.at_once = 0
        self.warned: list[tuple[int, Event]] = []
        self._polls: dict[int, Event] = {}
        self._added: dict[int, int] = {}  # task -> when its last add returned
        self._open: set[int] = set()  # tasks whose add has not returned

    def take(self, event: Event) -> None:
        kind, task = event["k"], event.get("task", 0)
        if kind == "dq_poll":
            self._polls[event["tid"]] = event
        elif kind == "rw_release":
            self._polls.pop(event["tid"], None)
        elif kind == "add_begin":
            self._open.add(task)
        elif kind == "add_end":
            self._open.discard(task)
            self._added[task] = event["t_ns"] // 1_000_000
        elif kind == "expire_submit":
            self._add_hand_over(event, task)

    def _add_hand_over(self, event: Event, task: int) -> None:
        poll = self._polls.get(event["tid"])
        end = None if task in self._open else self._added.pop(task, None)
        if poll is None:
            self.at_once += 1
            return
        # The wheel's key stands on the poll, and the time of day on both events.
        self.parts["poll - key"].counts[poll["now_ms"] - poll["key_ms"]] += 1
        self.parts["key - deadline"].counts[poll["key_ms"] - event["exp_ms"]] += 1
        self.parts["submit - poll"].counts[event["now_ms"] - poll["now_ms"]] += 1
        late = 0 if end is None else event["now_ms"] - max(event["exp_ms"], end)
        self.late.counts[max(late, 0)] += 1
        if late > LATE_MS:
            self.warned.append((late, event))
