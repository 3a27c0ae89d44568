"""The row of one judged change."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypedDict

from wheelproof.mutate.change import Change
from wheelproof.mutate.declared import Declared
from wheelproof.mutate.finding import Judged
from wheelproof.verdict import Row, Verdict, judge

LAYER = "mutate"

SAMPLE = ", sample"
"""The end of the name of the row that counts an artefact's changes by their outcomes."""


class _Common(TypedDict):
    figures: Mapping[str, object]
    seconds: float


def row_of(
    mechanism: str,
    change: Change,
    judgement: Judged,
    declaration: Declared | None,
    unsound: Mapping[str, str],
) -> Row:
    """The row of a judged change.

    ``declaration``: its declaration as equivalent. ``unsound``: check -> why it rejects the
    unchanged project; rejections by such a check are errors.
    """
    finding = judgement.finding
    figures = {
        "artefact": change.artefact,
        "operator": change.operator,
        "place": change.place,
        "check": finding.check,
        "diff": change.hunk(1),
        "checks": len(judgement.seconds),
    }
    common: _Common = {"figures": figures, "seconds": sum(judgement.seconds.values())}
    title = (mechanism, LAYER, change.title)
    last = list(judgement.seconds)[-1] if judgement.seconds else ""
    if finding.word == "rejected" and last in unsound:
        return judge(
            *title,
            expected="violated",
            verdict="error",
            why=f"{last} rejects the unchanged project too: {unsound[last]}",
            **common,
        )
    if finding.word == "rejected":
        fault = f"it is declared equivalent, but {finding.check} rejects it" if declaration else ""
        return judge(
            *title,
            expected="violated",
            verdict="violated",
            expected_property=finding.by,
            property=finding.by,
            fault=fault,
            why=f"{finding.check}: {finding.why}",
            **common,
        )
    if finding.word == "unloadable":
        return judge(
            *title,
            expected="violated",
            verdict="violated",
            expected_property="unloadable",
            property="unloadable",
            why=finding.why,
            **common,
        )
    if finding.word == "equivalent" or finding.word == "passed" and declaration:
        return judge(
            *title,
            expected="exhaustive",
            verdict="exhaustive",
            why=f"equivalent: {declaration.reason if declaration else finding.why}",
            **common,
        )
    if finding.word == "passed":
        return judge(
            *title,
            expected="violated",
            verdict=Verdict.SAMPLED,
            why=f"survived {len(judgement.seconds)} checks"
            if judgement.seconds
            else f"no check that takes part sees {change.file}",
            **common,
        )
    return judge(
        *title,
        expected="violated",
        verdict="inconclusive" if finding.word == "inconclusive" else "error",
        why=f"{finding.check}: {finding.why}",
        **common,
    )
