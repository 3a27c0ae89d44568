"""The tests that were not run, by reason: a missing tool is reported by name, in every run."""

from collections import Counter


def show(terminalreporter) -> None:
    """Print one line for each reason for which tests or whole files were skipped."""
    reasons = Counter(_reason(report) for report in terminalreporter.stats.get("skipped", ()))
    for reason, count in sorted(reasons.items()):
        terminalreporter.write_line(f"NOT RUN, {count} skipped: {reason}")


def _reason(report) -> str:
    """The reason without pytest's first word; a report of xdist has a list for the tuple."""
    where = report.longrepr
    text = where[2] if isinstance(where, tuple | list) else str(where)
    return " ".join(text.removeprefix("Skipped:").split()).removeprefix("NOT RUN: ")
