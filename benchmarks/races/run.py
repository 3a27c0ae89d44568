"""`python -m benchmarks.races.run`: the races of `races.toml` under each checker.

It makes an environment for each side of each row and for each checker, runs one process for each of
them with the same options for all rows, and prints the tables. It keeps the outcomes in
`results.json`, of which `tools/pages.py` makes docs/races.md. The exit code is 0 if each checker
answered or was listed with a reason, 2 for bad usage and 4 where a tool is missing.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.races import environments, results, scores, table
from benchmarks.races.checkers.outcome import CANNOT, Outcome
from benchmarks.races.environments import BUILD, ROOT, Unavailable
from benchmarks.races.table import BUGGY, FIXED, Row
from wheelproof.errors import UsageError, WheelproofError

GREENLET = "greenlet==3.5.6"


@dataclass(frozen=True)
class Checker:
    """A module in `checkers/`, the pins of its environment, and the words for its options."""

    module: str
    pins: tuple[str, ...]
    options: str
    wrapper: str = ""
    """A command of its environment that starts it."""


CHECKERS: Mapping[str, Checker] = {
    "wheelproof": Checker(
        "plain",
        (GREENLET,),
        "its defaults; two thirds of the time without a bound, then at most 2 preemptions; loading "
        "the modules again is not limited",
    ),
    "frontrun": Checker(
        "frontrun",
        ("frontrun==0.7.0", GREENLET),
        "0.7.0, its defaults: DPOR, at most 2 preemptions; three times the time, of the clock",
        "frontrun",
    ),
    "interleave-test": Checker(
        "interleave",
        ("interleave-test==0.1.0",),
        "0.1.0, a third of the time each for PCT, random, and depth first with 2 preemptions",
    ),
    "stress": Checker("stress", (), "real threads, a switch interval of 1 us"),
}


TIMED = ("wheelproof", "frontrun")
"""The checkers whose rates are measured."""


def main(arguments: Sequence[str] | None = None) -> int:
    options = _parser().parse_args(arguments)
    try:
        return _run(options)
    except WheelproofError as error:
        print(f"races: {error}", file=sys.stderr)
        return error.exit_code


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="benchmarks.races.run", description=__doc__)
    parser.add_argument("--rows", default="", help="names with commas between them; default: all")
    parser.add_argument("--checkers", default=",".join(CHECKERS), help="default: all")
    parser.add_argument(
        "--seconds", type=float, default=20, help="CPU seconds of each run; default: 20"
    )
    parser.add_argument("--list", action="store_true", help="print the rows, and run nothing")
    return parser


def _run(options: argparse.Namespace) -> int:
    races = table.read()
    rows = table.chosen(races, options.rows)
    names = options.checkers.split(",")
    for name in names:
        if name not in CHECKERS:
            raise UsageError(f"There is no checker {name!r}.", f"Checkers: {', '.join(CHECKERS)}.")
    check_seconds(options.seconds)
    about = f"{scores.races(rows)}\n\n{scores.left_out(races.omitted)}\n"
    if options.list:
        print(about)
        return 0
    words = [f"* {name}: {CHECKERS[name].options}" for name in names]
    words.append(
        f"* {options.seconds:g} CPU s for each run, one process each, the same for all rows"
    )
    print("\n".join(words), flush=True)
    outcomes = []
    for row in rows:
        for side in (BUGGY, FIXED):
            for name in names:
                result = scores.Result(row, side, name, outcome(row, side, name, options.seconds))
                print(f"{row.name} {side} {name}: {_line(result)}", file=sys.stderr, flush=True)
                outcomes.append(result)
        results.keep([result for result in outcomes if result.row == row], options.seconds)
    print("\n\n".join(["\n".join(words), *tables(outcomes, names).values(), about]))
    return 0


def tables(outcomes: Sequence[scores.Result], names: Sequence[str]) -> dict[str, str]:
    """The tables of outcomes, by name."""
    no_reasons = "It solved each row that it has run."
    return {
        "summary": scores.summary(outcomes, names),
        "outcomes": scores.table(outcomes, names),
        "rates": scores.rates(outcomes, [name for name in names if name in TIMED]),
        "reasons": "\n\n".join(
            f"{name}:\n\n{scores.reasons(outcomes, name) or no_reasons}" for name in names
        ),
    }


def check_seconds(seconds: float) -> None:
    if not 0 < seconds < 3600:
        raise UsageError("--seconds is from 0 to 3600.", "Give the seconds of one run.")


def outcome(row: Row, side: str, name: str, seconds: float) -> Outcome:
    """The outcome of a checker for a side; that it cannot be run is an outcome, too."""
    try:
        folder = environments.side(row, side)
        python = environments.checker(name, row.python, CHECKERS[name].pins)
    except Unavailable as error:
        return Outcome(CANNOT, 0, reason=str(error))
    return _check(CHECKERS[name], python, folder, row.program, seconds)


def _check(checker: Checker, python: Path, folder: Path, program: str, seconds: float) -> Outcome:
    module = f"benchmarks.races.checkers.{checker.module}"
    command = [str(python), "-m", module, program, f"{seconds:g}"]
    if checker.wrapper:
        command.insert(0, str(python.parent / checker.wrapper))
    environment = {
        "HOME": os.environ.get("HOME", "/"),
        "PATH": os.environ.get("PATH", os.defpath),
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONHASHSEED": "0",
        "PYTHONPATH": os.pathsep.join([str(folder), str(ROOT)]),
    }
    limit = 10 * seconds + 240
    try:
        process = subprocess.run(
            command, cwd=BUILD, env=environment, capture_output=True, text=True, timeout=limit
        )
    except subprocess.TimeoutExpired:
        return Outcome(CANNOT, 0, reason=f"no answer in {limit:g} s")
    last = process.stdout.strip().splitlines()[-1:] or [""]
    try:
        return Outcome(**json.loads(last[0]))
    except (ValueError, TypeError):
        why = (process.stderr.strip().splitlines() or ["no output"])[-1]
        return Outcome(CANNOT, 0, reason=f"exit code {process.returncode}: {why[:200]}")


def _line(result: scores.Result) -> str:
    outcome = result.outcome
    return f"{result.score}, {outcome.executions} executions, {outcome.cpu:.2f} s {result.reason}"


if __name__ == "__main__":
    sys.exit(main())
