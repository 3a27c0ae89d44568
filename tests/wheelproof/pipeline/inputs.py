"""The traces that one check of Spark judges for all tests: conforming, changed and in many forms.

A check of a few events costs Spark seconds of planning for each family, however few the events are.
So the tests of a session share one check, and each looks at its own runs.
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
import optional
import planted
import purgatory
from checked import Event, Trace, footer_of

from benchmarks import mutations
from benchmarks.simulate import Simulator
from benchmarks.simulated_log import header
from wheelproof.trace.format import jsonl, parquet
from wheelproof.trace.format.tally import line_of

SEED, OPERATIONS = 19, 10
"""Of the smallest simulated run that has every kind of event of a timer and its operations."""

SAMPLE = 6
"""Changed traces, drawn from all that there are, beside those that together break every rule.

``score.py`` beside this goes through all of them."""

GOLDEN = Path(__file__).parents[1] / "trace" / "golden"
"""Recordings of the implementation, conforming and of mutants."""


@dataclass
class Inputs:
    """What is in a folder. ``known``: run -> its trace, of every run that is not in many files.

    ``changed``: name -> a changed trace; ``broken``: what the rules say of each in memory;
    ``sample``: the runs that are changed or planted; ``layouts``: name -> the runs of one trace.
    """

    folder: Path
    conforming: list[Event]
    changed: dict[str, tuple[list[Event], Mapping[str, object]]]
    broken: dict[str, set[str]]
    sample: dict[str, Trace]
    known: dict[str, Trace] = field(default_factory=dict)
    layouts: dict[str, list[str]] = field(default_factory=dict)
    optional: list[str] = field(default_factory=list)


def changed_traces(conforming: list[Event]) -> dict[str, tuple[list[Event], Mapping[str, object]]]:
    """Changed traces by name, with their footers: of a log the one that was right before."""
    whole = footer_of(header(""), conforming)
    whole.pop("sha256")
    out = {}
    for style in mutations.STYLES:
        for kind, operator, seed, events in mutations.all_mutants(conforming, style):
            footer = whole if style == "log" else footer_of(header(""), events)
            out[f"{style}-{kind}-{operator}-{seed}"] = events, footer
    return out


def _sample(inputs: Inputs) -> dict[str, Trace]:
    """A few changed traces that together break as many rules as all of them do, some more, and one
    with a planted fault for each other rule."""
    changed, broken = inputs.changed, inputs.broken
    left, names = set().union(*broken.values()), []
    while left:
        names.append(max(sorted(broken), key=lambda name: len(left & broken[name])))
        left -= broken[names[-1]]
    names += random.Random(1).sample(sorted(changed.keys() - set(names)), SAMPLE)
    return (
        {name: (header(name), *changed[name]) for name in names}
        | {trace[0]["run_id"]: trace for trace in planted.faults(inputs.conforming).values()}
        | planted.of_purgatory()
    )


def write(folder: Path) -> Inputs:
    """Put all traces into a folder."""
    conforming = Simulator(SEED, OPERATIONS).run()
    changed = changed_traces(conforming)
    broken = {
        name: {*checked.rules(header(name), footer, events)}
        for name, (events, footer) in changed.items()
    }
    inputs = Inputs(folder, conforming, changed, broken, {})
    inputs.sample = _sample(inputs)
    _write_forms(inputs)
    for file in sorted(GOLDEN.glob("*.jsonl")):
        shutil.copy(file, folder)
        reader = jsonl.Reader(file)
        events = [event for _, event in reader]
        inputs.known[reader.header["run_id"]] = reader.header, events, reader.footer
    kinds = purgatory.every_kind(purgatory.Purgatory(3, OPERATIONS).run())
    jsonl.write(folder / "every_kind.jsonl", header("every_kind"), kinds)
    inputs.known["every_kind"] = header("every_kind"), kinds, footer_of(header(""), kinds)
    left_out = optional.runs(conforming, 1)
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
