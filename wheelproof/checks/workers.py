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
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from wheelproof import guest, project
from wheelproof.checks.context import Context, Report
from wheelproof.checks.job import Job, carry_out
from wheelproof.errors import ToolError
from wheelproof.events import Listener, Notice, Tick, VerifyOptions
from wheelproof.project.mechanism import Mechanism
from wheelproof.python.search.search import RARELY
from wheelproof.tlc import server

if TYPE_CHECKING:
    from multiprocessing.queues import Queue

TICK = 5.0
"""Seconds between two ticks for the listener."""

GRACE, PATIENCE = 6.0, 2.0
"""Seconds for workers to end by themselves; where a thread of the project keeps one from it."""

SHARE = 50
"""A job is long if it takes more than this part of a worker's time, by the weights."""

HELD = 16
"""Mechanisms whose contexts a process holds, loaded and compiled."""

_notices: Queue[Notice | None] | None = None
_contexts: Contexts


class Contexts:
    """The contexts of a process's jobs, by mechanism.

    A context holds loaded and compiled files. Those of the last mechanisms stay.
    """

    def __init__(self, mechanisms: Mapping[str, Mechanism], make: Callable[[Mechanism], Context]):
        self.mechanisms, self.made = mechanisms, make
        self.of = lru_cache(HELD)(self._new)

    def _new(self, name: str) -> Context:
        return self.made(replace(self.mechanisms[name]))


def order(jobs: Iterable[Job], workers: int) -> list[Job]:
    """The long jobs, the longest first, and then the others mechanism by mechanism.

    The jobs of one mechanism load the same files.
    """
    jobs = list(jobs)
    long = sum(job.weight for job in jobs) / (SHARE * max(1, workers))
    place = {name: at for at, name in enumerate(dict.fromkeys(job.mechanism for job in jobs))}

    def key(job: Job) -> tuple[bool, int, int]:
        if job.weight > long:
            return False, 0, -job.weight
        return True, place[job.mechanism], -job.weight

    return sorted(jobs, key=key)


def _prepare(
    notices: Queue[Notice | None],
    root: Path,
    output: Path,
    profile: str,
    layers: frozenset[str] | None,
) -> None:
    """Runs once in every worker."""
    global _notices, _contexts
    _notices = notices
    _contexts = Contexts(
        project.find(root),
        lambda mechanism: Context(mechanism, output, profile, layers, notices.put),
    )
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
        return carry_out(_contexts.of(job.mechanism), job)
    except SystemExit as error:
        # The pool would take it for the job's result, and go on with the next job.
        server.end()
        os._exit(error.code if isinstance(error.code, int) else 1)


def perform(jobs: list[Job], options: VerifyOptions) -> Iterator[tuple[Job, Report]]:
    """Run jobs, and give each with its report as it ends."""
    jobs = order(jobs, options.jobs)
    if options.jobs <= 1 or len(jobs) <= 1:
        contexts = Contexts(
            project.find(options.root),
            lambda mechanism: Context(
                mechanism, options.output, options.profile, options.layers, options.listen
            ),
        )
        for job in jobs:
            yield job, carry_out(contexts.of(job.mechanism), job)
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
        for future in as_completed(list(waiting)):
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
