"""One run of TLC as a child process that is bounded in time and memory and leaves nothing behind.

Every run has its own folder for the JVM's temporary files and for TLC's states, because TLC unpacks
its standard modules into the one and names the other by the second, so that two runs at a time
would collide. Counts, depth and trace are reproducible: one worker, a fixed fingerprint polynomial,
and liveness checked on the whole graph alone. By default TLC checks it on parts of the graph too,
at times of its own, and a slow machine then gets another trace.
"""

import os
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, TypedDict

from wheelproof import temporary
from wheelproof.errors import ToolError, UsageError
from wheelproof.java import QUICK_START, Java
from wheelproof.tlc import archive, server
from wheelproof.tlc import jar as jars
from wheelproof.tlc import java as javas
from wheelproof.tlc.jar import Jar
from wheelproof.tlc.messages import Code, Message, read_messages
from wheelproof.tlc.result import Account, Progress, TlcResult
from wheelproof.tlc.server import Turn

THROUGHPUT = ("-XX:+UseParallelGC",)
"""For state spaces above some ten thousand states."""

_ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class RunOptions(TypedDict, total=False):
    """Options of `run`."""

    timeout: float
    config: Path | None
    log: Path | None
    dump: Path | None
    deadlock_check: bool
    only_property: str | None
    large: bool
    heap_mb: int
    workers: int
    coverage: bool
    go_on: bool
    shared: bool
    on_progress: Callable[[Progress], None] | None


def run(
    module: Path,
    *,
    timeout: float,
    config: Path | None = None,
    log: Path | None = None,
    dump: Path | None = None,
    deadlock_check: bool = True,
    only_property: str | None = None,
    large: bool = False,
    heap_mb: int = 2048,
    workers: int = 1,
    coverage: bool = False,
    go_on: bool = False,
    shared: bool = False,
    on_progress: Callable[[Progress], None] | None = None,
    java: Java | None = None,
    jar: Jar | None = None,
) -> TlcResult:
    """Checks `module` under `config` in the module's folder and judges the run.

    timeout: seconds of wall time, after which the run is stopped and the result is inconclusive.
    config: the cfg file, by default the one beside the module.
    log: where TLC's output is kept, by default `<module>.log` beside the module; it replaces an
    older one.
    dump: where the state graph is written as a dot file with action labels (see `dot`); the name
    has to end in `.dot`.
    deadlock_check: False passes `-deadlock`, so that a state without successors ends no run.
    only_property: the one temporal or action property that the config holds; TLC does not report
    which was violated.
    large: chooses the JVM's settings for many states; heap_mb bounds its heap.
    workers: more than one makes depth and trace irreproducible.
    go_on: passes `-continue`, so that TLC explores the whole graph although it has found a
        violation. More than one is an error; see `mc.McConfig.first_only`.
    shared: in a JVM that has run TLC before, where there is one (see `server`).
    on_progress: called with TLC's figures, about once a minute and at the end.
    java, jar: as their modules locate them by default.

    SIGINT, SIGTERM and SIGHUP end TLC first and then have their usual effect. UsageError where a
    file is missing, ToolError where Java cannot be started.
    """
    module = module.absolute()
    config = (config or module.with_suffix(".cfg")).absolute()
    log = (log or module.with_suffix(".log")).absolute()
    _check_files(module, config, dump)
    java, jar = java or javas.locate(), jar or jars.locate()
    account, begin = Account(), time.monotonic()
    with (
        _Interrupts() as interrupts,
        temporary.folder("tlc") as scratch,
        log.open("wb", buffering=0) as copy,  # so that the log can be followed
    ):
        flags = [
            *([] if deadlock_check else ["-deadlock"]),
            *(["-coverage", "1"] if coverage else []),
            *(["-continue"] if go_on else []),
            *(["-dump", "dot,actionlabels", str(dump.absolute())] if dump else []),
        ]
        start = _Start(java, jar, module, config, scratch, large, heap_mb, workers, flags)
        with _running(start.turn if shared else start.child, timeout, interrupts) as running:
            _follow(_lines_with_copy(running.lines(), copy), account, on_progress)
        exit_code = running.status
        assert exit_code is not None
    return account.judge(
        exit_code,
        only_property=only_property,
        went_on=go_on,
        timed_out=timeout if running.timed_out else None,
        seconds=time.monotonic() - begin,
        log=log,
    )


def _check_files(module: Path, config: Path, dump: Path | None) -> None:
    """UsageError where a file is missing, or the dump has a name that TLC would change."""
    for file in (module, config):
        if not file.is_file():
            raise UsageError(f"There is no file {file} for TLC to check.")
    if dump is not None and dump.suffix != ".dot":
        raise UsageError(f"The dump {dump} has to end in .dot, because TLC appends that otherwise.")


def _follow(
    lines: Iterable[str], account: Account, on_progress: Callable[[Progress], None] | None
) -> None:
    """Read TLC's output to its end into an account, and pass its figures on."""
    for item in read_messages(lines):
        account.add(item)
        if (
            on_progress
            and isinstance(item, Message)
            and item.code == Code.PROGRESS
            and account.progress
        ):
            on_progress(account.progress)


def _lines_with_copy(output: Iterable[bytes], copy: IO[bytes]) -> Iterator[str]:
    for line in output:
        copy.write(line)
        yield line.decode("utf-8", "replace")


class _Child:
    """A child process at the head of its own session, so that all its children end with it."""

    def __init__(self, command: list[str], folder: Path) -> None:
        self.timed_out = False
        self.status: int | None = None
        try:
            self.process = subprocess.Popen(
                command,
                cwd=folder,
                start_new_session=True,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
            )
        except OSError as error:
            raise ToolError(f"{command[0]} cannot be started ({error.strerror}).") from error
        assert self.process.stdout is not None
        self.output: IO[bytes] = self.process.stdout

    def lines(self) -> Iterator[bytes]:
        return iter(self.output)

    def kill(self) -> None:
        """End the whole group, unless the child was waited for: its number may be another's."""
        if self.process.returncode is None:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self.process.pid, signal.SIGKILL)

    def expire(self) -> None:
        self.timed_out = True
        self.kill()

    def finish(self) -> int:
        """Wait for the end; the exit code, negative for the signal that killed the child."""
        self.status = self.process.wait()
        self.output.close()
        return self.status


@dataclass(frozen=True)
class _Start:
    """A run of TLC before it starts."""

    java: Java
    jar: Jar
    module: Path
    config: Path
    scratch: Path
    large: bool
    heap_mb: int
    workers: int
    flags: list[str]
    """The arguments that only some runs have."""

    @property
    def arguments(self) -> list[str]:
        """TLC's arguments but for the module."""
        return [
            "-tool",
            "-workers",
            str(self.workers),
            "-fp",
            "0",
            "-metadir",
            str(self.scratch / "states"),
            "-lncheck",
            "final",
            *self.flags,
            "-config",
            str(self.config),
        ]

    @property
    def options(self) -> tuple[str, ...]:
        """Java's options but for those of a child."""
        return (
            *(THROUGHPUT if self.large else QUICK_START),
            "-XX:-UsePerfData",
            "-Dfile.encoding=UTF-8",
        )

    def turn(self) -> _Child | Turn:
        """TLC in a JVM that has run it before, where there is one, else in a child."""
        if not self.large:
            arguments = [*self.arguments, str(self.module)]
            answer = server.turn(self.java, self.jar, self.heap_mb, self.options, arguments)
            if answer is not None:
                return answer
        return self.child()

    def child(self) -> _Child:
        """TLC in a JVM of its own."""
        return _Child(
            [
                str(self.java.executable),
                *self.options,
                f"-Xmx{self.heap_mb}m",
                *archive.options(self.java, self.jar),
                f"-Djava.io.tmpdir={self.scratch}",
                "-cp",
                str(self.jar.path),
                "tlc2.TLC",
                *self.arguments,
                self.module.name,
            ],
            self.module.parent,
        )


class _Interrupts:
    """While entered, signals that end a program end the child first, then have their effect.

    The handler raises nothing, since an exception could strike between the start of the child and
    its being known here. Only Python's main thread can handle signals; elsewhere this does nothing.
    """

    def __init__(self) -> None:
        self._child: _Child | Turn | None = None
        self._arrived: list[int] = []
        self._former: dict[int, Any] = {}

    def __enter__(self) -> "_Interrupts":
        if threading.current_thread() is threading.main_thread():
            for number in _ENDING:
                if signal.getsignal(number) not in (signal.SIG_IGN, None):
                    self._former[number] = signal.signal(number, self._handle)
        return self

    def _handle(self, number: int, _frame: object) -> None:
        self._arrived.append(number)
        if self._child is not None:
            self._child.kill()

    def watch(self, child: _Child | Turn) -> None:
        self._child = child
        if self._arrived:
            child.kill()

    def __exit__(self, *_exception: object) -> None:
        for number, handler in self._former.items():
            signal.signal(number, handler)
        if self._arrived:
            signal.raise_signal(self._arrived[0])


@contextmanager
def _running(
    start: Callable[[], _Child | Turn], timeout: float, interrupts: _Interrupts
) -> Iterator[_Child | Turn]:
    """A running child. It has ended after the block, by force if the block is left early."""
    child = start()
    interrupts.watch(child)
    watchdog = threading.Timer(timeout, child.expire)
    watchdog.daemon = True
    try:
        watchdog.start()
        yield child
    except BaseException:
        child.kill()
        raise
    finally:
        child.finish()
        watchdog.cancel()
