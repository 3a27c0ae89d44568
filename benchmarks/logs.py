"""Logs explained here and by TLC on a trace specification: ``python -m benchmarks.logs``.

It prints two tables in Markdown: events per CPU second, and the size of a refusal's explanation.
The program is that of examples/job_queue, called at random. A log of one event is taken off each
time, so that neither the start of a process nor the parse of the specification counts.
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from wheelproof.errors import WheelproofError
from wheelproof.tla.logs import mapping, refusals
from wheelproof.tla.logs.search import Search
from wheelproof.tla.plain.comparison import Subject
from wheelproof.tlc import process
from wheelproof.tlc.result import Outcome, TlcResult
from wheelproof.tlc.values import format_tla

SUBJECT = Path(__file__).parents[1] / "examples" / "job_queue"
SIZES = (1_000, 10_000, 100_000)
DAMAGED, LENGTH = 20, 200
"""The damaged logs, and the events of each."""

SECONDS = 1_800.0
WORKERS = ("ada", "bob")
Record = Mapping[str, object]

TRACE = """---- MODULE JobQueueLog ----
EXTENDS JobQueue
VARIABLE line

Log == <<
{records}
>>

Step(event) ==
  \\/ event.event = "put" /\\ Put(event.job) /\\ queue' = event.queue
  \\/ event.event = "take" /\\ Take(event.worker) /\\ holds'[event.worker] = event.holds
  \\/ event.event = "finish" /\\ Finish(event.worker)

LogInit == Init /\\ line = 1
LogNext == \\/ line <= Len(Log) /\\ Step(Log[line]) /\\ line' = line + 1
           \\/ line > Len(Log) /\\ UNCHANGED <<queue, holds, line>>
====
"""
CONFIG = 'CONSTANT Worker = {"ada", "bob"}\nINIT LogInit\nNEXT LogNext\n'


def records(length: int, seed: int) -> list[dict[str, object]]:
    """The log of a run of the program."""
    sys.path.insert(0, str(SUBJECT))
    from job_queue import JobQueue  # type: ignore[import-not-found]  # a file of the example

    draw, jobs = random.Random(seed), JobQueue(2)
    log: list[dict[str, object]] = []
    while len(log) < length:
        worker, event = draw.choice(WORKERS), draw.choice(("put", "take", "finish"))
        if event == "put" and jobs.put(job := draw.randint(1, 3)):
            log.append({"event": event, "job": job, "queue": list(jobs.waiting)})
        elif event == "take" and jobs.waiting and worker not in jobs.busy:
            log.append({"event": event, "worker": worker, "holds": jobs.take(worker)})
        elif event == "finish" and worker in jobs.busy:
            jobs.finish(worker)
            log.append({"event": event, "worker": worker})
    return log


def damaged(log: Sequence[Record], seed: int) -> list[Record]:
    """A log with one wrong value, without one event, or with one event twice."""
    draw = random.Random(seed)
    place = draw.choice([at for at, record in enumerate(log) if record["event"] == "take"])
    match seed % 3:
        case 0:
            wrong = int(str(log[place]["holds"])) % 3 + 1
            return [*log[:place], {**log[place], "holds": wrong}, *log[place + 1 :]]
        case 1:
            return [*log[:place], *log[place + 1 :]]
    return [*log[: place + 1], log[place], *log[place + 1 :]]


def written(log: Sequence[Record], folder: Path) -> Path:
    """A log as a file in NDJSON."""
    file = folder / "log.ndjson"
    file.write_text("".join(f"{json.dumps(record)}\n" for record in log), encoding="utf-8")
    return file


def searched(file: Path) -> list[str]:
    """The lines of the refusal of a log; [] where it is explained."""
    machine = Subject(SUBJECT / "JobQueue.tla", SUBJECT / "JobQueue.cfg").machine()
    rules = mapping.rules(SUBJECT / "mapping.toml", machine)
    events = mapping.read(file, rules)
    search = Search(machine, rules.hidden)
    verdict = search.run(events)
    return refusals.explain(search, events, verdict).lines() if verdict.pending else []


def by_tlc(log: Sequence[Record], folder: Path, shared: bool = False) -> TlcResult:
    """The run of TLC on the trace specification of a log. ``shared``: in a JVM with others."""
    for name, text in (
        ("JobQueue.tla", (SUBJECT / "JobQueue.tla").read_text(encoding="utf-8")),
        ("JobQueueLog.tla", TRACE.format(records=",\n".join(map(_tla, log)))),
        ("JobQueueLog.cfg", CONFIG),
    ):
        (folder / name).write_text(text, encoding="utf-8")
    return process.run(folder / "JobQueueLog.tla", timeout=SECONDS, shared=shared)


def _tla(record: Record) -> str:
    fields = (f"{name} |-> {_value(value)}" for name, value in record.items())
    return f"  [{', '.join(fields)}]"


def _value(value: object) -> str:
    return format_tla(tuple(value) if isinstance(value, list) else value)


def _cpu(work: Callable[..., object], *arguments: object) -> float:
    """The CPU seconds of the processes that some work starts."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    work(*arguments)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def _search_alone(log: Sequence[Record], folder: Path) -> None:
    command = [sys.executable, "-m", "benchmarks.logs", "--search", str(written(log, folder))]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, timeout=SECONDS)


def speeds(sizes: Sequence[int], folder: Path) -> Iterator[str]:
    """The rows of the first table."""
    yield "| events | Wheelproof, events / CPU s | TLC, events / CPU s |"
    yield "|---|---|---|"
    first = records(1, 1)
    _search_alone(first, folder)  # the parsed specification is kept from now on
    start, start_of_tlc = _cpu(_search_alone, first, folder), _cpu(by_tlc, first, folder)
    for size in sizes:
        log = records(size, size)
        ours = size / (_cpu(_search_alone, log, folder) - start)
        yield f"| {size:,} | {ours:,.0f} | {_of_tlc(log, folder, start_of_tlc)} |"


def _of_tlc(log: Sequence[Record], folder: Path, start: float) -> str:
    results: list[TlcResult] = []
    try:
        seconds = _cpu(lambda: results.append(by_tlc(log, folder))) - start
    except WheelproofError as error:
        return f"no verdict: {error.message[:60]}"
    if results[0].outcome is not Outcome.COMPLETED:
        return f"no verdict: {results[0].explanation[:60]}"
    return f"{len(log) / seconds:,.0f}"


def explanations(folder: Path) -> Iterator[str]:
    """The rows of the second table."""
    ours, theirs = [], []
    for seed in range(DAMAGED):
        log = damaged(records(LENGTH, seed), seed)
        lines, result = searched(written(log, folder)), by_tlc(log, folder, True)
        if not lines or result.outcome is not Outcome.VIOLATED:
            raise SystemExit(f"log {seed}: {len(lines)} lines here, and TLC: {result.outcome}")
        ours.append(len(lines))
        theirs.append(sum(1 + len(state.variables) for state in result.trace))
    yield f"| lines of {DAMAGED} refusals | median | least | most |"
    yield "|---|---|---|---|"
    for name, sizes in (("Wheelproof", ours), ("TLC's trace", theirs)):
        yield f"| {name} | {statistics.median(sizes):.0f} | {min(sizes)} | {max(sizes)} |"


def main() -> None:
    """Print both tables, or search one log."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.logs", description=__doc__)
    parser.add_argument("--search", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("sizes", nargs="*", type=int, help="events of the logs", default=SIZES)
    options = parser.parse_args()
    if options.search:
        print("\n".join(searched(options.search)))
        return
    with tempfile.TemporaryDirectory() as folder:
        for table in (speeds(options.sizes, Path(folder)), explanations(Path(folder))):
            for line in table:
                print(line, flush=True)
            print()


if __name__ == "__main__":
    main()
