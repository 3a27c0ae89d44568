"""States that a model's schedules reach, and states mixed from these that it need not reach.

They are mixed from reachable states of the machine and of its mutants: a shared value or a whole
process of one state replaces that of another, a number moves by one, a truth value is negated, and
a set of threads gets or loses one, or has all of them.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence

from wheelproof.decisions import DoesNotFit
from wheelproof.graph.compare import names_of
from wheelproof.project.mechanism import Mechanism
from wheelproof.protocols import Model, State
from wheelproof.tla.values import Map

SCHEDULES, STEPS = 3, 120
"""Random schedules without each decision, and their steps."""

SEARCH = 300
"""The most random schedules that are tried to break a property which those schedules keep."""

MIXED, MOVED = (0.05, 0.15, 0.5), 0.03
"""Shares of values from another state, and the share of moved values."""

ALL = 0.5
"""The share of moved sets that have all threads."""

ODD = (LookupError, TypeError, ValueError, AttributeError)
"""The exceptions of a model in a state that is none of its own."""


def candidates(mechanism: Mechanism, profile: str, enough: int) -> list[str]:
    """The scenarios to choose from: by day those that are declared for it, or those of the day.

    All where these are not enough.
    """
    if profile == "fast" and mechanism.of_model.sampled:
        return list(mechanism.of_model.sampled)
    scenarios: dict[str, dict[str, None]] = {"fast": {}, "nightly": {}}
    for config in mechanism.configs.values():
        if not config.module:
            for day in {"nightly", config.profile}:
                scenarios[day][config.scenario] = None
    return list(scenarios[profile if len(scenarios["fast"]) >= enough else "nightly"])


def reachable(
    mechanism: Mechanism, scenario: str, draw: random.Random, target: str = ""
) -> list[State]:
    """States on random schedules of the machine, and of the machine without each decision.

    Each schedule's last state counts several times. ``target``: a property that one more schedule
    shall break. A state has the values of the model that reached it.
    """
    states: list[State] = []
    for decision in ("", *mechanism.decisions):
        if (model := without(mechanism, decision, scenario)) is not None:
            for _ in range(SCHEDULES):
                schedule = draw_schedule(model, draw)
                states += schedule + [schedule[-1]] * (len(schedule) // 3)
    return states + breaking(mechanism, scenario, draw, target)


def without(mechanism: Mechanism, decision: str, scenario: str) -> Model | None:
    """The model without a decision; None where that one has other variables."""
    try:
        model = mechanism.without(decision).model(scenario)
    except DoesNotFit:
        # `wheelproof mutate` has changed those lines; `verify` refuses that before any check.
        return None
    return model if names_of(model) == names_of(mechanism.model(scenario)) else None


def without_states(mechanism: Mechanism, scenarios: Iterable[str]) -> list[str]:
    """The decisions that give no states: without them the model has other variables."""
    scenarios = list(scenarios)
    return [
        decision
        for decision in mechanism.decisions
        if any(without(mechanism, decision, scenario) is None for scenario in scenarios)
    ]


def draw_schedule(model: Model, draw: random.Random, until: str = "") -> list[State]:
    """States on one random schedule, in their order.

    ``until``: a property; the schedule ends where it is broken.
    """
    schedule = [model.initial()]
    for _ in range(STEPS):
        try:
            after = model.successors(schedule[-1])
        except ODD:  # the scenario has no next state without this decision
            break
        if not after or (until and truth_of(model, until, schedule[-1]) is False):
            break
        schedule.append(draw.choice(after)[2])
    return schedule


def breaking(mechanism: Mechanism, scenario: str, draw: random.Random, name: str) -> list[State]:
    """States on a random schedule that breaks a property; none if no schedule does.

    It is a schedule of a mutant that must break the property in this scenario.
    """
    for mutant in mechanism.mutants.values():
        if (mutant.property, mutant.scenario) == (name, scenario) and (
            model := without(mechanism, mutant.decision, scenario)
        ) is not None:
            for _ in range(SEARCH):
                schedule = draw_schedule(model, draw, name)
                if truth_of(model, name, schedule[-1]) is False:
                    return schedule + [schedule[-1]] * len(schedule)
    return []


def mix(states: list[State], draw: random.Random, threads: Sequence[str]) -> State:
    """One state made from two: some values and processes of the first are those of the second.

    Some values are moved, too.
    """
    first, two, share = draw.choice(states), draw.choice(states), draw.choice(MIXED)
    values = [
        second_value if draw.random() < share else value
        for value, second_value in zip(first[0], two[0], strict=True)
    ]
    values = [move(value, draw, threads) if draw.random() < MOVED else value for value in values]
    return tuple(values), tuple(
        second_value if draw.random() < share else value
        for value, second_value in zip(first[1], two[1], strict=True)
    )


def move(value: object, draw: random.Random, threads: Sequence[str]) -> object:
    """A number moved by one, a truth value negated, a set changed.

    Of a tuple, a function, a record or a sequence one element is moved.
    """
    match value:
        case bool():
            return not value
        case int():
            return value + draw.choice((1, -1))
        case Map():
            return value.domain.map(_with_one_moved(value.results, draw, threads))
        case tuple():
            items = _with_one_moved(value, draw, threads)
            return type(value)._make(items) if hasattr(value, "_make") else items
        case frozenset() if value and value <= set(threads):
            return frozenset(threads) if draw.random() < ALL else value ^ {draw.choice(threads)}
    return value


def _with_one_moved(
    values: tuple[object, ...], draw: random.Random, threads: Sequence[str]
) -> tuple[object, ...]:
    if not values:
        return values
    place = draw.randrange(len(values))
    return *values[:place], move(values[place], draw, threads), *values[place + 1 :]


def truth_of(model: Model, name: str, state: State) -> bool | None:
    """A property's truth value in a state; None where the model raises an exception of ODD."""
    try:
        return bool(model.holds(name, state))
    except ODD:  # the property is about no such state
        return None
