"""The page as text: the index is HTML, the counterexamples are data for the stepper.

Made from results, the project's declarations, counterexamples and a check of traces only; equal
input gives equal bytes.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Iterable, Mapping
from importlib import resources
from itertools import groupby
from pathlib import Path
from typing import Any
from urllib.parse import quote

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from wheelproof.choices import shown
from wheelproof.console import visible
from wheelproof.counterexample import columns, deadlock
from wheelproof.counterexample.document import Counterexample
from wheelproof.counterexample.explored import Explored
from wheelproof.counterexample.holding import holds
from wheelproof.counterexample.notified import wake_ups
from wheelproof.counterexample.numbering import addresses, count
from wheelproof.counterexample.places import plain
from wheelproof.counterexample.stepping import Stepping
from wheelproof.counterexample.wait_graph import wait_graph
from wheelproof.decisions import Decision
from wheelproof.project.mechanism import Mechanism
from wheelproof.report import contents
from wheelproof.report.causes import causes, named
from wheelproof.report.contents import Claim, Part, Taken
from wheelproof.report.page import orders as order_grids
from wheelproof.report.page import pictures, stepped, wait_picture
from wheelproof.report.page.excerpts import Excerpts
from wheelproof.report.recorded import FILE, Recorded
from wheelproof.report.terminal import command, reason, verdict_line
from wheelproof.verdict import LAYERS, Results, Row, exit_code

WIDEST = 12
"""The bar of the deepest counterexample, in rem."""

SCRIPTS = ("common.js", "stepper.js", "explorer.js", "index.js")
"""The parts of the page's script, in their order."""

TEXT_WIDTH = 110
"""Columns of the text that stands for a finding where no script runs."""


def render(
    results: Results,
    mechanisms: Mapping[str, Mechanism],
    traces: Mapping[str, Counterexample],
    root: Path,
    output: Path,
    recorded: Recorded | str | None = None,
    orders: Mapping[str, Explored] | None = None,
    graphs: Mapping[tuple[str, str], Stepping] | None = None,
) -> str:
    """The HTML text. Arguments: as of :func:`wheelproof.report.review.render`.

    ``recorded``: a check of traces, as :func:`wheelproof.report.recorded.read` gives it.
    ``graphs``: those to be stepped through, by mechanism and scenario.
    """
    parts = contents.parts(results, mechanisms)
    rows = {row.trace: row for row in results.rows if row.trace in traces}
    ids = {part.name: f"mechanism-{number}" for number, part in enumerate(parts, 1)}
    excerpts = Excerpts(root, mechanisms)
    title = f"Design review: {verdict_line(results).plain}"
    steps = {
        name: _steps(trace, rows[name], excerpts, output, ids)
        | dict(zip(("graph", "path"), stepped.entry(trace, graphs or {}), strict=True))
        for name, trace in traces.items()
        if name in rows
    }
    depths = [depth for part in parts for run in part.runs for depth in _depths(run)]
    deepest = max(depths, default=1)
    packs = stepped.pack(graphs or {}, mechanisms, excerpts)
    *scripts, style = (
        resources.files(__package__).joinpath(name).read_text(encoding="utf-8")
        for name in (*SCRIPTS, "style.css")
    )
    script = "".join(scripts)
    environment = Environment(
        loader=PackageLoader(__package__, ""),
        undefined=StrictUndefined,
        autoescape=True,
        finalize=_as_text,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.get_template("page.html.j2").render(
        results=results,
        title=title,
        verdict=verdict_line(results).plain,
        code=exit_code(results.rows),
        parts=parts,
        ids=ids,
        layers=_layers(parts),
        unchecked=contents.unchecked(results, mechanisms),
        findings=causes(results.rows),
        named=named,
        reason=reason,
        texts=_texts(results.rows, traces, root, output),
        traces=steps,
        graphs=packs,
        orders=order_grids.grids(orders or {}),
        waits=_waits(traces, steps),
        words=wait_picture.WORDS,
        tools=sorted(results.tools.items()),
        cell=_cell,
        decisions=_decisions,
        figures=contents.figures,
        pictures=pictures,
        recorded=recorded,
        recorded_file=FILE,
        link=_link,
        depth=_depth,
        width=lambda run: f"{WIDEST * max(_depths(run), default=0) / deepest:.2f}",
        style=Markup(style),
        script=Markup(script),
        script_hash=_hash(script),
        data={f"trace:{name}": _json(trace) for name, trace in steps.items()}
        | {"excerpts": _json(excerpts.found)},
    )


def _as_text(value: Any) -> Any:
    """Control characters as escapes; line ends stay."""
    if isinstance(value, Markup) or not isinstance(value, str):
        return value
    return "\n".join(map(visible, value.split("\n")))


def _json(value: Any) -> Markup:
    """JSON that cannot end the element in which it stands."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    text = text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")
    return Markup(text)


def _hash(text: str) -> str:
    """The value by which the page's security policy names its own script."""
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _link(trace: str) -> str:
    return f"#trace={quote(trace, safe='')}"


def _layers(parts: Iterable[Part]) -> list[str]:
    """The layers that have rows, in order."""
    ran = {claim.layer: None for part in parts for claim in part.claims}
    return [layer for layer in LAYERS if layer in ran] + [
        layer for layer in ran if layer not in LAYERS
    ]


def _cell(part: Part, layer: str) -> Claim | None:
    return next((claim for claim in part.claims if claim.layer == layer), None)


def _decisions(part: Part) -> list[tuple[Decision, list[Taken]]]:
    return [
        (group[0].decision, group)
        for _, same in groupby(part.runs, key=lambda run: run.decision.name)
        if (group := list(same))
    ]


def _depths(run: Taken) -> list[int]:
    return [depth for depth in run.depths.values() if isinstance(depth, int)]


def _depth(run: Taken) -> str:
    """The length of the shortest counterexamples of specification, model and implementation."""
    depths = list(dict.fromkeys(_depths(run)))
    return f" after {' / '.join(map(str, depths))} steps" if depths else ""


def _texts(
    rows: Iterable[Row], traces: Mapping[str, Counterexample], root: Path, output: Path
) -> dict[str, str]:
    """The findings as columns of text."""
    links = {}
    for row in rows:
        if row.trace is not None and not row.ok and row.trace in traces:
            lines = columns.render(traces[row.trace], TEXT_WIDTH, root, str(output / row.trace))
            links[row.trace] = "\n".join(line.plain for line in lines)
    return links


def _waits(
    traces: Mapping[str, Counterexample], paths: Iterable[str]
) -> dict[str, wait_picture.Picture]:
    """The pictures of those that end in a deadlock."""
    graphs = {name: wait_graph(traces[name]) for name in paths}
    return {name: wait_picture.picture(graph) for name, graph in graphs.items() if graph}


def _steps(
    trace: Counterexample,
    row: Row,
    excerpts: Excerpts,
    output: Path,
    ids: Mapping[str, str],
) -> dict[str, Any]:
    """A counterexample as the stepper reads it."""
    moving = {step.thread for step in trace.steps}
    sources = excerpts.of_trace(trace)
    return {
        "title": row.title(),
        "ok": row.ok,
        "section": ids.get(row.mechanism, ""),
        "property": trace.property,
        "length": columns.describe(trace),
        "scenario": trace.scenario,
        "without": trace.impl_without or trace.model_without,
        "explanation": (f"{columns.DECLARED} " if trace.is_declared() else "") + trace.explanation,
        "command": command("replay", output, str(row.trace)),
        "threads": [thread for thread in trace.threads if thread in moving],
        "idle": [thread for thread in trace.threads if thread not in moving],
        "initial": {place: plain(value) for place, value in trace.initial.items()},
        "count": count(trace.steps),
        "steps": [
            {
                "at": at,
                "thread": step.thread,
                "label": shown(step.named),
                "kind": step.kind,
                "source": step.source or "",
                "spec": spec,
                "code": code,
                "changes": {
                    place: list(map(plain, values)) for place, values in step.changes.items()
                },
                "access": step.access,
            }
            for step, at, (spec, code) in zip(
                trace.steps, addresses(trace.steps), sources, strict=True
            )
        ],
        "loop": trace.loop,
        "holds": [[hold.thread, hold.place, hold.first, hold.last] for hold in holds(trace)],
        "wakes": [[pair.notified, pair.woken] for pair in wake_ups(trace)],
        "waits": [*map(plain, trace.says), *deadlock.waiting(trace)],
        "end": columns.outcome(trace),
    }
