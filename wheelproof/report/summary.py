"""The summary of a run for a pull request: Markdown of at most ten lines."""

import re
from collections.abc import Iterator
from pathlib import Path

from wheelproof.console import visible
from wheelproof.report.terminal import command, reason, verdict_line
from wheelproof.verdict import Results

SHOWN = 4
"""Findings that have a line; the others are counted."""
WIDEST = 300
"""Characters of a finding's line."""


def render(results: Results, output: Path) -> str:
    """The verdict, the first findings with their commands, and the layers that were not run."""
    return "\n".join(_lines(results, output)) + "\n"


def _lines(results: Results, output: Path) -> Iterator[str]:
    yield f"**{_text(verdict_line(results).plain)}**"
    yield ""
    bad = [row for row in results.rows if not row.ok]
    for row in bad[:SHOWN]:
        name = f"{row.mechanism} / {row.layer} / {row.name}"
        hint = f": {_code(command('show', output, row.trace))}" if row.trace else ""
        yield f"* {_text(f'{name}: {reason(row)}')}{hint}"
    if len(bad) > SHOWN:
        yield f"* and {len(bad) - SHOWN} more"
    if not bad:
        mechanisms = sorted({row.mechanism for row in results.rows})
        yield f"Mechanisms: {_text(', '.join(mechanisms)) or 'none'}"
    if results.not_run:
        yield ""
        yield f"Not run: {_text(', '.join(f'layer {layer}' for layer in results.not_run))}"


def _code(text: str) -> str:
    """One line of code, between more backticks than stand in it together."""
    clean = visible(text)
    ticks = "`" * (1 + max(map(len, re.findall(r"`+", clean)), default=0))
    return f"{ticks} {clean} {ticks}" if len(ticks) > 1 else f"`{clean}`"


def _text(text: str) -> str:
    """One line that Markdown shows as it is."""
    clean = visible(text)
    clean = clean if len(clean) <= WIDEST else f"{clean[: WIDEST - 3]}..."
    return "".join(f"\\{sign}" if sign in "\\`*_[]<>#|" else sign for sign in clean)
