"""Defect D1 in a recording: a bucket that is in the queue gets a later key, and an entry in it
is late. docs/D1.md explains the defect."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from traces.events import Event
from wheelproof.trace.format.heads import Header

NOT_QUEUED = -1


@dataclass
class Add:
    """One call of a timer's add: its first event, its clock read, its link."""

    begin: Event
    request: Event | None = None
    link: Event | None = None
    fault: Event | None = None


@dataclass
class Victim:
    """An entry that was due before the later key; ``add`` where its link was recorded."""

    entry: int
    deadline: int
    add: Add | None
    handed: Event | None = None

    def late_ms(self) -> int | None:
        """After its deadline and its link; None where it was not handed over."""
        if self.handed is None:
            return None
        link = self.add.link if self.add else None
        return int(
            self.handed["now_ms"]
            - max(self.deadline, link["t_ns"] // 1_000_000 if link else self.deadline)
        )


@dataclass
class Rekeyed:
    """An occurrence of D1."""

    poll: Event | None
    """The bucket whose flush did it was taken out of the queue."""
    locked: Event | None
    first: Event | None
    """The write of the bucket's key by the thread that linked the victim."""
    second: Event
    """The later key."""
    far: Event | None
    """The entry of the later key."""
    victims: list[Victim] = field(default_factory=list)


class Finder:
    """Takes events in their order, and collects the occurrences of D1."""

    def __init__(self) -> None:
        self.occurrences: list[Rekeyed] = []
        self._polls: dict[int, Event] = {}
        self._locked: dict[int, Event] = {}
        self._adding: dict[int, Add] = {}
        self._adds: dict[int, Add] = {}
        self._keys: dict[int, Event] = {}
        self._lists: dict[int, dict[int, int]] = {}
        self._linked: dict[int, Event] = {}
        self._victims: dict[int, Victim] = {}

    def take(self, event: Event) -> None:
        kind, tid = event["k"], event["tid"]
        add = self._adding.get(tid)
        if kind == "dq_poll":
            self._polls[tid] = event
        elif kind == "rw_acquire":
            self._locked[tid] = event
        elif kind == "add_begin":
            self._adding[tid] = Add(event)
        elif kind == "add_end":
            self._adding.pop(tid, None)
        elif kind == "add_request" and add:
            add.request = event
        elif kind == "fault" and add:
            add.fault = event
        elif kind == "list_add":
            self._link(event, add)
        elif kind == "list_remove":
            self._lists.get(event["list"], {}).pop(event["entry"], None)
            if event.get("cause") != "flush":
                self._adds.pop(event["entry"], None)
        elif kind == "bucket_expiry_set":
            self._add_key(event)
        elif kind == "expire_submit":
            self._adds.pop(event["entry"], None)
            if victim := self._victims.pop(event["entry"], None):
                victim.handed = event

    def _link(self, event: Event, add: Add | None) -> None:
        self._lists.setdefault(event["list"], {})[event["entry"]] = event["exp_ms"]
        self._linked[event["tid"]] = event
        if add:
            add.link = event
            self._adds[event["entry"]] = add

    def _add_key(self, event: Event) -> None:
        bucket, key = event["list"], event["key_ms"]
        before = event["pre"]["key_ms"]
        if NOT_QUEUED not in (key, before) and key > before:
            late = {
                entry: deadline
                for entry, deadline in self._lists.get(bucket, {}).items()
                if deadline < key and entry not in self._victims
            }
            if late:
                tid = event["tid"]
                occurrence = Rekeyed(
                    self._polls.get(tid),
                    self._locked.get(tid),
                    self._keys.get(bucket),
                    event,
                    self._linked.get(tid),
                )
                for entry, deadline in late.items():
                    victim = Victim(entry, deadline, self._adds.get(entry))
                    self._victims[entry] = victim
                    occurrence.victims.append(victim)
                self.occurrences.append(occurrence)
        if key == NOT_QUEUED:
            self._keys.pop(bucket, None)
        else:
            self._keys[bucket] = event


def page(occurrence: Rekeyed, header: Header) -> Iterator[str]:
    """The course of an occurrence, event by event, in ms from the key of the bucket that was
    polled.
    """
    names, threads = header.get("names", {}), header["threads"]
    second, poll = occurrence.second, occurrence.poll
    zero = poll["key_ms"] if poll else second["key_ms"]
    timer = names.get(str(second.get("timer", "")), "the timer")
    yield f"D1 in {timer}: bucket {second['list']} got a later key while it was in the queue."
    yield f"Times in ms from {zero} ms, the key of the bucket that the reaper took."

    def line(event: Event, message: str) -> str:
        at = event["t_ns"] / 1_000_000 - zero
        return f"{at:+9.1f}  {threads[str(event['tid'])]:<16.16}  {message}"

    steps: list[tuple[Event, str]] = []
    for victim in occurrence.victims:
        steps += _of_victim(victim, zero)
    if poll:
        message = f"takes bucket {poll['list']} out of the queue, and does not have the lock yet"
        steps.append((poll, message))
    if occurrence.locked and poll and occurrence.locked["lc"] > poll["lc"]:
        steps.append((occurrence.locked, "has the timer's write lock"))
    if occurrence.first:
        key = occurrence.first["key_ms"] - zero
        message = f"gives bucket {occurrence.first['list']} the key {key:+d}: first write"
        steps.append((occurrence.first, message))
    key = second["key_ms"] - zero
    far = f", for entry {occurrence.far['entry']}" if occurrence.far else ""
    message = f"gives bucket {second['list']} the key {key:+d}{far}: second write"
    steps.append((second, message))
    yield from (
        line(event, message) for event, message in sorted(steps, key=lambda step: step[0]["lc"])
    )
    for victim in occurrence.victims:
        late = victim.late_ms()
        yield f"Victim: entry {victim.entry}" + (
            ", not handed over in the recording."
            if late is None
            else f", {late} ms late after its deadline and its link."
        )


def _of_victim(victim: Victim, zero: int) -> Iterator[tuple[Event, str]]:
    add = victim.add
    if add and add.request:
        due = victim.deadline - zero
        task = add.request["task"]
        yield add.request, f"adds task {task}: reads the clock, due at {due:+d}"
    if add and add.fault:
        message = f"is delayed by {add.fault['delay_ms']} ms: FAULT INJECTION"
        yield add.fault, message
    if add and add.link:
        bucket = add.link["list"]
        yield add.link, f"the stalled add links entry {victim.entry} into bucket {bucket}"
    if victim.handed:
        late = victim.late_ms()
        yield victim.handed, f"hands over entry {victim.entry}, {late} ms late"
