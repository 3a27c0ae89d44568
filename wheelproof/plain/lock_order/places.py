"""Places of sources: where a lock is created, and the lines of a stack."""

from __future__ import annotations

import linecache
import os
import threading
from dataclasses import dataclass
from types import CodeType, FrameType

LIBRARY = os.path.dirname(os.__file__) + os.sep
PACKAGES = f"{os.sep}site-packages{os.sep}"
TOOL = os.path.dirname(__file__) + os.sep
RUNNER = ("_pytest", "pluggy", "xdist", "execnet", "pytest_timeout", "wheelproof", "coverage")
"""Packages that run tests. Their own locks are none of the program's."""


@dataclass(frozen=True)
class Place:
    """Where locks are created: a class of locks. ``within``: the function."""

    file: str
    line: int
    column: int
    within: str


@dataclass(frozen=True)
class Line:
    """A frame of a stack."""

    file: str
    line: int
    within: str

    @property
    def text(self) -> str:
        return linecache.getline(self.file, self.line).strip()


_PLACES: dict[tuple[CodeType, int], Place] = {}
_OTHERS: dict[str, bool] = {}


def is_users(file: str) -> bool:
    """Whether a file is neither of the standard library, nor of this package, nor generated."""
    answer = _OTHERS.get(file)
    if answer is None:
        inside = file.startswith(LIBRARY) and PACKAGES not in file
        answer = _OTHERS[file] = not (inside or file.startswith(("<", TOOL)))
    return answer


def of_creation(frame: FrameType | None) -> Place | None:
    """Where a lock is created: the innermost frame outside the standard library, if there is one.

    None for a lock that a thread or the runner of tests has for itself.
    """
    inner = frame
    while frame is not None:
        code = frame.f_code
        if code is threading.Thread.__init__.__code__:
            return None
        if is_users(code.co_filename):
            package = frame.f_globals.get("__name__", "").partition(".")[0]
            return None if package in RUNNER else _place(code, frame.f_lasti)
        frame = frame.f_back
    assert inner is not None
    return _place(inner.f_code, inner.f_lasti)


def _place(code: CodeType, instruction: int) -> Place:
    place = _PLACES.get((code, instruction))
    if place is None:
        line, column = _position(code, instruction)
        place = Place(os.path.abspath(code.co_filename), line, column, code.co_qualname)
        _PLACES[code, instruction] = place
    return place


def _position(code: CodeType, instruction: int) -> tuple[int, int]:
    """Line and column of an instruction."""
    for index, (line, _, column, _) in enumerate(code.co_positions()):
        if 2 * index == instruction:
            return line or code.co_firstlineno, (column or 0) + 1
    return code.co_firstlineno, 1


def lines(stack: tuple[tuple[CodeType, int], ...], limit: int = 4) -> tuple[Line, ...]:
    """The innermost frames outside the standard library; where there are none, the innermost.

    The frames of pytest, which calls a test, end a stack.
    """
    frames: list[tuple[CodeType, int]] = []
    for code, instruction in stack:
        if frames and f"{os.sep}_pytest{os.sep}" in code.co_filename:
            break
        if is_users(code.co_filename):
            frames.append((code, instruction))
    return tuple(
        Line(
            os.path.abspath(code.co_filename), _position(code, instruction)[0], code.co_qualname
        )
        for code, instruction in (frames or list(stack[:1]))[:limit]
    )  # fmt: skip
