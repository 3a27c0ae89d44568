"""From a trace that is refused to the few events that show why: the cone of the failure, then delta
debugging, with replay as the oracle.

What is left is a trace of its own, with new numbers: it is refused at its last event, by the same
property. Thrown away are events that cannot have led there, then entries, threads and single events
as long as the very same event is refused first. What came before is folded into the header's
``initial``.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from traces.events import counter_of, spoken
from traces.rules import TimerState
from wheelproof.trace.format.parts import Event
from wheelproof.trace.format.schema import KINDS
from wheelproof.trace.format.tally import Tally
from wheelproof.trace.judging.cut import Cut

LOCKS = frozenset(("lock_acquire", "lock_release", "lock_wait", "rw_acquire", "rw_release"))
ABOUT_LOCKS = frozenset(("NoDeadlock", "NoDataRace"))
WINDOW = 4096
"""How far back the last events of the failing entry and task are looked for: those that a reader
wants to see."""

TOLD = 3
"""So many of them; what came before is folded into the initial state."""

FEW = 20
"""The most events that a shrunk trace should have."""

AHEAD = 200
"""Events after the failure that a repair is tried on."""

Item = tuple[int, Event]
"""Line number and event."""


@dataclass(frozen=True)
class Shrunk:
    """A shrunk trace: ``lines[n]`` is the line of ``events[n]`` in the file it is from. ``repair``:
    the cheapest edit that would do, as a sentence."""

    header: dict[str, Any]
    events: tuple[Event, ...]
    lines: tuple[int, ...]
    footer: dict[str, Any]
    property: str
    message: str
    repair: str
    slice: tuple[Item, ...]


def within(events: Iterable[Item], cut: Mapping[str, int] | None) -> list[Item]:
    """The events that a footer's ``cut`` vouches for. ``events``: in the order of their clocks."""
    limits = Cut(cut)
    return [item for item in events if not (limits and limits.crossed(item[1]))]


def shrink(
    header: Mapping[str, Any],
    events: Sequence[Item],
    cut: Mapping[str, int] | None = None,
    seconds: float | None = None,
) -> Shrunk | None:
    """The smallest trace found that is refused as the given one is first; None if none of its
    events is. ``events``: in the order of their clocks; ``cut``: of the footer, what lies beyond it
    is no evidence. ``seconds``: after so many no smaller trace is tried, and the smallest one so
    far is the result."""
    deadline = None if seconds is None else time.monotonic() + seconds
    events = within(events, cut)
    found = _Failure.of(header, events)
    if found is None:
        return None
    found.deadline = deadline
    kept = found.cone()
    sliced = tuple(kept)
    if found.property not in ABOUT_LOCKS:
        kept = found.tried([item for item in kept if item[1]["k"] not in LOCKS], kept)
    kept = ddmin_by(kept, lambda event: event.get("entry"), found.fails)
    kept = ddmin_by(kept, lambda event: event.get("op"), found.fails)
    kept = ddmin_by(kept, lambda event: event["tid"], found.fails)
    kept = ddmin_by(kept, lambda event: (event["tid"], event["tseq"]), found.fails)
    repair = found.repair()
    kept = found.without_bystanders(found.folded(kept))
    initial = found.needed(kept)
    plain = [event for _, event in kept]
    renewed = renumbered(found.counted(initial, plain))
    kinds = header.get("capture", {}).get("kinds")
    capture: dict[str, Any] = {"mode": "full"}
    if found.property not in ABOUT_LOCKS and not any(event["k"] in LOCKS for event in renewed):
        capture["kinds"] = sorted(set(KINDS if kinds is None else kinds) - LOCKS)
    elif kinds is not None:
        capture["kinds"] = list(kinds)
    used = {str(event["tid"]) for event in renewed}
    named = {
        str(event[column])
        for event in renewed
        for column in ("task", "entry", "list", "op")
        if column in event
    }
    whole = {
        name: value for name, value in header.items() if name != "program"
    }  # it asks for more than is left
    small = {
        **whole,
        "run_id": f"{header['run_id']}-shrunk",
        "capture": capture,
        "initial": initial,
        "threads": {tid: name for tid, name in header["threads"].items() if tid in used},
    }
    if "names" in header:
        small["names"] = {
            number: name for number, name in header["names"].items() if number in named
        }
    tally = Tally(small)
    for event in renewed:
        tally.count(event)
    return Shrunk(
        small,
        tuple(renewed),
        tuple([line for line, _ in kept]),
        tally.footer(),
        found.property,
        found.message,
        repair,
        sliced,
    )


class _Failure:
    """The first refused event, with a window before it in which it is refused still."""

    def __init__(
        self,
        events: Sequence[Item],
        at: int,
        start: int,
        initial: dict[str, Any],
        kinds: frozenset[str] | None,
        config: Mapping[str, Any] | None,
        variant: str,
        refusal: tuple[str, str],
        offset: int,
    ) -> None:
        self.window = list(events[start : at + 1])
        self.after = list(events[at + 1 : at + 1 + AHEAD])
        self.initial, self.kinds, self.config, self.variant = initial, kinds, config, variant
        self.property, self.message = refusal
        self.line, self.event = events[at]
        self.key = self.event["tid"], self.event["tseq"]
        self.offset = offset
        self.deadline: float | None = None

    @classmethod
    def of(cls, header: Mapping[str, Any], events: Sequence[Item]) -> _Failure | None:
        kinds = header.get("capture", {}).get("kinds")
        known = None if kinds is None else frozenset(kinds)
        config, variant = header.get("config"), header.get("variant", "")
        state, failed = TimerState(header.get("initial"), known, config, variant), None
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
        about: set[tuple[str, Any]] = {
            (column, events[at][1][column])
            for column in ("task", "entry", "op")
            if column in events[at][1]
        } | ({("op", refusal.op)} if refusal.op else set())
        if not about and "list" in events[at][1]:
            about = {("list", events[at][1]["list"])}
        told = [
            n
            for n in range(at - 1, max(0, at - WINDOW) - 1, -1)
            if events[n][1]["k"] not in LOCKS
            and about
            & {(column, events[n][1].get(column)) for column in ("task", "entry", "list", "op")}
        ][:TOLD]
        if told:
            width = max(width, at - told[-1])
        while True:
            start = max(0, at - width)
            state = TimerState(header.get("initial"), known, config, variant)
            for _, event in events[:start]:
                state.apply(event)
            found = cls(
                events,
                at,
                start,
                state.initial(),
                known,
                config,
                variant,
                (refusal.property, refusal.message),
                offset,
            )
            if not start or found.fails(found.window):
                return found
            width *= 2

    def counted(self, initial: Mapping[str, Any], events: Iterable[Event]) -> list[Event]:
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

    def fails(self, items: Sequence[Item], initial: Mapping[str, Any] | None = None) -> bool:
        """Whether the failing event is refused by its property, and none before it by any. After
        the deadline the answer is no, so that nothing smaller is taken."""
        if self.deadline is not None and time.monotonic() > self.deadline:
            return False
        initial = self.initial if initial is None else initial
        state = TimerState(initial, self.kinds, self.config, self.variant)
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
        about: set[tuple[str, Any]] = {
            (column, self.event[column])
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
            or about & {(column, item[1].get(column)) for column in ("task", "entry", "op", "list")}
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
            state = TimerState(self.initial, self.kinds, self.config, self.variant)
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
                (column, event[column])
                for _, event in kept[:-1]
                for column in ("entry", "op")
                if column in event and event[column] != self.event.get(column)
            }
        )
        parts = [
            [item for item in kept[:-1] if item[1].get(column) == number]
            for column, number in others
        ] + [[item] for item in kept[:-1]]
        for part in parts:
            smaller = [item for item in kept if item not in part]
            if self.fails(smaller, self.needed(smaller)):
                kept = smaller
        return kept

    def needed(self, kept: list[Item]) -> dict[str, Any]:
        """The initial state, without what no event mentions, as far as the failure can spare it."""
        entries = {event["entry"] for _, event in kept if "entry" in event}
        entries |= {
            event[part]["entry"]
            for _, event in kept
            for part in ("pre", "post")
            if "entry" in event.get(part, {})
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
        whole = {tid: walk for tid, walk in full.get("walks", {}).items() if int(tid) in tids}
        owed = {walk["duty"][1] for walk in whole.values() if "duty" in walk}
        small = {
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
        for walks, known in (
            ({tid: _about(walk, operations) for tid, walk in whole.items()}, operations),
            (whole, operations | owed),
        ):
            chosen = {**small, "walks": walks}
            if "operations" in full:
                chosen["operations"] = {
                    name: each for name, each in full["operations"].items() if int(name) in known
                }
            if self.fails(kept, chosen):
                return chosen
        return full

    # -- repair

    def repair(self) -> str:
        """The cheapest edit after which the failing event and what comes after it are refused
        least."""
        if self.property == "NoDeadlock":
            held = [token[1] for token in self.event.get("ord", ()) if token[0] == "L"]
            waits = self.event["k"] == "lock_wait"
            lock = (held[-1] if waits else held[0]) if held else "the other lock"
            return f"let go of {lock} before line {self.line}"
        if (
            self.property == "NoLostCompletion"
            and len(owed := list(self._before().enabled(self.event))) == 1
        ):
            return f"insert {spoken(owed[0])} before line {self.line}"
        best = None
        for cost, sentence, edited in self._edits():
            left = self._refused(edited)
            if best is None or (left, cost) < best[:2]:
                best = left, cost, sentence
        return (
            best[2]
            if best is not None and best[0] <= self._refused([self.event])
            else "no single event repairs it"
        )

    def _edits(self) -> Iterator[tuple[int, str, list[Event]]]:
        event, line, tid = self.event, self.line, self.event["tid"]
        state = self._before()
        for step in state.enabled(event):
            if step["k"] not in ("flush_end", "cancel"):
                yield (
                    (3 if step["k"] == "list_add" else 1),
                    f"insert {spoken(step)} before line {line}",
                    [step, event],
                )
        task, entry = event.get("task"), event.get("entry")
        here = state.where.get(entry, 0) if entry else 0
        if here and event["k"] == "list_remove" and here != event["list"]:
            yield (
                1,
                f"change line {line}: the entry is in list {here}, not in list {event['list']}",
                [{**event, "list": here}],
            )
        if here and entry and self.property == "RunsOncePerAdd":
            removal = {
                "k": "list_remove",
                "tid": tid,
                "entry": entry,
                "list": here,
                "cause": "flush",
            }
            yield 1, f"insert {spoken(removal)} before line {line}", [removal, event]
        if task and entry and self.property == "CancelWins" and event["k"] == "cancel_check":
            yield (
                2,
                f"insert set_entry(t{task}, e{entry}) before line {line}",
                [{"k": "set_entry", "tid": tid, "task": task, "entry": entry}, event],
            )
        if (
            event["k"] != "thread_stop"
        ):  # who ends has not done something else: not to end would be no repair
            yield 2, f"delete line {line}: {spoken(event)}", []

    def _before(self) -> TimerState:
        state = TimerState(self.initial, self.kinds, self.config, self.variant)
        for _, event in self.window[:-1]:
            state.apply(event)
        return state

    def _refused(self, edited: Iterable[Event]) -> int:
        """How many of the edited events, and of those after them that are about the same things,
        are refused. Counters are left out."""
        state, count = self._before(), 0
        about: set[tuple[str, Any]] = {
            (column, self.event[column])
            for column in ("task", "entry", "op")
            if column in self.event
        }
        after = [
            event
            for _, event in self.after
            if about & {(column, event.get(column)) for column in ("task", "entry", "op")}
        ]
        for event in [*edited, *after]:
            event = {name: value for name, value in event.items() if name != "post"}
            count += state.judge(event) is not None
            state.apply(event)
        return count


def _about(walk: Mapping[str, Any], operations: set[int]) -> dict[str, Any]:
    """What a thread is at, without what it owes and is in of operations that no event names."""
    known = {
        name: value for name, value in walk.items() if name != "duty" or value[1] in operations
    }
    return {
        name: [each for each in value if each[1] in operations] if name == "inside" else value
        for name, value in known.items()
    }


def ddmin_by(
    items: list[Item], group: Callable[[Event], Hashable], fails: Callable[[list[Item]], bool]
) -> list[Item]:
    """Delta debugging over groups of events: ever smaller sets of groups are taken away while
    ``fails`` holds.

    Events of the group None stay. The result fails, if the items do, and no single group of it can
    be spared.
    """
    groups = list(dict.fromkeys(key for _, event in items if (key := group(event)) is not None))
    parts = 2
    while len(groups) > 0:
        size = max(1, -(-len(groups) // parts))
        for begin in range(0, len(groups), size):
            left = groups[:begin] + groups[begin + size :]
            chosen = set(left)
            smaller = [item for item in items if (key := group(item[1])) is None or key in chosen]
            if fails(smaller):
                items, groups, parts = smaller, left, max(parts - 1, 2)
                break
        else:
            if size == 1:
                break
            parts = min(2 * parts, len(groups))
    return items


def renumbered(events: Iterable[Event]) -> list[Event]:
    """Events with dense numbers: those of threads, clocks, tokens. Brackets that are no longer
    there are no parents."""
    threads: dict[int, int] = {}
    tokens: dict[tuple[str, str], int] = {}
    spans, out = set(), []
    for lc, event in enumerate(events, 1):
        event = dict(event)
        threads[event["tid"]] = tseq = threads.get(event["tid"], 0) + 1
        event |= {"tseq": tseq, "lc": lc}
        if "span" in event:
            spans.add(event["span"])
        if event.get("parent") not in spans:
            event.pop("parent", None)
        renewed = []
        for token in event.get("ord", ()):
            kind, name, seq, mode = token[:4]
            if kind != "RW":
                tokens[kind, name] = seq = tokens.get((kind, name), 0) + (
                    kind == "L" or mode in ("w", "cas+")
                )
            renewed.append(
                (kind, name, seq, mode, *token[4:]) if len(token) == 4 or kind == "RW" else token
            )
            for role, column in (("entry", "eseq"), ("list", "lseq"), ("op", "oseq")):
                if kind == "L" and column in event and name == f"{role}:{event.get(role)}":
                    event[column] = seq
        if renewed:
            event["ord"] = tuple(renewed)
        out.append(event)
    return out
