"""How a command ends: by signals, by an output without a reader, with threads that do not end.

SIGTERM and SIGHUP end a command as Ctrl-C does, by an exception: open files are closed, children
are ended, and the results so far are kept.
"""

from __future__ import annotations

import atexit
import errno
import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import FrameType

from wheelproof import guest

ENDED = (signal.SIGTERM, signal.SIGHUP)

PATIENCE = 3.0
"""Seconds for threads of the project to end after the command."""

ENVIRONMENT = frozenset(
    {
        *(errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EROFS, errno.ENOMEM),
        *(errno.EMFILE, errno.ENFILE, errno.EACCES, errno.EPERM, errno.ELOOP, errno.ENAMETOOLONG),
        *(errno.EISDIR, errno.ENOTDIR, errno.EAGAIN, errno.ENODEV, errno.ENXIO, errno.ENOENT),
    }
)
"""Errors of the system that are no defect of the tool."""


class Terminated(BaseException):
    """A signal other than the keyboard's ends the command, as where a CI job is cancelled."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number

    @property
    def code(self) -> int:
        """The exit code, as shells have it."""
        return 128 + self.number


@contextmanager
def by_exception() -> Iterator[None]:
    """SIGTERM and SIGHUP end the block by Terminated, SIGINT by KeyboardInterrupt.

    A second SIGTERM changes nothing. Outside of the main thread signals keep their effect.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def end(number: int, _frame: FrameType | None) -> None:
        for ending in ENDED:
            signal.signal(ending, signal.SIG_IGN)
        raise Terminated(number)

    handlers = {**dict.fromkeys(ENDED, end), signal.SIGINT: signal.default_int_handler}
    former = {
        number: signal.signal(number, handler)
        for number, handler in handlers.items()
        if signal.getsignal(number) not in (signal.SIG_IGN, None)
    }
    try:
        yield
    finally:
        for number, handler in former.items():
            signal.signal(number, handler)


def flush() -> OSError | None:
    """Write out the printed text; the error where that fails. Python would exit with 120."""
    failure = None
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError as error:
            failure = error
            with suppress(OSError, ValueError):
                os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
    return failure


def of_system(error: OSError) -> str:
    """The refusal of the system, in a sentence; "" where that may be a defect of the tool."""
    if error.errno not in ENVIRONMENT:
        return ""
    if error.filename is not None:
        name = os.fsdecode(error.filename) if isinstance(error.filename, bytes) else error.filename
        return f"{name} cannot be used ({error.strerror})."
    if error.errno in (errno.EMFILE, errno.ENFILE):
        return f"No more files can be opened ({error.strerror}). Raise the limit: ulimit -n."
    if error.errno == errno.ENOENT:
        return ""
    return f"The system refuses to go on ({error.strerror})."


def last(code: int) -> int:
    """The exit code, once all is written. Does not return where threads of the project go on:
    Python would wait for them."""
    if flush() is not None and code == 0:
        code = 4
    deadline = time.monotonic() + PATIENCE
    for thread in guest.lingering():
        thread.join(max(0.0, deadline - time.monotonic()))
    if rest := guest.lingering():
        with suppress(OSError):
            print(
                f"wheelproof: the thread {rest[0].name!r} of the project does not end: it is left.",
                file=sys.stderr,
            )
        atexit._run_exitfuncs()
        flush()
        os._exit(code)
    return code
