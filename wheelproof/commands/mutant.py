"""``wheelproof mutant``: one decision on a page.

The page has the decision's hunks, the verdicts of its mutants and a counterexample.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from rich.console import Console
from rich.text import Text

from wheelproof import project
from wheelproof.checks import composition, mutant
from wheelproof.checks.context import Context
from wheelproof.console import print_lines, visible
from wheelproof.counterexample import columns, document
from wheelproof.decisions import Decision
from wheelproof.errors import UsageError
from wheelproof.project.mechanism import Mechanism, Mutant
from wheelproof.report.terminal import kills, reason
from wheelproof.verdict import Row, Verdict, exit_code

STYLES = {"-": "red", "+": "green", " ": ""}


def run(name: str, root: Path, output: Path, target: Console, glyphs: columns.Glyphs) -> int:
    """Print a decision, check its mutants and print the first counterexample; the exit code.

    ``name``: that of a decision or of one of its mutants, alone or as ``mechanism/name``. Raises
    UsageError where no mechanism has it, or several have.
    """
    mechanism, decision = choose(project.find(root), name)
    print_lines(target, list(page(mechanism, decision, root)))
    rows = list(judge(Context(mechanism, output, "nightly"), decision))
    print_lines(target, [Text(), *(summary(row) for row in rows)])
    if trace := next((row.trace for row in rows if row.trace), None):
        counterexample = document.read(output / trace)
        print_lines(
            target,
            [
                Text(),
                *columns.render(
                    counterexample, target.width, root, str(output / trace), False, glyphs
                ),
            ],
        )
    return exit_code(rows) if rows else 0


def choose(mechanisms: Mapping[str, Mechanism], name: str) -> tuple[Mechanism, Decision]:
    """The decision of a name and its mechanism."""
    owner, _slash, short = name.rpartition("/")
    matches = {}
    for mechanism in mechanisms.values():
        for decision in mechanism.decisions.values():
            if short in (decision.name, *decision.mutants) and owner in ("", mechanism.name):
                matches[f"{mechanism.name}/{decision.name}"] = mechanism, decision
    if not matches:
        raise UsageError(
            f"No mechanism has a decision or a mutant {name!r}.",
            "`wheelproof list` prints their names.",
        )
    if len(matches) > 1:
        raise UsageError(
            f"There are {len(matches)} decisions of this name.", f"Say which: {', '.join(matches)}."
        )
    return next(iter(matches.values()))


def page(mechanism: Mechanism, decision: Decision, root: Path) -> Iterator[Text]:
    """The decision's file as lines: title, prose, and the hunks with the lines that they change."""
    yield Text(visible(f"{decision.name}: {decision.title}"), style="bold")
    yield Text(visible(f"{mechanism.title}; {decision.file.relative_to(root)}"), style="dim")
    yield Text()
    yield from (Text(visible(line)) for line in decision.prose.split("\n"))
    for hunk in decision.hunks:
        yield Text()
        yield Text(visible(f"{hunk.file}  {hunk.anchor}"), style="bold")
        yield from (
            Text(visible(f"  {mark} {line}").rstrip(), style=STYLES[mark])
            for mark, line in hunk.body
        )


def judge(context: Context, decision: Decision) -> Iterator[Row]:
    """The rows of a decision: its mutants, and the composed runs that lack it."""
    mechanism = context.mechanism
    of_scenario: dict[str, list[Mutant]] = {}
    for name in decision.mutants:
        of_scenario.setdefault(mechanism.mutants[name].scenario, []).append(mechanism.mutants[name])
    for mutants in of_scenario.values():
        yield from mutant.check(context, mutants).rows
    for entry in mechanism.composed.values():
        if entry.mutant == decision.name:
            yield from composition.check(context, entry).rows


def summary(row: Row) -> Text:
    """A row in one line."""
    if not row.ok:
        return Text(visible(f"not in order: {row.title()}: {reason(row)}"), style="red")
    if row.verdict is Verdict.VIOLATED:
        return Text(visible(f"killed: {kills(row)}"), style="green")
    return Text(visible(f"{row.verdict}: {row.title()}: {row.why}"), style="green")
