"""TLC's own verdict on an exact log: a specification of one behaviour, made of the log.

The module has a counter. Its step from ``k`` is an action of the specification that shows the
values of event ``k + 1``. So TLC reaches the last number exactly where a behaviour explains the
log.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from wheelproof import reading, temporary
from wheelproof.errors import ToolError
from wheelproof.tla.logs.mapping import Event, place_text
from wheelproof.tla.plain.comparison import Subject
from wheelproof.tla.plain.configuration import Configuration
from wheelproof.tla.plain.machine import Machine
from wheelproof.tla.syntax import Call
from wheelproof.tlc import mc, process
from wheelproof.tlc.result import Outcome
from wheelproof.tlc.values import Function, ModelValue, Value, format_tla

MOST = 2_000
"""The events of the longest log that TLC is given: it reads one formula for each."""

_AND, _OR = " /\\ ", " \\/ "
_MODULE = "LogOfEvents"
_OPEN = "LogOfEvents_open"
_VALUE = "LogOfEvents_value_"


class Unconfirmed(Exception):
    """TLC cannot check a log; the text says why."""


def explained(
    subject: Subject,
    machine: Machine,
    events: Sequence[Event],
    hidden_actions: frozenset[str],
    timeout: float,
) -> bool:
    """Whether TLC finds a behaviour that explains the log.

    Raises Unconfirmed where the log has no such specification, and ToolError where TLC fails.
    """
    text = _module(machine, events, hidden_actions)
    with temporary.folder("log") as folder:
        for file in mc.closure(subject.module, subject.libraries):
            module = mc.without_comments(reading.text(file))
            (folder / file.name).write_text(module, encoding="utf-8")
        (folder / f"{_MODULE}.tla").write_text(text, encoding="utf-8")
        config = folder / f"{_MODULE}.cfg"
        config.write_text(_configuration(machine.configuration), encoding="utf-8")
        result = process.run(folder / f"{_MODULE}.tla", timeout=timeout, shared=True)
    if result.outcome is Outcome.VIOLATED and result.property == _OPEN:
        return True
    if result.outcome is Outcome.COMPLETED:
        return False
    raise ToolError(
        f"TLC gives no verdict on the log: {result.explanation}", "Check the specification."
    )


def _module(machine: Machine, events: Sequence[Event], hidden_actions: frozenset[str]) -> str:
    if len(events) > MOST:
        raise Unconfirmed(f"the log has more than {MOST:,} events")
    if any(before.end >= after.begin for before, after in pairwise(events)):
        raise Unconfirmed("events overlap")
    init, _ = machine.behaviour()
    if not isinstance(init, Call):
        raise Unconfirmed("the initial states have no operator of their own")
    names = _model_values(machine.configuration)
    at = "LogOfEvents_at"
    steps = [
        f"LogOfEvents_{number} == {_step(machine, event, names)}"
        for number, event in enumerate(events)
    ]
    cases = [f"{at} = {number} /\\ LogOfEvents_{number}" for number in range(len(events))]
    quiet = [
        f"({_call(machine, name, (), names)} /\\ UNCHANGED {at})" for name in sorted(hidden_actions)
    ]
    case_list = _OR.join(f"({case})" for case in cases)
    steps_forward = f"(({case_list}) /\\ {at}' = {at} + 1)"
    return "\n".join(
        [
            f"---- MODULE {_MODULE} ----",
            f"EXTENDS {machine.module.name}, Integers, TLC",
            *(f"CONSTANT {_VALUE}{name}" for name in sorted(names)),
            f"VARIABLE {at}",
            *steps,
            f"LogOfEvents_init == {init.name} /\\ {at} = 0",
            f"LogOfEvents_next == {_OR.join([steps_forward, *quiet])}",
            f"{_OPEN} == {at} < {len(events)}",
            "====",
            "",
        ]
    )


def _step(machine: Machine, event: Event, names: frozenset[str]) -> str:
    calls = [
        _call(machine, name, tuple(sorted(event.arguments.get(name, {}).items())), names)
        for name in event.actions
    ]
    conditions = [
        f"{_primed_text(variable, argument, names)} = {_tla(value, names)}"
        for (variable, argument), value in event.shown.items()
    ]
    return _AND.join([f"({_OR.join(calls)})", *conditions])


def _primed_text(variable: str, argument: Value | None, names: frozenset[str]) -> str:
    return place_text(f"{variable}'", None) + (
        "" if argument is None else f"[{_tla(argument, names)}]"
    )


def _call(
    machine: Machine, name: str, pairs: tuple[tuple[int, Value], ...], names: frozenset[str]
) -> str:
    formals = machine.module.definition(name).formals
    if len(pairs) != len(formals):
        raise Unconfirmed(f"an argument of {name} is open")
    return f"{name}({', '.join(_tla(value, names) for _, value in pairs)})" if pairs else name


def _model_values(configuration: Configuration) -> frozenset[str]:
    """The names of the model values of a cfg file."""
    names: set[str] = set()
    waiting = list(configuration.values.values())
    while waiting:
        value = waiting.pop()
        if isinstance(value, ModelValue):
            names.add(value.name)
        elif isinstance(value, frozenset):
            waiting += value
    return frozenset(names)


def _tla(value: Value, names: frozenset[str]) -> str:
    """A value of a log in the module: a string that names a model value is that value."""
    return format_tla(_with_names(value, names))


def _with_names(value: Value, names: frozenset[str]) -> Value:
    match value:
        case str() if value in names:
            return ModelValue(f"{_VALUE}{value}")
        case tuple():
            return tuple(_with_names(item, names) for item in value)
        case frozenset():
            return frozenset(_with_names(item, names) for item in value)
        case Function():
            return Function(
                {_with_names(key, names): _with_names(value[key], names) for key in value}
            )
    return value


def _configuration(here: Configuration) -> str:
    lines = here.constants()
    lines += [f"CONSTRAINT {name}" for name in here.constraints]
    lines += [f"CONSTANT {_VALUE}{name} = {name}" for name in sorted(_model_values(here))]
    return "\n".join(
        [
            *lines,
            "INIT LogOfEvents_init",
            "NEXT LogOfEvents_next",
            f"INVARIANT {_OPEN}",
            "CHECK_DEADLOCK FALSE",
            "",
        ]
    )
