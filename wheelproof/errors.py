"""The tool's errors: one sentence with the problem and its place, and one with the remedy.

The command line prints the error and exits with its `exit_code`; a finding about the implementation
is a verdict, never an exception.
"""

import re

EXIT_CODES = {
    0: "every verdict as expected",
    1: "a finding",
    2: "a usage error: the command, the project's files or its code are wrong",
    3: "inconclusive: a limit of time or memory ended a check",
    4: "a tool failed or is missing",
    5: "nothing was checked, or the check was vacuous",
    130: "interrupted",
    143: "ended by SIGTERM",
}
"""Exit code of each command -> its meaning."""

WINDOWS = "Windows lacks the signals and file locks of POSIX: use its Linux (WSL)."
"""Why nothing is checked there."""

LONGEST = 4_000
"""Characters of a message."""

_WORD = 400
"""Characters of a word in one, as of a value that it quotes."""


def shortened(message: str, limit: int = LONGEST) -> str:
    """A message, its long words and itself cut; each cut says how many characters there are."""
    if len(message) <= _WORD:
        return message
    message = re.sub(rf"\S{{{_WORD + 1},}}", lambda match: _cut(match[0]), message)
    if len(message) <= limit:
        return message
    return f"{message[: limit - 60]}... ({len(message):,} characters)"


def _cut(word: str) -> str:
    """The beginning of a word, with the marks that end it."""
    bare = word.rstrip(".,;:)]'\"")
    return f"{bare[: _WORD - 60]}... ({len(bare):,} characters){word[len(bare) :][:9]}"


def installation(extra: str, target: str = "setup") -> str:
    """The remedy where an extra is not installed; ``target`` of make installs it in a checkout."""
    return f"Run `pip install 'wheelproof[{extra}]'`, or `make {target}` in a checkout."


class WheelproofError(Exception):
    """An error that the user can act on. `str()` gives the message and the remedy, if any.

    A quotation in a message may be of any length: it is cut.
    """

    exit_code = 4

    def __init__(self, message: str, remedy: str = "") -> None:
        message, remedy = shortened(message), shortened(remedy)
        super().__init__(message, remedy)
        self.message = message
        self.remedy = remedy

    def __str__(self) -> str:
        return f"{self.message} {self.remedy}".rstrip()


class UsageError(WheelproofError):
    """The command, the project's files or a setting are wrong."""

    exit_code = 2


class Misused(Exception):
    """A project's call of the tool's code is wrong. It is a fault of the line that calls."""


class ToolError(WheelproofError):
    """A tool that the check needs (Java, TLC) is absent or broke."""

    exit_code = 4


class Inconclusive(WheelproofError):
    """A limit, or the machine, kept a check from showing anything."""

    exit_code = 3


class NothingChecked(WheelproofError):
    """No check was carried out, so that silence would look like success."""

    exit_code = 5
