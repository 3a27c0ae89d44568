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

    A plain list of mappings is a graph whose operations all return None. A step that chooses has a
    key for each choice, (thread index, choice).
    """

    def __init__(
        self,
        steps: Iterable[Row] = (),
        results: Sequence[Mapping[Move, Results]] | None = None,
    ) -> None:
        super().__init__(steps)
        self.results = results
        """For every state {thread index:

        results of the operations that the thread's step ends}. None: each operation returns None.
        """


def results_of(rows: Sequence[Row], state: int, move: Move) -> Results | None:
    """The results that a step of the model ends with; None: each of them is None."""
    results: Sequence[Mapping[Move, Results]] | None = getattr(rows, "results", None)
    return None if results is None else results[state].get(move, ())


Step = tuple[str, str]
"""(thread name, label, of a step that chooses with its choice)"""


@dataclass(frozen=True)
class Difference:
    """The first thing in which the implementation is not its model."""

    kind: str
    """The kind of the difference:

    ``enabled`` (other threads can move), ``label`` (the same threads, another step), ``shared`` (a
    variable differs after the step), ``result`` (an operation that the step ends returns another
    value), ``deadlock`` (the implementation cannot go on, the model can), ``choice`` (a step
    chooses among other values), ``exception``, ``rule``, ``watchdog``, ``unnamed`` or ``hidden``
    (equal states with unequal successors).
    """
    message: str
    schedule: tuple[Step, ...]
    """The labelled steps from the start to it, the last one included."""
    model_state: int | None = None
    implementation: Mapping[str, object] = field(default_factory=dict)
    """The implementation's side, if there are two."""
    model: Mapping[str, object] = field(default_factory=dict)
    """The model's side, if there are two."""
    source: str | None = None
    """``file:line`` of the last step."""

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
    able: Mapping[int, str],
    row: Row,
    names: Sequence[str],
    waiting: Sequence[str],
) -> tuple[str, str, dict[str, object], dict[str, object]] | None:
    """Compare which threads can move, and their steps.

    ``waiting``: the label of every thread of the implementation, enabled or not.

    Returns (kind, message, the implementation's side, the model's side), or None where they are
    equal.
    """
    if len(able) == len(row):
        for index, label in able.items():
            entry = row.get(index)
            if entry is None or entry[0] != label:
                break
        else:
            return None
    ours: dict[str, object] = {names[i]: label for i, label in able.items()}
    # the choice of a step is compared when it is taken
    theirs: dict[str, object] = {names[thread_of(i)]: str(entry[0]) for i, entry in row.items()}
    if ours == theirs:
        return None
    parts = []
    at = dict(zip(names, waiting, strict=True))
    for name, step in theirs.items():
        if name not in ours:
            state = "has ended" if at[name] == DONE else f"has to wait at {at[name]}"
            parts.append(f"{name} can take {step} in the model and {state} in the implementation")
        elif ours[name] != step:
            parts.append(f"{name} takes {ours[name]} next, {step} in the model")
    parts += [
        f"{name} can take {choice} in the implementation and cannot move in the model"
        for name, choice in ours.items()
        if name not in theirs
    ]
    kind = "label" if set(ours) == set(theirs) else "enabled"
    if not ours and any(label != DONE for label in waiting):
        kind = "deadlock"
    return kind, "; ".join(parts), ours, theirs


def compare_choices(choices: Iterable[Move], theirs: Iterable[Move], step: str) -> str:
    """Compare the choices of a step. ``step``: its thread and label. Returns a message."""
    ours, model_choices = set(texts(choices)), set(texts(theirs))
    parts = [
        f"{step} {verb} {' and '.join(sorted(names))} {where}"
        for verb, names, where in (
            (
                "never chooses",
                model_choices - ours,
                "in the implementation, as it can in the model",
            ),
            ("can choose", ours - model_choices, "in the implementation, and cannot in the model"),
        )
        if names
    ]
    alternatives = (
        f"chooses among {', '.join(sorted(model_choices))}"
        if model_choices
        else "has no choice there"
    )
    parts = parts or [f"{step} does not choose in the implementation"]
    return f"{'; '.join(parts)} (the model {alternatives})"


def compare_shared(
    ours: Mapping[str, object], theirs: Mapping[str, object]
) -> tuple[str, dict[str, object], dict[str, object]] | None:
    """Compare the variables of the harness with the model's.

    Returns (message, the implementation's values, the model's), or None.

    Raises ExploreError where the two do not have the same variables: one that the harness leaves
    out would go unchecked.
    """
    if not isinstance(ours, Mapping):
        raise ExploreError(
            f"The harness's shared() gives {type(ours).__name__}, not the values of variables.",
            "Return {variable: value}.",
        )
    if ours.keys() != theirs.keys():
        parts = [
            f"{verb} {', '.join(sorted(names))}"
            for verb, names in (
                ("leaves out", theirs.keys() - ours.keys()),
                ("has besides", ours.keys() - theirs.keys()),
            )
            if names
        ]
        raise ExploreError(
            f"The harness's shared() {' and '.join(parts)}.",
            "It gives each of the model's shared variables that is not AUXILIARY, and no other. "
            "Where the harness has none, they are the marked fields and the locks, by their names.",
        )
    wrong = [name for name, value in ours.items() if theirs[name] != value]
    if not wrong:
        return None
    text = "; ".join(
        f"{name} is {ours[name]!r}, {theirs[name]!r} in the model"
        + _note_on_tuple(ours[name], theirs[name])
        for name in wrong
    )
    return text, {name: ours[name] for name in wrong}, {name: theirs[name] for name in wrong}


def _note_on_tuple(value: object, expected_value: object) -> str:
    """The remedy where shared() gives a value in one tuple too many or too few."""
    if value == (expected_value,):
        return " (shared() puts it into one tuple too many)"
    return " (shared() has to put it into a tuple)" if expected_value == (value,) else ""


def compare_results(
    ours: Sequence[object], theirs: Sequence[object] | None, thread: str
) -> str | None:
    """Compare the results of the operations that a step ends. ``theirs`` None: all None.

    Values are equal if their types are too: 1 is not True. Returns a message, or None where they
    are equal.
    """
    if theirs is None:
        theirs = (None,) * len(ours)
    if len(ours) != len(theirs):
        return f"{thread} ends {_operations(len(ours))} with this step, {len(theirs)} in the model"
    for value, model_value in zip(ours, theirs, strict=True):
        if not _same(value, model_value):
            return f"the operation of {thread} returns {value!r}, {model_value!r} in the model"
    return None


def _operations(count: int) -> str:
    return "1 operation" if count == 1 else f"{count} operations"


def _same(a: Any, b: Any) -> bool:
    if type(a) is not type(b):
        return False
    if isinstance(a, (tuple, list)):
        return len(a) == len(b) and all(map(_same, a, b))
    return bool(a == b)
