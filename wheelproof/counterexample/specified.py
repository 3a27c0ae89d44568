"""A behaviour of any module of TLA+ as a counterexample: by process, or by action.

Where every step has an argument, the first one names the process that takes it, as in
``\\E p \\in Process : Send(p)``. Otherwise each action has a column of its own.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from wheelproof.counterexample.document import Counterexample, Step
from wheelproof.tla.plain.exploration import Exploration
from wheelproof.tla.plain.machine import Label, Machine
from wheelproof.tla.values import canonical
from wheelproof.tlc.values import Function, ModelValue, Value, format_tla

LAYER = "tla"


def counterexample(
    machine: Machine, exploration: Exploration, files: Mapping[str, Path]
) -> Counterexample:
    """The run to the violation of an exploration. ``files``: module -> its file."""
    (_, first), *rest = exploration.trace()
    labels = [label for label, _ in rest if label is not None]
    states = [_places(machine.values(state)) for _, state in [(None, first), *rest]]
    by_process = bool(labels) and all(
        arguments and isinstance(arguments[0], str | int | ModelValue) for _, arguments in labels
    )
    steps = []
    for label, before, after in zip(labels, states[:-1], states[1:], strict=True):
        changes = {
            place: (before.get(place, "absent"), after.get(place, "absent"))
            for place in dict.fromkeys((*before, *after))
            if before.get(place) != after.get(place)
        }
        thread, choice = _columns(label, by_process)
        source = _source(machine, label, files)
        steps.append(Step(thread, label[0], "", source, changes, choice=choice))
    return Counterexample(
        mechanism=machine.module.name,
        layer=LAYER,
        name=machine.configuration.file.stem,
        scenario=machine.configuration.file.name,
        property=exploration.violated,
        explanation="",
        threads=tuple(dict.fromkeys(step.thread for step in steps)) or (machine.module.name,),
        initial=states[0],
        steps=tuple(steps),
    )


def _columns(label: Label, by_process: bool) -> tuple[str, tuple[str, ...]]:
    """The column of a step, and its other arguments."""
    name, arguments = label
    texts = [format_tla(canonical(argument)) for argument in arguments]
    if by_process:
        return texts[0].strip('"'), tuple(texts[1:])
    return name, tuple(texts)


def _places(values: Mapping[str, Value]) -> dict[str, str]:
    """The text of each variable, of a function that of each of its results."""
    out: dict[str, str] = {}
    for name, value in values.items():
        if isinstance(value, Function):
            out |= {f"{name}[{_argument(key)}]": format_tla(value[key]) for key in value}
        else:
            out[name] = format_tla(value)
    return out


def _argument(key: Value) -> str:
    return key if isinstance(key, str) else format_tla(key)


def _source(machine: Machine, label: Label, files: Mapping[str, Path]) -> str | None:
    definition = machine.module.definitions.get(label[0])
    if definition is None or definition.place.module not in files:
        return None
    return f"{files[definition.place.module].name}:{definition.place.line}"
