"""The graphs that a reader steps through by choice, as data of the page.

A graph is compressed: the script of the page unpacks one when a reader opens it.
"""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Mapping
from dataclasses import dataclass

from markupsafe import Markup

from wheelproof.choices import shown
from wheelproof.counterexample.document import Counterexample
from wheelproof.counterexample.places import plain
from wheelproof.counterexample.stepping import Stepping
from wheelproof.project.mechanism import Mechanism
from wheelproof.report.page.excerpts import Excerpts


@dataclass(frozen=True)
class Packed:
    """A graph in the page."""

    id: str
    """Mechanism, scenario and the decision that is taken away, as its address has them."""
    states: int
    edges: int
    content: Markup
    """JSON, compressed by zlib, in base64."""


def pack(
    graphs: Mapping[tuple[str, str], Stepping],
    mechanisms: Mapping[str, Mechanism],
    excerpts: Excerpts,
) -> dict[tuple[str, str], Packed]:
    """The graphs of the page, by mechanism and scenario."""
    return {
        key: _pack("/".join(key), graph, mechanisms[graph.mechanism], excerpts)
        for key, graph in graphs.items()
        if graph.mechanism in mechanisms
    }


def entry(
    trace: Counterexample, graphs: Mapping[tuple[str, str], Stepping]
) -> tuple[str, tuple[int, ...]]:
    """The graph that a counterexample leads into, and its steps there; ("", ()) for none."""
    name = "/".join(filter(None, (trace.scenario, trace.model_without)))
    graph = graphs.get((trace.mechanism, name))
    if graph is None:
        return "", ()
    steps = ((step.thread, shown(step.named)) for step in trace.steps)
    return f"{trace.mechanism}/{name}", graph.choices(steps)


def _pack(id: str, graph: Stepping, mechanism: Mechanism, excerpts: Excerpts) -> Packed:
    document, decisions = graph.document(), (graph.without, graph.without)
    about = str(mechanism.scenarios.get(graph.scenario, {}).get("about", ""))
    document |= {
        "about": f"{about}; without {graph.without}" if graph.without else about,
        "values": [plain(value) for value in graph.values],
        "kinds": [
            [
                kind.name,
                kind.kind,
                *excerpts.of_step(graph.mechanism, kind.label, kind.source, *decisions),
            ]
            for kind in graph.labels
        ],
        "says": {item.name: item.says for item in mechanism.properties.values()},
    }
    del document["labels"]
    text = json.dumps(document, separators=(",", ":"))
    return Packed(
        id,
        len(graph.edges),
        sum(len(row) for row in graph.edges) // 3,
        Markup(base64.b64encode(zlib.compress(text.encode(), 9)).decode()),
    )
