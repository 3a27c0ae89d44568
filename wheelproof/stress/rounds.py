"""Rounds of a scenario on real threads, each on fresh objects and judged at rest."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from typing import NamedTuple

from wheelproof.protocols import Harness, Program, Scenario, programs
from wheelproof.stress.loading import ProductionImplementation
from wheelproof.stress.shaking import Shaker, Stopped

LOOK_SECONDS = 0.05
"""How long one look at the threads takes. Looks are counted, not time: a stall of the whole
process is one look."""

SWITCH_INTERVAL = 1e-6
"""Seconds between the interpreter's thread switches: as small as it will take."""

NO_DEADLOCK, FINAL_STATE, NO_EXCEPTION = "NoDeadlock", "FinalState", "NoException"


State = tuple[object, ...]
"""The values of the harness's variables at rest, by their names in order."""


class Patience(NamedTuple):
    """The limits at which a thread is taken for one that never ends."""

    looks: int
    """Looks at it without one bytecode of the implementation: it waits."""
    bytecodes: int
    """Bytecodes in one round: it spins."""


PATIENT = Patience(200, 1_000_000)
"""For sources that are taken to be right. A round has some thousands of bytecodes."""

IMPATIENT = Patience(20, 50_000)
"""For sources with a planted fault, of which a run without it has shown that the rounds end."""


class Finding(NamedTuple):
    """A failure: the names of the broken properties, and a message."""

    round: int
    """The number of the round, from 1 on."""
    properties: frozenset[str]
    message: str


class Result(NamedTuple):
    """The result of all rounds."""

    rounds: int
    finding: Finding | None
    outcomes: int
    """The number of different final states."""


class _Worker:
    """One thread of the scenario, round after round until it is let go."""

    def __init__(self, stress: Stress, program: Program, shaker: Shaker) -> None:
        self.stress, self.program, self.shaker = stress, program, shaker
        self.idle = False  # it is through with the round
        self.thread = threading.Thread(target=self._body, daemon=True)

    def _body(self) -> None:
        stress = self.stress
        self.shaker.install()
        with suppress(threading.BrokenBarrierError, Stopped):
            while True:
                stress.begin.wait()
                try:
                    for operation, *arguments in self.program:
                        getattr(stress.harness, str(operation))(*arguments)
                except Exception as error:  # a finding, reported with its round
                    stress.errors.append(error)
                self.idle = True
                stress.done.release()


class Stress:
    """Real threads that run a scenario again and again."""

    def __init__(
        self,
        implementation: ProductionImplementation,
        scenario: Scenario,
        seed: int = 0,
        patience: Patience = PATIENT,
        invariants: Collection[str] = (),
    ) -> None:
        """``invariants``: the invariants that count where the harness finds them broken."""
        self.invariants = frozenset(invariants)
        self.implementation, self.scenario, self.patience = implementation, scenario, patience
        self.harness: Harness | None = None
        self.errors: list[Exception] = []
        works = list(programs(scenario).values())
        self.begin = threading.Barrier(len(works) + 1)
        self.done = threading.Semaphore(0)
        self.workers = [
            _Worker(self, program, Shaker(implementation.files, seed * 64 + number))
            for number, program in enumerate(works)
        ]

    def run(
        self,
        rounds: int,
        final: Mapping[State, set[str]],
        beat: Callable[[int], None] = lambda number: None,
        until: str = "",
    ) -> Result:
        """Run until a finding, at most so many rounds.

        ``final``: state at rest -> invariants that fail in it.

        ``until``: go on until this property is broken, or a round does not end. The last finding
        is returned.
        """
        interval = sys.getswitchinterval()
        states: set[State] = set()
        finding: Finding | None = None
        sys.setswitchinterval(SWITCH_INTERVAL)
        try:
            for worker in self.workers:
                worker.thread.start()
            for number in range(1, rounds + 1):
                wrong = self._round(final, states)
                if wrong is not None:
                    finding = Finding(number, *wrong)
                    if (
                        not until
                        or until in finding.properties
                        or NO_DEADLOCK in finding.properties
                    ):
                        return Result(number, finding, len(states))
                    self.errors.clear()
                if not number % 100:
                    beat(number)
        finally:
            sys.setswitchinterval(interval)
            self.begin.abort()
            for worker in self.workers:
                worker.shaker.stopped = True
        return Result(rounds, finding, len(states))

    def _round(
        self, final: Mapping[State, set[str]], states: set[State]
    ) -> tuple[frozenset[str], str] | None:
        implementation = self.implementation
        self.harness = implementation.set_up(self.scenario)
        for worker in self.workers:
            worker.idle = False
            worker.shaker.begin()
        self.begin.wait()
        if stuck := self._wait():
            return frozenset((NO_DEADLOCK, *self._properties())), stuck
        implementation.observer.end()
        properties = set(self._properties())
        messages = [message for _, message in implementation.observer.findings]
        if self.errors:
            properties.add(NO_EXCEPTION)
            messages += [f"{type(error).__name__}: {error}" for error in self.errors]
        else:
            property_name, message = self._end(self.harness, final, states)
            properties |= property_name
            messages += [message] if message else []
        return (frozenset(properties), "; ".join(messages)) if properties else None

    def _end(
        self, harness: Harness, final: Mapping[State, set[str]], states: set[State]
    ) -> tuple[set[str], str]:
        """Properties that the objects at rest break, and a message. Sound ends go to ``states``.

        A planted fault may leave a state that no harness can show, such as a lock with an owner.
        There an exception of the harness finds no fault. Elsewhere it is raised.
        """
        try:
            variables = self.implementation.shared(harness)
            outcome = tuple([variables[name] for name in sorted(variables)])
            violations = self.invariants & {*self.implementation.broken(harness)}
        except Exception:
            if not self.implementation.planted:
                raise
            return set(), ""
        violations |= final.get(outcome, set())
        messages = [f"the end violates {', '.join(sorted(violations))}"] if violations else []
        if outcome not in final:
            text = ", ".join(f"{name} = {value!r}" for name, value in variables.items())
            messages.append(f"the end is no final state of the model: {text}")
            return {FINAL_STATE, *violations}, "; ".join(messages)
        if not violations:
            states.add(outcome)
        return {*violations}, "; ".join(messages)

    def _properties(self) -> set[str]:
        return {property for property, _ in self.implementation.observer.findings}

    def _wait(self) -> str:
        """Wait for all threads; "" when they are through, or the reason why one of them is not."""
        looks, bytecodes = self.patience
        running, before, still = (
            len(self.workers),
            [-1] * len(self.workers),
            [0] * len(self.workers),
        )
        while running:
            if self.done.acquire(timeout=LOOK_SECONDS):
                running -= 1
                continue
            counts = [worker.shaker.count for worker in self.workers]
            still = [
                0 if worker.idle or now != old else times + 1
                for worker, now, old, times in zip(self.workers, counts, before, still, strict=True)
            ]
            before = counts
            if max(still) >= looks:
                waiting = sum(times >= looks for times in still)
                return f"{waiting} of {len(self.workers)} threads wait for ever"
            if max(counts) > bytecodes:
                return f"a thread spins: it ran {max(counts):,} bytecodes and is not through"
        return ""
