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
    """What the search knows of a state, and of one of its steps: the state after it, results."""

    state: tuple[int, ...]
    enabled: Mapping[int, str]
    after: tuple[int, ...]
    results: Results


class SecondWays:
    """States stepped again.

    ``stepped``: their number; ``known``: the states that have a second way; ``in_time``: whether
    the search's budget was enough for all chosen states.
    """

    def __init__(self, search: Search, most: int) -> None:
        self.search, self.most = search, most
        self.known = self.stepped = 0
        self.in_time = True

    def run(self) -> Difference | None:
        """Step states again, and return the first difference.

        At most ``most`` states are stepped, spread over all that have a second way.
        """
        entries = self._entries()
        self.known = len(entries)
        stride = max(1, -(-len(entries) // self.most)) if self.most else 0
        for before, entering in entries[::stride] if stride else ():
            if time.process_time() - self.search.started > self.search.budget:
                self.in_time = False
                return None
            if (found := self._again(before, entering)) is not None:
                return found
            self.stepped += 1
        return None

    def controls(self) -> dict[str, bool]:
        """Planted difference of the first second way -> whether it is rejected.

        What is known of a state, or of the state after one of its steps, is another.
        """
        search = self.search
        for before, entering in self._entries()[:1]:
            node = search.successors[before][entering]
            move, after = next(iter(search.successors[node].items()))
            way, known = [*search.way(before), entering], self._known(node, move, after)
            planted = {
                "another state": known._replace(state=()),
                "other threads that can move": known._replace(enabled={}),
                "another state after a step": known._replace(after=()),
                "another result of a step": known._replace(results=(self,)),
            }
            return {
                f"a second way to {name}": self._stepped(way, move, wrong) is not None
                for name, wrong in planted.items()
            }
        return {}

    def _entries(self) -> list[tuple[int, Move]]:
        """The last edge, (state, step), of a second way into each state that has one."""
        search, found = self.search, {}
        for node, following in enumerate(search.successors):
            for move, after in following.items():
                if search.parent[after] != (node, move) and search.enabled[after]:
                    found[after] = (node, move)
        return list(found.values())

    def _again(self, before: int, entering: Move) -> Difference | None:
        search = self.search
        node = search.successors[before][entering]
        way = [*search.way(before), entering]
        for move, after in search.successors[node].items():
            found = self._stepped(way, move, self._known(node, move, after))
            if found is not None:
                return found
        return None

    def _known(self, node: int, move: Move, after: int) -> Known:
        search = self.search
        return Known(
            search.fingerprints[node],
            search.enabled[node],
            search.fingerprints[after],
            search.results.get((node, move), ()),
        )

    def _stepped(self, way: list[Move], move: Move, known: Known) -> Difference | None:
        """A step at the end of a way, compared with what is known of it."""
        search = self.search
        run = search.implementation.begin(search.scenario, intern=search.intern)
        try:
            run.replay(way)
            if run.fingerprint() != known.state or run.enabled() != known.enabled:
                return self._difference(way, "")
            run.step(move)
            if run.fingerprint() != known.after or run.results(move) != known.results:
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
            yield self.search.named(node, move)
            node = self.search.successors[node][move]
