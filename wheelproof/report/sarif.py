"""SARIF 2.1.0 and GitHub's annotations: the findings at their lines, for a code host's view.

A finding's line is that of the last step of its counterexample which has one.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

from wheelproof import __version__
from wheelproof.console import visible
from wheelproof.documents import encode
from wheelproof.report.places import Runs, of_counterexample
from wheelproof.report.terminal import command, reason
from wheelproof.verdict import Results, Row, Verdict

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


def render(results: Results, runs: Runs, output: Path, prefix: str = "") -> str:
    """The document. ``runs``: the counterexamples by name; ``output``: their folder.

    ``prefix``: the project's folder in its repository, with a slash.

    A run that was broken off is no successful execution.
    """
    bad = [row for row in results.rows if not row.ok]
    rules = sorted({_rule(row) for row in bad})
    return encode(
        {
            "$schema": SCHEMA,
            "version": "2.1.0",
            "runs": [
                {
                    "tool": {
                        "driver": {
                            "name": "wheelproof",
                            "version": __version__,
                            "rules": [{"id": rule} for rule in rules],
                        }
                    },
                    "invocations": [
                        {"executionSuccessful": results.complete and bool(results.rows)}
                    ],
                    "results": [_result(row, runs, output, prefix) for row in bad],
                }
            ],
        }
    )


def annotations(results: Results, runs: Runs, prefix: str = "") -> Iterator[str]:
    """The findings as GitHub's workflow commands, a line each."""
    for row in results.rows:
        if not row.ok:
            fields = {"title": f"{row.mechanism} / {row.layer} / {row.name}"}
            if place := of_counterexample(row, runs):
                fields = {"file": f"{prefix}{place[0]}", "line": str(place[1]), **fields}
            options = ",".join(f"{name}={_field(text)}" for name, text in fields.items())
            yield f"::error {options}::{_escape(reason(row))}"


def _rule(row: Row) -> str:
    if row.property and row.verdict is Verdict.VIOLATED:
        return visible(row.property)
    return visible(f"{row.layer}.{row.verdict}")


def _result(row: Row, runs: Runs, output: Path, prefix: str) -> dict[str, Any]:
    message = f"{row.mechanism} / {row.layer} / {row.name}: {reason(row)}"
    if row.trace:
        message += f" ({command('show', output, row.trace)})"
    result: dict[str, Any] = {
        "ruleId": _rule(row),
        "level": "error",
        "message": {"text": visible(message)},
        "partialFingerprints": {"check/v1": f"{row.mechanism}/{row.layer}/{row.name}"},
    }
    if place := of_counterexample(row, runs):
        result["locations"] = [
            {
                "physicalLocation": {
                    "artifactLocation": {"uri": quote(f"{prefix}{place[0]}")},
                    "region": {"startLine": place[1]},
                }
            }
        ]
    return result


def _escape(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _field(text: str) -> str:
    return _escape(text).replace(":", "%3A").replace(",", "%2C")
