"""Every election of few replicas, by a release's classes and by the implementation."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterable, Iterator
from itertools import chain, combinations, permutations
from pathlib import Path
from typing import NamedTuple

from impl.cluster_state import ClusterState, LeaderAndIsr
from impl.partition_leader import PartitionElections
from wheelproof import java
from wheelproof.artifacts import Artifact
from wheelproof.errors import ToolError, UsageError
from wheelproof.jvm import declaration
from wheelproof.jvm.jars import NotHere, locate
from wheelproof.jvm.setup import MINIMUM, compile_java

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
SOURCES = [HERE / "Elections.java", HERE / "Released.java"]

KINDS = ("offline", "reassign", "preferred", "shutdown")
PATIENCE_S = 600
FIELDS = {"leader": 1, "state": 3, "recovery": 4}
"""Fields of an answer: the leader, the ISR, the step of the leader epoch, whether it recovers."""


class Input(NamedTuple):
    """The input of an election. Replicas are numbered from 1 in the assignment's order."""

    kind: str
    assignment: tuple[int, ...]
    target: tuple[int, ...]
    isr: tuple[int, ...]
    live: tuple[int, ...]
    down: tuple[int, ...]
    unclean: bool

    def line(self) -> str:
        lists = [",".join(map(str, part)) or "-" for part in self[1:6]]
        return " ".join((self.kind, *lists, "unclean" if self.unclean else "clean"))


def subsets(members: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    return chain.from_iterable(combinations(members, size) for size in range(len(members) + 1))


def inputs(size: int) -> Iterator[Input]:
    """All inputs of exactly ``size`` replicas, the ISR in every order.

    A partition moves to its last replicas and a new one, the last first.
    """
    assignment = tuple(range(1, size + 1))
    target = (*assignment[:0:-1], size + 1)
    everyone = (*assignment, size + 1)
    for kind in KINDS:
        replicas = everyone if kind == "reassign" else assignment
        for isr in (order for subset in subsets(replicas) for order in permutations(subset)):
            for live in subsets(replicas):
                for down in subsets(live):
                    for unclean in (False, True) if kind == "offline" else (False,):
                        yield Input(kind, assignment, target, isr, live, down, unclean)


def releases() -> dict[str, int]:
    """The releases, and how many fields of the answers are compared: FIELDS."""
    table = declaration.load(HERE / "elections.toml")
    return {release: FIELDS[fields["compares"]] for release, fields in table.items()}


def by_kafka(release: str, elections: Iterable[Input]) -> list[str]:
    """A release's answers.

    Raises UsageError for an unknown release, NotHere where Java or a jar is absent, ToolError where
    Java fails.
    """
    if release not in releases():
        raise UsageError(
            f"There are no elections of release {release}.",
            f"Choose one of {', '.join(releases())}.",
        )
    try:
        runtime = java.locate("Kafka's elections", MINIMUM, f"Install Java {MINIMUM} or newer.")
    except ToolError as error:
        raise NotHere(error.message, error.remedy) from error
    more = dict(declaration.load(HERE / "elections.toml")[release])
    whole = more.pop("compares") != "leader"
    artifacts = [Artifact(coordinate, sha256) for coordinate, sha256 in more.items()]
    jars = locate([*declaration.artifacts(ROOT, release), *artifacts], fetch=True)
    classes = compile_java(runtime.executable, SOURCES, jars, True)
    path = os.pathsep.join(map(str, (classes, *jars)))
    command = [str(runtime.executable), *java.QUICK_START]
    try:
        process = subprocess.run(
            [*command, "-cp", path, "Elections", *(["whole"] if whole else [])],
            input="".join(f"{election.line()}\n" for election in elections),
            capture_output=True,
            text=True,
            timeout=PATIENCE_S,
        )
    except subprocess.TimeoutExpired as error:
        raise ToolError(f"Java did not end within {PATIENCE_S} s.") from error
    if process.returncode != 0:
        raise ToolError(f"Kafka {release} answers no election: {process.stderr.strip()}")
    return process.stdout.splitlines()


def by_implementation(
    election: Input, elections: type[PartitionElections] = PartitionElections
) -> str:
    """The implementation's answer, as the Java program writes it."""
    before = LeaderAndIsr(-1, election.isr)
    state = ClusterState(before.leader, before.isr, election.live)
    outcome = elections(state, election.assignment, election.target, election.unclean).choose(
        election.kind, election.isr, frozenset(election.live), frozenset(election.down)
    )
    if outcome is None:
        return "none"
    after = before.led_by(outcome.leader, outcome.isr, outcome.unclean)
    isr = ",".join(map(str, after.isr))
    return f"{after.leader} {isr} {after.leader_epoch} {int(after.recovering)}"


def differences(
    release: str,
    cases: list[Input],
    elections: type[PartitionElections] = PartitionElections,
) -> list[str]:
    """Where a release and the implementation differ: the input, and both answers."""
    theirs = by_kafka(release, cases)
    fields = releases()[release]
    if len(theirs) != len(cases):
        raise ToolError(f"Kafka {release} has {len(theirs)} answers to {len(cases)} elections.")
    ours = [by_implementation(election, elections) for election in cases]
    return [
        f"{election.line()}: Kafka {release} elects {kafka}, the implementation {result}"
        for election, kafka, result in zip(cases, theirs, ours)
        if kafka.split()[:fields] != result.split()[:fields]
    ]
