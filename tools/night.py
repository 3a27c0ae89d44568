#!/usr/bin/env python3
"""Run the parts of ``make nightly``, and record how long each takes.

``python tools/night.py [PART ...]`` runs these parts, or all of them, one after another: also those
behind one that fails. The exit code is that of the first part that fails. How each ended goes to
``tests/night.json``, and the table of tests/README.md is made of that; ``--table`` makes it alone.
A part that was interrupted is not recorded.

The nightly tests, and the mechanisms of the nightly profile, are dealt out over the nights of a
week by the date. ``NIGHT=2/7`` in the environment is another share, ``NIGHT=1/1`` all of them.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
if str(ROOT) not in sys.path:
    sys.path.insert(0, str(ROOT))

from tests import nights as nights_of_tests  # noqa: E402
from wheelproof import documents  # noqa: E402
from wheelproof.commands.options import processors  # noqa: E402
from wheelproof.errors import UsageError, WheelproofError  # noqa: E402
from wheelproof.verdict import LAYERS  # noqa: E402

SCHEMA = "wheelproof.night/1"
FILE = Path("tests", "night.json")
PAGE = Path("tests", "README.md")
OUTPUT = Path("build", "night")

BESIDE = frozenset({"jvm", "proof", "trace", "mutate"})
"""Layers with parts of their own, or that no verification has."""

CHECKED = tuple(layer for layer in LAYERS if layer not in BESIDE)
"""The other layers."""

NIGHTS = 7
"""The nights in which each nightly test, and each row, runs once."""

MUTATED = (
    *("timer_task_list", "delayed_operation", "overflow_wheel", "timing_wheel", "system_timer"),
    *("read_write_lock", "delay_queue", "atomic", "task_executor", "system_timer_reaper"),
    *("purgatory", "partition_leader", "controller", "event_queue", "parted_timer"),
    *("coordinator_load", "share_fetch"),
)
"""The mechanisms whose implementation is changed at random."""


def tonight() -> str:
    """The share that runs: "2/7" in the second of seven nights."""
    return os.environ.get("NIGHT") or f"{date.today().toordinal() % NIGHTS + 1}/{NIGHTS}"


def parsed(text: str) -> tuple[int, int]:
    """A night and the number of nights, of a text such as "2/7". UsageError: it is none."""
    try:
        night, nights = nights_of_tests.parsed(text)
    except ValueError:
        night, nights = 0, 0
    if not 1 <= nights <= NIGHTS:
        raise UsageError(
            f"NIGHT={text} is no night of several.",
            f"Give NIGHT=1/{NIGHTS}, a later one, or 1/1 for all.",
        )
    return night, nights


@dataclass(frozen=True)
class Verified:
    """Rows of the nightly profile, of some mechanisms and layers."""

    mechanisms: tuple[str, ...]
    layers: tuple[str, ...]

    def command(self, name: str) -> list[str]:
        return [
            *("-m", "wheelproof", "verify", *self.mechanisms, "--layer", ",".join(self.layers)),
            *("--profile", "nightly", "--fresh", "--output", str(OUTPUT / name)),
        ]


@dataclass(frozen=True)
class Dealt:
    """Rows of some layers. ``shares``: the mechanisms of each of ``NIGHTS`` nights."""

    layers: tuple[str, ...]
    shares: tuple[tuple[str, ...], ...]

    def of_night(self, night: int, nights: int) -> Verified:
        """The rows of one of several nights."""
        chosen = self.shares[night - 1 :: nights]
        return Verified(tuple(name for share in chosen for name in share), self.layers)

    def command(self, name: str) -> list[str]:
        return self.of_night(*parsed(tonight())).command(name)


@dataclass(frozen=True)
class Tested:
    """The nightly tests in these files and folders, but for the others."""

    paths: tuple[str, ...]
    but: tuple[str, ...] = ()

    def command(self, name: str) -> list[str]:
        return [
            *("-m", "pytest", "-n", "logical", "--maxprocesses", "4", "-m", "nightly"),
            *("--timeout", "7200", "--night", tonight()),
            *(f"--ignore={path}" for path in self.but),
            *self.paths,
        ]


@dataclass(frozen=True)
class Other:
    """A command of Python. ``{}`` stands for the part's output folder."""

    words: tuple[str, ...]

    def command(self, name: str) -> list[str]:
        return [word.format(OUTPUT / name) for word in self.words]


@dataclass(frozen=True)
class Part:
    """One part. ``steps`` run one after another, also those behind one that fails."""

    checks: str
    steps: tuple[Verified | Dealt | Tested | Other, ...]


def mutate_part(mechanisms: Sequence[str], artefact: str, count: int, minutes: int) -> Other:
    """Random changes of a few files, judged within some minutes."""
    return Other(
        (
            *("-m", "wheelproof", "mutate", *mechanisms, "--artefact", artefact),
            *("--count", str(count), "--minutes", str(minutes), "--output", "{}"),
        )
    )


TOOL = "tests/wheelproof"
OF_TOOL = tuple(
    f"{TOOL}/{package}" for package in ("trace", "pipeline", "campaign", "tla", "tlc", "jvm")
)
OF_ARTEFACTS = ("tests/spec", "tests/model", "tests/mutants")
OF_CODE = ("tests/impl", "tests/harness", "tests/real", "tests/demo")

PARTS = {
    "mechanisms": Part(
        "every layer but `jvm` and `proof`",
        (
            Dealt(
                CHECKED,
                (
                    ("timer_task_list",),
                    ("system_timer",),
                    ("purgatory", "delayed_operation"),
                    ("atomic", "delay_queue", "event_queue", "read_write_lock"),
                    ("system_timer_reaper", "task_executor", "timing_wheel", "overflow_wheel"),
                    ("parted_timer", "partition_leader"),
                    ("controller", "coordinator_load", "share_fetch"),
                ),
            ),
        ),
    ),
    "classes": Part(
        "layer `jvm`: classes of released Kafka",
        (
            Dealt(
                ("jvm",),
                (
                    ("timer_task_list",),
                    ("system_timer",),
                    ("overflow_wheel",),
                    ("delayed_operation",),
                    ("coordinator_load",),
                    ("purgatory",),
                    ("timing_wheel",),
                ),
            ),
        ),
    ),
    "theorems": Part(
        "layer `proof`: theorems with 20 seeds, certificates, edges; `docs/theorems.md`",
        (
            Dealt(
                ("proof",),
                (
                    ("purgatory",),
                    ("timer_task_list",),
                    ("system_timer",),
                    ("delayed_operation", "timing_wheel", "read_write_lock"),
                    ("coordinator_load", "event_queue", "task_executor"),
                    ("share_fetch", "delay_queue", "atomic"),
                    (
                        *("controller", "parted_timer", "overflow_wheel"),
                        *("system_timer_reaper", "partition_leader"),
                    ),
                ),
            ),
            Other(("tools/theorems.py", "--check", str(OUTPUT / "theorems" / "results.json"))),
        ),
    ),
    "tests-of-proofs": Part("planted faults in proofs", (Tested(("tests/proofs",)),)),
    "tests-of-artefacts": Part("specifications, models, mutants", (Tested(OF_ARTEFACTS),)),
    "tests-of-code": Part("`impl/`, and programs on released Kafka", (Tested(OF_CODE),)),
    "tests-of-traces": Part("recordings, event by event", (Tested((f"{TOOL}/trace",)),)),
    "tests-of-bulk": Part(
        "recordings in bulk, on Spark too; campaigns",
        (Tested((f"{TOOL}/pipeline", f"{TOOL}/campaign")),),
    ),
    "tests-of-engines": Part(
        "the front end, TLC, the JVM", (Tested((f"{TOOL}/tla", f"{TOOL}/tlc", f"{TOOL}/jvm")),)
    ),
    "other-tests": Part(
        "the rest of the suite",
        (Tested(("tests",), ("tests/proofs", *OF_ARTEFACTS, *OF_CODE, *OF_TOOL)),),
    ),
    "changes": Part(
        "random changes: of `impl/`, of `atomic`'s other artefacts, of an example",
        (
            mutate_part(MUTATED, "impl", 5, 8),
            mutate_part(("atomic",), "spec,model,harness", 3, 4),
            Other(
                (
                    *("-m", "wheelproof", "mutate", "one_shot", "--subject", "examples/one_shot"),
                    *("--count", "20", "--minutes", "2", "--output", "{}-of-an-example"),
                )
            ),
        ),
    ),
}


@dataclass(frozen=True)
class Ended:
    """How a part ended: wall and CPU minutes, on how many cores, its exit code, at which commit."""

    minutes: float
    cpu_minutes: float
    cores: int
    code: int
    commit: str
    changed: bool
    """Whether files were not as the commit has them."""
    night: str
    """Its share: "2/7", or "" where it has none."""


def read_record() -> dict[str, Ended]:
    """How each part ended last. UsageError for a file that is none."""
    if not (ROOT / FILE).is_file():
        return {}
    parts = documents.read(ROOT / FILE, SCHEMA).object("parts")
    out = {}
    for name in parts.value:
        part = parts.object(name)
        out[name] = Ended(
            part.number("minutes"),
            part.number("cpu_minutes"),
            int(part.number("cores")),
            int(part.number("code")),
            part.text("commit"),
            part.flag("changed"),
            part.text("night"),
        )
    return out


def record(name: str, outcome: Ended) -> None:
    """Keep how a part ended, and make the table anew."""
    outcomes = {**read_record(), name: outcome}
    lines = ",\n".join(
        f'  "{part}": {json.dumps(vars(outcomes[part]))}' for part in PARTS if part in outcomes
    )
    documents.write_text(
        ROOT / FILE, f'{{\n "schema": "{SCHEMA}",\n "parts": {{\n{lines}\n }}\n}}\n'
    )
    write_table()


def write_table() -> None:
    """Put the table into its page."""
    from tools import pages

    documents.write_text(ROOT / PAGE, pages.night_page((ROOT / PAGE).read_text(encoding="utf-8")))


HEAD = ("part", "checks", "minutes", "CPU minutes", "last run")


def lines(outcomes: dict[str, Ended]) -> list[tuple[str, ...]]:
    """The table: the parts with their checks and minutes; the last line has the sums."""
    return [*_lines(outcomes), _sums({name: outcomes[name] for name in PARTS if name in outcomes})]


def _lines(outcomes: dict[str, Ended]) -> Iterator[tuple[str, ...]]:
    for name, part in PARTS.items():
        if (outcome := outcomes.get(name)) is None:
            yield f"`{name}`", part.checks, "", "", "never"
            continue
        cores = f"{outcome.cores} core{'' if outcome.cores == 1 else 's'}"
        where = f"{outcome.commit[:8]}{', changed' if outcome.changed else ''}, {cores}"
        where += f", night {outcome.night}" if outcome.night else ""
        outcome_cell = where if outcome.code == 0 else f"**ended with {outcome.code}**: {where}"
        yield (
            f"`{name}`",
            part.checks,
            f"{outcome.minutes:.1f}",
            f"{outcome.cpu_minutes:.1f}",
            outcome_cell,
        )


def _sums(there: dict[str, Ended]) -> tuple[str, ...]:
    commits = {outcome.commit for outcome in there.values()}
    green = sum(outcome.code == 0 and not outcome.changed for outcome in there.values())
    return (
        "all",
        f"{green} of {len(PARTS)} parts green on a commit",
        f"{sum(outcome.minutes for outcome in there.values()):.1f}",
        f"{sum(outcome.cpu_minutes for outcome in there.values()):.1f}",
        "one commit" if len(there) == len(PARTS) and len(commits) == 1 else "not on one commit",
    )


def git(*words: str) -> str:
    """The output of a command of git; "" without git or a repository."""
    try:
        process = subprocess.run(
            ["git", *words], cwd=ROOT, capture_output=True, text=True, check=True
        )
    except (OSError, subprocess.CalledProcessError):
        return ""
    return process.stdout


class Run:
    """Runs commands of Python. A signal to end goes on to the command that runs."""

    def __init__(self) -> None:
        self.ended_by = 0
        self.child: subprocess.Popen[bytes] | None = None
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, self.end)

    def end(self, number: int, _frame: object) -> None:
        self.ended_by = number
        if self.child is not None:
            self.child.send_signal(number)

    def part(self, name: str) -> int:
        """Run one part and record it; its exit code."""
        commit = git("rev-parse", "HEAD").strip()
        is_changed = bool(git("status", "--porcelain", "--", ".", f":!{FILE}", f":!{PAGE}"))
        began, cpu_before = time.monotonic(), cpu()
        code = self.steps(name)
        if self.ended_by:
            return 128 + self.ended_by
        minutes = round((time.monotonic() - began) / 60, 1)
        print(f"night: {name} ended with {code} after {minutes} minutes", flush=True)
        has_share = any(isinstance(step, Tested | Dealt) for step in PARTS[name].steps)
        outcome = Ended(
            minutes,
            round((cpu() - cpu_before) / 60, 1),
            processors(),
            code,
            commit,
            is_changed,
            tonight() if has_share else "",
        )
        record(name, outcome)
        return code

    def steps(self, name: str) -> int:
        codes = []
        for step in PARTS[name].steps:
            if self.ended_by:
                break
            words = [sys.executable, *step.command(name)]
            print(f"night: {name}: {' '.join(words[1:])}", flush=True)
            # A group of its own: a Ctrl-C goes to this process alone, and from here to the command.
            self.child = subprocess.Popen(words, cwd=ROOT, env=environment(), process_group=0)
            codes.append(self.child.wait())
            self.child = None
        return next((code for code in codes if code), 0)


def environment() -> dict[str, str]:
    """The environment of the commands: that of ``make test``."""
    return os.environ | {
        "PYTHONHASHSEED": "0",
        "HYPOTHESIS_PROFILE": "fast",
        "PYTHONDONTWRITEBYTECODE": "",
    }


def cpu() -> float:
    """Seconds of CPU time of all commands that have ended."""
    times: Any = os.times()
    return float(times.children_user + times.children_system)


def main(arguments: Iterable[str]) -> int:
    names = list(arguments)
    try:
        if names == ["--table"]:
            write_table()
            return 0
        if unknown := [name for name in names if name not in PARTS]:
            print(
                f"night: there is no part {', '.join(unknown)}. Known: {', '.join(PARTS)}.",
                file=sys.stderr,
            )
            return 2
        run, codes = Run(), []
        for name in names or PARTS:
            codes.append(run.part(name))
            if run.ended_by:
                return codes[-1]
    except WheelproofError as error:
        print(f"night: {error}", file=sys.stderr)
        return error.exit_code
    return next((code for code in codes if code), 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
