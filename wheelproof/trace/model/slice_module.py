"""The TLA+ module that extends a specification by slices of a trace.

Its next step is that of a label whose event is the next of the slice and agrees with the step, or
one that no event shows. Every moment of every hidden step is possible. The invariant
``SliceUnfinished`` is violated if the last event is reached.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from wheelproof import reading
from wheelproof.errors import UsageError
from wheelproof.graph.compare import NULL, names_of, texts_of
from wheelproof.project.mechanism import Mechanism
from wheelproof.protocols import Values
from wheelproof.tlc.values import format_tla, freeze
from wheelproof.trace.model.expressions import Expression
from wheelproof.trace.model.following import Steps
from wheelproof.trace.model.observed import NAMED, STOP, WAITS, Column, Row, field_of
from wheelproof.trace.model.places import Place

UNFINISHED = "SliceUnfinished"
POSITION = "slicePosition"


def module_text(steps: Steps, mechanism: Mechanism, starts: frozenset[Place]) -> str:
    """The module that extends the mechanism's specification by traces."""
    _check_actions(mechanism)
    title = f" MODULE {mechanism.module}Slice "
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
            *_all_shown(steps, mechanism),
            "",
            "\\* The steps that none shows.",
            "SliceHidden(self) ==",
            *(list(_all_hidden(steps)) or ["  FALSE"]),
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


def _check_actions(mechanism: Mechanism) -> None:
    """UsageError where the specification has no action of a thread for a label."""
    text = mechanism.specs.get(mechanism.spec.name) or reading.text(mechanism.spec)
    for name in mechanism.labels:
        if not re.search(rf"^{name}\(self\) ==", text, re.MULTILINE):
            raise UsageError(
                f"{mechanism.spec}: there is no action {name}(self).",
                "A specification can be used here if every process has a set of names.",
            )


def _all_shown(steps: Steps, mechanism: Mechanism) -> Iterator[str]:
    """The kinds of a slice's events: a step, a wait or a mark, a floating event, the end of a
    thread."""
    floating = {}
    for row in steps.table.rows.values():
        if steps.captured(row):
            yield _visible_step(row)
            if row.floats is not None:
                floating[row.kind, row.floats] = _floating(row)
        if row.lock:
            yield _stands(row.label, WAITS, row.columns, mechanism.pc)
        for mark, columns in row.marks.items():
            yield _stands(row.label, mark, columns, mechanism.pc, "event.opened")
    yield from floating.values()
    yield _conjunction(
        [
            f"event.kind = {format_tla(STOP)}",
            f'{mechanism.pc}[self] = "Done"',
            "SliceSettled(self)",
            "UNCHANGED <<vars, sliceDebts>>",
        ]
    )


def _all_hidden(steps: Steps) -> Iterator[str]:
    """The steps without an event: of labels that have none, or not then, or not yet."""
    for row in steps.table.rows.values():
        if not steps.captured(row):
            yield _conjunction([f"{row.label}(self)"], "UNCHANGED sliceDebts")
            continue
        if row.floats is not None:
            yield _conjunction(_step_of_label(row, "="), f"SliceMet(self, FALSE, {_sign(row)})")
        if row.when is not None:
            yield _conjunction(
                [f"{row.label}(self)", f"~({row.when.text})"], "UNCHANGED sliceDebts"
            )


def _conjunction(parts: Sequence[str], *more: str) -> str:
    return "  \\/ " + "\n     ".join(f"/\\ {part}" for part in (*parts, *more))


def _step_of_label(row: Row, sign: str) -> list[str]:
    """The label's step, with the result with which its event floats (=) or another one (#)."""
    parts = [f"{row.label}(self)", *([f"({row.when.text})"] if row.when else [])]
    return (
        parts
        if row.floats is None
        else [*parts, f"SliceText({row.columns['res', None].text}) {sign} {format_tla(row.floats)}"]
    )


def _visible_step(row: Row) -> str:
    return _conjunction(
        [f"event.kind = {format_tla(row.kind)}", *_step_of_label(row, "#")],
        *_says(row.columns),
        "SliceSettled(self)",
        "UNCHANGED sliceDebts",
    )


def _floating(row: Row) -> str:
    names = ", ".join(
        f"IF {name} \\in DOMAIN event THEN event[{name}] ELSE NULL"
        for name in map(_field, sorted(NAMED & row.columns.keys()))
    )
    return _conjunction(
        [
            f"event.kind = {format_tla(row.kind)}",
            f'"res" \\in DOMAIN event /\\ event.res = {format_tla(row.floats)} /\\ ~event.held',
            f"SliceMet(self, TRUE, <<{format_tla(row.kind)}{', ' if names else ''}{names}>>)",
            "UNCHANGED vars",
        ]
    )


def _sign(row: Row) -> str:
    return (
        "<<"
        + ", ".join(
            [
                format_tla(row.kind),
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
        [f"event.kind = {format_tla(kind)}", f"{pc}[self] = {format_tla(label)}"],
        *conditions,
        *_says(columns, before_only=True),
        "SliceSettled(self)",
        "UNCHANGED <<vars, sliceDebts>>",
    )


def _says(columns: Mapping[Column, Expression], before_only: bool = False) -> list[str]:
    out = [f"{_field(column)} \\notin DOMAIN event" for column in sorted(NAMED - columns.keys())]
    for column, expression in columns.items():
        if not (before_only and expression.primed):
            value = f"SliceText({expression.text})" if column[0] == "res" else expression.text
            out.append(f"SliceSays(event, {_field(column)}, {value})")
    return out


def _field(column: Column) -> str:
    return format_tla(field_of(column))


def _starts(steps: Steps, places: frozenset[Place]) -> list[str]:
    """The states that a slice may begin in; at the start of the trace, the specification's Init."""
    if places == {Place(steps.normal(steps.start))}:
        return ["  Init /\\ sliceDebts = [self \\in ProcSet |-> << >>]"]
    texts: dict[tuple[int, Values], str] = {}
    variables = names_of(steps.model)
    out = []
    for place in sorted(places, key=repr):
        parts = [
            f"{name} = {text}"
            for name, text in zip(variables, texts_of(steps.model, place.state, texts), strict=True)
        ]
        debts = {
            thread: tuple(
                {"seen": event_first, "sign": sign}
                for name, event_first, sign in place.debts
                if name == thread
            )
            for thread in steps.model.threads
        }
        out.append(_conjunction(parts, f"sliceDebts = {format_tla(freeze(debts, NULL))}"))
    return out
