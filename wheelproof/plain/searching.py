"""A search as a user runs it: silent, with progress, Ctrl-C, and refusals by name."""

from __future__ import annotations

import asyncio
import contextlib
import io
import multiprocessing.process
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from typing import Any

from wheelproof.errors import UsageError
from wheelproof.plain.answers import Exploration, Schedule
from wheelproof.plain.counterparts import Counterparts
from wheelproof.plain.execution import Execution
from wheelproof.plain.exploration import Explorer
from wheelproof.plain.progress import Progress
from wheelproof.plain.replaying import Replayed, replay
from wheelproof.plain.settings import EXPLORING, Settings


class Interrupted(KeyboardInterrupt):
    """Ctrl-C or another signal, with the results until then.

    ``failure``: the text of a failure found so far.
    """

    def __init__(
        self,
        name: str,
        executions: int,
        places: tuple[str, ...],
        failure: str = "",
        number: int = signal.SIGINT,
    ) -> None:
        super().__init__(name, executions, places, failure, number)
        self.name, self.executions, self.places = name, executions, places
        self.failure, self.number = failure, number

    @property
    def code(self) -> int:
        """The exit code, as shells have it."""
        return 128 + self.number

    def __str__(self) -> str:
        by = signal.Signals(self.number)
        how = "interrupted" if by is signal.SIGINT else f"ended by {by.name}"
        lines = [
            f"{self.name}: {how} after {self.executions:,} executions, "
            f"{len(self.places)} racy places so far"
        ]
        lines += [f"  it has found a failure: {self.failure}"] * bool(self.failure)
        return "\n".join([*lines, *(f"  {place}" for place in self.places)])


class _Refused(BaseException):
    """Ends a thread at a call that cannot be explored."""


class _Silent(io.TextIOBase):
    """A standard output that keeps nothing: a program prints once for each execution."""

    encoding = "utf-8"

    def writable(self) -> bool:
        return True

    def write(self, text: str) -> int:
        return len(text)


_REFUSED = (
    ("subprocess", "Popen", "__init__", "a subprocess"),
    ("multiprocessing.process", "BaseProcess", "start", "a process"),
    ("os", "", "fork", "a process, by os.fork"),
    ("os", "", "system", "a subprocess, by os.system"),
    ("asyncio.base_events", "BaseEventLoop", "run_forever", "an event loop of asyncio"),
)
"""Calls that cannot be explored: module, class, function, name."""


class Search:
    """An exploration of ``program``, which is set to a function of the world without arguments.

    ``watch`` is called with each execution at its end. It may raise: that ends the search.
    """

    def __init__(self, name: str, settings: Settings, progress: Progress | None) -> None:
        self.name, self.settings = name, settings
        self.explorer = Explorer(
            None, settings.into, settings.bound, settings.executions, settings.seed
        )
        self.world = self.explorer.world
        self.second = Counterparts(self.world)
        self.program: Callable[[], object] | None = None
        self.watch: Callable[[Execution], None] | None = None
        self._progress = progress
        self._refusal: UsageError | None = None
        self._refuse_again()

    @contextlib.contextmanager
    def loading(self) -> Iterator[None]:
        """Modules of the world are loaded."""
        EXPLORING.append(self.name)
        try:
            with _quiet():
                yield
        finally:
            EXPLORING.pop()

    def explore(self) -> Exploration:
        """Raises UsageError, Interrupted, and the exceptions of ``watch``."""
        with self.running():
            try:
                return self.explorer.explore()
            except KeyboardInterrupt:
                executions = self.explorer.execution.executions
                failure = self.explorer.found.message if self.explorer.found else ""
                number = self.explorer.execution.interrupted or signal.SIGINT
                places = self.racy_places()
                raise Interrupted(self.name, executions, places, failure, number) from None

    def replay(self, schedule: Schedule) -> Replayed:
        """Run one schedule. Raises UsageError."""
        with self.running():
            result = replay(self.explorer, schedule)
        if self._refusal is not None:
            raise self._refusal
        return result

    @contextlib.contextmanager
    def running(self) -> Iterator[None]:
        """Programs run in this process: calls that cannot be explored are refused."""
        assert self.program is not None
        self.explorer.program = self.program
        self.explorer.observe = self._observe
        try:
            with self.loading(), self._refusals(), self._modules():
                yield
        finally:
            if self._progress is not None:
                self._progress.end()

    def racy_places(self) -> tuple[str, ...]:
        return tuple(str(site.place) for site in self.explorer.racy())

    def _observe(self, execution: Execution) -> None:
        try:
            if self._refusal is not None:
                raise self._refusal
            if self.watch is not None:
                self.watch(execution)
        except BaseException:
            execution.end_threads()
            raise
        if self._progress is not None and self._progress.due():
            self._progress.show(execution.executions, self.explorer.racy_count())

    # -- the process, while programs run in it

    @contextlib.contextmanager
    def _modules(self) -> Iterator[None]:
        """Readers of ``sys.modules``, such as patches by name, get the modules of the world."""
        real = {}
        for name, module in self.world.modules.items():
            root = name.partition(".")[0]
            if name in sys.modules and root not in sys.stdlib_module_names and root != "__main__":
                real[name] = sys.modules[name]
                sys.modules[name] = module
        try:
            yield
        finally:
            sys.modules.update(real)

    @contextlib.contextmanager
    def _refusals(self) -> Iterator[None]:
        with contextlib.ExitStack() as stack:
            for name, kind, attribute, thing in _REFUSED:
                module = sys.modules[name]
                holder = getattr(module, kind) if kind else module
                real = getattr(holder, attribute, None)
                if real is not None:
                    stack.callback(setattr, holder, attribute, real)
                    setattr(holder, attribute, self._refusing(real, thing))
            yield

    def _refuse_again(self) -> None:
        """Modules of the world refuse it from when they are loaded."""
        for name, kind, attribute, thing in _REFUSED:

            def change(module: Any, kind: str = kind, attribute: str = attribute,
                       thing: str = thing) -> None:  # fmt: skip
                holder = getattr(module, kind)
                setattr(holder, attribute, self._refusing(getattr(holder, attribute), thing))

            self.world.changes.setdefault(name, []).append(change)

    def _refusing(self, real: Callable[..., Any], thing: str) -> Callable[..., Any]:
        execution = self.explorer.execution

        def refuse(*arguments: Any, **keywords: Any) -> Any:
            if execution.running is None:
                return real(*arguments, **keywords)
            if self._refusal is None:
                frame = sys._getframe(1)
                while frame.f_back and frame.f_code.co_filename in _OWN_FILES:
                    frame = frame.f_back
                self._refusal = UsageError(
                    f"{self.name} starts {thing} ({frame.f_code.co_filename}:{frame.f_lineno}): "
                    "only threads are explored.",
                    "Replace it by a fake in this test.",
                )
            raise _Refused

        return refuse


_OWN_FILES = frozenset(
    {subprocess.__file__, multiprocessing.process.__file__, asyncio.runners.__file__}
    | {asyncio.base_events.__file__, __file__}
)


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    silent = _Silent()
    with contextlib.redirect_stdout(silent), contextlib.redirect_stderr(silent):
        yield
