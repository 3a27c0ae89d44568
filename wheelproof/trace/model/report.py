"""``wheelproof trace replay`` with the model's own steps, and with TLC: their verdicts, and whether
they are the same."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from pathlib import Path

from wheelproof.errors import ToolError, UsageError
from wheelproof.project.mechanism import Mechanism
from wheelproof.trace.format.heads import Header
from wheelproof.trace.judging.replay import replay
from wheelproof.trace.judging.verdict import CONFORMS, INCOMPLETE, VIOLATES, Verdict
from wheelproof.trace.model import oracle, slices
from wheelproof.trace.model.inferred import PREFIX, InferredReplay, infers
from wheelproof.trace.model.replay import ModelReplay

LAST = 100
"""Events up to the failure, or the end, that TLC checks, unless an option names others."""


AnyReplay = ModelReplay | InferredReplay


def follow(
    path: Path,
    mechanisms: Mapping[str, Mechanism],
    keep: int | None = 0,
    fields: Mapping[str, str] | None = None,
    properties: bool = False,
    prefix: int = PREFIX,
) -> tuple[Verdict, AnyReplay]:
    """The verdict of the model's own steps on the trace in a file, and the replay that gave it.
    ``keep``: of its last events; None for all. ``fields``, whether ``properties`` are evaluated,
    and how many events of a ``prefix`` are followed: of a trace without a program, where the
    project infers one.

    Raises TraceError where the file is no trace at all, UsageError where ``fields`` are given and
    nothing is inferred.
    """
    runs: list[AnyReplay] = []

    def judge(header: Header, cut: Mapping[str, int] | None = None) -> AnyReplay:
        infer = infers() if header.keys().isdisjoint(("spec", "program")) else None
        if infer is not None:
            runs.append(
                InferredReplay(
                    mechanisms,
                    header,
                    cut=cut,
                    infer=infer,
                    fields=fields or {},
                    prefix=prefix,
                    properties=properties,
                )
            )
        elif fields:
            raise UsageError(
                f"{path}: no program is inferred, whose fields could be others.",
                "Leave --field away.",
            )
        else:
            runs.append(ModelReplay(mechanisms, header, cut=cut, keep=keep))
        return runs[-1]

    return replay(path, judge), runs[-1]


def lines_of(window: str | None) -> tuple[int, int] | None:
    """A window of lines, as the user writes it: ``40:90``. Raises UsageError."""
    if window is None:
        return None
    match = re.fullmatch(r"(\d+):(\d+)", window)
    if match is None or int(match[1]) > int(match[2]):
        raise UsageError(
            f"The window {window!r} is not two lines of the file, the first one first.",
            "Write it as 40:90.",
        )
    return int(match[1]), int(match[2])


def by_model(
    path: Path, mechanisms: Mapping[str, Mechanism], fields: Mapping[str, str] | None = None
) -> tuple[str, list[str]]:
    """(verdict, lines to print) of the model alone. ``fields``: of an inferred program."""
    verdict, run = follow(path, mechanisms, fields=fields, properties=True)
    return verdict.verdict, _lines(path, verdict, run)


def by_oracle(
    path: Path,
    mechanisms: Mapping[str, Mechanism],
    folder: Path,
    last: int | None,
    window: str | None,
) -> tuple[str, list[str]]:
    """(verdict, lines to print) of the model, and of TLC on the slice that ends with the failure,
    or on a window of lines.

    Raises ToolError where TLC breaks, and where the two do not say the same: then one of them is
    wrong, and neither is a verdict.
    """
    lines = lines_of(window)
    verdict, run = follow(path, mechanisms, keep=None)
    out = _lines(path, verdict, run)
    if isinstance(run, InferredReplay):
        return verdict.verdict, [*out, "  TLC was not run: it follows no program that is inferred"]
    if verdict.verdict not in (CONFORMS, VIOLATES) or run.steps is None:
        return verdict.verdict, [
            *out,
            "  TLC was not run: there is no verdict that it could confirm",
        ]
    part = slices.cut(run, last or LAST, lines)
    answer = oracle.check(
        run.steps, part, folder / run.steps.table.mechanism.module / path.name.partition(".")[0]
    )
    where = f"lines {part.events[0].line} to {part.events[-1].line}"
    if answer.accepted is None:
        return INCOMPLETE, [
            *out,
            f"  TLC did not come to an end on {where} in {oracle.SECONDS} s: the verdict is not "
            "confirmed",
        ]
    if answer.refused != part.refused:
        theirs, ours = (
            f"stops at line {part.events[number - 1].line}" if number else "accepts them"
            for number in (answer.refused, part.refused)
        )
        raise ToolError(
            f"{path}: of {where} TLC {theirs}, and the model {ours}: one of the two is wrong.",
            "The module is "
            f"{answer.result.log.with_suffix('.tla') if answer.result.log else folder}.",
        )
    result = (
        f"refuses line {part.events[part.refused - 1].line}" if part.refused else "accepts them"
    )
    return verdict.verdict, [
        *out,
        f"  TLC on {where} ({len(part.events)} events): {result}, as the model does "
        f"({answer.result.distinct:,} states)",
    ]


def _lines(path: Path, verdict: Verdict, run: AnyReplay) -> list[str]:
    out = [
        f"{path}: {verdict.verdict}, {verdict.events:,} events, {run.figures['followed']:,} of "
        "them followed on the model"
    ]
    for finding in verdict.findings[:10]:
        place = f"{path}:{finding.line}: " if finding.line else ""
        out.append(f"  {place}{finding.property}: {finding.message}")
        if finding.event is not None:
            out.append(f"  possible here: {'; '.join(finding.enabled) or 'nothing'}")
    if isinstance(run, InferredReplay):
        out += [f"  {line}" for line in run.lines()]
    elif run.steps is not None and run.header["spec"].get("sha256") not in (
        None,
        hashlib.sha256(run.steps.table.mechanism.spec.read_bytes()).hexdigest(),
    ):
        out.append(
            f"  the trace was recorded beside another {run.steps.table.mechanism.spec.name} than "
            "the one it was followed on"
        )
    if run.figures["followed"]:
        mean = run.figures["sum"] / run.figures["followed"]
        out.append(
            f"  states that the model may have been in at an event: {mean:.1f} on average, "
            f"{run.figures['largest']:,} at most"
        )
    return out
