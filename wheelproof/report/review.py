"""The design review on a screen for each mechanism, in Markdown.

It has the claims, the rows that are not in order, and the limits. The page has the rest: checks,
properties, decisions and counterexamples. Made from results, the project's declarations and
counterexamples only; equal input gives equal bytes.
"""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from wheelproof.console import visible
from wheelproof.counterexample import columns
from wheelproof.counterexample.document import Counterexample
from wheelproof.counterexample.explored import Explored
from wheelproof.project.mechanism import Mechanism
from wheelproof.report import contents
from wheelproof.report.contents import Claim, Part
from wheelproof.report.terminal import reason, verdict_line
from wheelproof.verdict import Results, Row

WIDTH = 120
BOUNDS = 3
"""Bounds of a layer that its line names."""


class Ready(str):
    """Text that is Markdown already and is not escaped again."""


def render(
    results: Results,
    mechanisms: Mapping[str, Mechanism],
    traces: Mapping[str, Counterexample],
    root: Path,
    output: Path,
    orders: Mapping[str, Explored] | None = None,
) -> str:
    """The Markdown text.

    `mechanisms`: the project's, by name; `traces`: the counterexamples by the file that `Row.trace`
    names, as far as they could be read; `root`: the project's folder, for the text of source lines;
    `output`: the folder below which the traces are, for the commands; `orders`: as `traces`, of the
    orders in which tests of plain threads fail.
    """
    environment = Environment(
        loader=PackageLoader("wheelproof.report", ""),
        undefined=StrictUndefined,
        finalize=escape,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )

    def block(row: Row) -> Ready | str:
        if orders and row.trace is not None and row.trace in orders:
            return fenced(orders[row.trace].text(WIDTH))
        return _block(row, traces, root, output)

    return environment.get_template("review.md.j2").render(
        results=results,
        verdict=verdict_line(results).plain,
        parts=contents.parts(results, mechanisms),
        unchecked=contents.unchecked(results, mechanisms),
        tools=sorted(results.tools.items()),
        bounds=_bounds,
        killed=_kills,
        reason=reason,
        block=block,
    )


def escape(value: Any) -> str:
    """Text as Markdown without any mark-up, tag, cell's end or new line in it."""
    if isinstance(value, Ready):
        return value
    text = visible(str(value))
    text = re.sub(r"[\\`*<>|\[\]&~$]", r"\\\g<0>", text)
    # Inside a word an underscore is no emphasis, and names stay readable as source.
    return re.sub(r"(?<![^\W_])_|_(?![^\W_])", r"\\_", text)


def fenced(text: str) -> Ready:
    """A block of literal text, with a fence longer than any in the text."""
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return Ready(f"{fence}text\n{text}\n{fence}")


def _bounds(claim: Claim) -> str:
    bounds = "; ".join(claim.bounds[:BOUNDS])
    return bounds + (f"; {len(claim.bounds) - BOUNDS} more" if len(claim.bounds) > BOUNDS else "")


def _kills(part: Part) -> str:
    """The declared mutants in one sentence."""
    counts = {
        "killed": [run for run in part.runs if run.outcome.startswith("killed")],
        "shown equivalent": [run for run in part.runs if run.outcome == "exhaustive"],
        "not run": [run for run in part.runs if run.outcome == "not run"],
    }
    rest = len(part.runs) - sum(map(len, counts.values()))
    parts = [f"{len(runs)} {outcome}" for outcome, runs in counts.items() if runs]
    return ", ".join([*parts, *([f"{rest} NOT IN ORDER"] if rest else [])])


def _block(row: Row, traces: Mapping[str, Counterexample], root: Path, output: Path) -> Ready | str:
    if row.trace is None:
        return "There is no trace."
    if row.trace not in traces:
        return f"The trace {row.trace} could not be read."
    return fenced(
        "\n".join(
            line.plain
            for line in columns.render(traces[row.trace], WIDTH, root, str(output / row.trace))
        )
    )
