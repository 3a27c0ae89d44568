"""An ensemble's history as a trace of the project's format, ``docs/trace-format.md``.

A session is a thread. An event is a part of a transaction. The order is that of the transactions'
numbers: a clock is in no event. The answers to brokers are in threads of their own, whose
events come last.

The kinds of event and their columns are in ``real/chaos/traces/schema.py``.
"""

from __future__ import annotations

import gzip
import json
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from impl.controller import CONTROLLER, EPOCH, PARTITION
from real.chaos.history import Change, Transaction
from real.chaos.judge import BOUND, TICK, Acknowledged, Judge, state
from wheelproof.errors import ToolError

SESSIONS = {"open": "session_open", "close": "session_close", "refused": "refused"}
"""Kind of a transaction without parts -> kind of its event."""

Line = dict[str, Any]


class Evidence(NamedTuple):
    """The evidence of a round: the history of its folder, and the reports of the brokers."""

    folder: str
    hands: Collection[int]
    """The sessions of processes that are no candidates."""
    homes: Mapping[int, str]
    """Session -> its candidate."""
    history: tuple[Transaction, ...]
    acknowledged: tuple[Acknowledged, ...]
    """The transactions that brokers took for done."""

    def judged(self) -> Judge:
        """The verdict on it."""
        judge = Judge(self.folder, self.hands, self.homes)
        return judge.follow(self.history).acknowledged(self.history, self.acknowledged)


class _Threads:
    """The numbers of the threads, as they come, and how many events each has."""

    def __init__(self) -> None:
        self.numbers: dict[str, int] = {}
        self.last: Counter[int] = Counter()

    def number(self, name: str) -> int:
        return self.numbers.setdefault(name, len(self.numbers) + 1)

    def with_place(self, name: str, lc: int, event: Line) -> Line:
        """An event with its place in its thread and among all."""
        tid = self.number(name)
        self.last[tid] += 1
        place = {"tid": tid, "tseq": self.last[tid], "lc": lc, "phase": "atomic"}
        return {**place, **{key: value for key, value in event.items() if value is not None}}


def session(number: int) -> str:
    """The name of the thread of a session."""
    return f"session {number:#x}"


def lines(name: str, evidence: Evidence) -> Iterator[Line]:
    """Header, events and footer. ``name``: of the run."""
    threads = _Threads()
    events = [
        threads.with_place(thread, number, event)
        for number, (thread, event) in enumerate(_events(evidence, threads), 1)
    ]
    last = {str(tid): count for tid, count in sorted(threads.last.items())}
    yield {
        "schema": "wheelproof.trace/1",
        "schema_minor": 3,
        "run_id": name,
        "producer": {"name": "real.chaos"},
        "config": {"bound": BOUND},
        "clock": {"kind": "none", "virtual": False},
        "threads": {str(number): thread for thread, number in threads.numbers.items()},
        "capture": {"mode": "full"},
    }
    yield from events
    footer = {"events": len(events), "per_thread_last_tseq": last, "tokens": {}, "dropped": 0}
    yield {"footer": footer}


def write(path: Path, name: str, evidence: Evidence) -> None:
    """Write the trace to a file whose name ends in ``.jsonl`` or ``.jsonl.gz``.

    The same evidence gives the same bytes. Raises ToolError where the file cannot be written.
    """
    text = "".join(
        f"{json.dumps(line, separators=(',', ':'))}\n" for line in lines(name, evidence)
    ).encode()
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(gzip.compress(text, mtime=0) if path.suffix == ".gz" else text)
    except OSError as error:
        raise ToolError(f"{path} cannot be written ({error.strerror}).") from error


def _events(evidence: Evidence, threads: _Threads) -> Iterator[tuple[str, Line]]:
    """Thread and event, in order."""
    for home in sorted(set(evidence.homes.values())):
        yield f"answers to {home}", {"k": "candidate", "home": home}
    for transaction in evidence.history:
        thread = session(transaction.session)
        if transaction.kind in SESSIONS:
            event = {"k": SESSIONS[transaction.kind], "zxid": transaction.zxid}
            yield thread, event | {"home": evidence.homes.get(transaction.session)}
        for number, part in enumerate(_parts_below(evidence.folder, transaction.parts)):
            cause = "hand" if transaction.session in evidence.hands else "candidate"
            event = {"zxid": transaction.zxid, "part": number, "cause": cause, **_change(part)}
            yield thread, event
    for answer in evidence.acknowledged:
        home = evidence.homes.get(answer.session, "another")
        for number, (path, data) in enumerate(answer.parts):
            yield (
                f"answers to {home}",
                {
                    "k": "acknowledged",
                    "zxid": answer.zxid,
                    "part": number,
                    "parts": len(answer.parts),
                    "by": threads.number(session(answer.session)),
                    "node": path.removeprefix(evidence.folder),
                    "data": data,
                },
            )


def _parts_below(folder: str, parts: Iterable[Change]) -> list[Change]:
    """The parts that are about the folder, with paths from there."""
    return [
        part._replace(path=part.path.removeprefix(folder))
        for part in parts
        if part.path.startswith(f"{folder}/")
    ]


def _change(part: Change) -> Line:
    """The columns of a part."""
    event: Line = {"k": f"node_{part.kind}", "node": part.path}
    if part.kind == "create":
        event["res"] = "true" if part.ephemeral else "false"
    if part.kind == "put":
        event["post"] = {"version": part.version}
    if part.kind in ("create", "put"):
        event["data"] = part.data
        event |= _read(part)
    return event


def _read(part: Change) -> Line:
    """The meaning of the data of a node."""
    if part.path == EPOCH:
        return {"epoch": int(part.data)}
    if part.path == TICK:
        return {"calm": part.data} if part.kind == "put" else {}
    if part.path == CONTROLLER or not part.path.startswith(PARTITION):
        return {}
    partition_state = state(part.data)
    return {
        "leader_epoch": partition_state.leader_epoch,
        "controller_epoch": partition_state.controller_epoch,
        "isr": partition_state.isr,
    }
