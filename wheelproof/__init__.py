"""Wheelproof: a specification, its executable model and an implementation have one behaviour.

:func:`explore` runs plain Python threads, without a specification, in every order that matters.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, overload

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from wheelproof.plain.answers import Exploration
    from wheelproof.plain.calling import Block

__version__ = "0.1.0"

__all__ = ["explore", "replay"]


@overload
def explore(
    program: Callable[[], object],
    *,
    into: str | Sequence[str] = (),
    bound: int | None = None,
    executions: int = 100_000,
    seed: int = 0,
) -> Exploration: ...


@overload
def explore(
    program: None = None,
    *,
    into: str | Sequence[str] = (),
    bound: int | None = None,
    executions: int = 100_000,
    seed: int = 0,
) -> Block: ...


def explore(
    program: Callable[[], object] | None = None,
    *,
    into: str | Sequence[str] = (),
    bound: int | None = None,
    executions: int = 100_000,
    seed: int = 0,
) -> Exploration | Block:
    """Run a function in every order of its threads that matters.

    Returns the exploration where its answer is *exhausted*, or *bounded* if a ``bound`` is given.
    Any other answer raises :class:`wheelproof.plain.calling.ExplorationFailed`, an AssertionError.

    Without a program: a block for ``with``, in a pytest test. The whole test is then called once
    for each execution.

    ``into``: modules or packages that are looked into, beside those of the program and of what it
    imports. ``bound``: only orders with at most so many preemptions. ``executions``: the most
    runs. ``seed``: of the random runs that come first.
    """
    __tracebackhide__ = True
    from wheelproof.plain import calling
    from wheelproof.plain.settings import settings

    options = settings(into, bound, executions, seed)
    if program is None:
        return calling.Block(options)
    return calling.explored(program, options)


def replay(
    test: str,
    switches: Sequence[tuple[str, str, int, str]],
    *,
    places: Sequence[str],
    bound: int,
    into: Sequence[str] = (),
) -> None:
    """Run a schedule that ``wheelproof explore --save`` has written.

    ``test`` is FILE::TEST, from the folder of the caller. Fails if the schedule does.
    """
    __tracebackhide__ = True
    import sys
    from pathlib import Path

    from wheelproof.plain import saved

    folder = Path(sys._getframe(1).f_code.co_filename).parent
    saved.replay(test, switches, places, bound, into, folder)
