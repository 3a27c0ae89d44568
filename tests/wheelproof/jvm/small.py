"""A JVM with small classes of the tests under the layer's control."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

from wheelproof import java
from wheelproof.jvm.declaration import Binding
from wheelproof.jvm.jars import NotHere, locate
from wheelproof.jvm.process import Graph, Jvm
from wheelproof.jvm.setup import ASM, MINIMUM, SOURCES, Setup, compile_java

SECONDS = 5
"""Without a step for so long the JVM is stuck."""


@contextmanager
def loaded(binding: Binding, sources: Sequence[Path]) -> Iterator[Jvm]:
    """The process with these classes, of which the binding names the subject and the harness."""
    executable = java.locate("The layer jvm", MINIMUM, "").executable
    try:
        asm = locate(ASM, fetch=True)
    except NotHere as error:
        pytest.skip(f"NOT RUN: {error}")
    tool = compile_java(executable, sorted(SOURCES.glob("*.java")), asm, True)
    subject = compile_java(executable, sources, [tool, *asm], True)
    setup = Setup(executable, (tool, *asm), (subject,))
    with Jvm(setup, heap_mb=200, stuck_seconds=SECONDS) as process:
        process.load(binding)
        yield process


def explored(jvm: Jvm, operations: Sequence[str], binding: Binding) -> Graph:
    """All states of threads that have one operation each."""
    threads = {f"t{number}": [[word]] for number, word in enumerate(operations)}
    jvm.begin(binding, {"threads": threads})
    return jvm.explore(10_000, 60)
