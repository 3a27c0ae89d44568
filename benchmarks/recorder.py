"""The cost of a recorded event, beside the same event written as JSON and flushed: ``python -m
benchmarks.recorder``.

One run measures all rows, on one thread, in CPU time: the ratios count. A program of the
timer's lists is run plainly and traced; the difference, divided by the events, is the whole price
of tracing, reads that are not recorded included.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, cast

from traces import translator
from wheelproof import isolated, project
from wheelproof.trace.recording.loading import Traced
from wheelproof.trace.recording.log import Log

NAME = "timer_task_list"
OPERATIONS = 6000
ROUNDS = 3
RECORDS = 50_000


def _program() -> dict[str, Any]:
    """Schedule each entry into one of eight lists, and cancel every other task."""
    lists = [f"l{number}" for number in range(8)]
    steps: list[list[str]] = []
    for number in range(OPERATIONS):
        steps.append(["schedule", lists[number % 8], f"e{number}"])
        if number % 2:
            steps.append(["cancel", f"t{number - 1}"])
    return {
        "lists": lists,
        "task_of": {f"e{number}": f"t{number}" for number in range(OPERATIONS)},
        "ring": {name: [] for name in lists},
        "current": [],
        "threads": {"w": steps},
    }


def _seconds(body: Callable[[], object]) -> float:
    start = time.process_time()
    body()
    return time.process_time() - start


def _records(log: Log, site: int) -> None:
    for number in range(RECORDS):
        log.emit(site, 7, number, number + 1, 0, 3, number)


def _lines(event: dict[str, Any]) -> None:
    with open(os.devnull, "w", encoding="utf-8") as stream:
        for number in range(RECORDS):
            event["tseq"] = event["lc"] = number
            stream.write(json.dumps(event) + "\n")
            stream.flush()


def _run(harness: object, scenario: dict[str, Any]) -> Callable[[], object]:
    calls = [
        (getattr(harness, operation), arguments)
        for operation, *arguments in scenario["threads"]["w"]
    ]

    def body() -> None:
        for method, arguments in calls:
            method(*arguments)

    return body


def measure(root: Path) -> dict[str, float]:
    """Nanoseconds of CPU per event: plain, traced, the record alone, JSON with a flush alone; and
    the bytes of both."""
    mechanisms, scenario = project.find(root), _program()
    plain = with_trace = record = as_json = float("inf")
    for _ in range(ROUNDS):
        harness = isolated.load(root, f"harness.{NAME}").Harness(scenario)
        plain = min(plain, _seconds(_run(harness, scenario)))
        under = Traced(mechanisms, NAME)
        harness = cast(Any, under.set_up(scenario))
        translator.named(under.recorder, harness.names)
        under.recorder.begin()
        log = under.recorder.enter("w")
        with_trace = min(with_trace, _seconds(_run(harness, scenario)))
        events = len(log)
        # a record as list_add writes it: two monitors and the counter's word
        first, second = harness.lists["l0"].monitor, harness.entries["e0"].monitor
        site, bare = under.recorder.add_site("list_add"), under.recorder.enter("measured")
        bare.held = [first, second]

        record = min(record, _seconds(partial(_records, bare, site)))
        event = {
            "tid": 1,
            "tseq": 1,
            "lc": 1,
            "k": "list_add",
            "phase": "atomic",
            "task": 5,
            "entry": 17,
            "list": 7,
            "exp_ms": 1,
            "ord": [["L", "list:7", 1, "w"], ["L", "entry:17", 1, "w"], ["V", "counter:1", 1, "w"]],
            "eseq": 1,
            "lseq": 1,
            "post": {"counter": 1},
            "src": 4,
        }

        as_json = min(as_json, _seconds(partial(_lines, event)))
    return {
        "events": events,
        "plain": plain / events * 1e9,
        "traced": with_trace / events * 1e9,
        "record": record / RECORDS * 1e9,
        "json": as_json / RECORDS * 1e9,
    }


def table(costs: dict[str, float]) -> str:
    """The rows as Markdown."""
    price = costs["traced"] - costs["plain"]
    rows = [
        ("the program itself", costs["plain"]),
        ("the program, traced", costs["traced"]),
        ("price of tracing, all of it", price),
        ("of that: one record (two locks, one word, clock)", costs["record"]),
        ("the same event as JSON, flushed", costs["json"]),
        (
            "price of tracing with JSON in the record's place",
            price - costs["record"] + costs["json"],
        ),
    ]
    lines = [
        "| per event | ns of CPU |",
        "|---|---|",
        *(f"| {name} | {value:,.0f} |" for name, value in rows),
    ]
    lines += [
        "",
        f"{costs['events']:,} events. JSON with a flush is {costs['json'] / costs['record']:.1f} "
        "x the record, "
        f"and tracing with it {(price - costs['record'] + costs['json']) / price:.1f} x tracing.",
    ]
    return "\n".join(lines)


if __name__ == "__main__":
    print(table(measure(Path(sys.argv[1] if len(sys.argv) > 1 else "."))))
