"""The rules of a state machine, read as Hypothesis reads them."""

from __future__ import annotations

import inspect
import types
from collections.abc import Iterator
from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import (
    INITIALIZE_RULE_MARKER,
    INVARIANT_MARKER,
    RULE_MARKER,
    Bundle,
    RuleBasedStateMachine,
    multiple,
)
from hypothesis.strategies import SearchStrategy
from hypothesis.strategies._internal.lazy import unwrap_strategies

from wheelproof.errors import UsageError


class Rules:
    """The rules, initialize rules and invariants of a state machine.

    ``late``: for each rule the arguments whose strategies need the run: data(), runner(), and
    bundles within other strategies. ``left_out``: rules that are not called, with the reason.
    """

    def __init__(self, machine: type) -> None:
        self.machine = machine
        self.rules: dict[str, Any] = {}
        self.initializers: dict[str, Any] = {}
        self.invariants: list[Any] = []
        self.left_out: dict[str, str] = {}
        for name, function in inspect.getmembers(machine):
            if (rule := getattr(function, RULE_MARKER, None)) is not None:
                self.rules[name] = rule
            if (rule := getattr(function, INITIALIZE_RULE_MARKER, None)) is not None:
                self.initializers[name] = rule
            if (invariant := getattr(function, INVARIANT_MARKER, None)) is not None:
                self.invariants.append(invariant)
        self.late = {
            name: frozenset(
                argument
                for argument, strategy in rule.arguments.items()
                if not isinstance(strategy, Bundle) and list(_of_a_run(strategy))
            )
            for name, rule in self.all().items()
        }
        self._leave_out()

    def all(self) -> dict[str, Any]:
        """Every rule by its name, the initialize rules first."""
        return {**self.initializers, **self.rules}

    def _leave_out(self) -> None:
        """Raises UsageError if no rule is left."""
        for name, rule in self.all().items():
            for argument in self.late[name]:
                parts = _of_a_run(rule.arguments[argument])
                if any(isinstance(part, Bundle) and part.consume for part in parts):
                    self.left_out[name] = f"{argument} consumes within another strategy"
        for name in self.left_out:
            self.rules.pop(name, None)
        if missing := [name for name in self.initializers if name in self.left_out]:
            raise UsageError(
                f"{self.machine.__qualname__}.{missing[0]} cannot be called: "
                f"{self.left_out[missing[0]]}.",
                "Give its argument consumes(...) alone.",
            )
        if not self.rules:
            raise UsageError(
                f"{self.machine.__qualname__} has no rule that can be called.",
                "Give it one with @rule().",
            )

    def has_several_results(self, name: str) -> bool:
        """Whether a rule may return multiple(...)."""
        function = self.all()[name].function
        code = function.__code__
        return any(
            part == "multiple" or function.__globals__.get(part) is multiple
            for part in (*code.co_names, *code.co_freevars)
        )


def checked_machine(machine: Any) -> type:
    """A state machine's class. Raises UsageError for anything else."""
    if isinstance(machine, type) and issubclass(machine, RuleBasedStateMachine):
        return machine
    raise UsageError(
        f"{machine!r} is no state machine.",
        "Give a class derived from hypothesis.stateful.RuleBasedStateMachine.",
    )


def _unwrap(strategy: SearchStrategy[Any]) -> SearchStrategy[Any]:
    """The strategy of one that is made lazily."""
    inner: SearchStrategy[Any] = unwrap_strategies(strategy)  # type: ignore[no-untyped-call]
    return inner


_RUN = tuple(type(_unwrap(strategy)).__name__ for strategy in (st.data(), st.runner()))
"""The names of the classes of strategies that need a run, beside bundles."""


def _of_a_run(strategy: Any, visits: set[int] | None = None) -> Iterator[SearchStrategy[Any]]:
    """The strategies that need a run: within one, and in variables that its functions capture."""
    visits = set() if visits is None else visits
    if id(strategy) in visits:
        return
    visits.add(id(strategy))
    if isinstance(strategy, (list, tuple)):
        for part in strategy:
            yield from _of_a_run(part, visits)
    elif isinstance(strategy, dict):
        yield from _of_a_run(list(strategy.values()), visits)
    elif isinstance(strategy, types.FunctionType):
        cells = strategy.__closure__ or ()
        for cell in cells:
            yield from _of_a_run(getattr(cell, "cell_contents", None), visits)
    elif isinstance(strategy, SearchStrategy):
        if isinstance(strategy, Bundle) or type(strategy).__name__ in _RUN:
            yield strategy
        inner_strategy = _unwrap(strategy)
        if inner_strategy is not strategy:
            yield from _of_a_run(inner_strategy, visits)
        yield from _of_a_run(list(vars(strategy).values()), visits)
