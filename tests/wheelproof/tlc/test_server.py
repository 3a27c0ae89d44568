"""Runs of TLC in one JVM: each is as in a JVM of its own, and one that breaks harms no other."""

import os
import re
import shutil
import signal
import subprocess
import threading
import time
from dataclasses import replace
from pathlib import Path

import pytest

from tests.wheelproof.damaged import DAMAGES, entries
from wheelproof.tlc import server
from wheelproof.tlc.dot import TlcGraph
from wheelproof.tlc.result import Outcome

STAIR = {"Top": 3, "Trip": 99}
PATIENCE = 120

RUNS = {
    "holds": {"specification": "Loop", "invariants": ("InRange",)},
    "invariant": {"specification": "Loop", "invariants": ("BelowTop",)},
    "first only": {
        "specification": "Loop",
        "invariants": ("OffFloor",),
        "first_only": True,
        "run": {"go_on": True},
    },
    "deadlock": {"specification": "Climb"},
    "no deadlock": {"specification": "Climb", "run": {"deadlock_check": False}},
    "liveness": {
        "specification": "Loop",
        "properties": ("ReturnsHome",),
        "run": {"only_property": "ReturnsHome"},
    },
    "live": {
        "specification": "Loop",
        "properties": ("ReachesTop",),
        "run": {"only_property": "ReachesTop"},
    },
    "step": {
        "specification": "Loop",
        "properties": ("NeverDown",),
        "run": {"only_property": "NeverDown"},
    },
    "other constants": {
        "constants": {"Top": 7, "Trip": 99},
        "specification": "Loop",
        "invariants": ("InRange",),
    },
    "other module": {"module": "Relay", "constants": {"Runners": frozenset("ab"), "Laps": 1}},
    "odd names": {
        "module": "Relay",
        "constants": {"Runners": frozenset({'a"b', "c\\d"}), "Laps": 1},
    },
    "assertion": {"specification": "Asserting"},
    "evaluation": {"constants": {"Top": 3, "Trip": 1}, "specification": "Loop"},
    "misspelt": {"specification": "Loop", "invariants": ("InRagne",)},
}
"""Every way in which a run can end."""


@pytest.fixture
def compiled(tools):
    """The Java whose server is compiled. The tests share this process's server, where it lives."""
    if not server.make(tools["java"]):
        pytest.skip("Java has no compiler")
    return tools["java"]


@pytest.fixture(autouse=True, scope="module")
def ended():
    """No test finds a server of other files, and none is left of these."""
    server.end()
    yield
    server.end()


@pytest.fixture
def judged(check, tmp_path):
    """Run one of RUNS, and return all that is judged but the time."""

    def judged(name, shared=True, **more):
        options = {"module": "Stair", "constants": STAIR, **RUNS[name]}
        dump = tmp_path / "graph.dot"
        dump.unlink(missing_ok=True)
        run = {**options.pop("run", {}), "shared": shared, "dump": dump, **more}
        result = check(options.pop("module"), **options, run=run)
        graph = None
        if result.whole:
            read = TlcGraph.read(dump)
            graph = sorted(read.texts), read.states, sorted(read.edges())
        # An error's text has the place of a temporary file in it.
        why = re.sub(r"/\S*", "", result.explanation)
        return replace(result, seconds=0, explanation=why), graph

    return judged


def alive():
    """The process of this process's server; None where there is none."""
    return server._servers[0][0].process if server._servers else None


@pytest.mark.nightly
def test_runs_in_one_jvm_are_as_runs_in_their_own(compiled, judged):
    server.end()
    alone = {name: judged(name, shared=False) for name in RUNS}
    assert alive() is None
    assert {result.outcome for result, _ in alone.values()} == {
        Outcome.COMPLETED,
        Outcome.VIOLATED,
        Outcome.ERROR,
    }
    judgable = [name for name, (result, _) in alone.items() if result.outcome is not Outcome.ERROR]
    kept = 0
    for name in [*judgable, *reversed(judgable), *RUNS]:
        before = alive()
        assert judged(name) == alone[name], name
        kept += before is not None and alive() is before
    assert kept > len(judgable), "most runs had a JVM that had run others"


@pytest.mark.nightly
def test_without_the_snapshot_a_run_finds_the_state_of_the_last(
    compiled, judged, tmp_path, monkeypatch
):
    changed = tmp_path / "server"
    shutil.copytree(server.SOURCES, changed)
    file = changed / "Isolation.java"
    text = file.read_text()
    assert text.count("snapshot.restore();") == 1
    file.write_text(text.replace("snapshot.restore();", ""))
    monkeypatch.setattr(server, "SOURCES", changed)
    monkeypatch.setenv("WHEELPROOF_CACHE", str(tmp_path / "cache"))
    assert server.make(compiled)
    server.end()
    alone = judged("other module", shared=False)
    for _ in range(3):  # the first runs load all that they need
        assert judged("holds")[0].outcome is Outcome.COMPLETED
    assert judged("other module") != alone
    server.end()


PROBE = """package wheelproof.tlc;

public final class Probe {
    public static void main(String[] jar) throws Exception {
        java.net.URL[] path = {java.nio.file.Path.of(jar[0]).toUri().toURL()};
        ClassLoader[] loaders = {new java.net.URLClassLoader(path, null), new Loader(path)};
        var entries = java.util.Collections.list(new java.util.jar.JarFile(jar[0]).entries());
        for (ClassLoader loader : loaders) {
            int count = 0;
            for (var entry : entries) {
                String name = entry.getName().replace('/', '.');
                if (!name.matches("(tlc2|tla2sany|pcal|util)[.].*[.]class")) {
                    continue;
                }
                try {
                    Class<?> type = loader.loadClass(name.replaceFirst("[.]class$", ""));
                    for (var method : type.getDeclaredMethods()) {
                        count += method.getName().equals("finalize") ? 1 : 0;
                    }
                } catch (LinkageError ofAnotherLibrary) {
                    continue;
                }
            }
            System.out.println(count);
        }
    }
}
"""
"""Prints how many classes of a jar have finalizers: as they are, and as the server loads them."""


def test_no_object_of_a_run_is_finalized_amid_a_later_run(compiled, tools, tmp_path):
    """A set of fingerprints would close its files again, whose buffers the later run has."""
    probe = tmp_path / "wheelproof" / "tlc" / "Probe.java"
    probe.parent.mkdir(parents=True)
    probe.write_text(PROBE)
    java = Path(os.path.realpath(tools["java"].executable))
    path = f"{server.classes(compiled)}{os.pathsep}{tmp_path}"
    subprocess.run(
        [java.with_name("javac"), "-proc:none", "-cp", path, "-d", tmp_path, probe], check=True
    )
    ended = subprocess.run(
        [java, "-cp", path, "wheelproof.tlc.Probe", tools["jar"].path],
        check=True,
        capture_output=True,
        text=True,
    )
    as_they_are, loaded = map(int, ended.stdout.split())
    assert as_they_are > 0, "this TLC has no finalizer: the loader need not take any away"
    assert loaded == 0


def test_an_error_ends_the_jvm_and_the_next_run_has_another(compiled, judged):
    assert judged("holds")[0].outcome is Outcome.COMPLETED
    first = alive()
    assert judged("misspelt")[0].outcome is Outcome.ERROR
    assert alive() is None and first.returncode is not None
    assert judged("holds")[0].outcome is Outcome.COMPLETED
    assert alive() is not None


def waits(condition):
    until = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < until
        time.sleep(0.05)


def test_a_jvm_that_is_killed_is_an_error_of_its_run_alone(compiled, judged, check, tmp_path):
    assert judged("holds")[0].outcome is Outcome.COMPLETED

    def kill():
        log = tmp_path / "mc" / "MCStair.log"
        waits(lambda: log.is_file() and "Computing initial states" in log.read_text())
        os.killpg(alive().pid, signal.SIGKILL)

    (tmp_path / "mc" / "MCStair.log").unlink()
    killer = threading.Thread(target=kill, daemon=True)
    killer.start()
    result = check("Stair", constants=STAIR, specification="Endless", run={"shared": True})
    killer.join()
    assert result.outcome is Outcome.ERROR and "killed by SIGKILL" in result.explanation
    assert str(result.log) in result.explanation
    assert judged("holds")[0].outcome is Outcome.COMPLETED


@pytest.mark.nightly
def test_a_jvm_that_dies_between_two_runs_is_replaced(compiled, judged):
    assert judged("holds")[0].outcome is Outcome.COMPLETED
    first = alive()
    os.killpg(first.pid, signal.SIGKILL)
    first.wait()
    assert judged("holds")[0].outcome is Outcome.COMPLETED
    assert alive() is not first


@pytest.mark.nightly
def test_the_limit_ends_the_jvm_and_the_next_run_has_another(compiled, judged, check):
    assert judged("holds")[0].outcome is Outcome.COMPLETED
    result = check(
        "Stair", constants=STAIR, specification="Endless", run={"shared": True, "timeout": 1}
    )
    assert result.outcome is Outcome.INCONCLUSIVE and "its limit of 1 s" in result.explanation
    assert alive() is None
    assert judged("holds")[0].outcome is Outcome.COMPLETED


def test_nothing_is_left_of_a_server(compiled, judged):
    judged("holds")
    process, scratch = alive(), Path(server._servers[0][0].scratch)
    assert scratch.is_dir()
    server.end()
    assert process.returncode == 0 and not scratch.exists()


def test_a_jvm_ends_with_the_process_that_uses_it(compiled, judged):
    judged("holds")
    process = alive()
    process.stdin.close()  # as the end of this process does
    assert process.wait(PATIENCE) == 0


def test_a_busy_server_leaves_a_run_its_own_jvm(compiled, judged):
    judged("holds")
    with server._busy:
        assert judged("holds")[0].outcome is Outcome.COMPLETED


def test_without_a_compiler_each_run_has_its_own_jvm(tools, judged, tmp_path, monkeypatch):
    monkeypatch.setenv("WHEELPROOF_CACHE", str(tmp_path / "cache"))
    server.end()
    bare = tmp_path / "java"
    bare.write_text(f'#!/bin/sh\nexec "{tools["java"].executable}" "$@"\n')
    bare.chmod(0o755)
    java = replace(tools["java"], executable=bare)
    assert not server.make(java)
    assert judged("holds", java=java)[0].outcome is Outcome.COMPLETED
    assert alive() is None


@pytest.mark.parametrize("failure", [OSError, subprocess.TimeoutExpired("javac", 1)])
def test_a_compiler_that_fails_is_as_none(tools, tmp_path, monkeypatch, failure):
    def fails(*_arguments, **_options):
        raise failure

    monkeypatch.setenv("WHEELPROOF_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(server.subprocess, "run", fails)
    assert not server.make(tools["java"])
    assert not (tmp_path / "cache").exists()


@pytest.fixture
def apart(compiled, tmp_path, monkeypatch):
    """The one entry of a cache that has the server's classes alone."""
    sound = server.classes(compiled).read_bytes()
    monkeypatch.setenv("WHEELPROOF_CACHE", str(tmp_path / "cache"))
    server.end()
    server._entries().keep_file(server._entry(compiled), sound)
    yield next(iter(entries(tmp_path / "cache")))
    server.end()


@pytest.mark.parametrize("damage", DAMAGES)
def test_no_server_runs_damaged_classes(compiled, apart, tools, damage):
    DAMAGES[damage](apart)
    assert server.turn(tools["java"], tools["jar"], 64, (), ()) is None and alive() is None


@pytest.mark.nightly
def test_damaged_classes_are_compiled_again(compiled, apart, judged):
    sound = apart.read_bytes()
    DAMAGES["cut"](apart)
    assert judged("holds")[0].outcome is Outcome.COMPLETED and alive() is None
    assert server.make(compiled) and server.classes(compiled).read_bytes() == sound
    assert judged("holds")[0].outcome is Outcome.COMPLETED and alive() is not None
