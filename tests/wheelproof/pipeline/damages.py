"""Single damages of a recorded trace: one event dropped, doubled, exchanged with its thread's next,
or one of its fields altered.

`python tests/wheelproof/pipeline/damages.py` prints which rule rejects which damage of the
recordings of Kafka. All numbers are given anew, as a recorder would have given them that saw
nothing strange: what rejects a damage is a rule about what happened, not a gap.
"""

from __future__ import annotations

import copy
import json
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).resolve().parents[3])]

import checked  # noqa: E402

from wheelproof.trace.format.jsonl import Reader  # noqa: E402
from wheelproof.trace.judging import replay  # noqa: E402

Event = dict[str, Any]

IDS = ("task", "entry", "list", "op", "key", "span")
NUMBERING = frozenset(
    ("tid", "tseq", "lc", "k", "phase", "ord", "eseq", "lseq", "oseq", "t_ns", "src", "parent")
)
"""Columns that number an event, order it or are for people."""
OTHER = {
    "res": {"true": "false", "false": "true", "none": "true", "raised": "true"},
    "cause": {
        "expiry": "event",
        "event": "expiry",
        "forced": "event",
        "cancel": "due",
        "due": "cancel",
        "flush": "cancel",
        "readd": "flush",
        "shutdown": "due",
    },
}
CAUSES = {
    "list_remove": {"flush": "cancel", "cancel": "flush", "readd": "flush"},
    "force_cas": {"event": "expiry", "expiry": "event", "forced": "event"},
    "wheel_reject": {"due": "cancel", "cancel": "due"},
    "expire_submit": {"shutdown": "due"},
}


def renumbered(events: list[Event]) -> list[Event]:
    """New numbers of threads, clocks, locks, counters and words; a word's version grows with each
    write, a read has the last one."""
    numbers: Counter[str] = Counter()
    out = []
    for position, event in enumerate(events, 1):
        event = copy.copy(event)
        numbers[f"t {event['tid']}"] += 1
        event["tseq"], event["lc"] = numbers[f"t {event['tid']}"], position
        tokens = []
        for token in event.get("ord", ()):
            kind, name, number, mode = token[:4]
            if kind != "RW":
                numbers[f"{kind} {name}"] += kind == "L" or mode in ("w", "cas+")
                number = numbers[f"{kind} {name}"]
            tokens.append((kind, name, number, mode))
        if tokens:
            event["ord"] = tuple(tokens)
        for role, column in (("entry", "eseq"), ("list", "lseq"), ("op", "oseq")):
            event.pop(column, None)
            for kind, name, number, _ in tokens:
                if kind == "L" and name == f"{role}:{event.get(role)}":
                    event[column] = number
        out.append(event)
    return out


def fields(event: Event) -> Iterator[str]:
    """The fields that can be altered, those of observations as pre.list."""
    for name, value in event.items():
        if name in ("pre", "post"):
            yield from (f"{name}.{inner}" for inner in value)
        elif name not in NUMBERING:
            yield name


def altered(events: list[Event], index: int, field: str) -> Event | None:
    """The event with another value in the field: another object that occurs, another text, another
    truth, a number that is one tick larger."""
    event = copy.deepcopy(events[index])
    place, _, inner = field.rpartition(".")
    holder = event[place] if place else event
    old = holder[inner]
    if inner in IDS and not place or place and inner in ("list", "entry"):
        role = inner
        others = sorted({each[role] for each in events if role in each} - {old})
        if not others:
            return None
        holder[inner] = next((each for each in others if each > old), others[0])
        if not place:  # the locks and words go along: it is the same step of another object
            event["ord"] = tuple(
                (kind, _renamed(name, f"{role}:{old}", f"{role}:{holder[inner]}"), *rest)
                for kind, name, *rest in event.get("ord", ())
            )
    elif type(old) is bool:
        holder[inner] = not old
    elif type(old) is str:
        made = CAUSES[event["k"]].get(old) if inner == "cause" else OTHER["res"].get(old)
        if made is None:
            return None
        holder[inner] = made
    else:
        holder[inner] = old + (20 if inner.endswith("_ms") else 1)
    return event


def _renamed(name: str, old: str, new: str) -> str:
    return new + name[len(old) :] if name == old or name.startswith(f"{old}.") else name


def damaged(events: list[Event], index: int) -> Iterator[tuple[str, list[Event]]]:
    """(what was done, the events after it) of all damages of one event."""
    event = events[index]
    yield "drop", renumbered(events[:index] + events[index + 1 :])
    yield (
        "duplicate",
        renumbered([*events[: index + 1], copy.deepcopy(event), *events[index + 1 :]]),
    )
    later = next(
        (at for at in range(index + 1, len(events)) if events[at]["tid"] == event["tid"]), None
    )
    if later is not None:
        yield (
            "swap",
            renumbered(
                [
                    *events[:index],
                    events[later],
                    *events[index + 1 : later],
                    event,
                    *events[later + 1 :],
                ]
            ),
        )
    for field in fields(event):
        made = altered(events, index, field)
        if made is not None:
            yield field, renumbered([*events[:index], made, *events[index + 1 :]])


def chosen(events: list[Event], every: bool) -> list[int]:
    """Of each kind the middle event; ``every``: the first and the last one too."""
    places: dict[str, list[int]] = {}
    for index, event in enumerate(events):
        places.setdefault(event["k"], []).append(index)
    return sorted(
        {
            at
            for of in places.values()
            for at in ((of[0], of[len(of) // 2], of[-1]) if every else (of[len(of) // 2],))
        }
    )


def read(path: Path) -> tuple[dict[str, Any], list[Event]]:
    """Header and events of a trace, in the order of their clocks."""
    reader = Reader(path)
    return reader.header, sorted((event for _, event in reader), key=replay.key_of)


def rejected(head: dict[str, Any], changed: Iterable[list[Event]]) -> list[str]:
    """Of each trace the rule of the table that rejects it, the first by name; "" for none."""
    traces = ((head, events, checked.footer_of(head, events)) for events in changed)
    return [min(answer.broken, default="") for answer in checked.judge(traces)]


def outcomes(path: Path, every: bool, step: int = 1) -> dict[str, set[str]]:
    """ "kind what" -> the rules that reject these damages, "" among them where one passes.

    ``step``: only every so many-th damage is made.
    """
    head, events = read(path)
    made = [
        (f"{events[index]['k']} {what}", changed)
        for index in chosen(events, every)
        for what, changed in damaged(events, index)
    ][::step]
    out: dict[str, set[str]] = {}
    rules = rejected(head, (changed for _, changed in made))
    for (name, _), rule in zip(made, rules, strict=True):
        out.setdefault(name, set()).add(rule)
    return out


def main() -> None:
    """Print the table of all damages as TOML."""
    found: dict[str, set[str]] = {}
    for name in RECORDINGS:
        for key, rules in outcomes(FOLDER / f"{name}.jsonl.gz", True).items():
            found.setdefault(key, set()).update(rules)
    for key, rules in sorted(found.items()):
        print(f'"{key}" = {json.dumps(sorted(rules))}')


FOLDER = Path(__file__).parents[1] / "trace" / "kafka"
RECORDINGS = ("timer", "purgatory")

if __name__ == "__main__":
    main()
