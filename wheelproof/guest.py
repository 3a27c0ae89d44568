"""The project's own Python, as the tool runs it: whose an exception is, and a budget for calls.

Code of a project runs in many places: at its import, in a harness, in ``shared``, in a model. The
frames that an exception came through show whether it is the project's, and a timer looks at the
stack for a call into the project that does not return.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import PurePath
from types import FrameType, TracebackType
from typing import TypeGuard

from wheelproof.errors import Misused, UsageError, WheelproofError, shortened

PACKAGES = frozenset({"impl", "harness", "model", "proofs", "traces"})
"""The packages of a project that have Python."""

RUNTIME = "wheelproof_runtime"
"""The package that a project's code imports."""

CPU, WALL = 10.0, 40.0
"""Seconds of CPU time, and of waiting, after which a call into the project must have returned."""

AGAIN = 1.0
"""The same for a call that did not return before."""

LOOKS = 0.25
"""Seconds between two looks at the stack."""

MOST = 2 * LOOKS
"""The most that one look adds: a stall of the whole process is one look however long it takes."""

STUBBORN = 20
"""How often a call may swallow the exception that ends it."""

PATIENCE = 2.0
"""Seconds for a thread of the project to end after the code that started it."""

_TRANSPARENT = frozenset(
    {
        *("wheelproof.isolated", "wheelproof.python.runtime.fields", __name__),
        *("wheelproof.prove.invariant.system", "wheelproof.prove.invariant.planted"),
    }
)
"""Modules of the tool that only pass on calls of the project, or have the words of its proofs."""


class ProjectFault(UsageError):
    """An exception that the project's code raised.

    ``where``: "file:line" in the project. ``importing``: it ended the import of a module.
    ``reason``: the message of the exception.
    """

    def __init__(self, error: BaseException, where: str, importing: bool) -> None:
        self.where, self.importing = where, importing
        kind = type(error).__name__
        if isinstance(error, SyntaxError | ImportError):
            self.reason = shortened(error.msg or kind)
        else:
            self.reason = shortened(f"{kind}: {error}" if str(error) else kind)
        super().__init__(
            f"{where}: {'cannot be imported: ' * importing}{self.reason}.",
            "Correct the line; plain Python raises the same.",
        )


class Overdue(BaseException):
    """A call into the project has not returned within its budget. No ``except Exception`` of the
    project catches it."""

    def __init__(self, where: str, seconds: float) -> None:
        super().__init__(
            f"{where}: the project's code has not returned within its budget of {seconds:.0f} s. "
            "Let it come to an end: an import, a harness and shared() have nothing to wait for."
        )


class LeftBehind(UsageError):
    """A thread of the project goes on although its starter has returned."""


# -- whose code a frame is


def is_project(frame: FrameType) -> bool:
    """Whether a frame runs code of the project."""
    return str(frame.f_globals.get("__name__", "")).partition(".")[0] in PACKAGES


def is_tool(frame: FrameType) -> bool:
    """Whether a frame runs code of the tool that does more than pass on calls of the project."""
    name = str(frame.f_globals.get("__name__", ""))
    return name.partition(".")[0] == "wheelproof" and name not in _TRANSPARENT


def place(frame: FrameType, line: int) -> str:
    """``file:line`` below the project's folder."""
    parts = str(frame.f_globals.get("__name__", "")).split(".")
    file = PurePath(frame.f_code.co_filename)
    depth = len(parts) + (file.name == "__init__.py")
    return f"{'/'.join(file.parts[-depth:])}:{line}"


def _frames_of(error: BaseException) -> list[tuple[FrameType, int]]:
    """The frames that an exception came through with their lines, the innermost first."""
    pairs: list[tuple[FrameType, int]] = []
    trace: TracebackType | None = error.__traceback__
    while trace is not None:
        pairs.append((trace.tb_frame, trace.tb_lineno))
        trace = trace.tb_next
    return pairs[::-1]


def fault_of(error: BaseException) -> ProjectFault | None:
    """The fault of the project that an exception shows; None where it is the tool's.

    The innermost frame of the project or of the tool decides: frames of libraries are of their
    callers. Where the tool refuses a call, the innermost frame of the project decides. A text that
    does not compile has no frame, and a file. An object that lacks an attribute of its base in the
    runtime is the fault of its class, whose constructor has not come so far.
    """
    if isinstance(error, WheelproofError | KeyboardInterrupt | GeneratorExit):
        return None
    if isinstance(error, SyntaxError) and error.filename and not error.filename.startswith("<"):
        return ProjectFault(error, f"{_short(error.filename)}:{error.lineno or 1}", True)
    frames = _frames_of(error)
    if frames and (heir := _unfinished(error, frames[0][0])) is not None:
        return ProjectFault(error, _place_of(heir), False)
    for frame, line in frames:
        if is_project(frame):
            importing = any(
                is_project(frame) and frame.f_code.co_name == "<module>" for frame, _ in frames
            )
            return ProjectFault(error, place(frame, line), importing)
        if is_tool(frame) and not isinstance(error, Misused):
            return None
    return None


def _unfinished(error: BaseException, frame: FrameType) -> type | None:
    """The class of the project whose object lacks an attribute in a method of the runtime."""
    owner = frame.f_locals.get("self")
    is_own = isinstance(error, AttributeError) and error.obj is owner
    root = str(frame.f_globals.get("__name__", "")).partition(".")[0]
    package = type(owner).__module__.partition(".")[0]
    return type(owner) if is_own and root == RUNTIME and package in PACKAGES else None


def _place_of(cls: type) -> str:
    """``file:line`` of the first method of a class, below the project's folder."""
    codes = [code for value in vars(cls).values() if (code := getattr(value, "__code__", None))]
    first = min(codes, key=lambda code: code.co_firstlineno, default=None)
    if first is None:
        return f"{cls.__module__.replace('.', '/')}.py:1"
    return f"{_short(first.co_filename)}:{first.co_firstlineno}"


def _short(filename: str) -> str:
    """A source's name from the package of the project on."""
    parts = PurePath(filename).parts
    starts = [number for number, part in enumerate(parts) if part in PACKAGES]
    return "/".join(parts[starts[-1] :]) if starts else filename


# -- the working folder


@contextmanager
def in_place() -> Iterator[None]:
    """Undo a change of the working folder within the block. UsageError where there is one."""
    before = os.getcwd()
    try:
        yield
    finally:
        try:
            is_moved = os.getcwd() != before
        except OSError:  # the folder is gone
            is_moved = True
        if is_moved:
            os.chdir(before)
    if is_moved:
        raise UsageError(
            "The project's code changed the working folder, below which the tool's files are.",
            "Take os.chdir out of its modules and harnesses; use absolute paths.",
        )


# -- threads that it leaves


def lingering(earlier: frozenset[threading.Thread] = frozenset()) -> list[threading.Thread]:
    """The threads, but for those known before, for whose end Python would wait."""
    threads = [
        thread
        for thread in threading.enumerate()
        if thread.is_alive()
        and not thread.daemon
        and thread not in earlier
        and thread is not threading.main_thread()
        and thread is not threading.current_thread()
    ]
    return [thread for thread in threads if _runs_project(thread)]


def _runs_project(thread: threading.Thread) -> bool:
    frame = sys._current_frames().get(thread.ident or 0)
    while frame is not None:
        if is_project(frame):
            return True
        frame = frame.f_back
    target = getattr(getattr(thread, "_target", None), "__module__", "") or ""
    return target.partition(".")[0] in PACKAGES


@contextmanager
def without_threads() -> Iterator[None]:
    """Raises LeftBehind where the block leaves a thread of the project that is no daemon."""
    earlier = frozenset(threading.enumerate())
    yield
    deadline = time.monotonic() + PATIENCE
    for thread in lingering(earlier):
        thread.join(max(0.0, deadline - time.monotonic()))
        if thread.is_alive():
            raise LeftBehind(
                f"{_at(thread)}: the thread {thread.name!r} outlives the code that started it.",
                "End it there, or start it with daemon=True.",
            )


def _at(thread: threading.Thread) -> str:
    frame = sys._current_frames().get(thread.ident or 0)
    while frame is not None:
        if is_project(frame):
            return place(frame, frame.f_lineno)
        frame = frame.f_back
    return "the project"


# -- the budget of a call


class Watch:
    """Ends a call into the project that does not return: by Overdue, raised where it is.

    It needs the main thread of a system with ``setitimer``; elsewhere there is no budget. The time
    of proofs is no matter of this, but for their import: a solver may need long.
    """

    def __init__(self, cpu: float = CPU, wall: float = WALL) -> None:
        self.cpu, self.wall = cpu, wall
        self._call: FrameType | None = None
        self._spent, self._last = (0.0, 0.0), (0.0, 0.0)
        self._raised = 0
        self._overdue: set[str] = set()

    def __enter__(self) -> Watch:
        self._active = (
            hasattr(signal, "setitimer") and threading.current_thread() is threading.main_thread()
        )
        if self._active:
            self._handler = signal.signal(signal.SIGALRM, self._look)
            self._timer = signal.setitimer(signal.ITIMER_REAL, LOOKS, LOOKS)
        return self

    def __exit__(self, *exception: object) -> None:
        if self._active:
            signal.setitimer(signal.ITIMER_REAL, *self._timer)
            signal.signal(signal.SIGALRM, self._handler)
            self._call = None

    def _look(self, number: int, frame: FrameType | None) -> None:
        call, inner, busy = _call(frame)
        now, before = (time.process_time(), time.monotonic()), self._last
        self._last = now
        if call is None or inner is None or call is not self._call:
            self._call, self._spent, self._raised = call, (0.0, 0.0), 0
            return
        if not busy:
            return
        self._spent = (
            self._spent[0] + min(now[0] - before[0], MOST),
            self._spent[1] + min(now[1] - before[1], MOST),
        )
        name = place(call, call.f_code.co_firstlineno)
        cpu, wall = (AGAIN, AGAIN) if name in self._overdue else (self.cpu, self.wall)
        if self._spent[0] < cpu and self._spent[1] < wall:
            return
        self._overdue.add(name)
        self._raised += 1
        overdue = Overdue(place(inner, inner.f_lineno), max(self._spent))
        if self._raised > STUBBORN:
            os.write(2, f"wheelproof: {overdue}\n".encode(errors="backslashreplace"))
            os._exit(3)
        raise overdue


def is_watch(handler: object) -> TypeGuard[Callable[[int, FrameType | None], None]]:
    """Whether a handler of a signal is that of a Watch."""
    return isinstance(getattr(handler, "__self__", None), Watch)


def _call(frame: FrameType | None) -> tuple[FrameType | None, FrameType | None, bool]:
    """The outermost frame of the project in a stack, and the innermost; whether the project has it.

    The tool may have it, which the project called.
    """
    outer = inner = None
    busy = True
    while frame is not None:
        if is_project(frame):
            outer, inner = frame, inner or frame
        elif inner is None and is_tool(frame):
            busy = False
        frame = frame.f_back
    if outer is not None and _is_proof(outer) and outer.f_code.co_name != "<module>":
        return None, None, False
    return outer, inner, busy


def _is_proof(frame: FrameType) -> bool:
    return str(frame.f_globals.get("__name__", "")).partition(".")[0] == "proofs"
