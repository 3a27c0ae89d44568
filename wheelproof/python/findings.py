"""Exceptions of loading and stepping an implementation, one per kind, each with its remedy."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from wheelproof.errors import UsageError

Faults = Iterator[tuple[int, str, str, str]]
"""Faults in the style of one file: (line, rule, message, remedy)."""


@dataclass(frozen=True, order=True)
class StyleFinding:
    """A place in a source file that breaks a rule of the controlled runtime."""

    file: str
    line: int
    rule: str
    message: str
    remedy: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.message}; {self.remedy} [{self.rule}]"


class ExploreError(UsageError):
    """The implementation cannot be loaded or set up: nothing has been checked."""


class LabelError(ExploreError):
    """A comment that begins like a label and is none, or a label without an operation."""


class StyleError(ExploreError):
    """The sources break rules without which a line number does not identify one step."""

    def __init__(self, findings: list[StyleFinding]) -> None:
        super().__init__("\n".join(map(str, findings)))
        self.findings = findings
        """The broken rules."""


class Unnamed(ExploreError):
    """A value without a name that is the same in every run: it could hide state."""


class StepError(Exception):
    """A step of a thread ended in something other than the thread's next step.

    ``thread`` is the thread's name, ``kind`` one of ``rule``, ``exception``, ``watchdog``.
    """

    kind = "rule"

    def __init__(self, thread: str, message: str) -> None:
        super().__init__(message)
        self.thread = thread
        self.message = message


class RuleBroken(StepError):
    """An operation of the implementation has no step: an access without a label, a wrong kind."""


class Stuck(StepError):
    """A thread ran for too long without reaching its next step: a loop without a step."""

    kind = "watchdog"


class Crashed(StepError):
    """An exception left a thread's operation: ``error``, raised at the line ``where``."""

    kind = "exception"

    def __init__(self, thread: str, error: BaseException, where: str) -> None:
        super().__init__(thread, f"{type(error).__name__}: {error} (raised at {where})")
        self.error = error
        self.where = where
