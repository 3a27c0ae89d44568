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
from real.chaos.history import commits
from real.chaos.judge import BOUND, TICK, TICK_S, Acknowledged, Judge
from real.chaos.processes import ROOT, Group
from real.chaos.proxy import Proxy
from real.chaos.recording import Evidence
from real.chaos.sessions import PATIENCE_S, Careful
from real.chaos.storm import Candidate, Fact, Storm, session_in
from real.chaos.variants import Variant
from real.zookeeper.server import failure
from wheelproof.errors import NothingChecked, ToolError

CANDIDATES = tuple(f"b{number}" for number in range(1, 6))
STORM_S = 5.0
READY_S, ANSWERED_S = 60, 30
HAND_MS = 60_000


class Outcome(NamedTuple):
    """The outcome of a round."""

    evidence: Evidence
    judge: Judge
    faults: Counter[str]
    """Kind of fault -> count."""
    facts: Counter[str]
    """Kind of fact -> count."""
    seconds: float


class Round:
    """The candidates of one elector."""

    def __init__(
        self, ensemble: Ensemble, group: Group, variant: Variant, seed: int, output: Path
    ) -> None:
        self.ensemble, self.group, self.variant, self.output = ensemble, group, variant, output
        self.seed, self.drawn = seed, Random(f"{seed} {variant.name}")
        self.folder = f"/{variant.name.replace(' ', '-')}"
        self.facts: dict[str, list[Fact]] = {name: [] for name in CANDIDATES}
        """Candidate -> the facts that it has reported."""
        self.read = dict.fromkeys(CANDIDATES, 0)
        self.begun = time.monotonic()

    def run(self, seconds: float, until_found: bool) -> Outcome:
        """Storms and calms for some time; the last one is a calm.

        ``until_found``: not longer than until a property of the variant is broken. Raises ToolError
        where a process fails, NothingChecked where nothing happened.
        """
        with self.proxies() as (own_proxy, *proxies):
            self.hand = open_hand(own_proxy.port)
            self.ask(Get("/"))
            self.begin = self.hand.zxid
            """The zxid before their history."""
            nodes = [Create(self.folder, ""), Create(f"{self.folder}{EPOCH}", "0")]
            nodes += [Create(f"{self.folder}{TICK}", "")]
            empty = PartitionState().encoded()
            nodes += [Create(self.partition(number), empty) for number in range(PARTITIONS)]
            if not self.ask(Multi(tuple(nodes))).ok:
                raise ToolError(f"ZooKeeper does not create {self.folder}.")
            self.candidates = [
                self.start(name, proxy) for name, proxy in zip(CANDIDATES, proxies, strict=True)
            ]
            try:
                self.await_candidates()
                return self.rounds(seconds, until_found)
            finally:
                for candidate in self.candidates:
                    candidate.process.kill()
                    candidate.process.wait()
                self.hand.close()

    def rounds(self, seconds: float, until_found: bool) -> Outcome:
        storm = Storm(
            self.ensemble, self.folder, self.candidates, self.hand, self.facts_of, self.drawn
        )
        begin = time.monotonic()
        for number in itertools.count(1):
            storm.rage(min(STORM_S, seconds))
            storm.end()
            if until_found and self.has_finding():
                break
            self.calm(f"calm {number}")
            self.check_processes()
            if time.monotonic() - begin >= seconds or until_found and self.has_finding():
                break
        evidence = self.evidence()
        kinds = () if until_found else storm.kinds
        return self.outcome(evidence, evidence.judged(), storm, kinds)

    def has_finding(self) -> bool:
        """Whether a property is broken that the variant is to break."""
        properties = {violation.property for violation in self.evidence().judged().violations}
        return bool(properties & self.variant.broken)

    def outcome(
        self, evidence: Evidence, judge: Judge, storm: Storm, kinds: Iterable[str]
    ) -> Outcome:
        """All that was seen. Raises NothingChecked where it lacks something that must be there."""
        faults = storm.done.copy()
        for candidate in self.candidates:
            faults.update(
                {f"connections cut {loss}": n for loss, n in candidate.proxy.cuts.items()}
            )
        by_fact = Counter(fact["fact"] for facts in self.facts.values() for fact in facts)
        faults["pauses of an event thread"] = by_fact["pause"]
        required = ("elections", "writes", "acknowledged", "calms")
        absent = [name for name in required if not judge.counts[name]]
        absent += [] if any(storm.done.values()) else ["faults"]
        absent += [kind for kind in kinds if not storm.done[kind]]
        if absent and not judge.violations:
            raise NothingChecked(
                f"{self.variant.name}: there were no {', '.join(absent)}.",
                "Give it more time, by --seconds.",
            )
        return Outcome(evidence, judge, faults, by_fact, time.monotonic() - self.begun)

    # -- candidates

    @contextmanager
    def proxies(self) -> Iterator[list[Proxy]]:
        """A proxy for the round's own session, which cuts nothing, and one for each candidate."""
        local_proxies: list[Proxy] = []
        try:
            for name in ("", *CANDIDATES):
                random = Random(f"{self.seed} {self.variant.name} {name}")
                local_proxies.append(Proxy(self.ensemble.ports, random, calm=not name))
            yield local_proxies
        finally:
            for proxy in local_proxies:
                proxy.close()

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
        while any(session_in(self.facts_of(name)) is None for name in CANDIDATES):
            self.check_processes()
            if time.monotonic() > until:
                raise ToolError(f"Not all candidates have a session within {READY_S} s.")
            time.sleep(TICK_S)
        for name, facts in self.facts.items():
            source = Path(facts[0]["source"])
            if not source.is_relative_to(self.variant.folder / "impl"):
                raise ToolError(f"{name} runs {source}, which is not that of {self.variant.name}.")

    def check_processes(self) -> None:
        for candidate in self.candidates:
            code = candidate.process.poll()
            if code is not None:
                raise failure(f"{candidate.name} ended with {code}", candidate.log)

    def update(self) -> None:
        """Read the new reports of the candidates."""
        for candidate in self.candidates:
            if candidate.journal.exists():
                with candidate.journal.open("rb") as file:
                    file.seek(self.read[candidate.name])
                    whole = file.read().rpartition(b"\n")[0]
                if whole:
                    self.read[candidate.name] += len(whole) + 1
                    self.facts[candidate.name] += map(json.loads, whole.split(b"\n"))

    def facts_of(self, name: str) -> list[Fact]:
        """All that a candidate has reported."""
        self.update()
        return self.facts[name]

    # -- calms, and the verdict

    def calm(self, name: str) -> None:
        """Ticks without a fault, until a controller works and each candidate is heard of."""
        self.quiet(True)
        before, beats = self.progress(), self.beats()
        for _ in range(BOUND + 1):
            self.tick(name)
            time.sleep(TICK_S)
            if self.progress() != before and all(map(int.__gt__, self.beats(), beats)):
                break
        self.tick("")
        self.quiet(False)

    def beats(self) -> list[int]:
        """How often each candidate has reported that its session lives."""
        self.update()
        return [sum(fact["fact"] == "beat" for fact in facts) for facts in self.facts.values()]

    def quiet(self, calm: bool) -> None:
        for candidate in self.candidates:
            candidate.proxy.calm = calm

    def tick(self, calm: str) -> int:
        """Make a transaction of the history; returns its zxid."""
        self.ask(Multi((Put(f"{self.folder}{TICK}", calm),)))
        return self.hand.zxid

    def progress(self) -> tuple[int, int]:
        """The epoch, and how often partitions were written in it: another value if one works."""
        epoch = self.ask(Get(f"{self.folder}{EPOCH}"))
        states = [decoded(self.ask(Get(self.partition(number)))) for number in range(PARTITIONS)]
        now = int(epoch.data)
        current = [state for state in states if state.controller_epoch == now]
        return now, sum(state.leader_epoch for state in current)

    def ask(self, request: Get | Multi) -> Reply:
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
        """The evidence so far."""
        self.update()
        homes = {
            fact["session"]: name
            for name, facts in self.facts.items()
            for fact in facts
            if fact["fact"] == "session"
        }
        acknowledgements = tuple(
            Acknowledged(fact["zxid"], fact["session"], tuple(map(tuple, fact["parts"])))
            for facts in self.facts.values()
            for fact in facts
            if fact["fact"] == "acknowledged"
        )
        history = commits(self.ensemble.folders, self.begin, self.tick(""))
        return Evidence(self.folder, {self.hand.session}, homes, tuple(history), acknowledgements)


def open_hand(port: int) -> Careful:
    """A session that lasts, as soon as a server gives one."""
    until = time.monotonic() + READY_S
    while True:
        try:
            return Careful(port, timeout_ms=HAND_MS, patience_s=PATIENCE_S)
        except OSError as error:
            if time.monotonic() > until:
                raise ToolError(f"ZooKeeper gives no session within {READY_S} s.") from error
            time.sleep(TICK_S)
