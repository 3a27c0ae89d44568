"""A recording from beginning to end: a scenario run, its events put in order, and the header and footer that belong to them."""
from __future__ import annotations

import hashlib
import platform
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any

from wheelproof.subject import Mechanism
from wheelproof.trace import jsonl, timer
from wheelproof.trace.recording import Traced
from wheelproof.trace.schema import MINOR, SCHEMA


@dataclass(frozen=True)
class Recorded:
    """A trace at hand."""

    header: dict[str, Any]
    events: list[dict[str, Any]]
    footer: dict[str, Any]

    def write(self, path: Path) -> None:
        """As JSON Lines. Raises ToolError."""
        jsonl.write(path, self.header, self.events, self.footer)


def record(mechanisms: Mapping[str, Mechanism], stem: str, scenario: str | Mapping[str, Any], run_id: str, *, mutant: str | None = None,
           schedule: Iterable[tuple[str, str]] | None = None, kinds: Iterable[str] | None = None) -> Recorded:
    """Run a scenario on real threads and record it.

    ``scenario``: its name in the TOML, or one of the same form. ``mutant``: a class of the mutants' module. ``schedule``: (thread,
    label) of every step that is not silent; None: the threads run freely. ``kinds``: what is recorded; None: all that the
    label tables name. Raises UsageError and ToolError as :class:`~wheelproof.trace.recording.Traced` does.
    """
    traced = Traced(mechanisms, stem, mutant, kinds, directed=schedule is not None)
    program = traced.mechanism.scenarios[scenario] if isinstance(scenario, str) else scenario
    world = traced.set_up(program)
    recorder = traced.recorder
    names = timer.named(recorder, world.names)
    initial, config = timer.initial_of(recorder), timer.config_of(recorder)
    recorder.begin()
    if schedule is None:
        traced.run_freely(program, world)
    else:
        traced.run_by(schedule, program, world)
    recorder.end()
    translator = timer.Translator(recorder)
    events = list(translator.events())
    spec = traced.mechanism.spec
    header = {
        "schema": SCHEMA, "schema_minor": MINOR, "run_id": run_id,
        "producer": {"name": "wheelproof", "version": metadata.version("wheelproof"), "lang": f"Python {platform.python_version()}"},
        "spec": {"module": traced.mechanism.module, "sha256": hashlib.sha256(spec.read_bytes()).hexdigest()},
        "variant": mutant or "", **({"config": config} if config else {}), "clock": {"kind": "none", "virtual": True},
        "threads": {str(tid): log.name for tid, log in enumerate(recorder.logs, 1)},
        "capture": {"mode": "full"} | ({} if kinds is None else {"kinds": sorted(kinds)}),
        "sources": translator.sources, "names": names, "initial": initial,
    }
    tally = jsonl.Tally(header)
    for event in events:
        tally.count(event)
    return Recorded(header, events, tally.footer(sum(log.dropped for log in recorder.logs)))
