"""A trace taken event by event through the rules of the model, with one of four verdicts.

``conforms``: each event is a step of the model, and nothing is missing. ``violates``: some event is
none; the property says which rule. ``incomplete``: nothing was refused, but events or order tokens
are missing, so that nothing follows. ``out-of-model``: the trace speaks of what the rules do not
know, or contradicts itself. The last two are never "conforms"; a trace of no events is incomplete.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from wheelproof.trace import declared
from wheelproof.trace.cut import Cut
from wheelproof.trace.events import Refusal
from wheelproof.trace.jsonl import CutOff, Reader, Tally
from wheelproof.trace.totals import Totals

Event = dict[str, Any]

CONFORMS, VIOLATES, INCOMPLETE, OUT_OF_MODEL = "conforms", "violates", "incomplete", "out-of-model"
VACUOUS = "vacuous"
VERDICTS = (CONFORMS, VIOLATES, INCOMPLETE, OUT_OF_MODEL, VACUOUS)

NOTHING = "Rules"
"""Under this name it is said that there was nothing to look at."""

CONTROL = frozenset(("thread_start", "thread_stop", "checkpoint", "drop"))
"""Kinds of event that are no step of anything: a trace of nothing else shows nothing."""

BUFFER = 1 << 16
"""How far from the order of their clocks the events of a file may be. Files beyond that are sorted
as a whole."""


@dataclass(frozen=True)
class Finding:
    """One event that was refused, or one thing that is missing. ``line`` is 0 where it is not about
    a line."""

    line: int
    event: Event | None
    property: str
    message: str
    enabled: tuple[str, ...] = ()


@dataclass
class Verdict:
    """What became of a trace. ``findings`` are in the order of the events: violations first, then
    what is missing or not understood."""

    verdict: str
    events: int
    findings: tuple[Finding, ...] = ()
    applied: Mapping[str, int] = field(default_factory=dict)

    @property
    def first(self) -> Finding | None:
        return self.findings[0] if self.findings else None


class _Order:
    """Whether the clocks agree with threads and tokens, and whether any number is missing."""

    def __init__(self) -> None:
        self.threads: dict[int, tuple[int, int]] = {}
        self.tokens: dict[str, tuple[int, int, str]] = {}
        self.totals = Totals()
        self.missing: list[tuple[int, str, str]] = []
        self.contradictions: list[tuple[int, str, str]] = []

    def look(self, line: int, event: Event) -> None:
        tid, tseq, lc = event["tid"], event["tseq"], event["lc"]
        last, last_lc = self.threads.get(tid, (0, 0))
        if tseq <= last:
            self.contradictions.append(
                (line, "ThreadSequence", f"thread {tid} has event {tseq} after event {last}")
            )
        elif tseq != last + 1:
            self.missing.append(
                (
                    line,
                    "ThreadSequence",
                    f"of thread {tid} the events {last + 1} to {tseq - 1} are missing",
                )
            )
        if lc <= last_lc:
            self.contradictions.append(
                (line, "ThreadSequence", f"the clock of thread {tid} goes from {last_lc} to {lc}")
            )
        self.threads[tid] = tseq, lc
        self.totals.count(event.get("ord", ()))
        for token in event.get("ord", ()):
            if len(token) == 4:
                self._token(line, token, lc)

    def _token(self, line: int, token: tuple[Any, ...], lc: int) -> None:
        kind, name, seq, mode = token
        key = f"{kind} {name}"
        before = self.tokens.get(key)
        if before is None:
            # what came before the recording is not asked for: a lock and a word begin where they
            # are first seen, if that is their first number
            first = 1 if kind == "L" or kind == "V" and mode in ("w", "cas+") else 0
            if seq > first and kind != "RW":
                self.missing.append(
                    (line, "TokenSequence", f"of {name} the numbers before {seq} are missing")
                )
            self.tokens[key] = seq, lc, mode
            return
        last, last_lc, last_mode = before
        if kind == "L":
            if seq <= last:
                self.contradictions.append(
                    (line, "TokenSequence", f"{name} has the number {seq} after {last}")
                )
            elif seq != last + 1:
                self.missing.append(
                    (
                        line,
                        "TokenSequence",
                        f"of {name} the numbers {last + 1} to {seq - 1} are missing",
                    )
                )
            if lc <= last_lc:
                self.contradictions.append(
                    (
                        line,
                        "TokenOrder",
                        f"{name} number {seq} has the clock {lc}, and number {last} has {last_lc}",
                    )
                )
        elif kind == "V":
            due = last + (mode in ("w", "cas+"))
            if seq < due:
                self.contradictions.append(
                    (
                        line,
                        "TokenSequence",
                        f"version {seq} of {name} is touched ({mode}) after version {last}",
                    )
                )
            elif seq > due:
                self.missing.append(
                    (
                        line,
                        "TokenSequence",
                        f"of {name} the writes {last + 1} to "
                        f"{seq - (mode != 'r' and mode != 'cas-')} are missing",
                    )
                )
        elif seq < last or (seq == last and mode == "r" and last_mode == "w"):
            self.contradictions.append(
                (
                    line,
                    "TokenSequence",
                    f"{name} is held ({mode}) at {seq} after {last} ({last_mode})",
                )
            )
        self.tokens[key] = max(seq, last), lc, mode


class Judging:
    """One trace taken event by event: the part that all who judge have in common, which is what is
    missing and what contradicts itself.

    A subclass says which kinds it ``understands`` and judges one event in ``step``. ``limit``:
    findings that are kept. ``cut``: of the footer; what lies beyond it is no evidence.
    """

    def __init__(
        self, header: Mapping[str, Any], limit: int = 100, cut: Mapping[str, int] | None = None
    ) -> None:
        self.header, self.limit, self.events = header, limit, 0
        self.shown = 0
        self.cut = Cut(cut)
        self.violations: list[Finding] = []
        self.violated = 0
        self.order = _Order()
        self.unknown: list[tuple[int, str, str]] = []

    @property
    def applied(self) -> Mapping[str, int]:
        """Name -> how often there was something to look at."""
        return {}

    def understands(self, kind: str) -> bool:
        raise NotImplementedError

    def step(self, line: int, event: Event) -> Refusal | None:
        """Judge one event and take it; what is refused is in ``violations`` afterwards."""
        raise NotImplementedError

    def lacking(self) -> list[Finding]:
        """What a subclass finds missing once all events are taken."""
        return []

    def take(self, line: int, event: Event) -> Refusal | None:
        """One event, in the order of the clocks."""
        self.events += 1
        self.order.look(line, event)
        if self.cut and self.cut.crossed(event):
            return None
        kind = event["k"]
        self.shown += kind not in CONTROL
        if kind == "drop":
            self.order.missing.append((line, "Dropped", f"{event['count']} events were lost here"))
        elif not self.understands(kind):
            self.unknown.append((line, "Kind", f"these rules know no {kind}"))
            return None
        return self.step(line, event)

    def end(
        self,
        footer: Mapping[str, Any] | None,
        tally: Tally | None = None,
        hashed: bool = True,
        ended: CutOff | None = None,
    ) -> Verdict:
        """The verdict, once all events are taken. ``tally``: of the file, where it is to be held
        against its footer; ``ended``: where the file breaks off."""
        missing = []
        if ended is not None:  # first of all: from it the gaps and what is open follow
            missing.append(
                Finding(
                    ended.line,
                    None,
                    "Footer",
                    f"{ended.said}: what is before it was looked at, and what came after is not "
                    "known",
                )
            )
        elif footer is None:
            missing.append(
                Finding(0, None, "Footer", "there is no footer: the recording was cut off")
            )
        missing += [
            Finding(line, None, name, message) for line, name, message in self.order.missing
        ]
        if self.header.get("capture", {}).get("mode") != "full":
            missing.append(Finding(1, None, "Capture", "only a sample was recorded"))
        missing += self.lacking()
        contradictions = [
            Finding(line, None, name, message)
            for line, name, message in self.order.contradictions + self.unknown
        ]
        if not self.events:
            missing.append(Finding(0, None, "Events", "there is no event"))
        if footer is not None:
            gone, wrong = self._against(footer, tally, hashed)
            missing += gone
            contradictions += wrong
        if self.events and not self.shown and not missing:
            missing.append(Finding(0, None, NOTHING, "there are starts and ends of threads alone"))
        verdict = (
            VIOLATES
            if self.violated
            else OUT_OF_MODEL
            if contradictions
            else VACUOUS
            if missing and all(each.property == NOTHING for each in missing)
            else INCOMPLETE
            if missing
            else CONFORMS
        )
        rest = (contradictions + missing)[: self.limit]
        return Verdict(verdict, self.events, (*self.violations, *rest), dict(self.applied))

    def _against(
        self, footer: Mapping[str, Any], tally: Tally | None, hashed: bool
    ) -> tuple[list[Finding], list[Finding]]:
        missing, wrong = [], []
        if footer["dropped"]:
            missing.append(
                Finding(
                    0, None, "Dropped", f"{footer['dropped']} events were dropped by the recorder"
                )
            )
        if footer["events"] > self.events:
            missing.append(
                Finding(
                    0,
                    None,
                    "Footer",
                    f"the footer counts {footer['events']} events, and there are {self.events}",
                )
            )
        elif footer["events"] < self.events:
            wrong.append(
                Finding(
                    0,
                    None,
                    "Footer",
                    f"the footer counts {footer['events']} events, and there are {self.events}",
                )
            )
        for tid, last in footer["per_thread_last_tseq"].items():
            seen = self.order.threads.get(int(tid), (0, 0))[0] if tid.isdigit() else 0
            if seen != last:
                (missing if seen < last else wrong).append(
                    Finding(
                        0,
                        None,
                        "Footer",
                        f"the last event of thread {tid} is {last} in the footer, and {seen} here",
                    )
                )
        for lost, said in (
            self.order.totals.against(footer["tokens"]) if footer.get("tokens") is not None else ()
        ):
            (missing if lost else wrong).append(Finding(0, None, "Footer", said))
        for key, last in (
            footer.get("per_token_last_seq") or {}
        ).items():  # of a minor version before 2
            seen = self.order.tokens.get(key, (-1,))[0]
            if seen != last:
                (missing if seen < last else wrong).append(
                    Finding(
                        0,
                        None,
                        "Footer",
                        f"the last number of {key} is {last} in the footer, and {max(seen, 0)} "
                        "here",
                    )
                )
        if (
            hashed
            and not missing
            and tally is not None
            and footer.get("sha256") not in (None, tally.sha256)
        ):
            wrong.append(
                Finding(
                    0,
                    None,
                    "Footer",
                    "the footer's sha256 is that of another header or of other events",
                )
            )
        return missing, wrong


class Replay(Judging):
    """One trace taken through the rules of the subject (``declared``)."""

    def __init__(
        self, header: Mapping[str, Any], limit: int = 100, cut: Mapping[str, int] | None = None
    ) -> None:
        super().__init__(header, limit, cut)
        kinds = header.get("capture", {}).get("kinds")
        rules, events = declared.part("rules"), declared.part("events")
        self.kinds, self.needs, self.spoken = rules.KINDS, rules.NEEDS, events.spoken
        self.state = rules.State(
            header.get("initial"),
            None if kinds is None else frozenset(kinds),
            header.get("config"),
            header.get("variant", ""),
        )
        self.unordered: dict[tuple[str, str], tuple[int, int]] = {}

    @property
    def applied(self) -> Mapping[str, int]:
        applied: Mapping[str, int] = self.state.applied
        return applied

    def understands(self, kind: str) -> bool:
        return kind in self.kinds

    def step(self, line: int, event: Event) -> Refusal | None:
        kind = event["k"]
        refusal: Refusal | None = self.state.judge(event)
        if refusal is not None:
            self.violated += 1
            if len(self.violations) < self.limit:
                able = tuple(self.spoken(each) for each in self.state.enabled(event))
                self.violations.append(
                    Finding(line, event, refusal.property, refusal.message, able)
                )
        elif kind in self.needs:
            exact = {
                token[1].partition(".")[0]
                for token in event.get("ord", ())
                if token[0] in ("L", "V") and len(token) == 4
            }
            for role in self.needs[kind]:
                if f"{role}:{event[role]}" not in exact:
                    at, times = self.unordered.get((kind, role), (line, 0))
                    self.unordered[kind, role] = at, times + 1
        self.state.apply(event)
        return refusal

    def end(
        self,
        footer: Mapping[str, Any] | None,
        tally: Tally | None = None,
        hashed: bool = True,
        ended: CutOff | None = None,
    ) -> Verdict:
        verdict = super().end(footer, tally, hashed, ended)
        if (
            verdict.verdict == CONFORMS and not self.cut
        ):  # only of a trace that is whole can it be said that something never happened
            left = tuple(
                Finding(0, None, refusal.property, refusal.message)
                for refusal in self.state.neglected()
            )
            if left:
                return Verdict(VIOLATES, verdict.events, left[: self.limit], verdict.applied)
        return verdict

    def lacking(self) -> list[Finding]:
        missing = [
            Finding(
                line,
                None,
                "Tokens",
                f"{times} events {kind} have no exact token of the {role}'s monitor: their order "
                "is not known",
            )
            for (kind, role), (line, times) in self.unordered.items()
        ]
        if self.events and not self.state.applied and not self.unknown:
            where = "before the footer's cut" if self.cut.beyond else "in these kinds of event"
            missing.append(
                Finding(
                    0, None, NOTHING, f"no rule has anything to look at {where}: nothing was shown"
                )
            )
        missing += [
            Finding(0, None, "Bracket", message) for message in self.state.open(self.cut.beyond)
        ]
        return missing


def key_of(event: Event) -> tuple[int, int, int]:
    """What events are sorted by."""
    return event["lc"], event["tid"], event["tseq"]


def in_order(events: Iterable[tuple[int, Event]]) -> Iterator[tuple[int, Event]]:
    """Events by their clocks: a file that is nearly so, as a recorder's is, passes through a heap
    of bounded size."""
    heap: list[tuple[tuple[int, int, int], int, Event]] = []
    last = (0, 0, 0)
    for line, event in events:
        item = (key_of(event), line, event)
        if item[0] < last:
            raise _Far
        if len(heap) < BUFFER:
            heapq.heappush(heap, item)
            continue
        key, at, first = heapq.heappushpop(heap, item)
        last = key
        yield at, first
    while heap:
        _, at, event = heapq.heappop(heap)
        yield at, event


class _Far(Exception):
    """An event comes too late for the heap."""


def reader_of(path: Path) -> Any:
    """A reader for a file by its name: Parquet, else JSON Lines."""
    if Path(path).suffix == ".parquet":
        from wheelproof.trace import parquet

        return parquet.Reader(path)
    return Reader(path)


Judge = Callable[..., Judging]
"""Makes who judges: ``judge(header, cut=...)``."""


def replay(path: Path, judge: Judge = Replay) -> Verdict:
    """The verdict on the trace in a file. Raises TraceError where the file is no trace at all."""
    reader = reader_of(path)
    try:
        return _replay(reader, in_order, judge)
    except _Far:
        return _replay(
            reader, lambda events: iter(sorted(events, key=lambda item: key_of(item[1]))), judge
        )


def _replay(
    reader: Any, ordered: Any, judge: Judge, limits: Mapping[str, int] | None = None
) -> Verdict:
    run, tally, cut = judge(reader.header, cut=limits), Tally(reader.header), []

    def counted() -> Iterator[tuple[int, Event]]:
        try:
            for line, event in reader:
                tally.count(event, reader.raw)  # most writers write the canonical line
                yield line, event
        except CutOff as error:
            cut.append(error)

    for line, event in ordered(counted()):
        run.take(line, event)
    if limits is None and reader.footer is not None and reader.footer.get("cut"):
        return _replay(
            reader, ordered, judge, reader.footer["cut"]
        )  # the footer comes last: once more, with what it says
    if (
        reader.footer is not None
        and reader.footer.get("sha256") not in (None, tally.sha256)
        and not cut
    ):
        tally = Tally(reader.header)
        for _, event in reader:
            tally.count(event)
    return run.end(reader.footer, tally, hashed=not reader.unknown, ended=cut[0] if cut else None)


def replay_events(
    header: Mapping[str, Any],
    events: Iterable[Event],
    footer: Mapping[str, Any] | None,
    judge: Judge = Replay,
) -> Verdict:
    """The verdict on events at hand, numbered from line 2 on as in a file."""
    run = judge(header, cut=(footer or {}).get("cut"))
    for line, event in sorted(enumerate(events, 2), key=lambda item: key_of(item[1])):
        run.take(line, event)
    return run.end(footer)
