"""The options of a verification, and the notices that it sends while it runs.

Plain data without other imports: both the command line and the worker processes use it.
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from wheelproof.verdict import Row


@dataclass(frozen=True)
class Check:
    """The identity of one check, as in its row."""

    mechanism: str
    layer: str
    name: str


@dataclass(frozen=True)
class Planned:
    """This number of checks will run, in addition to those announced before."""

    checks: int
    run: frozenset[Check] = frozenset()
    """Those of them that jobs carry out."""
    cached: int = 0
    """The number that need not run again."""


@dataclass(frozen=True)
class Started:
    """A check begins. `budget` is its time limit in seconds, None without one."""

    check: Check
    budget: float | None = None


@dataclass(frozen=True)
class Beat:
    """A check goes on. `waiting` is the length of its queue, None where it has none."""

    check: Check
    states: int
    waiting: int | None = None


@dataclass(frozen=True)
class Ended:
    """A check ended with this row."""

    row: Row


@dataclass(frozen=True)
class ToolFound:
    """The version of an engine is known, such as TLC's from the first line that it prints."""

    name: str
    version: str


@dataclass(frozen=True)
class NotRun:
    """A layer cannot run on this machine, and why: its checks are neither in order nor failed."""

    layer: str
    why: str


@dataclass(frozen=True)
class NoPlan:
    """The project has no plan, so that a check that is lost would not be noticed."""


@dataclass(frozen=True)
class Tick:
    """Nothing new; time passes. Sent every few seconds, so that a long check is not silent."""


Notice = Planned | Started | Beat | Ended | ToolFound | NotRun | NoPlan | Tick
Listener = Callable[[Notice], None]


def ignore(notice: Notice) -> None:
    """The listener that does nothing."""


@dataclass(frozen=True)
class VerifyOptions:
    """Which checks to run, and how.

    `mechanisms`: names, all where empty.
    `layers`: None for all.
    `profile`: ``fast`` or ``nightly``.
    `root`: the folder that holds spec/.
    `output`: the folder for everything that is written.
    `jobs`: worker processes, at least 1.
    `theorems`: names of theorems or mechanisms, all where empty.
    `seeds`: the number for each theorem, 0 for the profile's.
    `only`: checks as (mechanism, name), all where empty.
    `lost`: checks that the plan has and no declaration, as (mechanism, layer, name): the run is
    compared with these, too.
    `cached`: take the results of unchanged checks from earlier runs with the same output folder.
    `listen`: called in the parent process only. Workers send notices, which are plain data.
    """

    mechanisms: tuple[str, ...]
    layers: frozenset[str] | None
    profile: str
    root: Path
    output: Path
    jobs: int
    listen: Listener = ignore
    theorems: tuple[str, ...] = ()
    seeds: int = 0
    only: frozenset[tuple[str, str]] = frozenset()
    lost: frozenset[tuple[str, str, str]] = frozenset()
    cached: bool = False

    @property
    def limits(self) -> str:
        """The limits of the run, in words; "" for everything of its profile."""
        parts = [
            ", ".join(self.mechanisms),
            "layer " + ", ".join(sorted(self.layers)) if self.layers else "",
            ", ".join(self.theorems or sorted({name for _, name in self.only})),
        ]
        return "; ".join(part for part in parts if part)

    def covers(self, mechanism: str, layer: str, name: str) -> bool:
        """Whether a check of this name is among those that the run is limited to."""
        return (
            (not self.mechanisms or mechanism in self.mechanisms)
            and (self.layers is None or layer in self.layers)
            and (not self.only or (mechanism, name) in self.only)
            and (not self.theorems or bool({mechanism, name} & set(self.theorems)))
        )
