"""Faults, drawn by a seed: of sessions, of processes, of the ensemble and of the node itself."""

from __future__ import annotations

import signal
import subprocess
import time
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random
from typing import Any, NamedTuple, TypeAlias

from impl.controller import CONTROLLER, EPOCH, PARTITION, decoded
from impl.zookeeper_requests import Delete, Get, Multi, Put, Reply, Request
from real.chaos.candidate import GO_ON, MOVE, PARTITIONS, STALL, STALLED
from real.chaos.ensemble import Ensemble
from real.chaos.proxy import Proxy
from real.chaos.sessions import PATIENCE_S, Careful
from wheelproof.errors import ToolError

OFTEN = 0.6
"""The chance that a fault is the controller's."""

GAP_S = (0.1, 0.6)
STOP_S, DOWN_S, AWAITED_S = (0.3, 2.5), (0.3, 1.5), 1.0
CHANGE_S, LAST_S = 0.005, 1.5
STEALS = 20
CALLS = "calls to give the office up"


Fact: TypeAlias = "dict[str, Any]"
"""A line of a candidate's journal."""


def session_in(facts: Sequence[Fact]) -> tuple[int, bytes] | None:
    """The last session that is reported, with its password."""
    for fact in reversed(facts):
        if fact["fact"] == "session":
            return fact["session"], bytes.fromhex(fact["password"])
    return None


class Candidate(NamedTuple):
    """A candidate's process, its journal and log, and its proxy."""

    name: str
    process: subprocess.Popen[bytes]
    journal: Path
    log: Path
    proxy: Proxy


class Storm:
    """Faults for some time."""

    def __init__(
        self,
        ensemble: Ensemble,
        folder: str,
        candidates: list[Candidate],
        hand: Careful,
        facts: Callable[[str], list[Fact]],
        random: Random,
    ) -> None:
        self.ensemble, self.folder, self.candidates = ensemble, folder, candidates
        self.hand, self.facts, self.drawn = hand, facts, random
        """``hand``: A session that is no candidate's. ``facts``: gives the facts that a
        candidate has reported."""
        self.done: Counter[str] = Counter()
        """Kind of fault -> count."""
        self.due: list[tuple[float, Callable[[], None]]] = []
        self.stopped: set[str] = set()
        self.kinds: dict[str, Callable[[], bool]] = {
            "sessions stolen": self.steal,
            "processes stopped": self.stop,
            "leaders killed": self.kill,
            "nodes deleted": self.delete,
            CALLS: self.call,
            "nodes deleted while their controller stood still": self.stall_and_delete,
        }
        self.deck: list[str] = []

    def rage(self, seconds: float) -> None:
        """Make faults, and let partitions' leaders change their ISRs meanwhile."""
        until = time.monotonic() + seconds
        next_fault = 0.0
        while (now := time.monotonic()) < until:
            for task in [task for task in self.due if task[0] <= now]:
                self.due.remove(task)
                task[1]()
            if now >= next_fault:
                self.fault()
                next_fault = time.monotonic() + self.drawn.uniform(*GAP_S)
            self.change_isr()
            time.sleep(CHANGE_S)

    def end(self) -> None:
        """Undo the faults that are still on. The last fault is a call, with time for its effect."""
        for _, undo in self.due:
            undo()
        self.due.clear()
        self.ensemble.await_ready()
        until = time.monotonic() + LAST_S
        while not (count := self.call()) and time.monotonic() < until:
            self.change_isr()
        self.done[CALLS] += count
        until = time.monotonic() + LAST_S
        while time.monotonic() < until:
            self.change_isr()
            time.sleep(CHANGE_S)

    def fault(self) -> None:
        """One fault. Each kind comes before one comes again; one that fails comes up once more."""
        if not self.deck:
            self.deck = sorted(self.kinds)
            self.drawn.shuffle(self.deck)
        kind = self.deck.pop()
        if self.kinds[kind]():
            self.done[kind] += 1
        elif kind not in self.deck:
            self.deck.insert(0, kind)

    # -- kinds of faults

    def steal(self) -> bool:
        """Take a candidate's session over, and close it."""
        session = session_in(self.facts(self.victim().name))
        if session is None:
            return False
        for _ in range(STEALS):
            try:
                Careful(self.hand.port, *session, patience_s=PATIENCE_S).close()
                return True
            except OSError:  # a server that does not serve
                time.sleep(CHANGE_S)
            except ToolError:  # the session has expired
                return False
        return False

    def stop(self) -> bool:
        """Let a whole process stand still."""
        victim = self.victim()
        if victim.name in self.stopped:
            return False
        victim.process.send_signal(signal.SIGSTOP)
        self.stopped.add(victim.name)

        def go_on() -> None:
            victim.process.send_signal(signal.SIGCONT)
            self.stopped.discard(victim.name)

        self.due.append((time.monotonic() + self.drawn.uniform(*STOP_S), go_on))
        return True

    def kill(self) -> bool:
        """Kill the leader of the ensemble, and start it again later."""
        place = self.ensemble.leading() if self.ensemble.whole() else None
        if place is None:
            return False
        self.ensemble.kill(place)
        back = time.monotonic() + self.drawn.uniform(*DOWN_S)
        self.due.append((back, lambda: self.ensemble.begin(place)))
        return True

    def delete(self) -> bool:
        return self.ask(Multi((Delete(f"{self.folder}{CONTROLLER}"),))).ok

    def stall_and_delete(self) -> bool:
        """The controller's event thread stands still before a write, until another is elected."""
        holder = self.controller()
        if holder is None or holder.name in self.stopped:
            return False
        stalls, epoch = self.stalls(holder), self.epoch()
        holder.process.send_signal(STALL)
        try:
            has_stalled = self.await_change(lambda: self.stalls(holder) != stalls)
            has_deleted = has_stalled and self.delete()
            return has_deleted and self.await_change(lambda: self.epoch() not in ("", epoch))
        finally:
            holder.process.send_signal(GO_ON)

    def await_change(self, condition: Callable[[], bool]) -> bool:
        """Wait for a change, not for long. Returns whether it has come."""
        until = time.monotonic() + AWAITED_S
        while not (outcome := condition()) and time.monotonic() < until:
            time.sleep(CHANGE_S)
        return outcome

    def epoch(self) -> str:
        """The epoch that is on, "" where there is no answer."""
        return self.ask(Get(f"{self.folder}{EPOCH}")).data

    def stalls(self, holder: Candidate) -> int:
        return sum(fact["fact"] == STALLED for fact in self.facts(holder.name))

    def call(self) -> bool:
        """Call the controller to give its office up."""
        holder = self.controller()
        if holder is None:
            return False
        holder.process.send_signal(MOVE)
        return True

    # -- whom, and by whom

    def ask(self, request: Request) -> Reply:
        return self.hand.ask(request)

    def controller(self) -> Candidate | None:
        reply = self.ask(Get(f"{self.folder}{CONTROLLER}"))
        return next(
            (
                candidate
                for candidate in self.candidates
                if reply.ok and candidate.name == reply.data
            ),
            None,
        )

    def victim(self) -> Candidate:
        holder = self.controller() if self.drawn.random() < OFTEN else None
        return holder or self.drawn.choice(self.candidates)

    def change_isr(self) -> None:
        """A partition's leader changes the ISR that it has read."""
        path = f"{self.folder}{PARTITION}-{self.drawn.randrange(PARTITIONS)}"
        reply = self.ask(Get(path))
        if reply.ok:
            read = decoded(reply)
            new = read._replace(isr=read.isr + 1)
            self.ask(Multi((Put(path, new.encoded(), read.version),)))
