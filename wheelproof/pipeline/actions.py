"""Coverage of the specifications' actions: which labels the events of traces came from, and which
that would show in a trace no event came from.

An event's ``src`` is an index into its header's ``sources``, each "path:line label". The label is
that of the mechanism that the file is named after, as everywhere in a project. A producer in
another language may write the same texts with its own paths; one that writes none is not counted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from wheelproof.pipeline.document import Actions
    from wheelproof.project.mechanism import Mechanism
    from wheelproof.trace.format.heads import Header

Table = Mapping[str, frozenset[str]]
"""Mechanism -> its labels that show in a trace, as events."""


def table(mechanisms: Mapping[str, Mechanism]) -> Table:
    """The labels that bear an event, of a project's mechanisms."""
    return {
        name: frozenset(label.name for label in mechanism.labels.values() if label.event)
        for name, mechanism in mechanisms.items()
    }


def action(source: str) -> tuple[str, str] | None:
    """(mechanism, label) of one of a header's sources; None where it has no label."""
    place, _, label = source.rpartition(" ")
    return (
        (PurePosixPath(place.rpartition(":")[0] or place).stem, label) if place and label else None
    )


def counted(
    sources: Mapping[tuple[int, int], int], headers: Mapping[int, Header]
) -> Counter[tuple[str, str]]:
    """Events by action. ``sources``: events by (run, src); ``headers``: by run. An index that a
    header does not have counts for nothing."""
    counts: Counter[tuple[str, str]] = Counter()
    for (run, src), count in sources.items():
        texts = headers[run].get("sources") or ()
        pair = action(str(texts[src])) if 0 <= src < len(texts) else None
        if pair is not None:
            counts[pair] += count
    return counts


def summary(counts: Mapping[tuple[str, str], int], labels: Table) -> dict[str, Actions]:
    """Plain data, of each mechanism that some event came from: ``taken`` (label -> events) and
    ``untaken`` (labels that no event came from).

    Labels that are in no table are counted too: those of a project that is not here.
    """
    out: dict[str, Actions] = {}
    for (mechanism, label), count in sorted(
        counts.items(), key=lambda item: (item[0][0], order(item[0][1]))
    ):
        out.setdefault(mechanism, {"taken": {}, "untaken": []})["taken"][label] = count
    for mechanism, actions in out.items():
        actions["untaken"] = sorted(
            labels.get(mechanism, frozenset()) - set(actions["taken"]), key=order
        )
    return out


def order(label: str) -> tuple[str, int, str]:
    """Labels as people read them: A2 before A10."""
    letters = label.rstrip("0123456789")
    return letters, int(label[len(letters) :] or 0), label


def lines(mechanisms: Mapping[str, Actions]) -> Iterable[str]:
    """The printed lines of a summary."""
    for mechanism, row in mechanisms.items():
        total = len(row["taken"]) + len(row["untaken"])
        never = f"; never {', '.join(row['untaken'])}" if row["untaken"] else ""
        yield f"actions of {mechanism}: {len(row['taken'])} of {total} that show in a trace{never}"
