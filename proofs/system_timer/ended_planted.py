"""Faults of module SystemTimer with which runs go on for ever, or stop where they must not."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from types import SimpleNamespace
from typing import Any, ClassVar

import z3

from proofs.system_timer.ended import KeptEnds, Ranked
from proofs.system_timer.ends import Ends
from proofs.system_timer.planted import Planted
from proofs.system_timer.ranking import Rank
from proofs.system_timer.runs import NAME, ReachedTimer, scenario, specification
from proofs.system_timer.steps import PLACE
from proofs.system_timer.waits import SOME, SOME_ENTRY, can_step
from proofs.timer_task_list.planted import broken_goal
from wheelproof.prove import variants
from wheelproof.prove.kernel import Found
from wheelproof.prove.module.runs import compared
from wheelproof.prove.module.simulation import simple

ONE: dict[str, Any] = {"one": 1}
LAST = scenario(ONE, a="add one", c="tick", r="reap")
TWO = scenario({"one": 1, "two": 1}, a="add one", b="add two")
FALLS = scenario({"far": 3}, levels=2, a="add far", c="tick; tick; tick", r="reap")
TOO_EARLY = scenario(ONE, a="execute; add one", c="tick", r="reap")
"""A program that goes on behind an execute: it waits for an add, which is its own (A-LAST)."""


RANKED = "every step of the scenario lowers the rank"


@dataclass(frozen=True)
class OfRank(Planted):
    """A fault by which a step does not lower the rank, and a run goes round."""

    base, simulation = Ends, Ranked

    def find(self, _seed: int = 0) -> Found:
        """The first reached step that breaks a goal of the rank, and a run that comes back."""
        return compared(
            broken_goal(self.reached, self.simulation),
            self.goal,
            lambda: "" if goes_round(self.reached.model) else "no run goes round",
            RANKED,
        )


@dataclass(frozen=True)
class OfCounter(Planted):
    """A fault by which a counter differs from its count."""

    base, simulation = Ends, KeptEnds


@dataclass(frozen=True)
class OfClaim:
    """A claim about the rank without a part of it, which a step of the unchanged module breaks.

    ``base``, ``program``: the system, and a scenario.
    """

    base: ClassVar[type[Ends]] = Ends
    program: ClassVar[Mapping[str, Any]] = LAST

    name: str
    says: str
    simulation: type[Ranked]
    goal: str

    def find(self, _seed: int = 0) -> Found:
        exploration = ReachedTimer(self.program, base=self.base)
        return compared(broken_goal(exploration, self.simulation), self.goal, sound=RANKED)


@dataclass(frozen=True)
class OfWaits:
    """A fault by which a thread at a label neither waits nor can step."""

    base: ClassVar[type[Ends]] = Ends

    name: str
    says: str
    label: str
    old: str
    new: str
    program: dict[str, Any]

    def find(self, _seed: int = 0) -> Found:
        """The first label at which a small run stops."""
        exploration = ReachedTimer(self.program, self.old, self.new, base=self.base)
        label = next(stops(exploration), "")
        if not label:
            return Found("unsat", "every thread that does not wait can step")
        return Found("sat", label, "" if label == self.label else f"not {self.label}")


@dataclass(frozen=True)
class OfEnd:
    """A fault, or an assumption left out, and a run that ends where the theorem's claim is false.

    ``claim``: a definition of the specification, or "Done" for the end of every thread.
    ``program``: a scenario's name, or its fields.
    """

    name: str
    says: str
    claim: str
    program: str | Mapping[str, Any] = ""
    old: str = ""
    new: str = ""

    def find(self, _seed: int = 0) -> Found:
        """A state in which no thread can step, time has come, and the claim is false."""
        mechanism = variants.mechanisms()[NAME]
        program: Any = self.program or LAST
        if isinstance(program, str):
            program = mechanism.scenarios[program]
        variant = specification(self.old, self.new)
        model = variant.model(mechanism.constants_of(program), tuple(program["threads"]))
        last = max(program["deadline"].values())
        for state in ends(model):
            if now(model, state) >= last and not holds(model, self.claim, state):
                return Found("sat", self.claim)
        return Found("unsat", f"{self.claim} holds wherever no thread can step")


def graph(model: Any, bound: int = 20_000) -> Iterator[tuple[Any, list[Any]]]:
    """The states of a model with those that come next, breadth first."""
    states, waiting = {model.initial()}, [model.initial()]
    for state in waiting:
        following = [after for _, _, after in model.successors(state)]
        yield state, following
        for after in following:
            if after not in states and len(states) < bound:
                states.add(after)
                waiting.append(after)


def ends(model: Any) -> Iterator[Any]:
    """The states in which no thread can step."""
    return (state for state, following in graph(model) if not following)


def goes_round(model: Any) -> bool:
    """Whether some run comes back to a state: one is left without those that lead nowhere."""
    following = {state: set(after) for state, after in graph(model)}
    before: dict[Any, set[Any]] = {}
    for state, after in following.items():
        for node in after:
            before.setdefault(node, set()).add(state)
    counts = {state: len(after) for state, after in following.items()}
    waiting = [state for state, count in counts.items() if not count]
    for state in waiting:
        for node in before.get(state, ()):
            counts[node] -= 1
            if not counts[node]:
                waiting.append(node)
    return len(waiting) < len(following)


def now(model: Any, state: Any) -> int:
    shared_values, _ = state
    time = shared_values[model.variables.index("now")]
    assert isinstance(time, int)
    return time


def holds(model: Any, claim: str, state: Any) -> bool:
    """Whether a claim of `OfEnd` holds in a state."""
    if claim != "Done":
        return bool(model.holds(claim, state))
    place = model.process_variables.index("pc")
    return all(process[place] == "Done" for process in state[1])


def stops(exploration: ReachedTimer) -> Iterator[str]:
    """The labels at which a thread neither waits nor can step."""
    system, instance = exploration.system, exploration.instance
    assert isinstance(system, Ends)
    claims = {}
    for label, ways in system.LABELS.items():
        first, goal = can_step(system, system.symbols(), label)
        firsts = {head.element for name in ways for head in system.way(name).firsts.values()}
        free = [SOME, SOME_ENTRY, *firsts]
        names = ["t", *(f"free_{place}" for place in range(len(free)))]
        renaming = [
            z3.Const(f"{n}!", constant.sort()) for n, constant in zip(names[1:], free, strict=True)
        ]
        claim = z3.substitute(
            simple(z3.Implies(z3.And([*first.values()]), goal)), *zip(free, renaming, strict=True)
        )
        can_go = instance.function(instance.compiled.code(claim, tuple(names)))
        places = [instance.places[constant.sort().name()] for constant in free]
        claims[PLACE.values.index("Idle" if label == "T0" else label)] = label, can_go, places
    place = [*system.VARIABLES].index("pc")
    for state, _ in exploration.edges():
        for thread, at in enumerate(state[place][:-1]):
            label, can_go, places = claims.get(at, ("", None, []))
            if label and not all(
                can_go(state, thread, *arguments) for arguments in product(*places)
            ):
                yield label


class NothingPutBack(Rank):
    """A rank in which a bucket that the reaper puts back is not counted."""

    def queue(self, s: SimpleNamespace, b: z3.ExprRef) -> z3.ArithRef:
        return s.queue[b]


class NoReach(Rank):
    """A rank in which no entry has a level to fall below."""

    def reach(self, s: SimpleNamespace, e: z3.ExprRef) -> z3.ArithRef:
        return z3.IntVal(0)


class WithoutPutBack(Ranked):
    RANK = NothingPutBack


class WithoutReach(Ranked):
    RANK = NoReach


RANKS: tuple[OfRank | OfClaim, ...] = (
    OfRank(
        "clocks stand still",
        "a flush advances no clock: it puts its entries back into their bucket",
        "THEN Trim(expiration[self], l) ELSE current[l]]",
        "THEN current[l] ELSE current[l]]",
        LAST,
        "W2_to_W3: lowers reach",
        "",
    ),
    OfRank(
        "polls no more",
        "the reaper puts its bucket back, and does not poll again under the lock",
        'R8(self) == /\\ pc[self] = "R8"\n            /\\ IF Due\n',
        'R8(self) == /\\ pc[self] = "R8"\n            /\\ IF FALSE\n',
        LAST,
        "R8_to_R6: stage",
        "",
    ),
    OfClaim(
        "nothing put back",
        "a rank that does not count what the reaper puts back",
        WithoutPutBack,
        "R3_to_R8: queue",
    ),
    OfClaim(
        "no reach",
        "a rank in which an entry has no level to fall below",
        WithoutReach,
        "W2_to_W3: lowers reach",
    ),
)
WAITS = (
    OfWaits(
        "waits for itself",
        "a flush waits for its own monitor when it links an entry again",
        "W2",
        "/\\ ~(flushing = bucket[self] /\\ writer # self)",
        "/\\ flushing = 0",
        FALLS,
    ),
    OfWaits(
        "waits for readers",
        "an adder waits for the read lock of another one",
        "A1",
        'A1(self) == /\\ pc[self] = "A1"\n            /\\ writer = NULL\n',
        'A1(self) == /\\ pc[self] = "A1"\n            /\\ writer = NULL /\\ readers = {}\n',
        TWO,
    ),
)
COUNTS = (
    OfCounter(
        "removes without counting",
        "a flush takes an entry, and leaves the counter as it is",
        "/\\ taskCounter' = taskCounter - 1\n                       /\\ /\\ ke' =",
        "/\\ taskCounter' = taskCounter\n                       /\\ /\\ ke' =",
        LAST,
        "F2_to_W1: links_are_listed",
        "CounterExact",
    ),
)
ENDS = (
    OfEnd(
        "loses bucket",
        "the reaper does not put back what it has polled without the lock",
        "AllTried",
        old="/\\ queue' = Offer(queue, polled[self], key)",
        new="/\\ queue' = queue",
    ),
    OfEnd(
        "kafka refuses",
        "D6: the timer is Kafka's, and a refusal ends its reaper in the middle of a bucket",
        "AllTried",
        "kafka_closing",
    ),
    OfEnd(
        "queues nothing",
        "an adder does not put its bucket into the queue",
        "AllFired",
        old="/\\ queue' = Offer(queue, bucket[self], key)",
        new="/\\ queue' = queue",
    ),
    OfEnd(
        "shut down",
        "the executor is shut down, and refuses what comes due",
        "AllFired",
        "closing",
    ),
    OfEnd(
        "counts twice",
        "a link counts for two: the reaper waits for ever",
        "Done",
        old="/\\ taskCounter' = taskCounter + 1\n",
        new="/\\ taskCounter' = taskCounter + 2\n",
    ),
    OfEnd(
        "waits for its own add",
        "a program adds behind an execute, which ends once all adds have returned",
        "Done",
        TOO_EARLY,
    ),
)
"""Faults that the theorems reject, by the claim that is false where a run ends."""
