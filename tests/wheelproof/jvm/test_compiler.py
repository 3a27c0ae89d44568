"""A Java without javac is enough: the Eclipse compiler's pinned jar compiles tool and harness."""

import shutil
from pathlib import Path

import pytest

from tests.found import bindings, mechanisms
from wheelproof import java, kept
from wheelproof.errors import UsageError
from wheelproof.graph import reduced
from wheelproof.jvm import declaration, product, setup
from wheelproof.jvm.jars import NotHere
from wheelproof.jvm.process import Jvm
from wheelproof.jvm.values import Encoder

ROOT = Path(__file__).resolve().parents[3]
BINDING = bindings()["timer_task_list"]
MECHANISM = mechanisms()["timer_task_list"]
RELEASE = BINDING.releases[0]


@pytest.fixture
def without_javac(tmp_path, monkeypatch):
    """The machine's Java from a folder that has nothing else, and the jars without any classes.

    The list has the commands that have compiled something.
    """
    cache = tmp_path / "cache"
    cache.mkdir()
    for jar in kept.cache().glob("*.jar"):
        (cache / jar.name).symlink_to(jar)
    monkeypatch.setenv("WHEELPROOF_CACHE", str(cache))
    real = java.locate("a test", setup.MINIMUM, "")
    alone = tmp_path / "bin" / "java"
    alone.parent.mkdir()
    alone.write_text(f'#!/bin/sh\nexec "{real.executable}" "$@"\n', encoding="utf-8")
    alone.chmod(0o755)
    monkeypatch.setattr(
        setup.java, "locate", lambda *_: java.Java(alone, real.version, real.origin)
    )
    commands = []
    plain = setup.subprocess.run

    def run(command, **options):
        if "-d" in command:  # a client that fetches the compiler is run, too
            commands.append(command)
        return plain(command, **options)

    monkeypatch.setattr(setup.subprocess, "run", run)
    return commands


@pytest.mark.nightly
def test_tool_and_harness_run_as_javac_has_compiled_them(tmp_path, without_javac):
    try:
        made = setup.prepare(ROOT, tmp_path, BINDING, RELEASE, fetch=True)
    except NotHere as error:
        pytest.skip(f"NOT RUN: {error}")
    assert len(without_javac) == 2
    assert all("ecj-" in " ".join(command) for command in without_javac)
    program = MECHANISM.scenarios["expire_cancel"]
    graph = reduced.reduce(MECHANISM.model("expire_cancel"), MECHANISM.silent)
    with Jvm(made, heap_mb=300) as process:
        process.load(BINDING)
        process.begin(BINDING, program)
        found = process.explore(20_000, 300)
    encoder = Encoder(graph.model, program)
    compared = product.compare(found, graph, reduced.rows(graph), encoder)
    assert compared.difference is None and not compared.uncovered


@pytest.mark.nightly
def test_a_source_that_does_not_compile_is_named_with_its_line(tmp_path, without_javac):
    shutil.copytree(ROOT / "jvm", tmp_path / "jvm")
    source = tmp_path / "jvm" / "timer_task_list" / "TimerTaskListHarness.java"
    source.write_text(source.read_text() + "}", encoding="utf-8")
    binding = declaration.find(tmp_path)["timer_task_list"]
    try:
        setup.locate([setup.COMPILER], True)
    except NotHere as error:
        pytest.skip(f"NOT RUN: {error}")
    with pytest.raises(UsageError, match=r"does not compile(.|\n)*TimerTaskListHarness\.java"):
        setup.prepare(tmp_path, tmp_path / "build", binding, RELEASE, fetch=True)
