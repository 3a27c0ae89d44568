"""The tests that :func:`wheelproof.linearizable` makes of classes and factories."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from wheelproof.linearizability.campaign import Campaign, checked
from wheelproof.linearizability.options import ATTRIBUTE, EXPLICIT, Declaration, Options
from wheelproof.plain import calling, progress

if TYPE_CHECKING:
    from wheelproof.linearizability.programs import Program
    from wheelproof.plain.answers import Exploration


def check(
    declaration: Declaration, program: Program | None = None, campaign: type[Campaign] = Campaign
) -> Exploration:
    """Check drawn programs, or the one that is given.

    Raises ExplorationFailed if the answer is no pass, and UsageError.
    """
    __tracebackhide__ = True
    exploration = checked(declaration, program, progress.on_stderr(), campaign)
    if not calling.passes(exploration):
        raise calling.ExplorationFailed(exploration)
    return exploration


def test_of(declaration: Declaration) -> Callable[[], None]:
    """A function that checks a declaration."""

    def test() -> None:
        __tracebackhide__ = True
        check(declaration)

    functools.update_wrapper(test, declaration.factory, updated=())
    del test.__wrapped__  # type: ignore[attr-defined]  # pytest would take a class for its code
    test.__annotations__ = {}
    setattr(test, ATTRIBUTE, declaration)
    return test


def declare(factory: Callable[[], Any], given_options: Options) -> Any:
    """A class with its declaration, or the test that a factory becomes. Raises UsageError."""
    explicit = list(getattr(factory, "__dict__", {}).get(EXPLICIT, ()))
    declaration = Declaration(factory, given_options, explicit)
    if isinstance(factory, type):
        try:
            setattr(factory, ATTRIBUTE, declaration)
            setattr(factory, EXPLICIT, explicit)
        except TypeError:  # a class in C
            return test_of(declaration)
        return factory
    calling.check_program(factory)
    test = test_of(declaration)
    setattr(test, EXPLICIT, explicit)
    return test
