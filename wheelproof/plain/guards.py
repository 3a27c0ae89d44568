"""Guards against an exploration that hangs: a watchdog, and a guard of real threads.

A thread of the interpreter looks now and then whether the exploration moves. If it does not, a
signal interrupts the main thread, and its handler ends the run with the place where it stands. A
real lock, a real wait or an endless loop without accesses ends so. Outside the main thread Python
handles no signals: there is no watchdog then.
"""

from __future__ import annotations

import signal
import sys
import threading
import time
from collections.abc import Callable
from types import FrameType
from typing import Any

from wheelproof.plain.abandoned import place
from wheelproof.plain.execution import Execution
from wheelproof.plain.operations import Ending
from wheelproof.plain.polling import frames_of

LOOKS = 0.5
"""Seconds between two looks."""

STANDING = 5.0
"""Seconds without any progress after which a run is ended: of waiting, or of CPU time."""

NONE: frozenset[str] = frozenset()

SAMPLES = 4
"""Looks at a thread that computes: if its variables are always the same, its loop is endless."""

_SIGNAL = getattr(signal, "SIGURG", None)


class Blocked(BaseException):
    """A thread under control waits for something real, or starts a real thread."""


class Guards:
    """Active within a ``with`` block."""

    def __init__(self, execution: Execution, standing: float = STANDING) -> None:
        self._execution, self._standing = execution, standing
        self._over = threading.Event()
        self._samples: list[Any] = []
        self._thread: threading.Thread | None = None
        self._begin: Callable[..., Any] | None = None
        self._stopped: dict[int, Any] = {}

    def __enter__(self) -> Guards:
        self._hook, sys.unraisablehook = sys.unraisablehook, self._unraisable
        for name in ("_start_new_thread", "_start_joinable_thread"):
            if hasattr(threading, name):
                self._starter = name
                self._begin = getattr(threading, name)
                self._guard_starts(name, getattr(threading, name))
        main = threading.main_thread()
        if _SIGNAL is not None and threading.current_thread() is main:
            self._handler = signal.signal(_SIGNAL, self._interrupt)
            for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
                if callable(signal.getsignal(number)):
                    self._stopped[number] = signal.signal(number, self._stop)
            self._thread = threading.Thread(target=self._watch, args=(main.ident,), daemon=True)
            self._thread.start()
        return self

    def __exit__(self, *exception: object) -> None:
        sys.unraisablehook = self._hook
        if self._begin is not None:
            setattr(threading, self._starter, self._begin)
        if self._thread is not None and _SIGNAL is not None:
            self._over.set()
            self._thread.join()
            signal.signal(_SIGNAL, self._handler)
            for number, handler in self._stopped.items():
                signal.signal(number, handler)

    def _stop(self, number: int, frame: FrameType | None) -> None:
        """A signal ends the search between two executions; a second one at once."""
        if self._execution.interrupted:
            raise KeyboardInterrupt
        self._execution.interrupted = number

    def _guard_starts(self, name: str, real: Callable[..., Any]) -> None:
        execution = self._execution

        def guarded(*arguments: Any, **keywords: Any) -> Any:
            if execution.running is not None and threading.current_thread() is not self._thread:
                where = place(sys._getframe(1))
                fault = Blocked(
                    f"{where}: a thread is started by code that is not looked into: name its "
                    "module with `into`"
                )
                execution.stop(Ending.STOPPED, fault)
            return real(*arguments, **keywords)

        setattr(threading, name, guarded)

    def _unraisable(self, unraisable: Any) -> None:
        """An exception in a finalizer while threads are ended is no one's fault."""
        if not self._execution.over:
            self._hook(unraisable)

    def _watch(self, main: int) -> None:
        clock = time.pthread_getcpuclockid(main)
        last_progress: Any = None
        wait_seconds, cpu_seconds = 0.0, 0.0
        last, last_spent = time.monotonic(), time.clock_gettime(clock)
        while not self._over.wait(LOOKS):
            now, now_spent = time.monotonic(), time.clock_gettime(clock)
            execution = self._execution
            progress = execution.executions, execution.accesses, execution.depth
            if progress != last_progress or execution.running is None:
                last_progress, wait_seconds, cpu_seconds = progress, 0.0, 0.0
                self._samples.clear()
            else:
                cpu_step = now_spent - last_spent
                cpu_seconds += cpu_step
                wait_seconds = (
                    wait_seconds + min(now - last, 2 * LOOKS) if cpu_step < LOOKS / 100 else 0.0
                )
            standing = LOOKS if execution.over else self._standing
            if wait_seconds >= standing or cpu_seconds >= standing:
                self._waits = wait_seconds >= standing
                if _SIGNAL is not None:
                    signal.pthread_kill(main, _SIGNAL)
            last, last_spent = now, now_spent

    def _interrupt(self, number: int, frame: FrameType | None) -> None:
        execution = self._execution
        thread = execution.running
        if thread is None or self._thread is None:
            return
        if execution.over:
            execution.abandoned.busy += 1
            execution.abandoned.keep(thread, execution.hub.greenlet)
        where = place(frame)
        if self._waits:
            fault = Blocked(
                f"{where}: {thread.name} waits for something that is not under control: a real "
                "lock, a real sleep, or input"
            )
            execution.stop(Ending.STOPPED, fault)
        self._samples.append([(code, *values) for code, _, *values in frames_of(frame, NONE)])
        if len(self._samples) >= SAMPLES:
            execution.looped = where
            same = all(sample == self._samples[0] for sample in self._samples)
            self._samples.clear()
            execution.stop(Ending.ENDLESS if same else Ending.CUT)
