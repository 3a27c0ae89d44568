"""A recording from beginning to end: a scenario run, its events put in order, and the header and
footer that belong to them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from pathlib import Path

from wheelproof.project.mechanism import Mechanism
from wheelproof.protocols import Scenario, programs
from wheelproof.trace import declared
from wheelproof.trace.format import jsonl
from wheelproof.trace.format.event import Event
from wheelproof.trace.format.heads import Footer, Header
from wheelproof.trace.format.origin import origin
from wheelproof.trace.format.schema import MINOR, SCHEMA
from wheelproof.trace.format.tally import Tally
from wheelproof.trace.recording.loading import Traced
from wheelproof.trace.recording.runs import run_by, run_freely

LONGEST_PROGRAM = 5_000
"""Operations of a run up to which the header lists them: the model's own
steps are not followed through longer ones."""


class Recorded:
    """A trace. Its events are made from the records each time that they are read; ``events``
    and ``footer`` keep them."""

    def __init__(
        self, header: Header, make: Callable[[], Iterable[Event]], dropped: int = 0
    ) -> None:
        self.header, self.dropped = header, dropped
        self._make = make

    @property
    def mutant(self) -> str:
        """The decision that the implementation lacked; empty for the implementation as it is."""
        return str(self.header["producer"].get("build", "")).removeprefix("mutant ")

    @cached_property
    def events(self) -> list[Event]:
        return list(self._make())

    @cached_property
    def footer(self) -> Footer:
        tally = Tally(self.header)
        for event in self.events:
            tally.count(event)
        return tally.footer(self.dropped)

    def write(self, path: Path) -> None:
        """As JSON Lines, event by event: a long recording is never in memory as a whole. Raises
        ToolError."""
        jsonl.write(path, self.header, self._make(), dropped=self.dropped)


def record(
    mechanisms: Mapping[str, Mechanism],
    mechanism: str,
    scenario: str | Scenario,
    run_id: str,
    *,
    mutant: str | None = None,
    schedule: Iterable[tuple[str, str]] | None = None,
    kinds: Iterable[str] | None = None,
) -> Recorded:
    """Run a scenario on real threads and record it.

    ``scenario``: its name in the TOML, or one of the same form. ``mutant``: the decision that the
    implementation lacks. ``schedule``: (thread, label) of every step that is not silent; None: the
    threads run freely. ``kinds``: of the events that are recorded; None: all that the label tables
    name. Raises UsageError and ToolError as :class:`~wheelproof.trace.recording.loading.Traced`
    does.
    """
    subject = Traced(mechanisms, mechanism, mutant, kinds, by_schedule=schedule is not None)
    program = subject.mechanism.scenarios[scenario] if isinstance(scenario, str) else scenario
    harness = subject.set_up(program)
    recorder = subject.recorder
    translator = declared.part("translator")
    names = translator.named(recorder, harness.names, program)
    initial, config = translator.initial_of(recorder), translator.config_of(recorder)
    recorder.begin()
    if schedule is None:
        run_freely(subject, program, harness)
    else:
        run_by(subject, schedule, program, harness)
    recorder.end()
    translation = translator.Translator(recorder)
    sources, numbers = translation.sources, translation.numbers()
    header: Header = {
        "schema": SCHEMA,
        "schema_minor": MINOR,
        "run_id": run_id,
        **origin(subject.mechanism, mutant or ""),
        "variant": translator.variant_of(recorder) or mutant or "",
        **({"config": config} if config else {}),
        "clock": {"kind": "none", "virtual": True},
        "threads": {str(tid): log.name for tid, log in enumerate(recorder.logs, 1)},
        "capture": {"mode": "full"} if kinds is None else {"mode": "full", "kinds": sorted(kinds)},
        "sources": sources,
        "names": names | numbers,
        "initial": initial,
    }
    if sum(map(len, programs(program).values())) <= LONGEST_PROGRAM:
        header["program"] = {name: value for name, value in program.items() if name != "about"}
    return Recorded(
        header,
        lambda: translator.Translator(recorder).events(),
        sum(log.dropped for log in recorder.logs),
    )
