"""Prints the mutation score of the rules as Markdown: every kind of event, changed in every way, in both styles. By the plain machine, to which
test_rules.py holds Spark.

`python tests/wheelproof/pipeline/score.py [SEEDS]`
"""

from __future__ import annotations

import sys
from collections import Counter, defaultdict
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

import machine
import mutations

from wheelproof.pipeline.simulate import Simulator, header
from wheelproof.trace.jsonl import Tally


def main(seeds: int) -> None:
    conforming = Simulator(3, 30).run()

    def footer(events: list[dict]) -> dict:
        tally = Tally(header("x"))
        for event in events:
            tally.count(event)
        return tally.footer()

    whole, score, passed = footer(conforming), defaultdict(Counter), defaultdict(Counter)
    for style in mutations.STYLES:
        for kind, operator, seed, events in mutations.all_mutants(conforming, style, seeds):
            rejected = machine.violations(header("x"), whole if style == "log" else footer(events), events)
            commutes = not rejected and operator == "swap" and mutations.commute(conforming, kind, operator, style, seed)
            score[style, operator]["rejected" if rejected else "commute" if commutes else "passed"] += 1
            if not rejected and not commutes:
                passed[style, operator][kind] += 1
    print("| changed | how | rejected | steps that commute | passed | of which kinds |\n|---|---|---|---|---|---|")
    for (style, operator), counts in score.items():
        kinds = ", ".join(f"`{kind}`" for kind in sorted(passed[style, operator]))
        print(f"| {style} | {operator} | {counts['rejected']} | {counts['commute']} | {counts['passed']} | {kinds} |")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 3)
