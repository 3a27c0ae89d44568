"""Changes that are declared equivalent, each with its reason: ``mutants/equivalents.toml``."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from wheelproof import reading
from wheelproof.errors import UsageError
from wheelproof.mutate.change import Change

FILE = "mutants/equivalents.toml"


@dataclass(frozen=True)
class Declared:
    """One declaration: the key of a change, the changed file, and why no behaviour changes.

    `wheelproof mutate` prints the key.
    """

    change: str
    file: str
    reason: str


def read(root: Path) -> dict[str, Declared]:
    """The declarations by key; none where there is no file.

    Raises UsageError for an entry without a reason, and for one that is there twice.
    """
    path = root / FILE
    if not reading.there(path):
        return {}
    entries = reading.tables(path).get("equivalent", [])
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        raise UsageError(f"{path}: equivalent is no list of tables.", "Write [[equivalent]].")
    out: dict[str, Declared] = {}
    for entry in entries:
        key = entry.get("change", "")
        if not all(
            isinstance(entry.get(name), str) and entry[name].strip()
            for name in ("change", "file", "reason")
        ):
            raise UsageError(
                f"{path}: the entry {key!r} lacks change, file or reason.",
                "Write all three; the reason says why no behaviour changes.",
            )
        if key in out:
            raise UsageError(f"{path}: {key} is declared twice.", "Keep one of them.")
        out[key] = Declared(key, entry["file"], entry["reason"])
    return out


def stale(
    declarations: dict[str, Declared], changes: Iterable[Change], files: Iterable[str]
) -> list[Declared]:
    """The declarations of ``files`` whose change is not enumerated: its text was edited since."""
    keys = {change.key for change in changes}
    files = set(files)
    return [
        entry for entry in declarations.values() if entry.file in files and entry.change not in keys
    ]
