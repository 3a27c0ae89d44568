"""The options of an exploration."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from wheelproof.errors import UsageError

EXPLORING: list[str] = []
"""The names of the programs that are explored now."""


GUARD = 'Put it into a function, or below `if __name__ == "__main__":`.'
"""The remedy for code that must not run while its module is loaded."""


class Loaded(BaseException):
    """Ends the second loading of a script where the first one has come to its exploration."""


@dataclass(frozen=True)
class Settings:
    """The options of an exploration."""

    into: tuple[str, ...] = ()
    bound: int | None = None
    executions: int = 100_000
    seed: int = 0


def settings(into: str | Sequence[str], bound: int | None, executions: int, seed: int) -> Settings:
    """Options as the user gives them. Raises UsageError."""
    names = (into,) if isinstance(into, str) else tuple(into)
    for name in names:
        if not isinstance(name, str) or not all(part.isidentifier() for part in name.split(".")):
            raise UsageError(f"into={name!r} is no name of a module.", "Give it as 'package.part'.")
    for option, value, least in (("bound", bound, 0), ("executions", executions, 1)):
        if value is not None and (type(value) is not int or value < least):
            raise UsageError(f"{option}={value!r} is no whole number from {least} on.")
    if type(seed) is not int:
        raise UsageError(f"seed={seed!r} is no whole number.")
    return Settings(names, bound, executions, seed)
