"""State counts of configs, and changes that break properties: a project's ``spec/counts.json``.

Only ``wheelproof list --update-counts`` writes it, and ``wheelproof init`` for its own mechanism.

The file has the schema ``wheelproof.counts/1``. ``mechanisms``: mechanism -> config ->
``generated``, ``distinct`` and ``depth``, as TLC prints them. ``broken_by``, which may be missing:
mechanism -> property -> the changes of one variable that make it false, as
:mod:`wheelproof.checks.sensitivity` has drawn them. A config is one line, and so is a property, so
that a change of one of them is a change of one line.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path

from wheelproof import documents, reading
from wheelproof.errors import UsageError

SCHEMA = "wheelproof.counts/1"
FILE = "counts.json"
NAMES = ("generated", "distinct", "depth")

Counts = dict[str, dict[str, int]]
"""Config -> its counts."""


def read(folder: Path) -> dict[str, Counts]:
    """Mechanism -> counts, of a ``spec`` folder; empty where there is no file yet.

    Raises UsageError.
    """
    file = folder / FILE
    if not reading.there(file):
        return {}
    by_mechanism = _read(file, reading.content(file))
    return {
        mechanism: {name: dict(counts) for name, counts in configs.items()}
        for mechanism, configs in by_mechanism.items()
    }


@lru_cache(maxsize=8)
def _read(file: Path, _content: bytes) -> dict[str, Counts]:
    """As :func:`read`; each mechanism of a project asks for the same file."""
    document = documents.read(file, SCHEMA)
    mechanisms = document.object("mechanisms")
    by_mechanism: dict[str, Counts] = {}
    for mechanism in mechanisms.value:
        configs = mechanisms.object(mechanism)
        by_mechanism[mechanism] = {}
        for name in configs.value:
            counts = configs.object(name)
            if set(counts.value) != set(NAMES):
                raise configs.fault(name, f"must have {', '.join(NAMES)}")
            for count, value in counts.value.items():
                if type(value) is not int or value < 0:
                    raise counts.fault(count, f"must be a whole number, not {value!r}")
            by_mechanism[mechanism][name] = dict(counts.value)
    return by_mechanism


Breaking = dict[str, list[str]]
"""Property -> the changes that make it false, each a variable and a kind."""


def read_broken(folder: Path) -> dict[str, Breaking]:
    """Mechanism -> changes that break its properties; empty for none. Raises UsageError."""
    file = folder / FILE
    if not file.is_file():
        return {}
    document = documents.read(file, SCHEMA)
    if "broken_by" not in document.value:
        return {}
    mechanisms = document.object("broken_by")
    by_mechanism: dict[str, Breaking] = {}
    for mechanism in mechanisms.value:
        properties = mechanisms.object(mechanism)
        by_mechanism[mechanism] = {}
        for name, changes in properties.value.items():
            if not isinstance(changes, list) or not all(type(change) is str for change in changes):
                raise properties.fault(name, "must be a list of changes, such as 'turn +1'")
            by_mechanism[mechanism][name] = list(changes)
    return by_mechanism


def of_configs(folder: Path, mechanism: str, configs: Mapping[str, object]) -> Counts:
    """The counts of one mechanism. Raises UsageError on a config that the mechanism lacks."""
    file = folder / FILE
    by_mechanism = _read(file, reading.content(file)) if reading.there(file) else {}
    by_config = {name: dict(counts) for name, counts in by_mechanism.get(mechanism, {}).items()}
    if stale := [name for name in by_config if name not in configs]:
        raise UsageError(
            f"{file}: {mechanism} has no config {', '.join(stale)}.",
            "Take the lines out, or correct the config's name.",
        )
    return by_config


def write(
    folder: Path, counts: Mapping[str, Counts], by_invariant: Mapping[str, Breaking] | None = None
) -> None:
    """Write the file, whole or not at all. ``by_invariant``: None keeps those of the file."""
    sections: dict[str, Mapping[str, Mapping[str, object]]] = {"mechanisms": counts}
    if breaking := read_broken(folder) if by_invariant is None else by_invariant:
        sections["broken_by"] = breaking
    text = ",\n".join(
        f"  {json.dumps(name)}: {{\n{_lines(section)}\n  }}" for name, section in sections.items()
    )
    documents.write_text(folder / FILE, f'{{\n  "schema": "{SCHEMA}",\n{text}\n}}\n')


def _lines(section: Mapping[str, Mapping[str, object]]) -> str:
    """A section's text: mechanisms in order of their names, a line for each of their entries."""
    parts = []
    for mechanism, entries in sorted(section.items()):
        lines = ",\n".join(
            f"      {json.dumps(name)}: {json.dumps(entry)}" for name, entry in entries.items()
        )
        parts.append(f"    {json.dumps(mechanism)}: {{\n{lines}\n    }}")
    return ",\n".join(parts)
