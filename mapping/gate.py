"""How a scenario runs on impl/gate.py, and which model state its objects are in."""
from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import inf
from types import ModuleType
from typing import Any

from impl import gate
from impl.threads import Plain, Time, monotonic
from mapping.conditions import condition

SUBJECT = ("impl.gate",)
"""The modules whose steps are the mechanism's."""

UNREAD = {
    "Gate.due.woken": "what a sleeper's wait will return; the specification keeps it in the sleeper, whose next steps are compared",
}
"""What changes and is not compared, and why."""

TICK = 1 / 1024
"""Seconds: a power of two, so that sums and products of ticks are exact."""

NEVER = 1000
"""The alarm of a thread that has none, in ticks, as in the model."""

MS = 1000 * TICK
"""Milliseconds of a tick."""


class Items:
    """What the gate guards: the moments at which items are due, in seconds on the clock, the earliest first."""

    __slots__ = ("gate", "start", "moments")

    moments: Plain[tuple[float, ...]]

    def __init__(self, it: gate.Gate, start: float, items: Sequence[int]) -> None:
        self.gate, self.start = it, start
        self.moments = tuple([start + at * TICK for at in items])

    def wait_ms(self) -> float:
        now = monotonic()  # read Q1
        return (self.moments[0] - now) * 1000 if self.moments else inf

    def take(self, timeout: int) -> None:
        """Take the first item within ``timeout`` ticks, or nothing."""
        self.gate.acquire_when(self.wait_ms, timeout * MS)
        now = monotonic()  # read K1
        if self.moments and self.moments[0] <= now:
            self.moments = self.moments[1:]  # write K2
        self.gate.release()

    def offer(self, at: int) -> None:
        """Add an item that is due ``at`` ticks after the start."""
        moment = self.start + at * TICK
        with self.gate:
            first = not self.moments or moment < self.moments[0]
            self.moments = inserted(self.moments, moment)  # write P1
            if first:
                self.gate.notify()


def inserted(moments: tuple[float, ...], moment: float) -> tuple[float, ...]:
    """With one more, behind its equals."""
    place = sum(1 for each in moments if each <= moment)
    return (*moments[:place], moment, *moments[place:])


class World:
    """The objects of one scenario, and one method per operation of a thread program."""

    items_class = Items

    def __init__(self, scenario: Mapping[str, Any], impl: ModuleType = gate) -> None:
        self.time, self.gate = Time(), impl.Gate()
        self.items = self.items_class(self.gate, monotonic(), scenario["items"])
        self.threads = tuple(scenario["threads"])
        self.users = tuple(name for name, program in scenario["threads"].items() if program[0][0] != "clock")
        self.names = {"time": self.time, "gate": self.gate, "items": self.items}

    def take(self, timeout: int) -> None:
        self.items.take(timeout)

    def offer(self, at: int) -> None:
        self.items.offer(at)

    def clock(self) -> None:
        more = True
        while more:
            more = self.time.elapse()  # update C1


def shared(world: World) -> dict[str, tuple]:
    """The model's shared variables, each as a tuple of its values; of controlled objects only, since production's clock goes by itself."""
    mutex, asleep, tickets = condition(world.gate.due)
    alarms = {thread.name: ticks(deadline) for thread, deadline in world.time.alarms}
    leader = world.gate.leader
    return {"mutex": (mutex,), "asleep": (asleep,), "tickets": (tickets,), "now": (ticks(world.time.now),),
            "alarm": tuple(alarms.get(name, NEVER) for name in world.users), "leader": (None if leader is None else world.threads[leader - 1],),
            "items": (tuple(ticks(moment) for moment in world.items.moments),)}


def ticks(seconds: float) -> int:
    """Seconds as ticks. Raises ValueError where they are none: a rounding would hide a difference."""
    value = seconds / TICK
    if value != int(value):
        raise ValueError(f"{seconds} s are {value} ticks")
    return int(value)
