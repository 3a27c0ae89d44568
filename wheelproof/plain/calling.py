"""The work of :func:`wheelproof.explore`: an exploration of a function, or a block of a test."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable
from contextlib import AbstractContextManager
from types import FrameType
from typing import TYPE_CHECKING, Any

from wheelproof.errors import UsageError
from wheelproof.plain.settings import EXPLORING, GUARD, Loaded, Settings

if TYPE_CHECKING:
    from wheelproof.plain.answers import Exploration


class ExplorationFailed(AssertionError):
    """An exploration whose answer is no pass. Its text is the answer, with a failure's columns."""

    def __init__(self, exploration: Exploration) -> None:
        super().__init__(exploration)
        self.exploration = exploration

    def __str__(self) -> str:
        from wheelproof.plain import columns

        return columns.text(self.exploration)


class Begun(BaseException):
    """Ends the first, real call of a test that reaches its ``with`` block."""


class Reset(BaseException):
    """Ends a run whose ``with`` block names settings that are not those of the exploration."""


class Call:
    """A call of a test under pytest, while it runs.

    ``settings`` are those of its exploration, or None for a real call. ``named`` tells where they
    come from: ``block``, ``marker`` or ``command``; empty for none of them. ``wanted`` are those
    that a ``with`` block names. ``error`` is the error that a block has to raise.
    """

    def __init__(self, settings: Settings | None = None, origin: str = "") -> None:
        self.settings, self.named = settings, origin
        self.wanted: Settings | None = None
        self.error: UsageError | None = None

    def enter(self, block: Settings) -> None:
        """A ``with`` block begins. Raises Begun or Reset where the call is to end here."""
        if self.settings is None:
            self.wanted = block
            raise Begun
        if self.named == "command" or block in (Settings(), self.settings):
            return
        if self.named:
            self.error = UsageError(
                f"A {self.named} of the test says {self.settings}, a block {block}.",
                "Name the settings once.",
            )
        self.wanted = block
        raise Reset


CURRENT: list[Call] = []
"""The calls of tests, the innermost last."""


class Block(AbstractContextManager["Block"]):
    """``with wheelproof.explore():`` in a test.

    The first call of the test ends here. Then the plugin calls the test for each execution, and
    the block has no effect.
    """

    def __init__(self, settings: Settings) -> None:
        self.settings = settings

    def __enter__(self) -> Block:
        if not CURRENT:
            raise UsageError(
                "`with wheelproof.explore():` works in a pytest test, as only pytest can call the "
                "whole test again.",
                "Elsewhere call wheelproof.explore(program) with a function.",
            )
        CURRENT[-1].enter(self.settings)
        return self

    def __exit__(self, *exception: object) -> None:
        pass

    def __call__(self, *arguments: Any) -> Any:
        raise UsageError(
            "wheelproof.explore(...) without a program is no decorator.",
            "Use it as `with wheelproof.explore():` in a test, or mark the test with "
            "@pytest.mark.explore.",
        )


def passes(exploration: Exploration) -> bool:
    """Whether an answer is a pass: a bounded one is where the user named the bound."""
    from wheelproof.plain.answers import Answer

    return exploration.answer in (Answer.EXHAUSTED, Answer.BOUNDED)


def check_program(program: Callable[[], object]) -> None:
    """Raises UsageError if something cannot be explored."""
    name = getattr(program, "__qualname__", repr(program))
    if not callable(program):
        raise UsageError(f"{program!r} is no function.", "Give one without arguments.")
    refuse_asynchronous(program, name)
    try:
        inspect.signature(program).bind()
    except (TypeError, ValueError) as error:
        raise UsageError(
            f"{name} cannot be called without arguments: {error}.", "Give a function without any."
        ) from None


def refuse_asynchronous(function: Callable[..., object], name: str) -> None:
    if inspect.iscoroutinefunction(function) or inspect.isasyncgenfunction(function):
        raise UsageError(
            f"{name} is asynchronous: its tasks are no threads, and are not explored.",
            "Test what it calls with threads.",
        )


_LOADING: list[tuple[str, int]] = []
"""The calls of :func:`explored` whose programs are loaded now: files and lines."""


def _caller() -> FrameType:
    """The innermost frame outside the tool."""
    frame = sys._getframe(1)
    while frame.f_globals.get("__name__", "").startswith("wheelproof.") or (
        frame.f_globals.get("__name__") == "wheelproof"
    ):
        assert frame.f_back is not None
        frame = frame.f_back
    return frame


def _refuse_imported(program: Callable[[], object], caller: FrameType) -> None:
    """Raises UsageError if the module of a program explores it while it is imported."""
    frame: FrameType | None = caller
    while frame is not None:
        is_initializing = getattr(frame.f_globals.get("__spec__"), "_initializing", False)
        name = frame.f_globals.get("__name__")
        if is_initializing and frame.f_code.co_name == "<module>" and name == program.__module__:
            raise UsageError(
                f"{frame.f_code.co_filename}:{frame.f_lineno}: wheelproof.explore(...) is called "
                f"while {name} is imported.",
                GUARD,
            )
        frame = frame.f_back


def explored(program: Callable[[], object], settings: Settings) -> Exploration:
    """Explore a function. Raises ExplorationFailed if the answer is no pass, and UsageError."""
    __tracebackhide__ = True
    from wheelproof.plain import progress
    from wheelproof.plain.searching import Search

    check_program(program)
    caller = _caller()
    place = caller.f_code.co_filename, caller.f_lineno
    if EXPLORING:
        if place in _LOADING:  # the script has come to where it was
            raise Loaded
        raise UsageError(
            f"{place[0]}:{place[1]}: wheelproof.explore(...) is called while {EXPLORING[-1]} is "
            "explored: modules are loaded again for that.",
            GUARD,
        )
    _refuse_imported(program, caller)
    name = getattr(program, "__qualname__", repr(program))
    search = Search(name, settings, progress.on_stderr())
    with search.loading():
        _LOADING.append(place)
        try:
            search.program = search.second(program)
        finally:
            _LOADING.pop()
    exploration = search.explore()
    if not passes(exploration):
        raise ExplorationFailed(exploration)
    return exploration
