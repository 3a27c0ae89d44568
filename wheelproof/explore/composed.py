"""Trace inclusion: one mechanism on top of another, with the steps of both.

The model takes an operation of the lower mechanism for one step. Here the implementation takes all
of that operation's steps, one by one, and the search follows which states the model could be in: a
step that the model has, it takes; while a thread is inside an operation the model may take that
operation's one step at any moment (linearizability, with the model as the sequential one). When no
thread is inside an operation, one of these states must have the implementation's variables and
every thread at the same label. So each property that the model's states have holds, at such
moments, with the real operations too (trace inclusion; threads that can move are compared only in that no thread
is stuck).

While threads are inside operations, one of these states must have every other thread at the same
label, and the implementation's values of all that these operations do not write. What an operation
writes is read off the model: all that its step changes in some state. A thread that has taken a
step of the model's own, and goes on in steps that the model has not, is inside that one. The
harness's HALFWAY names variables that show an operation's own locks, which no step of the model
writes.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from wheelproof.explore.bisimulation import _Parted, _rare_collections, _Search
from wheelproof.explore.controlled import DONE, Thread
from wheelproof.explore.difference import Difference, Rows, Step, compare_results, results_of
from wheelproof.explore.findings import ExploreError
from wheelproof.explore.race import Race, RaceDetector
from wheelproof.explore.run import ControlledImplementation
from wheelproof.explore.watchdog import Watchdog

Cell = tuple[str, int | None]
"""A variable and the place of one of its values; None: all of them."""

Way = tuple[str | None, str | None, int]
"""How a thread goes on.

(the model's label, None, 0) for a step of the model's own. Otherwise (None, the operation that the
thread is in or None, the number of calls around it).
"""


@dataclass(frozen=True)
class Composition:
    """The result of a search.

    ``outcome``: ``included``, ``different`` or ``inconclusive`` (the budget was used up; ``why``
    says so). ``figures``: impl_states, impl_edges, model_states, model_edges, matched_edges (of the
    model, that some run took), followed (pairs of a state and what the model may be in), runs,
    steps, cpu (seconds).
    ``races``: on the plain fields of all modules that are not atomic in this search, in the runs
    that the search made.
    """

    outcome: str
    figures: Mapping[str, float]
    difference: Difference | None = None
    why: str = ""
    races: tuple[Race, ...] = ()


def compose(
    implementation: ControlledImplementation,
    scenario: Mapping[str, object],
    rows: Rows,
    shared_of: Callable[[int], Mapping[str, object]],
    labels_of: Callable[[int], Sequence[str]],
    *,
    budget: float = 60.0,
    progress: Callable[[Mapping[str, float]], None] | None = None,
) -> Composition:
    """Follow an implementation, all steps on, with the atomic model.

    ``implementation``: loaded with the steps of both. ``rows``: the model's reduced graph; ``shared_of(i)``:
    the variables of its state i; ``labels_of(i)``: the label that each thread is at there.
    ``budget``: CPU seconds.
    """
    race = RaceDetector()
    search = _Composed(implementation, scenario, rows, shared_of, budget, race, False, progress)
    with Watchdog(implementation.scheduler), _rare_collections():
        found = search.run()
    races = tuple(sorted(race.found))
    if found.outcome != "equal":
        return Composition(found.outcome, search.figures(), found.difference, found.why, races)
    try:
        search.follow(labels_of)
    except _Parted as parted:
        return Composition("different", search.figures(), parted.difference, races=races)
    return Composition("included", search.figures(), races=races)


class _Composed(_Search):
    """Explores the implementation's states; :meth:`follow` then tracks those of the model."""

    def __init__(self, *arguments) -> None:
        super().__init__(*arguments)
        self.ways: list[tuple[Way, ...]] = []
        self.entries: set[tuple] = set()  # the steps with which operations begin
        self.operations: set[str] = (
            set()
        )  # the model's labels that are no step of the implementation's here
        self.matched: set[tuple[int, int]] = set()
        self.sets = self.inside = 0
        self.written: dict[tuple[int, str], frozenset[Cell]] = {}
        self.longer: dict[
            int, set[str]
        ] = {}  # thread -> labels of steps of the model's own that go on in others
        self.halfway = self.implementation.halfway

    def figures(self) -> dict[str, float]:
        known = self._figures()
        return {
            name: known[name]
            for name in (
                "impl_states",
                "impl_edges",
                "model_states",
                "model_edges",
                "runs",
                "steps",
                "cpu",
            )
        } | {"matched_edges": len(self.matched), "followed": self.sets, "inside": self.inside}

    # -- the implementation's states

    def _started(self, node: int) -> None:
        for thread, (_, inside, _) in enumerate(self.ways[node]):
            self._entered(node, thread, inside)

    def _taken(self, node: int, thread: int, following: int) -> None:
        inside = self.ways[following][thread][1]
        if inside != self.ways[node][thread][1]:
            self._entered(following, thread, inside)
        if self.ways[following][thread][:2] == (None, None) and (own := self.ways[node][thread][0]):
            self.longer.setdefault(thread, set()).add(own)

    def _entered(self, node: int, thread: int, inside: str | None) -> None:
        if inside is not None:
            self.entries.add(self._beginning(node, thread))

    def _beginning(self, node: int, thread: int) -> tuple:
        """A key of the step with which an operation begins.

        The depth is part of it: a call may come to the same line again, deeper.
        """
        _, inside, deep = self.ways[node][thread]
        site = self.sites[node][thread]
        return inside, deep, site and site.where, site and site.label

    def _found(self, node: int) -> None:
        ways = tuple([self._way(thread) for thread in self.current.threads])
        self.ways.append(ways)
        if not self.enabled[node] and any(label != DONE for label in self.waits[node]):
            stuck = ", ".join(
                f"{thread.name} at {thread.label}"
                for thread in self.current.threads
                if thread.label != DONE
            )
            raise _Parted(self._difference("deadlock", f"no thread can move: {stuck}"))
        super()._found(node)

    def _rests(self, node: int, thread: int) -> str | None:
        """The model's label of a thread that is not inside an operation.

        None for a thread inside an operation, or between two steps.
        """
        own, inside, _ = self.ways[node][thread]
        if inside is not None and self._beginning(node, thread) in self.entries:
            return inside
        return own

    def _way(self, thread: Thread) -> Way:
        if thread.label == DONE:
            return DONE, None, 0
        site = thread.site
        if site.label in self._own(site.file, site.line):
            return site.label, None, 0
        frame, deep = thread.frame.f_back, 1
        while frame is not None:
            shown = self.implementation.scheduler.shown.get(frame.f_code.co_filename)
            if shown is not None and (labels := self._own(shown, frame.f_lineno)):
                return None, labels[0], deep
            frame, deep = frame.f_back, deep + 1
        return None, None, 0

    def _own(self, shown: str, line: int) -> tuple[str, ...]:
        """The model's labels on a line."""
        return tuple(self.implementation.named.get(shown, {}).get(line, {}).values())

    # -- possible states of the model

    def follow(self, labels_of: Callable[[int], Sequence[str]]) -> None:
        """Track the model's possible states along all steps. Raises _Parted where none is left."""
        self.operations = {label for row in self.rows for label, _ in row.values()} - {
            own for ways in self.ways for own, _, _ in ways
        }
        if wrong := [
            name
            for name, why in self.halfway.items()
            if name not in self._model_shared(0) or not why.strip()
        ]:
            raise ExploreError(
                f"HALFWAY of the harness names {', '.join(wrong)}, which is no variable of shared()"
                " or has no reason.",
                "Name a variable, and say why an operation under way shows another value of it.",
            )
        self._writes()
        start = (0, self._settled(0, frozenset({0}), labels_of, None))
        came: dict[tuple[int, frozenset[int]], tuple | None] = {start: None}
        todo = deque([start])
        while todo:
            place = node, states = todo.popleft()
            for thread, following in self.successors[node].items():
                after = self._after(
                    states,
                    thread,
                    *self.ways[node][thread][:2],
                    self.results.get((node, thread), ()),
                )
                here = came, place, thread
                if not after:
                    raise _Parted(
                        self._lost(
                            here,
                            "label",
                            f"{self.names[thread]} takes {self.waits[node][thread]}, and in no "
                            "state that the model may be in it can",
                        )
                    )
                reached = (following, self._settled(following, after, labels_of, here))
                if reached not in came:
                    came[reached] = (place, thread)
                    todo.append(reached)
        self.sets = len(came)
        self._match_beside_idle()

    def _after(
        self,
        states: frozenset[int],
        thread: int,
        own: str | None,
        inside: str | None,
        results: tuple,
    ) -> frozenset[int]:
        """The model's possible states after a step.

        A step of the model's own must end with the same results. At a step inside an operation that
        operation may take effect.
        """
        out = set() if own is not None else set(states)
        for state in states:
            step = self.rows[state].get(thread)
            if (
                step is not None
                and step[0] == (own or inside)
                and (
                    own is None
                    or compare_results(
                        results, results_of(self.rows, state, thread), self.names[thread]
                    )
                    is None
                )
            ):
                self.matched.add((state, thread))
                out.add(step[1])
        return frozenset(out)

    def _meanwhile(self, node: int, states: frozenset[int]) -> frozenset[int]:
        """The states, and those after operations under way, which take effect at any moment."""
        within = [
            inside if self._rests(node, thread) is None else None
            for thread, (_, inside, _) in enumerate(self.ways[node])
        ]
        known, todo = set(states), list(states)
        while todo:
            state = todo.pop()
            for thread, (label, after) in self.rows[state].items():
                if label == within[thread] or self._idle(state, label, after):
                    self.matched.add((state, thread))
                    if after not in known:
                        known.add(after)
                        todo.append(after)
        return frozenset(known)

    def _match_beside_idle(self) -> None:
        """Match each edge beside an operation that does nothing, if the edge after it is matched.

        The implementation has no state before such an operation. The two must commute.
        """
        more = True
        while more:
            more = False
            for state, row in enumerate(self.rows):
                for thread, step in row.items():
                    if (state, thread) not in self.matched and any(
                        self._commutes(state, thread, step, other)
                        for other in row
                        if other != thread
                    ):
                        self.matched.add((state, thread))
                        more = True

    def _commutes(self, state: int, thread: int, step: tuple[str, int], other: int) -> bool:
        label, behind = self.rows[state][other]
        if not self._idle(state, label, behind) or (behind, thread) not in self.matched:
            return False
        same, both = self.rows[behind][thread]
        idle, end = self.rows[step[1]].get(other, ("", -1))
        return (same, idle, end) == (step[0], label, both) and self._idle(step[1], idle, end)

    def _idle(self, state: int, label: str, after: int) -> bool:
        """Whether an operation changed no variable: the implementation shows no step for it."""
        return label in self.operations and self._model_shared(state) == self._model_shared(after)

    def _settled(
        self,
        node: int,
        states: frozenset[int],
        labels_of: Callable[[int], Sequence[str]],
        here: tuple | None,
    ) -> frozenset[int]:
        """The possible states with operations under way; at rest those that agree with the code."""
        states = self._meanwhile(node, states)
        labels = tuple([self._rests(node, thread) for thread in range(len(self.names))])
        aside = self._aside(node, labels)
        self.inside += None in labels
        shared = self._cells(self.shared[self.fingerprints[node][0]], aside)
        agreed = frozenset(
            state
            for state in states
            if all(
                mine in (None, theirs)
                for mine, theirs in zip(labels, labels_of(state), strict=True)
            )
            and self._cells(self._model_shared(state), aside) == shared
        )
        if not agreed:
            first = min(states)
            theirs = self._cells(self._model_shared(first), aside)
            where = "".join(
                f"; {name} is {shared[name]!r}, {theirs.get(name)!r} in the model"
                for name in shared
                if theirs.get(name) != shared[name]
            )
            where = (
                where
                or f"; the threads are at {words(labels)}, in the model at {words(labels_of(first))}"
            )
            within = [
                f"{name} is inside"
                f" {self.ways[node][i][1] or '/'.join(sorted(self.longer.get(i, '?')))}"
                for i, name in enumerate(self.names)
                if labels[i] is None
            ]
            raise _Parted(
                self._lost(
                    here,
                    "shared",
                    (
                        f"while {', '.join(within)}"
                        if within
                        else "with no thread inside an operation"
                    )
                    + where.replace(";", "", 1),
                )
            )
        return agreed

    def _aside(self, node: int, labels: Sequence[str | None]) -> frozenset[Cell]:
        """The cells that operations under way write or show halfway; none at rest."""
        if None not in labels:
            return frozenset()
        under_way = [
            (thread, inside)
            for thread, label in enumerate(labels)
            if label is None
            for inside in (
                [self.ways[node][thread][1]]
                if self.ways[node][thread][1]
                else self.longer.get(thread, ())
            )
        ]
        own = [self.written.get(each, frozenset()) for each in under_way]
        return frozenset((name, None) for name in self.halfway).union(*own)

    def _cells(self, shared: Mapping[str, object], aside: frozenset[Cell]) -> dict[str, tuple]:
        """The values of the variables, without those aside."""
        if not aside:
            return dict(shared)
        return {
            name: tuple([value for place, value in enumerate(values) if (name, place) not in aside])
            for name, values in shared.items()
            if (name, None) not in aside
        }

    def _writes(self) -> None:
        """Collect the cells that each thread's step of a label changes in some state of the model."""
        found: dict[tuple[int, str], set[Cell]] = {}
        for state, row in enumerate(self.rows):
            for thread, (label, after) in row.items():
                before, then = self._model_shared(state), self._model_shared(after)
                found.setdefault((thread, label), set()).update(
                    (name, place)
                    for name, values in before.items()
                    if values is not then[name]
                    for place, value in enumerate(values)
                    if value != then[name][place]
                )
        self.written = {step: frozenset(cells) for step, cells in found.items()}

    def _lost(self, here: tuple | None, kind: str, message: str) -> Difference:
        """A difference with the way to it, in the implementation's own labels."""
        steps: list[Step] = []
        source = None
        if here is not None:
            came, place, thread = here
            site = self.sites[place[0]][thread]
            source = site and site.where
            before = (place, thread)
            while before is not None:
                place, thread = before
                steps.append((self.names[thread], self.waits[place[0]][thread]))
                before = came[place]
        return Difference(kind, message, tuple(reversed(steps)), source=source)


def words(labels: Sequence[str | None]) -> str:
    """The positions of threads, in words."""
    return ", ".join(label or "a step inside an operation" for label in labels)
