"""TLC asked whether a part of a trace is a behaviour of the specification: the oracle of the tier
that follows the trace on the model.

A module is generated that extends the unmodified specification. Its next step is that of a label
whose event is the next of the slice and says what the step does, or one that no event shows; the
invariant that the last event is never reached is violated if the slice is accepted. Nothing is left
out here as it is on the model: every moment of every hidden step is tried. An error of TLC is no
verdict.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from wheelproof.errors import NothingChecked, ToolError, UsageError
from wheelproof.graph.compare import NULL, names_of, texts_of
from wheelproof.project.mechanism import Mechanism
from wheelproof.tlc import mc, process
from wheelproof.tlc.result import Outcome, TlcResult
from wheelproof.tlc.values import format_tla, freeze
from wheelproof.trace.expressions import Expression
from wheelproof.trace.following import Place, Steps
from wheelproof.trace.model_replay import Followed, ModelReplay
from wheelproof.trace.observed import HELD, NAMED, OPENED, STOP, WAITS, Column, Row

SECONDS = 120
"""How long TLC may take over one slice."""

STARTS = 64
"""States that a slice may begin in, at most: each is written out in the module."""

UNFINISHED = "SliceUnfinished"
POSITION = "slicePosition"
_REACHED = re.compile(rf'<<"{POSITION}", (\d+), (\d+)>>')


@dataclass(frozen=True)
class Slice:
    """Consecutive events of a trace with the states before the first. ``records``: the events as
    TLA+ has them. ``refused``: the number, from 1, of the event at which the model stops; None if
    at none."""

    events: tuple[Followed, ...]
    records: tuple[Mapping[str, Any], ...]
    refused: int | None

    @property
    def starts(self) -> frozenset[Place]:
        return self.events[0].states


@dataclass(frozen=True)
class Answer:
    """What TLC says of a slice: None for ``accepted`` where its time ran out; ``refused``: number
    of the first event that no behaviour reaches."""

    accepted: bool | None
    refused: int | None
    result: TlcResult


def cut(run: ModelReplay, last: int | None = None, window: tuple[int, int] | None = None) -> Slice:
    """The slice of a replay that kept its history: its ``last`` events, or those of a ``window`` of
    lines; all of them without either.

    It begins earlier than asked where the model may be in too many states. Raises UsageError where
    what it needs was not kept, NothingChecked where it is empty.
    """
    history = list(run.history)
    begins, ends = 0, len(history)
    if window is not None:
        inside = [
            number for number, item in enumerate(history) if window[0] <= item.line <= window[1]
        ]
        begins, ends = (inside[0], inside[-1] + 1) if inside else (0, 0)
    elif last is not None:
        begins = max(0, ends - last)
    while begins < ends and len(history[begins].states) > STARTS:
        if not begins:
            raise UsageError(
                f"The slice begins in {len(history[0].states)} states, and can begin in {STARTS}.",
                "Ask for a slice that begins elsewhere.",
            )
        begins -= 1
    events = tuple(history[begins:ends])
    if not events:
        raise NothingChecked(
            "The slice has no event that the model could be asked about.",
            "Name lines of events that were followed.",
        )
    refused = next(
        (
            number
            for number, item in enumerate(events, 1)
            if run.violations and item.line == run.violations[0].line
        ),
        None,
    )
    rows = run.steps.table.rows.values() if run.steps is not None else ()
    columns = {
        HELD,
        OPENED,
        ("res", None),
        *NAMED,
        *(column for row in rows for said in (row.columns, *row.marks.values()) for column in said),
    }
    return Slice(events, tuple(_record(item, columns) for item in events), refused)


def ask(
    steps: Steps, part: Slice, folder: Path, *, without: str = "", seconds: float = SECONDS
) -> Answer:
    """Let TLC judge a slice. ``folder``: where module, cfg and log go. ``without``: a decision that
    the specification lacks.

    Raises ToolError where TLC breaks, or finds anything but the two answers.
    """
    files = generate(steps, [part], folder, without)
    result = process.run(files.module, timeout=seconds, config=files.config, deadlock_check=False)
    if result.outcome is Outcome.VIOLATED and result.property == UNFINISHED:
        return Answer(True, None, result)
    return _answers(result, [part])[0]


def ask_all(
    steps: Steps,
    parts: Sequence[Slice],
    folder: Path,
    *,
    without: str = "",
    seconds: float = SECONDS,
) -> list[Answer]:
    """Let one run of TLC judge many slices, each of which begins where the program does. Raises as
    ``ask`` does."""
    if any(part.starts != parts[0].starts for part in parts):
        raise UsageError(
            "These slices do not begin in the same states.", "Ask about them one by one."
        )
    if len(parts) == 1:
        return [ask(steps, parts[0], folder, without=without, seconds=seconds)]
    files = generate(steps, parts, folder, without)
    return _answers(
        process.run(files.module, timeout=seconds, config=files.config, deadlock_check=False), parts
    )


def _answers(result: TlcResult, parts: Sequence[Slice]) -> list[Answer]:
    """What a run that went through all states says. The trace is accepted whose end was reached,
    and with one alone that violates the invariant."""
    if result.outcome is Outcome.INCONCLUSIVE:
        return [Answer(None, None, result)] * len(parts)
    if result.outcome is not Outcome.COMPLETED or not result.distinct or result.log is None:
        raise ToolError(
            f"TLC gave no answer on the slice: {result.explanation or result.outcome}.",
            f"Its output is in {result.log}.",
        )
    reached = dict.fromkeys(range(1, len(parts) + 1), 1)
    for trace, position in _REACHED.findall(
        result.log.read_text(encoding="utf-8", errors="replace")
    ):
        reached[int(trace)] = max(reached[int(trace)], int(position))
    out = []
    for number, part in enumerate(parts, 1):
        accepted = reached[number] > len(part.records)
        if accepted and len(parts) == 1:
            raise ToolError(
                "TLC reached the end of the slice and did not say so.",
                f"Its output is in {result.log}.",
            )
        out.append(Answer(accepted, None if accepted else reached[number], result))
    return out


def generate(steps: Steps, parts: Sequence[Slice], folder: Path, without: str = "") -> mc.McFiles:
    """Write the slices' module, the pair that TLC takes, and copies of the specification's modules.

    Only where one slice is asked about does the first behaviour that accepts it end the run.
    """
    mechanism = steps.table.mechanism.without(without) if without else steps.table.mechanism
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for module in mc.closure(mechanism.spec):
            _write(
                folder / module.name,
                mechanism.specs.get(module.name) or module.read_text(encoding="utf-8"),
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


def module_text(steps: Steps, mechanism: Mechanism, starts: frozenset[Place]) -> str:
    """The module that extends the mechanism's specification by traces."""
    text = mechanism.specs.get(mechanism.spec.name) or mechanism.spec.read_text(encoding="utf-8")
    for name in mechanism.labels:
        if not re.search(rf"^{name}\(self\) ==", text, re.MULTILINE):
            raise UsageError(
                f"{mechanism.spec}: there is no action {name}(self).",
                "Only specifications whose every process has a set of names can be asked.",
            )
    title = f" MODULE {mechanism.module}Slice "
    shown, hidden, floating = [], [], {}
    for row in steps.table.rows.values():
        if steps.captured(row):
            shown.append(_shown(row))
            if row.floats is not None:
                floating[row.kind, row.floats] = _floating(row)
                hidden.append(
                    _conjunction(_taken(row, "="), f"SliceMet(self, FALSE, {_sign(row)})")
                )
            if row.when is not None:
                hidden.append(
                    _conjunction(
                        [f"{row.label}(self)", f"~({row.when.text})"], "UNCHANGED sliceDebts"
                    )
                )
        else:
            hidden.append(_conjunction([f"{row.label}(self)"], "UNCHANGED sliceDebts"))
        if row.lock:
            shown.append(_stands(row.label, WAITS, row.columns, mechanism.pc))
        shown += [
            _stands(row.label, mark, columns, mechanism.pc, "event.opened")
            for mark, columns in row.marks.items()
        ]
    shown += [
        *floating.values(),
        _conjunction(
            [
                f'event.kind = "{STOP}"',
                f'{mechanism.pc}[self] = "Done"',
                "SliceSettled(self)",
                "UNCHANGED <<vars, sliceDebts>>",
            ]
        ),
    ]
    return "\n".join(
        [
            title.center(max(79, len(title) + 8), "-"),
            "\\* Generated from traces; changes are lost.",
            f"EXTENDS {mechanism.module}, Naturals, Sequences, TLC",
            "CONSTANT SliceEvents     \\* by trace",
            f"VARIABLES sliceTrace, {POSITION}     \\* which trace, and its next event",
            "VARIABLE sliceDebts      \\* by thread: steps and events without a place among the "
            "others that have not met yet",
            "",
            "SliceSettled(self) == sliceDebts[self] = << >>",
            "SliceMet(self, seen, sign) ==",
            "  IF SliceSettled(self) \\/ Head(sliceDebts[self]).seen = seen",
            "  THEN sliceDebts' = [sliceDebts EXCEPT ![self] = Append(@, [seen |-> seen, sign |-> "
            "sign])]",
            "  ELSE Head(sliceDebts[self]).sign = sign /\\ sliceDebts' = [sliceDebts EXCEPT "
            "![self] = Tail(@)]",
            "SliceSays(event, column, value) == column \\in DOMAIN event => event[column] = value",
            'SliceText(condition) == IF condition THEN "true" ELSE "false"',
            "",
            "\\* The steps that an event shows.",
            "SliceShown(self, event) ==",
            *shown,
            "",
            "\\* The steps that none shows.",
            "SliceHidden(self) ==",
            *(hidden or ["  FALSE"]),
            "",
            f"SliceInit == sliceTrace \\in DOMAIN SliceEvents /\\ {POSITION} = 1 /\\ (",
            *_starts(steps, starts),
            ")",
            "SliceReached(position) == IF position > TLCGet(sliceTrace) THEN TLCSet(sliceTrace, "
            f'position) /\\ PrintT(<<"{POSITION}", sliceTrace, position>>) ELSE TRUE',
            f"{UNFINISHED} == {POSITION} <= Len(SliceEvents[sliceTrace])",
            "SliceTake(event) == SliceShown(event.thread, event)",
            f"SliceNext == /\\ {UNFINISHED}",
            "             /\\ \\/ (\\E self \\in ProcSet : SliceHidden(self)) /\\ UNCHANGED "
            f"{POSITION}",
            f"                \\/ SliceTake(SliceEvents[sliceTrace][{POSITION}]) /\\ {POSITION}' "
            f"= {POSITION} + 1 /\\ SliceReached({POSITION}')",
            "             /\\ UNCHANGED sliceTrace",
            "SliceSpec == SliceInit /\\ [][SliceNext]_<<vars, sliceTrace, sliceDebts, "
            f"{POSITION}>>",
            "ASSUME \\A trace \\in DOMAIN SliceEvents : TLCSet(trace, 1)",
            "=" * 79,
            "",
        ]
    )


def _conjunction(parts: Sequence[str], *more: str) -> str:
    return "  \\/ " + "\n     ".join(f"/\\ {part}" for part in (*parts, *more))


def _taken(row: Row, sign: str) -> list[str]:
    """The label's step, with the result with which its event floats (=) or another one (#)."""
    parts = [f"{row.label}(self)", *([f"({row.when.text})"] if row.when else [])]
    return (
        parts
        if row.floats is None
        else [*parts, f'SliceText({row.columns["res", None].text}) {sign} "{row.floats}"']
    )


def _shown(row: Row) -> str:
    return _conjunction(
        [f'event.kind = "{row.kind}"', *_taken(row, "#")],
        *_says(row.columns),
        "SliceSettled(self)",
        "UNCHANGED sliceDebts",
    )


def _floating(row: Row) -> str:
    names = ", ".join(
        f'IF "{_field(column)}" \\in DOMAIN event THEN event["{_field(column)}"] ELSE NULL'
        for column in sorted(NAMED & row.columns.keys())
    )
    return _conjunction(
        [
            f'event.kind = "{row.kind}"',
            f'"res" \\in DOMAIN event /\\ event.res = "{row.floats}" /\\ ~event.held',
            f'SliceMet(self, TRUE, <<"{row.kind}"{", " if names else ""}{names}>>)',
            "UNCHANGED vars",
        ]
    )


def _sign(row: Row) -> str:
    return (
        "<<"
        + ", ".join(
            [
                f'"{row.kind}"',
                *(row.columns[column].text for column in sorted(NAMED & row.columns.keys())),
            ]
        )
        + ">>"
    )


def _stands(
    label: str, kind: str, columns: Mapping[Column, Expression], pc: str, *conditions: str
) -> str:
    """An event that is no step, from a thread that stands at the label."""
    return _conjunction(
        [f'event.kind = "{kind}"', f'{pc}[self] = "{label}"'],
        *conditions,
        *_says(columns, before_only=True),
        "SliceSettled(self)",
        "UNCHANGED <<vars, sliceDebts>>",
    )


def _says(columns: Mapping[Column, Expression], before_only: bool = False) -> list[str]:
    out = [f'"{_field(column)}" \\notin DOMAIN event' for column in sorted(NAMED - columns.keys())]
    for column, expression in columns.items():
        if not (before_only and expression.primed):
            value = f"SliceText({expression.text})" if column[0] == "res" else expression.text
            out.append(f'SliceSays(event, "{_field(column)}", {value})')
    return out


def _field(column: Column) -> str:
    return column[0] if column[1] is None else f"{column[0]}_{column[1]}"


def _record(item: Followed, columns: Collection[Column]) -> dict[str, Any]:
    """An event as a TLA+ record: of what it says, only what a step could be asked for."""
    asked = {
        _field(column): NULL if value is None else value
        for column, value in item.said.items()
        if column in columns
    }
    return {**asked, "thread": item.thread, "kind": item.event["k"]}


def _starts(steps: Steps, places: frozenset[Place]) -> list[str]:
    """What a slice may begin in; the specification's own Init where it begins with the trace."""
    if places == {Place(steps.normal(steps.start))}:
        return ["  Init /\\ sliceDebts = [self \\in ProcSet |-> << >>]"]
    known: dict[tuple[int, Any], str] = {}
    variables = names_of(steps.model)
    out = []
    for place in sorted(places, key=repr):
        parts = [
            f"{name} = {text}"
            for name, text in zip(variables, texts_of(steps.model, place.state, known), strict=True)
        ]
        debts = {
            thread: tuple(
                {"seen": seen, "sign": sign} for name, seen, sign in place.debts if name == thread
            )
            for thread in steps.model.threads
        }
        out.append(_conjunction(parts, f"sliceDebts = {format_tla(freeze(debts, NULL))}"))
    return out


def _write(file: Path, text: str) -> None:
    """Under a temporary name first: another run may be reading it."""
    if file.is_file() and file.read_text(encoding="utf-8") == text:
        return
    draft = file.with_name(f".{file.name}.draft")
    draft.write_text(text, encoding="utf-8")
    draft.replace(file)
