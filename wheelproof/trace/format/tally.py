"""Canonical lines of a trace, and the footer that is counted from them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping

from wheelproof.trace.format import totals
from wheelproof.trace.format.event import Event, columns
from wheelproof.trace.format.heads import Footer
from wheelproof.trace.format.parts import OBSERVED_NAMES
from wheelproof.trace.format.schema import HEADER, NAMES

_ENCODER = json.JSONEncoder(separators=(",", ":"), allow_nan=False)


def line(value: Mapping[str, object]) -> bytes:
    """A JSON object as one line: no spaces, ASCII."""
    return _ENCODER.encode(value).encode() + b"\n"


def line_of(event: Mapping[str, object]) -> bytes:
    """The canonical line of an event: columns in the schema's order, nothing absent, no spaces,
    ASCII."""
    cells = columns(event)
    row = {name: cells[name] for name in NAMES if cells.get(name) is not None}
    for name in ("pre", "post"):
        if name in row:
            row[name] = {
                field: row[name][field]
                for field in OBSERVED_NAMES
                if row[name].get(field) is not None
            }
    return line(row)


def header_line(header: Mapping[str, object]) -> bytes:
    """The canonical line of a header: known fields first, in the schema's order, then the others by
    name."""
    names = [field.name for field in HEADER]
    schema_fields = {name: header[name] for name in names if header.get(name) is not None}
    return line(schema_fields | {name: header[name] for name in sorted(header.keys() - set(names))})


class Tally:
    """The content of the footer, counted while events go by: how many, the last number of each
    thread, totals of the exact tokens, the hash."""

    def __init__(self, header: Mapping[str, object]) -> None:
        self.events = 0
        self.threads: dict[str, int] = {}
        self.totals = totals.Totals()
        self._hash = hashlib.sha256(header_line(header))

    def count(self, event: Event, line: bytes | None = None) -> None:
        """``line``: the event's canonical line, made here if it is not given."""
        self.events += 1
        thread = str(event["tid"])
        self.threads[thread] = max(self.threads.get(thread, 0), event["tseq"])
        self.totals.count(event.get("ord", ()))
        self._hash.update(line_of(event) if line is None else line)

    @property
    def sha256(self) -> str:
        return self._hash.hexdigest()

    def footer(self, dropped: int = 0, cut: Mapping[str, int] | None = None) -> Footer:
        """The footer for the events so far."""
        footer: Footer = {
            "events": self.events,
            "per_thread_last_tseq": dict(
                sorted(self.threads.items(), key=lambda item: int(item[0]))
            ),
            "tokens": self.totals.data(),
            "dropped": dropped,
        }
        if cut is not None:
            footer["cut"] = dict(sorted(cut.items()))
        footer["sha256"] = self.sha256
        return footer
