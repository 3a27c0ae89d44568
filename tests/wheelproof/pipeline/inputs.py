"""The traces that one check of Spark judges for all tests: conforming, changed and in many forms.

A check of a few events costs Spark seconds of planning for each family, however few the events are.
So the tests of a session share one check, and each looks at its own runs. By day the traces are few
and so are the families; by night they are all.
"""

from __future__ import annotations

import gzip
import json
import random
import shutil
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import checked
import layouts
import one_step_timer
import optional
import planted
import planted_purgatory
import purgatory
import pytest
from checked import Event, Trace, footer_of

from benchmarks import mutations
from benchmarks.simulate import Simulator
from benchmarks.simulated_log import header
from tests.nights import by_night
from traces.bulk import FAMILIES
from wheelproof.pipeline.rule import Family
from wheelproof.trace.format import jsonl, parquet
from wheelproof.trace.format.tally import line_of

SEED, OPERATIONS = 19, 10
"""Of the smallest simulated run that has every kind of event of a timer and its operations."""

SAMPLE = 6
"""Changed traces, drawn from all that there are, beside those that together break every rule.

``score.py`` beside this goes through all of them."""

GOLDEN = Path(__file__).parents[1] / "trace" / "golden"
"""Recordings of the implementation, conforming and of mutants."""

FEW_FAMILIES = ("rows", "entries", "tokens")
"""Families of unlike rows: an event alone, the events of an entry, the tokens of all events."""

FEW_CHANGED = (
    "log-bucket_expiry_set-retime-0",
    "log-cancel-swap-0",
    "log-dq_offer-drop-0",
    "log-list_add-duplicate-0",
    "log-list_add-retarget-0",
    "log-list_remove-retarget-0",
    "log-list_remove-retime-0",
    "log-op_new-swap-0",
    "behaviour-bucket_expiry_set-retime-0",
    "behaviour-entry_new-retime-0",
    "behaviour-expire_submit-retarget-0",
    "behaviour-set_entry-retarget-0",
    "behaviour-try_end-swap-0",
    "behaviour-wheel_place-retime-0",
    "behaviour-wheel_reject-retarget-0",
)
FEW_PLANTED = (
    "planted-ExpiresNotEarly",
    "planted-FirstAttemptWins",
    "planted-KeyAligned",
    "planted-KeyChangeSeen",
    "planted-LevelBound",
    "planted-NotEarly",
    "planted-PolledWhenReady",
    "planted-RetrySeesOwner",
    "planted-TokenEnd",
    "cleared_while_linked",
    "timed_twice",
    "runs_though_cancelled",
    "purgatory",
    "removing",
    one_step_timer.SOUND,
)
"""What breaks all rules of these families together, and sound runs."""

FEW_RECORDED = ("mutant_M2", "mutant_M9", "readd", "two_adders")

WITH_ALL = pytest.mark.parametrize("inputs", [by_night("all")], indirect=True)
"""A test that needs all traces and families, and so is the night's."""


@dataclass
class Inputs:
    """What is in a folder, and the families of which it is checked.

    ``recorded``: names of the recordings. ``known``: run -> its trace, of every run that is not in
    many files.

    ``changed``: name -> a changed trace; ``broken``: the rules that each breaks on DuckDB;
    ``sample``: the runs that are changed or planted; ``layouts``: name -> the runs of one trace.
    """

    folder: Path
    families: tuple[Family, ...]
    conforming: list[Event]
    changed: dict[str, tuple[list[Event], Mapping[str, object]]]
    broken: dict[str, set[str]]
    sample: dict[str, Trace]
    known: dict[str, Trace] = field(default_factory=dict)
    recorded: list[str] = field(default_factory=list)
    layouts: dict[str, list[str]] = field(default_factory=dict)
    optional: list[str] = field(default_factory=list)

    @property
    def few(self) -> bool:
        """Whether they are those of the day."""
        return len(self.families) < len(FAMILIES)


def changed_traces(conforming: list[Event]) -> dict[str, tuple[list[Event], Mapping[str, object]]]:
    """Changed traces by name, with their footers: of a log the one that was right before."""
    return _with_footers(
        conforming,
        {
            f"{style}-{kind}-{operator}-{seed}": events
            for style in mutations.STYLES
            for kind, operator, seed, events in mutations.all_mutants(conforming, style)
        },
    )


def _with_footers(
    conforming: list[Event], changed: Mapping[str, list[Event]]
) -> dict[str, tuple[list[Event], Mapping[str, object]]]:
    whole = footer_of(header(""), conforming)
    whole.pop("sha256")
    return {
        name: (events, whole if name.startswith("log-") else footer_of(header(name), events))
        for name, events in changed.items()
    }


def _few_changed(
    conforming: list[Event],
) -> dict[str, tuple[list[Event], Mapping[str, object]]]:
    out = {}
    for name in FEW_CHANGED:
        style, kind, operator, seed = name.split("-")
        events = mutations.mutate(conforming, kind, operator, style, int(seed))
        assert events is not None, name
        out[name] = events
    return _with_footers(conforming, out)


def _planted(conforming: list[Event]) -> dict[str, Trace]:
    """Runs with planted faults, and the sound ones beside them."""
    faults = planted.faults(conforming).values()
    return (
        {trace[0]["run_id"]: trace for trace in faults}
        | planted_purgatory.of_purgatory()
        | one_step_timer.traces()
    )


def _few_sampled(inputs: Inputs) -> dict[str, Trace]:
    planted_ones = _planted(inputs.conforming)
    return {name: (header(name), *changed) for name, changed in inputs.changed.items()} | {
        name: planted_ones[name] for name in FEW_PLANTED
    }


def _sample(inputs: Inputs) -> dict[str, Trace]:
    """A few changed traces that together break as many rules as all of them do, some more, and one
    with a planted fault for each other rule."""
    changed, broken = inputs.changed, inputs.broken
    left, names = set().union(*broken.values()), []
    while left:
        names.append(max(sorted(broken), key=lambda name: len(left & broken[name])))
        left -= broken[names[-1]]
    names += random.Random(1).sample(sorted(changed.keys() - set(names)), SAMPLE)
    return {name: (header(name), *changed[name]) for name in names} | _planted(inputs.conforming)


def write(folder: Path, which: str) -> Inputs:
    """Put traces into a folder: "few" or "all"."""
    few = which == "few"
    conforming = Simulator(SEED, OPERATIONS).run()
    changed = _few_changed(conforming) if few else changed_traces(conforming)
    traces = [(header(name), events, footer) for name, (events, footer) in changed.items()]
    answers = checked.judge(traces)
    broken = {name: {*answer.broken} for name, answer in zip(changed, answers, strict=True)}
    families = tuple(family for family in FAMILIES if not few or family.name in FEW_FAMILIES)
    inputs = Inputs(folder, families, conforming, changed, broken, {})
    inputs.sample = _few_sampled(inputs) if few else _sample(inputs)
    _write_forms(inputs)
    inputs.recorded = sorted(
        file.stem for file in GOLDEN.glob("*.jsonl") if not few or file.stem in FEW_RECORDED
    )
    for name in inputs.recorded:
        file = GOLDEN / f"{name}.jsonl"
        shutil.copy(file, folder)
        reader = jsonl.Reader(file)
        events = [event for _, event in reader]
        inputs.known[reader.header["run_id"]] = reader.header, events, reader.footer
    kinds = purgatory.every_kind(purgatory.Purgatory(3, OPERATIONS).run())
    jsonl.write(folder / "every_kind.jsonl", header("every_kind"), kinds)
    inputs.known["every_kind"] = header("every_kind"), kinds, footer_of(header("every_kind"), kinds)
    left_out = {} if few else optional.runs(conforming, 1)
    inputs.optional = sorted(left_out)
    traces = inputs.sample | {
        name: (header(name), events, footer_of(header(name), events))
        for name, events in left_out.items()
    }
    for name, (head, events, footer) in traces.items():
        parquet.write(folder / f"{name}.parquet", head, events, footer)
    inputs.known |= traces
    inputs.layouts = layouts.write(folder)
    return inputs


def _write_forms(inputs: Inputs) -> None:
    """The conforming trace in each form, one that is cut short, one with lines that are no
    events."""
    root, conforming = inputs.folder, inputs.conforming
    jsonl.write(root / "conforming.jsonl", header("conforming"), conforming)
    jsonl.write(root / "packed.jsonl.gz", header("packed"), conforming)
    parquet.write(root / "columns.parquet", header("columns"), conforming)
    for name in ("conforming", "columns"):
        inputs.known[name] = header(name), conforming, footer_of(header(name), conforming)
    parts = root / "in_parts"
    parts.mkdir()
    (parts / "header.json").write_text(json.dumps(header("in_parts")))
    (parts / "footer.json").write_text(json.dumps(footer_of(header("in_parts"), conforming)))
    shuffled = random.Random(7).sample(conforming, len(conforming))
    lines = [line_of(event) for event in shuffled]
    (parts / "b.jsonl").write_bytes(b"".join(lines[:300]))
    with gzip.open(parts / "a.jsonl.gz", "wb") as packed:
        packed.write(b"".join(lines[300:]))
    text = (root / "conforming.jsonl").read_text().splitlines()
    text[0] = json.dumps(header("bad_lines"))
    text[10:10] = [
        "{ no json",
        text[10].replace('"k":"', '"k":"un'),
        text[11].replace('"tseq":', '"tseq":"1","was":'),
        "",
    ]
    (root / "bad_lines.jsonl").write_text("\n".join(text) + "\n")
    jsonl.write(root / "cut_short.jsonl", header("cut_short"), conforming[:200], footer=None)
