"""Options, checks and errors that the commands of `wheelproof` share."""

import os
import signal
import sys
import traceback
from collections.abc import Callable, Iterable
from contextlib import suppress
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperGroup

from wheelproof import guest
from wheelproof.commands import INTERRUPTED, ending
from wheelproof.errors import UsageError, WheelproofError

if TYPE_CHECKING:
    from wheelproof.project.mechanism import Mechanism


class Commands(TyperGroup):
    """Turns an exception of a command into one sentence and an exit code."""

    def invoke(self, ctx: Any) -> Any:
        with ending.by_exception():
            try:
                with guest.Watch():
                    result = super().invoke(ctx)
                if (error := ending.flush()) is not None:
                    raise error
                return result
            except BaseException as error:
                code = _exit_code_of(error)
                ending.flush()
                if code is None:
                    raise
                raise typer.Exit(code) from error


def _exit_code_of(error: BaseException) -> int | None:
    """Print the error that ended a command; its exit code, None for one of the error itself."""
    match error:
        case WheelproofError():
            complain(f"wheelproof: {error}")
            return error.exit_code
        case KeyboardInterrupt():
            complain("wheelproof: interrupted")
            return INTERRUPTED
        case ending.Terminated():
            complain(f"wheelproof: ended by {signal.Signals(error.number).name}")
            return error.code
        case guest.Overdue():
            complain(f"wheelproof: {error}")
            return 3
        case BrokenPipeError():  # the reader of the output has gone: there is no one to tell
            return 4
        case OSError() if message := ending.of_system(error):
            complain(f"wheelproof: {message}")
            return 4
        case SystemExit() | GeneratorExit() | typer.Abort():
            return None
    # Typer's own ends carry a code. For anything else Python would exit with 1, which means a
    # finding here.
    if hasattr(error, "exit_code"):
        return None
    if (fault := guest.fault_of(error)) is not None:
        complain(f"wheelproof: {fault}")
        return fault.exit_code
    traceback.print_exception(error)
    complain(
        f"wheelproof: {type(error).__name__} is a defect of Wheelproof itself: nothing was shown "
        "by this run."
    )
    return 4


MOST_NAMES = 16
"""How many known names an error lists."""


class Profile(StrEnum):
    """How much is checked."""

    FAST = "fast"
    NIGHTLY = "nightly"


class To(StrEnum):
    """The formats of an exported counterexample."""

    ITF = "itf"
    PYTEST = "pytest"


class Drawn(StrEnum):
    """The formats of a drawn graph of locks."""

    TEXT = "text"
    SVG = "svg"
    DOT = "dot"


class On(StrEnum):
    """The artefact that a counterexample is replayed on."""

    MODEL = "model"
    IMPL = "impl"


def print_version(flag: bool) -> None:
    """Print the version and end."""
    if flag:
        from importlib.metadata import version

        print(f"wheelproof {version('wheelproof')}")
        raise typer.Exit


Version = Annotated[
    bool,
    typer.Option(
        "--version", callback=print_version, is_eager=True, help="Print the version and end."
    ),
]
Subject = Annotated[
    Path,
    typer.Option("--subject", metavar="DIR", help="The folder that holds spec/, model/, impl/ ..."),
]
Json = Annotated[
    bool,
    typer.Option(
        "--json", help="One JSON document on standard output, all else on standard error."
    ),
]
Output = Annotated[
    Path, typer.Option("--output", metavar="DIR", help="Where the files of the run go.")
]
Jobs = Annotated[
    int, typer.Option("--jobs", metavar="N", min=0, help="Worker processes; 0: one for each CPU.")
]
Configs = Annotated[
    list[str] | None, typer.Option("--config", metavar="A,B", help="Only these configs.")
]
Mutants = Annotated[
    list[str] | None, typer.Option("--mutant", metavar="A,B", help="Only these mutants.")
]
Scenarios = Annotated[
    list[str] | None,
    typer.Option("--scenario", metavar="A,B", help="Only the checks of these scenarios."),
]
Fresh = Annotated[
    bool,
    typer.Option("--fresh", help="Run every check, also one that nothing has changed for."),
]
Watch = Annotated[
    bool,
    typer.Option("--watch", help="Verify again whenever a file changes, until Ctrl-C."),
]
Quiet = Annotated[bool, typer.Option("--quiet", help="Print the verdict line only.")]
Verbose = Annotated[
    bool,
    typer.Option(
        "--verbose", help="Print a line for each layer, fault and violation that had to come."
    ),
]
Trace = Annotated[
    Path,
    typer.Argument(
        metavar="TRACE", help="A counterexample file, such as build/counterexamples/*.json."
    ),
]


def mechanisms_of(root: Path, names: list[str]) -> "dict[str, Mechanism]":
    """The project's mechanisms by name; UsageError where a wanted one is not among them."""
    from wheelproof import project

    mechanisms = project.find(root)
    check_known("mechanism", names, mechanisms)
    return {
        mechanism: item for mechanism, item in mechanisms.items() if not names or mechanism in names
    }


def check_apart(root: Path, output: Path) -> None:
    """UsageError where the files of a run would go among those of the project."""
    from wheelproof.project.inputs import FOLDERS

    place = output.resolve()
    for name in (*FOLDERS, "traces"):
        folder = (root / name).resolve()
        if folder == place or folder in place.parents:
            raise UsageError(
                f"--output {output} is the project's folder {name}, or below it.",
                "Choose another folder, such as build: files there are replaced and removed.",
            )


def check_known(kind: str, names: Iterable[str], table: Iterable[str]) -> None:
    """Raises UsageError for a wanted name that is not known, with the names that are.

    Where there are more than a screen line of them it gives their number and the command instead.
    """
    table = list(dict.fromkeys(table))
    for name in names:
        if name not in table:
            from difflib import get_close_matches

            close = get_close_matches(name, table, 1)
            hint = f"Did you mean {close[0]}? " if close else ""
            if not table:
                raise UsageError(f"There is no {kind} {name!r}.", f"The project has no {kind}s.")
            rest = (
                f"Known {kind}s: {', '.join(table)}."
                if len(table) <= MOST_NAMES
                else f"There are {len(table)} {kind}s: `wheelproof list` prints them."
            )
            raise UsageError(f"There is no {kind} {name!r}.", hint + rest)


def processors() -> int:
    """The processors that this process may use."""
    affinity: Callable[[int], set[int]] | None = getattr(os, "sched_getaffinity", None)
    return len(affinity(0)) if affinity else os.cpu_count() or 1


def complain(sentence: str) -> None:
    """Print a sentence on standard error, if anyone takes it."""
    from wheelproof.console import visible

    with suppress(OSError):
        print(visible(sentence), file=sys.stderr, flush=True)
