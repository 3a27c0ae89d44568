"""Stacks of any height: a frame on each level, where procedures call themselves through others.

To Z3 a stack is its height and, for each level from 1, the frame's procedure, the label that it
returns to and what its call has saved. What a frame does not save is blank there, and so is all
above the height.
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


def procedures(module: str, of: Procedures) -> Words:
    """The procedures as an enumeration; ``nothing`` is above the stack."""
    return Words(Enumeration(f"{module}Procedure", " ".join(("nothing", *of.names))))


def fields(
    module: str, words: Vocabulary, of: Procedures, shapes: Mapping[str, Shape]
) -> dict[str, Shape]:
    """The fields of a frame by the variables that hold them, with the shapes of one frame's."""
    found: dict[str, Shape] = {PROCEDURE: procedures(module, of), RETURN: words.variables["pc"]}
    for saved in of.saved.values():
        for name in saved:
            if name in shapes:
                shape = shapes[name]
                assert isinstance(shape, Function)
                found |= flat(f"stack_{name}", shape.range)
    return found


def variables(
    module: str, words: Vocabulary, of: Procedures, shapes: Mapping[str, Shape]
) -> Iterator[tuple[str, Shape]]:
    """The variables that stand for the stack."""
    yield HEIGHT, Function(words.threads, INT)
    for name, shape in fields(module, words, of, shapes).items():
        yield name, Function(words.threads, Function(WHOLE, shape))


class Innermost:
    """A field of each thread's innermost frame, by the thread."""

    def __init__(self, s: SimpleNamespace, name: str) -> None:
        self.field, self.height = getattr(s, name), getattr(s, HEIGHT)

    def __getitem__(self, thread: z3.ExprRef) -> z3.ExprRef:
        found = self.field[thread][self.height[thread]]
        assert isinstance(found, z3.ExprRef)
        return found


def innermost(s: SimpleNamespace, name: str, shape: Shape) -> Any:
    """What the innermost frame has saved of a thread's variable."""
    assert isinstance(shape, Function)
    fields = fields_of(shape.range)
    if fields is None:
        return Innermost(s, name)
    return {
        each: innermost(s, f"{name}_{each}", Function(shape.domain, of))
        for each, of in fields.items()
    }


def after(
    of: Mapping[str, Shape],
    s: SimpleNamespace,
    thread: z3.ExprRef,
    popped: bool,
    pushed: Mapping[str, z3.ExprRef],
) -> dict[str, z3.ExprRef]:
    """The next values of the stack's variables.

    ``of``: as `fields` gives it. ``popped``: whether the innermost frame is left; ``pushed``: the
    fields of the frame that is entered, if any.
    """
    height = getattr(s, HEIGHT)[thread]
    slot = height if popped else height + 1
    found = {}
    if popped != bool(pushed):
        found[HEIGHT] = z3.Store(getattr(s, HEIGHT), thread, height - 1 if popped else slot)
    for name, shape in of.items():
        if popped or name in pushed:
            array = getattr(s, name)
            own = z3.Store(array[thread], slot, pushed.get(name, blank(shape)))
            found[name] = z3.Store(array, thread, own)
    return found


def values(
    of: Mapping[str, Shape], stacks: Mapping[str, Any], value: Any
) -> dict[str, dict[str, Any]]:
    """The variables' values in names, from the stacks of a state of the compiled module.

    ``value``: shape, value -> the value in names.
    """
    found: dict[str, dict[str, Any]] = {HEIGHT: {t: len(stack) for t, stack in stacks.items()}}
    for name, shape in of.items():
        field, _, number = name.removeprefix("stack_").partition("_")
        found[name] = {
            thread: {
                level: value(shape, frame[field][int(number) - 1] if number else frame[field])
                for level, frame in enumerate(reversed(stack), 1)
                if field in frame
            }
            for thread, stack in stacks.items()
        }
    return found
