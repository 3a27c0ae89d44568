"""Generators of an implementation, as parts of a fingerprint.

A generator that waits at a ``yield`` decides its further course. The garbage collector
knows all that it holds: locals, the values on its evaluation stack, such as the iterator of a
``for``, and the exception that it handles.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Container
from types import FunctionType, GeneratorType

from wheelproof.python.findings import Unnamed
from wheelproof.python.state.kinds import ITERATORS
from wheelproof.python.state.positions import Positions
from wheelproof.python.state.slots import variables_of
from wheelproof.python.state.stack import Stacks


def of_generator(
    generator: GeneratorType[object, object, object],
    files: Container[str],
    positions: Positions,
    stacks: Stacks | None,
    value: Callable[[object], object],
) -> tuple[object, ...]:
    """Code, position, locals and evaluation stack of a generator.

    ``files``: those of the implementation; ``value``: the canonical form of a local.

    Raises :class:`Unnamed` for a generator that runs, or whose code is not the implementation's.
    """
    frame, code = generator.gi_frame, generator.gi_code
    if frame is None:
        return ("generator", positions.number(code))
    if generator.gi_running or code.co_filename not in files:
        raise Unnamed(
            f"the generator {code.co_qualname}, which runs or is not the implementation's.",
            "Let a thread be suspended only while a generator of impl/ waits at a yield.",
        )
    if stacks is not None and positions.is_new(frame, None):
        stacks.check(frame, None)
    out = ["generator", positions.number(code), positions.offsets_of(code)[frame.f_lasti // 2]]
    variables = frame.f_locals
    for variable in variables_of(code):
        if variable in variables:
            out += [variable, value(variables[variable])]
    exempt = {*map(id, (frame, variables, code, generator.__name__, generator.__qualname__))}
    for part in gc.get_referents(generator):
        if id(part) not in exempt and not (type(part) is FunctionType and part.__code__ is code):
            out.append(value(part) if type(part) not in ITERATORS else _of_iterator(part, value))
    return tuple(out)


def _of_iterator(iterator: object, value: Callable[[object], object]) -> tuple[object, ...]:
    """The object that an iterator goes through, and how far it has come."""
    reduction = iterator.__reduce__()
    assert isinstance(reduction, tuple)
    _, parts, *state = reduction
    return (
        type(iterator).__name__,
        *[_of_iterator(p, value) if type(p) in ITERATORS else value(p) for p in parts],
        *map(value, state),
    )
