"""``wheelproof verify --watch``: one run after another, each as soon as a file has changed.

Each run is the same command without ``--watch``, in a new process. So it reads every declaration
and source anew: nothing that a reader has kept, and no module that Python has imported, is left of
the run before. Runs share the cache in the output folder alone. This process only waits.

The files are looked at again and again, by path, time of change and size. That needs no library,
and works on every file system.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from types import FrameType

from wheelproof.commands import INTERRUPTED
from wheelproof.commands.options import complain
from wheelproof.errors import UsageError
from wheelproof.project.inputs import FOLDERS, below

EVERY = 0.5
"""Seconds between two looks. Files that are equal in two looks are at rest."""

NAMED = 3
"""How many changed files a line names."""

ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)
"""The signals that end a run, and the watching with it."""

Seen = Mapping[Path, tuple[int, int]]
"""Each file with its time of change in ns and its size in bytes."""


def check(root: Path, output: Path, fresh: bool, as_json: bool) -> None:
    """Raises UsageError for options that do not go with ``--watch``."""
    if fresh:
        raise UsageError(
            "--fresh runs every check, --watch only those that a change concerns.",
            "Give one of them.",
        )
    if as_json:
        raise UsageError(
            "--json prints one document, --watch verifies many times.",
            "Give one of them: results.json in the output folder is new after each run.",
        )
    for name in FOLDERS:
        if output.resolve().is_relative_to((root / name).resolve()):
            raise UsageError(
                f"--output {output} is in {root / name}, where --watch waits for changes.",
                "Name a folder outside.",
            )


def run(root: Path, quiet: bool) -> int:
    """Verify again and again; the exit code of the last run. ``quiet``: runs alone print."""
    run_once = Run([sys.executable, *again(sys.orig_argv[1:])], complain)
    say = (lambda sentence: None) if quiet else complain
    return Watching(root, run_once, say).run()


def again(words: Sequence[str]) -> list[str]:
    """The words of this command without ``--watch``."""
    return [word for word in words if word != "--watch"]


class Run:
    """A command in a new process, which is called any number of times.

    The process has a group of its own, and gets each signal from here: so a Ctrl-C comes to it
    once, whether a terminal sends it to all or another program to this process alone.
    """

    def __init__(self, command: Sequence[str], say: Callable[[str], None]) -> None:
        self.command, self.say = command, say
        self.child: subprocess.Popen[bytes] | None = None
        self.early: list[int] = []
        """Signals that came before there was a process to get them."""
        self.ended = False
        """Whether a signal came that ends the watching too."""

    def __call__(self) -> int:
        """The exit code of a run; where a signal killed it, the code that a shell shows."""
        self.child = None
        with self._passing_on():
            self.child = subprocess.Popen(self.command, stdin=subprocess.DEVNULL, process_group=0)
            for number in self.early:
                self._send(number)
            code = self.child.wait()
        if code >= 0:
            return code
        self.say(f"wheelproof: the run was ended by {signal.Signals(-code).name}")
        return 128 - code

    @contextmanager
    def _passing_on(self) -> Iterator[None]:
        former = {
            number: signal.signal(number, self._receive)
            for number in ENDING
            if signal.getsignal(number) is not signal.SIG_IGN
        }
        try:
            yield
        finally:
            for number, handler in former.items():
                signal.signal(number, handler)

    def _receive(self, number: int, _frame: FrameType | None) -> None:
        self.ended = True
        if self.child is None:
            self.early.append(number)
        else:
            self._send(number)

    def _send(self, number: int) -> None:
        if self.child and self.child.returncode is None:
            with suppress(ProcessLookupError):
                os.killpg(self.child.pid, number)


class Watching:
    """Runs of a verification, and the waiting between them."""

    def __init__(
        self,
        root: Path,
        run_once: Run,
        say: Callable[[str], None],
        pause: Callable[[float], None] = time.sleep,
    ) -> None:
        self.root, self.run_once, self.say, self.pause = root, run_once, say, pause

    def run(self) -> int:
        """Runs without an end but a signal's; the exit code of the last one.

        A change during a run starts another one: files are compared with those before it.
        """
        code, snapshot = INTERRUPTED, self.look()
        with suppress(KeyboardInterrupt):
            while True:
                code = self.run_once()
                if self.run_once.ended:
                    break
                count = len(self.look())
                self.say(
                    f"wheelproof: watching {count} file{'' if count == 1 else 's'}, Ctrl-C ends it"
                )
                now = self.wait_for_change(snapshot)
                self.say(f"wheelproof: changed: {names(self.root, snapshot, now)}")
                snapshot = now
        return code

    def wait_for_change(self, snapshot: Seen) -> Seen:
        """Wait until files differ from those that were seen, and are at rest."""
        before = self.look()
        while True:
            self.pause(EVERY)
            now = self.look()
            if now == before != snapshot:
                return now
            before = now

    def look(self) -> Seen:
        """The files as they are now."""
        stamps = {}
        for name in FOLDERS:
            for file in below(self.root / name):
                with suppress(OSError):  # deleted meanwhile
                    if not of_editor(file):
                        state = file.stat()
                        stamps[file] = state.st_mtime_ns, state.st_size
        return stamps


def of_editor(file: Path) -> bool:
    """Whether a file is hidden, or a copy that an editor keeps of another one while it is open."""
    return file.name.startswith((".", "#")) or file.name.endswith("~")


def names(root: Path, before: Seen, after: Seen) -> str:
    """The files that differ, in words: the first by their paths, and the number of the others."""
    files_there = sorted(
        file for file in before.keys() | after.keys() if before.get(file) != after.get(file)
    )
    names = [
        file.relative_to(root).as_posix()
        + (" (new)" if file not in before else " (gone)" if file not in after else "")
        for file in files_there[:NAMED]
    ]
    more = f" and {len(files_there) - NAMED} more" if len(files_there) > NAMED else ""
    return ", ".join(names) + more
