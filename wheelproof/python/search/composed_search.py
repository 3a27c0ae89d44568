"""The search of an implementation with the steps of two mechanisms, one on top of the other.

:mod:`wheelproof.python.search.composition` compares its states with the model of the upper one.
"""

from __future__ import annotations

from wheelproof.choices import Move, only_threads
from wheelproof.protocols import Scenario
from wheelproof.python.findings import ExploreError
from wheelproof.python.runtime.race import RaceDetector
from wheelproof.python.runtime.threads import DONE, Thread
from wheelproof.python.search.difference import Rows
from wheelproof.python.search.run import ControlledImplementation
from wheelproof.python.search.search import Parted, Progress, Search

NO_CHOICE = "chooses in a composed run, in which choices are not followed."
NO_CHOICE_REMEDY = "Check the mechanism alone, or take the choice into the scenario."

Way = tuple[str | None, str | None, int]
"""How a thread goes on.

(the model's label, None, 0) for a step of the model's own. Otherwise (None, the operation that the
thread is in or None, the number of calls around it).
"""


Beginning = tuple[str | None, int, str | None, str | None]
"""(operation, depth, line, label) of the step with which an operation begins."""


def without_choices(rows: Rows) -> list[dict[int, tuple[str, int]]]:
    """A model's graph by threads. Raises ExploreError where a step chooses."""
    if (plain := only_threads(rows)) is None:
        raise ExploreError(f"A step of the model {NO_CHOICE}", NO_CHOICE_REMEDY)
    return plain


class ComposedSearch(Search):
    """A search that notes for each thread whether it is inside an operation of the model."""

    def __init__(
        self,
        implementation: ControlledImplementation,
        scenario: Scenario,
        budget: float,
        race: RaceDetector,
        progress: Progress | None,
    ) -> None:
        super().__init__(implementation, scenario, budget, race, progress=progress)
        self.ways: list[tuple[Way, ...]] = []
        """How each thread goes on, for each state."""
        self.entries: set[Beginning] = set()
        """The steps with which operations begin."""
        self.longer: dict[int, set[str]] = {}
        """Thread -> labels of the model's own steps after which the thread goes on in others."""
        self.raced: tuple[str, ...] = ()
        """The threads of the first run in which the detector met a race."""
        self._race = race

    def _note_race(self) -> None:
        if self._race.met is not None and not self.raced:
            self.raced = tuple(thread for thread, _ in self.path)

    def _begin_run(self, node: int) -> None:
        for thread, (_, inside, _) in enumerate(self.ways[node]):
            self._note_entry(node, thread, inside)

    def _add_edge(self, node: int, move: Move, following: int) -> None:
        if not isinstance(move, int):
            raise ExploreError(f"{self.names[move[0]]} {NO_CHOICE}", NO_CHOICE_REMEDY)
        thread = move
        self._note_race()
        inside = self.ways[following][thread][1]
        if inside != self.ways[node][thread][1]:
            self._note_entry(following, thread, inside)
        if self.ways[following][thread][:2] == (None, None) and (
            label := self.ways[node][thread][0]
        ):
            self.longer.setdefault(thread, set()).add(label)

    def _note_entry(self, node: int, thread: int, inside: str | None) -> None:
        if inside is not None:
            self.entries.add(self._beginning(node, thread))

    def _beginning(self, node: int, thread: int) -> Beginning:
        """A key of the step with which an operation begins.

        The depth is part of it: a call may come to the same line again, deeper.
        """
        _, inside, deep = self.ways[node][thread]
        site = self.sites[node][thread]
        if site is None:
            return inside, deep, None, None
        return inside, deep, site.where, site.label

    def _add_node(self, node: int) -> None:
        ways = tuple([self._way(thread) for thread in self.current.threads])
        self.ways.append(ways)
        if not self.enabled[node] and any(label != DONE for label in self.waits[node]):
            stuck = ", ".join(
                f"{thread.name} at {thread.label}"
                for thread in self.current.threads
                if thread.label != DONE
            )
            raise Parted(self._difference("deadlock", f"no thread can move: {stuck}"))
        super()._add_node(node)

    def rests(self, node: int, thread: int) -> str | None:
        """The model's label of a thread that is not inside an operation.

        None for a thread inside an operation, or between two steps.
        """
        label, inside, _ = self.ways[node][thread]
        if inside is not None and self._beginning(node, thread) in self.entries:
            return inside
        return label

    def _way(self, thread: Thread) -> Way:
        if thread.label == DONE:
            return DONE, None, 0
        site = thread.site
        assert site is not None and thread.frame is not None
        if site.label is not None and site.label in self._labels_at(site.file, site.line):
            return site.label, None, 0
        frame, deep = thread.frame.f_back, 1
        while frame is not None:
            file = self.implementation.scheduler.shown.get(frame.f_code.co_filename)
            if file is not None and (labels := self._labels_at(file, frame.f_lineno)):
                return None, labels[0], deep
            frame, deep = frame.f_back, deep + 1
        return None, None, 0

    def _labels_at(self, file: str, line: int) -> tuple[str, ...]:
        """The model's labels on a line."""
        return tuple(self.implementation.named.get(file, {}).get(line, {}).values())
