"""JUnit XML for a CI's test view: one suite for each mechanism and layer, one case for each row.

A case has the file and the line of its counterexample, or else those of its declaration. Nothing
that is not in order is written as skipped, because CI shows a skipped case as green.
"""

import io
from collections.abc import Mapping
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from xml.etree import ElementTree
from xml.etree.ElementTree import Element, SubElement

from wheelproof.console import visible
from wheelproof.project.mechanism import Mechanism
from wheelproof.report.places import Declared, Place, Runs, of_counterexample
from wheelproof.report.terminal import command, groups_of, reason
from wheelproof.verdict import Results, Row, Verdict


def render(
    results: Results,
    mechanisms: Mapping[str, Mechanism],
    runs: Runs,
    root: Path,
    output: Path,
) -> str:
    """The document; equal input gives equal text. Without rows it holds one failed case.

    Arguments: as of :func:`wheelproof.report.review.render`.
    """
    declarations = Declared(mechanisms, root)
    suites = Element("testsuites", name="wheelproof")
    for (mechanism, layer), rows in groups_of(results.rows).items():
        suite = SubElement(suites, "testsuite", name=visible(f"{mechanism}.{layer}"))
        _properties(suite, {"run": results.run, **dict(sorted(results.tools.items()))})
        for row in rows:
            _case(suite, row, of_counterexample(row, runs) or declarations.place(row), output)
        _count(suite, results)
    if not results.complete or not results.rows:
        suite = SubElement(suites, "testsuite", name="wheelproof.run")
        case = SubElement(
            suite, "testcase", classname="wheelproof.run", name="complete", time="0.000"
        )
        outcome = (
            "the run was interrupted: these are partial results"
            if results.rows
            else "nothing was checked"
        )
        SubElement(case, "error", message=outcome, type="incomplete").text = outcome
        _count(suite, results)
    for name in ("tests", "failures", "errors"):
        suites.set(name, str(sum(int(suite.get(name, "0")) for suite in suites)))
    ElementTree.indent(suites, " ")
    stream = io.BytesIO()
    ElementTree.ElementTree(suites).write(stream, encoding="utf-8", xml_declaration=True)
    return stream.getvalue().decode() + "\n"


def _case(suite: Element, row: Row, place: Place | None, output: Path) -> None:
    case = SubElement(
        suite,
        "testcase",
        classname=visible(f"{row.mechanism}.{row.layer}"),
        name=visible(row.name),
        time=f"{row.seconds:.3f}",
    )
    if place:
        case.set("file", visible(place[0]))
        case.set("line", str(place[1]))
    facts = {
        "verdict": row.verdict,
        "expected": row.expected,
        "property": row.property,
        "bound": row.bound,
        "trace": row.trace,
    }
    figures = {name: value for name, value in row.figures.items() if not isinstance(value, Mapping)}
    _properties(case, {**facts, **figures})
    if row.ok:
        return
    # An error is the tool's, a failure the project's (or that of the claim about it).
    kind = "error" if row.verdict is Verdict.ERROR else "failure"
    lines = [reason(row)]
    if row.trace:
        lines += [
            visible(f"{name + ':':<7} {command(name, output, row.trace)}")
            for name in ("show", "replay")
        ]
    SubElement(case, kind, message=reason(row), type=row.verdict).text = "\n".join(lines)


def _properties(parent: Element, values: Mapping[str, object]) -> None:
    properties = SubElement(parent, "properties")
    for name, value in values.items():
        if value not in (None, ""):
            SubElement(properties, "property", name=visible(name), value=visible(str(value)))


def _count(suite: Element, results: Results) -> None:
    cases = suite.findall("testcase")
    suite.set("tests", str(len(cases)))
    suite.set("failures", str(len(suite.findall("testcase/failure"))))
    suite.set("errors", str(len(suite.findall("testcase/error"))))
    suite.set("skipped", "0")
    suite.set("time", f"{sum(float(case.get('time', '0')) for case in cases):.3f}")
    with suppress(ValueError):
        # JUnit's schema has no zone.
        start = datetime.fromisoformat(results.started).replace(tzinfo=None)
        suite.set("timestamp", start.isoformat(timespec="seconds"))
