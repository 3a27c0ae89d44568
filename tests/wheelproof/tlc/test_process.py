"""Runs of TLC, and of stand-ins for Java that misbehave: no process is left behind."""

import gc
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

from tests.nights import only
from wheelproof.errors import ToolError, UsageError
from wheelproof.java import Java
from wheelproof.tlc import process
from wheelproof.tlc.dot import TlcGraph
from wheelproof.tlc.jar import Jar
from wheelproof.tlc.result import Outcome

PATIENCE = 120
"""Seconds for what has to happen: they cost nothing where it does."""

STAIR = {"Top": 3, "Trip": 99}


def test_completed_run_with_counts_log_dump_and_progress(check, tmp_path):
    seen, dump, began = [], tmp_path / "graph.dot", time.monotonic()
    result = check(
        "Stair",
        constants=STAIR,
        specification="Loop",
        invariants=("InRange",),
        run={"on_progress": seen.append, "dump": dump, "coverage": True},
    )
    assert result.outcome is Outcome.COMPLETED, result.explanation
    assert (result.generated, result.distinct, result.depth) == (5, 4, 4)
    assert (
        result.version == "TLC2 Version 2.18 of 20 March 2023"
        and 0 < result.seconds <= time.monotonic() - began
    )
    assert seen[-1].distinct == 4 and seen[-1].queue == 0
    assert "STARTMSG 2193" in result.log.read_text() and dump.is_file()
    left = {file.name for file in result.log.parent.iterdir()}
    assert left == {"MCStair.tla", "MCStair.cfg", "MCStair.log", "Stair.tla"}


def test_deadlock_check_can_be_turned_off(check, shared):
    climb = {"constants": STAIR, "specification": "Climb"}
    assert check("Stair", **climb, run=shared).property == "NoDeadlock"
    unchecked = check("Stair", **climb, run={"deadlock_check": False} | shared)
    assert unchecked.outcome is Outcome.COMPLETED


def test_a_run_goes_on_after_the_first_state_that_breaks_the_invariant(check, shared, tmp_path):
    dump = tmp_path / "graph.dot"
    options = {
        "constants": STAIR,
        "specification": "Loop",
        "invariants": ("Low",),
        "definitions": {"Low": "step < 2"},
    }
    stopped = check("Stair", **options, run=shared)
    found = check("Stair", **options, first_only=True, run={"go_on": True, "dump": dump} | shared)
    assert (
        found.outcome is stopped.outcome is Outcome.VIOLATED
        and found.property == stopped.property == "Low"
    )
    assert found.trace == stopped.trace and len(found.trace) == 3
    assert (
        found.whole
        and not stopped.whole
        and (found.generated, found.distinct, found.depth) == (5, 4, 4)
    )
    assert len(TlcGraph.read(dump).states) == 4
    every = check("Stair", **options, run={"go_on": True} | shared)
    assert every.outcome is Outcome.ERROR and "2 violations" in every.explanation


@pytest.mark.parametrize("top", only([1, 3], 3))
def test_a_run_goes_on_after_an_initial_state_that_breaks_the_invariant(check, shared, top):
    found = check(
        "Stair",
        constants=STAIR | {"Top": top},
        specification="Loop",
        invariants=("OffFloor",),
        first_only=True,
        run={"go_on": True} | shared,
    )
    assert (
        found.property == "OffFloor"
        and len(found.trace) == 1
        and found.whole
        and found.distinct == top + 1
    )


def test_misspelt_invariant_is_an_error_and_not_a_violation(check):
    result = check("Stair", constants=STAIR, specification="Loop", invariants=("InRagne",))
    assert result.outcome is Outcome.ERROR and "InRagne" in result.explanation


@pytest.fixture
def limit_after(monkeypatch):
    """Begin the time of a run's limit when a function returns: JVMs start at different speeds."""

    def limit(ready):
        class Timer(threading.Timer):
            def run(self):
                ready()
                super().run()

        monkeypatch.setattr(
            process, "threading", SimpleNamespace(**vars(threading) | {"Timer": Timer})
        )

    return limit


def test_time_limit_ends_the_jvm(check, tmp_path, limit_after):
    during = []

    def computes():
        wait_for(tmp_path / "mc" / "MCStair.log", "Computing initial states")
        during.extend(jvms(tmp_path))

    limit_after(computes)
    result = check("Stair", constants=STAIR, specification="Endless", run={"timeout": 0.5})
    assert result.outcome is Outcome.INCONCLUSIVE and "its limit of 0.5 s" in result.explanation
    assert len(during) == 1 and jvms(tmp_path) == []


def test_jvm_that_is_killed_half_way_is_an_error(check, tmp_path):
    def kill():
        wait_for(tmp_path / "mc" / "MCStair.log", "Computing initial states")
        for number in jvms(tmp_path):
            os.kill(number, signal.SIGKILL)

    killer = threading.Thread(target=kill, daemon=True)
    killer.start()
    result = check("Stair", constants=STAIR, specification="Endless")
    killer.join()
    assert result.outcome is Outcome.ERROR and "killed by SIGKILL" in result.explanation


@pytest.fixture
def stand_in(tmp_path):
    """Run a shell script as Java on an empty module; `$CHILD` is a file for a child's number."""
    (tmp_path / "M.tla").write_text("")
    (tmp_path / "M.cfg").write_text("")

    def run(script, **more):
        java = tmp_path / "java"
        java.write_text(f"#!/bin/sh\nCHILD={tmp_path}/child\n{textwrap.dedent(script)}")
        java.chmod(0o755)
        tools = {"java": Java(java, 17, "test"), "jar": Jar(Path("no.jar"), "test", False, "")}
        return process.run(tmp_path / "M.tla", **{"timeout": PATIENCE, **tools, **more})

    return run


PROGRESS = (
    "echo '@!@!@STARTMSG 2200:0 @!@!@'; "
    "echo 'Progress(3) at 10:00: 1,234 states generated, 1,000 distinct states found, 7 states "
    "left on queue.'; "
    "echo '@!@!@ENDMSG 2200 @!@!@'"
)
HANGS = f"(sleep 300; touch $CHILD.ran_out) & echo $! > $CHILD; {PROGRESS}; wait"


def test_time_limit_ends_the_children_of_the_launcher_too(stand_in, tmp_path, limit_after):
    reported = threading.Event()
    limit_after(lambda: reported.wait(PATIENCE))
    result = stand_in(HANGS, timeout=0.1, on_progress=lambda progress: reported.set())
    assert result.outcome is Outcome.INCONCLUSIVE
    assert "after 1000 distinct states at depth 3" in result.explanation
    assert gone(tmp_path / "child")


def test_exception_in_the_caller_ends_the_child(stand_in, tmp_path):
    with pytest.raises(ZeroDivisionError):
        stand_in(HANGS, on_progress=lambda progress: 1 / 0)
    assert gone(tmp_path / "child")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_signal_ends_the_child_first_and_then_has_its_usual_effect(number, stand_in, tmp_path):
    former = signal.signal(number, lambda *_: arrived.append(gone(tmp_path / "child")))
    arrived = []
    try:
        stand_in(HANGS, on_progress=lambda progress: os.kill(os.getpid(), number))
    finally:
        signal.signal(number, former)
    assert arrived == [True]


@pytest.fixture
def uncollected():
    """Collect no garbage: an interrupt within Hypothesis's callback of the collector is lost."""
    gc.disable()
    yield
    gc.enable()


def test_keyboard_interrupt_reaches_the_caller(stand_in, tmp_path, uncollected):
    with pytest.raises(KeyboardInterrupt):
        stand_in(HANGS, on_progress=lambda progress: os.kill(os.getpid(), signal.SIGINT))
    assert gone(tmp_path / "child")
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_terminated_program_leaves_neither_jvm_nor_scratch_folder(tmp_path):
    (tmp_path / "java").write_text(f"#!/bin/sh\nCHILD={tmp_path}/child\n{HANGS}")
    (tmp_path / "java").chmod(0o755)
    for name in ("M.tla", "M.cfg"):
        (tmp_path / name).write_text("")
    (tmp_path / "scratch").mkdir()
    program = textwrap.dedent(f"""
        from pathlib import Path
        from wheelproof.tlc.process import Jar, Java, run
        run(
            Path("{tmp_path}/M.tla"),
            timeout={PATIENCE},
            java=Java(Path("{tmp_path}/java"), 17, ""),
            jar=Jar(Path(), "", False, ""),
        )
    """)
    environment = {
        **os.environ,
        "TMPDIR": str(tmp_path / "scratch"),
        "PYTHONPATH": os.pathsep.join(sys.path),
    }
    with subprocess.Popen([sys.executable, "-c", program], env=environment) as running:
        wait_for(tmp_path / "child")
        running.terminate()
        assert running.wait(PATIENCE) == -signal.SIGTERM
    assert gone(tmp_path / "child")
    assert list((tmp_path / "scratch").iterdir()) == []


def test_run_from_another_thread_works_without_signals(stand_in):
    results = []
    thread = threading.Thread(target=lambda: results.append(stand_in("exit 3")))
    thread.start()
    thread.join()
    assert results[0].outcome is Outcome.ERROR and "exit code 3" in results[0].explanation


def test_output_that_breaks_off_is_an_error(stand_in):
    result = stand_in(
        "echo '@!@!@STARTMSG 2193:0 @!@!@'; echo 'Model checking completed. No error has been "
        "found.'"
    )
    assert (
        result.outcome is Outcome.ERROR and "breaks off within message 2193" in result.explanation
    )


def test_liveness_is_checked_on_the_whole_graph_alone(stand_in, tmp_path):
    """Else the trace of a violation depends on the machine's speed."""
    stand_in('echo "$*" > $CHILD.arguments')
    assert " -lncheck final " in (tmp_path / "child.arguments").read_text()


def test_claim_of_success_without_the_counts_is_an_error(stand_in):
    frames = "".join(
        f"echo '@!@!@STARTMSG {code}:0 @!@!@'; echo '@!@!@ENDMSG {code} @!@!@'\n"
        for code in (2193, 2186)
    )
    assert stand_in(frames).explanation.startswith("TLC found no error but printed no final counts")


def test_a_missing_file_is_named(stand_in, tmp_path):
    with pytest.raises(UsageError, match=r"There is no file .*absent.tla"):
        process.run(tmp_path / "absent.tla", timeout=1)
    with pytest.raises(UsageError, match=r"has to end in \.dot"):
        stand_in("", dump=tmp_path / "graph.txt")
    with pytest.raises(ToolError, match="nowhere/java cannot be started"):
        stand_in("", java=Java(Path("nowhere/java"), 17, "test"))


def jvms(folder):
    """The numbers of the processes that run TLC on a config in this folder."""
    listed = subprocess.run(
        ["ps", "-ww", "-eo", "pid,args"], capture_output=True, text=True, check=True
    ).stdout
    return [
        int(line.split()[0])
        for line in listed.splitlines()
        if "tlc2.TLC" in line and f"{folder}/" in line
    ]


def wait_for(file, text="\n"):
    """Returns as soon as the file has the text in it."""
    deadline = time.monotonic() + PATIENCE
    while not (file.is_file() and text in file.read_text()):
        assert time.monotonic() < deadline, f"{file} has no {text!r} in it"
        time.sleep(0.02)


def gone(file):
    """Whether the process of this file's number has ended early; an orphan may await its reaper."""
    number, deadline = int(file.read_text()), time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        try:
            os.kill(number, 0)
        except ProcessLookupError:
            return not file.with_name(f"{file.name}.ran_out").exists()
        state = subprocess.run(
            ["ps", "-o", "stat=", "-p", str(number)], capture_output=True, text=True
        ).stdout
        if state.startswith("Z"):
            return not file.with_name(f"{file.name}.ran_out").exists()
        time.sleep(0.02)
    os.kill(number, signal.SIGKILL)
    return False


def test_that_look_sees_a_process_that_is_there_and_one_that_ran_out(tmp_path, monkeypatch):
    monkeypatch.setitem(globals(), "PATIENCE", 0.1)
    with subprocess.Popen(["sleep", "300"]) as lasting:
        (tmp_path / "child").write_text(str(lasting.pid))
        assert not gone(tmp_path / "child")
    (tmp_path / "child.ran_out").touch()
    monkeypatch.undo()
    assert not gone(tmp_path / "child")
