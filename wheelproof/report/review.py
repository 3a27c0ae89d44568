"""The design review: the claims, their bounds, the mutants, and the limits.

Made from results, the subject's declarations and counterexamples only; equal input gives equal
bytes.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from wheelproof.console import visible
from wheelproof.counterexample import columns
from wheelproof.counterexample.document import Counterexample
from wheelproof.project.mechanism import Mechanism, Mutant
from wheelproof.report.terminal import grouped, reason, verdict_line
from wheelproof.verdict import LAYERS, Results, Row, Verdict

WIDTH = 120


class Ready(str):
    """Text that is Markdown already and is not escaped again."""


@dataclass(frozen=True)
class MutantLine:
    """One decision in the table of mutants, with what became of it in this run."""

    mutant: Mutant
    decision: str
    must: str
    outcome: str
    depth: str


def render(
    results: Results,
    mechanisms: Mapping[str, Mechanism],
    traces: Mapping[str, Counterexample],
    root: Path,
    output: Path,
) -> str:
    """The Markdown text.

    `mechanisms`: the subject's, by stem; `traces`: the counterexamples by the file that `Row.trace`
    names, as far as they could be read; `root`: the subject's folder, for the text of source lines;
    `output`: the folder below which the traces are, for the commands.
    """
    environment = Environment(
        loader=PackageLoader("wheelproof.report", ""),
        undefined=StrictUndefined,
        finalize=escape,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    stems = list(dict.fromkeys(row.mechanism for row in results.rows))
    stems = [stem for stem in mechanisms if stem in stems] + [
        stem for stem in stems if stem not in mechanisms
    ]
    parts = [_part(results, stem, mechanisms.get(stem), traces, root, output) for stem in stems]
    unchecked = [stem for stem in mechanisms if stem not in stems]
    return environment.get_template("review.md.j2").render(
        results=results,
        verdict=verdict_line(results).plain,
        parts=parts,
        unchecked=unchecked,
        tools=sorted(results.tools.items()),
    )


def escape(value: Any) -> str:
    """Text as Markdown without any mark-up, tag, cell's end or new line in it."""
    if isinstance(value, Ready):
        return value
    text = visible(str(value))
    text = re.sub(r"[\\`*<>|\[\]&~$]", r"\\\g<0>", text)
    # Inside a word an underscore is no emphasis, and names stay readable as source.
    return re.sub(r"(?<![^\W_])_|_(?![^\W_])", r"\\_", text)


def fenced(text: str) -> Ready:
    """A block of literal text, with a fence longer than any in the text."""
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return Ready(f"{fence}text\n{text}\n{fence}")


def _part(
    results: Results,
    stem: str,
    mechanism: Mechanism | None,
    traces: Mapping[str, Counterexample],
    root: Path,
    output: Path,
) -> dict[str, Any]:
    """What the template shows of one mechanism."""
    rows = [row for row in results.rows if row.mechanism == stem]
    groups = {layer: group for (_, layer), group in grouped(rows).items()}
    return {
        "title": f"{mechanism.title} ({stem})" if mechanism else stem,
        "properties": list(mechanism.properties.values()) if mechanism else [],
        "claims": [_claim(layer, group) for layer, group in groups.items()],
        "checks": [
            (row, _figures(row))
            for layer, group in groups.items()
            if layer != "mutant"
            for row in group
        ],
        "mutants": _mutants(mechanism, groups.get("mutant", [])),
        "findings": [
            (row, reason(row), _block(row, traces, root, output)) for row in rows if not row.ok
        ],
        "expected": [
            (row, _block(row, traces, root, output))
            for row in rows
            if row.ok and row.verdict is Verdict.VIOLATED and row.trace in traces
        ],
        "limits": _limits(mechanism, groups),
    }


def _claim(layer: str, group: Sequence[Row]) -> dict[str, str]:
    words = [
        row.verdict + (" as expected" if row.verdict is Verdict.VIOLATED else "")
        for row in group
        if row.ok
    ]
    verdicts = [f"{words.count(word)} {word}" for word in dict.fromkeys(words)]
    verdicts += (
        [f"{sum(not row.ok for row in group)} NOT IN ORDER"] if len(words) < len(group) else []
    )
    return {
        "layer": layer,
        "verdicts": ", ".join(verdicts),
        "bounds": "; ".join(dict.fromkeys(row.bound for row in group if row.bound)),
    }


def _figures(row: Row) -> str:
    return ", ".join(
        f"{name} {value:,}" if type(value) is int else f"{name} {value}"
        for name, value in row.figures.items()
    )


def _mutants(mechanism: Mechanism | None, rows: Sequence[Row]) -> list[MutantLine]:
    """The declared mutants, run or not, with their rows.

    A mutant's row has its name, or begins with that and a blank.
    """
    if mechanism is None:
        return []
    lines = []
    for mutant in mechanism.mutants.values():
        mine = [row for row in rows if row.name.split()[:1] == [mutant.name]]
        outcomes = [
            ("" if row.ok else "NOT IN ORDER: ")
            + (f"killed by {row.property}" if row.property else str(row.verdict))
            for row in mine
        ]
        depths = [
            f"{name.removeprefix('depth_')} {value}"
            for row in mine
            for name, value in row.figures.items()
            if name.startswith("depth")
        ]
        lines.append(
            MutantLine(
                mutant,
                mechanism.decisions[mutant.decision].title,
                mutant.property or "nothing: equivalent",
                "; ".join(outcomes) or "not run",
                ", ".join(depths),
            )
        )
    return lines


def _block(row: Row, traces: Mapping[str, Counterexample], root: Path, output: Path) -> Ready | str:
    if row.trace is None:
        return "There is no trace."
    if row.trace not in traces:
        return f"The trace {row.trace} could not be read."
    return fenced(
        "\n".join(
            line.plain
            for line in columns.render(traces[row.trace], WIDTH, root, str(output / row.trace))
        )
    )


def _limits(mechanism: Mechanism | None, groups: Mapping[str, Sequence[Row]]) -> list[str]:
    """The limits of a run that the data shows, which a reader might overlook."""
    limits = []
    if any(row.verdict is Verdict.EXHAUSTIVE for group in groups.values() for row in group):
        limits.append(
            "An exhaustive verdict covers its scenario: these threads, operations and objects. It "
            "claims nothing about more of them."
        )
    if any(row.verdict is Verdict.SAMPLED for group in groups.values() for row in group):
        limits.append("A sampled verdict says that the runs that were tried did not fail.")
    if "bisimulation" in groups:
        limits.append(
            "The implementation was stepped from one labelled operation to the next, in one total "
            "order: "
            "reordering by hardware or by a compiler is not part of that."
        )
    if silent := [layer for layer in LAYERS if layer not in groups]:
        limits.append(f"No check of these layers is among the results: {', '.join(silent)}.")
    if mechanism is None:
        return [*limits, "The subject no longer declares this mechanism."]
    limits += [
        f"{item.name} does not hold: {item.says}."
        for item in mechanism.properties.values()
        if not item.holds
    ]
    ran = {row.name.split()[0] for group in groups.values() for row in group if row.name.strip()}
    if left := [config.name for config in mechanism.configs.values() if config.name not in ran]:
        limits.append(f"Declared but not checked in this run: {', '.join(left)}.")
    tested = {mutant.decision for mutant in mechanism.mutants.values()} | {
        entry.mutant for entry in mechanism.composed.values()
    }
    limits += [
        f"No mutant takes away the decision {name}: {decision.title}."
        for name, decision in mechanism.decisions.items()
        if name not in tested
    ]
    if unfair := [config for config in mechanism.configs.values() if config.fair is not None]:
        limits.append(
            "Fairness of some threads only is assumed in: "
            f"{', '.join(config.name for config in unfair)}."
        )
    return limits
