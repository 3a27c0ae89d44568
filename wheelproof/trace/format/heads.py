"""The types of a header and of a footer: the fields of ``schema.HEADER`` and ``schema.FOOTER``.

``parts.header_of`` and ``footer_of`` check the content of a file before it is of these types. A
test compares the names. The content of ``config`` and ``initial`` is the project's.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypedDict

from wheelproof.protocols import Scenario


class Capture(TypedDict, total=False):
    """The recorded part of a run. ``kinds``: absent for all. ``before``: the kinds whose events are
    numbered before another thread can see their effect."""

    mode: str
    kinds: Sequence[str]
    before: Sequence[str]


class Header(TypedDict, total=False):
    """A header. A run of which no header can be read has an empty one."""

    schema: str
    schema_minor: int
    run_id: str
    producer: Mapping[str, str]
    spec: Mapping[str, str]
    variant: str
    config: Mapping[str, int]
    clock: Mapping[str, object]
    threads: Mapping[str, str]
    capture: Capture
    sources: Sequence[str]
    names: Mapping[str, str | int]
    program: Scenario
    initial: Mapping[str, object]
    hashes: Mapping[str, str]
    faults: Sequence[str]


class Counted(TypedDict):
    """The fields of each footer."""

    events: int
    per_thread_last_tseq: Mapping[str, int]
    dropped: int


class Footer(Counted, total=False):
    """A footer."""

    tokens: Mapping[str, Mapping[str, int]]
    per_token_last_seq: Mapping[str, int]
    cut: Mapping[str, int]
    sha256: str
