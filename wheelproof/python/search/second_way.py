"""Second ways: each state is stepped again after another way into it.

The search steps a state after the first way that reaches it. State that no fingerprint sees may
differ after another way, and lead elsewhere. So after the search, states are reached through an
incoming edge that is not the first way's, and each of their steps is compared with the known one. A
difference shows that a part of the state is hidden.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, NamedTuple

from wheelproof.choices import Move
from wheelproof.python.findings import StepError, Unnamed
from wheelproof.python.search.difference import Difference, Results

if TYPE_CHECKING:
    from wheelproof.python.search.search import Search


class Known(NamedTuple):
    """The facts of a search on a state, and on one of its steps: the state after it, results."""

    state: tuple[int, ...]
    enabled: Mapping[int, str]
    after: tuple[int, ...]
    results: Results


class SecondWays:
    """States stepped again."""

    def __init__(self, search: Search, limit: int) -> None:
        self.search, self.most = search, limit
        self.known = self.stepped = 0
        """``stepped``: the number of states that were stepped again."""
        self.in_time = True
        """Whether the search's budget was enough for all chosen states."""

    def run(self) -> Difference | None:
        """Step states again, and return the first difference.

        At most ``most`` states are stepped, spread over all that have a second way.
        """
        entries = self._entries()
        self.known = len(entries)
        """The states that have a second way."""
        stride = max(1, -(-len(entries) // self.most)) if self.most else 0
        for before, entering in entries[::stride] if stride else ():
            if time.process_time() - self.search.started > self.search.budget:
                self.in_time = False
                return None
            if (difference := self._again(before, entering)) is not None:
                return difference
            self.stepped += 1
        return None

    def controls(self) -> dict[str, bool]:
        """Planted difference of the first second way -> whether it is rejected.

        The facts on a state, or on the state after one of its steps, are others.
        """
        search = self.search
        for before, entering in self._entries()[:1]:
            node = search.successors[before][entering]
            move, after = next(iter(search.successors[node].items()))
            way, expectation = [*search.way(before), entering], self._expectation(node, move, after)
            faults = {
                "another state": expectation._replace(state=()),
                "other threads that can move": expectation._replace(enabled={}),
                "another state after a step": expectation._replace(after=()),
                "another result of a step": expectation._replace(results=(self,)),
            }
            return {
                f"a second way to {name}": self._compare_step(way, move, wrong) is not None
                for name, wrong in faults.items()
            }
        return {}

    def _entries(self) -> list[tuple[int, Move]]:
        """The last edge, (state, step), of a second way into each state that has one."""
        search, entries = self.search, {}
        for node, following in enumerate(search.successors):
            for move, after in following.items():
                if search.parent[after] != (node, move) and search.enabled[after]:
                    entries[after] = (node, move)
        return list(entries.values())

    def _again(self, before: int, entering: Move) -> Difference | None:
        search = self.search
        node = search.successors[before][entering]
        way = [*search.way(before), entering]
        for move, after in search.successors[node].items():
            difference = self._compare_step(way, move, self._expectation(node, move, after))
            if difference is not None:
                return difference
        return None

    def _expectation(self, node: int, move: Move, after: int) -> Known:
        search = self.search
        return Known(
            search.fingerprints[node],
            search.enabled[node],
            search.fingerprints[after],
            search.results.get((node, move), ()),
        )

    def _compare_step(self, way: list[Move], move: Move, expectation: Known) -> Difference | None:
        """A step at the end of a way, compared with the facts on it."""
        search = self.search
        run = search.implementation.begin(search.scenario, intern=search.intern)
        try:
            run.replay(way)
            if run.fingerprint() != expectation.state or run.enabled() != expectation.enabled:
                return self._difference(way, "")
            run.step(move)
            if run.fingerprint() != expectation.after or run.results(move) != expectation.results:
                return self._difference([*way, move], "")
        except (StepError, Unnamed) as error:
            return self._difference([*way, move], f" ({error.message})")
        finally:
            run.end()
        return None

    def _difference(self, way: list[Move], why: str) -> Difference:
        return Difference(
            "hidden",
            "a state that is reached in two ways goes on in two ways: a part of the state is in "
            f"no slot and in no local, or the code is not deterministic{why}",
            tuple(self._steps(way)),
        )

    def _steps(self, way: list[Move]) -> Iterator[tuple[str, str]]:
        node = 0
        for move in way:
            yield self.search.step_of(node, move)
            node = self.search.successors[node][move]
