"""Runs of any length made of one recording of Kafka: the recording, and then copies of it with new
tasks, entries and operations.

The lasting objects of a broker stay the same: its timers with their locks, their buckets and
queues, the locks of watchers, and its threads. Their numbers go on from copy to copy. So a run has
the recording's own skew, which no simulated run has. The wheels are made once, in the first copy,
and so are the threads.

A recording must end as it began: with empty wheels and every lock given back. Any other is refused.
"""

from __future__ import annotations

import json
import math
from collections import Counter, defaultdict
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, cast

from benchmarks import generate
from traces.events import Event
from wheelproof import documents
from wheelproof.pipeline import runs
from wheelproof.trace.format import totals
from wheelproof.trace.judging.replay import reader_of

FOLDER = Path("tests/real/recordings")
ONCE = ("thread_start", "wheel_new", "bucket_new", "overflow_create")
"""Kinds of the first copy alone."""
BLOCK = 50_000
"""Events of the copies that are moved at once, as columns."""

Row = dict[str, Any]
"""An event, by column."""

_MOVED = ("task", "entry", "op")
_IDS = (*_MOVED, "list", "key", "timer", "purgatory")
_TIMES = ("exp_ms", "now_ms", "wheel_ms", "key_ms")
_SPANS = ("span", "parent")
_REPEATED = (("list", "lseq"), ("entry", "eseq"), ("op", "oseq"))
"""A column of ids, and the column that repeats the number at that object's lock."""

_PAIRS = (
    ("list_add", "list_remove", "list"),
    ("dq_offer", "dq_poll", "list"),
    ("rw_acquire", "rw_release", "tid"),
    ("op_new", "force_cas", "op"),
)
"""Kinds of which a recording must have equally many about each thing of a column."""


@dataclass(frozen=True)
class Hottest:
    """The token that most events bear, the thread with most events, and their shares."""

    token: str
    of_tokens: float
    thread: str
    of_events: float


class Recording:
    """A recording, and its copies. ``body``: the events of which the further ones are made.

    Raises ValueError for one that cannot be copied.
    """

    def __init__(self, path: Path) -> None:
        reader = reader_of(path)
        self.events: list[Row] = [dict(event) for _, event in reader]
        self.header = reader.header
        self.body = [event for event in self.events if event["k"] not in ONCE]
        config = self.header["config"]
        self.ticks: tuple[int, int] = (config["tick_ms"], config["wheel_size"])
        self.threads = Counter(event["tid"] for event in self.events)
        self.of_body = Counter(event["tid"] for event in self.body)
        self.spans: int = max(event.get(name) or 0 for event in self.events for name in _SPANS)
        self._refuse_open_ends()

    def _refuse_open_ends(self) -> None:
        for first, second, name in _PAIRS:
            balance: Counter[int] = Counter()
            for event in self.events:
                balance[event.get(name, 0)] += (event["k"] == first) - (event["k"] == second)
            if still := [thing for thing, many in balance.items() if many]:
                raise ValueError(
                    f"{self.header['run_id']} does not end as it began: {name} {still[0]} has "
                    f"{first} without {second}"
                )

    @cached_property
    def period_ms(self) -> int:
        """By how much time goes on from copy to copy: whole turns of the highest level."""
        times = [event[name] for event in self.body for name in _TIMES if event.get(name, -1) > 0]
        levels = max(event.get("level") or 1 for event in self.events)
        turn = self.ticks[0] * self.ticks[1] ** levels
        return int(turn * math.ceil((max(times) - min(times) + 1) / turn))

    @cached_property
    def first_id(self) -> int:
        """Of tasks, entries and operations in copies."""
        ids = [event.get(name) or 0 for event in self.events for name in _IDS]
        token_ids = [int(_parts(token[1])[1]) for event in self.events for token in _tokens(event)]
        return 1 + int(max(*ids, *token_ids))

    @cached_property
    def numbers(self) -> dict[tuple[str, str], tuple[dict[int, int], int, int]]:
        """Of each token: number in the recording -> number in the first copy of the body, the step
        from copy to copy, and by how much the first copy of the body is ahead."""
        uses: dict[tuple[str, str], list[tuple[int, bool, bool]]] = defaultdict(list)
        for event in self.events:
            for token in _tokens(event):
                is_again = event["k"] not in ONCE
                uses[token[0], token[1]].append((token[2], token[3] == "w", is_again))
        plans = {}
        for (kind, name), many in uses.items():
            last = max(number for number, _, _ in many)
            again = sorted({number for number, _, is_again in many if is_again})
            if kind == "L":  # a lock's numbers have no gap
                dense = {number: place for place, number in enumerate(again, 1)}
                plans[kind, name] = dense, len(again), last
            else:  # an epoch is over when its writer's hold is
                over = max(number + (is_write and kind == "RW") for number, is_write, _ in many)
                plans[kind, name] = {number: number for number in again}, over, over
        return plans

    def copy(self, number: int) -> list[Row]:
        """A copy, from 0: the recording itself."""
        return (
            self.events
            if number == 0
            else [self._shifted_row(event, number) for event in self._ranking]
        )

    @cached_property
    def _ranking(self) -> list[Row]:
        """The body, with the places of its events among all and among their thread's."""
        rank = {lc: place for place, lc in enumerate(sorted({row["lc"] for row in self.body}), 1)}
        counts: Counter[int] = Counter()
        ranking = []
        for event in sorted(self.body, key=lambda row: (row["tid"], row["tseq"])):
            counts[event["tid"]] += 1
            ranking.append({**event, "lc": rank[event["lc"]], "tseq": counts[event["tid"]]})
        return sorted(ranking, key=lambda row: row["lc"])

    def _shifted_row(self, event: Row, number: int) -> Row:
        before = number - 1
        row = {
            **event,
            "lc": event["lc"] + self._last_lc + before * len(self._ranking),
            "tseq": event["tseq"]
            + self.threads[event["tid"]]
            + before * self.of_body[event["tid"]],
        }
        later = number * self.period_ms
        for name in _SPANS:
            if event.get(name):
                row[name] = event[name] + number * self.spans
        for name in _MOVED:
            if event.get(name):
                row[name] = self._id(event[name], number)
        for name in _TIMES:
            if event.get(name, -1) >= 0:
                row[name] = event[name] + later
        if "t_ns" in event:
            row["t_ns"] = event["t_ns"] + later * 1_000_000
        if "vid" in event:
            level = event.get("level") or 1
            row["vid"] = event["vid"] + later // (self.ticks[0] * self.ticks[1] ** (level - 1))
        for name, column in _REPEATED:
            if event.get(column):
                token = ("L", f"{name}:{event[name]}")
                row[column] = self._number(token, event[column], number)
        for name in ("pre", "post"):
            if name in event:
                row[name] = self._shifted_values(event[name], number)
        if "ord" in event:
            row["ord"] = tuple(self._token(token, number) for token in event["ord"])
        return row

    @cached_property
    def _last_lc(self) -> int:
        return max(int(event["lc"]) for event in self.events)

    def _shifted_values(self, observation: dict[str, Any], number: int) -> dict[str, Any]:
        row = dict(observation)
        if observation.get("entry"):
            row["entry"] = self._id(observation["entry"], number)
        if observation.get("key_ms", -1) >= 0:
            row["key_ms"] = observation["key_ms"] + number * self.period_ms
        return row

    def _id(self, identifier: int, number: int) -> int:
        return identifier + number * self.first_id

    def _number(self, token: tuple[str, str], at: int, copy: int) -> int:
        """A number that a token has in a copy."""
        if _is_moved(token[1]):
            return at
        numbers, step, ahead = self.numbers[token]
        return numbers[at] + ahead + (copy - 1) * step

    def _token(self, token: tuple[Any, ...], copy: int) -> tuple[Any, ...]:
        kind, name, at, *rest = token
        if len(rest) > 1:
            raise ValueError(f"{kind} {name}: an interval of numbers cannot be copied")
        copy_name = name
        if _is_moved(name):
            before, digits, after = _parts(name)
            copy_name = f"{before}{self._id(int(digits), copy)}{after}"
        return kind, copy_name, self._number((kind, name), at, copy), *rest

    def block(self, copies: int) -> generate.Block:
        """The copies from 1 on as one block, which is moved as columns."""
        events = [event for number in range(1, copies + 1) for event in self.copy(number)]
        return generate.Block(
            cast("list[Event]", events),
            copies * self.first_id,
            copies * self.spans,
            copies * self.period_ms,
            {str(thread): copies * self.of_body[thread] for thread in self.threads},
            {
                f"{kind} {name}": copies * step
                for (kind, name), (_, step, _) in self.numbers.items()
                if not _is_moved(name)
            },
            self.first_id,
            self.ticks,
        )

    def hottest(self, copies: int) -> Hottest:
        """Of a run of the recording and so many further copies."""
        tokens: Counter[str] = Counter()
        for many, part in ((1, self.events), (copies, self.body)):
            for event in part:
                for token in _tokens(event):
                    if not _is_moved(token[1]):
                        tokens[f"{token[0]} {token[1]}"] += many
        borne = sum(len(_tokens(event)) for event in self.events)
        borne += copies * sum(len(_tokens(part)) for part in self.body)
        ((token, maximum),) = tokens.most_common(1)
        events = Counter(
            {tid: count + copies * self.of_body[tid] for tid, count in self.threads.items()}
        )
        ((thread, busiest),) = events.most_common(1)
        name = self.header["threads"][str(thread)]
        return Hottest(token, maximum / borne, name, busiest / events.total())


def _tokens(event: Row) -> tuple[Any, ...]:
    return tuple(event.get("ord") or ())


def _parts(name: str) -> tuple[str, str, str]:
    """A token's id: the text before its number, the number, and the text after it."""
    before, _, rest = name.partition(":")
    digits, dot, after = rest.partition(".")
    return f"{before}:", digits, dot + after


def _is_moved(name: str) -> bool:
    return name.partition(":")[0] in _MOVED


def write(folder: Path, run_id: str, recording: Recording, events: int, part: int) -> int:
    """Write a run of about so many events as Parquet files of ``part`` events; how many further
    copies it has. No more than two files are made at a time."""
    copies = max(1, min(BLOCK, events - len(recording.events)) // len(recording.body))
    blocks = max(1, round((events - len(recording.events)) / (copies * len(recording.body))))
    base = recording.block(copies)
    first = generate.Template(base, cast("list[Event]", recording.events))
    further = generate.Template(base, base.events)
    target = folder / "events"
    target.mkdir(parents=True)
    generate.write_part(target / "first.parquet", [(first, 0)])
    stride = max(1, part // base.length)

    def write_file(start: int) -> None:
        positions = range(start, min(blocks, start + stride))
        generate.write_part(
            target / f"part-{start // stride:05d}.parquet",
            [(further, place) for place in positions],
        )

    with ThreadPoolExecutor(2) as pool:
        list(pool.map(write_file, range(0, blocks, stride)))
    head = {**recording.header, "run_id": run_id}
    documents.write_text(folder / runs.HEADER_FILE, json.dumps(head) + "\n")
    documents.write_text(
        folder / runs.FOOTER_FILE, json.dumps(footer(recording, base, blocks)) + "\n"
    )
    return copies * blocks


def footer(recording: Recording, base: generate.Block, blocks: int) -> dict[str, Any]:
    """The footer of the recording and so many blocks."""
    first = totals.Totals()
    for event in recording.events:
        first.count(_tokens(event))
    classes = generate.totals_of(base, blocks)
    for name, figures in first.data().items():
        further = classes.get(name, dict.fromkeys(totals.NAMES, 0))
        classes[name] = {
            "count": figures["count"] + further["count"],
            "max": max(figures["max"], further["max"]),
            "sum": (figures["sum"] + further["sum"]) % totals.MODULUS,
        }
    return {
        "events": len(recording.events) + base.length * blocks,
        "per_thread_last_tseq": {
            str(thread): count + base.threads[str(thread)] * blocks
            for thread, count in recording.threads.items()
        },
        "tokens": classes,
        "dropped": 0,
    }
