"""Programs: calls of threads, calls before and after them, and how they are drawn."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from hypothesis import strategies as st

from wheelproof.errors import UsageError

FINAL = "observe"
"""The name of the observation, which ends a history."""


@dataclass(frozen=True)
class Result:
    """An argument: a result of an earlier call, by its number in the program."""

    number: int
    item: int = 0

    def __str__(self) -> str:
        return f"v{self.number}" + f"[{self.item}]" * bool(self.item)

    def __repr__(self) -> str:
        return f"wheelproof.result({self.number}{f', {self.item}' * bool(self.item)})"


@dataclass(frozen=True)
class Drawn:
    """An argument that is drawn as its call begins, since its strategy needs the run."""

    seed: int

    def __str__(self) -> str:
        return f"drawn({self.seed})"

    def __repr__(self) -> str:
        return f"wheelproof.drawn({self.seed})"


@dataclass(frozen=True)
class Call:
    """A call of an operation."""

    name: str
    arguments: tuple[Any, ...] = ()
    keywords: Mapping[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        parts = [*map(_text, self.arguments)]
        parts += [f"{name}={_text(value)}" for name, value in self.keywords.items()]
        return f"{self.name}({', '.join(parts)})"

    @property
    def source(self) -> str:
        """It in Python, as a program is written."""
        parts = [json.dumps(self.name), *map(repr, self.arguments)]
        if self.keywords:
            return f"({', '.join(parts)}, {dict(self.keywords)!r})"
        return f"({', '.join(parts)}{',' * (len(parts) == 1)})"


def _text(argument: Any) -> str:
    return str(argument) if isinstance(argument, (Result, Drawn)) else repr(argument)


@dataclass(frozen=True)
class Program:
    """Calls: those before the threads start, those of each thread, those after all have ended."""

    prefix: tuple[Call, ...]
    threads: tuple[tuple[Call, ...], ...]
    suffix: tuple[Call, ...] = ()

    def calls(self) -> Iterator[tuple[int, Call]]:
        """Every call with its thread; that of prefix and suffix has the number 0."""
        yield from ((0, call) for call in self.prefix)
        for number, calls in enumerate(self.threads, 1):
            yield from ((number, call) for call in calls)
        yield from ((0, call) for call in self.suffix)

    def __repr__(self) -> str:
        parts = ["[" + ", ".join(call.source for call in calls) + "]" for calls in self.threads]
        parts = [f"threads=[{', '.join(parts)}]"]
        for name, calls in (("prefix", self.prefix), ("suffix", self.suffix)):
            if calls:
                parts.append(f"{name}=[{', '.join(call.source for call in calls)}]")
        return f"wheelproof.program({', '.join(parts)})"


Written = str | Sequence[Any]
"""A call as people write it: a name, or a tuple of a name and arguments, a dictionary last."""


def written(
    threads: Sequence[Sequence[Written]], prefix: Sequence[Written], suffix: Sequence[Written]
) -> Program:
    """A program as people write it. Raises UsageError."""
    if not threads or isinstance(threads, str):
        raise UsageError("A program needs threads.", 'Give them as [["get"], [("put", 1)]].')
    return Program(
        tuple(map(_call, prefix)),
        tuple(tuple(map(_call, calls)) for calls in threads),
        tuple(map(_call, suffix)),
    )


def _call(part: Written) -> Call:
    if isinstance(part, str):
        return Call(part)
    if not part or not isinstance(part[0], str):
        raise UsageError(f"{part!r} is no call.", 'Give a name, or ("put", 1).')
    arguments = list(part[1:])
    if arguments and isinstance(arguments[-1], dict):
        return Call(part[0], tuple(arguments[:-1]), arguments[-1])
    return Call(part[0], tuple(arguments))


@dataclass(frozen=True)
class Sizes:
    """How large programs are: least and most threads, calls of each, and the most of all threads.

    ``prefix`` and ``suffix``: the most calls before and after them.
    """

    threads: tuple[int, int] = (2, 3)
    calls: tuple[int, int] = (1, 2)
    most: int = 4
    prefix: int = 2
    suffix: int = 1


def sizes(
    threads: int | tuple[int, int],
    calls: int | tuple[int, int],
    prefix: int,
    suffix: int,
) -> Sizes:
    """Sizes as people give them. Raises UsageError."""
    counts, lengths = _pair("threads", threads, 2), _pair("calls", calls, 1)
    for name, number in (("prefix", prefix), ("suffix", suffix)):
        if type(number) is not int or number < 0:
            raise UsageError(f"{name}={number!r} is no whole number from 0 on.")
    total = max(4, counts[0] * lengths[0], 2 * lengths[1])
    return Sizes(counts, lengths, total, prefix, suffix)


def _pair(name: str, size: Any, least: int) -> tuple[int, int]:
    """A least and a most number. Raises UsageError."""
    pair = (size, size) if type(size) is int else size
    whole = isinstance(pair, tuple) and len(pair) == 2 and all(type(n) is int for n in pair)
    if not whole or not least <= pair[0] <= pair[1]:
        raise UsageError(f"{name}={size!r} is no number or pair of them from {least} on.")
    return pair[0], pair[1]


def drawn(
    operations: Mapping[str, st.SearchStrategy[Call]], size: Sizes
) -> st.SearchStrategy[Program]:
    """A strategy for programs."""
    call = st.one_of(*operations.values())
    least, maximum = size.calls
    threads = st.lists(
        st.lists(call, min_size=least, max_size=maximum),
        min_size=size.threads[0],
        max_size=size.threads[1],
    ).map(lambda columns: _cut(columns, size))
    return st.builds(
        Program,
        st.lists(call, max_size=size.prefix).map(tuple),
        threads,
        st.lists(call, max_size=size.suffix).map(tuple),
    )


def _cut(columns: Sequence[Sequence[Call]], size: Sizes) -> tuple[tuple[Call, ...], ...]:
    """The calls of threads without those that are too many together."""
    threads, rest = [], size.most
    for number, calls in enumerate(columns, 1):
        room = max(size.calls[0], rest - size.calls[0] * (len(columns) - number))
        threads.append(tuple(calls[:room]))
        rest -= len(threads[-1])
    return tuple(threads)
