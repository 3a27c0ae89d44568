"""Checks one harness. As Harnesses.java."""

from __future__ import annotations

import dataclasses
import sys

import hypothesis

import wheelproof
from benchmarks.lincheck import structures
from wheelproof.linearizability.campaign import checked
from wheelproof.linearizability.options import Declaration, declaration_of


@wheelproof.linearizable
def stack() -> structures.Stack:
    return structures.Stack()


@wheelproof.linearizable
def cache() -> structures.Cache:
    return structures.Cache()


@wheelproof.linearizable
def queue() -> structures.Queue:
    return structures.Queue()


@wheelproof.linearizable
def sound_stack() -> structures.SoundStack:
    return structures.SoundStack()


@wheelproof.linearizable
def sound_cache() -> structures.SoundCache:
    return structures.SoundCache()


@wheelproof.linearizable
def sound_queue() -> structures.SoundQueue:
    return structures.SoundQueue()


def main(name: str, programs: str, runs: str) -> None:
    """Check the harness of a name. The last lines are the answer, and the calls of its program."""
    declaration = declaration_of(globals()[name])
    assert declaration is not None
    settings = hypothesis.settings(max_examples=int(programs), derandomize=True, database=None)
    options = dataclasses.replace(
        declaration.options,
        threads=2, calls=(1, 2), prefix=2, suffix=1, executions=int(runs), settings=settings,
    )  # fmt: skip
    exploration = checked(Declaration(declaration.factory, options))
    print(*exploration.table, sep="\n")
    print(f"{exploration.answer}: {exploration.reason}")
    print("calls:", exploration.test.count('("'))


if __name__ == "__main__":
    main(*sys.argv[1:])
