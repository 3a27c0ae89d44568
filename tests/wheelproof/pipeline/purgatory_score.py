"""Damages of the purgatory's recordings, and what notices each: the mutation score of its events.

The recordings are runs of the implementation under drawn schedules. Every kind of event is changed
in every way, in both styles of :mod:`benchmarks.mutations`. The rules in bulk must reject the
changed recording. A changed behaviour that the model follows is a run like any other.

`python tests/wheelproof/pipeline/purgatory_score.py` prints the score as Markdown; `--write` makes
``purgatory_damages.toml`` anew, which names the rules of each change.
"""

from __future__ import annotations

import json
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[3]
sys.path[:0] = [str(Path(__file__).parent), str(ROOT)]

import checked  # noqa: E402
import equivalents  # noqa: E402

from benchmarks import mutations  # noqa: E402
from tests.wheelproof.trace.followed import by_model  # noqa: E402
from traces.bulk import FAMILIES  # noqa: E402
from wheelproof import project  # noqa: E402
from wheelproof.pipeline.rule import Family  # noqa: E402
from wheelproof.trace import examples  # noqa: E402
from wheelproof.trace.judging.verdict import CONFORMS  # noqa: E402
from wheelproof.trace.recording.record import Recorded, record  # noqa: E402
from wheelproof.trace.violating import Search  # noqa: E402

NAME, SEED = "purgatory", 1
RUNS = (
    ("list_removed", ""),
    ("other_list", "OtherListMeanwhile"),
    ("cancelled_event", ""),
    ("raising", "Unwinding"),
    ("expiry", "ExpiryWins"),
    ("expiry", "ExpiryTooLate"),
    ("event", "SecondTryCompletes"),
    ("pending_event", "ReadsNote"),
)
"""Scenarios, each with the witness that its run comes through. Together they have every kind of the
purgatory's events."""

REJECTED, RUN, COMMUTES, PASSED = "rejected", "a run of the model", "steps that commute", "passed"

FILE = Path(__file__).parent / "purgatory_damages.toml"
HEAD = """\
# Changed recordings of the purgatory: style, kind of event and change -> the rules in bulk that
# reject one. `python tests/wheelproof/pipeline/purgatory_score.py --write` makes this file.
"""

Event = dict[str, Any]


@dataclass(frozen=True)
class Damage:
    """One change of a recording. ``run``: one of ``RUNS``."""

    run: tuple[str, str]
    style: str
    kind: str
    operator: str
    seed: int

    @property
    def row(self) -> str:
        """How tables name it."""
        return f"{self.style} {self.kind} {self.operator}"


@cache
def recording(scenario: str, witness: str) -> Recorded:
    """A run of the implementation under a schedule that the model draws, through the witness."""
    mechanisms = project.find(ROOT)
    mechanism = mechanisms[NAME]
    if witness:
        search = Search(mechanism.model(scenario), examples.BOUND)
        holds = search.model.holds
        number = next(each for each in search.all() if holds(witness, search.states[each]))
        schedule = examples.completed(mechanism, search, number, SEED)
    else:
        schedule = examples.random_schedule(mechanism, scenario, SEED)
    return record(mechanisms, NAME, scenario, f"{scenario}-{witness}", schedule=schedule)


@cache
def conforming(scenario: str, witness: str) -> list[Event]:
    """Its events, numbered as those of a changed behaviour are."""
    return mutations.renumbered([dict(event) for event in recording(scenario, witness).events])


def damages(runs: Iterable[tuple[str, str]], seeds: int = 1) -> Iterator[Damage]:
    """Every change of the runs."""
    for run in runs:
        events = conforming(*run)
        for style in mutations.STYLES:
            for kind, operator, seed, _ in mutations.all_mutants(events, style, seeds):
                yield Damage(run, style, kind, operator, seed)


def changed(damage: Damage) -> list[Event]:
    made = mutations.mutate(
        conforming(*damage.run), damage.kind, damage.operator, damage.style, damage.seed
    )
    assert made is not None
    return made


def footer(damage: Damage, events: list[Event]) -> dict[str, Any]:
    """A changed log keeps the footer of what was recorded."""
    of = conforming(*damage.run) if damage.style == "log" else events
    return checked.footer_of(recording(*damage.run).header, of)


def trace(damage: Damage) -> checked.Trace:
    events = changed(damage)
    return recording(*damage.run).header, events, footer(damage, events)


def rules(damages: Iterable[Damage], families: Iterable[Family] = FAMILIES) -> list[Counter[str]]:
    """The rules of the table that reject each damage."""
    return [answer.broken for answer in checked.judge(map(trace, damages), families)]


def outcome(damage: Damage, broken: Counter[str]) -> str:
    """``REJECTED``, or why it need not be, or ``PASSED``."""
    if broken:
        return REJECTED
    before, after = conforming(*damage.run), changed(damage)
    given = damage.kind, damage.operator, damage.style, damage.seed
    if damage.operator == "swap" and mutations.commute(before, *given):
        return COMMUTES
    if damage.style == "log" and equivalents.another_clock(before, after):
        return equivalents.CLOCK
    if damage.style == "behaviour" and (free := equivalents.freedom(before, after)):
        return free
    followed, _ = by_model(recording(*damage.run).header, after, footer(damage, after))
    return RUN if followed.verdict == CONFORMS else PASSED


def named(changes: Iterable[Damage]) -> dict[str, list[str]]:
    """Row -> the rules that reject some damage of it; rows without a rule are left out."""
    rows: dict[str, set[str]] = defaultdict(set)
    made = [*changes]
    for damage, broken in zip(made, rules(made), strict=True):
        rows[damage.row] |= broken.keys()
    return {row: sorted(rows[row]) for row in sorted(rows) if rows[row]}


def written(rows: dict[str, list[str]]) -> str:
    """The text of the file."""
    lines = [f"{json.dumps(row)} = {json.dumps(names)}" for row, names in rows.items()]
    return "\n".join((HEAD, *lines, ""))


def table() -> str:
    """The score as Markdown."""
    score: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    passed: dict[tuple[str, str], set[str]] = defaultdict(set)
    made = [*damages(RUNS)]
    for damage, broken in zip(made, rules(made), strict=True):
        found = outcome(damage, broken)
        score[damage.style, damage.operator][found] += 1
        if found == PASSED:
            passed[damage.style, damage.operator].add(f"`{damage.kind}`")
    lines = [
        "| changed | how | rejected | also a run | passed | of which kinds |",
        "|---|---|---|---|---|---|",
    ]
    for (style, operator), counts in score.items():
        free = counts.total() - counts[REJECTED] - counts[PASSED]
        kinds = ", ".join(sorted(passed[style, operator]))
        lines.append(
            f"| {style} | {operator} | {counts[REJECTED]} | {free} | {counts[PASSED]} | {kinds} |"
        )
    return "\n".join(lines)


if __name__ == "__main__":
    if sys.argv[1:] == ["--write"]:
        FILE.write_text(written(named(damages(RUNS))), encoding="utf-8")
    else:
        print(table())
