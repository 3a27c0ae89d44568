"""`python -m benchmarks.races.packages`: widely used packages, explored.

Each program of `packages.toml` uses the public interface of one release from two threads. The
command has Wheelproof explore it as it does the known races, and keeps the outcome. An alarm is
judged by hand. The exit code is 0 if each alarm is judged and no judgement is without its alarm, 1
if not, 2 for bad usage and 4 where a tool is missing.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.races import refusals, results, run, scores, table
from benchmarks.races.checkers.outcome import BUG, CANNOT, HOLDS, Outcome
from benchmarks.races.results import Kept, Key
from benchmarks.races.table import BUGGY, HERE, Row, Side
from wheelproof import reading
from wheelproof.errors import WheelproofError

TABLE = HERE / "packages.toml"
FILE = HERE / "explored.json"
CHECKER = "wheelproof"

JUDGEMENTS = ("bug", "documented", "known", "false alarm")
"""Of an alarm: not reported so far, documented as the caller's business, reported, or the tool's
fault."""

_TEXTS = ("name", "package", "version", "python", "asks")


@dataclass(frozen=True)
class Package:
    """A program with one release, and how a person judged its alarm, if there is one."""

    row: Row
    judged: str = ""
    why: str = ""


@dataclass(frozen=True)
class Omitted:
    package: str
    reason: str


def read(path: Path = TABLE) -> tuple[tuple[Package, ...], tuple[Omitted, ...]]:
    """The packages of a table, and those that are left out. UsageError where it is none."""
    tables = reading.tables(path)
    refusals.check_names(path, "", tables, {"package", "omitted"})
    packages = [_package(path, *entry) for entry in refusals.listed(path, tables, "package")]
    omitted = [_omission(path, *entry) for entry in refusals.listed(path, tables, "omitted")]
    names = [package.row.name for package in packages]
    for name in names:
        if names.count(name) > 1:
            raise refusals.fault(path, f"package {name}", "name", "is there twice")
    return tuple(packages), tuple(omitted)


def _package(path: Path, number: int, fields: Mapping[str, Any]) -> Package:
    place = f"package {fields.get('name', number)}"
    refusals.check_names(path, place, fields, {*_TEXTS, "needs", "program", "judged", "why"})
    texts = {name: refusals.text(path, place, fields, name) for name in _TEXTS}
    judgement = refusals.text(path, place, fields, "judged") if "judged" in fields else ""
    if judgement and judgement not in JUDGEMENTS:
        raise refusals.fault(path, place, "judged", f"must be one of {', '.join(JUDGEMENTS)}")
    if bool(judgement) != ("why" in fields):
        raise refusals.fault(path, place, "why", "belongs to judged: give both or none")
    needs = refusals.texts(path, place, fields, "needs") if "needs" in fields else ()
    program = refusals.text(path, place, {"program": texts["name"], **fields}, "program")
    table.check_program(path, place, program)
    side = Side(texts["version"])
    row = Row(
        name=texts["name"],
        kind="pypi",
        package=texts["package"],
        python=texts["python"],
        symptom=texts["asks"],
        source="",
        failures=(),
        needs=table.exact(path, place, needs),
        buggy=side,
        fixed=side,
        program=program,
    )
    return Package(row, judgement, refusals.text(path, place, fields, "why") if judgement else "")


def _omission(path: Path, number: int, fields: Mapping[str, Any]) -> Omitted:
    place = f"omitted {number}"
    refusals.check_names(path, place, fields, {"package", "reason"})
    return Omitted(
        refusals.text(path, place, fields, "package"), refusals.text(path, place, fields, "reason")
    )


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="benchmarks.races.packages", description=__doc__)
    parser.add_argument("--rows", default="", help="names with commas between them; default: all")
    parser.add_argument(
        "--seconds", type=float, default=20, help="CPU seconds of each run; default: 20"
    )
    options = parser.parse_args(arguments)
    try:
        return _run(options)
    except WheelproofError as error:
        print(f"packages: {error}", file=sys.stderr)
        return error.exit_code


def _run(options: argparse.Namespace) -> int:
    packages, _ = read()
    run.check_seconds(options.seconds)
    rows = table.chosen(table.Table(tuple(package.row for package in packages), ()), options.rows)
    selection = [package for package in packages if package.row in rows]
    for package in selection:
        outcome = run.outcome(package.row, BUGGY, CHECKER, options.seconds)
        result = scores.Result(package.row, BUGGY, CHECKER, outcome)
        results.keep([result], options.seconds, FILE)
        print(f"{package.row.name}: {finding(outcome)}: {detail(outcome)}", flush=True)
    wrong = list(unjudged(selection, results.read(FILE)))
    print(*wrong, sep="\n", file=sys.stderr)
    return 1 if wrong else 0


def unjudged(packages: Sequence[Package], outcomes: Mapping[Key, Kept]) -> Iterator[str]:
    """The alarms that are not judged, and the judgements without an alarm."""
    for package in packages:
        name = package.row.name
        entry = outcomes.get((name, BUGGY, CHECKER))
        alarm = entry is not None and entry.outcome.answer == BUG
        if alarm and not package.judged:
            yield f"{name}: its alarm is not judged: add the fields judged and why"
        if package.judged and not alarm:
            yield f"{name}: it is judged {package.judged}, and there is no alarm"


def finding(outcome: Outcome) -> str:
    """The finding of an exploration, in a word or two."""
    if outcome.answer == HOLDS:
        return "exhausted" if outcome.bound is None else f"bounded at {outcome.bound}"
    if outcome.answer == BUG:
        return outcome.failure
    return "not run" if outcome.answer == CANNOT else "not through"


def detail(outcome: Outcome) -> str:
    counts = f"{outcome.executions:,} / {outcome.cpu:.2f}"
    if outcome.preemptions is not None:
        counts += f", {outcome.preemptions} pr."
    return counts


def lines(packages: Sequence[Package], outcomes: Mapping[Key, Kept]) -> Iterator[list[str]]:
    """One line for each package: release, question, finding, counts, judgement."""
    for package in packages:
        row = package.row
        head = [f"{row.package} {row.buggy}", row.symptom]
        entry = outcomes.get((row.name, BUGGY, CHECKER))
        if entry is None or entry.subject != results.subject(row, BUGGY):
            yield [*head, "has not run", "", ""]
            continue
        outcome = entry.outcome
        reason = outcome.reason if outcome.answer not in (BUG, HOLDS) else ""
        judgement = f"{package.judged}: {package.why}" if package.judged else reason
        yield [*head, finding(outcome), detail(outcome), judgement]


HEAD = ["release", "two threads", "found", "executions / CPU s", "judged"]


if __name__ == "__main__":
    sys.exit(main())
