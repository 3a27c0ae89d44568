"""Changes by hand, judged by the gate as drawn ones are."""

from __future__ import annotations

from pathlib import Path

import pytest

from wheelproof.mutate import (
    draw,
    run,
)
from wheelproof.mutate.change import Change
from wheelproof.mutate.draw import Drawn, Options
from wheelproof.mutate.run import Mutation
from wheelproof.verdict import Row

ROOT = Path(__file__).parents[3]
IMPL = "impl/one_shot.py"


def changed(copy: Path, file: str, old: str, new: str, artefact: str = "impl") -> Change:
    """One change by hand, as the catalogue would make it."""
    text = (copy / file).read_text(encoding="utf-8")
    assert text.count(old) == 1
    return Change(
        artefact,
        file,
        text[: text.index(old)].count("\n") + 1,
        "by hand",
        "by.hand",
        text,
        text.replace(old, new),
        text,
    )


def judged(copy: Path, runs: Path, monkeypatch: pytest.MonkeyPatch, *changes: Change) -> list[Row]:
    """The rows of a run in which exactly these changes are drawn."""
    options = Options(
        ("one_shot",),
        tuple(dict.fromkeys(change.artefact for change in changes)),
        1,
        1,
        copy,
        runs,
        tests=False,
    )

    def drawn(options: Options, root: Path, plan) -> list[Drawn]:
        groups = plan.groups(options.mechanisms, options.artefacts)
        return [
            Drawn(
                group,
                [*draw.changes_of(root, group), *changes],
                [change for change in changes if change.artefact == group.artefact],
            )
            for group in groups
        ]

    monkeypatch.setattr(run, "draw", drawn)
    return Mutation(options, lambda text: None).run()


def row_of(rows: list[Row], change: Change) -> Row:
    return next(row for row in rows if row.name == change.title)
