"""The sum of a campaign's blocks, which is the same for every order and number of executors."""

from __future__ import annotations

import hashlib
import json
import re
import shlex
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from wheelproof import documents
from wheelproof.campaign import blocks
from wheelproof.campaign import manifest as manifests
from wheelproof.campaign.kind import CONTROL, Campaign, Failure, Result
from wheelproof.campaign.manifest import Manifest
from wheelproof.verdict import Row, exit_code

SUMMARY = "summary.json"
SCHEMA = "wheelproof.campaign.summary/1"

SHOWN = 20
"""Rows that are not in order, and failures, that are printed."""

LISTED = 1_000
"""Rows that are not in order, in the document."""


@dataclass
class Summary:
    """Counts over all finished blocks. ``wrong``: rows that are not in order."""

    kind: str
    units: int
    """Units of the campaign."""
    done: int = 0
    """Units of finished blocks."""
    verdicts: Counter[str] = field(default_factory=Counter)
    rows: int = 0
    """Rows of all units but the controls."""
    controls: int = 0
    rejected: int = 0
    """Controls that are rejected."""
    wrong: list[Row] = field(default_factory=list)
    failures: list[tuple[Path, str]] = field(default_factory=list)
    """File and command of each failure."""
    digest: str = ""
    seconds: float = 0.0
    """Of these rows together."""

    @property
    def complete(self) -> bool:
        return self.done == self.units

    @property
    def exit_code(self) -> int:
        """That of the gravest row; a campaign that is not complete shows nothing."""
        code = exit_code(self.wrong) if self.wrong else 0
        return code or (0 if self.complete else 3)

    def document(self) -> dict[str, Any]:
        return {
            "schema": SCHEMA,
            "kind": self.kind,
            "units": self.units,
            "done": self.done,
            "rows": self.rows,
            "verdicts": dict(sorted(self.verdicts.items())),
            "controls": self.controls,
            "controls_rejected": self.rejected,
            "digest": self.digest,
            "not_in_order": len(self.wrong),
            "wrong": [row.document() for row in self.wrong[:LISTED]],
            "failures": [[file.as_posix(), command] for file, command in self.failures],
        }


def read(folder: Path, manifest: Manifest, campaign: Campaign) -> Summary:
    """The summary of the blocks that are finished, with the files of their failures.

    Raises UsageError where a block is damaged, and ToolError where a file cannot be written.
    """
    summary = Summary(manifest.request.kind, len(manifest.units))
    digest = hashlib.sha256()
    for unit, result in _results(folder, manifest):
        summary.done += 1
        parts = [campaign.compared(row) for row in result.rows]
        failure = result.failure and result.failure.text
        digest.update(json.dumps([unit, parts, failure], sort_keys=True).encode())
        summary.wrong += [row for row in result.rows if not row.ok]
        if unit.startswith(CONTROL):
            summary.controls += 1
            summary.rejected += all(row.ok for row in result.rows)
        else:
            summary.verdicts.update(row.verdict for row in result.rows)
            summary.rows += len(result.rows)
            summary.seconds += sum(row.seconds for row in result.rows)
        if result.failure is not None:
            summary.failures.append(_write(folder, unit, result.failure))
    summary.digest = digest.hexdigest()
    return summary


def _results(folder: Path, manifest: Manifest) -> Iterator[tuple[str, Result]]:
    for number in sorted(manifests.finished(folder, manifest)):
        yield from blocks.load(folder, manifest, number)


def _write(folder: Path, unit: str, failure: Failure) -> tuple[Path, str]:
    """The file of a failure, and its command."""
    name = re.sub(r"\W+", "_", unit).strip("_")
    if not re.fullmatch(r"[\w ]+", unit):  # two units may differ in signs alone
        name += "_" + hashlib.sha256(unit.encode()).hexdigest()[:6]
    file = folder / manifests.FAILURES / f"{name}{failure.suffix}"
    documents.write_text(file, failure.text)
    return file, failure.command.format(shlex.quote(file.as_posix()))


def lines(summary: Summary) -> Iterator[str]:
    """The summary as it is printed."""
    for row in summary.wrong[:SHOWN]:
        yield f"{row.title()}: {row.verdict}: {row.why}"
    if len(summary.wrong) > SHOWN:
        yield f"({len(summary.wrong) - SHOWN:,} more rows are not in order)"
    for _, command in summary.failures[:SHOWN]:
        yield f"again: {command}"
    if len(summary.failures) > SHOWN:
        yield f"({len(summary.failures) - SHOWN:,} more in the folder {manifests.FAILURES})"
    counts = ", ".join(f"{count:,} {verdict}" for verdict, count in summary.verdicts.most_common())
    yield (
        f"{summary.kind}: {summary.done:,} of {summary.units:,} units, "
        f"{summary.rejected} of {summary.controls} planted faults rejected"
    )
    wrong = f"{len(summary.wrong):,} not in order" if summary.wrong else "all in order"
    yield f"{summary.rows:,} rows, {wrong}: {counts or 'none'}"
    if summary.complete:
        yield f"digest {summary.digest[:16]}, whatever the blocks and the executors"
