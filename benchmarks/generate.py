"""Conforming traces of any length, with faults where a caller wants them: one simulated block of
events, put one after the other as columns.

A block ends as it began, with an empty timer and whole turns of the wheel. So the next one is the
same block with later clocks, later numbers of threads, of locks that stay and of words that stay,
and new ids for all that does not: one addition for each column, made with numpy. No Spark is in it,
so that a measurement with these traces begins with reading them. A fault is another block in the
place of one.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import numpy
import pyarrow
from pyarrow import compute
from pyarrow import parquet as columns

from benchmarks import simulated_log
from benchmarks.simulate import Simulator
from benchmarks.simulated_log import FIRST_ID
from traces.events import Event
from wheelproof import documents
from wheelproof.pipeline import runs
from wheelproof.trace.format import parquet, schema, totals

ROWS = 500_000
"""Events in one row group, at least: Spark gives a task whole row groups."""

_TIMES = ("exp_ms", "now_ms", "wheel_ms", "key_ms")
_IDS = ("task", "entry", "op")
_SPANS = ("span", "parent")
_STEPS = dict[str, "numpy.ndarray | int"]


@dataclass(frozen=True)
class Block:
    """Events, and by how much each thing moves from one block to the next: ids, events of each
    thread, numbers of each token that stays. ``first_id``: of the objects that do not stay;
    ``ticks``: the lowest tick in milliseconds, and the buckets of a level."""

    events: list[Event]
    ids: int
    spans: int
    period_ms: int
    threads: Mapping[str, int]
    tokens: Mapping[str, int]
    first_id: int = FIRST_ID
    ticks: tuple[int, int] = (simulated_log.TICK_MS, simulated_log.WHEEL_SIZE)

    @property
    def length(self) -> int:
        return len(self.events)


def block(seed: int, operations: int) -> Block:
    """A block of about 33 events for each operation."""
    simulator = Simulator(seed, operations)
    events = simulator.run()
    threads = {
        name[2:]: count for name, count in simulator.numbers.items() if name.startswith("t ")
    }
    stays = {
        token: count
        for token, count in simulator.numbers.items()
        if not token.startswith("t ") and _number(token.split(" ", 1)[1])[1] < FIRST_ID
    }
    return Block(
        events, simulator.next_id - FIRST_ID, simulator.spans, simulator.period_ms, threads, stays
    )


def hot_block(moves: int) -> Block:
    """One entry, moved from list to list: all events are of one key."""
    numbers: Counter[str] = Counter()
    events: list[Event] = []
    for index in range(moves):
        bucket, adds = 1 + index // 2 % 2, index % 2 == 0
        tokens = []
        for kind, name in (("L", f"list:{bucket}"), ("L", "entry:9"), ("V", "counter:1")):
            numbers[f"{kind} {name}"] += 1
            tokens.append((kind, name, numbers[f"{kind} {name}"], "w"))
        here, there = (0, bucket) if adds else (bucket, 0)
        events.append(
            {
                "tid": 1,
                "tseq": index + 1,
                "lc": index + 1,
                "k": "list_add" if adds else "list_remove",
                "phase": "atomic",
                "entry": 9,
                "list": bucket,
                "ord": tuple(tokens),
                "eseq": index + 1,
                "lseq": tokens[0][2],
                "pre": {"list": here},
                "post": {"list": there, "counter": int(adds)},
            }
        )
        if not adds:
            events[-1]["cause"] = "readd"
    assert moves % 4 == 0
    return Block(events, 0, 0, 0, {"1": moves}, dict(numbers))


def write(
    folder: Path,
    run_id: str,
    base: Block,
    blocks: int,
    parts: int,
    faults: Mapping[int, list[Event]] | None = None,
    threads: int = 1,
) -> int:
    """Write a run of so many blocks as ``parts`` Parquet files; how many events it has. ``faults``:
    the events of a block that is another one.

    The footer is that of the run without faults.
    """
    faulty = {position: Template(base, events) for position, events in (faults or {}).items()}
    template = Template(base, base.events)
    events = folder / "events"
    events.mkdir(parents=True)

    def part(index: int) -> None:
        first, end = (blocks * place // parts for place in (index, index + 1))
        write_part(
            events / f"part-{index:05d}.parquet",
            [(faulty.get(position, template), position) for position in range(first, end)],
        )

    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(part, range(parts)))
    of_threads = {name: count * blocks for name, count in base.threads.items()}
    footer = {
        "events": base.length * blocks,
        "per_thread_last_tseq": of_threads,
        "tokens": totals_of(base, blocks),
        "dropped": 0,
    }
    head = simulated_log.header(run_id, {name: simulated_log.THREADS[name] for name in of_threads})
    documents.write_text(folder / runs.HEADER_FILE, json.dumps(head) + "\n")
    documents.write_text(folder / runs.FOOTER_FILE, json.dumps(footer) + "\n")
    additions = [int(template.table.num_rows) - base.length for template in faulty.values()]
    return base.length * blocks + sum(additions)


def totals_of(base: Block, blocks: int) -> dict[str, dict[str, int]]:
    """The footer's totals of so many blocks: the numbers of tokens that stay grow with each block,
    those of others begin anew."""
    table: dict[str, list[int]] = {}
    for event in base.events:
        for kind, name, number, *_ in event.get("ord", ()):
            step = base.tokens.get(f"{kind} {name}", 0)
            entry = table.setdefault(totals.class_of(kind, name), [0, 0, 0])
            entry[0] += blocks
            entry[1] = max(entry[1], number + (blocks - 1) * step)
            entry[2] += blocks * number + step * (blocks * (blocks - 1) // 2)
    return {
        name: {"count": count, "max": greatest, "sum": total % totals.MODULUS}
        for name, (count, greatest, total) in sorted(table.items())
    }


def write_part(path: Path, blocks: list[tuple[Template, int]]) -> None:
    """Write a file of blocks, each by its template and position."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        with columns.ParquetWriter(temporary, parquet.schema(), compression="zstd") as writer:
            waiting: list[pyarrow.Table] = []
            for index, (template, position) in enumerate(blocks):
                waiting.append(template.at(position))
                rows = sum(table.num_rows for table in waiting)
                if rows >= ROWS or index == len(blocks) - 1:
                    writer.write_table(pyarrow.concat_tables(waiting), row_group_size=rows)
                    waiting = []
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def _number(name: str) -> tuple[str, int, str]:
    """A token's id in three parts: the text before the number, the number, the text after it."""
    before, _, rest = name.partition(":")
    digits, dot, after = rest.partition(".")
    return f"{before}:", int(digits), dot + after


def _steps_of(base: Block, values: numpy.ndarray) -> numpy.ndarray:
    return numpy.where(values >= base.first_id, base.ids, 0)


def _time_steps(values: numpy.ndarray, step: int) -> numpy.ndarray:
    return numpy.where(values >= 0, step, 0)


def _plain(column: pyarrow.Array) -> numpy.ndarray:
    """The numbers of a column, with 0 where there is none."""
    numbers: numpy.ndarray = compute.fill_null(column, 0).to_numpy(zero_copy_only=False)
    return numbers


def _shift(column: pyarrow.Array, step: numpy.ndarray | int, position: int) -> pyarrow.Array:
    """The column with so many steps added; nulls stay."""
    return pyarrow.array(
        _plain(column) + step * position,
        column.type,
        mask=None if not column.null_count else column.is_null().to_numpy(zero_copy_only=False),
    )


class Template:
    """The columns of one block, and the step of each number from one block to the next."""

    def __init__(self, base: Block, events: list[Event]) -> None:
        names = [field.name for field in schema.TOKEN]
        rows = [
            {**event, "ord": [dict(zip(names, token)) for token in event["ord"]]}
            if "ord" in event
            else event
            for event in events
        ]
        self.table = pyarrow.Table.from_pylist(rows, schema=parquet.schema()).combine_chunks()
        here = {name: self._column(name) for name in self.table.schema.names}
        self.steps: _STEPS = {
            "tseq": numpy.array([base.threads[str(event["tid"])] for event in events]),
            "lc": base.length,
            "lseq": numpy.array(
                [base.tokens.get(f"L list:{event.get('list')}", 0) for event in events]
            ),
            # only an entry that stays has numbers that go on
            "eseq": numpy.array(
                [base.tokens.get(f"L entry:{event.get('entry')}", 0) for event in events]
            ),
            "vid": numpy.array(
                [
                    base.period_ms // (base.ticks[0] * base.ticks[1] ** (event.get("level", 1) - 1))
                    for event in events
                ]
            ),
            **{name: _time_steps(_plain(here[name]), base.period_ms) for name in _TIMES},
            "t_ns": base.period_ms * 1_000_000,
            **{name: _steps_of(base, _plain(here[name])) for name in _IDS},
            **dict.fromkeys(_SPANS, base.spans),
        }
        self.observed: dict[str, _STEPS] = {
            name: {
                "entry": _steps_of(base, _plain(here[name].field("entry"))),
                "key_ms": _time_steps(_plain(here[name].field("key_ms")), base.period_ms),
            }
            for name in ("pre", "post")
        }
        self._read_tokens(base, here["ord"])

    def _column(self, name: str) -> pyarrow.Array:
        return self.table.column(name).chunk(0)

    def _read_tokens(self, base: Block, lists: pyarrow.ListArray) -> None:
        self.tokens = lists.flatten()
        encoding = self.tokens.field("id").dictionary_encode()
        self.which, texts = encoding.indices, encoding.dictionary.to_pylist()
        self.before, numbers, self.after = zip(*map(_number, texts), strict=True)
        self.numbers = numpy.array(numbers)
        self.number_steps = _steps_of(base, self.numbers)
        kinds, ids = self.tokens.field("kind").to_pylist(), self.tokens.field("id").to_pylist()
        self.token_steps = numpy.array(
            [base.tokens.get(f"{kind} {name}", 0) for kind, name in zip(kinds, ids, strict=True)]
        )

    def at(self, position: int) -> pyarrow.Table:
        """The block at a position, from 0."""
        arrays = []
        for name in self.table.schema.names:
            column = self._column(name)
            if name == "ord":
                column = pyarrow.ListArray.from_arrays(
                    column.offsets,
                    self._tokens_at(position),
                    column.type,
                    mask=column.is_null() if column.null_count else None,
                )
            elif name in self.observed:
                fields = [
                    _shift(column.field(member.name), self.observed[name][member.name], position)
                    if member.name in self.observed[name]
                    else column.field(member.name)
                    for member in column.type
                ]
                column = pyarrow.StructArray.from_arrays(
                    fields, fields=list(column.type), mask=column.is_null()
                )
            elif name in self.steps:
                column = _shift(column, self.steps[name], position)
            arrays.append(column)
        return pyarrow.Table.from_arrays(arrays, schema=self.table.schema)

    def _tokens_at(self, position: int) -> pyarrow.StructArray:
        """Most tokens are of few objects: the texts of their ids are made once for each object."""
        numbers = (self.numbers + self.number_steps * position).tolist()
        names = pyarrow.array(
            [
                f"{before}{number}{after}"
                for before, number, after in zip(self.before, numbers, self.after, strict=True)
            ]
        )
        arrays = {
            "id": compute.take(names, self.which),
            "seq": _shift(self.tokens.field("seq"), self.token_steps, position),
        }
        return pyarrow.StructArray.from_arrays(
            [
                arrays.get(member.name, self.tokens.field(member.name))
                for member in self.tokens.type
            ],
            fields=list(self.tokens.type),
        )
