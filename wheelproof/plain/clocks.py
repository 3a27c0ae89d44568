"""Virtual time for all that the interpreter has clocks for: one for the whole program.

The clocks that count from an arbitrary moment begin at the same; those of the calendar are later by
a fixed time.
"""

from __future__ import annotations

import datetime
import functools
import time
from collections.abc import Callable
from typing import Any

from wheelproof.plain.primitives import Clock

EPOCH = 1_700_000_000
"""Seconds from 1970 to the moment at which the other clocks begin: a day in 2023."""

NOW = frozenset({"now", "today", "utcnow"})
"""Methods of the classes of ``datetime`` that read a clock."""


def of_time(clock: Clock) -> dict[str, Callable[..., Any]]:
    """The functions of ``time`` that read a clock."""
    calendar = functools.partial(_calendar, clock)
    counting = ("monotonic", "perf_counter", "process_time", "thread_time")
    functions: dict[str, Callable[..., Any]] = dict.fromkeys(counting, clock.now)
    functions["time"] = calendar

    def clock_gettime(number: int) -> float:
        return calendar() if number == getattr(time, "CLOCK_REALTIME", None) else clock.now()

    functions["clock_gettime"] = clock_gettime
    for name in [name for name in functions if hasattr(time, f"{name}_ns")]:
        functions[f"{name}_ns"] = _nanoseconds(functions[name])
    for name in ("ctime", "gmtime", "localtime"):
        functions[name] = _by_default(getattr(time, name), calendar)

    def asctime(when: Any = None) -> str:
        return time.asctime(time.localtime(calendar()) if when is None else when)

    def strftime(text: str, when: Any = None) -> str:
        return time.strftime(text, time.localtime(calendar()) if when is None else when)

    functions |= {"asctime": asctime, "strftime": strftime}
    return {name: functions[name] for name in functions if hasattr(time, name)}


def of_dates(clock: Clock, function: Any) -> Any:
    """``datetime.now`` and its like, of a class; any other method is itself."""
    kind, name = getattr(function, "__self__", None), getattr(function, "__name__", "")
    if name not in NOW or not (isinstance(kind, type) and issubclass(kind, datetime.date)):
        return function
    date_class: Any = kind

    def now(tz: datetime.tzinfo | None = None) -> Any:
        return date_class.fromtimestamp(_calendar(clock), tz)

    def utcnow() -> Any:
        return now(datetime.UTC).replace(tzinfo=None)

    def today() -> Any:
        return date_class.fromtimestamp(_calendar(clock))

    return {"now": now, "utcnow": utcnow, "today": today}[name]


def _calendar(clock: Clock) -> float:
    return EPOCH + clock.now()


def _nanoseconds(now: Callable[..., float]) -> Callable[..., int]:
    return lambda *arguments: round(now(*arguments) * 1e9)


def _by_default(real: Callable[[float], Any], now: Callable[[], float]) -> Callable[..., Any]:
    def function(seconds: float | None = None) -> Any:
        return real(now() if seconds is None else seconds)

    return function
