"""TLC judges a slice of a trace: is it a behaviour of the specification?

The oracle of the replay on the model. TLC gets a module that extends the unmodified specification
(``slice_module``). An error of TLC is no verdict.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from wheelproof import files, reading
from wheelproof.errors import ToolError, UsageError
from wheelproof.graph.compare import NULL
from wheelproof.tlc import mc, process
from wheelproof.tlc.result import Outcome, TlcResult
from wheelproof.trace.model.following import Steps
from wheelproof.trace.model.slice_module import POSITION, UNFINISHED, module_text
from wheelproof.trace.model.slices import Slice

SECONDS = 120
"""Seconds that TLC may take for one run."""


_REACHED = re.compile(rf'<<"{POSITION}", (\d+), (\d+)>>')


@dataclass(frozen=True)
class Answer:
    """The result of TLC for a slice. ``accepted``: None where the time ran out. ``refused``: the
    number of the first event that no behaviour reaches."""

    accepted: bool | None
    refused: int | None
    result: TlcResult


def check(
    steps: Steps, part: Slice, folder: Path, *, without: str = "", seconds: float = SECONDS
) -> Answer:
    """Check a slice with TLC. ``folder``: for module, cfg and log. ``without``: a decision that the
    specification lacks.

    Raises ToolError where TLC breaks, or finds anything but the two answers.
    """
    files = generate(steps, [part], folder, without)
    result = _run(files, seconds)
    if result.outcome is Outcome.VIOLATED and result.property == UNFINISHED:
        return Answer(True, None, result)
    return _answers(result, [part])[0]


def check_all(
    steps: Steps,
    parts: Sequence[Slice],
    folder: Path,
    *,
    without: str = "",
    seconds: float = SECONDS,
) -> list[Answer]:
    """Check many slices in one run of TLC. Each begins where the program does. Raises as ``check``
    does."""
    if any(part.starts != parts[0].starts for part in parts):
        raise UsageError("These slices do not begin in the same states.", "Check them one by one.")
    if len(parts) == 1:
        return [check(steps, parts[0], folder, without=without, seconds=seconds)]
    files = generate(steps, parts, folder, without)
    return _answers(_run(files, seconds), parts)


def _run(files: mc.McFiles, seconds: float) -> TlcResult:
    """One of perhaps many short runs: they share a JVM where one can be had."""
    return process.run(
        files.module, timeout=seconds, config=files.config, deadlock_check=False, shared=True
    )


def _answers(result: TlcResult, parts: Sequence[Slice]) -> list[Answer]:
    """Interpret a complete run. A slice is accepted if TLC reached its last event. For a single
    slice, TLC must report that as a violation of ``SliceUnfinished``."""
    if result.outcome is Outcome.INCONCLUSIVE:
        return [Answer(None, None, result)] * len(parts)
    if result.outcome is not Outcome.COMPLETED or not result.distinct or result.log is None:
        raise ToolError(
            f"TLC gave no answer on the slice: {result.explanation or result.outcome}.",
            f"Its output is in {result.log}.",
        )
    positions = dict.fromkeys(range(1, len(parts) + 1), 1)
    for trace, position in _REACHED.findall(
        result.log.read_text(encoding="utf-8", errors="replace")
    ):
        positions[int(trace)] = max(positions[int(trace)], int(position))
    out = []
    for number, part in enumerate(parts, 1):
        is_accepted = positions[number] > len(part.records)
        if is_accepted and len(parts) == 1:
            raise ToolError(
                "TLC reached the end of the slice and did not say so.",
                f"Its output is in {result.log}.",
            )
        out.append(Answer(is_accepted, None if is_accepted else positions[number], result))
    return out


def generate(steps: Steps, parts: Sequence[Slice], folder: Path, without: str = "") -> mc.McFiles:
    """Write the slices' module, the pair that TLC takes, and copies of the specification's modules.

    With one slice, the first behaviour that accepts it ends the run.
    """
    mechanism = steps.table.mechanism.without(without) if without else steps.table.mechanism
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for module in mc.closure(mechanism.spec):
            _write(
                folder / module.name,
                mechanism.specs.get(module.name) or reading.text(module),
            )
        spec = folder / f"{mechanism.module}Slice.tla"
        _write(spec, module_text(steps, mechanism, parts[0].starts))
        return mc.generate(
            mc.McConfig(
                name=f"MC{mechanism.module}Slice",
                spec=spec,
                origin="a trace, lines "
                + ", ".join(
                    f"{part.events[0].line} to {part.events[-1].line}" for part in parts[:3]
                ),
                constants=steps.constants
                | {"NULL": NULL, "SliceEvents": tuple(part.records for part in parts)},
                specification="SliceSpec",
                invariants=(UNFINISHED,) if len(parts) == 1 else (),
                deadlock_check=False,
            ),
            folder,
        )
    except OSError as error:
        raise ToolError(
            f"{folder}: TLC's modules cannot be written there ({error.strerror}).",
            "Choose another folder with --output.",
        ) from error


def _write(file: Path, text: str) -> None:
    """Replace the file in one step, since another run may read it."""
    if not file.is_file() or file.read_bytes() != text.encode():
        files.replace(file, text.encode())
