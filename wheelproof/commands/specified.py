"""The files of `wheelproof tla --output`: one row, the violating run, and the reports of them."""

from __future__ import annotations

import platform
from dataclasses import replace
from pathlib import Path

from wheelproof import __version__
from wheelproof.commands.options import check_apart
from wheelproof.counterexample.document import Counterexample
from wheelproof.counterexample.specified import LAYER
from wheelproof.report import files
from wheelproof.tla.plain.comparison import Agreement, Comparison, Subject
from wheelproof.tlc.result import Outcome
from wheelproof.verdict import Results, Row, Verdict, judge


def publish(
    output: Path, subject: Subject, comparison: Comparison, trace: Counterexample | None
) -> str:
    """Write the files of one comparison; the path of the page."""
    root = subject.module.parent
    check_apart(root, output)
    with files.alone(output):
        tools = {
            "wheelproof": __version__,
            "python": platform.python_version(),
            "tlc": comparison.tlc.version,
        }
        results = Results.begin(tools, subject.module.name)
        reports = files.folder(output, subject.module.name)
        files.begin(reports, results)
        name = Path(files.TRACES, f"{subject.module.stem}.{LAYER}.{subject.config.stem}.json")
        (output / name).unlink(missing_ok=True)
        if trace is not None:
            trace.write(output / name)
        row = _row(subject, comparison, None if trace is None else name)
        results = replace(results, rows=(row,), complete=True)
        page = files.publish(output, results, {}, root, reports)["page"]
        files.annotate(results, output, root)
        return page


def _row(subject: Subject, comparison: Comparison, trace: Path | None) -> Row:
    exploration, tlc = comparison.explored, comparison.tlc
    assert exploration is not None
    property_name = exploration.violated or tlc.property
    why = ""
    match comparison.agreement:
        case Agreement.DIFFERENT:
            verdict = Verdict.ERROR
            why = f"TLC has {tlc.distinct} distinct and {tlc.generated} generated states"
        case Agreement.NO_TLC if not tlc.property:
            is_limit = tlc.outcome is Outcome.INCONCLUSIVE
            verdict, why = (
                Verdict.INCONCLUSIVE if is_limit else Verdict.ERROR,
                f"TLC gives no verdict: {tlc.explanation}",
            )
        case _:
            verdict = Verdict.VIOLATED if property_name else Verdict.EXHAUSTIVE
    return judge(
        subject.module.stem,
        LAYER,
        subject.config.stem,
        expected=Verdict.EXHAUSTIVE,
        verdict=verdict,
        property=property_name if verdict is Verdict.VIOLATED else None,
        why=why,
        figures={"states": exploration.distinct, "generated": exploration.generated},
        seconds=tlc.seconds,
        trace=trace,
    )
