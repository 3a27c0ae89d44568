"""New numbers for events of which some are gone."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar, cast

from wheelproof.trace.format import schema
from wheelproof.trace.format.event import Event, columns

E = TypeVar("E", bound=Event)


def renumbered(events: Iterable[E]) -> list[E]:
    """Events with dense numbers: those of threads, clocks, tokens. Brackets that are no longer
    there are no parents."""
    threads: dict[int, int] = {}
    tokens: dict[tuple[str, str], int] = {}
    spans: set[int] = set()
    out: list[Event] = []
    for lc, old in enumerate(events, 1):
        event: Event = old.copy()
        threads[event["tid"]] = tseq = threads.get(event["tid"], 0) + 1
        event["tseq"], event["lc"] = tseq, lc
        if "span" in event:
            spans.add(event["span"])
        if event.get("parent") not in spans:
            event.pop("parent", None)
        order = []
        for token in event.get("ord", ()):
            kind, name, seq, mode = token[:4]
            if kind != "RW":
                tokens[kind, name] = seq = tokens.get((kind, name), 0) + (
                    kind == "L" or mode in ("w", "cas+")
                )
            order.append(
                (kind, name, seq, mode, *token[4:]) if len(token) == 4 or kind == "RW" else token
            )
            for column, role in schema.NUMBERED.items():
                if kind == "L" and column in event and name == f"{role}:{columns(event).get(role)}":
                    columns(event)[column] = seq
        if order:
            event["ord"] = tuple(order)
        out.append(event)
    return cast(list[E], out)
