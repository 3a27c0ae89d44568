"""One round: an elector's candidates in a folder of the ensemble, storms and calms, a verdict."""

from __future__ import annotations

import itertools
import json
import os
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random
from typing import NamedTuple

from impl.controller import EPOCH, PARTITION, PartitionState, decoded
from impl.zookeeper_requests import Code, Create, Get, Multi, Put, Reply
from real.chaos.candidate import PARTITIONS
from real.chaos.ensemble import Ensemble
from real.chaos.history import committed
from real.chaos.judge import BOUND, TICK, TICK_S, Acknowledged, Judge
from real.chaos.processes import ROOT, Group
from real.chaos.proxy import Proxy
from real.chaos.recording import Evidence
from real.chaos.sessions import PATIENCE_S, Careful
from real.chaos.storm import Candidate, Fact, Storm, session_in
from real.chaos.variants import Variant
from real.zookeeper.server import failed
from wheelproof.errors import NothingChecked, ToolError

CANDIDATES = tuple(f"b{number}" for number in range(1, 6))
STORM_S = 5.0
READY_S, ANSWERED_S = 60, 30
HAND_MS = 60_000


class Outcome(NamedTuple):
    """What a round has shown. ``faults``, ``seen``: how many of each kind."""

    evidence: Evidence
    judge: Judge
    faults: Counter[str]
    seen: Counter[str]
    seconds: float


class Round:
    """The candidates of one elector.

    ``begin``: the zxid before their history; ``facts``: what each candidate has reported.
    """

    def __init__(
        self, ensemble: Ensemble, group: Group, variant: Variant, seed: int, output: Path
    ) -> None:
        self.ensemble, self.group, self.variant, self.output = ensemble, group, variant, output
        self.seed, self.drawn = seed, Random(f"{seed} {variant.name}")
        self.folder = f"/{variant.name.replace(' ', '-')}"
        self.facts: dict[str, list[Fact]] = {name: [] for name in CANDIDATES}
        self.read = dict.fromkeys(CANDIDATES, 0)
        self.begun = time.monotonic()

    def run(self, seconds: float, until_found: bool) -> Outcome:
        """Storms and calms for some time; the last one is a calm.

        ``until_found``: not longer than until a property of the variant is broken. Raises ToolError
        where a process fails, NothingChecked where nothing happened.
        """
        with self.proxies() as (own, *proxies):
            self.hand = opened(own.port)
            self.answered(Get("/"))
            self.begin = self.hand.zxid
            nodes = [Create(self.folder, ""), Create(f"{self.folder}{EPOCH}", "0")]
            nodes += [Create(f"{self.folder}{TICK}", "")]
            empty = PartitionState().encoded()
            nodes += [Create(self.partition(each), empty) for each in range(PARTITIONS)]
            if not self.answered(Multi(tuple(nodes))).ok:
                raise ToolError(f"ZooKeeper does not create {self.folder}.")
            self.candidates = [
                self.start(name, proxy) for name, proxy in zip(CANDIDATES, proxies, strict=True)
            ]
            try:
                self.await_candidates()
                return self.rounds(seconds, until_found)
            finally:
                for each in self.candidates:
                    each.process.kill()
                    each.process.wait()
                self.hand.close()

    def rounds(self, seconds: float, until_found: bool) -> Outcome:
        storm = Storm(
            self.ensemble, self.folder, self.candidates, self.hand, self.reported, self.drawn
        )
        begun = time.monotonic()
        for number in itertools.count(1):
            storm.rage(min(STORM_S, seconds))
            storm.end()
            if until_found and self.found():
                break
            self.calm(f"calm {number}")
            self.check_processes()
            if time.monotonic() - begun >= seconds or until_found and self.found():
                break
        evidence = self.evidence()
        kinds = () if until_found else storm.kinds
        return self.outcome(evidence, evidence.judged(), storm, kinds)

    def found(self) -> bool:
        """Whether a property is broken that the variant is to break."""
        broken = {each.property for each in self.evidence().judged().violations}
        return bool(broken & self.variant.broken)

    def outcome(
        self, evidence: Evidence, judge: Judge, storm: Storm, kinds: Iterable[str]
    ) -> Outcome:
        """All that was seen. Raises NothingChecked where it lacks something that must be there."""
        faults = storm.done.copy()
        for each in self.candidates:
            faults.update({f"connections cut {what}": n for what, n in each.proxy.cuts.items()})
        seen = Counter(fact["fact"] for facts in self.facts.values() for fact in facts)
        faults["pauses of an event thread"] = seen["pause"]
        needed = ("elections", "writes", "acknowledged", "calms")
        absent = [name for name in needed if not judge.counts[name]]
        absent += [] if any(storm.done.values()) else ["faults"]
        absent += [kind for kind in kinds if not storm.done[kind]]
        if absent and not judge.violations:
            raise NothingChecked(
                f"{self.variant.name}: there were no {', '.join(absent)}.",
                "Give it more time, by --seconds.",
            )
        return Outcome(evidence, judge, faults, seen, time.monotonic() - self.begun)

    # -- candidates

    @contextmanager
    def proxies(self) -> Iterator[list[Proxy]]:
        """A proxy for the round's own session, which cuts nothing, and one for each candidate."""
        made: list[Proxy] = []
        try:
            for name in ("", *CANDIDATES):
                drawn = Random(f"{self.seed} {self.variant.name} {name}")
                made.append(Proxy(self.ensemble.ports, drawn, calm=not name))
            yield made
        finally:
            for each in made:
                each.close()

    def start(self, name: str, proxy: Proxy) -> Candidate:
        begin = self.output / f"{self.folder[1:]}-{name}"
        journal, log = begin.with_suffix(".journal"), begin.with_suffix(".log")
        command = [sys.executable, "-m", "real.chaos.candidate", name, str(proxy.port)]
        command += [self.folder, str(journal), str(self.seed)]
        path = os.pathsep.join(map(str, (self.variant.folder, ROOT)))
        environment = os.environ | {"PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1"}
        process = self.group.start(command, self.variant.folder, log, environment)
        return Candidate(name, process, journal, log, proxy)

    def await_candidates(self) -> None:
        """Wait until all have a session, and run the variant's own sources."""
        until = time.monotonic() + READY_S
        while any(session_in(self.reported(name)) is None for name in CANDIDATES):
            self.check_processes()
            if time.monotonic() > until:
                raise ToolError(f"Not all candidates have a session within {READY_S} s.")
            time.sleep(TICK_S)
        for name, facts in self.facts.items():
            source = Path(facts[0]["source"])
            if not source.is_relative_to(self.variant.folder / "impl"):
                raise ToolError(f"{name} runs {source}, which is not that of {self.variant.name}.")

    def check_processes(self) -> None:
        for each in self.candidates:
            code = each.process.poll()
            if code is not None:
                raise failed(f"{each.name} ended with {code}", each.log)

    def update(self) -> None:
        """Read what the candidates have reported since."""
        for each in self.candidates:
            if each.journal.exists():
                with each.journal.open("rb") as file:
                    file.seek(self.read[each.name])
                    whole = file.read().rpartition(b"\n")[0]
                if whole:
                    self.read[each.name] += len(whole) + 1
                    self.facts[each.name] += map(json.loads, whole.split(b"\n"))

    def reported(self, name: str) -> list[Fact]:
        """All that a candidate has reported."""
        self.update()
        return self.facts[name]

    # -- calms, and the verdict

    def calm(self, name: str) -> None:
        """Ticks without a fault, until a controller works and each candidate is heard of."""
        self.quiet(True)
        before, beats = self.written(), self.beats()
        for _ in range(BOUND + 1):
            self.tick(name)
            time.sleep(TICK_S)
            if self.written() != before and all(map(int.__gt__, self.beats(), beats)):
                break
        self.tick("")
        self.quiet(False)

    def beats(self) -> list[int]:
        """How often each candidate has reported that its session lives."""
        self.update()
        return [sum(fact["fact"] == "beat" for fact in facts) for facts in self.facts.values()]

    def quiet(self, calm: bool) -> None:
        for each in self.candidates:
            each.proxy.calm = calm

    def tick(self, calm: str) -> int:
        """Make a transaction of the history; returns its zxid."""
        self.answered(Multi((Put(f"{self.folder}{TICK}", calm),)))
        return self.hand.zxid

    def written(self) -> tuple[int, int]:
        """The epoch, and how often partitions were written in it: another value if one works."""
        epoch = self.answered(Get(f"{self.folder}{EPOCH}"))
        states = [decoded(self.answered(Get(self.partition(each)))) for each in range(PARTITIONS)]
        now = int(epoch.data)
        own = [each for each in states if each.controller_epoch == now]
        return now, sum(each.leader_epoch for each in own)

    def answered(self, request: Get | Multi) -> Reply:
        """The reply to a request, made again if it is lost."""
        until = time.monotonic() + ANSWERED_S
        while True:
            reply = self.hand.ask(request)
            if reply.code is Code.SESSION_EXPIRED or time.monotonic() > until:
                raise ToolError(f"ZooKeeper does not answer to {request}: {reply.code.value}.")
            if reply.code is not Code.CONNECTION_LOSS:
                return reply
            time.sleep(TICK_S)

    def partition(self, number: int) -> str:
        return f"{self.folder}{PARTITION}-{number}"

    def evidence(self) -> Evidence:
        """What is written so far."""
        self.update()
        homes = {
            fact["session"]: name
            for name, facts in self.facts.items()
            for fact in facts
            if fact["fact"] == "session"
        }
        found = tuple(
            Acknowledged(fact["zxid"], fact["session"], tuple(map(tuple, fact["parts"])))
            for facts in self.facts.values()
            for fact in facts
            if fact["fact"] == "acknowledged"
        )
        history = committed(self.ensemble.folders, self.begin, self.tick(""))
        return Evidence(self.folder, {self.hand.session}, homes, tuple(history), found)


def opened(port: int) -> Careful:
    """A session that lasts, as soon as a server gives one."""
    until = time.monotonic() + READY_S
    while True:
        try:
            return Careful(port, timeout_ms=HAND_MS, patience_s=PATIENCE_S)
        except OSError as error:
            if time.monotonic() > until:
                raise ToolError(f"ZooKeeper gives no session within {READY_S} s.") from error
            time.sleep(TICK_S)
