"""Stacks of any height: a frame on each level, where procedures call themselves through others.

To Z3 a stack is its height and, for each level from 1, the frame's procedure, the label that it
returns to and the variables that its call has saved. A variable that a frame does not save is blank
there, and so is all above the height.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import SimpleNamespace
from typing import Any

import z3

from wheelproof.prove.module.shapes import (
    INT,
    Function,
    Shape,
    Vocabulary,
    Words,
    blank,
    fields_of,
    flat,
)
from wheelproof.prove.module.stacks import Procedures
from wheelproof.prove.ts.system import WHOLE, Enumeration

DEEPEST = 10
"""On finite states: one more than the most frames that a stack has."""
HEIGHT, PROCEDURE, RETURN = "stack_height", "stack_procedure", "stack_pc"


def procedures(module: str, procs: Procedures) -> Words:
    """The procedures as an enumeration; ``nothing`` is above the stack."""
    return Words(Enumeration(f"{module}Procedure", " ".join(("nothing", *procs.names))))


def fields(
    module: str, words: Vocabulary, procs: Procedures, shapes: Mapping[str, Shape]
) -> dict[str, Shape]:
    """The fields of a frame by the variables that hold them, with the shapes of one frame's."""
    frame: dict[str, Shape] = {PROCEDURE: procedures(module, procs), RETURN: words.variables["pc"]}
    for names in procs.saved.values():
        for name in names:
            if name in shapes:
                shape = shapes[name]
                assert isinstance(shape, Function)
                frame |= flat(f"stack_{name}", shape.range)
    return frame


def variables(
    module: str, words: Vocabulary, procs: Procedures, shapes: Mapping[str, Shape]
) -> Iterator[tuple[str, Shape]]:
    """The variables that stand for the stack."""
    yield HEIGHT, Function(words.threads, INT)
    for name, shape in fields(module, words, procs, shapes).items():
        yield name, Function(words.threads, Function(WHOLE, shape))


class Innermost:
    """A field of each thread's innermost frame, by the thread."""

    def __init__(self, s: SimpleNamespace, name: str) -> None:
        self.field, self.height = getattr(s, name), getattr(s, HEIGHT)

    def __getitem__(self, thread: z3.ExprRef) -> z3.ExprRef:
        term = self.field[thread][self.height[thread]]
        assert isinstance(term, z3.ExprRef)
        return term


def innermost(s: SimpleNamespace, name: str, shape: Shape) -> Any:
    """The value of a thread's variable that the innermost frame has saved."""
    assert isinstance(shape, Function)
    fields = fields_of(shape.range)
    if fields is None:
        return Innermost(s, name)
    return {
        field_name: innermost(s, f"{name}_{field_name}", Function(shape.domain, field_shape))
        for field_name, field_shape in fields.items()
    }


def after(
    shapes: Mapping[str, Shape],
    s: SimpleNamespace,
    thread: z3.ExprRef,
    pops: bool,
    frame: Mapping[str, z3.ExprRef],
) -> dict[str, z3.ExprRef]:
    """The next values of the stack's variables.

    ``shapes``: as `fields` gives them. ``pops``: whether the innermost frame is left; ``frame``:
    the fields of the frame that is entered, if any.
    """
    height = getattr(s, HEIGHT)[thread]
    slot = height if pops else height + 1
    updates = {}
    if pops != bool(frame):
        updates[HEIGHT] = z3.Store(getattr(s, HEIGHT), thread, height - 1 if pops else slot)
    for name, shape in shapes.items():
        if pops or name in frame:
            array = getattr(s, name)
            column = z3.Store(array[thread], slot, frame.get(name, blank(shape)))
            updates[name] = z3.Store(array, thread, column)
    return updates


def values(
    shapes: Mapping[str, Shape], stacks: Mapping[str, Any], value: Any
) -> dict[str, dict[str, Any]]:
    """The variables' values in names, from the stacks of a state of the compiled module.

    ``value``: shape, value -> the value in names.
    """
    table: dict[str, dict[str, Any]] = {HEIGHT: {t: len(stack) for t, stack in stacks.items()}}
    for name, shape in shapes.items():
        field, _, number = name.removeprefix("stack_").partition("_")
        table[name] = {
            thread: {
                level: value(shape, frame[field][int(number) - 1] if number else frame[field])
                for level, frame in enumerate(reversed(stack), 1)
                if field in frame
            }
            for thread, stack in stacks.items()
        }
    return table
