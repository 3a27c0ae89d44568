"""The output of `wheelproof mutate`: tables and files."""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping
from dataclasses import replace

from wheelproof import doctor, documents
from wheelproof.console import visible
from wheelproof.mutate.draw import Options, draw
from wheelproof.mutate.plan import Plan
from wheelproof.mutate.rows import LAYER, SAMPLE
from wheelproof.mutate.run import Mutation
from wheelproof.project.mechanism import Mechanism
from wheelproof.verdict import RESULTS_FILE, Results, Row, exit_code

COLUMNS = ("judged", "rejected", "equivalent", "unloadable", "survived", "inconclusive", "errors")
HEADS = ("judged", "reject", "equal", "unload", "SURVIVE", "unsure", "error")


def listing(options: Options, mechanisms: Mapping[str, Mechanism]) -> int:
    """Print the drawn changes with their diffs, and check nothing."""
    plan = Plan(
        options.root.resolve(),
        mechanisms,
        options.profile,
        options.bound,
        options.tests,
        options.stage,
    )
    for draw_ in draw(options, options.root, plan):
        print(
            f"{draw_.group.mechanism}, {draw_.group.artefact}: {len(draw_.sample)} of "
            f"{len(draw_.every):,} changes, seed {options.seed}"
        )
        for change in draw_.sample:
            print(visible(f"  {change.title} ({change.place})"))
            for line in change.hunk():
                print(visible(f"    {line}"))
    return 0


def run(options: Options, as_json: bool, quiet: bool) -> int:
    """Judge the drawn changes; the exit code."""
    results = Results.begin(doctor.versions())
    start = time.monotonic()

    def notify(text: str) -> None:
        if not quiet:
            print(
                visible(f"[{time.monotonic() - start:6.0f} s] {text}"),
                file=sys.stderr,
                flush=True,
            )

    mutation = Mutation(options, notify)
    complete = False
    try:
        mutation.run()
        complete = True
    finally:
        if not complete:
            mutation.rows = [
                row for draw_ in mutation.drawn if draw_.ended for row in mutation.rows_of(draw_)
            ]
        results = replace(results, rows=tuple(mutation.rows), complete=complete)
        results.write(options.output / RESULTS_FILE)
        if as_json:
            sys.stdout.write(documents.encode(results.document()))
        target = sys.stderr if as_json else sys.stdout
        print("\n".join(map(visible, lines(results, quiet))), file=target, flush=True)
    return exit_code(results.rows)


def lines(results: Results, quiet: bool = False) -> list[str]:
    """The report at 80 columns: a line per mechanism and artefact, then rows not in order."""
    samples = [row for row in results.rows if row.layer == LAYER and row.name.endswith(SAMPLE)]
    out = []
    if not quiet:
        out.append(
            f"{'mechanism':<18}{'artefact':<9}" + "".join(f"{head:>8}" for head in HEADS)[1:]
        )
        for row in samples:
            artefact = row.name.partition(",")[0]
            out.append(
                f"{row.mechanism[:17]:<18}{artefact:<9}"
                + "".join(f"{row.figures.get(name, 0):>8}" for name in COLUMNS)[1:]
            )
        for row in results.rows:
            if not row.ok:
                out += fault(row)
    judgements = sum(row.figures.get("judged", 0) for row in samples)
    survivals = sum(row.figures.get("survived", 0) for row in samples)
    ending = "" if results.complete else " when the run was broken off: PARTIAL RESULTS"
    out.append(
        f"wheelproof: {judgements} changes judged, {survivals} survived; "
        f"{sum(row.ok for row in results.rows)} of {len(results.rows)} rows in order{ending}"
    )
    return out


def fault(row: Row) -> list[str]:
    """A row that is not in order, with the change's diff."""
    return [
        f"not in order: {row.title()}: {row.why}",
        *(f"    {line}" for line in row.figures.get("diff", ())),
    ]
