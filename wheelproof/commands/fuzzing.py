"""``wheelproof fuzz``: any timer against the contract of timers."""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Callable
from typing import Annotated, Any

import typer

from wheelproof.commands.exploring import WORST
from wheelproof.errors import UsageError


def fuzz(
    timer: Annotated[
        str,
        typer.Option("--timer", metavar="MODULE:FACTORY", help="A class or function of timers."),
    ],
    tick: Annotated[
        int, typer.Option("--tick", metavar="MS", min=1, help="How late an action may be.")
    ] = 1,
    programs: Annotated[
        int, typer.Option("--programs", metavar="N", min=1, help="Programs that are drawn.")
    ] = 25,
    executions: Annotated[
        int, typer.Option("--executions", metavar="N", min=1, help="The most of one program.")
    ] = 300,
    bound: Annotated[
        int | None,
        typer.Option("--bound", metavar="N", min=0, help="Only orders with N preemptions."),
    ] = None,
    seed: Annotated[int, typer.Option("--seed", metavar="N", help="Of the programs.")] = 0,
    into: Annotated[
        list[str] | None,
        typer.Option("--into", metavar="MODULE", help="Look into this module or package, too."),
    ] = None,
    excuses: Annotated[
        list[str] | None,
        typer.Option("--excuse", metavar="CLAUSE", help="Do not judge this clause."),
    ] = None,
) -> None:
    """Draw programs of a timer's calls, and judge each in one thread and under threads."""
    from wheelproof.timers.options import options

    run_options = options(
        tick=tick,
        programs=programs,
        executions=executions,
        bound=bound,
        seed=seed,
        into=tuple(into or ()),
        excused=tuple(excuses or ()),
    )
    raise typer.Exit(run(factory(timer), run_options))


def factory(address: str) -> Callable[[], Any]:
    """The factory of an address MODULE:FACTORY. Raises UsageError."""
    name, _, attribute = address.partition(":")
    if not name or not attribute:
        raise UsageError(f"--timer {address} names no factory.", "Give it as MODULE:FACTORY.")
    if os.getcwd() not in sys.path:
        sys.path.insert(0, os.getcwd())
    try:
        value: Any = importlib.import_module(name)
        for part in attribute.split("."):
            value = getattr(value, part)
    except (ImportError, AttributeError) as error:
        raise UsageError(f"--timer {address}: {error}.") from None
    if not callable(value):
        raise UsageError(f"--timer {address}: {attribute} makes nothing.", "Name a class.")
    return value  # type: ignore[no-any-return]


def run(make: Callable[[], Any], options: Any) -> int:
    """Check a timer both ways, and print each answer; the exit code."""
    from wheelproof.plain import columns, progress
    from wheelproof.plain.answers import EXIT_CODES
    from wheelproof.plain.searching import Interrupted
    from wheelproof.timers.campaign import Check
    from wheelproof.timers.programs import WAYS

    codes = []
    for way in WAYS:
        print(f"{way.name}:")
        check = Check(make, options, progress.on_stderr())
        try:
            for exploration in check.breaches(way):
                print(columns.text(exploration), end="\n\n", flush=True)
                codes.append(EXIT_CODES[exploration.answer])
        except Interrupted as error:
            print(error)
            return error.code
    return next(code for code in WORST if code in codes)
