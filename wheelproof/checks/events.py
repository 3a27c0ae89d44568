"""What a verification is asked to do, and the notices that it gives while it works.

Plain data without other imports: both the command line and the worker processes use it.
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from wheelproof.verdict import Row

PROFILES = ("fast", "nightly")


@dataclass(frozen=True)
class Check:
    """The identity of one check, as in its row."""

    mechanism: str
    layer: str
    name: str


@dataclass(frozen=True)
class Planned:
    """So many checks will run, in total or in addition to those announced before."""

    checks: int


@dataclass(frozen=True)
class Started:
    """A check begins. `budget` is its time limit in seconds, None without one."""

    check: Check
    budget: float | None = None


@dataclass(frozen=True)
class Beat:
    """A check goes on: so many states (or runs) so far, and the size of what still waits, where it is known."""

    check: Check
    states: int
    waiting: int | None = None


@dataclass(frozen=True)
class Ended:
    """A check ended with this row."""

    row: Row


@dataclass(frozen=True)
class ToolFound:
    """An engine told its version, such as the first line that TLC prints."""

    name: str
    version: str


@dataclass(frozen=True)
class Tick:
    """Nothing new; time passes. Sent every few seconds by who waits for workers, so that a long check is not silent."""


Notice = Planned | Started | Beat | Ended | ToolFound | Tick
Listener = Callable[[Notice], None]


def ignore(notice: Notice) -> None:
    """The listener that nobody reads."""


@dataclass(frozen=True)
class VerifyOptions:
    """What to verify.

    `mechanisms`: stems, all where empty; `layers`: None for all; `profile`: one of PROFILES; `subject`: the folder that holds
    spec/; `output`: the folder for everything that is written; `jobs`: worker processes, at least 1.
    `theorems`: names of theorems or mechanisms, all where empty; `seeds`: for each theorem, 0 for the profile's number.
    `listen` is called in the parent process only. Notices are plain data and can be sent from a worker.
    """

    mechanisms: tuple[str, ...]
    layers: frozenset[str] | None
    profile: str
    subject: Path
    output: Path
    jobs: int
    listen: Listener = ignore
    theorems: tuple[str, ...] = ()
    seeds: int = 0
