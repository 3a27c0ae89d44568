"""An error that ends a check early: whose fault it is decides the verdict."""

from __future__ import annotations

import traceback

from wheelproof import guest
from wheelproof.errors import UsageError, WheelproofError
from wheelproof.guest import Overdue
from wheelproof.verdict import Verdict

CAUGHT = (Exception, Overdue, SystemExit)
"""Exceptions that end one check, and no more than that."""


def judge(error: BaseException) -> tuple[Verdict, str]:
    """The verdict on a check that an exception ended, and why.

    An error of the project is ``refused``, a budget is ``inconclusive``, and the rest is an
    ``error`` of a tool. Raises the error again where it is a request to end.
    """
    if isinstance(error, Overdue):
        return Verdict.INCONCLUSIVE, str(error)
    if isinstance(error, UsageError):
        return Verdict.REFUSED, str(error)
    if isinstance(error, WheelproofError):
        return Verdict.ERROR, str(error)
    if (fault := guest.fault_of(error)) is not None:
        return Verdict.REFUSED, str(fault)
    if isinstance(error, SystemExit):
        raise error
    if isinstance(error, MemoryError):
        return Verdict.ERROR, "the checker ran out of memory"
    if isinstance(error, RecursionError):
        return Verdict.ERROR, f"the checker broke: {error}"
    place = traceback.extract_tb(error.__traceback__)[-1]
    file = place.filename.rpartition("/")[2]
    return (
        Verdict.ERROR,
        f"{type(error).__name__}: {error} (at {place.name}, line {place.lineno} of {file})",
    )
