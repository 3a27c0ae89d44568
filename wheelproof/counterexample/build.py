"""Building a counterexample: a schedule followed on the model, with the changes of each step."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from wheelproof import choices
from wheelproof.counterexample import falsified
from wheelproof.counterexample.document import Counterexample, Step
from wheelproof.counterexample.places import places
from wheelproof.counterexample.waiting import waits
from wheelproof.errors import ToolError
from wheelproof.project.mechanism import Mechanism
from wheelproof.protocols import Model, State


class Diverged(ToolError):
    """A schedule cannot be followed on the model: a thread is blocked or at another label."""


def follow(
    model: Model,
    schedule: Iterable[tuple[int, str]],
    silent: frozenset[str],
    *,
    exact: bool = False,
) -> list[tuple[int, str, State]]:
    """Follow a schedule of (thread, label) from the initial state.

    The result has (thread, label, state after) for each step.

    A silent step that the schedule leaves out is taken just before its thread's next step, or
    before that of a thread that waits for it (a memory process waits for its thread's end); not so
    if the schedule is ``exact``. A label has the choice of its step. Raises Diverged.
    """
    state = model.initial()
    out: list[tuple[int, str, State]] = []
    for thread, label in schedule:
        while True:
            moves = list(model.successors(state))
            after = [
                move[2]
                for move in moves
                if move[:2] == (thread, label)
                and choices.choice_of(move[1]) == choices.choice_of(label)
            ]
            if after:
                state = after[0]
                out.append((thread, label, state))
                break
            nearest = min(
                (move for move in moves if move[1] in silent and not exact),
                key=lambda move: move[0] != thread,
                default=None,
            )
            if nearest is None or any(
                mover == thread and name not in silent for mover, name, _ in moves
            ):
                able = (
                    ", ".join(
                        f"{model.threads[mover]} at {choices.shown(name)}"
                        for mover, name, _ in moves
                    )
                    or "no thread"
                )
                number = sum(step not in silent for _, step, _ in out) + 1
                raise Diverged(
                    f"Step {number}: {model.threads[thread]} cannot take {choices.shown(label)} on "
                    f"the model (able: {able})."
                )
            state = nearest[2]
            out.append((nearest[0], nearest[1], state))
    return out


def labelled(model: Model, threads: Iterable[str], silent: frozenset[str]) -> list[tuple[int, str]]:
    """A schedule in words as (thread, label), by the model. Raises Diverged."""
    state = model.initial()
    out: list[tuple[int, str]] = []
    for word in threads:
        name, choice = choices.of_word(word, model.threads)
        index = model.threads.index(name)
        edge = (index, choice) if choice else index
        label: str | None = None
        while label is None or label in silent:
            moves = [
                move
                for move in model.successors(state)
                if move[1] in silent or choices.move_of(move[0], move[1]) == edge
            ]
            if not moves:
                raise Diverged(f"Step {len(out) + 1}: {word} cannot move on the model.")
            mover, step, state = min(moves, key=lambda move: move[0] != index)
            label = choices.labelled(step, choices.choice_of(step)) if mover == index else None
        out.append((index, label))
    return out


def settled(
    model: Model, schedule: list[tuple[int, str]], silent: frozenset[str]
) -> list[tuple[int, str]]:
    """A schedule with the silent steps after it: at its end only labelled steps can be left."""
    path = follow(model, schedule, silent)
    state = path[-1][2] if path else model.initial()
    out = list(schedule)
    while moves := [move for move in model.successors(state) if move[1] in silent]:
        mover, label, state = moves[0]
        out.append((mover, label))
    return out


def silent_end(
    model: Model, schedule: Sequence[tuple[int, str]], silent: frozenset[str]
) -> list[tuple[int, str]]:
    """The silent steps that threads can take behind a schedule, until none is left."""
    path = follow(model, schedule, silent)
    state, steps = path[-1][2] if path else model.initial(), []
    while moves := [move for move in model.successors(state) if move[1] in silent]:
        thread, label, state = moves[0]
        steps.append((thread, label))
    return steps


def build(
    mechanism: Mechanism,
    model: Model,
    schedule: Iterable[tuple[int, str]],
    *,
    layer: str,
    name: str,
    scenario: str,
    property: str,
    explanation: str,
    impl_without: str | None = None,
    loop: int | None = None,
    sources: Mapping[str, str] = {},
    accesses: Mapping[int, str] = {},
) -> Counterexample:
    """The counterexample of a schedule.

    ``accesses``: the number of a step, silent ones not counted -> its access in a race.

    ``sources``: label -> "file:line". ``loop``: index in the schedule, which must then
    name every step, silent ones included; ``impl_without``: the decision that the implementation
    lacks, by default the one that ``mechanism`` lacks."""
    state = model.initial()
    before = places(model, state)
    initial, steps, number = before, [], 0
    path = follow(model, schedule, mechanism.silent)
    for thread, label, state in path:
        number += label not in mechanism.silent
        access = "" if label in mechanism.silent else accesses.get(number, "")
        after = places(model, state)
        changes = {
            place: (before[place], text) for place, text in after.items() if text != before[place]
        }
        kind = mechanism.labels[label].kind if label in mechanism.labels else ""
        source = sources.get(label)
        mover, choice = model.threads[thread], choices.choice_of(label)
        steps.append(Step(mover, str(label), kind, source, changes, access, choice))
        before = after
    about = mechanism.properties.get(property)
    says: tuple[str, ...] = () if about is None else (f"{property}: {about.says}",)
    if about is not None and explanation == about.says:
        explanation = ""
    if about is not None and about.kind == "invariant":
        names = [(model.threads[thread], label) for thread, label, _ in path]
        says += falsified.statement(mechanism, scenario, property, names, before)
    return Counterexample(
        mechanism=mechanism.name,
        layer=layer,
        name=name,
        scenario=scenario,
        property=property,
        explanation=explanation,
        threads=model.threads,
        initial=initial,
        steps=tuple(steps),
        loop=loop,
        model_without=mechanism.lacking,
        impl_without=mechanism.lacking if impl_without is None else impl_without,
        waits=waits(model, state, sources) if loop is None else (),
        says=says,
    )
