"""Traces with one thing changed: every kind of event dropped, doubled, exchanged with its
neighbour, given another object or another time.

A change of the *log* leaves every number as it was written: the work of a broken recorder, a lost
line or a bad merge. A change of the
*behaviour* numbers everything anew, as if the implementation itself had done so and had been
recorded well.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator

from traces.events import Event, columns

OPERATORS = ("drop", "duplicate", "swap", "retarget", "retime")
STYLES = ("log", "behaviour")
_TARGETS = ("list", "op", "entry", "task", "key", "span")
_TIMES = ("exp_ms", "key_ms", "wheel_ms", "now_ms")


def exact(event: Event) -> list[tuple[str, str, int, str]]:
    """The tokens of an event, which are no intervals here."""
    return [token[:4] for token in event.get("ord", ())]


def renumbered(events: list[Event]) -> list[Event]:
    """The events in their order with new thread numbers, Lamport clocks and token numbers."""
    numbers: Counter[str] = Counter()
    for position, event in enumerate(events, 1):
        numbers[f"t {event['tid']}"] += 1
        event["lc"], event["tseq"] = position, numbers[f"t {event['tid']}"]
        tokens = []
        for kind, name, _, mode in exact(event):
            key = f"{kind} {name}"
            if kind == "L" or kind == "V" and mode in ("w", "cas+"):
                numbers[key] += 1
            tokens.append((kind, name, numbers[key], mode))
        if tokens:
            event["ord"] = tuple(tokens)
        for role, column in (("entry", "eseq"), ("list", "lseq"), ("op", "oseq")):
            columns(event).pop(column, None)
            for kind, name, number, _ in tokens:
                if kind == "L" and name == f"{role}:{columns(event).get(role)}":
                    columns(event)[column] = number
        if event["k"] == "rw_release" and tokens[0][3] == "w":
            numbers["RW timer:3"] += 1
    return events


def mutate(
    events: list[Event], kind: str, operator: str, style: str, seed: int
) -> list[Event] | None:
    """A changed copy; None where the operator has nothing to work on (no id to change, no time, no
    neighbour)."""
    choice = random.Random(f"{kind} {operator} {style} {seed}")
    events = [_copy(event) for event in events]
    places = [index for index, event in enumerate(events) if event["k"] == kind]
    index = choice.choice(places)
    mutant = _OPERATIONS[operator](events, index, choice, style)
    if mutant is None:
        return None
    return renumbered(mutant) if style == "behaviour" else mutant


def _copy(event: Event) -> Event:
    """A copy of an event, of its columns and of its observations, which the operators change."""
    copy = event.copy()
    for part in ("pre", "post"):
        if part in copy:
            columns(copy)[part] = dict(columns(copy)[part])
    return copy


def _drop(events: list[Event], index: int, choice: random.Random, style: str) -> list[Event]:
    return events[:index] + events[index + 1 :]


def _duplicate(events: list[Event], index: int, choice: random.Random, style: str) -> list[Event]:
    return [*events[: index + 1], _copy(events[index]), *events[index + 1 :]]


def _swap(events: list[Event], index: int, choice: random.Random, style: str) -> list[Event] | None:
    """With the next event of the thread: the first step is written as the second."""
    event = events[index]
    number = next(
        (later for later in range(index + 1, len(events)) if events[later]["tid"] == event["tid"]),
        None,
    )
    if number is None:
        return None
    two = events[number]
    for name in ("tseq", "lc"):
        event[name], two[name] = two[name], event[name]
    events[index], events[number] = two, event
    return events


def _retarget(
    events: list[Event], index: int, choice: random.Random, style: str
) -> list[Event] | None:
    """Another object of the same class, one that occurs elsewhere in the trace. A behaviour takes
    the tokens along, a log does not."""
    event = columns(events[index])
    role = next((role for role in _TARGETS if role in event), None)
    if role is None:
        return None
    rows = map(columns, events)
    alternatives = sorted({row[role] for row in rows if row.get(role, event[role]) != event[role]})
    if not alternatives:
        return None
    old, new = event[role], choice.choice(alternatives)
    event[role] = new
    if style == "behaviour":
        event["ord"] = tuple(
            (kind, _new_name(name, f"{role}:{old}", f"{role}:{new}"), number, mode)
            for kind, name, number, mode in exact(events[index])
        )
        for part in ("pre", "post"):
            if role == "list" and event.get(part, {}).get("list") == old:
                event[part]["list"] = new
    return events


def _new_name(name: str, old: str, new: str) -> str:
    return new + name[len(old) :] if name == old or name.startswith(f"{old}.") else name


def _retime(
    events: list[Event], index: int, choice: random.Random, style: str
) -> list[Event] | None:
    """Another time: of a log the Lamport clock, which is its order; of a behaviour the milliseconds
    of deadline, key or clock."""
    event = events[index]
    if style == "log":
        event["lc"] = max(1, event["lc"] + choice.choice((-1, 1)) * choice.randint(200, 2000))
        return events
    names = [name for name in _TIMES if name in event]
    if not names:
        return None
    columns(event)[names[0]] += choice.choice((-1, 1)) * choice.randint(20, 300)
    return events


_OPERATIONS = {
    "drop": _drop,
    "duplicate": _duplicate,
    "swap": _swap,
    "retarget": _retarget,
    "retime": _retime,
}


def all_mutants(
    events: list[Event], style: str, seeds: int = 1
) -> Iterator[tuple[str, str, int, list[Event]]]:
    """(kind, operator, seed, events) of every kind that occurs."""
    for kind in sorted({event["k"] for event in events}):
        for operator in OPERATORS:
            for seed in range(seeds):
                mutant = mutate(events, kind, operator, style, seed)
                if mutant is not None:
                    yield kind, operator, seed, mutant


def commute(events: list[Event], kind: str, operator: str, style: str, seed: int) -> bool:
    """Whether a swap exchanged two steps of one thread that share no word and no lock but to read:
    either order leads to one state.

    Both may be inside one hold of the timer's read/write lock, which keeps others out and orders
    nothing within.
    """
    index = random.Random(f"{kind} {operator} {style} {seed}").choice(
        [index for index, event in enumerate(events) if event["k"] == kind]
    )
    step = events[index]
    next_step = next(later for later in events[index + 1 :] if later["tid"] == step["tid"])
    reads = ("r", "cas-")
    return not any(
        first[:2] == second[:2]
        and first[0] != "RW"
        and not (first[3] in reads and second[3] in reads)
        for first in step.get("ord", ())
        for second in next_step.get("ord", ())
    )
