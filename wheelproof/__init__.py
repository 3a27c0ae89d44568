"""Wheelproof: a specification, its executable model and an implementation have one behaviour.

:func:`explore` runs plain Python threads, without a specification, in every order that matters.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, overload

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from wheelproof.linearizability.programs import Program
    from wheelproof.plain.answers import Exploration
    from wheelproof.plain.calling import Block

__version__ = "0.1.0"

__all__ = ["check", "explore", "linearizable", "program", "replay"]


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

    ``into``: modules or packages that are looked into, beside those of the program and of its
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


def linearizable(
    factory: Callable[[], Any] | None = None,
    *,
    operations: Mapping[str, Any] | Sequence[str] | None = None,
    observe: Callable[[Any], object] | None = None,
    reference: Callable[[], object] | None = None,
    ignore_results: str | Sequence[str] = (),
    condition: Any = None,
    threads: int | tuple[int, int] = (2, 3),
    calls: int | tuple[int, int] = (1, 2),
    prefix: int = 2,
    suffix: int = 1,
    time_outs: str = "last",
    examples: Sequence[Program] = (),
    settings: Any = None,
    into: str | Sequence[str] = (),
    bound: int | None = None,
    executions: int = 5_000,
    seed: int = 0,
) -> Any:
    """Check that a class is linearizable, by drawn programs in every order of their threads.

    For a function that makes an object, or for a class. The function becomes a test of pytest. A
    class stays as it is, and pytest collects it.

    ``operations``: names of methods, or names with strategies for their arguments. By default all
    public methods, with strategies by their annotations. ``observe``: gives the part of the
    object that is compared in the end. ``reference``: a class whose
    operations have the right results; without it, those of the class itself, one after the other.
    ``ignore_results``: operations whose results are not
    compared. ``condition``: one of :mod:`wheelproof.linearizability.conditions`. ``threads``,
    ``calls``: how many threads, and how many calls of each. ``prefix``, ``suffix``: the most calls
    before and after them. ``time_outs``: ``last`` where no other thread can move, ``any``, or
    ``lenient``, where a result after a time-out fits every order.
    ``examples``: programs that come first. ``settings``: Hypothesis'. ``executions``: the most of
    one program. The other options are those of :func:`explore`.
    """
    from wheelproof.linearizability import declaring, options

    settings_of_run = options.options(
        operations=operations,
        observe=observe,
        reference=reference,
        ignore_results=ignore_results,
        condition=condition,
        threads=threads,
        calls=calls,
        prefix=prefix,
        suffix=suffix,
        time_outs=time_outs,
        examples=examples,
        settings=settings,
        into=into,
        bound=bound,
        executions=executions,
        seed=seed,
    )
    if factory is None:
        return lambda factory: declaring.declare(factory, settings_of_run)
    return declaring.declare(factory, settings_of_run)


def check(subject: Any, program: Program | None = None, **options: Any) -> Exploration:
    """Check a class, a factory, or a test that :func:`linearizable` has made, here and now.

    ``program``: it alone is run, and none is drawn. ``options``: those of :func:`linearizable`, for
    a class without any. Returns the answer where it is a pass, or raises an AssertionError.
    """
    __tracebackhide__ = True
    from wheelproof.errors import UsageError
    from wheelproof.linearizability import declaring
    from wheelproof.linearizability.options import Declaration, declaration_of
    from wheelproof.linearizability.options import options as given

    declaration = declaration_of(subject)
    if declaration is None:
        declaration = Declaration(subject, given(**options))
    elif options:
        raise UsageError(f"{declaration.name} has options already.", "Name them once.")
    return declaring.check(declaration, program)


def program(
    threads: Sequence[Sequence[Any]],
    *,
    prefix: Sequence[Any] = (),
    suffix: Sequence[Any] = (),
) -> Program:
    """A program for :func:`linearizable`: the calls of each thread, before them, and after them.

    A call is a name, or a tuple of a name and arguments, of which a dictionary at the end has those
    that are named.
    """
    from wheelproof.linearizability.programs import written

    return written(threads, prefix, suffix)


def run_concurrently(
    machine: type,
    program: Program | None = None,
    *,
    threads: int | tuple[int, int] = 2,
    calls: int | tuple[int, int] = (1, 2),
    prefix: int = 3,
    suffix: int = 1,
    **options: Any,
) -> Exploration:
    """Check a state machine of Hypothesis by programs of its rules in threads, here and now.

    ``machine``: a class derived from ``RuleBasedStateMachine``, as it stands. Its initialize rules
    come first. The results and exceptions of rules must be those of some order of the rules, one
    after the other. Invariants are checked while no rule runs. ``prefix``: the
    most rules before the threads start. The options are those of :func:`linearizable`, but for
    ``operations``, ``observe`` and ``reference``. ``program``: it alone is run. Returns the answer
    where it is a pass, or raises an AssertionError.
    """
    __tracebackhide__ = True
    from wheelproof.linearizability import declaring
    from wheelproof.linearizability.machines.campaign import MachineCampaign, declared

    sizes = {"threads": threads, "calls": calls, "prefix": prefix, "suffix": suffix}
    return declaring.check(declared(machine, {**sizes, **options}), program, MachineCampaign)


def result(number: int, item: int = 0) -> Any:
    """An argument in a program of rules: the result of an earlier call, for a bundle.

    ``number``: of the call in the program, from 0 on: prefix, threads, suffix. ``item``: of
    several values.
    """
    from wheelproof.linearizability.programs import Result

    return Result(number, item)


def drawn(seed: int) -> Any:
    """An argument in a program of rules that is drawn as its call begins."""
    from wheelproof.linearizability.programs import Drawn

    return Drawn(seed)


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
