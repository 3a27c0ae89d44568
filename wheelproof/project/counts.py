"""State counts of configs: the file ``spec/counts.json`` of a project.

Only ``wheelproof list --update-counts`` writes it, and ``wheelproof init`` for its own mechanism.

The file has the schema ``wheelproof.counts/1``: mechanism -> config -> ``generated``, ``distinct``
and ``depth``, as TLC prints them. A config is one line, so that a change of its counts is one, too.
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
    found = _read(file, reading.content(file))
    return {
        mechanism: {name: dict(each) for name, each in of.items()}
        for mechanism, of in found.items()
    }


@lru_cache(maxsize=8)
def _read(file: Path, _content: bytes) -> dict[str, Counts]:
    """As :func:`read`; each mechanism of a project asks for the same file."""
    document = documents.read(file, SCHEMA)
    mechanisms = document.object("mechanisms")
    found: dict[str, Counts] = {}
    for mechanism in mechanisms.value:
        configs = mechanisms.object(mechanism)
        found[mechanism] = {}
        for name in configs.value:
            counts = configs.object(name)
            if set(counts.value) != set(NAMES):
                raise configs.fault(name, f"must have {', '.join(NAMES)}")
            for count, value in counts.value.items():
                if type(value) is not int or value < 0:
                    raise counts.fault(count, f"must be a whole number, not {value!r}")
            found[mechanism][name] = dict(counts.value)
    return found


def of_configs(folder: Path, mechanism: str, configs: Mapping[str, object]) -> Counts:
    """The counts of one mechanism. Raises UsageError on a config that the mechanism lacks."""
    found = read(folder).get(mechanism, {})
    if stale := [name for name in found if name not in configs]:
        raise UsageError(
            f"{folder / FILE}: {mechanism} has no config {', '.join(stale)}.",
            "Take the lines out, or correct the config's name.",
        )
    return found


def write(folder: Path, counts: Mapping[str, Counts]) -> None:
    """Write the file, whole or not at all."""
    parts = []
    for mechanism, configs in sorted(counts.items()):
        lines = ",\n".join(
            f"      {json.dumps(name)}: {json.dumps(each)}" for name, each in configs.items()
        )
        parts.append(f"    {json.dumps(mechanism)}: {{\n{lines}\n    }}")
    text = ",\n".join(parts)
    documents.write_text(
        folder / FILE, f'{{\n  "schema": "{SCHEMA}",\n  "mechanisms": {{\n{text}\n  }}\n}}\n'
    )
