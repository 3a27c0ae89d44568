"""Programs of a state machine's rules, as Hypothesis draws them.

The values of bundles exist in a run alone, so that a program names the calls that return them. A
thread takes values of calls before the threads start, and its own. A value that one thread consumes
is used by no other.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from itertools import pairwise
from typing import Any

from hypothesis import reject
from hypothesis import strategies as st
from hypothesis.stateful import Bundle

from wheelproof.linearizability.machines.rules import Rules
from wheelproof.linearizability.programs import Call, Drawn, Program, Result, Sizes

SEEDS = 1 << 16
"""Seeds of arguments that are drawn in the run."""

RESULTS = 3
"""Results of one call that a program names, where a rule may have several."""

MAIN = 0
"""The number of the thread that calls prefix and suffix."""


def programs(rules: Rules, size: Sizes) -> st.SearchStrategy[Program]:
    """A strategy for programs of rules."""

    @st.composite
    def strategy(draw: Any) -> Program:
        return _Drawing(draw, rules, size).program()

    return strategy()


class _Drawing:
    """One program, while it is drawn."""

    def __init__(self, draw: Any, rules: Rules, size: Sizes) -> None:
        self._draw, self._rules, self._size = draw, rules, size
        self._number = 0
        self._results: dict[str, list[Result]] = {}
        self._users: dict[Result, set[int]] = {}
        self._visible: dict[Result, int] = {}

    def program(self) -> Program:
        size, rules = self._size, self._rules
        initializers = list(rules.initializers)
        if len(initializers) > 1:
            initializers = self._draw(st.permutations(initializers))
        prefix = [self._call(name, MAIN) for name in initializers]
        prefix += self._calls(MAIN, self._draw(st.integers(0, size.prefix)))
        count = self._draw(st.integers(*size.threads))
        threads: list[tuple[Call, ...]] = []
        room = size.most
        least, maximum = size.calls
        for thread in range(1, count + 1):
            free = max(least, room - least * (count - thread))
            length = self._draw(st.integers(least, min(maximum, free)))
            threads.append(tuple(self._calls(thread, length)))
            room -= len(threads[-1])
        if not all(threads):
            reject()
        for result in self._visible:
            self._visible[result] = MAIN
        suffix = self._calls(MAIN, self._draw(st.integers(0, size.suffix)))
        return Program(tuple(prefix), tuple(threads), tuple(suffix))

    def _calls(self, thread: int, length: int) -> list[Call]:
        calls: list[Call] = []
        for _ in range(length):
            possible = [name for name in self._rules.rules if self._is_possible(name, thread)]
            if not possible:
                break
            calls.append(self._call(self._draw(st.sampled_from(possible)), thread))
        return calls

    def _is_possible(self, name: str, thread: int) -> bool:
        rule = self._rules.rules[name]
        return all(any(self._usable(bundle, thread)) for bundle in rule.bundles)

    def _usable(self, bundle: Bundle[Any], thread: int) -> Iterator[Result]:
        """The values of a bundle that a thread may take."""
        for result in self._results.get(bundle.name, ()):
            users = self._users.get(result, set())
            if self._visible[result] not in (MAIN, thread):
                continue
            if not bundle.consume or thread == MAIN or users <= {thread}:
                yield result

    def _call(self, name: str, thread: int) -> Call:
        rule = self._rules.all()[name]
        keywords: dict[str, Any] = {}
        for argument, strategy in rule.arguments.items():
            if isinstance(strategy, Bundle):
                keywords[argument] = self._value(strategy, thread)
            elif argument in self._rules.late[name]:
                keywords[argument] = Drawn(self._draw(st.integers(0, SEEDS)))
            else:
                keywords[argument] = self._draw(strategy)
        several = RESULTS if rule.targets and self._rules.has_several_results(name) else 1
        for target in rule.targets:
            for item in range(several):
                result = Result(self._number, item)
                self._results.setdefault(target, []).append(result)
                self._visible[result] = thread
        self._number += 1
        return Call(name, (), keywords)

    def _value(self, bundle: Bundle[Any], thread: int) -> Result:
        usable = list(self._usable(bundle, thread))
        if not usable:
            reject()
        result: Result = self._draw(st.sampled_from(usable[::-1]))
        self._users.setdefault(result, set()).add(thread)
        if bundle.consume:
            self._results[bundle.name].remove(result)
        return result


def without(program: Program, numbers: Collection[int]) -> Program | None:
    """A program without some calls and those that need their results; None without a thread.

    The results of the other calls keep their meaning.
    """
    removals = set(numbers)
    calls = list(program.calls())
    for number, (_, call) in enumerate(calls):
        if any(result.number in removals for result in _results(call)):
            removals.add(number)
    stay = [number for number in range(len(calls)) if number not in removals]
    new_numbers = {number: at for at, number in enumerate(stay)}
    ends = [0, len(program.prefix)]
    for column in program.threads:
        ends.append(ends[-1] + len(column))
    ends.append(len(calls))
    parts = [
        tuple(_renumber(calls[number][1], new_numbers) for number in stay if begin <= number < end)
        for begin, end in pairwise(ends)
    ]
    threads = tuple(part for part in parts[1:-1] if part)
    return Program(parts[0], threads, parts[-1]) if len(threads) > 1 else None


def _results(call: Call) -> list[Result]:
    return [value for value in call.keywords.values() if isinstance(value, Result)]


def _renumber(call: Call, numbers: dict[int, int]) -> Call:
    keywords = {
        name: Result(numbers[value.number], value.item) if isinstance(value, Result) else value
        for name, value in call.keywords.items()
    }
    return Call(call.name, (), keywords)
