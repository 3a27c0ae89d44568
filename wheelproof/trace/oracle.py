"""TLC asked whether a part of a trace is a behaviour of the specification: the oracle of the tier that follows the trace on the model's twin.

A module is generated that extends the unmodified specification. Its next step is that of a label whose event is the next of the slice and says what the
step does, or one that no event shows; the invariant that the last event is never reached is violated if the slice is accepted. Nothing is left
out here as it is on the twin: every moment of every hidden step is tried. An error of TLC is no verdict.
"""
from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from wheelproof.errors import NothingChecked, ToolError, UsageError
from wheelproof.graph.compare import NULL, names_of, texts_of
from wheelproof.tlc import mc, process
from wheelproof.tlc.result import Outcome, TlcResult
from wheelproof.trace.following import Said, State, Steps, said_by
from wheelproof.trace.model_replay import Followed, ModelReplay
from wheelproof.trace.observed import NAMED, WAITS, Row

SECONDS = 120
"""How long TLC may take over one slice."""

STARTS = 64
"""States that a slice may begin in, at most: each is written out in the module."""

UNFINISHED = "SliceUnfinished"
POSITION = "slicePosition"
_REACHED = re.compile(rf'<<"{POSITION}", (\d+), (\d+)>>')


@dataclass(frozen=True)
class Slice:
    """Consecutive events of a trace with the states before the first. ``records``: the events as TLA+ has them. ``refused``: the number, from 1, of the
    event at which the twin stops; None if at none."""

    events: tuple[Followed, ...]
    records: tuple[Mapping[str, Any], ...]
    refused: int | None

    @property
    def starts(self) -> frozenset[State]:
        return self.events[0].states


@dataclass(frozen=True)
class Answer:
    """What TLC says of a slice: None for ``accepted`` where its time ran out; ``refused``: number of the first event that no behaviour reaches."""

    accepted: bool | None
    refused: int | None
    result: TlcResult


def cut(run: ModelReplay, last: int | None = None, window: tuple[int, int] | None = None) -> Slice:
    """The slice of a replay that kept its history: its ``last`` events, or those of a ``window`` of lines; all of them without either.

    It begins earlier than asked where the model may be in too many states. Raises UsageError where what it needs was not kept, NothingChecked where it is empty.
    """
    history = list(run.history)
    begins, ends = 0, len(history)
    if window is not None:
        inside = [number for number, item in enumerate(history) if window[0] <= item.line <= window[1]]
        begins, ends = (inside[0], inside[-1] + 1) if inside else (0, 0)
    elif last is not None:
        begins = max(0, ends - last)
    while begins < ends and len(history[begins].states) > STARTS:
        if not begins:
            raise UsageError(f"The slice begins in {len(history[0].states)} states, and can begin in {STARTS}.", "Ask for a slice that begins elsewhere.")
        begins -= 1
    events = tuple(history[begins:ends])
    if not events or run.names is None:
        raise NothingChecked("The slice has no event that the model could be asked about.", "Name lines of events that were followed.")
    refused = next((number for number, item in enumerate(events, 1) if run.violations and item.line == run.violations[0].line), None)
    return Slice(events, tuple(_record(said_by(run.names, item.event)) for item in events), refused)


def ask(steps: Steps, part: Slice, folder: Path, *, switches: Mapping[str, bool] = {}, seconds: float = SECONDS) -> Answer:
    """Let TLC judge a slice. ``folder``: where module, cfg and log go. ``switches``: decisions taken away from the specification.

    Raises ToolError where TLC breaks, or finds anything but the two answers.
    """
    files = generate(steps, [part], folder, switches)
    result = process.run(files.module, timeout=seconds, config=files.config, deadlock_check=False)
    if result.outcome is Outcome.VIOLATED and result.property == UNFINISHED:
        return Answer(True, None, result)
    return _answers(result, [part])[0]


def ask_all(steps: Steps, parts: Sequence[Slice], folder: Path, *, switches: Mapping[str, bool] = {}, seconds: float = SECONDS) -> list[Answer]:
    """Let one run of TLC judge many slices, each of which begins where the program does. Raises as ``ask`` does."""
    if any(part.starts != parts[0].starts for part in parts):
        raise UsageError("These slices do not begin in the same states.", "Ask about them one by one.")
    files = generate(steps, parts, folder, switches)
    return _answers(process.run(files.module, timeout=seconds, config=files.config, deadlock_check=False), parts)


def _answers(result: TlcResult, parts: Sequence[Slice]) -> list[Answer]:
    """What a run that went through all states says. The trace is accepted whose end was reached, and with one alone that violates the invariant."""
    if result.outcome is Outcome.INCONCLUSIVE:
        return [Answer(None, None, result)] * len(parts)
    if result.outcome is not Outcome.COMPLETED or not result.distinct or result.log is None:
        raise ToolError(f"TLC gave no answer on the slice: {result.explanation or result.outcome}.", f"Its output is in {result.log}.")
    reached = dict.fromkeys(range(1, len(parts) + 1), 1)
    for trace, position in _REACHED.findall(result.log.read_text(encoding="utf-8", errors="replace")):
        reached[int(trace)] = max(reached[int(trace)], int(position))
    out = []
    for number, part in enumerate(parts, 1):
        accepted = reached[number] > len(part.records)
        if accepted and len(parts) == 1:
            raise ToolError("TLC reached the end of the slice and did not say so.", f"Its output is in {result.log}.")
        out.append(Answer(accepted, None if accepted else reached[number], result))
    return out


def generate(steps: Steps, parts: Sequence[Slice], folder: Path, switches: Mapping[str, bool] = {}) -> mc.McFiles:
    """Write the slices' module, the pair that TLC takes, and copies of the specification's modules.

    Only where one slice is asked about does the first behaviour that accepts it end the run.
    """
    mechanism = steps.table.mechanism
    folder.mkdir(parents=True, exist_ok=True)
    for module in mc.closure(mechanism.spec):
        _write(folder / module.name, module.read_text(encoding="utf-8"))
    spec = folder / f"{mechanism.module}Slice.tla"
    _write(spec, module_text(steps, parts[0].starts))
    return mc.generate(mc.McConfig(
        name=f"MC{mechanism.module}Slice", spec=spec, origin="a trace, lines " + ", ".join(f"{part.events[0].line} to {part.events[-1].line}" for part in parts[:3]),
        constants=steps.constants | {"NULL": NULL, "SliceEvents": tuple(part.records for part in parts)},
        switches={name: switches.get(name, True) for name in mechanism.switches},
        specification="SliceSpec", invariants=(UNFINISHED,) if len(parts) == 1 else (), deadlock_check=False), folder)


def module_text(steps: Steps, starts: frozenset[State]) -> str:
    """The module that extends the specification by traces."""
    mechanism = steps.table.mechanism
    text = mechanism.spec.read_text(encoding="utf-8")
    for name in mechanism.labels:
        if not re.search(rf"^{name}\(self\) ==", text, re.MULTILINE):
            raise UsageError(f"{mechanism.spec}: there is no action {name}(self).", "Only specifications whose every process has a set of names can be asked.")
    title = f" MODULE {mechanism.module}Slice "
    shown, hidden = [], []
    for row in steps.table.rows.values():
        seen = steps.captured(row)
        if seen:
            shown.append(_shown(row))
        if row.lock and row.columns:
            shown.append(_waits(row, mechanism.pc))
        if not seen:
            hidden.append(f"  \\/ {row.label}(self)")
        elif row.when is not None:
            hidden.append(f"  \\/ {row.label}(self) /\\ ~({row.when.text})")
    return "\n".join([
        title.center(max(79, len(title) + 8), "-"),
        "\\* Generated from traces; changes are lost.",
        f"EXTENDS {mechanism.module}, Naturals, Sequences, TLC",
        "CONSTANT SliceEvents     \\* by trace",
        f"VARIABLES sliceTrace, {POSITION}     \\* which trace, and its next event",
        "",
        "SliceSays(event, column, value) == column \\in DOMAIN event => event[column] = value",
        'SliceText(condition) == IF condition THEN "true" ELSE "false"',
        "",
        "\\* The steps that an event shows.",
        "SliceShown(self, event) ==", *shown,
        "",
        "\\* The steps that none shows.",
        "SliceHidden(self) ==", *(hidden or ["  FALSE"]),
        "",
        f"SliceInit == sliceTrace \\in DOMAIN SliceEvents /\\ {POSITION} = 1 /\\ (", *_starts(steps, starts), ")",
        f"SliceReached(position) == IF position > TLCGet(sliceTrace) THEN TLCSet(sliceTrace, position) /\\ PrintT(<<\"{POSITION}\", sliceTrace, position>>) ELSE TRUE",
        f"{UNFINISHED} == {POSITION} <= Len(SliceEvents[sliceTrace])",
        "SliceTake(event) == SliceShown(event.thread, event)",
        f"SliceNext == /\\ {UNFINISHED}",
        f"             /\\ \\/ (\\E self \\in ProcSet : SliceHidden(self)) /\\ UNCHANGED {POSITION}",
        f"                \\/ SliceTake(SliceEvents[sliceTrace][{POSITION}]) /\\ {POSITION}' = {POSITION} + 1 /\\ SliceReached({POSITION}')",
        "             /\\ UNCHANGED sliceTrace",
        f"SliceSpec == SliceInit /\\ [][SliceNext]_<<vars, sliceTrace, {POSITION}>>",
        "ASSUME \\A trace \\in DOMAIN SliceEvents : TLCSet(trace, 1)",
        "=" * 79,
        "",
    ])


def _shown(row: Row) -> str:
    parts = [f'event.kind = "{row.kind}"', f"{row.label}(self)", *([f"({row.when.text})"] if row.when else []), *_says(row)]
    return "  \\/ " + "\n     ".join(f"/\\ {part}" for part in parts)


def _waits(row: Row, pc: str) -> str:
    parts = [f'event.kind = "{WAITS}"', f'{pc}[self] = "{row.label}"', *_says(row, before_only=True), "UNCHANGED vars"]
    return "  \\/ " + "\n     ".join(f"/\\ {part}" for part in parts)


def _says(row: Row, before_only: bool = False) -> list[str]:
    out = [f'"{_field(column)}" \\notin DOMAIN event' for column in sorted(NAMED - set(row.columns))]
    for column, expression in row.columns.items():
        if not (before_only and expression.primed):
            value = f"SliceText({expression.text})" if column[0] == "res" else expression.text
            out.append(f'SliceSays(event, "{_field(column)}", {value})')
    return out


def _field(column: tuple[str, str | None]) -> str:
    return column[0] if column[1] is None else f"{column[0]}_{column[1]}"


def _record(event: tuple[str, str, Said]) -> dict[str, Any]:
    """An event as a TLA+ record: of what it says, only what a step could be asked for."""
    thread, kind, said = event
    asked = {_field(column): NULL if value is None else value for column, value in said.items()
             if column[0] not in ("tid", "tseq", "lc", "k", "phase", "ord", "src", "t_ns")}
    return {**asked, "thread": thread, "kind": kind}


def _starts(steps: Steps, states: frozenset[State]) -> list[str]:
    """The states that a slice may begin in; the specification's own Init where it begins with the trace."""
    if states == {steps.normal(steps.start)}:
        return ["  Init"]
    known: dict[tuple[int, Any], str] = {}
    variables = names_of(steps.model)
    out = []
    for state in sorted(states, key=repr):
        parts = [f"{name} = {text}" for name, text in zip(variables, texts_of(steps.model, state, known), strict=True)]
        out.append("  \\/ " + "\n     ".join(f"/\\ {part}" for part in parts))
    return out


def _write(file: Path, text: str) -> None:
    """Under a temporary name first: another run may be reading it."""
    if file.is_file() and file.read_text(encoding="utf-8") == text:
        return
    draft = file.with_name(f".{file.name}.draft")
    draft.write_text(text, encoding="utf-8")
    draft.replace(file)
