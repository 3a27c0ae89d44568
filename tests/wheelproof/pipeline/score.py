"""Prints the mutation score of the rules as Markdown: every kind of event, changed in every way, in
both styles. By the table of rules on DuckDB, as `wheelproof trace check` has it.

`python tests/wheelproof/pipeline/score.py [SEEDS]`.
"""

from __future__ import annotations

import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

import checked
import equivalents

from benchmarks import mutations
from benchmarks.simulate import Simulator
from benchmarks.simulated_log import header
from wheelproof.trace.format.tally import Tally

REJECTED, COMMUTES, PASSED = "rejected", "steps that commute", "passed"


def footer(events: list[dict]) -> dict:
    tally = Tally(header("x"))
    for event in events:
        tally.count(event)
    return tally.footer()


Changed = tuple[str, str, int, str, list[dict]]
"""Kind, operator, seed, style and events."""


def outcome(conforming: list[dict], changed: Changed, refused: bool) -> str:
    """``REJECTED``, ``COMMUTES``, the name of a freedom, or ``PASSED``."""
    kind, operator, seed, style, events = changed
    if refused:
        return REJECTED
    if style == "behaviour" and (free := equivalents.freedom(conforming, events)):
        return free
    if style == "log" and equivalents.another_clock(conforming, events):
        return equivalents.CLOCK
    return (
        COMMUTES
        if operator == "swap" and mutations.commute(conforming, kind, operator, style, seed)
        else PASSED
    )


def changes(conforming: list[dict], seeds: int) -> Iterator[Changed]:
    """Every kind of event, changed in every way."""
    for style in mutations.STYLES:
        for kind, operator, seed, events in mutations.all_mutants(conforming, style, seeds):
            yield kind, operator, seed, style, events


def trace(changed: Changed, whole: dict) -> checked.Trace:
    """A changed run. ``whole``: the footer of the right one, which a log has still."""
    style, events = changed[3:]
    return header("x"), events, whole if style == "log" else footer(events)


def main(seeds: int) -> None:
    conforming = Simulator(3, 30).run()
    whole, score, passed = footer(conforming), defaultdict(Counter), defaultdict(Counter)
    answers = checked.judge(trace(each, whole) for each in changes(conforming, seeds))
    for changed, answer in zip(changes(conforming, seeds), answers):
        kind, operator, _, style, _ = changed
        found = outcome(conforming, changed, bool(answer.broken))
        score[style, operator][found] += 1
        if found != REJECTED and found != COMMUTES:
            passed[style, operator][f"`{kind}`" + ("" if found == PASSED else f" ({found})")] += 1
    print(
        "| changed | how | rejected | steps that commute | a freedom | passed | of which kinds "
        "|\n|---|---|---|---|---|---|---|"
    )
    for (style, operator), counts in score.items():
        free = sum(counts[name] for name in (*equivalents.FREEDOMS, equivalents.CLOCK))
        print(
            f"| {style} | {operator} | {counts[REJECTED]} | {counts[COMMUTES]} | {free} | "
            f"{counts[PASSED]} | {', '.join(sorted(passed[style, operator]))} |"
        )
    for style in mutations.STYLES:
        total = sum((counts for (name, _), counts in score.items() if name == style), Counter())
        print(
            f"\n{style}: {total[REJECTED]} of {total.total()} rejected, "
            f"{total.total() - total[REJECTED] - total[PASSED]} shown equivalent, "
            f"{total[PASSED]} passed: "
            f"{100 * (1 - total[PASSED] / total.total()):.1f} % decided"
        )


if __name__ == "__main__":
    main(int(sys.argv[1]) if sys.argv[1:] else 3)
