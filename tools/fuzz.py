#!/usr/bin/env python3
"""Run the Hypothesis campaigns in rounds for a given time, and keep their findings.

``python tools/fuzz.py MINUTES [ARGUMENTS OF PYTEST]``: Hypothesis draws anew in each round. The
numbers of rounds go on where the last soak ended. ``build/fuzz`` keeps the corpus:

* ``examples``: Hypothesis' database; every round first tries the failures of all rounds before;
* ``rounds.jsonl``: each round's number, length, outcome and failed tests;
* ``round-NUMBER.log``: the output of a round that did not pass;
* ``runs``: the smallest runs of the purgatory that failed, as files that a command replays.

The exit code is 1 if a test failed in some round, and 2 if a round could not run.
"""

from __future__ import annotations

import json
import os
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
PROFILE = "soak"
GRACE_S = 60
"""How long a round that is ended early may take to report."""

PASSED, FAILED, CUT = "passed", "failed", "cut"
"""Outcomes of a round; ``cut``: ended by the time, without a failure. Any other is an error."""


class Round(NamedTuple):
    """One round of the campaigns."""

    number: int
    seconds: float
    outcome: str
    tests: tuple[str, ...]
    """The tests that failed."""


def command(arguments: Sequence[str]) -> list[str]:
    """The command of a round."""
    options = ["-m", "pytest", "-q", "-rf", "--tb=short", "-p", "no:cacheprovider", "-m", "fuzz"]
    return [sys.executable, *options, *arguments]


def again(test: str) -> str:
    """The command that runs a failed test once more: the database has its failing example."""
    return f"HYPOTHESIS_PROFILE={PROFILE} .venv/bin/python -m pytest -n 0 {shlex.quote(test)}"


def judge(code: int | None, text: str) -> tuple[str, tuple[str, ...]]:
    """Outcome and failed tests of a round. ``code``: of pytest, None if the time ended it."""
    tests = tuple(
        line.removeprefix("FAILED ").partition(" - ")[0]
        for line in text.splitlines()
        if line.startswith("FAILED ")
    )
    if tests:
        return FAILED, tests
    if code is None:
        return CUT, ()
    return (PASSED if code == 0 else f"pytest ended with code {code}"), ()


def run(arguments: Sequence[str], seconds: float, log: Path) -> tuple[int | None, str]:
    """Run a round. Returns pytest's code and output; no code where the time was over before."""
    environment = os.environ | {"HYPOTHESIS_PROFILE": PROFILE, "PYTHONHASHSEED": "0"}
    with log.open("w", encoding="utf-8") as output:
        process = subprocess.Popen(
            command(arguments),
            cwd=ROOT,
            env=environment,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        code: int | None
        try:
            code = process.wait(seconds)
        except subprocess.TimeoutExpired:
            code = None
            _end(process)
    return code, log.read_text(encoding="utf-8", errors="replace")


def _end(process: subprocess.Popen[bytes]) -> None:
    """Interrupt a round, which then reports; kill it if it does not end."""
    os.killpg(process.pid, signal.SIGINT)
    try:
        process.wait(GRACE_S)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


class Corpus:
    """The kept folder."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.rounds = folder, folder / "rounds.jsonl"
        folder.mkdir(parents=True, exist_ok=True)

    def next_number(self) -> int:
        """One more than the greatest number so far."""
        if not self.rounds.exists():
            return 1
        lines = self.rounds.read_text(encoding="utf-8").splitlines()
        return max([0, *(int(json.loads(line)["number"]) for line in lines)]) + 1

    def log(self, number: int) -> Path:
        return self.folder / f"round-{number}.log"

    def keep(self, entry: Round) -> None:
        """Note a round. The output of one that passed goes."""
        with self.rounds.open("a", encoding="utf-8") as output:
            output.write(json.dumps(entry._asdict()) + "\n")
        if entry.outcome in (PASSED, CUT):
            self.log(entry.number).unlink(missing_ok=True)


Runs = Callable[[Sequence[str], float, Path], tuple[int | None, str]]


def soak(
    corpus: Corpus,
    minutes: float,
    arguments: Sequence[str],
    runs: Runs = run,
    clock: Callable[[], float] = time.monotonic,
) -> list[Round]:
    """Rounds until the time is over, or one that could not run."""
    end, rounds = clock() + 60 * minutes, []
    while (remainder := end - clock()) > 0:
        number, begin = corpus.next_number(), clock()
        outcome, tests = judge(*runs(arguments, remainder, corpus.log(number)))
        rounds.append(Round(number, round(clock() - begin, 1), outcome, tests))
        corpus.keep(rounds[-1])
        print(f"round {number}: {outcome}, {rounds[-1].seconds:.0f} s", flush=True)
        for test in tests:
            print(f"  {test}\n  again: {again(test)}", flush=True)
        if outcome not in (PASSED, FAILED, CUT):
            print(f"  see {corpus.log(number)}", flush=True)
            break
    return rounds


def main(arguments: Sequence[str]) -> int:
    """The command."""
    usage = "usage: python tools/fuzz.py MINUTES [ARGUMENTS OF PYTEST]"
    try:
        minutes = float(arguments[0])
    except (IndexError, ValueError):
        print(usage, file=sys.stderr)
        return 2
    if not 0 < minutes < float("inf"):
        print(f"fuzz: {arguments[0]} minutes are no time to run: give more than 0", file=sys.stderr)
        return 2
    rounds = soak(Corpus(ROOT / "build" / "fuzz"), minutes, arguments[1:])
    failures = [entry for entry in rounds if entry.outcome == FAILED]
    print(f"{len(rounds)} rounds, {len(failures)} with failures; build/fuzz keeps the corpus")
    if any(entry.outcome not in (PASSED, FAILED, CUT) for entry in rounds):
        return 2
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
