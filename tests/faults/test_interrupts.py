"""An interrupted run, or process of it: ended checks are kept as partial, nothing else is."""

import os
import signal
from contextlib import nullcontext
from types import SimpleNamespace

import pytest

from tests.faults.conftest import ROOT, there, until
from tests.nights import only
from wheelproof.checks import workers
from wheelproof.tlc import java, server

MOMENTS = {
    "as soon as it writes": lambda verify: (verify.output / "results.json").exists(),
    "while TLC runs": lambda verify: any("tlc2.TLC" in line for line in verify.processes()),
    "while TLC writes its graph": lambda verify: there(verify.output, "*.dot"),
}
HELD = """
    for argument; do case "$argument" in *.dot) graph="$argument";; esac; done
    [ "$graph" ] || exec "$JAVA" "$@"
    "$JAVA" "$@" & jvm=$!
    while kill -0 $jvm && [ ! -e "$graph" ]; do sleep 0.01; done
    kill -STOP $jvm
    sleep 1000
"""
"""A run of TLC that writes its graph never ends by itself, so a test can interrupt it."""
WORKER = "from multiprocessing.spawn import spawn_main"


SIGNALS = [
    (signal.SIGINT, 130, "interrupted"),
    (signal.SIGTERM, 128 + signal.SIGTERM, "ended by SIGTERM"),
]
RUNS = [
    (*each, moment, jobs)
    for moment, jobs in [*((moment, 2) for moment in MOMENTS), ("while TLC writes its graph", 1)]
    for each in SIGNALS
]
BY_DAY = (
    (*SIGNALS[0], "as soon as it writes", 2),
    (*SIGNALS[1], "while TLC writes its graph", 2),
)


@pytest.mark.daily(2)
@pytest.mark.parametrize(("number", "code", "sentence", "moment", "jobs"), only(RUNS, *BY_DAY))
def test_a_run_that_gets_a_signal_to_end(verify, number, code, sentence, moment, jobs):
    verify.java(HELD)
    running = verify.start("graph", "liveness", jobs=jobs, start_new_session=True)
    assert until(lambda: MOMENTS[moment](verify))
    # a terminal sends Ctrl-C to all of its processes, who cancels a job tells the first one only
    (os.killpg if number == signal.SIGINT else os.kill)(running.pid, number)
    ended = verify.end(running)
    ended.fails(code, sentence)
    assert not ended.results.complete and "PARTIAL RESULTS" in ended.out
    verify.leaves_nothing()


INTERRUPTED, ENDED = (signal.SIGINT, 130), (signal.SIGTERM, 128 + signal.SIGTERM)


@pytest.mark.parametrize(
    ("number", "code", "jobs"),
    only([(*INTERRUPTED, 1), (*INTERRUPTED, 2), (*ENDED, 1), (*ENDED, 2)], (*INTERRUPTED, 1)),
)
def test_a_signal_ends_the_jvm_that_runs_tlc_again_and_again(verify, number, code, jobs):
    if not server.make(java.locate()):
        pytest.skip("Java has no compiler")
    running = verify.start("tlc", jobs=jobs, start_new_session=True)
    assert until(lambda: any(server.MAIN in line for line in verify.processes()))
    (os.killpg if number == signal.SIGINT else os.kill)(running.pid, number)
    verify.end(running).fails(code, "")
    verify.leaves_nothing()


def test_a_worker_that_is_killed(verify, small):
    small.change(
        "model/timer_task_list.py",
        "from itertools import pairwise\n",
        "from itertools import pairwise\nimport multiprocessing, time\n"
        "if multiprocessing.parent_process():\n"
        "    time.sleep(1000)  # the workers come to no end by themselves\n",
    )
    running = verify.start("random", "bisimulation", "stress", jobs=2)
    assert until(lambda: sum(WORKER in line for line in verify.processes()) == 2)
    worker = next(line for line in verify.processes() if WORKER in line)
    os.kill(int(worker.split()[0]), signal.SIGKILL)
    ended = verify.end(running)
    ended.fails(4, "A worker died while timer_task_list / ", "or run with --jobs 1")
    assert not ended.results.complete
    verify.leaves_nothing()


def test_workers_end_without_being_killed(verify):
    verify("random", "bisimulation", "stress", jobs=2).is_green()
    verify.leaves_nothing()


def test_a_worker_that_starts_is_ended_without_an_exception(monkeypatch):
    """A pool prints the traceback of an exception in a worker's start, beside the one sentence."""
    order = []
    monkeypatch.setattr(
        workers.signal, "signal", lambda number, handler: order.append((number, handler))
    )
    monkeypatch.setattr(workers.project, "find", lambda root: order.append("loads") or {})
    monkeypatch.setattr(workers, "_notices", None)
    monkeypatch.setattr(workers.guest, "Watch", nullcontext)
    monkeypatch.setattr(
        workers, "gc", SimpleNamespace(freeze=lambda: None, set_threshold=lambda *of: None)
    )
    workers._prepare(SimpleNamespace(put=None), ROOT, ROOT, "fast", None)
    assert order == ["loads", (signal.SIGTERM, workers._leave)]
