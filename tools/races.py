"""The tables of docs/races.md, from the outcomes that `make races` keeps."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from benchmarks.races import packages, results, run, scores, table
from benchmarks.races.results import Kept, Key


def options(entries: Mapping[Key, Kept]) -> str:
    """The options of each checker."""
    lines = []
    for name, checker in run.CHECKERS.items():
        seconds = sorted({entry.seconds for (_, _, by), entry in entries.items() if by == name})
        limits = " or ".join(f"{limit:g}" for limit in seconds)
        entry = f"{limits} CPU s for each run" if limits else "not run"
        lines.append(f"* {name}: {checker.options}; {entry}")
    return "\n".join(lines)


def parts(programs: table.Table, entries: Mapping[Key, Kept]) -> dict[str, str]:
    """The made parts of the page, by name."""
    runs, absent = results.current(programs.rows, list(run.CHECKERS), entries)
    return {
        "races-options": options(entries),
        **{f"races-{name}": text for name, text in run.tables(runs, list(run.CHECKERS)).items()},
        "races-not-run": scores.unrun(absent),
        "races-rows": scores.races(programs.rows),
        "races-left-out": scores.left_out(programs.omitted),
    }


def page(text: str, fill: Callable[[str, str, str], str]) -> str:
    """The page with its made parts."""
    tables = parts(table.read(), results.read()) | of_packages()
    for name, part in tables.items():
        text = fill(text, name, part)
    return text


def of_packages() -> dict[str, str]:
    """The made parts on widely used packages, by name."""
    rows, left_out = packages.read()
    entries = results.read(packages.FILE)
    head = ["package left out", "why"]
    seconds = " or ".join(f"{item:g}" for item in sorted({k.seconds for k in entries.values()}))
    return {
        "packages-limit": f"Limit: {seconds} CPU seconds each.",
        "packages-found": scores.lined(packages.HEAD, packages.lines(rows, entries)),
        "packages-left-out": scores.lined(head, ([item.package, item.reason] for item in left_out)),
    }
