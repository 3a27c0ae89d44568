"""The table of comparisons in the JVM, as Markdown: it holds counts and no times."""

from collections.abc import Sequence

from wheelproof.report.review import escape
from wheelproof.verdict import Row

_HEAD = """| mechanism | check | model edges | compared | states | edges | pairs | verdict |
|---|---|---:|---:|---:|---:|---:|---|
"""
_COUNTS = ("model_edges", "compared_edges", "impl_states", "impl_edges", "pairs")


def render(rows: Sequence[Row]) -> str:
    """A line for each scenario and a last one with the sums; checks without counts are left out."""
    checks = [row for row in rows if row.layer == "jvm" and row.expected != "violated"]
    checks = [row for row in checks if all(name in row.figures for name in _COUNTS)]
    lines = []
    for row in checks:
        counts = " | ".join(f"{row.figures[name]:,}" for name in _COUNTS)
        lines.append(
            f"| {escape(row.mechanism)} | {escape(row.name)} | {counts} | {row.verdict} |\n"
        )
    sums = " | ".join(f"{sum(row.figures[name] for row in checks):,}" for name in _COUNTS)
    good = f"{sum(row.ok for row in checks)} of {len(checks)} in order"
    return _HEAD + "".join(lines) + f"| all | | {sums} | {good} |\n"
