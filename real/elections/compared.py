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
    """What an election is made from. Replicas are numbered from 1 in the assignment's order."""

    kind: str
    assignment: tuple[int, ...]
    target: tuple[int, ...]
    isr: tuple[int, ...]
    live: tuple[int, ...]
    down: tuple[int, ...]
    unclean: bool

    def line(self) -> str:
        lists = [",".join(map(str, each)) or "-" for each in self[1:6]]
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
        for isr in (order for each in subsets(replicas) for order in permutations(each)):
            for live in subsets(replicas):
                for down in subsets(live):
                    for unclean in (False, True) if kind == "offline" else (False,):
                        yield Input(kind, assignment, target, isr, live, down, unclean)


def releases() -> dict[str, int]:
    """The releases, and how many fields of the answers are compared: FIELDS."""
    table = declaration.load(HERE / "elections.toml")
    return {release: FIELDS[fields["compares"]] for release, fields in table.items()}


def by_kafka(release: str, given: Iterable[Input]) -> list[str]:
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
    pinned = [Artifact(coordinate, sha256) for coordinate, sha256 in more.items()]
    jars = locate([*declaration.artifacts(ROOT, release), *pinned], fetch=True)
    own = compile_java(runtime.executable, SOURCES, jars, True)
    path = os.pathsep.join(map(str, (own, *jars)))
    command = [str(runtime.executable), *java.QUICK_START]
    try:
        ended = subprocess.run(
            [*command, "-cp", path, "Elections", *(["whole"] if whole else [])],
            input="".join(f"{each.line()}\n" for each in given),
            capture_output=True,
            text=True,
            timeout=PATIENCE_S,
        )
    except subprocess.TimeoutExpired as error:
        raise ToolError(f"Java did not end within {PATIENCE_S} s.") from error
    if ended.returncode != 0:
        raise ToolError(f"Kafka {release} answers no election: {ended.stderr.strip()}")
    return ended.stdout.splitlines()


def by_implementation(
    given: Input, elections: type[PartitionElections] = PartitionElections
) -> str:
    """The implementation's answer, as the Java program writes it."""
    before = LeaderAndIsr(-1, given.isr)
    state = ClusterState(before.leader, before.isr, given.live)
    elected = elections(state, given.assignment, given.target, given.unclean).choose(
        given.kind, given.isr, frozenset(given.live), frozenset(given.down)
    )
    if elected is None:
        return "none"
    after = before.led_by(elected.leader, elected.isr, elected.unclean)
    isr = ",".join(map(str, after.isr))
    return f"{after.leader} {isr} {after.leader_epoch} {int(after.recovering)}"


def differences(
    release: str,
    given: list[Input],
    elections: type[PartitionElections] = PartitionElections,
) -> list[str]:
    """Where a release and the implementation differ: the input, and both answers."""
    theirs = by_kafka(release, given)
    fields = releases()[release]
    if len(theirs) != len(given):
        raise ToolError(f"Kafka {release} has {len(theirs)} answers to {len(given)} elections.")
    ours = [by_implementation(each, elections) for each in given]
    return [
        f"{each.line()}: Kafka {release} elects {kafka}, the implementation {own}"
        for each, kafka, own in zip(given, theirs, ours)
        if kafka.split()[:fields] != own.split()[:fields]
    ]
