"""Generators and tracebacks of an implementation, as parts of a fingerprint.

A generator that waits at a ``yield`` decides what happens when it goes on. Its position and its
locals are all that it has, since its evaluation stack is judged as that of any suspended frame.
"""

from __future__ import annotations

from collections.abc import Callable, Container
from types import GeneratorType, TracebackType

from wheelproof.explore.findings import Unnamed
from wheelproof.explore.positions import Positions
from wheelproof.explore.slots import variables_of
from wheelproof.explore.stack import Stacks


def of_generator(
    generator: GeneratorType[object, object, object],
    files: Container[str],
    positions: Positions,
    stacks: Stacks | None,
    value: Callable[[object], object],
) -> tuple[object, ...]:
    """Code, position and locals of a generator, and of the one that it delegates to.

    ``files``: those of the implementation; ``value``: the canonical form of a local.

    Raises :class:`Unnamed` for a generator that runs, or whose code is not the implementation's.
    """
    frame, code = generator.gi_frame, generator.gi_code
    if frame is None:
        return ("generator", code.co_qualname)
    if generator.gi_running or code.co_filename not in files:
        raise Unnamed(
            f"the generator {code.co_qualname}, which runs or is not the implementation's.",
            "Let a thread be suspended only while a generator of impl/ waits at a yield.",
        )
    if stacks is not None and positions.is_new(frame, None):
        stacks.check(frame, None)
    out: list[object] = ["generator", code.co_qualname, positions.of(code)[frame.f_lasti // 2]]
    seen = frame.f_locals
    for variable in variables_of(code):
        if variable in seen:
            out += [variable, value(seen[variable])]
    if generator.gi_yieldfrom is not None:
        out.append(value(generator.gi_yieldfrom))
    return tuple(out)


def of_traceback(trace: TracebackType) -> tuple[object, ...]:
    """The places through which an exception went up: ``__exit__`` is given them."""
    out: list[object] = ["traceback"]
    place: TracebackType | None = trace
    while place is not None:
        out += [place.tb_frame.f_code.co_qualname, place.tb_lineno]
        place = place.tb_next
    return tuple(out)
