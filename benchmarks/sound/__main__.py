"""``python -m benchmarks.sound``: classes that are believed to be correct, and no alarm.

Programs of two threads with two operations each are drawn, and all orders of each are run. The exit
code is 0 where every program of each class was exhausted, 1 where one has an alarm, 3 where a
search was ended, and 4 where a tool is missing.
"""

from __future__ import annotations

import argparse
import importlib
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import hypothesis
from hypothesis import strategies as st

from benchmarks.races import environments
from wheelproof.errors import WheelproofError
from wheelproof.linearizability.campaign import checked
from wheelproof.linearizability.options import Declaration, options
from wheelproof.plain.answers import EXIT_CODES, Answer

PINS = (
    "DBUtils==3.2.0",
    "boltons==26.2.0",
    "cachelib==0.17.0",
    "cacheout==0.17.0",
    "cachetools==8.0.0",
    "decorator==5.3.1",
    "dogpile.cache==1.5.0",
    "expiringdict==1.2.2",
    "fasteners==0.20",
    "pykka==4.5.0",
    "pymemcache==4.0.0",
    "ratelimit==2.2.1",
    "readerwriterlock==1.0.10",
    "redis==5.0.1",
    "stevedore==5.10.0",
    "throttled-py==3.5.0",
    "watchdog==7.1.0",
    "zict==3.0.0",
)

FEW = st.integers(1, 2)
KEYS = {"put": FEW, "get": FEW, "pop": FEW}
KEY = st.sampled_from("ab")
QUEUE = {"put": FEW, "get": (), "put_nowait": FEW, "get_nowait": (), "qsize": ()}


@dataclass(frozen=True)
class Subject:
    """A class. ``factory`` is in one of the modules beside this one."""

    name: str
    factory: str
    operations: Any = None


SUBJECTS = (
    Subject("queue.Queue", "of_python:fifo", QUEUE),
    Subject("queue.PriorityQueue", "of_python:by_priority", {"put": FEW, "get": (), "qsize": ()}),
    Subject("threading.Semaphore", "of_python:Semaphore"),
    Subject("threading.Event", "of_python:event", ["set", "clear", "wait", "is_set"]),
    Subject("functools.lru_cache in Python", "of_python:Cached", {"call": FEW, "clear": ()}),
    Subject(
        "concurrent.futures.Future", "of_python:future",
        {"set_result": FEW, "result": (), "done": (), "running": ()},
    ),
    Subject("pymemcache 4.0.0 ObjectPool", "pools:Pool"),
    Subject("DBUtils 3.2.0 PooledDB", "pools:PooledDatabase"),
    Subject("redis 5.0.1 ConnectionPool", "pools:Redis"),
    Subject("cachetools 8.0.0 cached, with a lock", "caches:Memoized", {"get": FEW}),
    Subject("readerwriterlock 1.0.10 RWLockFair", "locks:ReadWrite", ["read", "add"]),
    Subject("fasteners 0.20 ReaderWriterLock", "locks:Fasteners", ["read", "add"]),
    Subject("dogpile.cache 1.5.0 ReadWriteMutex", "locks:Dogpile", ["read", "add"]),
    Subject("expiringdict 1.2.2 ExpiringDict", "caches:Expiring", KEYS),
    Subject("boltons 26.2.0 LRU", "caches:Lru", KEYS),
    Subject(
        "cacheout 0.17.0 LRUCache", "caches:Cacheout",
        {"put": FEW, "get": FEW, "delete": FEW},
    ),
    Subject("watchdog 7.1.0 SkipRepeatsQueue", "others:skipping", QUEUE),
    Subject("pykka 4.5.0 ThreadingFuture", "others:pykka_future", {"set": FEW, "get": ()}),
    Subject("ratelimit 2.2.1 RateLimitDecorator", "others:Limited"),
    Subject(
        "cachelib 0.17.0 SimpleCache", "documented:simple_cache",
        {"set": (KEY, FEW), "get": KEY, "add": (KEY, FEW), "delete": KEY, "inc": KEY, "has": KEY},
    ),
    Subject(
        "zict 3.0.0 LRU", "documented:lru",
        {
            "__setitem__": (KEY, FEW), "__getitem__": KEY, "__delitem__": KEY,
            "__contains__": KEY, "__len__": (),
        },
    ),
    Subject("throttled-py 3.5.0 Throttled", "documented:Throttled"),
)  # fmt: skip

HEAD = ["class", "answer", "programs", "executions", "CPU s"]


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="benchmarks.sound", description=__doc__)
    parser.add_argument("--classes", default="", help="words of names, with commas; default: all")
    parser.add_argument("--programs", type=int, default=10, help="of each class; default: 10")
    choices = parser.parse_args(arguments)
    words = [word for word in choices.classes.split(",") if word]
    subjects = [s for s in SUBJECTS if not words or any(word in s.name for word in words)]
    print(f"| {' | '.join(HEAD)} |\n{'|---' * len(HEAD)}|", flush=True)
    try:
        if any(not subject.factory.startswith("of_python:") for subject in subjects):
            sys.path.append(str(environments.packages("sound", PINS)))
        codes = [EXIT_CODES[_line_of(subject, choices.programs)] for subject in subjects]
    except WheelproofError as error:
        print(f"sound: {error}", file=sys.stderr)
        return error.exit_code
    return next((code for code in (1, 4, 5, 3) if code in codes), 0)


def _line_of(subject: Subject, programs: int) -> Answer:
    """Print the line of a class; its answer."""
    module, _, name = subject.factory.partition(":")
    factory = getattr(importlib.import_module(f"benchmarks.sound.{module}"), name)
    settings = hypothesis.settings(max_examples=programs, derandomize=True, database=None)
    run_options = options(
        operations=subject.operations, settings=settings,
        threads=2, calls=2, prefix=1, suffix=0,
    )  # fmt: skip
    start = time.process_time()
    exploration = checked(Declaration(factory, run_options))
    seconds = time.process_time() - start
    cells = [
        subject.name, str(exploration.answer), exploration.reason, f"{exploration.executions:,}",
        f"{seconds:.1f}",
    ]  # fmt: skip
    print(f"| {' | '.join(cells)} |", flush=True)
    if exploration.table:
        print(*exploration.table, sep="\n", file=sys.stderr)
    return exploration.answer


if __name__ == "__main__":
    sys.exit(main())
