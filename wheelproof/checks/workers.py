"""The worker processes of a verification: they take jobs, and send notices through a queue.

The parent alone prints, and writes the files of the run.
"""

from __future__ import annotations

import gc
import multiprocessing
import os
import queue
import signal
import threading
import time
from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from wheelproof import guest, project
from wheelproof.checks.context import Context, Report
from wheelproof.checks.jobs import Job, carry_out
from wheelproof.errors import ToolError
from wheelproof.events import Listener, Notice, Tick, VerifyOptions
from wheelproof.explore.search import RARELY
from wheelproof.tlc import server

if TYPE_CHECKING:
    from multiprocessing.queues import Queue

TICK = 5.0
"""Seconds between two ticks for the listener."""

GRACE, PATIENCE = 6.0, 2.0
"""Seconds for workers to end by themselves; where a thread of the project keeps one from it."""

_notices: Queue[Notice | None] | None = None
_contexts: dict[str, Context] = {}


def _prepare(
    notices: Queue[Notice | None],
    root: Path,
    output: Path,
    profile: str,
    layers: frozenset[str] | None,
) -> None:
    """Runs once in every worker."""
    global _notices
    _notices = notices
    for name, mechanism in project.find(root).items():
        _contexts[name] = Context(mechanism, output, profile, layers, notices.put)
    # What is imported by now stays: no collection need go through it again.
    gc.freeze()
    gc.set_threshold(*RARELY)
    # Not before: the pool prints the traceback of an exception in here. There are no scratch files
    # yet that would have to be removed.
    signal.signal(signal.SIGTERM, _leave)
    guest.Watch().__enter__()  # as long as the process lives


def _leave(number: int, _frame: object) -> None:
    """End a worker by an exception, so that it removes its scratch files on the way out."""
    signal.signal(number, signal.SIG_IGN)
    raise SystemExit(128 + number)


def _work(job: Job) -> Report:
    try:
        return carry_out(_contexts[job.mechanism], job)
    except SystemExit as error:
        # The pool would take it for the job's result, and go on with the next job.
        server.end()
        os._exit(error.code if isinstance(error.code, int) else 1)


def perform(jobs: list[Job], options: VerifyOptions) -> Iterator[tuple[Job, Report]]:
    """Run jobs, the longest first, and give each with its report as it ends."""
    jobs = sorted(jobs, key=lambda job: -job.weight)
    if options.jobs <= 1 or len(jobs) <= 1:
        contexts = {
            name: Context(
                mechanism, options.output, options.profile, options.layers, options.listen
            )
            for name, mechanism in project.find(options.root).items()
        }
        for job in jobs:
            yield job, carry_out(contexts[job.mechanism], job)
        return
    context = multiprocessing.get_context("spawn")
    notices = context.Queue()
    listener = threading.Thread(target=_hear, args=(notices, options.listen), daemon=True)
    pool = ProcessPoolExecutor(
        min(options.jobs, len(jobs)),
        mp_context=context,
        initializer=_prepare,
        initargs=(notices, options.root, options.output, options.profile, options.layers),
    )
    listener.start()
    try:
        with _without_interrupts():
            waiting: dict[Future[Report], Job] = {pool.submit(_work, job): job for job in jobs}
        while waiting:
            for future in wait(waiting, return_when=FIRST_COMPLETED).done:
                job = waiting.pop(future)
                try:
                    yield job, future.result()
                except BrokenProcessPool as error:
                    raise ToolError(
                        f"A worker died while {job.mechanism} / {job.name} was checked.",
                        "Free memory, or run with --jobs 1.",
                    ) from error
    except BaseException as error:
        _end(pool, PATIENCE if isinstance(error, guest.LeftBehind) else GRACE)
        raise
    finally:
        pool.shutdown(wait=True, cancel_futures=True)
        notices.put(None)
        listener.join(TICK)


@contextmanager
def _without_interrupts() -> Iterator[None]:
    """Block SIGINT while processes are started, which inherit this.

    A Ctrl-C goes to all processes of the terminal, and only this one shall answer it.
    """
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})


def _end(pool: ProcessPoolExecutor, patience: float) -> None:
    """Send every worker the signal to end: each kills its TLC run first.

    One that does not end within ``patience`` seconds, as by a thread of the project, is killed.
    """
    processes = list((pool._processes or {}).values())
    for process in processes:
        if process.pid and process.is_alive():
            process.terminate()
    deadline = time.monotonic() + patience
    for process in processes:
        process.join(max(0.0, deadline - time.monotonic()))
        if process.is_alive():
            process.kill()


def _hear(notices: Queue[Notice | None], listen: Listener) -> None:
    """Pass the workers' notices on to the listener, and a tick where none comes."""
    while True:
        try:
            notice = notices.get(timeout=TICK)
        except queue.Empty:
            listen(Tick())
            continue
        if notice is None:
            return
        listen(notice)
