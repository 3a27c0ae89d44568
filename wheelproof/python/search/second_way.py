"""Second ways: each state is stepped again after another way into it.

The search steps a state after the first way that reaches it. State that no fingerprint sees may
differ after another way, and lead elsewhere. So after the search, states are reached through an
incoming edge that is not the first way's, and each of their steps is compared with the known one. A
difference shows that a part of the state is hidden.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import TYPE_CHECKING

from wheelproof.choices import Move
from wheelproof.python.findings import StepError, Unnamed
from wheelproof.python.search.difference import Difference

if TYPE_CHECKING:
    from wheelproof.python.search.search import Search


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
            run = search.implementation.begin(search.scenario, intern=search.intern)
            try:
                run.replay(way)
                if (
                    run.fingerprint() != search.fingerprints[node]
                    or run.enabled() != search.enabled[node]
                ):
                    return self._difference(way, "")
                run.step(move)
                if run.fingerprint() != search.fingerprints[after] or run.results(
                    move
                ) != search.results.get((node, move), ()):
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
