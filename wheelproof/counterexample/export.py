"""``wheelproof export``: a counterexample for other tools, and as a regression test.

ITF is the Informal Trace Format of Apalache (ADR 015), which trace viewers and model-based testing
tools read. The test runs the schedule on the implementation as it is: it passes once the fault is
mended, and fails when the fault is back.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from wheelproof.choices import word
from wheelproof.counterexample import compiled, composed
from wheelproof.counterexample.document import Counterexample
from wheelproof.counterexample.numbering import SILENT, numbers
from wheelproof.documents import encode
from wheelproof.errors import UsageError
from wheelproof.names import WORD, is_word
from wheelproof.tlc.itf import encoded
from wheelproof.tlc.values import ValueSyntaxError, parse_value

_PLACE = re.compile(r"(?P<variable>[^\[]+)\[(?P<index>.*)\]", re.DOTALL)


def itf(trace: Counterexample) -> str:
    """The run in ITF: a state before the first step, and one after each.

    The variables are those of the specification; ``thread`` and ``label`` are those of a step.
    ``#meta`` has the number of the step, if it is not a silent one.
    """
    values: dict[str, str] = dict(trace.initial)
    states = [_state({"index": 0}, values, "", "")]
    for index, (step, number) in enumerate(zip(trace.steps, numbers(trace.steps)), 1):
        values |= {place: after for place, (_, after) in step.changes.items()}
        at: dict[str, Any] = {"index": index} | ({} if number is None else {"step": number})
        at |= {"choice": list(step.choice)} if step.choice else {}
        states.append(_state(at, values, step.thread, step.label))
    loop = {} if trace.loop is None else {"loop": min(trace.loop, len(trace.steps))}
    return encode(
        {
            "#meta": {
                "format": "ITF",
                "format-description": "https://apalache-mc.org/docs/adr/015adr-trace.html",
                "source": f"spec/{trace.mechanism}",
                "description": f"{trace.property} is violated: {trace.mechanism}, {trace.scenario}",
            },
            "params": [],
            "vars": [name for name in states[0] if name != "#meta"],
            "states": states,
            **loop,
        }
    )


def _state(
    at: Mapping[str, Any], values: Mapping[str, str], thread: str, label: str
) -> dict[str, Any]:
    record = {"#meta": dict(at), "thread": thread, "label": label}
    variables: dict[str, Any] = {}
    by_part: dict[str, list[Any]] = {}
    for place, text in values.items():
        part = _PLACE.fullmatch(place)
        name = place if part is None else part["variable"]
        if name in record or (name in variables and (part is None or name not in by_part)):
            raise UsageError(
                f"A state has two values of the name {name!r}, and in ITF it can have one.",
                "Show the counterexample with `wheelproof show FILE`.",
            )
        if part is None:
            variables[name] = _value(text)
        else:
            pairs = by_part.setdefault(name, [])
            variables[name] = {"#map": pairs}
            pairs.append([_index(part["index"]), _value(text)])
    return {**record, **variables}


def _index(text: str) -> Any:
    return encoded(int(text)) if re.fullmatch(r"-?[0-9]+", text) else text


def _value(text: str) -> Any:
    try:
        return encoded(parse_value(text))
    except ValueSyntaxError:
        return text


def schedule_of(counterexample: Counterexample) -> list[str]:
    """The steps that an implementation has: their threads, each with the step's choice."""
    return [word(step.thread, step.named) for step in counterexample.steps if step.kind != SILENT]


def pytest(trace: Counterexample) -> str:
    """A test module that runs the schedule. UsageError where a finite schedule shows nothing."""
    if trace.layer == compiled.LAYER:
        raise UsageError(
            "The counterexample is one of compiled classes.",
            "Run it with `wheelproof replay FILE`; a test of the implementation is another one.",
        )
    if trace.layer == composed.LAYER:
        raise UsageError(
            "The counterexample has steps of lower mechanisms, which the model has not.",
            "Run it with `wheelproof replay FILE`.",
        )
    if trace.loop is not None:
        raise UsageError(
            f"{trace.property} is violated by a run without an end, which no test can await.",
            "Keep the config that finds it, and run `wheelproof verify`.",
        )
    names = [
        *trace.name.split(" "),
        trace.mechanism,
        trace.property,
        trace.scenario,
    ]
    names += [step.thread for step in trace.steps]
    if odd := [name for name in names if not is_word(name)]:
        raise UsageError(f"The counterexample has the name {odd[0]!r}.", f"Names have {WORD}.")
    lines: list[str] = []
    for token in schedule_of(trace):
        if lines and len(lines[-1]) + len(token) < 76:
            lines[-1] += f" {token}"
        else:
            lines.append(token)
    schedule = "\n".join(f"    {line}" for line in lines)
    name = re.sub(
        r"[^A-Za-z0-9]+",
        "_",
        f"{trace.mechanism}_{trace.name}_{trace.property}",
    ).lower()
    return f'''"""A schedule that once violated {trace.property} of {trace.mechanism}, \
scenario {trace.scenario}.

Made by `wheelproof export`. The test fails if the implementation violates it again.
"""

from wheelproof import regression

SCHEDULE = """
{schedule}
"""


def test_{name}():
    regression.check(
        __file__, {trace.mechanism!r}, {trace.scenario!r}, {trace.property!r}, SCHEDULE.split()
    )
'''
