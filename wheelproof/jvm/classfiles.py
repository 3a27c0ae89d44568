"""Releases with equal class files: one of them is checked, and the others have its verdicts."""

from __future__ import annotations

import hashlib
import zipfile
from collections.abc import Iterable, Sequence
from pathlib import Path

from wheelproof.jvm.declaration import Binding
from wheelproof.jvm.setup import jars_of
from wheelproof.verdict import Measured, Verdict

PROPERTY = "SameClasses"


def digests(jars: Iterable[Path], classes: Sequence[str]) -> dict[str, str]:
    """Class file -> SHA-256, of these classes and of those nested in them.

    Of two jars that have a file, the first one counts, as on a class path.
    """
    hashes: dict[str, str] = {}
    for jar in jars:
        with zipfile.ZipFile(jar) as file:
            for name in file.namelist():
                outer = name.removesuffix(".class").partition("$")[0]
                if name.endswith(".class") and (outer in classes or name[:-6] in classes):
                    hashes.setdefault(name, hashlib.sha256(file.read(name)).hexdigest())
    return hashes


def measure(root: Path, binding: Binding, release: str) -> Measured:
    """Verdict, bound and figures of the comparison; NotHere where a jar is absent."""
    earlier = binding.same[release]
    ours, theirs = (
        digests(jars_of(root, version, fetch=False), binding.classes)
        for version in (release, earlier)
    )
    harness = {name.partition("$")[0] for name in binding.harness}
    classes = [name for name in binding.classes if name.partition("$")[0] not in harness]
    absent = [name for name in classes if f"{name}.class" not in ours]
    result: Measured = {
        "figures": {"classes": len(ours)},
        "bound": f"{len(ours)} class files of {release}, which are those of {earlier}",
    }
    if absent:
        why = f"{release} has no {', '.join(absent)}"
        return result | {"verdict": Verdict.VACUOUS, "why": why}
    differ = sorted(name for name in {*ours, *theirs} if ours.get(name) != theirs.get(name))
    if differ:
        why = f"not the class files of {earlier}: {', '.join(differ)}"
        return result | {"verdict": Verdict.VIOLATED, "property": PROPERTY, "why": why}
    return result | {"verdict": Verdict.EXHAUSTIVE}
