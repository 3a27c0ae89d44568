"""A declaration: a class or a factory, with its options."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any

from wheelproof.errors import UsageError
from wheelproof.linearizability.conditions import Condition, Linearizable

if TYPE_CHECKING:
    from wheelproof.linearizability.programs import Program, Sizes

ATTRIBUTE = "__linearizable__"
"""Where a class or a test has its declaration."""

EXPLICIT = "hypothesis_explicit_examples"
"""The attribute in which Hypothesis keeps the examples that ``@example`` gives."""

LAST, ANY, LENIENT = TIME_OUTS = ("last", "any", "lenient")
"""When a wait may end by its time-out: where no other thread can move, or at any moment.

The last one: at any moment, and the result of an operation that times out fits every order.
"""

EXECUTIONS = 5_000
"""Executions of one program, at most, unless the user says otherwise."""


@dataclass(frozen=True)
class Options:
    """The options of a declaration, as the user gives them."""

    operations: Mapping[str, Any] | Sequence[str] | None = None
    observe: Callable[[Any], Any] | None = None
    reference: Callable[[], Any] | None = None
    ignored: frozenset[str] = frozenset()
    condition: Condition = field(default_factory=Linearizable)
    threads: int | tuple[int, int] = (2, 3)
    calls: int | tuple[int, int] = (1, 2)
    prefix: int = 2
    suffix: int = 1
    time_outs: str = "last"
    examples: tuple[Program, ...] = ()
    settings: Any = None
    into: tuple[str, ...] = ()
    bound: int | None = None
    executions: int = EXECUTIONS
    seed: int = 0

    def sizes(self) -> Sizes:
        from wheelproof.linearizability.programs import sizes

        return sizes(self.threads, self.calls, self.prefix, self.suffix)


class Declaration:
    """A class or a factory with its options.

    ``explicit``: the examples of ``@hypothesis.example`` as Hypothesis keeps them; None without a
    decorator.
    """

    def __init__(
        self, factory: Callable[[], Any], options: Options, explicit: list[Any] | None = None
    ) -> None:
        self.factory, self.options, self.explicit = factory, options, explicit
        self.name = getattr(factory, "__qualname__", repr(factory))


def options(**given_options: Any) -> Options:
    """Options as the user gives them. Raises UsageError."""
    from wheelproof.linearizability.programs import Program
    from wheelproof.plain.settings import settings

    names = {part.name for part in fields(Options)} - {"ignored"} | {"ignore_results"}
    if unknown := given_options.keys() - names:
        raise UsageError(f"There is no option {min(unknown)}.", f"There are {', '.join(names)}.")
    result_names = given_options.pop("ignore_results", ())
    given_options["ignored"] = frozenset(
        [result_names] if isinstance(result_names, str) else result_names
    )
    condition = given_options.pop("condition", None)
    condition = condition() if isinstance(condition, type) else condition or Linearizable()
    if not isinstance(condition, Condition):
        raise UsageError(
            f"condition={condition!r} is no condition.",
            "Give one of wheelproof.linearizability.conditions.",
        )
    result = Options(**given_options, condition=condition)
    plain = settings(result.into, result.bound, result.executions, result.seed)
    result = replace(result, into=plain.into, examples=tuple(result.examples))
    if result.time_outs not in TIME_OUTS:
        raise UsageError(f"time_outs={result.time_outs!r} is none of {', '.join(TIME_OUTS)}.")
    for name in ("observe", "reference"):
        value = getattr(result, name)
        if value is not None and not callable(value):
            raise UsageError(f"{name}={value!r} is no function.")
    for example in result.examples:
        if not isinstance(example, Program):
            raise UsageError(f"{example!r} is no program.", "Write it as wheelproof.program(...).")
    result.sizes()
    return result


def declaration_of(value: Any) -> Declaration | None:
    """The declaration of a class or a test, if it has one of its own."""
    declaration = getattr(value, "__dict__", {}).get(ATTRIBUTE)
    return declaration if isinstance(declaration, Declaration) else None
