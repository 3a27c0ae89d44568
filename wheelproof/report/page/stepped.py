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

from wheelproof.counterexample.places import plain
from wheelproof.counterexample.stepping import Stepping
from wheelproof.project.mechanism import Mechanism
from wheelproof.report.page.excerpts import Excerpts


@dataclass(frozen=True)
class Packed:
    """A graph in the page."""

    id: str
    """Mechanism and scenario, as its address has them."""
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
        key: _packed(graph, mechanisms[graph.mechanism], excerpts)
        for key, graph in graphs.items()
        if graph.mechanism in mechanisms
    }


def _packed(graph: Stepping, mechanism: Mechanism, excerpts: Excerpts) -> Packed:
    document = graph.document()
    about = mechanism.scenarios.get(graph.scenario, {}).get("about", "")
    document |= {
        "about": str(about),
        "values": [plain(value) for value in graph.values],
        "kinds": [
            [kind.name, kind.kind, *excerpts.of_step(graph.mechanism, kind.label, kind.source)]
            for kind in graph.labels
        ],
        "says": {item.name: item.says for item in mechanism.properties.values()},
    }
    del document["labels"]
    text = json.dumps(document, separators=(",", ":"))
    return Packed(
        f"{graph.mechanism}/{graph.scenario}",
        len(graph.edges),
        sum(len(row) for row in graph.edges) // 3,
        Markup(base64.b64encode(zlib.compress(text.encode(), 9)).decode()),
    )
