"""The report on the terminal: a screen of 40 lines by 80 columns, or every line with `verbose`.

The screen has a line for each mechanism, the first rows not in order, the changes since the last
run, and the files. Off a terminal tables have no rules and no colour, so that a CI log stays
readable and can be searched.
"""

import shlex
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from wheelproof.console import visible
from wheelproof.project.planned import COMMAND
from wheelproof.report.causes import Cause, causes, named
from wheelproof.report.since import Since
from wheelproof.verdict import CACHED, LAYERS, Results, Row, Verdict, exit_code

_STYLES = {
    Verdict.PROVED: "green",
    Verdict.EXHAUSTIVE: "green",
    Verdict.SAMPLED: "green",
    Verdict.VIOLATED: "red",
    Verdict.INCONCLUSIVE: "yellow",
    Verdict.VACUOUS: "magenta",
    Verdict.REFUSED: "red",
    Verdict.ERROR: "red bold",
}
# The pairs of figures that count the states and edges of a layer, first found first used.
_COUNTS = (
    ("states", "edges"),
    ("impl_states", "impl_edges"),
    ("model_states", "model_edges"),
    ("distinct", "generated"),
)
HEIGHT, WIDTH = 39, 80
"""The screen, without the line of the next prompt."""
MECHANISMS = 20
"""Mechanisms that have a line on the screen; those with a fault come first."""
NEW = 3
"""Checks that the screen names as new."""

_SUMMARY = {
    0: "every verdict as expected",
    1: "FINDING: not every verdict is as expected",
    2: "REFUSED: the project's files or its code are wrong",
    3: "INCONCLUSIVE: not every check came to an end",
    4: "TOOL FAILED: not every check could be carried out",
    5: "NOTHING SHOWN: a check was vacuous, or none was carried out",
}


def print_report(
    target: Console,
    results: Results,
    output: Path,
    places: Mapping[str, str],
    quiet: bool = False,
    verbose: bool = False,
    new: Since | None = None,
    has_plan: bool = True,
) -> None:
    """Prints the whole report.

    `output` is the folder of the run's files, `places` names the files in it ("results" ->
    path). `quiet`: the verdict line only. `verbose`: a line for each layer, for each fault and for
    each violation that had to come, however many. `new`: the changes since the last run.
    `planned`: the project has a plan.
    """
    if quiet:
        target.print(verdict_line(results), soft_wrap=True)
        return
    plain, rows = not target.is_terminal, results.rows
    titles = new.broken if new else ()
    blocks = faults(sorted(rows, key=lambda row: row.title() not in titles), output, verbose)
    count = sum(not row.ok for row in rows)
    changes = list(new.lines(len(rows) if verbose else NEW, count)) if new else []
    below = [
        *(Text(visible(line) if verbose else shorten(line)) for line in changes),
        *models(rows),
        *(
            Text(shorten(f"not run: layer {layer}: {why}", 2 * WIDTH), style="yellow")
            for layer, why in results.not_run.items()
        ),
        *([] if has_plan else [Text(f"no plan: a check that is lost goes unseen; `{COMMAND}`")]),
        *(Text(f"{title + ':':<12}{visible(path)}", style="dim") for title, path in places.items()),
        verdict_line(results),
    ]
    if verbose:
        lines = [line for fault in blocks for line in fault] + expected_violations(rows)
    else:
        lines = fitting(blocks, HEIGHT - height(below) - table_height(rows, plain))
    if rows:
        target.print(table(rows, plain) if verbose else summary(rows, plain))
    for line in [*lines, *below]:
        target.print(line, soft_wrap=plain)


def table_height(rows: Sequence[Row], plain: bool) -> int:
    """The lines of the summary."""
    mechanisms = len({row.mechanism for row in rows})
    rules = 1 if plain else 2
    sums = 1 if mechanisms > 1 else 0
    more = 1 if mechanisms > MECHANISMS else 0
    return rules + min(mechanisms, MECHANISMS) + sums + more if rows else 0


def height(lines: Iterable[Text]) -> int:
    """The lines that these take on the screen."""
    return sum(max(1, len(textwrap.wrap(line.plain, WIDTH))) for line in lines)


def shorten(text: str, width: int = WIDTH) -> str:
    """The text without its end, if it is longer than a line of the screen."""
    clean = visible(text)
    return clean if len(clean) <= width else f"{clean[: width - 3]}..."


def fitting(blocks: Sequence[Sequence[Text]], room: int) -> list[Text]:
    """The first faults that fit into so many lines, one at least, and how many more there are."""
    lines: list[Text] = []
    for number, fault in enumerate(blocks):
        space = room - height(lines) - (number + 1 < len(blocks))
        if height(fault) > space:
            if number:
                rest = len(blocks) - number
                return [*lines, Text(f"and {rest} more: --verbose prints each", style="red")]
            further_lines = list(fault[1:])
            while further_lines and height(further_lines) >= space:
                further_lines.pop()
            fault = [cut(fault[0], max(1, space - height(further_lines))), *further_lines]
        lines += fault
    return lines


def cut(line: Text, limit: int) -> Text:
    """The line without its end, if it takes more lines of the screen than these."""
    copy, length = line.copy(), WIDTH * limit
    while height([copy]) > limit:
        copy.truncate(length, overflow="ellipsis")
        length -= 1
    return copy


def models(rows: Sequence[Row]) -> list[Text]:
    """Where mechanisms without a model by hand have theirs from, in one line."""
    models = {row.mechanism: row.figures["model"] for row in rows if "model" in row.figures}
    if len(models) > 1:
        return [Text(shorten(f"models: compiled from the specifications: {', '.join(models)}"))]
    return [Text(visible(f"model: that of {name} is {how}")) for name, how in models.items()]


def verdict_line(results: Results) -> Text:
    """The outcome of the run in one line; an incomplete run never reads as a success."""
    code = exit_code(results.rows)
    good = (
        f"wheelproof: {sum(row.ok for row in results.rows)} of {len(results.rows)} checks in order"
    )
    if not results.complete:
        return Text(f"{good} when the run was broken off: PARTIAL RESULTS", style="red")
    if cached_count := sum(CACHED in row.figures for row in results.rows):
        good += f", {cached_count} cached"
    absent = "".join(f"; layer {layer} NOT RUN" for layer in results.not_run)
    if code == 1 and any(row.verdict is Verdict.ERROR for row in results.rows):
        absent = f"; a TOOL FAILED in another check{absent}"
    return Text(f"{good}: {_SUMMARY[code]}{absent}", style="green" if code == 0 else "red")


def table(rows: Sequence[Row], plain: bool = False) -> Table:
    """One line for each mechanism and layer, in the order of mechanisms and of LAYERS."""
    table = Table(
        box=None if plain else box.SIMPLE_HEAD,
        pad_edge=False,
        show_edge=False,
        padding=(0, 2, 0, 0),
    )
    for heading in ("mechanism", "layer"):
        table.add_column(heading, no_wrap=True)
    table.add_column("ok / total", justify="right", no_wrap=True)
    table.add_column("verdict", overflow="fold")
    table.add_column("bound", overflow="fold")
    table.add_column("states / edges", justify="right", no_wrap=True)
    table.add_column("seconds", justify="right", no_wrap=True)
    for (mechanism, layer), group in groups_of(rows).items():
        good = sum(row.ok for row in group)
        table.add_row(
            Text(visible(mechanism)),
            Text(visible(layer)),
            Text(f"{good} / {len(group)}", style="" if good == len(group) else "red bold"),
            _verdicts(group),
            Text(visible(_bounds(group))),
            _counts(group),
            f"{sum(row.seconds for row in group):.1f}",
        )
    return table


def summary(rows: Sequence[Row], plain: bool = False) -> Table:
    """One line for each mechanism, at most 80 columns wide; of several the last has the sums."""
    table = Table(
        box=None if plain else box.SIMPLE_HEAD,
        pad_edge=False,
        show_edge=False,
        padding=(0, 2, 0, 0),
    )
    table.add_column("mechanism", no_wrap=True)
    for heading in ("ok / total", "killed", "states / edges", "seconds"):
        table.add_column(heading, justify="right", no_wrap=True)
    groups: dict[str, list[Row]] = {}
    for row in rows:
        groups.setdefault(row.mechanism, []).append(row)
    rows_there = groups
    if len(groups) > MECHANISMS:
        first = sorted(groups, key=lambda name: all(row.ok for row in groups[name]))[:MECHANISMS]
        rows_there = {name: group for name, group in groups.items() if name in first}
        rest = [row for name in groups.keys() - rows_there.keys() for row in groups[name]]
        rows_there |= {f"{len(groups) - MECHANISMS} more": rest}
    for name, group in [*rows_there.items(), *([("all", list(rows))] if len(groups) > 1 else [])]:
        good = sum(row.ok for row in group)
        table.add_row(
            Text(visible(name)),
            Text(f"{good} / {len(group)}", style="" if good == len(group) else "red bold"),
            str(sum(row.ok and row.verdict is Verdict.VIOLATED for row in group)),
            _counts(group),
            f"{sum(row.seconds for row in group):.1f}",
        )
    return table


def groups_of(rows: Sequence[Row]) -> dict[tuple[str, str], list[Row]]:
    """The rows by mechanism (in order of appearance) and layer (in LAYERS' order, others last)."""
    mechanisms = list(dict.fromkeys(row.mechanism for row in rows))
    groups: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        groups.setdefault((row.mechanism, row.layer), []).append(row)

    def place(key: tuple[str, str]) -> tuple[int, int, str]:
        mechanism, layer = key
        return (
            mechanisms.index(mechanism),
            LAYERS.index(layer) if layer in LAYERS else len(LAYERS),
            layer,
        )

    return {key: groups[key] for key in sorted(groups, key=place)}


def faults(rows: Sequence[Row], output: Path, singly: bool = False) -> list[list[Text]]:
    """For each cause: its row's name, verdict, reason, and how to show its trace.

    The other rows of the cause are named. ``singly``: every row that is not in order is a cause.
    """
    single = (Cause(row, [], []) for row in rows if not row.ok)
    blocks = []
    for cause in single if singly else causes(rows):
        row = cause.row
        line = Text("not in order: ", style="red")
        line.append(visible(row.title()), style="bold not dim")
        line.append(f": {reason(row)}", style="default")
        lines = [line]
        if row.trace:
            lines.append(Text(visible(f"    {command('show', output, row.trace)}"), style="dim"))
        for words, links in (("for the same reason", cause.same), ("may follow", cause.follow)):
            if links:
                text = f"    {words} ({len(links)}): {named(links, row.mechanism)}"
                lines.append(Text(shorten(text, 2 * WIDTH), style="dim"))
        blocks.append(lines)
    return blocks


def command(name: str, output: Path, trace: str) -> str:
    """The command for a row's trace, ready to be pasted."""
    return f"wheelproof {name} {shlex.quote(str(output / trace))}"


def reason(row: Row) -> str:
    """Why a row is not in order, in one line; never empty."""
    by = f" by {row.property}" if row.property else ""
    why = row.why or f"expected {row.expected}, got {row.verdict}{by}"
    return visible("; ".join(line.strip() for line in why.split("\n")))


def expected_violations(rows: Sequence[Row]) -> list[Text]:
    """The violations that had to come, in a line each: they show that the checks can fail."""
    return [
        Text.assemble(("killed: ", "dim"), visible(kills(row)))
        for row in rows
        if row.ok and row.verdict is Verdict.VIOLATED
    ]


def kills(row: Row) -> str:
    """A violation as one phrase, with the depth where the figures have one."""
    depths = list(
        dict.fromkeys(value for name, value in row.figures.items() if name.startswith("depth"))
    )
    at = f" at depth {' / '.join(map(str, depths))}" if depths else ""
    return f"{row.name} by {row.property}{at} ({row.mechanism}, {row.layer})"


def _verdicts(group: Sequence[Row]) -> Text:
    """The words of a group; those not in order come first and are counted."""
    line = Text()
    for ok in (False, True):
        words = [row.verdict for row in group if row.ok is ok]
        for verdict in dict.fromkeys(sorted(words, key=list(Verdict).index)):
            counts = (
                f"{words.count(verdict)} "
                if len({row.verdict for row in group}) > 1 or not ok
                else ""
            )
            expectation = (
                " as expected"
                if ok and verdict is Verdict.VIOLATED
                else ""
                if ok
                else " (not in order)"
            )
            style = "green" if ok else "red" if _STYLES[verdict] == "green" else _STYLES[verdict]
            line.append(", " if line else "").append(f"{counts}{verdict}{expectation}", style=style)
    return line


def _bounds(group: Sequence[Row]) -> str:
    bounds = list(dict.fromkeys(row.bound for row in group if row.bound))
    if len(bounds) <= 2:
        return "; ".join(bounds)
    return f"{bounds[0]}; {len(bounds) - 1} more"


def _counts(group: Sequence[Row]) -> str:
    """Sums over the group; a dash where no row counts."""
    sums: list[int | None] = [None, None]
    for row in group:
        pair = next((pair for pair in _COUNTS if pair[0] in row.figures), ())
        for place, name in enumerate(pair):
            value = row.figures.get(name)
            if isinstance(value, int) and not isinstance(value, bool):
                sums[place] = (sums[place] or 0) + value
    if sums == [None, None]:
        return "-"
    return " / ".join("-" if value is None else f"{value:,}" for value in sums)
