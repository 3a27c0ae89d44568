"""State that threads share and that is no object of Python: files, and settings of the process.

A function on it is one access of a location that stands for all of its kind. Nothing shows the rest
of its effect, so that a race there is *unseen*.
"""

from __future__ import annotations

import calendar
import codecs
import contextlib
import copyreg
import gc
import io
import locale
import os
import pathlib
import select
import shutil
import signal
import socket
import sys
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

FILE_SYSTEM = "the file system"
DESCRIPTORS = "the table of open files"
SETTINGS = "the state of the process"
SOCKETS = "a connection of sockets"

REMEDIES = {
    FILE_SYSTEM: "give each thread files of its own",
    DESCRIPTORS: "give each thread files of its own",
    SOCKETS: "give the threads fakes of them",
    SETTINGS: "set them before the threads start",
}
"""The remedy for a race on each of these."""

_PATHS = "exists getmtime getsize isdir isfile islink lexists"

_CHANGING: tuple[tuple[str, Any, str], ...] = (
    (
        FILE_SYSTEM,
        os,
        "link mkdir makedirs open remove rename replace rmdir symlink truncate unlink",
    ),
    (
        FILE_SYSTEM,
        pathlib.Path,
        "mkdir open rename replace rmdir symlink_to touch unlink write_bytes write_text",
    ),
    (FILE_SYSTEM, shutil, "copy copy2 copyfile copytree move rmtree"),
    (DESCRIPTORS, os, "dup2 ftruncate lseek pwrite read sendfile write writev"),
    (SETTINGS, os, "chdir fchdir nice putenv umask unsetenv"),
    (SETTINGS, gc, "disable enable freeze set_debug set_threshold unfreeze"),
    (SETTINGS, sys, "setrecursionlimit setswitchinterval"),
    (SETTINGS, signal, "set_wakeup_fd setitimer signal"),
    (SETTINGS, locale, "setlocale"),
    (SETTINGS, socket, "setdefaulttimeout"),
    (SETTINGS, codecs, "register register_error unregister"),
    (SETTINGS, copyreg, "constructor pickle"),
    (SETTINGS, calendar, "setfirstweekday"),
    (SETTINGS, warnings, "filterwarnings resetwarnings simplefilter"),
    (SOCKETS, select, "select"),
)

_LOOKING: tuple[tuple[str, Any, str], ...] = (
    (FILE_SYSTEM, os, "access listdir lstat scandir stat"),
    (FILE_SYSTEM, os.path, _PATHS),
    (
        FILE_SYSTEM,
        pathlib.Path,
        "exists glob is_dir is_file iterdir lstat read_bytes read_text rglob stat",
    ),
    (DESCRIPTORS, os, "close dup fstat isatty pread"),
    (SETTINGS, os, "getcwd getcwdb"),
    (SETTINGS, gc, "get_debug get_threshold isenabled"),
    (SETTINGS, sys, "getrecursionlimit getswitchinterval"),
    (SETTINGS, signal, "getitimer getsignal"),
    (SETTINGS, locale, "getlocale localeconv strcoll strxfrm"),
    (SETTINGS, socket, "getdefaulttimeout"),
    (SETTINGS, codecs, "lookup lookup_error"),
    (SETTINGS, calendar, "firstweekday"),
)

FUNCTIONS: dict[Any, tuple[str, bool]] = {
    getattr(holder, name): (thing, changes)
    for changes, functions in ((True, _CHANGING), (False, _LOOKING))
    for thing, holder, names in functions
    for name in names.split()
    if hasattr(holder, name)
} | {open: (FILE_SYSTEM, False)}
"""Functions on it: the location, and whether they change it; ``open`` does by its mode."""

_SOCKET: type = socket.socket.__mro__[1]
_POLLS = tuple(type(getattr(select, name)()) for name in ("epoll", "poll") if hasattr(select, name))

_STANDARD = 3
"""The first descriptor that is none of the standard streams, which no thread reads."""

_READING_FILES = frozenset(
    {
        "__enter__", "fileno", "isatty", "peek", "read", "read1", "readable", "readall", "readinto",
        "readinto1", "readline", "readlines", "seek", "seekable", "tell", "writable",
    }
)  # fmt: skip

_OF_ONE = frozenset(
    {
        "__enter__", "__init__", "detach", "fileno", "getblocking", "getpeername", "getsockname",
        "getsockopt", "gettimeout", "setblocking", "setsockopt", "settimeout",
    }
)  # fmt: skip
"""Methods of a socket that no other one shows."""

_ADDRESSED = frozenset({"_accept", "bind", "listen"})
"""Methods of a socket on which its clients depend."""


@dataclass(frozen=True)
class Outside:
    """An access of a location outside. ``thing``: its kind; ``key``: which one of it."""

    thing: str
    key: object
    writes: bool


ENVIRON: type = type(os.environ)
"""The type of the environment, of which each operation is one step."""

OF_ENVIRON: frozenset[Any] = frozenset({os.getenv, os.path.expandvars, os.path.expanduser})
"""Functions that read it."""


def changes(function: Any, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> bool:
    """Whether a call of one of these functions changes its location."""
    if function is open:
        mode = keywords.get("mode", arguments[1] if len(arguments) > 1 else "r")
        return bool(mode[:1] != "r" or "+" in mode)
    return FUNCTIONS[function][1]


def accessed(parts: Sequence[Any], method: str, arguments: Sequence[Any]) -> Iterator[Outside]:
    """The locations outside that a call of a method of an object in C accesses.

    ``parts``: the object, and those that it works on. The standard streams are not outside.
    """
    if any(parts[0] is stream for stream in (sys.stdin, sys.stdout, sys.stderr)):
        return
    for part in parts:
        if isinstance(part, _POLLS) and method == "poll":
            yield Outside(SOCKETS, SOCKETS, True)
        if isinstance(part, _SOCKET) and method not in _OF_ONE:
            yield from _of_socket(part, method, arguments)
        if isinstance(part, io.FileIO) and not part.closed and part.fileno() >= _STANDARD:
            yield Outside(FILE_SYSTEM, FILE_SYSTEM, method not in _READING_FILES)


def _of_socket(part: Any, method: str, arguments: Sequence[Any]) -> Iterator[Outside]:
    if method in ("connect", "connect_ex"):
        yield Outside(SOCKETS, (SOCKETS, str(tuple(arguments[:1]))), False)
        return
    if method in _ADDRESSED:
        address = tuple(arguments[:1]) if method == "bind" else (part.getsockname(),)
        yield Outside(SOCKETS, (SOCKETS, str(address)), True)
        return
    with contextlib.suppress(OSError):  # it is not connected
        ends = sorted(map(str, (part.getsockname(), part.getpeername())))
        yield Outside(SOCKETS, SOCKETS, False)  # a poll shows it
        yield Outside(SOCKETS, (SOCKETS, *ends), True)
