"""The operations of a class: its public methods, and the strategies for their arguments."""

from __future__ import annotations

import inspect
import typing
from collections.abc import Mapping, Sequence
from typing import Any

from hypothesis import strategies as st
from hypothesis.errors import HypothesisException

from wheelproof.errors import UsageError
from wheelproof.linearizability.programs import Call

Given = Mapping[str, Any] | Sequence[str] | None
"""Operations as users give them: names, or for each name its strategies, or nothing."""

SMALL: dict[Any, st.SearchStrategy[Any]] = {
    int: st.integers(0, 2),
    str: st.sampled_from(["a", "b"]),
    float: st.sampled_from([0.0, 1.0, 2.0]),
    bytes: st.sampled_from([b"a", b"b"]),
}
"""Annotation -> few values, so that operations meet."""


def of_class(kind: type, choice: Given) -> dict[str, st.SearchStrategy[Call]]:
    """For each operation of a class a strategy for its calls. Raises UsageError."""
    if isinstance(choice, str):
        choice = [choice]
    names = list(choice) if choice is not None else public(kind)
    strategies = {}
    for name in names:
        method = getattr(kind, name, None)
        if not callable(method):
            raise UsageError(
                f"{kind.__qualname__} has no method {name}.",
                f"It has {', '.join(public(kind)) or 'none that is public'}.",
            )
        strategy = choice.get(name) if isinstance(choice, Mapping) else None
        strategies[name] = _calls(kind, name, method, strategy)
    if not strategies:
        raise UsageError(
            f"{kind.__qualname__} has no public method.", "Name its operations in `operations`."
        )
    return strategies


def public(kind: type) -> list[str]:
    """The names of the methods that have no underscore, in the order of their definition."""
    names: dict[str, None] = {}
    for base in reversed(kind.__mro__[:-1]):
        for name, value in vars(base).items():
            if not name.startswith("_") and callable(value) and not isinstance(value, type):
                names[name] = None
    return list(names)


def _calls(kind: type, name: str, method: Any, strategy: Any) -> st.SearchStrategy[Call]:
    """A strategy for the calls of an operation."""
    arguments: list[Any] = []
    keywords: dict[str, Any] = {}
    if strategy is None:
        arguments, keywords = _from_annotations(kind, name, method)
    elif isinstance(strategy, Mapping):
        keywords = dict(strategy)
    elif isinstance(strategy, st.SearchStrategy):
        arguments = [strategy]
    elif isinstance(strategy, (list, tuple)):
        arguments = list(strategy)
    else:
        raise UsageError(
            f"operations[{name!r}] is {strategy!r}.",
            "Give a strategy, a tuple of them, or a dictionary by the names of arguments.",
        )
    for part in (*arguments, *keywords.values()):
        if not isinstance(part, st.SearchStrategy):
            raise UsageError(
                f"operations[{name!r}] has {part!r}, which is no strategy.",
                f"Give st.just({part!r}).",
            )
    strategy_of_call = st.tuples(st.tuples(*arguments), st.fixed_dictionaries(keywords))
    return strategy_of_call.map(lambda parts: Call(name, parts[0], parts[1]))


def _from_annotations(kind: type, name: str, method: Any) -> tuple[list[Any], dict[str, Any]]:
    """Strategies for the arguments that a method needs, by their annotations."""
    remedy = f"Name strategies: operations={{{name!r}: (st.integers(), ...)}}."
    try:
        parameters = list(inspect.signature(method).parameters.values())
    except (TypeError, ValueError):
        raise UsageError(
            f"{kind.__qualname__}.{name} does not say what arguments it takes.", remedy
        ) from None
    static = isinstance(inspect.getattr_static(kind, name), (staticmethod, classmethod))
    parameters = parameters if static else parameters[1:]
    required_parts = [
        part
        for part in parameters
        if part.default is part.empty and part.kind not in (part.VAR_POSITIONAL, part.VAR_KEYWORD)
    ]
    try:
        hints = typing.get_type_hints(method) if required_parts else {}
    except (NameError, TypeError) as error:
        raise UsageError(
            f"The annotations of {kind.__qualname__}.{name}: {error}.", remedy
        ) from None
    arguments, keywords = [], {}
    for part in required_parts:
        hint = hints.get(part.name, Any)
        strategy = SMALL.get(hint) if isinstance(hint, type) else None
        if strategy is None and hint not in (Any, object):
            strategy = st.from_type(hint)
            try:
                strategy.validate()
            except HypothesisException:
                strategy = None
        if strategy is None:
            raise UsageError(
                f"{kind.__qualname__}.{name} does not say from what {part.name} is drawn.", remedy
            )
        if part.kind is part.KEYWORD_ONLY:
            keywords[part.name] = strategy
        else:
            arguments.append(strategy)
    return arguments, keywords
