"""``wheelproof tla --examples``: the small models of tlaplus/Examples, as a table."""

from __future__ import annotations

import subprocess
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from wheelproof import documents
from wheelproof.errors import NothingChecked, UsageError, WheelproofError
from wheelproof.tla import export
from wheelproof.tla.plain.comparison import Agreement, Comparison, Subject, compare
from wheelproof.tla.plain.machine import Machine
from wheelproof.tlc.result import Outcome

ADDRESS = "https://github.com/tlaplus/Examples"
COMMIT = "32a32c7b0b97562da2dd4b2e55b7f81cd6fea2b9"
"""The commit of the table in docs/tla.md."""

SMALL = 50_000
"""The most distinct states of a small model, as its manifest declares them."""

_CODES = {Agreement.DIFFERENT: 4, Agreement.NO_TLC: 4, Agreement.REFUSED: 2}


@dataclass(frozen=True)
class Model:
    """A model of a manifest, with the counts that it declares."""

    name: str
    module: Path
    config: Path
    distinct: int
    generated: int | None


def run(folder: Path, states: int, timeout: float) -> int:
    """Print the table; the exit code, the first of 4 and 2 that a model has, else 0.

    Raises NothingChecked where the folder is no clone.
    """
    models = list(small(folder))
    if not models:
        raise NothingChecked(
            f"{folder} has no models of tlaplus/Examples.",
            f"Run `git clone {ADDRESS} && git -C Examples checkout {COMMIT[:12]}`, and give "
            "--examples Examples.",
        )
    subjects = {model.name: _subject(model) for model in models}
    export.prepare(
        source for subject in subjects.values() if (source := _source(subject)) is not None
    )
    rows, codes, counts = [], set[int](), Counter[str]()
    for model in models:
        kind, row = _row(model, subjects[model.name], states, timeout)
        counts[kind] += 1
        codes.add(_CODES.get(kind, 0))
        rows.append(row)
        print(f"{len(rows)} of {len(models)}: {model.name}, {kind}", flush=True)
    print(f"\nCommit {commit(folder)}: {len(models)} models of at most {SMALL:,} states.")
    print(", ".join(f"{counts[kind]} {kind}" for kind in Agreement if counts[kind]) + ".\n")
    print("| model | distinct | generated | outcome |\n|---|---|---|---|")
    print("\n".join(rows))
    return next((code for code in (4, 2) if code in codes), 0)


def small(folder: Path) -> Iterator[Model]:
    """The small models of all manifests, in their order."""
    for manifest in sorted(folder.glob("specifications/*/manifest.json")):
        content = documents.foreign(manifest)
        try:
            yield from _of_manifest(folder, content)
        except (KeyError, TypeError) as error:
            raise UsageError(
                f"{manifest} is no manifest of models ({error!r}).", f"Check out {COMMIT[:12]}."
            ) from error


def _of_manifest(folder: Path, content: Any) -> Iterator[Model]:
    for module in content["modules"]:
        for model in module["models"]:
            distinct = model.get("distinctStates")
            if distinct and distinct <= SMALL:
                config = Path(model["path"])
                name = config.relative_to("specifications").with_suffix("").as_posix()
                yield Model(
                    name,
                    folder / module["path"],
                    folder / config,
                    distinct,
                    model.get("totalStates"),
                )


def commit(folder: Path) -> str:
    """The commit of a clone, as far as git says one."""
    process = subprocess.run(
        ["git", "-C", str(folder), "rev-parse", "--short=12", "HEAD"],
        capture_output=True,
        text=True,
    )
    return process.stdout.strip() or "unknown"


def _subject(model: Model) -> Subject | WheelproofError:
    try:
        return Subject.with_libraries(model.module, model.config)
    except WheelproofError as error:
        return error


def _source(subject: Subject | WheelproofError) -> export.Source | None:
    return subject.source if isinstance(subject, Subject) else None


def _row(
    model: Model, subject: Subject | WheelproofError, states: int, timeout: float
) -> tuple[Agreement, str]:
    if isinstance(subject, WheelproofError):
        return Agreement.REFUSED, _line(model, None, f"refused: {subject.message}")
    machine: Machine | WheelproofError
    try:
        machine = subject.machine()
    except WheelproofError as error:
        machine = error
    comparison = compare(subject, machine, states, timeout, temporal=False)
    if (refusal := comparison.refusal) is not None:
        return Agreement.REFUSED, _line(model, None, f"refused: {refusal.message}")
    kind = _agreement(model, comparison)
    return kind, _line(model, comparison, _outcome(kind, comparison))


def _agreement(model: Model, comparison: Comparison) -> Agreement:
    """The agreement with TLC, and with the manifest where TLC gives no verdict."""
    exploration, kind = comparison.explored, comparison.agreement
    if (
        exploration is not None
        and exploration.distinct != model.distinct
        and not exploration.violated
    ):
        return Agreement.DIFFERENT
    return kind


def _outcome(kind: Agreement, comparison: Comparison) -> str:
    result = comparison.tlc
    match kind:
        case Agreement.DISTINCT:
            places = "; ".join(map(str, comparison.uncounted)) or "no reason is known"
            return (
                f"{kind}; TLC generates {result.generated:,}: it takes a function apart, {places}"
            )
        case Agreement.DIFFERENT:
            return f"different: TLC has {result.distinct} and {result.generated}"
        case Agreement.NO_TLC:
            reason = "time" if result.outcome is Outcome.INCONCLUSIVE else result.explanation
            return f"as in the manifest; {kind}: {reason}"
    return str(kind)


def _line(model: Model, comparison: Comparison | None, outcome: str) -> str:
    exploration = None if comparison is None else comparison.explored
    counts = ("", "") if exploration is None else (exploration.distinct, exploration.generated)
    figures = [f"{count:,}" if isinstance(count, int) else "-" for count in counts]
    words = " ".join(outcome.split()).replace("|", "\\|")
    return f"| {model.name} | {' | '.join(figures)} | {words} |"
