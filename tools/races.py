"""The tables of docs/races.md, from the outcomes that `make races` keeps."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from benchmarks.races import packages, results, run, scores, table
from benchmarks.races.results import Kept, Key


def options(kept: Mapping[Key, Kept]) -> str:
    """What each checker ran with."""
    lines = []
    for name, checker in run.CHECKERS.items():
        seconds = sorted({each.seconds for (_, _, by), each in kept.items() if by == name})
        limits = " or ".join(f"{limit:g}" for limit in seconds)
        each = f"{limits} CPU s for each run" if limits else "not run"
        lines.append(f"* {name}: {checker.options}; {each}")
    return "\n".join(lines)


def parts(known: table.Table, kept: Mapping[Key, Kept]) -> dict[str, str]:
    """The made parts of the page, by name."""
    done, absent = results.current(known.rows, list(run.CHECKERS), kept)
    return {
        "races-options": options(kept),
        **{f"races-{name}": text for name, text in run.tables(done, list(run.CHECKERS)).items()},
        "races-not-run": scores.unrun(absent),
        "races-rows": scores.races(known.rows),
        "races-left-out": scores.left_out(known.omitted),
    }


def page(text: str, fill: Callable[[str, str, str], str]) -> str:
    """The page with its made parts."""
    made = parts(table.read(), results.read()) | of_packages()
    for name, part in made.items():
        text = fill(text, name, part)
    return text


def of_packages() -> dict[str, str]:
    """The made parts on widely used packages, by name."""
    known, omitted = packages.read()
    kept = results.read(packages.FILE)
    head = ["package left out", "why"]
    seconds = " or ".join(f"{each:g}" for each in sorted({k.seconds for k in kept.values()}))
    return {
        "packages-limit": f"Limit: {seconds} CPU seconds each.",
        "packages-found": scores.lined(packages.HEAD, packages.lines(known, kept)),
        "packages-left-out": scores.lined(head, ([each.package, each.reason] for each in omitted)),
    }
