"""The row of one judged change."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypedDict

from wheelproof.mutate.change import Change
from wheelproof.mutate.declared import Declared
from wheelproof.mutate.finding import Judged
from wheelproof.verdict import Row, Verdict, judge

LAYER = "mutate"


class _Common(TypedDict):
    figures: Mapping[str, object]
    seconds: float


def row_of(
    mechanism: str,
    change: Change,
    judged: Judged,
    known: Declared | None,
    unsound: Mapping[str, str],
) -> Row:
    """The row of a judged change.

    ``known``: its declaration as equivalent. ``unsound``: check -> why it rejects the unchanged
    project; rejections by such a check are errors.
    """
    found = judged.finding
    figures = {
        "artefact": change.artefact,
        "operator": change.operator,
        "place": change.place,
        "check": found.check,
        "diff": change.hunk(1),
        "checks": len(judged.seconds),
    }
    common: _Common = {"figures": figures, "seconds": sum(judged.seconds.values())}
    named = (mechanism, LAYER, change.title)
    used = list(judged.seconds)[-1] if judged.seconds else ""
    if found.word == "rejected" and used in unsound:
        return judge(
            *named,
            expected="violated",
            verdict="error",
            why=f"{used} rejects the unchanged project too: {unsound[used]}",
            **common,
        )
    if found.word == "rejected":
        fault = f"it is declared equivalent, but {found.check} rejects it" if known else ""
        return judge(
            *named,
            expected="violated",
            verdict="violated",
            expected_property=found.by,
            property=found.by,
            fault=fault,
            why=f"{found.check}: {found.why}",
            **common,
        )
    if found.word == "unloadable":
        return judge(
            *named,
            expected="violated",
            verdict="violated",
            expected_property="unloadable",
            property="unloadable",
            why=found.why,
            **common,
        )
    if found.word == "equivalent" or found.word == "passed" and known:
        return judge(
            *named,
            expected="exhaustive",
            verdict="exhaustive",
            why=f"equivalent: {known.reason if known else found.why}",
            **common,
        )
    if found.word == "passed":
        return judge(
            *named,
            expected="violated",
            verdict=Verdict.SAMPLED,
            why=f"survived {len(judged.seconds)} checks"
            if judged.seconds
            else f"no check that takes part sees {change.file}",
            **common,
        )
    return judge(
        *named,
        expected="violated",
        verdict="inconclusive" if found.word == "inconclusive" else "error",
        why=f"{found.check}: {found.why}",
        **common,
    )
