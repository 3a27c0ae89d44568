"""Running the implementation's own functions on symbols: Python's computation as a formula.

A `Symbol` takes part in the operators that the wheel's arithmetic uses, and gives the terms of
``arithmetic``. The truth of a comparison forks the run: every path is taken, and the
results are put together by their conditions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import z3

from wheelproof.prove.arithmetic import Number, both, div, mod, mul, when
from wheelproof.prove.kernel import ProofError

PATHS = 64
"""Paths, and decisions on one path, after which a run ends: a loop over a symbol has no end."""


class _Run:
    """One run along one path. ``taken``: the decisions so far, the first of them prescribed."""

    current: _Run | None = None

    def __init__(self, choices: tuple[bool, ...]) -> None:
        self.prescribed = choices
        self.taken: list[bool] = []
        self.conditions: list[z3.BoolRef] = []

    def decide(self, condition: z3.BoolRef) -> bool:
        step = len(self.taken)
        if step == PATHS:
            raise ProofError(
                f"A path has more than {PATHS} decisions. Let the function decide less."
            )
        choice = self.prescribed[step] if step < len(self.prescribed) else True
        self.taken.append(choice)
        self.conditions.append(condition if choice else z3.Not(condition))
        return choice


class Condition:
    """A comparison of symbols. Its truth is decided by the path; outside a run it has none."""

    def __init__(self, formula: z3.BoolRef) -> None:
        self.formula = formula

    def __bool__(self) -> bool:
        if _Run.current is None:
            raise ProofError("A function branches on a symbol outside `paths`. Run it there.")
        return _Run.current.decide(self.formula)

    def __sub__(self, operand: Condition) -> int:
        return bool(self) - bool(operand)


class Symbol:
    """A whole number that may be any. Operators that are not defined here raise TypeError."""

    __hash__ = None  # type: ignore[assignment]

    @property
    def __class__(self) -> type:
        """The code asks whether a number is an int, and this one is."""
        return int

    @__class__.setter
    def __class__(self, value: type) -> None:
        raise TypeError("A symbol stays a symbol.")

    def __init__(self, term: z3.ArithRef) -> None:
        self.term = term

    def __add__(self, operand: Any) -> Symbol:
        return Symbol(self.term + term(operand))

    __radd__ = __add__

    def __sub__(self, operand: Any) -> Symbol:
        return Symbol(self.term - term(operand))

    def __rsub__(self, operand: Any) -> Symbol:
        return Symbol(term(operand) - self.term)

    def __mul__(self, operand: Any) -> Symbol:
        return Symbol(mul(self.term, term(operand)))

    def __rmul__(self, operand: Any) -> Symbol:
        return Symbol(mul(term(operand), self.term))

    def __floordiv__(self, operand: Any) -> Symbol:
        return Symbol(div(self.term, term(operand)))

    def __mod__(self, operand: Any) -> Symbol:
        return Symbol(mod(self.term, term(operand)))

    def __lt__(self, operand: Any) -> Condition:
        return Condition(self.term < term(operand))

    def __le__(self, operand: Any) -> Condition:
        return Condition(self.term <= term(operand))

    def __gt__(self, operand: Any) -> Condition:
        return Condition(self.term > term(operand))

    def __ge__(self, operand: Any) -> Condition:
        return Condition(self.term >= term(operand))

    def __eq__(self, operand: Any) -> Condition:  # type: ignore[override]
        return Condition(self.term == term(operand))

    def __ne__(self, operand: Any) -> Condition:  # type: ignore[override]
        return Condition(self.term != term(operand))


def term(value: Any) -> Any:
    """The meaning of a value to Z3: a symbol's term, a number, a truth value."""
    if isinstance(value, Symbol):
        return value.term
    if isinstance(value, Condition):
        return value.formula
    if isinstance(value, int):
        return z3.BoolVal(value) if isinstance(value, bool) else z3.IntVal(value)
    raise ProofError(f"{value!r} is neither a number nor a symbol.")


def paths(run: Callable[[], Any]) -> Iterator[tuple[z3.BoolRef, Any]]:
    """Every path of a function: (condition, result). Raises ProofError after PATHS of them."""
    waiting: list[tuple[bool, ...]] = [()]
    count = 0
    while waiting:
        if count == PATHS:
            raise ProofError(f"There are more than {PATHS} paths. Let the function decide less.")
        _Run.current = path = _Run(waiting.pop())
        try:
            result = run()
        finally:
            _Run.current = None
        waiting += [
            (*path.taken[:step], False) for step in range(len(path.prescribed), len(path.taken))
        ]
        count += 1
        yield z3.And(*path.conditions) if path.conditions else z3.BoolVal(True), result


def run_on(function: Callable[..., Any], *values: Number) -> Any:
    """The result of a function of numbers: ints call it, Z3 terms run it along every path.

    It returns a number, a truth value, or a tuple of those.
    """
    if all(isinstance(value, int) for value in values):
        return function(*values)
    results = list(
        paths(
            lambda: function(
                *[Symbol(z3.IntVal(value) if isinstance(value, int) else value) for value in values]
            )
        )
    )
    if isinstance(results[0][1], tuple):
        return tuple(
            _one_term([(condition, result[place]) for condition, result in results])
            for place in range(len(results[0][1]))
        )
    return _one_term(results)


def _one_term(results: list[tuple[z3.BoolRef, Any]]) -> Any:
    """One term of the results, each where its path's condition holds."""
    *rest, (_, last) = results
    value = term(last)
    for condition, result in reversed(rest):
        value = (
            z3.If(condition, term(result), value)
            if z3.is_bool(value)
            else when(both(condition), term(result), value)
        )
    return value
