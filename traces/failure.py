"""A refused event and what led there: the first failure of a trace, the smallest window in which it
is refused still, and the events and the initial state that it needs."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from typing import cast

from traces.events import Event, columns, counter_of
from traces.initial import Initial, Place
from traces.rules import TimerState
from traces.schema import PLACES
from wheelproof.trace.format.heads import Header

LOCKS = frozenset(("lock_acquire", "lock_release", "lock_wait", "rw_acquire", "rw_release"))
ABOUT_LOCKS = frozenset(("NoDeadlock", "NoDataRace"))
WINDOW = 4096
"""How far back the last events of the failing entry and task are looked for: those that a reader
wants to see."""

EARLIER = 3
"""So many of them; what came before is folded into the initial state."""

FEW = 20
"""The most events that a shrunk trace should have."""
AHEAD = 200
"""Events after the failure that a repair is tried on."""

Item = tuple[int, Event]
"""Line number and event."""


class Failure:
    """The first refused event, with a window before it in which it is refused still."""

    def __init__(
        self,
        events: Sequence[Item],
        at: int,
        start: int,
        header: Header,
        initial: Initial,
        refusal: tuple[str, str],
        offset: int,
    ) -> None:
        self.window = list(events[start : at + 1])
        self.after = list(events[at + 1 : at + 1 + AHEAD])
        self.header, self.initial = header, initial
        self.property, self.message = refusal
        self.line, self.event = events[at]
        self.key = self.event["tid"], self.event["tseq"]
        self.offset = offset
        self.deadline: float | None = None

    @classmethod
    def of(cls, header: Header, events: Sequence[Item]) -> Failure | None:
        state, failed = TimerState(header), None
        for at, (_, event) in enumerate(events):
            if refusal := state.judge(event):
                failed = at, refusal
                break
            state.apply(event)
        if failed is None:
            return None
        at, refusal = failed
        offset, name, seen = (
            0,
            counter_of(events[at][1]),
            events[at][1].get("post", {}).get("counter"),
        )
        if seen is not None and name in state.counters:
            offset = seen - state.counters[name] - (1 if events[at][1]["k"] == "list_add" else -1)
        width = 16 if refusal.property not in ABOUT_LOCKS else WINDOW
        about: set[tuple[str, object]] = {
            (column, columns(events[at][1])[column])
            for column in ("task", "entry", "op")
            if column in events[at][1]
        } | ({("op", refusal.op)} if refusal.op else set())
        if not about and "list" in events[at][1]:
            about = {("list", events[at][1]["list"])}
        earlier = [
            n
            for n in range(at - 1, max(0, at - WINDOW) - 1, -1)
            if events[n][1]["k"] not in LOCKS and about & named(events[n][1])
        ][:EARLIER]
        if earlier:
            width = max(width, at - earlier[-1])
        while True:
            start = max(0, at - width)
            state = TimerState(header)
            for _, event in events[:start]:
                state.apply(event)
            found = cls(
                events,
                at,
                start,
                header,
                state.initial(),
                (refusal.property, refusal.message),
                offset,
            )
            if not start or found.fails(found.window):
                return found
            width *= 2

    def _state(self, initial: Initial) -> TimerState:
        return TimerState({**self.header, "initial": cast(Mapping[str, object], initial)})

    def counted(self, initial: Initial, events: Iterable[Event]) -> list[Event]:
        """The events with the counter that it would have had if only they had taken place; at the
        failure it is as wrong as it was."""
        values, out = dict(initial.get("counters", {})), []
        for event in events:
            name = counter_of(event)
            if name is not None and "counter" in event.get("post", {}):
                values[name] = values.get(name, 0) + (1 if event["k"] == "list_add" else -1)
                shift = self.offset if (event["tid"], event["tseq"]) == self.key else 0
                event = {**event, "post": {**event["post"], "counter": values[name] + shift}}
            out.append(event)
        return out

    def fails(self, items: Sequence[Item], initial: Initial | None = None) -> bool:
        """Whether the failing event is refused by its property, and none before it by any. After
        the deadline the answer is no, so that nothing smaller is taken."""
        if self.deadline is not None and time.monotonic() > self.deadline:
            return False
        initial = self.initial if initial is None else initial
        state = self._state(initial)
        for event in self.counted(initial, (event for _, event in items)):
            refusal = state.judge(event)
            if refusal is not None:
                return (refusal.property, event["tid"], event["tseq"]) == (
                    self.property,
                    *self.key,
                ) and (
                    refusal.message == self.message or bool(self.offset)
                )  # a count is another where events are gone
            state.apply(event)
        return False

    def tried(self, smaller: list[Item], larger: list[Item]) -> list[Item]:
        return smaller if self.fails(smaller) else larger

    def cone(self) -> list[Item]:
        """Events from which a path of threads and tokens leads to the failure, of those that touch
        what it is about."""
        tids, tokens, past = (
            {self.event["tid"]},
            {token[:2] for token in self.event.get("ord", ())},
            [],
        )
        for line, event in reversed(self.window):
            own = {token[:2] for token in event.get("ord", ())}
            if event["tid"] in tids or own & tokens:
                tids.add(event["tid"])
                tokens |= own
                past.append((line, event))
        past.reverse()
        about: set[tuple[str, object]] = {
            (column, columns(self.event)[column])
            for column in ("task", "entry", "op")
            if column in self.event
        }
        if not about and "list" in self.event:
            about = {("list", self.event["list"])}
        spans = {
            event["span"]
            for _, event in past
            if "span" in event and event["tid"] == self.event["tid"]
        }
        close = [
            item
            for item in past
            if item[1] is self.event
            or item[1]["k"] in LOCKS
            and self.property in ABOUT_LOCKS
            or about & named(item[1])
            or item[1].get("span") in spans
        ]
        for smaller in (close, past):
            if self.fails(smaller):
                return smaller
        return self.window

    def folded(self, kept: list[Item]) -> list[Item]:
        """The last FEW events, if what came before them can go into the initial state: that of a
        thread cannot."""
        for few in range(FEW, 0, -1):
            if len(kept) <= FEW:
                break
            state = self._state(self.initial)
            before, after = kept[:-few], kept[-few:]
            for event in self.counted(self.initial, (event for _, event in before)):
                state.apply(event)
            initial = state.initial()
            if self.fails(after, initial):
                self.window, self.initial = after, initial
                return after
        return kept

    def without_bystanders(self, kept: list[Item]) -> list[Item]:
        """The events but for those that only make way for another, as one that takes from a list
        what stood before: the list need not have had it."""
        others = sorted(
            {
                (column, columns(event)[column])
                for _, event in kept[:-1]
                for column in ("entry", "op")
                if column in event and columns(event)[column] != columns(self.event).get(column)
            }
        )
        parts = [
            [item for item in kept[:-1] if columns(item[1]).get(column) == number]
            for column, number in others
        ] + [[item] for item in kept[:-1]]
        for part in parts:
            smaller = [item for item in kept if item not in part]
            if self.fails(smaller, self.needed(smaller)):
                kept = smaller
        return kept

    def needed(self, kept: list[Item]) -> Initial:
        """The initial state, without what no event mentions, as far as the failure can spare it."""
        entries = {event["entry"] for _, event in kept if "entry" in event}
        entries |= {
            columns(event)[part]["entry"]
            for _, event in kept
            for part in ("pre", "post")
            if "entry" in columns(event).get(part, {})
        }
        lists = {event["list"] for _, event in kept if "list" in event}
        tasks = {event["task"] for _, event in kept if "task" in event}
        counters = {counter_of(event) for _, event in kept}
        tids = {event["tid"] for _, event in kept}
        operations = {event["op"] for _, event in kept if "op" in event}
        full = self.initial
        rings = {
            name: [entry for entry in ring if entry in entries]
            for name, ring in full["lists"].items()
        }
        whole = {tid: place for tid, place in full.get(PLACES, {}).items() if int(tid) in tids}
        owed = {place["duty"][1] for place in whole.values() if "duty" in place}
        small: Initial = {
            "lists": {name: ring for name, ring in rings.items() if ring or int(name) in lists},
            "tasks": {name: entry for name, entry in full["tasks"].items() if int(name) in tasks},
            "counters": {
                name: sum(map(len, rings.values())) for name in full["counters"] if name in counters
            },
            "keys": {name: key for name, key in full.get("keys", {}).items() if int(name) in lists},
            "queued": {
                name: key for name, key in full.get("queued", {}).items() if int(name) in lists
            },
            **({"wheel_ms": full["wheel_ms"]} if "wheel_ms" in full else {}),
            **({"clocks": full["clocks"]} if "clocks" in full else {}),
            "holders": full.get("holders", {}) if self.property in ABOUT_LOCKS else {},
        }
        for places, known in (
            ({tid: _about(place, operations) for tid, place in whole.items()}, operations),
            (whole, operations | owed),
        ):
            chosen: Initial = {**small, PLACES: places}
            if "operations" in full:
                chosen["operations"] = {
                    name: each for name, each in full["operations"].items() if int(name) in known
                }
            if self.fails(kept, chosen):
                return chosen
        return full

    def before(self) -> TimerState:
        """The state in which the failing event comes."""
        state = self._state(self.initial)
        for _, event in self.window[:-1]:
            state.apply(event)
        return state


def named(event: Event) -> set[tuple[str, object]]:
    """(column, id) of the objects that an event names, and (column, None) of the others."""
    return {(column, columns(event).get(column)) for column in ("task", "entry", "list", "op")}


def _about(place: Place, operations: set[int]) -> Place:
    """What a thread is at, without what it owes and is in of operations that no event names."""
    found = place.copy()
    if "duty" in place and place["duty"][1] not in operations:
        del found["duty"]
    if "inside" in place:
        found["inside"] = [each for each in place["inside"] if each[1] in operations]
    return found
