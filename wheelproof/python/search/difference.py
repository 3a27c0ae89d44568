"""The first difference between an implementation and its model, with its schedule."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from wheelproof.choices import Move, shown, texts, thread_of, word
from wheelproof.python.findings import ExploreError
from wheelproof.python.runtime.threads import DONE

Results = tuple[object, ...]
"""The results of the operations that one step ends."""


Row = Mapping[Move, tuple[str, int]]
"""The steps from a state of the model, by thread (and choice): (label, successor)."""


class Rows(list[Row]):
    """A model's graph: for every state {thread index: (label, successor)}; state 0 is initial.

    ``results``: for every state {thread index: results of the operations that the thread's step
    ends}; None: each operation returns None. A plain list of mappings is a graph whose operations
    all return None. A step that chooses has a key for each choice, (thread index, choice).
    """

    def __init__(
        self,
        steps: Iterable[Row] = (),
        results: Sequence[Mapping[Move, Results]] | None = None,
    ) -> None:
        super().__init__(steps)
        self.results = results


def results_of(rows: Sequence[Row], state: int, move: Move) -> Results | None:
    """The results that a step of the model ends with; None: each of them is None."""
    known: Sequence[Mapping[Move, Results]] | None = getattr(rows, "results", None)
    return None if known is None else known[state].get(move, ())


Step = tuple[str, str]
"""(thread name, label, of a step that chooses with its choice)"""


@dataclass(frozen=True)
class Difference:
    """The first thing in which the implementation is not its model.

    ``kind``: ``enabled`` (other threads can move), ``label`` (the same threads, another step),
    ``shared`` (a variable differs after the step), ``result`` (an operation that the step ends
    returns another value), ``deadlock`` (the implementation cannot go on, the model can),
    ``choice`` (a step chooses among other values), ``exception``, ``rule``, ``watchdog``,
    ``unnamed`` or ``hidden`` (equal states with unequal successors).
    ``schedule``: the labelled steps from the start to it, the last one included.
    ``implementation`` and ``model``: the two sides, as far as there are two. ``source``:
    ``file:line`` of the last step.
    """

    kind: str
    message: str
    schedule: tuple[Step, ...]
    model_state: int | None = None
    implementation: Mapping[str, object] = field(default_factory=dict)
    model: Mapping[str, object] = field(default_factory=dict)
    source: str | None = None

    @property
    def threads(self) -> tuple[str, ...]:
        """The schedule's threads, each with the choice of its step, for a replay."""
        return tuple(word(*step) for step in self.schedule)

    def __str__(self) -> str:
        if not self.schedule:
            return f"at the start: {self.message}"
        thread, label = self.schedule[-1]
        source = f" ({self.source})" if self.source else ""
        return f"after step {len(self.schedule)}, {thread}.{shown(label)}{source}: {self.message}"


def compare_enabled(
    mine: Mapping[int, str],
    row: Row,
    names: Sequence[str],
    waiting: Sequence[str],
) -> tuple[str, str, dict[str, object], dict[str, object]] | None:
    """Compare which threads can move, and their steps.

    ``waiting``: the label of every thread of the implementation, enabled or not.

    Returns (kind, message, the implementation's side, the model's side), or None where they are
    equal.
    """
    if len(mine) == len(row):
        for index, label in mine.items():
            entry = row.get(index)
            if entry is None or entry[0] != label:
                break
        else:
            return None
    ours: dict[str, object] = {names[i]: label for i, label in mine.items()}
    # what a step chooses is compared when it is taken
    theirs: dict[str, object] = {names[thread_of(i)]: str(entry[0]) for i, entry in row.items()}
    if ours == theirs:
        return None
    parts = []
    at = dict(zip(names, waiting, strict=True))
    for name, expected in theirs.items():
        if name not in ours:
            state = "has ended" if at[name] == DONE else f"has to wait at {at[name]}"
            parts.append(
                f"{name} can take {expected} in the model and {state} in the implementation"
            )
        elif ours[name] != expected:
            parts.append(f"{name} takes {ours[name]} next, {expected} in the model")
    parts += [
        f"{name} can take {taken} in the implementation and cannot move in the model"
        for name, taken in ours.items()
        if name not in theirs
    ]
    kind = "label" if set(ours) == set(theirs) else "enabled"
    if not ours and any(label != DONE for label in waiting):
        kind = "deadlock"
    return kind, "; ".join(parts), ours, theirs


def compare_choices(mine: Iterable[Move], theirs: Iterable[Move], step: str) -> str:
    """Compare what a step chooses. ``step``: its thread and label. Returns a message."""
    ours, others = set(texts(mine)), set(texts(theirs))
    parts = [
        f"{step} {verb} {' and '.join(sorted(names))} {where}"
        for verb, names, where in (
            ("never chooses", others - ours, "in the implementation, as it can in the model"),
            ("can choose", ours - others, "in the implementation, and cannot in the model"),
        )
        if names
    ]
    known = f"chooses among {', '.join(sorted(others))}" if others else "has no choice there"
    parts = parts or [f"{step} does not choose in the implementation"]
    return f"{'; '.join(parts)} (the model {known})"


def compare_shared(
    mine: Mapping[str, object], theirs: Mapping[str, object]
) -> tuple[str, dict[str, object], dict[str, object]] | None:
    """Compare the variables of the harness with the model's.

    Returns (message, the implementation's values, the model's), or None.

    Raises ExploreError where the two do not have the same variables: one that the harness leaves
    out would go unchecked.
    """
    if not isinstance(mine, Mapping):
        raise ExploreError(
            f"The harness's shared() gives {type(mine).__name__}, not the values of variables.",
            "Return {variable: value}.",
        )
    if mine.keys() != theirs.keys():
        parts = [
            f"{verb} {', '.join(sorted(names))}"
            for verb, names in (
                ("leaves out", theirs.keys() - mine.keys()),
                ("has besides", mine.keys() - theirs.keys()),
            )
            if names
        ]
        raise ExploreError(
            f"The harness's shared() {' and '.join(parts)}.",
            "It gives each of the model's shared variables that is not AUXILIARY, and no other.",
        )
    wrong = [name for name, value in mine.items() if theirs[name] != value]
    if not wrong:
        return None
    text = "; ".join(
        f"{name} is {mine[name]!r}, {theirs[name]!r} in the model"
        + _wrapped(mine[name], theirs[name])
        for name in wrong
    )
    return text, {name: mine[name] for name in wrong}, {name: theirs[name] for name in wrong}


def _wrapped(own: object, other: object) -> str:
    """What shared() has to change where it gives a value in one tuple too many or too few."""
    if own == (other,):
        return " (shared() puts it into one tuple too many)"
    return " (shared() has to put it into a tuple)" if other == (own,) else ""


def compare_results(
    mine: Sequence[object], theirs: Sequence[object] | None, thread: str
) -> str | None:
    """Compare the results of the operations that a step ends. ``theirs`` None: all None.

    Values are equal if their types are too: 1 is not True. Returns a message, or None where they
    are equal.
    """
    if theirs is None:
        theirs = (None,) * len(mine)
    if len(mine) != len(theirs):
        return f"{thread} ends {_operations(len(mine))} with this step, {len(theirs)} in the model"
    for own, other in zip(mine, theirs, strict=True):
        if not _same(own, other):
            return f"the operation of {thread} returns {own!r}, {other!r} in the model"
    return None


def _operations(count: int) -> str:
    return "1 operation" if count == 1 else f"{count} operations"


def _same(one: Any, other: Any) -> bool:
    if type(one) is not type(other):
        return False
    if isinstance(one, (tuple, list)):
        return len(one) == len(other) and all(map(_same, one, other))
    return bool(one == other)
